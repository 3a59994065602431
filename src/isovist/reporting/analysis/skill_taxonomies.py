"""Published taxonomies of skills, and the skills of tasks that belong to each of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from isovist.core.canonical_json import PUBLISHED


@dataclass(frozen=True, slots=True)
class Taxonomy:
    """One taxonomy. A task requires a skill if one of the names of the skill is among the task's skills."""

    name: str
    suite: str
    """The suite of its tasks."""
    source: str
    skills: Mapping[str, frozenset[str]]
    """The names of each skill, in the order of the source."""
    finer: frozenset[str] = frozenset()
    """Names of parts of a skill, or of tasks."""

    def covers(self, task: str) -> bool:
        """Whether a task belongs to its suite; also for imported items."""
        return task.partition("/")[0].removesuffix(PUBLISHED) == self.suite


def _skills(*named: str, **more: str) -> Mapping[str, frozenset[str]]:
    """Skills with their own names; `more`: names by skill, "_" for a blank and "|" between names."""
    skills = {name: frozenset({name}) for name in named}
    return MappingProxyType(skills | {name.replace("_", " "): frozenset(words.split("|")) for name, words in more.items()})


TAXONOMIES = (
    Taxonomy(
        "TVPS-4",
        "perceptv",
        "Martin (2017), Test of Visual Perceptual Skills, 4th edition: its seven subtests, as Percept-V's Table 1 gives them to its tasks; "
        "visual attention is Percept-V's own",
        _skills(
            "visual discrimination",
            "visual memory",
            "visual spatial relationships",
            "visual form constancy",
            "visual sequential memory",
            "visual figure ground",
            "visual closure",
            "visual attention",
        ),
    ),
    Taxonomy(
        "DORI's dimensions",
        "dori",
        "DORI (arXiv 2505.21649): four dimensions of orientation",
        _skills("frontal alignment", "rotational transformation", "relative orientation", "canonical orientation"),
        frozenset(
            {
                "view parallelism",
                "directional facing",
                "single-axis rotation",
                "compound rotation",
                "inter-object direction",
                "viewer-scene direction",
            }
        ),
    ),
    Taxonomy(
        "SRBench's components",
        "srbench",
        "SRBench (arXiv 2503.19707): its components of spatial reasoning, from psychometrics",
        _skills(
            "spatial relations",
            orientation_and_navigation="egocentric orientation|path following|relative position",
            mental_rotation="mental rotation",
            spatial_visualization="spatial visualization",
        ),
        frozenset({"frames of reference", "left and right", "turn counting"}),
    ),
    Taxonomy(
        "CDR's components",
        "cdr",
        "CDR (arXiv 2412.16599): components of compass direction reasoning",
        _skills("symbol recognition", "position in a grid", "relative position", "heading", "compass naming", "frame rotation"),
    ),
    Taxonomy(
        "CoSpace's categories",
        "cospace",
        "CoSpace (arXiv 2503.14161): its four categories of tasks",
        _skills("direction", "rotation", "counting", "planning"),
        frozenset(
            {
                "direction recognition",
                "directional object perception",
                "rotation angle",
                "rotation difference",
                "counting across images",
                "planning question",
                "planning decision",
            }
        ),
    ),
    Taxonomy(
        "viewpoint skills",
        "viewpoint",
        "Kozhevnikov and Hegarty (2001): perspective taking; correspondence and motion parallax as in multi-view geometry",
        _skills("perspective taking", "correspondence between views", "motion parallax"),
    ),
    Taxonomy(
        "solids skills",
        "solids",
        "Ekstrom, French and Harman (1976), Kit of Factor-Referenced Cognitive Tests: visualization (VZ) and spatial orientation (S)",
        _skills("solids from drawings", "mental rotation"),
    ),
)

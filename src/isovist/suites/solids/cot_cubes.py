"""Chains of thought about cubes with marks: where a rotation takes the marks of the cube in the frame, and what an option shows there.

Writer and verifier compare views; the verifier reads them from the drawn polygons.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from isovist.core.reasoning.templates import Step, StepTemplate, one_of
from isovist.suites.solids.marked_cubes import MARKS, ROTATIONS, SEEN, Shown

_FACES = ("left face", "hidden face opposite the left one", "right face", "hidden face opposite the right one", "top", "bottom")
_WAYS = ("lower left", "upper right", "lower right", "upper left", "up", "down")
_template = partial(
    StepTemplate,
    **dict.fromkeys(("a", "b", "c", "d", "left", "right", "top"), one_of(MARKS)),
    **dict.fromkeys(("face_a", "face_b", "face_c"), one_of(_FACES)),
    **dict.fromkeys(("way_a", "way_b", "shown_a", "shown_b"), one_of(_WAYS)),
    letter="[A-Z]",
)
_FRAME = _template(
    "The cube in the frame shows the {left} on its left face, the {right} on its right face and the {top} on top.",
    "In the frame, the marks are the {left} on the left, the {right} on the right and the {top} on top.",
)
_ORDER = _template(
    "In cube {letter}, the {a} is on the {face_a} and the {b} on the {face_b}. A rotation that takes them there takes the {c} to the {face_c}, but there is the {d}.",
    "Cube {letter} has the {a} on the {face_a} and the {b} on the {face_b}. Turned so, the {c} would be on the {face_c}, where the {d} is.",
)
_WAY = _template(
    "In cube {letter}, the {a} is on the {face_a} and the {b} on the {face_b}. A rotation that takes them there takes the {c} to the {face_c}. Then the {a} points {way_a} and the {b} {way_b}; drawn are {shown_a} and {shown_b}.",
    "Cube {letter} has the {a} on the {face_a} and the {b} on the {face_b}, and the {c} would be on the {face_c}. The directions would be {way_a} for the {a} and {way_b} for the {b}; they are {shown_a} and {shown_b}.",
)


def steps(reference: Shown, options: Mapping[str, Shown]) -> list[Step]:
    """The marks of the cube in the frame; for each option the rotation of its two shared marks, the third one, and the directions."""
    left, right, top = (mark for mark, _ in reference)
    chain = [_FRAME(left=left, right=right, top=top)]
    for letter, view in options.items():
        places = {mark: (side, up) for side, (mark, up) in zip(SEEN, view, strict=True)}
        in_frame = {mark: (side, up) for side, (mark, up) in zip(SEEN, reference, strict=True)}
        a, b = [mark for mark in in_frame if mark in places]
        (c,) = [mark for mark in in_frame if mark not in places]
        turn = next(turn for turn in ROTATIONS if turn[in_frame[a][0]] == places[a][0] and turn[in_frame[b][0]] == places[b][0])
        third = turn[in_frame[c][0]]
        values = {
            "letter": letter,
            "a": a,
            "b": b,
            "c": c,
            "face_a": _FACES[places[a][0]],
            "face_b": _FACES[places[b][0]],
            "face_c": _FACES[third],
        }
        if third in SEEN:
            chain.append(_ORDER(**values, d=view[SEEN.index(third)][0]))
            continue
        ways = {"way_a": turn[in_frame[a][1]], "way_b": turn[in_frame[b][1]], "shown_a": places[a][1], "shown_b": places[b][1]}
        chain.append(_WAY(**values, **{name: _WAYS[way] for name, way in ways.items()}))
    return chain

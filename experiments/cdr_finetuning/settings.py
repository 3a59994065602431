"""How large a run is: for two cores, for a GPU, and for the smoke test."""

from __future__ import annotations

from dataclasses import dataclass, field

TARGET = "cdr/relative-compass-letter"
"""What the arms learn."""
BESIDE = ("cdr/relative-spatial-letter", "cdr/object-classification-letter", "cdr/relative-compass-number")
"""What is asked in the end beside it, and trained by no arm."""
GENERAL = (
    "perceptv/circle-location",
    "perceptv/circle-right-triangle",
    "perceptv/counting-circles",
    "perceptv/counting-locations",
    "perceptv/counting-shapes",
    "perceptv/identifying-shapes",
    "perceptv/inside-circles",
    "perceptv/layered-shapes",
    "perceptv/numbered-shapes",
    "perceptv/sort-circles",
    "srbench/maze-nav-position",
    "srbench/maze-nav-right-turns",
)
"""The general data of the mixed arms: tasks of other suites with one flat picture and a short answer."""


@dataclass(frozen=True, slots=True)
class Settings:
    width: int = 160
    layers: int = 4
    heads: int = 5
    rate: float = 6e-4
    """Learning rate of what is no matrix of a block (AdamW); `rate_matrices` is that of those (Muon)."""
    rate_matrices: float = 1.5e-3
    pictures: int = 40_000
    """Pictures of the stages before the arms."""
    items: int = 72_000
    """Items of the target from which an arm's samples are drawn, none twice."""
    general: int = 2_200
    """Items of each general task."""
    held_out: int = 500
    """Items of the curves; the gate takes as many questions of each lesson."""
    tested: int = 200
    """Items of each task in the end, of the split `test`."""
    stage_batch: int = 32
    arm_batch: int = 16
    eye_steps: int = 200
    stage_most: int = 40_000
    """Steps at which a stage that has not come to `known` ends the run."""
    check_every: int = 125
    known: float = 0.93
    """A stage ends when its lesson is told this well on pictures that were not learnt from, and those before it as well as `kept`."""
    kept: float = 0.9
    gate: float = 0.95
    arm_rate: float = 0.7
    """The rates of the arms, as a share of those of the stages."""
    samples: int = 24_000
    """Samples of the target that every arm sees at least; the longest arm's compute is what every arm gets at least."""
    curve_points: int = 12
    mixed: float = 0.5
    """General samples to one of the target, in the arms that mix."""
    seeds: tuple[int, ...] = (0, 1, 2)
    reply: int = 160
    """Tokens of a reply at most."""
    save_s: float = 120.0
    """Seconds between checkpoints."""
    turns: dict[str, int] = field(
        default_factory=lambda: {"cells": 4, "look-up": 1, "look-back": 4, "locate": 4, "relation": 4, "look-far": 4}
    )

    @property
    def arm_rates(self) -> tuple[float, float]:
        return self.rate * self.arm_rate, self.rate_matrices * self.arm_rate


SETTINGS = {
    "cpu": Settings(),
    "gpu": Settings(
        width=192,
        layers=6,
        heads=6,
        pictures=60_000,
        items=400_000,
        general=8_000,
        held_out=2_000,
        stage_batch=128,
        arm_batch=128,
        samples=120_000,
        curve_points=16,
        tested=500,
    ),
    "smoke": Settings(
        width=32,
        layers=1,
        heads=2,
        pictures=64,
        items=64,
        general=4,
        held_out=8,
        tested=8,
        stage_batch=4,
        arm_batch=4,
        eye_steps=2,
        stage_most=2,
        check_every=2,
        known=0.0,
        kept=0.0,
        gate=-1.0,
        samples=16,
        curve_points=2,
        seeds=(0, 1),
        reply=12,
        save_s=0.0,
    ),
}

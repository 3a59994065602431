"""What things in a room are called: which names people might confuse, and which may stand there several times."""

from __future__ import annotations

CONFUSABLE: tuple[frozenset[str], ...] = tuple(
    frozenset(names)
    for names in (
        ("chair", "armchair"),
        ("chair", "office chair"),
        ("chair", "stool", "bar stool", "high chair"),
        ("armchair", "sofa bed"),
        ("dining table", "desk", "table", "round table"),
        ("coffee table", "side table", "bedside table"),
        ("chest of drawers", "sideboard", "filing cabinet", "TV stand", "desk"),
        ("bookcase", "wall shelf", "shelf"),
        ("clock", "grandfather clock"),
        ("cat", "rabbit"),
        ("easel", "whiteboard", "notice board"),
        ("wardrobe", "locker"),
        ("TV", "computer", "laptop"),
        ("piano", "grand piano", "keyboard"),
        ("vase", "jug", "bowl"),
        ("waste bin", "basket", "wheelie bin"),
        ("rug", "bath mat"),
        ("stove", "microwave oven"),
        ("washbasin", "sink"),
        ("toilet", "bidet"),
        ("cardboard box", "crate", "suitcase"),
        ("picture", "whiteboard", "notice board"),
        ("mirror", "dressing table"),
        ("table lamp", "floor lamp"),
        ("plant", "cactus"),
        ("ball", "balloon"),
        ("shower", "wardrobe"),
    )
)
"""Any two names of one set might be taken for each other: they never occur in one room."""

SEVERAL = frozenset(
    {
        "door", "window", "chair", "armchair", "stool", "picture", "bookcase", "table lamp", "bedside table", "cardboard box", "desk",
        "office chair", "computer", "laptop",
    }
)  # fmt: skip
"""Names that a room may give to several things although nothing is counted. Every other name names one thing."""

LOOK_ALIKE: dict[str, tuple[str, ...]] = {
    "window": ("mirror",),
    "plant": ("vase", "wall shelf"),
    "cardboard box": ("shelf",),
    "picture": ("mirror", "clock"),
    "balloon": ("globe",),
}
"""Where things of one kind are counted, these others are left out: one could be counted with them."""

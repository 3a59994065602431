"""Names of objects in rooms: confusable names, and names that several objects may share."""

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
        ("ball", "balloon", "shelf"),  # a shelf may hold balls
        ("shower", "wardrobe"),
    )
)
"""Sets of confusable names. Two names of one set never occur in the same room."""

SEVERAL = frozenset(
    {
        "door", "window", "chair", "armchair", "stool", "picture", "bookcase", "table lamp", "bedside table", "cardboard box", "desk",
        "office chair", "computer", "laptop",
    }
)  # fmt: skip
"""Names that several objects of a room may share even if they are not counted. All other names are unique in a room."""

LOOK_ALIKE: dict[str, tuple[str, ...]] = {
    "window": ("mirror",),
    "plant": ("vase", "wall shelf"),
    "cardboard box": ("shelf",),
    "picture": ("mirror", "clock"),
    "balloon": ("globe",),
}
"""By counted category: names that are excluded from the room, because such objects could be counted by mistake."""

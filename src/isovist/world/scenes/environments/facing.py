"""Street objects with an unambiguous front, for questions about the direction that an object faces."""

from __future__ import annotations

from isovist.core.rotation import azimuth, cosine, sine, wrapped
from isovist.core.scene3d import Group, MeshRef, SceneObject

FRONTS = frozenset({
    "bicycle", "motorcycle", "motor scooter", "truck", "van", "coach", "bench", "bus stop shelter", "dog", "horse", "man", "woman",
    *(f"{paint} car" for paint in ("red", "blue", "yellow", "green", "white", "black", "orange")),
})  # fmt: skip
"""Names of objects whose front is visible from every side."""
_ALIKE = frozenset({"car-sedan"})
"""Meshes whose front and rear look alike."""


def has_front(solid: SceneObject) -> bool:
    """Whether the direction that an object faces is visible."""
    form = solid.geometry
    meshes = [form] if isinstance(form, MeshRef) else [part.geometry for part in form.parts] if isinstance(form, Group) else []
    return solid.name in FRONTS and not any(isinstance(one, MeshRef) and one.name in _ALIKE for one in meshes)


def faces(solid: SceneObject) -> float:
    """The bearing of the front of an upright object in degrees, above -180 and up to 180."""
    return wrapped(180.0 - azimuth((sine(solid.pose.yaw), 0.0, cosine(solid.pose.yaw))))

"""Contact sheets of mesh folders, and validation of the mesh files against the manifest."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from isovist.core.drawing2d import Label
from isovist.core.rotation import cosine, sine
from isovist.core.scene3d import Camera, MeshRef, Pose, Scene3D, SceneObject, Sky
from isovist.world.render import meshes, rasterizer2d, scene_image
from isovist.world.render.mesh_packs import Entry, Pack

VIEWS = {"front": (0.0, 8.0), "three-quarter": (40.0, 25.0), "side": (90.0, 8.0), "back": (180.0, 8.0)}
"""Camera positions: degrees about +Y from +Z toward +X, and degrees of elevation. "side" is the left of the mesh: its front points to
the left of the image.
"""
ROWS = 8
_SIDE = 200  # pixels of a view
_LINE = 26  # height of a text line in pixels
_OFF = 0.02  # tolerance of size and position, relative to the longest side


def faults(pack: Pack, entry: Entry) -> list[str]:
    """Return the errors of a mesh, one line each. Raises UserError for an unreadable file."""
    corners = meshes.load(pack.file(entry.id)).corners.reshape(-1, 3)
    low, high = corners.min(axis=0), corners.max(axis=0)
    size = np.array(entry.size_cm) / 100
    room = _OFF * float(size.max())
    problems: list[str] = []
    if np.abs(high - low - size).max() > room:
        measured = " x ".join(f"{100 * side:.4g}" for side in high - low)
        stated = " x ".join(f"{side:.4g}" for side in entry.size_cm)
        problems.append(f"the file measures {measured} cm (width, height, depth), the manifest states {stated}")
    if abs(float(low[1])) > room:
        problems.append(f"its lowest point is at a height of {float(low[1]):.3g} m, not on the ground")
    if np.abs((low + high)[[0, 2]]).max() / 2 > room:
        x, z = (float(v) / 2 for v in (low + high)[[0, 2]])
        problems.append(f"the middle of its footprint is at x {x:.3g} m, z {z:.3g} m, not at its origin")
    if entry.front == "clear" and entry.symmetry:
        problems.append(f"contradiction: a clear front, and equal appearance after {entry.symmetry} degrees")
    if not entry.licence:
        problems.append("the manifest states no licence")
    return problems


def sheets(pack: Pack, name: str) -> Iterator[NDArray[np.uint8]]:
    """Yield sheets of `ROWS` meshes each, (height, width, 3): every mesh in all `VIEWS`, with its manifest data.

    `name`: the name of the folder in `use_folder`.
    """
    entries = sorted(pack.entries.values(), key=lambda entry: entry.id)
    for start in range(0, len(entries), ROWS):
        yield np.vstack([_row(entry, f"{name}:{entry.id}") for entry in entries[start : start + ROWS]])


def _row(entry: Entry, name: str) -> NDArray[np.uint8]:
    size = " x ".join(f"{side:.4g}" for side in entry.size_cm)
    caption = f"{entry.id}: {entry.category}, {entry.broad}, {size} cm, front {entry.front}, symmetry {entry.symmetry}"
    line = np.full((_LINE, len(VIEWS) * _SIDE, 3), 255, np.uint8)
    rasterizer2d.paint(line, (Label(caption, (line.shape[1] / 2 / _LINE, 0.5), 0.5),), _LINE)
    return np.vstack([line, np.hstack([_seen(entry, name, view) for view in VIEWS])])


def _seen(entry: Entry, name: str, view: str) -> NDArray[np.uint8]:
    """Render a mesh on white from one side, scaled to the view."""
    yaw, rise = VIEWS[view]
    width, height, depth = (side / 100 for side in entry.size_cm)
    eye = (sine(yaw) * cosine(rise), sine(rise), cosine(yaw) * cosine(rise))
    far = 2 * (width + height + depth)
    across = width * abs(cosine(yaw)) + depth * abs(sine(yaw))
    along = width * abs(sine(yaw)) + depth * abs(cosine(yaw))
    span = 1.22 * max(across, height * cosine(rise) + along * sine(rise))
    middle = height / 2 - 0.06 * span  # leaves room below for the name of the view
    camera = Camera((far * eye[0], middle + far * eye[1], far * eye[2]), (0.0, middle, 0.0), span=span)
    stage = Scene3D((SceneObject(MeshRef(name), Pose()),), camera, ground=None, sky=Sky("#ffffff", "#ffffff"))
    picture = scene_image.pixels(stage, _SIDE)
    rasterizer2d.paint(picture, (Label(view, (0.5, 0.06), 0.07),), _SIDE)
    return picture

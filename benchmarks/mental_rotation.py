"""How fast mental rotation pages are made, beside matplotlib drawing the same bodies.

    python benchmarks/mental_rotation.py [--n 20] [--task srbench/mrt-hard]

Ours is the whole way from an item's number to its PNG: growing the body, finding options, checking what can be seen,
drawing, rendering and encoding. The peers get the finished bodies and only draw them, one set of axes each, at the same
size in pixels: `lean` with one `Poly3DCollection` a body, of the faces that no cube covers; `voxels` with
`Axes3D.voxels`; `plain` as SRBench's own figures are built, with a `Poly3DCollection` for each of the six faces of each
cube and a tight box around the page. All take turns, so that a change of the machine's speed hits all.
"""

from __future__ import annotations

import argparse
import io
import statistics
import time
from collections.abc import Callable
from typing import Any

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
from mpl_toolkits.mplot3d.art3d import Poly3DCollection

from isovist.data.items import Items
from isovist.suites import registry
from isovist.world.render.image_encoding import png
from isovist.world.scenes.polycube import STEPS, Body
from isovist.world.scenes.polycube_view import turned

DPI = 100


def squares(cells: Body, angles: tuple[int, int, int]) -> np.ndarray:
    """The corners of all faces that no other cube covers, turned: shape (faces, 4, 3)."""
    faces = []
    for cell in cells:
        for step in STEPS:
            if tuple(a + b for a, b in zip(cell, step, strict=True)) in cells:
                continue
            axis = next(i for i in range(3) if step[i])
            corner = np.array(cell, float)
            corner[axis] += step[axis] > 0
            p, q = (np.eye(3)[i] for i in range(3) if i != axis)
            faces.append([corner, corner + p, corner + p + q, corner + q])
    matrix = np.array([turned((1, 0, 0), angles), turned((0, 1, 0), angles), turned((0, 0, 1), angles)])
    return np.array(faces) @ matrix


def with_polygons(ax: Any, cells: Body, angles: tuple[int, int, int], colour: str) -> None:
    faces = squares(cells, angles)
    ax.add_collection3d(Poly3DCollection(faces, facecolors=colour, edgecolors="black", linewidths=1, shade=colour != "white"))
    middle = (faces.min((0, 1)) + faces.max((0, 1))) / 2
    for name, at in zip("xyz", middle, strict=True):
        getattr(ax, f"set_{name}lim")(at - 2.5, at + 2.5)


def each_face(ax: Any, cells: Body, angles: tuple[int, int, int], colour: str) -> None:
    for cell in cells:
        for face in squares((cell,), angles):
            ax.add_collection3d(Poly3DCollection([face], facecolors=colour, edgecolors="black", linewidths=1))
    faces = squares(cells, angles)
    middle = (faces.min((0, 1)) + faces.max((0, 1))) / 2
    for name, at in zip("xyz", middle, strict=True):
        getattr(ax, f"set_{name}lim")(at - 2.5, at + 2.5)


def with_voxels(ax: Any, cells: Body, angles: tuple[int, int, int], colour: str) -> None:
    grid = np.zeros(np.max(cells, axis=0) + 1, bool)
    grid[tuple(np.transpose(cells))] = True
    x, y, z = np.indices(np.array(grid.shape) + 1).astype(float)
    matrix = np.array([turned((1, 0, 0), angles), turned((0, 1, 0), angles), turned((0, 0, 1), angles)])
    corners = np.stack([x, y, z], axis=-1) @ matrix
    ax.voxels(*np.moveaxis(corners, -1, 0), grid, facecolors=colour, edgecolor="black", linewidth=1, shade=colour != "white")


def peer(scene: Any, shape: tuple[int, ...], body: Callable[..., None]) -> bytes:
    """A page of the same bodies as PNG: the original on top, the options below."""
    k = len(scene.options)
    figure = plt.figure(figsize=(shape[1] / DPI, shape[0] / DPI), dpi=DPI)
    shown = [(scene.original, (0, 0, 0), (0.5 - 0.5 / k, 0.55, 1 / k, 0.45), "")]
    shown += [(option.cells, option.angles, (i / k, 0.1, 1 / k, 0.45), "ABCD"[i]) for i, option in enumerate(scene.options)]
    for cells, angles, place, letter in shown:
        ax = figure.add_axes(place, projection="3d", proj_type="ortho")
        body(ax, cells, angles, "tab:blue" if scene.hue else "white")
        ax.set_box_aspect((1, 1, 1))
        ax.view_init(32, 58)
        if scene.hue:
            for name in "xyz":
                getattr(ax, f"set_{name}ticklabels")([])
        else:
            ax.set_axis_off()
        figure.text(place[0] + place[2] / 2, 0.05, letter, ha="center")
    out = io.BytesIO()
    figure.savefig(out, format="png", bbox_inches="tight" if body is each_face else None)
    plt.close(figure)
    return out.getvalue()


def compare(name: str, n: int) -> None:
    task = registry.task(name)
    print(f"{name}: median CPU milliseconds an image, over {n} images of each level")
    peers = {"lean": with_polygons, "voxels": with_voxels, "plain": each_face}
    print(f"{'cubes':>6}{'ours':>8}" + "".join(f"{other:>8}{'':>7}" for other in peers))
    for level in task.levels:
        items = Items(task, n + 100, 0, "test", level)
        for i in range(n, n + 100):
            items[i].pixels()  # warm: what a turn hides is found once
        peer(items[0].scene, items[0].pixels()[0].shape, with_polygons)
        ours: list[float] = []
        theirs: dict[str, list[float]] = {other: [] for other in peers}
        for i in range(n):
            start = time.process_time()
            item = items[i]
            pixels = item.pixels()[0]
            png(pixels)
            ours.append(time.process_time() - start)
            for other, body in peers.items():
                start = time.process_time()
                peer(item.scene, pixels.shape, body)
                theirs[other].append(time.process_time() - start)
        our_median = statistics.median(ours) * 1000
        medians = [statistics.median(taken) * 1000 for taken in theirs.values()]
        print(f"{level:>6}{our_median:>8.1f}" + "".join(f"{one:>8.0f}{f'({one / our_median:.0f}x)':>7}" for one in medians))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--n", type=int, default=20)
    parser.add_argument("--task", nargs="+", default=["srbench/mrt-easy", "srbench/mrt-hard"])
    given = parser.parse_args()
    for asked in given.task:
        compare(asked, given.n)

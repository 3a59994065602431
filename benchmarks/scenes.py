"""How fast pictures of three-dimensional scenes are made, beside matplotlib and VTK.

    python benchmarks/scenes.py [--n 40] [--peer 3]

Twenty balls, each of 2208 triangles, four boxes and the ground under a sun with shadows at 512 x 512: 44 208 triangles in all, and
once more with a texture on each. One process, then two. Then four views from one standpoint among the same solids, one after the
other, and the same views with another place between any two, so that nothing of a place is kept.

matplotlib gets the same triangles as one `Poly3DCollection`, without shadows and textures; its time is that of a whole figure as an
array of pixels. Then the loading of every fourth bundled mesh, beside trimesh; whole items of nine tasks, beside the encoding of their images as PNG; and
the first item of a process, in a fresh installation and after it, beside an item without three-dimensional scenes.

VTK, if pyvista is installed, gets them as one mesh of smooth shading with four samples a pixel, without and with
shadows, without textures and ground; its time is that of a plotter from the mesh to an array of pixels. Without a display its wheel draws
on the processor, with all cores: the seconds are those of the processor all the same.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from multiprocessing import get_context
from pathlib import Path

import numpy as np

from isovist.core.scene3d import Box, Camera, Ground, Pose, Scene3D, SceneObject, Sphere, Texture
from isovist.data.items import Items
from isovist.suites import registry
from isovist.world.render import asset_pool, meshes, rasterizer3d
from isovist.world.render.assembly import assemble
from isovist.world.render.image_encoding import png
from isovist.world.scenes.mesh_catalog import MESHES

TASKS = (
    "cospace/counting", "cospace/direction-recognition", "cospace/planning", "cospace/rotation-difference", "dori/compound-rotation",
    "dori/directional-facing", "dori/inter-object-direction", "srbench/orientation-eight-way", "srbench/spatial-relations",
)  # fmt: skip
COLOURS = ("#c0392b", "#2e86c1", "#27ae60", "#d4ac0d", "#7d3c98")


def stage(turn: int, texture: Texture | None = None) -> Scene3D:
    """A scene, seen from another side at each turn."""
    solids = [
        SceneObject(Sphere(0.35), Pose((i % 5 - 2.0, 0.0, i // 5 - 1.5), yaw=17.0 * i + turn), colour=COLOURS[i % 5], texture=texture)
        for i in range(20)
    ]
    solids += [SceneObject(Box((0.4, 1.2, 0.4)), Pose((i - 1.5, 0.0, -2.4), yaw=10.0 * turn), texture=texture) for i in range(4)]
    eye = (0.8 * (turn % 9 - 4), 2.4, 6.0)
    return Scene3D(tuple(solids), Camera(eye, (0.0, 0.3, 0.0), fov=38.0), ground=Ground(texture=texture))


def one(turn: int) -> float:
    """CPU seconds of a picture."""
    start = time.process_time()
    rasterizer3d.render(stage(turn))
    return time.process_time() - start


def together(workers: int, n: int) -> float:
    """Pictures a second of several processes, by the clock."""
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        list(pool.map(one, range(4 * workers)))
        start = time.perf_counter()
        list(pool.map(one, range(n), chunksize=4))
        return n / (time.perf_counter() - start)


def peer(turn: int) -> float:
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt
    from mpl_toolkits.mplot3d.art3d import Poly3DCollection

    cast = assemble(stage(turn).objects)
    triangles = cast.world[:, :, [0, 2, 1]]
    colours = np.array([[0.2, 0.4, 0.8]] * len(triangles))
    start = time.process_time()
    figure = plt.figure(figsize=(5.12, 5.12), dpi=100)
    ax = figure.add_axes((0, 0, 1, 1), projection="3d")
    ax.add_collection3d(Poly3DCollection(triangles, facecolors=colours, shade=True))
    ax.set(xlim=(-2.5, 2.5), ylim=(-2.5, 2.5), zlim=(0, 2))
    ax.set_axis_off()
    figure.canvas.draw()
    np.asarray(figure.canvas.buffer_rgba())
    plt.close(figure)
    return time.process_time() - start


def around(turn: int, heading: int) -> Scene3D:
    """A view from the middle of a place, which is another one at each turn."""
    eye = (0.0, 1.2, 0.0)
    ahead = ((0.0, -1.0), (1.0, 0.0), (0.0, 1.0), (-1.0, 0.0))[heading]
    return replace(stage(turn), camera=Camera(eye, (ahead[0], 1.0, ahead[1]), fov=90.0))


def views(places: int, *, together: bool) -> float:
    """CPU seconds of one of four views of each place: one place after the other, or one view of each place in turn."""
    pairs = [(turn, heading) for turn in range(places) for heading in range(4)]
    order = pairs if together else sorted(pairs, key=lambda pair: pair[1])
    shown = [around(*pair) for pair in order]
    start = time.process_time()
    for one_view in shown:
        rasterizer3d.render(one_view)
    return (time.process_time() - start) / len(shown)


def vtk(turn: int, *, shadows: bool) -> float:
    """CPU seconds of a picture of the same triangles by VTK."""
    import pyvista as pv

    cast = assemble(stage(turn).objects)
    points = cast.world[:, :, [0, 2, 1]] * (1.0, -1.0, 1.0)
    faces = np.hstack([np.full((len(points), 1), 3), np.arange(3 * len(points)).reshape(-1, 3)])
    start = time.process_time()
    plotter = pv.Plotter(off_screen=True, window_size=[512, 512], lighting="none")
    mesh = pv.PolyData(points.reshape(-1, 3), faces.ravel())
    plotter.add_mesh(mesh, color="#3366cc", smooth_shading=True, split_sharp_edges=False)
    plotter.add_light(pv.Light(position=(-0.55, -0.65, 0.9), light_type="scene light"))
    if shadows:
        plotter.enable_shadows()
    plotter.enable_anti_aliasing("msaa", multi_samples=4)
    plotter.camera.position, plotter.camera.focal_point, plotter.camera.up = (0.0, -6.0, 2.4), (0.0, 0.0, 0.3), (0.0, 0.0, 1.0)
    plotter.camera.view_angle = 38.0
    plotter.screenshot(None, return_img=True)
    plotter.close()
    return time.process_time() - start


def loading(read: Callable[[str], asset_pool.Mesh]) -> float:
    """CPU seconds to read a bundled mesh and to put it into the pool."""
    asset_pool.forget()
    some = MESHES[::4]
    start = time.process_time()
    for mesh in some:
        asset_pool.pool().add(read(mesh.id))
    return (time.process_time() - start) / len(some)


def whole(name: str, n: int) -> tuple[float, float]:
    """CPU seconds of an item with sampling and its images, and those of the encoding of its images."""
    items = Items(registry.task(name), 2 * n)
    for index in range(n):
        items[index].pixels()
    start = time.process_time()
    images = [image for index in range(n, 2 * n) for image in items[index].pixels()]
    drawn = time.process_time()
    for image in images:
        png(image)
    return (drawn - start) / n, (time.process_time() - drawn) / n


def first(name: str, cache: str) -> float:
    """CPU seconds of `isovist generate NAME --n 1`, with the compiled renderer in a folder."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with tempfile.TemporaryDirectory() as out:
        command = [sys.executable, "-m", "isovist", "generate", name, "--n", "1", "--out", str(Path(out) / "data")]
        subprocess.run(command, check=True, capture_output=True, env={**os.environ, "NUMBA_CACHE_DIR": cache})
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def starts(n: int) -> None:
    """What a user waits for before and beside the drawing."""
    readers = {"ours": meshes.mesh, "trimesh": lambda name: meshes.load(meshes.locate(name))}
    times = {name: min(loading(read) for _ in range(3)) for name, read in readers.items()}
    print(f"mesh: {1000 * times['ours']:.1f} ms of CPU, {times['trimesh'] / times['ours']:.1f} times as fast as through trimesh")
    for name in TASKS:
        item, encoding = whole(name, n)
        total = item + encoding
        print(f"{name}: {1000 * total:.0f} ms of CPU an item, {total / encoding:.1f} times its PNG encoding alone")
    plain = min(first("cdr/relative-compass-letter", "") for _ in range(3))
    with tempfile.TemporaryDirectory() as cache:
        cold = first("srbench/orientation", cache)
        warm = min(first("srbench/orientation", cache) for _ in range(3))
    print(
        f"first item: {cold:.1f} s of CPU in a fresh installation, then {warm:.2f} s; {cold / plain:.1f} and {warm / plain:.1f} times 2-D"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--n", type=int, default=40, help="pictures")
    parser.add_argument("--peer", type=int, default=3, help="pictures by matplotlib")
    args = parser.parse_args()
    print(f"{len(assemble(stage(0).objects).world)} triangles, 512 x 512")
    for name, texture in (("plain", None), ("textured", Texture("checker", 0.25))):
        rasterizer3d.render(stage(0, texture))
        times: list[float] = []
        for turn in range(args.n):
            start = time.process_time()
            rasterizer3d.render(stage(turn, texture))
            times.append(time.process_time() - start)
        middle = statistics.median(times)
        print(f"{name:>10}: {1000 * middle:6.1f} ms of CPU a picture, {1 / middle:5.1f} pictures/s a core")
    pixels = rasterizer3d.render(stage(0)).colour
    start = time.process_time()
    for _ in range(10):
        png(pixels)
    print(f"{'PNG':>10}: {100 * (time.process_time() - start):6.1f} ms")
    for workers in (1, 2):
        print(f"{workers} process{'es' if workers > 1 else ''}: {together(workers, args.n * workers):.1f} pictures/s by the clock")
    for name, kept in (("one place after the other", True), ("places in turn", False)):
        middle = statistics.median(views(6, together=kept) for _ in range(max(1, args.n // 8)))
        print(f"four views from a standpoint, {name}: {1000 * middle:.1f} ms of CPU a picture")
    starts(max(1, args.n // 4))
    if not args.peer:
        return
    ours = statistics.median(one(turn) for turn in range(args.n))
    peers = {"matplotlib": peer}
    if find_spec("pyvista") is None:
        print("VTK: pyvista is not installed")
    else:
        peers |= {"VTK": partial(vtk, shadows=False), "VTK with shadows": partial(vtk, shadows=True)}
    for name, draw in peers.items():
        draw(0)
        middle = statistics.median(draw(turn) for turn in range(args.peer))
        print(f"{name}: {1000 * middle:.0f} ms of CPU a picture, {middle / ours:.1f} times ours")


if __name__ == "__main__":
    main()

"""Views of scanned buildings (HM3D and others) rendered with Habitat-Sim, if installed.

Habitat-Sim has the world frame of Isovist: right-handed, +Y up, metres; an agent without rotation looks along -Z, and positive
rotations about +Y are counterclockwise seen from above. Heading h is therefore the rotation by -h.
"""

from __future__ import annotations

from collections.abc import Callable
from math import dist, radians
from pathlib import Path
from typing import Any

import numpy as np

from isovist.common.atomic_write import write_atomically
from isovist.common.errors import UserError
from isovist.data.importers.street_views.view_folder import View, append, headings
from isovist.world.render.image_encoding import png

EYE = 1.5  # metres above the floor
_SENSOR = "color"
_TRIES = 200


def take(
    scene: Path,
    out: Path,
    *,
    places: int,
    n: int = 4,
    fov: float = 90,
    size: int = 512,
    apart: float = 2.0,
    seed: int = 0,
    progress: Callable[[], object] = lambda: None,
) -> int:
    """Write `n` square views of each of `places` random standpoints in a scene to the folder `out`.

    Standpoints are at least `apart` metres from each other. Returns their number. Raises UserError without Habitat-Sim or the scene.
    """
    try:
        import habitat_sim  # pyright: ignore[reportMissingImports]
    except ImportError:
        raise UserError(
            "Habitat-Sim is not installed; it comes by conda: `conda install habitat-sim headless -c conda-forge -c aihabitat`."
        ) from None
    if not scene.is_file():
        raise UserError(f"{scene}: no scene; give a .glb of HM3D.")
    out.mkdir(parents=True, exist_ok=True)
    lib: Any = habitat_sim  # pyright: ignore[reportUnknownVariableType]
    simulator = lib.Simulator(_configuration(lib, scene, fov, size, seed))
    try:
        simulator.pathfinder.seed(seed)
        spots: list[tuple[float, ...]] = []
        for _ in range(_TRIES * places):
            if len(spots) == places:
                break
            point = tuple(float(value) for value in simulator.pathfinder.get_random_navigable_point())
            if np.isfinite(point).all() and all(dist(point, other) >= apart for other in spots):
                spots.append(point)
                _views(lib, simulator, point, out, f"{scene.stem.partition('.')[0]}-{len(spots) - 1:03d}", n, fov, progress)
        return len(spots)
    finally:
        simulator.close()


def _configuration(lib: Any, scene: Path, fov: float, size: int, seed: int) -> Any:
    simulator = lib.SimulatorConfiguration()
    simulator.scene_id = str(scene)
    simulator.random_seed = seed
    camera = lib.CameraSensorSpec()
    camera.uuid = _SENSOR
    camera.sensor_type = lib.SensorType.COLOR
    camera.sensor_subtype = lib.SensorSubType.PINHOLE
    camera.resolution = [size, size]
    camera.position = [0.0, EYE, 0.0]
    camera.hfov = fov
    agent = lib.agent.AgentConfiguration()
    agent.sensor_specifications = [camera]
    return lib.Configuration(simulator, [agent])


def _views(
    lib: Any, simulator: Any, spot: tuple[float, ...], out: Path, name: str, n: int, fov: float, progress: Callable[[], object]
) -> None:  # fmt: skip
    (out / name).mkdir(exist_ok=True)
    agent = simulator.get_agent(0)
    for i, heading in enumerate(headings(n)):
        state = lib.AgentState()
        state.position = np.array(spot, np.float32)
        state.rotation = lib.utils.common.quat_from_angle_axis(-radians(heading), np.array([0.0, 1.0, 0.0]))
        agent.set_state(state)
        pixels = np.asarray(simulator.get_sensor_observations()[_SENSOR])[..., :3].astype(np.uint8)  # RGBA
        file = f"{name}/{i}.png"
        append(out, View(name, file, heading, fov, "habitat"))
        write_atomically(out / file, png(np.ascontiguousarray(pixels)))
        progress()

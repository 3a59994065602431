"""Render scenes with Cycles. Runs in the Python of an environment with `bpy` and without Isovist.

    python -I blender_worker.py

The first line of its output is the version of Blender. For every input line, ``{"folder": ..., "samples": 16, "solids": false}``, it
reads the files of `scene_files` in the folder, writes ``light.npy`` (height, width, 3; linear light, row 0 at the top) and, if
requested, ``solids.npy`` (height, width; -1 sky, -2 ground), and writes one line: ``{}``, or ``{"error": ...}``.

The frame of Blender is right-handed with +Z up: (x, y, z) in Isovist is (x, -z, y) in Blender.
"""

from __future__ import annotations

import json
import os
import sys
from importlib import import_module
from math import pi, radians
from pathlib import Path
from typing import Any

import numpy as np

if __name__ == "__main__":  # messages of Blender go to stderr: stdout is reserved for answers
    _answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)

bpy: Any = import_module("bpy")  # no type stubs, and absent in the environment of the type checker
Matrix: Any = import_module("mathutils").Matrix
Vector: Any = import_module("mathutils").Vector

FAR = 20_000.0
"""Distance from the centre to the edge of the ground in metres."""
_SOFT = 1.6  # angular diameter of the sun in degrees


def blender(vector: Any) -> Any:
    x, y, z = vector
    return Vector((x, -z, y))


class Nodes:
    """Builder of a node tree."""

    def __init__(self, tree: Any) -> None:
        self.tree = tree
        tree.nodes.clear()

    def add(self, kind: str, **values: Any) -> Any:
        """Add a node; `values` are its properties."""
        node = self.tree.nodes.new(kind)
        for name, value in values.items():
            setattr(node, name, value)
        return node

    def put(self, node: Any, socket: Any, value: Any) -> None:
        """Set an input of a node to a value, or link it to the output of another node."""
        if isinstance(value, (int, float, tuple)):
            node.inputs[socket].default_value = value
        else:
            self.tree.links.new(value, node.inputs[socket])

    def math(self, operation: str, *inputs: Any) -> Any:
        node = self.add("ShaderNodeMath", operation=operation)
        for i, value in enumerate(inputs):
            self.put(node, i, value)
        return node.outputs[0]

    def vector(self, operation: str, *inputs: Any, output: str = "Vector") -> Any:
        node = self.add("ShaderNodeVectorMath", operation=operation)
        for i, value in enumerate(inputs):
            self.put(node, i, value)
        return node.outputs[output]

    def blend(self, factor: Any, a: Any, b: Any) -> Any:
        """Return (1 - factor) * a + factor * b for vectors."""
        return self.vector("MULTIPLY_ADD", self.vector("SUBTRACT", b, a), factor, a)


def read_solids(folder: Path, scene: dict[str, Any]) -> None:
    with np.load(folder / "triangles.npz", allow_pickle=False) as held:
        corners, normals, uvs, look = (held[name] for name in ("corners", "normals", "uvs", "look"))
    looks = [surface(one) for one in scene["looks"]]
    for place, solid in enumerate(scene["solids"]):
        part = slice(solid["first"], solid["last"])
        n = solid["last"] - solid["first"]
        if not n:
            continue
        mesh = bpy.data.meshes.new(f"solid {place}")
        mesh.vertices.add(3 * n)
        mesh.vertices.foreach_set("co", turned(corners[part]).ravel())
        mesh.loops.add(3 * n)
        mesh.loops.foreach_set("vertex_index", np.arange(3 * n, dtype=np.int32))
        mesh.polygons.add(n)
        mesh.polygons.foreach_set("loop_start", np.arange(0, 3 * n, 3, dtype=np.int32))
        used, which = np.unique(look[part], return_inverse=True)
        for number in used:
            mesh.materials.append(looks[number])
        mesh.polygons.foreach_set("material_index", which.ravel().astype(np.int32))
        mesh.uv_layers.new(name="uv").data.foreach_set("uv", uvs[part].ravel())
        mesh.update()
        mesh.normals_split_custom_set(turned(normals[part]).reshape(-1, 3))
        thing = bpy.data.objects.new(mesh.name, mesh)
        thing.pass_index = place + 1
        thing.visible_shadow = solid["casts"] and scene["light"]["shadows"]
        # walls and ceilings cast no shadows: the light of the surroundings passes them, as in the rasterizer
        thing.visible_diffuse = thing.visible_glossy = solid["casts"]
        bpy.context.scene.collection.objects.link(thing)


def turned(vectors: Any) -> Any:
    x, y, z = np.moveaxis(vectors, -1, 0)
    return np.ascontiguousarray(np.stack([x, -z, y], axis=-1), np.float32)


def painted(nodes: Nodes, look_data: dict[str, Any], coordinates: Any) -> Any:
    """Return the colour of a surface: its own colour times its texture."""
    black, rgb = look_data["black"], tuple(look_data["colour"])
    lift = (black, black, black)
    if look_data["picture"] is None:
        return tuple(black + (1 - black) * v for v in rgb)
    texture = nodes.add("ShaderNodeTexImage", image=bpy.data.images.load(look_data["picture"], check_existing=True))
    nodes.put(texture, "Vector", coordinates)
    return nodes.vector("MULTIPLY_ADD", texture.outputs["Color"], tuple((1 - black) * v for v in rgb), lift)


def matt(nodes: Nodes, albedo: Any) -> Any:
    node = nodes.add("ShaderNodeBsdfPrincipled")
    nodes.put(node, "Base Color", (*albedo, 1.0) if isinstance(albedo, tuple) else albedo)
    nodes.put(node, "Roughness", 0.55)
    nodes.put(node, "Specular IOR Level", 0.25)
    return node.outputs[0]


def dull(nodes: Nodes, albedo: Any) -> Any:
    """Return a surface without specular reflection; the ground keeps its colour at grazing angles."""
    node = nodes.add("ShaderNodeBsdfDiffuse")
    nodes.put(node, "Color", (*albedo, 1.0) if isinstance(albedo, tuple) else albedo)
    return node.outputs[0]


def material(name: str) -> tuple[Any, Nodes]:
    made = bpy.data.materials.new(name)
    made.use_nodes = True
    return made, Nodes(made.node_tree)


def surface(look_data: dict[str, Any]) -> Any:
    made, nodes = material("look")
    uv = nodes.add("ShaderNodeUVMap", uv_map="uv").outputs[0] if look_data["picture"] else None
    out = nodes.add("ShaderNodeOutputMaterial")
    nodes.put(out, "Surface", matt(nodes, painted(nodes, look_data, uv)))
    return made


def lay_ground(ground: dict[str, Any], bottom: list[float], index: int) -> None:
    mesh = bpy.data.meshes.new("ground")
    mesh.from_pydata([(-FAR, -FAR, 0), (FAR, -FAR, 0), (FAR, FAR, 0), (-FAR, FAR, 0)], [], [(0, 1, 2, 3)])
    made, nodes = material("ground")
    at = nodes.add("ShaderNodeNewGeometry")
    wide = (1 / ground["metres"],) * 3
    shown = dull(nodes, painted(nodes, ground, nodes.vector("MULTIPLY", at.outputs["Position"], wide)))
    path = nodes.add("ShaderNodeLightPath")
    if ground["haze"] > 0:
        far = nodes.math("POWER", nodes.add("ShaderNodeCameraData").outputs["View Distance"], 2.0)
        fade = nodes.math("DIVIDE", far, nodes.math("ADD", far, ground["haze"] ** 2))
        haze = nodes.add("ShaderNodeEmission")
        nodes.put(haze, "Color", (*bottom, 1.0))
        shown = mixed(nodes, nodes.math("MULTIPLY", fade, path.outputs["Is Camera Ray"]), shown, haze.outputs[0])
    nothing = nodes.add("ShaderNodeBsdfTransparent").outputs[0]
    out = nodes.add("ShaderNodeOutputMaterial")
    nodes.put(out, "Surface", mixed(nodes, at.outputs["Backfacing"], shown, nothing))
    mesh.materials.append(made)
    thing = bpy.data.objects.new("ground", mesh)
    thing.pass_index = index
    thing.visible_shadow = False
    bpy.context.scene.collection.objects.link(thing)


def mixed(nodes: Nodes, factor: Any, a: Any, b: Any) -> Any:
    node = nodes.add("ShaderNodeMixShader")
    for i, value in enumerate((factor, a, b)):
        nodes.put(node, i, value)
    return node.outputs[0]


def light(lighting: dict[str, Any]) -> None:
    lamp = bpy.data.lights.new("sun", "SUN")
    lamp.energy, lamp.color, lamp.angle = pi, lighting["sun"], radians(_SOFT)
    sun = bpy.data.objects.new("sun", lamp)
    sun.rotation_euler = blender(lighting["towards"]).to_track_quat("Z", "Y").to_euler()
    bpy.context.scene.collection.objects.link(sun)
    world = bpy.data.worlds.new("world")
    world.use_nodes = True
    world.cycles.sampling_method, world.cycles.sample_map_resolution = "MANUAL", 128  # the automatic map takes seconds
    nodes = Nodes(world.node_tree)
    towards = nodes.add("ShaderNodeTexCoord").outputs["Generated"]
    around = nodes.add("ShaderNodeBackground")
    nodes.put(around, "Color", surroundings(nodes, lighting["around"], towards))
    seen = nodes.add("ShaderNodeBackground")
    nodes.put(seen, "Color", sky(nodes, lighting, towards))
    out = nodes.add("ShaderNodeOutputWorld")
    is_camera = nodes.add("ShaderNodeLightPath").outputs["Is Camera Ray"]
    nodes.put(out, "Surface", mixed(nodes, is_camera, around.outputs[0], seen.outputs[0]))
    bpy.context.scene.world = world


def surroundings(nodes: Nodes, around: list[Any], towards: Any) -> Any:
    """Return the light from each direction: an image of rows from below to above and columns counterclockwise from +Z of the
    scene.
    """
    light = np.array(around, np.float32)[:, ::-1]
    height, width = light.shape[:2]
    image = bpy.data.images.new("around", width, height, float_buffer=True)
    image.colorspace_settings.name = "Non-Color"
    image.pixels.foreach_set(np.concatenate([light, np.ones((height, width, 1), np.float32)], axis=2).ravel())
    turn = nodes.add("ShaderNodeMapping")
    nodes.put(turn, "Vector", towards)
    nodes.put(turn, "Rotation", (0.0, 0.0, -pi / 2))
    picture = nodes.add("ShaderNodeTexEnvironment", image=image)
    nodes.put(picture, "Vector", turn.outputs[0])
    return picture.outputs["Color"]


def sky(nodes: Nodes, lighting: dict[str, Any], towards: Any) -> Any:
    if lighting["picture"] is not None:
        turn = nodes.add("ShaderNodeMapping")
        nodes.put(turn, "Vector", towards)
        nodes.put(turn, "Rotation", (0.0, 0.0, radians(lighting["heading"] - 90.0)))
        picture = nodes.add("ShaderNodeTexEnvironment", image=bpy.data.images.load(lighting["picture"], check_existing=True))
        nodes.put(picture, "Vector", turn.outputs[0])
        return picture.outputs["Color"]
    apart = nodes.add("ShaderNodeSeparateXYZ")
    nodes.put(apart, 0, towards)
    below = nodes.math("SUBTRACT", 1.0, nodes.math("MAXIMUM", apart.outputs["Z"], 0.0))
    part = nodes.math("SUBTRACT", 1.0, nodes.math("POWER", below, 2.0))
    return nodes.blend(part, tuple(lighting["bottom"]), tuple(lighting["top"]))


def look(view: dict[str, Any]) -> None:
    scene = bpy.context.scene
    data = bpy.data.cameras.new("camera")
    camera = bpy.data.objects.new("camera", data)
    scene.collection.objects.link(camera)
    scene.camera = camera
    data.sensor_fit = "VERTICAL"
    data.clip_start, data.clip_end = view.get("near", 0.05), 1e6
    if view["kind"] == "panorama":
        data.type = "PANO"
        (data if hasattr(data, "panorama_type") else data.cycles).panorama_type = "EQUIRECTANGULAR"
        axes = Matrix.Rotation(-radians(view["heading"]), 4, "Z") @ Matrix.Rotation(pi / 2, 4, "X")
    else:
        axes = Matrix([blender(view[name]) for name in ("right", "up", "back")]).transposed().to_4x4()
        if view["kind"] == "orthographic":
            data.type, data.ortho_scale = "ORTHO", view["span"]
        else:
            data.sensor_height = 24.0
            data.lens = 12.0 / view["half"]
    camera.matrix_world = Matrix.Translation(blender(view["eye"])) @ axes
    scene.render.resolution_x, scene.render.resolution_y = view["width"], view["height"]
    scene.render.resolution_percentage = 100


def configure_sampling(samples: int) -> None:
    scene = bpy.context.scene
    scene.render.engine = "CYCLES"
    cycles = scene.cycles
    cycles.device, cycles.seed, cycles.samples, cycles.use_adaptive_sampling = "CPU", 0, samples, False
    cycles.max_bounces, cycles.diffuse_bounces, cycles.glossy_bounces = 4, 2, 1
    cycles.sample_clamp_indirect = 4.0
    cycles.use_light_tree = False  # for many lights; here it takes time only
    cycles.use_denoising, cycles.denoiser, cycles.denoising_input_passes = True, "OPENIMAGEDENOISE", "RGB_ALBEDO_NORMAL"
    cycles.denoising_prefilter = "FAST"  # the accurate one takes 3 s and changes the image less than 4 light paths do
    settings = scene.render.image_settings
    settings.file_format, settings.color_mode, settings.color_depth, settings.exr_codec = "OPEN_EXR", "RGB", "32", "ZIP"


def drawn(path: Path) -> Any:
    """Render the current scene: linear light, (height, width, 3), row 0 at the top."""
    scene = bpy.context.scene
    scene.render.filepath = str(path)
    bpy.ops.render.render(write_still=True)
    image = bpy.data.images.load(str(path), check_existing=False)
    image.colorspace_settings.name = "Non-Color"
    width, height = image.size
    held = np.empty(width * height * image.channels, np.float32)
    image.pixels.foreach_get(held)
    bpy.data.images.remove(image)
    path.unlink()
    return held.reshape(height, width, -1)[::-1, :, :3].copy()


def solids(path: Path, ground: int) -> Any:
    """Render the index of the object at the centre of each pixel."""
    scene = bpy.context.scene
    made, nodes = material("number")
    glow = nodes.add("ShaderNodeEmission")
    nodes.put(glow, "Color", nodes.add("ShaderNodeObjectInfo").outputs["Object Index"])
    nodes.put(nodes.add("ShaderNodeOutputMaterial"), "Surface", glow.outputs[0])
    scene.view_layers[0].material_override = made
    scene.world = None
    scene.cycles.samples, scene.cycles.use_denoising, scene.cycles.max_bounces = 1, False, 0
    scene.cycles.pixel_filter_type, scene.cycles.filter_width = "BOX", 0.01
    for lamp in [thing for thing in scene.objects if thing.type == "LIGHT"]:
        bpy.data.objects.remove(lamp)
    numbers = np.rint(drawn(path)[:, :, 0]).astype(np.int32)
    return np.where(numbers == ground, -2, numbers - 1).astype(np.int32)


def draw(job: dict[str, Any]) -> None:
    folder = Path(job["folder"])
    scene = json.loads((folder / "scene.json").read_text(encoding="utf-8"))
    bpy.ops.wm.read_factory_settings(use_empty=True)
    configure_sampling(job["samples"])
    read_solids(folder, scene)
    ground = len(scene["solids"]) + 1
    if scene["ground"] is not None:
        lay_ground(scene["ground"], scene["light"]["bottom"], ground)
    light(scene["light"])
    look(scene["camera"])
    np.save(folder / "light.npy", drawn(folder / "light.exr"))
    if job["solids"]:
        np.save(folder / "solids.npy", solids(folder / "solids.exr", ground))


def main() -> None:
    print(json.dumps({"blender": bpy.app.version_string.split()[0]}), file=_answers, flush=True)
    for line in sys.stdin:
        try:
            draw(json.loads(line))
            answer: dict[str, str] = {}
        except Exception as error:  # noqa: BLE001 - any error is reported to the client
            answer = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), file=_answers, flush=True)


if __name__ == "__main__":
    main()

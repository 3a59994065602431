"""Load meshes and textures into the pool: those of the asset pack, and files of users (GLB, OBJ and other formats of trimesh).

Files are in metres, right-handed, +Y up, front at +Z.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import lru_cache
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from isovist.common.errors import MissingDependencyError, UserError
from isovist.world.render import glb_files, vertex_normals
from isovist.world.render.asset_pool import Floats, Material, Mesh, forget, linear, pool, textures

FOLDERS = "ISOVIST_MESHES"
"""The environment variable with folders for all processes: ``name=/path``, separated as in PATH."""
_folders: dict[str, Path] = {}
_CLEAR = 0.5
"""Mesh parts with a lower opacity are removed."""
_Piece = tuple[Floats, Floats, Floats, Material, float]
_SUFFIXES = (".glb", ".gltf", ".obj")
ASSETS = Path(str(files("isovist.world"))) / "assets"


def use_folder(name: str, folder: Path) -> None:
    """Register a user folder in this process: its meshes are ``name:mesh``. `FOLDERS` applies to all processes.

    Raises UserError if the folder does not exist.
    """
    if not folder.is_dir():
        raise UserError(f"Mesh folder does not exist: {folder}. Correct the path.")
    if _folders.get(name, folder) != folder:
        forget()  # names in the pool may now refer to other files
    _folders[name] = folder


def folder_of(name: str) -> Path:
    """Return the folder of a name, the bundled pack for "". ``name@digits`` requires a `digest` that begins with these digits.

    Raises UserError if the folder is unknown or its content differs.
    """
    if not name:
        return ASSETS / "meshes"
    owner, at, wanted = name.partition("@")
    if owner not in _folders and (path := _folders_of_environment().get(owner)) is not None:
        use_folder(owner, path)
    if owner not in _folders:
        raise UserError(f"Unknown mesh folder: {owner!r}. Set its path: {FOLDERS}={owner}=/path/to/it.")
    folder = _folders[owner]
    if at and (not wanted or not digest(folder).startswith(wanted)):
        raise UserError(f"Mesh folder has changed: {folder} (digest {digest(folder)[:12]}, required {name}). Restore its files.")
    return folder


def _folders_of_environment() -> dict[str, Path]:
    pairs = (pair.partition("=") for pair in os.environ.get(FOLDERS, "").split(os.pathsep) if pair)
    return {name: Path(path).expanduser() for name, _, path in pairs}


@lru_cache(maxsize=16)
def digest(folder: Path) -> str:
    """Return the SHA-256 of names and contents of all files in a folder, without hidden files; cached per process."""
    hasher = sha256()
    for path in sorted(folder.rglob("*"), key=lambda path: path.relative_to(folder).as_posix()):
        within = path.relative_to(folder)
        if path.is_file() and not any(part.startswith(".") for part in within.parts):
            hasher.update(sha256(within.as_posix().encode()).digest() + sha256(path.read_bytes()).digest())
    return hasher.hexdigest()


def locate(name: str) -> Path:
    """Return the file of a mesh in the asset pack, or of ``folder:mesh``. Raises UserError if it does not exist."""
    owner, _, mesh_name = name.rpartition(":")
    folder = folder_of(owner)
    if (path := file_in(folder, mesh_name)) is None:
        raise UserError(f"Unknown mesh: {name!r} in {folder}. Check the name.")
    return path


def file_in(folder: Path, name: str) -> Path | None:
    """Return the file of a mesh in a folder, in any format; None if it does not exist or the name leads out of the folder."""
    paths = (folder / f"{name}{suffix}" for suffix in _SUFFIXES)
    return next((path for path in paths if path.is_file()), None) if Path(name).name == name else None


def mesh(name: str) -> Mesh:
    """Return the mesh of a `MeshRef`: that of a file, or ``piece#part``, a part of a piece of furniture.

    Raises UserError if it does not exist, and the errors of `load`.
    """
    if ":" in name:
        return load(locate(name))
    piece, _, part = name.partition("#")
    primitives = _furniture().get((piece, part)) if part else glb_files.read(locate(name))
    if primitives is None:
        raise UserError(f"Unknown part of a piece of furniture: mesh {name!r}. Check the name.")
    return _joined(_bundled(primitive) for primitive in primitives)


@lru_cache(maxsize=1)
def _furniture() -> dict[tuple[str, str], list[glb_files.Primitive]]:
    """Return the primitives of each part of each piece of furniture."""
    parts: dict[tuple[str, str], list[glb_files.Primitive]] = {}
    for primitive in glb_files.read(ASSETS / "furniture" / "furniture.glb"):
        parts.setdefault((primitive.mesh, primitive.material), []).append(primitive)
    return parts


def _bundled(primitive: glb_files.Primitive) -> _Piece:
    """Return a primitive with the numbers that `_pieces` gives for it."""
    placed, faces = primitive.vertices.astype(np.float64) * primitive.scale, primitive.faces
    if primitive.normals is not None:
        normals = _unit(primitive.normals.astype(np.float64) * (1 / primitive.scale))[faces]
    else:
        normals = _found_normals(placed, faces.astype(np.int64))
    if primitive.uvs is not None:
        u, v = primitive.uvs.T
        uvs = np.stack([u, 1 - v], axis=1)[faces]
    else:
        uvs = np.zeros((*faces.shape, 2), np.float32)
    image = primitive.image
    red, green, blue = primitive.colour
    material = Material((red, green, blue), -1 if image is None else pool().add_texture(image))
    return placed.astype(np.float32)[faces], normals, uvs, material, 1.0


def load(path: Path) -> Mesh:
    """Return all triangles of a file of a user with materials. Raises UserError if it cannot be read, MissingDependencyError without trimesh."""
    try:
        return _joined(_pieces(_scene(path)))
    except (ValueError, KeyError, IndexError, TypeError, OSError, NotImplementedError, AttributeError) as error:
        raise UserError(f"Cannot read mesh ({error}): {path}. Check the file.") from None


def _scene(path: Path) -> Any:
    try:
        import trimesh
    except ImportError:
        raise MissingDependencyError("meshes", "scene") from None
    return trimesh.load_scene(path)  # pyright: ignore[reportUnknownMemberType] - partially typed


def _joined(unsorted: Iterator[_Piece]) -> Mesh:
    # trimesh gives unnamed nodes random names; where two faces coincide, the first one is visible
    every = sorted(unsorted, key=lambda piece: piece[0].tobytes())
    if not every:
        raise ValueError("it has no triangles")
    # glass is removed, unless the mesh has nothing else
    pieces = [piece for piece in every if piece[4] >= _CLEAR] or every
    corners, normals, uvs, materials, _ = zip(*pieces, strict=True)
    counts = [len(piece) for piece in corners]
    return Mesh(
        np.concatenate(corners),
        np.concatenate(normals),
        np.concatenate(uvs),
        np.repeat(np.arange(len(counts), dtype=np.int32), counts),
        tuple(materials),
    )


def _pieces(scene: Any) -> Iterator[_Piece]:
    """Yield corners, normals, texture coordinates, material and opacity (0 to 1) of the geometry of each node, in the frame of the file."""
    for node in scene.graph.nodes_geometry:
        transform, name = scene.graph[node]
        mesh = scene.geometry[name]
        if not len(getattr(mesh, "faces", ())):
            continue
        turn: NDArray[np.float64] = transform[:3, :3]
        shift: NDArray[np.float64] = transform[:3, 3]
        # einsum without BLAS: the same rounding on every machine
        placed: NDArray[np.float64] = np.einsum("ij,nj->ni", turn, np.asarray(mesh.vertices, np.float64)) + shift
        faces = np.asarray(mesh.faces, np.int64)
        corners = placed[faces]
        if "vertex_normals" in mesh._cache:  # noqa: SLF001 - normals of the file; the public property would compute smoothed ones
            bent = np.einsum("ij,nj->ni", np.linalg.inv(turn).T, np.asarray(mesh.vertex_normals, np.float64))
            normals = _unit(bent)[faces]
        else:
            normals = _found_normals(placed, faces)
        uv = getattr(mesh.visual, "uv", None)
        uvs = np.zeros((len(placed), 2)) if uv is None else np.asarray(uv, np.float64)
        material = _material(mesh.visual, has_uv=uv is not None)
        yield corners.astype(np.float32), normals, uvs[faces].astype(np.float32), material, _opacity(getattr(mesh.visual, "material", None))


def _unit(vectors: NDArray[np.float64]) -> Floats:
    """Return unit vectors, shape (n, 3); zeros where a vector has no length."""
    x, y, z = vectors.T
    length = np.sqrt(x * x + y * y + z * z)[:, None]
    return np.divide(vectors, length, out=np.zeros_like(vectors), where=length > 0).astype(np.float32)


def _found_normals(placed: NDArray[np.float64], faces: NDArray[np.int64]) -> Floats:
    """Return the normals of a mesh without normals, shape (n, 3, 3). Vertices at one position are one vertex."""
    _, same = np.unique(placed.round(6), axis=0, return_inverse=True)
    return vertex_normals.normals(placed[faces], same.ravel()[faces])


def _opacity(material: Any) -> float:
    """Return the opacity, 0 to 1. A glTF material is transparent only in blend mode; an OBJ material by its `d`."""
    if hasattr(material, "baseColorFactor"):
        factor = material.baseColorFactor
        if getattr(material, "alphaMode", None) != "BLEND" or factor is None or len(factor) < 4:
            return 1.0
        return float(factor[3]) / (255 if np.asarray(factor).dtype == np.uint8 else 1)
    named: dict[str, Any] = getattr(material, "kwargs", None) or {}
    opacity = named.get("d", 1.0)
    try:
        return float(np.atleast_1d(np.asarray(opacity, np.float64))[0])
    except ValueError:
        return 1.0


def _material(visual: Any, *, has_uv: bool) -> Material:
    """Return colour and texture. A colour factor of a glTF material is linear light; colours of other formats are sRGB."""
    material = getattr(visual, "material", None)
    if material is None:
        main = getattr(visual, "main_color", None)
        return Material((0.5, 0.5, 0.5) if main is None else _light(main, encoded=True))
    image = getattr(material, "baseColorTexture", None) or getattr(material, "image", None)
    physical = hasattr(material, "baseColorFactor")
    factor = material.baseColorFactor if physical else (None if image is not None else getattr(material, "diffuse", None))
    colour = (1.0, 1.0, 1.0) if factor is None else _light(factor, encoded=not physical)
    return Material(colour, pool().add_texture(cast("Image.Image", image)) if image is not None and has_uv else -1)


def _light(factor: Any, *, encoded: bool) -> tuple[float, float, float]:
    numbers = np.asarray(factor)
    steps = numbers[:3].astype(np.float64) if numbers.dtype == np.uint8 else np.round(numbers[:3] * 255.0)
    r, g, b = (float(linear()[int(v)]) if encoded else float(v) / 255 for v in np.clip(steps, 0, 255))
    return r, g, b


def texture(name: str) -> int:
    """Return the pool index of a texture: "checker", or an image of the asset pack. Raises UserError for another name."""
    known = textures()
    if name not in known:
        if name == "checker":
            light = (np.indices((64, 64)) // 32).sum(axis=0) % 2
            image = Image.fromarray(np.where(light[:, :, None] > 0, 255, 150).astype(np.uint8).repeat(3, axis=2))
        else:
            image = _picture("textures", name)
        known[name] = pool().add_texture(image)
    return known[name]


def sky(name: str) -> int:
    """Return the pool index of a panorama of the asset pack. Raises UserError for another name."""
    known = textures()
    if ("sky", name) not in known:
        known["sky", name] = pool().add_texture(_picture("skies", name))
    return known["sky", name]


def _picture(folder: str, name: str) -> Image.Image:
    place = ASSETS / folder
    for suffix in (".png", ".jpg"):
        path = place / f"{name}{suffix}"
        if path.name == f"{name}{suffix}" and path.is_file():
            with Image.open(path) as image:
                return image.convert("RGB")
    raise UserError(f"Unknown texture or sky: {name!r} in {folder}. Check the name.")

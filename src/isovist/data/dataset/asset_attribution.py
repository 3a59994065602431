"""Attribution of the assets in a dataset: the font, the icons, and the meshes, skies and textures of 3-D scenes."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from isovist.core.drawing2d import IconShape, Label
from isovist.core.scene3d import Geometry, Group, MeshRef, Scene3D
from isovist.data.item import Item
from isovist.world import attribution

Shown = set[tuple[str, str]]
"""Assets that require attribution, as pairs of type and name; the font is ("font", "") and the icons are ("icons", "")."""


def shown_by(item: Item) -> Shown:
    kinds = {type(shape) for drawing in item.drawings for shape in (*drawing.backdrop, *drawing.shapes)}
    drawn_assets = {("font", "")} if Label in kinds else set[tuple[str, str]]()
    drawn_assets |= {("icons", "")} if IconShape in kinds else set[tuple[str, str]]()
    return drawn_assets | {(str(kind), name) for scene in item.scenes3d for kind, name in assets(scene)}


def credits_to(shown: Shown) -> list[str]:
    """The attribution lines: all icon sources if any icon is used, the font if any text is drawn, and those of `credits_for`."""
    stages: set[tuple[attribution.Kind, str]] = {
        (kind, name) for kind in attribution.KINDS for asset_kind, name in shown if asset_kind == kind
    }
    return attribution.flat_lines(font=("font", "") in shown, icons=("icons", "") in shown) + credits_for(stages)


def credits_for(shown: Collection[tuple[attribution.Kind, str]]) -> list[str]:
    """The attribution lines of the assets in `shown`, pairs of type and name."""
    lines = [_user_mesh_line(name) for kind, name in sorted(shown) if kind == "meshes" and ":" in name]
    return lines + [
        line
        for kind in attribution.KINDS
        for line in attribution.stage_lines(kind, {name for asset_kind, name in shown if asset_kind == kind})
    ]


def _user_mesh_line(name: str) -> str:
    from isovist.world.render import mesh_packs  # requires the extra "scene", which 2-D images do not

    entry = mesh_packs.entry(name)
    credit = f"{entry.creator or 'creator unknown'}, licence {entry.licence or 'unknown'}"
    return f"Mesh {name} ({entry.category}), from a user folder: {credit}{f', {entry.source}' if entry.source else ''}"


def assets(scene: Scene3D) -> Iterator[tuple[attribution.Kind, str]]:
    """The assets of a 3-D scene, from the asset pack or a user folder, as pairs of type and name."""
    if scene.sky.image is not None:
        yield "skies", scene.sky.image
    textures = [scene_object.texture for scene_object in scene.objects]
    if scene.ground is not None:
        textures.append(scene.ground.texture)
    for scene_object in scene.objects:
        for name in _meshes(scene_object.geometry):
            yield ("furniture", "furniture") if "#" in name and ":" not in name else ("meshes", name)
        if isinstance(scene_object.geometry, Group):
            textures += [part.texture for part in scene_object.geometry.parts]
    for texture in textures:
        if texture is not None:
            yield "textures", texture.name


def _meshes(form: Geometry) -> Iterator[str]:
    if isinstance(form, MeshRef):
        yield form.name
    elif isinstance(form, Group):
        for part in form.parts:
            yield from _meshes(part.geometry)

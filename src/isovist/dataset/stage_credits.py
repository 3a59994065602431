"""Who made the meshes, skies and textures that the stages of a data set show."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from isovist import attribution
from isovist.core.solid import Form, Group, MeshRef, Stage


def credits_of(stages: Iterable[Stage]) -> list[str]:
    """A line for every creator of an asset of the bundled pack that one of these stages shows, and one for every mesh of a user's
    own, whose licence may ask for more.
    """
    return credits_for({asset for stage in stages for asset in assets(stage)})


def credits_for(shown: Collection[tuple[attribution.Kind, str]]) -> list[str]:
    """The lines for assets by kind and name."""
    own = [_own(name) for kind, name in sorted(shown) if kind == "meshes" and ":" in name]
    return own + [line for kind in attribution.KINDS for line in attribution.stage_lines(kind, {name for of, name in shown if of == kind})]


def _own(name: str) -> str:
    from isovist.render import packs  # needs the extra "scene", which flat pictures do not

    entry = packs.entry(name)
    told = f"{entry.creator or 'creator not told'}, licence {entry.licence or 'not told'}"
    return f"Mesh {name} ({entry.category}), from a folder of the user's own: {told}{f', {entry.source}' if entry.source else ''}"


def assets(stage: Stage) -> Iterator[tuple[attribution.Kind, str]]:
    """The names of what a stage takes from the pack, or from a folder of the user's own, each with its kind."""
    if stage.sky.image is not None:
        yield "skies", stage.sky.image
    textures = [solid.texture for solid in stage.solids]
    if stage.ground is not None:
        textures.append(stage.ground.texture)
    for solid in stage.solids:
        for name in _meshes(solid.form):
            yield "meshes", name
        if isinstance(solid.form, Group):
            textures += [part.texture for part in solid.form.parts]
    for texture in textures:
        if texture is not None:
            yield "textures", texture.name


def _meshes(form: Form) -> Iterator[str]:
    if isinstance(form, MeshRef):
        yield form.name
    elif isinstance(form, Group):
        for part in form.parts:
            yield from _meshes(part.form)

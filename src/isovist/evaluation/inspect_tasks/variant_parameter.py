"""The parameter `variants` of a task."""

from __future__ import annotations

from collections.abc import Collection
from typing import cast

from isovist.common.errors import UserError
from isovist.data.prompts import STYLES
from isovist.evaluation.run.variants import VariantSettings, family
from isovist.world.rendering_names import RENDERINGS

_SWITCHES = {
    "no-image": VariantSettings(no_image=True),
    "blank-image": VariantSettings(blank_image=True),
    "mismatched-image": VariantSettings(mismatched_image=True),
    "circular": VariantSettings(circular_eval=True),
}


def variant_settings(names: object) -> VariantSettings:
    """The variants with these names: those of the column `variant_family` of a results table. Raises UserError for an unknown one."""
    settings = VariantSettings()
    for name in [] if names is None else cast("list[object]", names if isinstance(names, list) else [names]):
        settings |= _variant(str(name).strip())
    return settings


def _variant(name: str) -> VariantSettings:
    if name in _SWITCHES:
        return _SWITCHES[name]
    kind, _, value = name.partition(":")
    if kind == "style" and value in STYLES:
        return VariantSettings(prompt_styles=(value,))
    if kind == "order" and value:
        return VariantSettings(image_orders=(value,))
    if kind == "rendering" and value in RENDERINGS:
        return VariantSettings(renderings=(value,))
    styles = ", ".join(f"style:{style}" for style in STYLES)
    raise UserError(
        f"Unknown variant: variants={name}. Choose from {', '.join(_SWITCHES)}, {styles}, order:start, order:shuffled, {', '.join(f'rendering:{name}' for name in RENDERINGS)}."
    )


def require_effect(settings: VariantSettings, presented: Collection[str]) -> None:
    """Raises UserError for a variant that no item has; `presented` are the variants of the samples."""
    orders = {name.partition(":")[2] for name in presented if name.startswith("order:")}
    families = {family(name) for name in presented}
    missing = [] if not settings.circular_eval or "circular" in families else ["circular"]
    missing += [f"style:{name}" for name in settings.prompt_styles if f"style:{name}" not in families]
    missing += [f"order:{name}" for name in settings.image_orders if name not in orders and f"order:{name}" not in families]
    missing += [f"rendering:{name}" for name in settings.renderings if f"rendering:{name}" not in families]
    if missing:
        raise UserError(f"Variant without effect (no item has it): variants={missing[0]}. Remove it.")

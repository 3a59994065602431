"""HTML for notebooks: an item with its images, its prompt, and its key behind a click."""

from __future__ import annotations

import base64
import io
from typing import TYPE_CHECKING

from markupsafe import Markup

if TYPE_CHECKING:
    from PIL.Image import Image

    from isovist.items import Item

_IMAGE = Markup('<img alt="Image {} of {}" style="max-width:100%;max-height:300px;margin:0 8px 8px 0" src="data:image/png;base64,{}">')
_ITEM = Markup("<div>{}<pre>{}</pre><details><summary>Key</summary>{}</details><small>{}</small></div>")


def item_html(item: Item) -> str:
    """The item for a notebook; the key is folded."""
    images = Markup().join(_IMAGE.format(nth, len(item.images), _base64(image)) for nth, image in enumerate(item.images, 1))
    key = item.answer.canonical()
    shown = item.answer.balance_bin()
    return str(_ITEM.format(images, item.prompt, key if shown == key else f"{key}: {shown}", item.id))


def _base64(image: Image) -> str:
    file = io.BytesIO()
    image.save(file, "PNG")
    return base64.b64encode(file.getvalue()).decode()

"""HTML for notebooks: an item with its images, its prompt, and its key behind a click; tables."""

from __future__ import annotations

import base64
import io
from collections.abc import Sequence
from typing import TYPE_CHECKING

from markupsafe import Markup

if TYPE_CHECKING:
    from PIL.Image import Image

_IMAGE = Markup('<img alt="Image {} of {}" style="max-width:100%;max-height:300px;margin:0 8px 8px 0" src="data:image/png;base64,{}">')
_ITEM = Markup("<div>{}<pre>{}</pre><details><summary>Key</summary>{}</details><small>{}</small></div>")


def item_html(images: Sequence[Image], prompt: str, key: str, id: str) -> str:
    """An item for a notebook; the key is folded."""
    shown = Markup().join(_IMAGE.format(nth, len(images), _base64(image)) for nth, image in enumerate(images, 1))
    return str(_ITEM.format(shown, prompt, key, id))


def sequence_html(title: str, first: str) -> str:
    """The description of a sequence, and the HTML of its first item."""
    return str(Markup("<p>{}</p>{}").format(title, Markup(first)))  # noqa: S704 - written by `item_html`


def table_html(heads: Sequence[str], rows: Sequence[Sequence[str]], note: str = "") -> Markup:
    """A table with a note below, in the style of pandas."""
    head = Markup().join(map(Markup("<th>{}</th>").format, heads))
    body = Markup().join(Markup("<tr>{}</tr>").format(Markup().join(map(Markup("<td>{}</td>").format, row))) for row in rows)
    return Markup('<table class="dataframe" border="1"><thead><tr>{}</tr></thead><tbody>{}</tbody></table><small>{}</small>').format(
        head, body, note
    )


def _base64(image: Image) -> str:
    file = io.BytesIO()
    image.save(file, "PNG")
    return base64.b64encode(file.getvalue()).decode()

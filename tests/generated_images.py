"""What the tests of generated pictures share: a writer that follows its list, and a painter without a model."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable

from PIL import Image, ImageDraw
from scripted import Asked, Said

from isovist.core.rng import Rng
from isovist.people.text_to_image.model_presets import Settings

PLACES = (
    "a quiet street",
    "an old harbour",
    "a wide meadow",
    "a snowy yard",
    "a sandy beach",
    "a stone bridge",
    "a small orchard",
    "a long pier",
)
_LINE = re.compile(r"^(\d+)\. ([\w ]+), its front pointing (.+)$", re.MULTILINE)


def elements(words: str) -> list[dict[str, object]]:
    """A good element for every line of the list in a prompt, each in a place of its own."""
    listed = words.rpartition("The list:")[2]
    entries: list[dict[str, object]] = []
    for number, thing, pointing in _LINE.findall(listed):
        rng = Rng("writer", listed, number)
        place, *towns = rng.pick(PLACES), *(_town(rng) for _ in range(3))
        text = f"A sharp photograph of a {thing} in {place} of {towns[0]} between {towns[1]} and {towns[2]}, its front pointing {pointing}."
        entries.append({"number": int(number), "name": thing, "setting": f"{place} of {towns[0]}", "description": text})
    return entries


def _town(rng: Rng) -> str:
    return "".join(rng.pick("bdfgklmnprst") + rng.pick("aeiou") for _ in range(3)).capitalize()


def writes(change: Callable[[list[dict[str, object]]], object] = lambda entries: None) -> Callable[[Asked], Said]:
    """A writer who does what the list says; `change` spoils its elements first."""

    def script(asked: Asked) -> Said:
        entries = elements(asked.words)
        change(entries)
        return Said(f"Here they are:\n```json\n{json.dumps(entries)}\n```")

    return script


class Brush:
    """A painter that draws a box on a ground, both coloured by the seed, with an arrow to the side that the description names.

    `fails` raises before the picture of that number; `blank` are words of descriptions that it draws in one colour.
    """

    made_with = "brush 1"

    def __init__(self, settings: Settings, *, fails: int | None = None, blank: str | None = None) -> None:
        self.settings = settings
        self.drawn: list[str] = []
        """The words of what it drew."""
        self._fails, self._blank = fails, blank

    def draw(self, text: str, seed: int) -> bytes:
        if self._fails == len(self.drawn):
            raise KeyboardInterrupt
        self.drawn.append(text)
        size = self.settings.size
        ground = tuple(120 + (seed >> shift) % 100 for shift in (0, 8, 16))
        image = Image.new("RGB", (size, size), ground)
        if self._blank is None or self._blank not in text:
            pen, unit = ImageDraw.Draw(image), size / 8
            pen.rectangle((2 * unit, 3 * unit, 6 * unit, 6 * unit), fill=tuple((seed >> shift) % 90 for shift in (24, 32, 40)))
            if "left" in text:
                pen.polygon(((1 * unit, 4.5 * unit), (2 * unit, 3.5 * unit), (2 * unit, 5.5 * unit)), fill=(250, 220, 40))
            elif "right" in text:
                pen.polygon(((7 * unit, 4.5 * unit), (6 * unit, 3.5 * unit), (6 * unit, 5.5 * unit)), fill=(250, 220, 40))
        file = io.BytesIO()
        image.save(file, "PNG")
        return file.getvalue()

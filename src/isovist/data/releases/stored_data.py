"""Dataset folders of a release."""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter
from pathlib import Path

from isovist.common.errors import UserError
from isovist.data.dataset.manifest import DataPart, Manifest
from isovist.data.releases.definition import FORMS, Form, Release

_name = attrgetter("name")


def require_release(data: Path, release: Release, form: Form | None = None) -> list[DataPart]:
    """The parts of a dataset folder, which are those of a form of the release. Raises UserError for other parts."""
    parts = list(Manifest.read(data).parts)
    private = any(part.is_private for part in parts)
    for each in FORMS if form is None else (form,):
        expected = release.parts(each, private=private)
        if sorted(parts, key=_name) == sorted(expected, key=_name):
            return parts
    wanted = f"form {form} of {release.name}" if form else release.name
    raise UserError(f"Dataset folder is not that of {wanted}: {data}. Generate it with `isovist release generate`.")


def release_of(data: Path, parts: Sequence[DataPart]) -> tuple[str, str]:
    """The release and form of some parts of a dataset folder, and the commitment of their secret.

    Both are empty unless the parts are all parts of the folder, and all of one form of a release.
    """
    stored = Manifest.read(data).parts
    designs = {(part.release, part.commitment) for part in stored}
    return designs.pop() if len(designs) == 1 and sorted(parts, key=_name) == sorted(stored, key=_name) else ("", "")

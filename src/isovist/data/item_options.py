"""The options that say which items are generated."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from isovist.common.errors import UserError
from isovist.common.options import Option, several


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class ItemOptions:
    """Which items are generated."""

    n: Annotated[int | None, Option(flags=("--limit", "--n"), least=1, help="Items of each task [default: 100].")] = None
    seed: Annotated[int, Option(help="Random seed; another seed gives other items.")] = 0
    split: Annotated[Literal["test", "train"] | None, Option(shown="test")] = None
    level: Annotated[str | None, Option(help="Only this difficulty level; separate several with commas.")] = None
    image_size: Annotated[
        int | None,
        Option(metavar="PX", help="Pixels of a drawing's unit (docs/items.md), or of the shorter side of a 3-D scene."),
    ] = None
    task_options: Annotated[
        str | Sequence[str] | Mapping[str, int | str],
        Option(flags=("--task-option",), metavar="NAME=VALUE", help="A task option, such as order=paper."),
    ] = ()
    preset: Annotated[Literal["paper"] | None, Option(help="Use the sample size of the paper.")] = None

    def settings(self) -> dict[str, int | str]:
        """The settings of the tasks. Raises UserError for a text that is not NAME=VALUE."""
        settings: dict[str, int | str] = {}
        if isinstance(self.task_options, Mapping):
            settings |= self.task_options
        else:
            for text in several(str, self.task_options):
                name, equals, value = text.partition("=")
                if not equals or not name:
                    raise UserError(f"Invalid --task-option: {text}. Write NAME=VALUE, such as order=paper.")
                settings[name] = value
        return settings if self.image_size is None else {**settings, "size": self.image_size}

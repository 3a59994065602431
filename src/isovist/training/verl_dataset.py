"""A dataset class for verl: the examples of `isovist.stream` in place of files.

`data.custom_cls.path` is ``pkg://isovist.training.verl_dataset``, `data.custom_cls.name` is ``StreamDataset``. Checked against verl 0.9.1.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from isovist.common.errors import UserError
from isovist.core.task import ItemAddress
from isovist.data.exporters.training_writers import verl_row
from isovist.training.curriculum import Curriculum
from isovist.training.example_stream import stream

_Base: Any = import_module("verl.utils.dataset.rl_dataset").RLHFDataset


class StreamDataset(_Base):
    """verl's `RLHFDataset`; where `data.train_files` is null, its rows are the examples of a stream, new ones in each epoch.

    `data.isovist` has the arguments of `isovist.stream`, `size` (examples per epoch), and for a `Curriculum` its `target`. The stream belongs to
    one process: `data.dataloader_num_workers` must be 0; `data.isovist.workers` makes examples ahead. Its state is part of verl's checkpoints.
    Raises UserError for invalid settings, and for a curriculum if the trainer reports no rewards.
    """

    rows: StreamRows | None = None

    def _download(self, use_origin_parquet: bool = False) -> None:
        if self.original_data_files != [None]:
            super()._download(use_origin_parquet)  # pyright: ignore[reportUnknownMemberType]

    def _read_files_and_tokenize(self) -> None:
        if self.original_data_files != [None]:
            super()._read_files_and_tokenize()  # pyright: ignore[reportUnknownMemberType]
        else:
            self.rows = self.dataframe = StreamRows(self.config)

    def on_batch_end(self, batch: Any) -> None:
        """Update the curriculum with the rewards of a batch. verl's trainer calls it after each step with `trainer.use_v1=False` only."""
        if self.rows and isinstance(self.rows.stream.levels, Curriculum):
            scores = batch.batch["token_level_scores"].sum(-1).clamp(0, 1).tolist()
            self.rows.stream.levels.update_batch([info["id"] for info in batch.non_tensor_batch["extra_info"]], scores)
            self.rows.unrewarded = 0

    def state_dict(self) -> dict[str, Any]:
        """The state of the stream, which the data loader of verl stores."""
        return self.rows.stream.state_dict() if self.rows else {}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        if self.rows:
            self.rows.stream.load_state_dict(state)


class StreamRows:
    """Rows of verl's training files from a stream: each access gives the next one, whatever the index."""

    def __init__(self, config: Any) -> None:
        omega: Any = import_module("omegaconf").OmegaConf
        options = omega.to_container(omega.create(config.get("isovist") or {}), resolve=True)
        self.size, target = options.pop("size", None), options.pop("target", None)
        if not isinstance(self.size, int) or self.size < 1:
            raise UserError(f"data.isovist.size: {self.size!r} is not a number of examples per epoch. Give a number from 1.")
        if config.get("dataloader_num_workers", 0):
            raise UserError("data.dataloader_num_workers: a stream needs 0. Set data.isovist.workers to make examples ahead.")
        if target is not None:
            options["levels"] = Curriculum(options.get("levels"), target)
        self.stream = stream(**options)
        self.batch, self.unrewarded = config.get("gen_batch_size") or config.get("train_batch_size", 1), 0

    def __len__(self) -> int:
        return self.size

    def __getitem__(self, index: int) -> dict[str, Any]:
        if isinstance(self.stream.levels, Curriculum) and self.unrewarded >= 2 * self.batch:
            raise UserError("data.isovist.target: the trainer reports no rewards. Set trainer.use_v1=False, or remove the target.")
        self.unrewarded += 1
        example = next(self.stream)
        return verl_row(example, ItemAddress.parse(example.id).index)

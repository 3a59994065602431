"""FOLDER: trains as verl's loader does on a stream, with its own data loader, custom class, collation, hook and checkpoints."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch
from absent import stand_in

stand_in("torchvision")

from omegaconf import OmegaConf  # noqa: E402
from torchdata.stateful_dataloader import StatefulDataLoader  # noqa: E402
from verl import DataProto  # noqa: E402
from verl.trainer.ppo.utils import create_rl_dataset, create_rl_sampler  # noqa: E402
from verl.utils.dataset.rl_dataset import collate_fn  # noqa: E402

from isovist.training.rewards import compute_score  # noqa: E402

COUNT = "perceptv/counting-circles"
PROCESSOR = SimpleNamespace(image_processor=SimpleNamespace(patch_size=14))


def started(**options: Any) -> tuple[Any, StatefulDataLoader]:
    """A data set and its loader, by the calls of verl's trainer."""
    config = OmegaConf.load(Path(sys.modules["verl"].__file__).parent / "trainer" / "config" / "data" / "legacy_data.yaml")
    more = {"custom_cls": {"path": "pkg://isovist.training.verl_dataset", "name": "StreamDataset"}, "train_files": None}
    stream = {"tasks": [COUNT, "cdr/step-cell-letter"], "size": 12, "target": 0.6, **options}
    config = OmegaConf.merge(config, {"train_batch_size": 4, "dataloader_num_workers": 0, "isovist": stream, **more})
    dataset = create_rl_dataset(config.train_files, config, None, PROCESSOR, is_train=True, max_samples=-1)
    loader = StatefulDataLoader(
        dataset=dataset, batch_size=4, num_workers=0, drop_last=True, collate_fn=collate_fn, sampler=create_rl_sampler(config, dataset)
    )
    return dataset, loader


def trained(dataset: Any, loader: StatefulDataLoader, epochs: int, stop: int = 99) -> list[str]:
    """The ids of the batches of some epochs, each with two rewarded responses to each prompt."""
    ids: list[str] = []
    for _ in range(epochs):
        for batch in loader:
            proto = DataProto.from_single_dict(batch).repeat(2, interleave=True)
            prompts = proto.non_tensor_batch["raw_prompt"]
            assert all(part["image"].size for prompt in prompts for part in prompt[0]["content"] if part["type"] == "image")
            infos, keys = proto.non_tensor_batch["extra_info"], [row["ground_truth"] for row in proto.non_tensor_batch["reward_model"]]
            answers = [f"Answer: {info['answer']}" if place % 4 or COUNT in info["id"] else "" for place, info in enumerate(infos)]
            scores = [compute_score(*row) for row in zip(proto.non_tensor_batch["data_source"], answers, keys, infos, strict=True)]
            assert set(scores) <= {0.0, 1.0}
            tensor = torch.zeros(len(scores), 3)
            tensor[:, -1] = torch.tensor(scores)
            proto.batch["token_level_scores"] = tensor
            dataset.on_batch_end(batch=proto)
            ids += [info["id"] for info in infos[::2]]
            assert len({tuple(np.atleast_1d(index)) for index in proto.non_tensor_batch["index"]}) == 4
            if len(ids) == stop:
                return ids
    return ids


def main() -> None:
    whole = trained(*started(), 4)
    assert len(whole) == len(set(whole)) == 48  # each epoch has new items
    assert any(f":{level}:" in item_id for item_id in whole for level in ("2", "3"))
    dataset, loader = started(workers=1)
    assert trained(dataset, loader, 4, stop=16) == whole[:16]
    torch.save(loader.state_dict(), f"{sys.argv[1]}/data.pt")
    dataset.rows.stream.close()
    dataset, loader = started()
    loader.load_state_dict(torch.load(f"{sys.argv[1]}/data.pt", weights_only=False))
    assert trained(dataset, loader, 3) == whole[16:48]
    _, loader = started()
    batches = iter(loader)
    for wrong in ({"size": 0}, {"target": 1.0}, {"tasks": ["cdr/none"]}):
        refused(lambda wrong=wrong: started(**wrong))
    next(batches), next(batches)
    refused(lambda: next(batches))
    print("loaded", len(whole))


def refused(call: Any) -> None:
    try:
        call()
    except ValueError as error:  # UserError is one
        message = str(error)
    else:
        message = "\n"
    assert "\n" not in message


if __name__ == "__main__":
    main()

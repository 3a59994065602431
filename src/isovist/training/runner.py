"""A training run from settings to model: resumable, and interruptible at each step."""

from __future__ import annotations

import os
import signal
import time
import warnings
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import replace
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

from isovist.common.errors import UserError
from isovist.evaluation.models.local.weights import Weights
from isovist.evaluation.run.run_folder import RunFolder, now, versions
from isovist.training import training_log
from isovist.training.chat_collator import ChatCollator
from isovist.training.example_dataset import ExampleDataset, open_examples
from isovist.training.settings import Objective, Settings
from isovist.training.trainers import libraries, trainer, weights
from isovist.training.training_folder import DataFingerprint, Training, TrainingFolder, TrainingOutcome

Progress = Callable[[int, int, dict[str, float]], object]
"""Called with the step, the number of steps, and the last logged metrics."""
_VERSIONS = ("trl", "peft", "accelerate", "datasets")


def train(objective: Objective, settings: Settings, out: Path, progress: Progress = lambda step, steps, metrics: None) -> Training:
    """Train a model and return the outcome; a finished run is not repeated.

    Raises UserError before anything is written, and KeyboardInterrupt after an interrupted run has saved a checkpoint.
    """
    if objective == "grpo" and settings.grpo is None:
        raise UserError("grpo needs a table [grpo] with the size of its groups; docs/training.md shows one.")
    if out.exists() and not out.is_dir():
        raise UserError(f"{out}: a file; give a folder for --out.")
    libraries()
    _one_device()
    dataset = open_examples(settings.data, train=True, keyed=objective == "grpo", seed=settings.train.seed)
    check = open_examples(settings.check.data, train=False, keyed=objective == "grpo", seed=settings.train.seed) if settings.check else None
    model = weights(settings.model)
    _check_lengths(objective, settings, model, [dataset, *([check] if check else [])])
    folder = TrainingFolder(out)
    asked = Training(
        objective,
        settings,
        model.served_by,
        _used(dataset),
        _used(check) if check else None,
        now(),
        versions() | {name: version(name) for name in _VERSIONS},
        isovist=version("isovist"),
    )
    new = not folder.exists()
    training = folder.claim(asked)
    with RunFolder(out).locked(), warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # caused by the combination of TRL and transformers
        if training.outcome is not None and folder.model.is_dir():
            return training
        if new:
            (out / "data-manifest.json").write_bytes(dataset.manifest.read_bytes())
        try:
            session = trainer(objective, settings, model, dataset, check, folder.checkpoints)
        except UserError:
            if new:  # remove the folder of a run that could not start
                for path in out.iterdir():
                    path.unlink()
            raise
        return _trained(session, training, folder, model, progress)


def _trained(session: Any, training: Training, folder: TrainingFolder, model: Weights, progress: Progress) -> Training:
    start = time.perf_counter()
    with _interruptible() as interrupted:
        watch = _callback(folder, interrupted, progress)
        session.remove_callback(import_module("transformers").PrinterCallback)
        session.add_callback(watch)
        last = folder.last()
        _without_traceback(lambda: session.train(resume_from_checkpoint=str(last) if last else None))
    training_log.write(session.state.log_history, folder.path)
    if session.state.global_step < session.state.max_steps:
        raise KeyboardInterrupt
    folder.place_model(lambda path: _save(session, model, path))
    parameters = list(session.model.parameters())
    outcome = TrainingOutcome(
        steps=session.state.global_step,
        seconds=round(time.perf_counter() - start, 1),
        parameters=sum(parameter.numel() for parameter in parameters),
        trained=sum(parameter.numel() for parameter in parameters if parameter.requires_grad),
        device=str(session.args.device),
        finished=now(),
    )
    done = replace(training, outcome=outcome)
    folder.write(done)
    return done


def _save(session: Any, model: Weights, path: Path) -> None:
    session.save_model(str(path))
    model.processor.save_pretrained(str(path))
    for name in ("training_args.bin", "README.md"):  # a pickle that is not needed, and the card of another library
        (path / name).unlink(missing_ok=True)


def _used(dataset: ExampleDataset) -> DataFingerprint:
    return DataFingerprint(dataset.data.path, dataset.digest, len(dataset), dataset.counts)


def _one_device() -> None:
    torch: Any = import_module("torch")
    if int(os.environ.get("WORLD_SIZE", "1")) > 1:
        raise UserError("isovist train is one process; for several, export the mix to a trainer for clusters with `isovist export`.")
    if torch.cuda.device_count() > 1:
        raise UserError("More than one GPU is visible: isovist train uses one. Choose it, for example with CUDA_VISIBLE_DEVICES=0.")


def _check_lengths(objective: Objective, settings: Settings, model: Weights, datasets: list[ExampleDataset]) -> None:
    """Encode the longest example of each source, so that one that is too long is reported before training."""
    if objective == "sft":
        rows = ChatCollator(model, settings.train.max_length)
        for dataset in datasets:
            for place in dataset.longest():
                rows.encoded([dataset[place]])


@contextmanager
def _interruptible() -> Generator[list[int]]:
    """A context in which the first Ctrl-C (or SIGTERM) takes effect at the end of the step, the second one immediately."""
    noted: list[int] = []

    def note(number: int, frame: object) -> None:
        del frame
        if noted:
            raise KeyboardInterrupt
        noted.append(number)

    before = {number: signal.signal(number, note) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield noted
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _callback(folder: TrainingFolder, interrupted: list[int], progress: Progress) -> Any:
    """Return a trainer callback for steps, logs and checkpoints."""
    callback: Any = import_module("transformers").TrainerCallback

    class Watch(callback):
        def on_train_begin(self, args: Any, state: Any, control: Any, **more: Any) -> None:
            del args, control, more
            progress(state.global_step, state.max_steps, {})

        def on_step_end(self, args: Any, state: Any, control: Any, **more: Any) -> None:
            del args, more
            progress(state.global_step, state.max_steps, {})
            control.should_log |= state.global_step == state.max_steps
            if interrupted:
                control.should_save = control.should_training_stop = True

        def on_log(self, args: Any, state: Any, control: Any, **more: Any) -> None:
            del args, control
            progress(state.global_step, state.max_steps, more.get("logs") or {})
            if "train_runtime" not in (more.get("logs") or {}):
                training_log.write(state.log_history, folder.path, picture=False)

        def on_save(self, args: Any, state: Any, control: Any, **more: Any) -> None:
            del args, control, more
            training_log.write(state.log_history, folder.path)

    return Watch()


def _without_traceback(run: Callable[[], object]) -> None:
    """Run a function and report an example that a data worker could not use in one line, without the traceback of the worker."""
    try:
        run()
    except UserError as error:
        lines = str(error).strip().splitlines()
        raise UserError(lines[-1].removeprefix(f"{UserError.__module__}.{UserError.__name__}: ")) from error
    except RuntimeError as error:
        if "out of memory" in str(error).lower():
            raise UserError(
                "the device's memory is full; give a smaller train.batch with a larger train.accumulate, or recompute = true."
            ) from error
        raise

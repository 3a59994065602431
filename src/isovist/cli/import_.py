"""`isovist import`."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import click

from isovist.errors import BadInput

_SETS = ("srbench", "spatialeval", "egoorient", "spatial-mm", "cospace", "dori", "cdr", "perceptv")
_POSED = ("kitti", "cityscapes3d", "jta", "3d-future", "objectron", "nocs", "coco")
_UPRIGHT = "upright"
_PREDICTIONS = "predictions"
_TOOLS = ("vlmevalkit", "lmms-eval", "evalscope")
_MAPPED = ("dori", "cdr")


@click.command()
@click.argument("name", metavar="SET", type=click.Choice((*_SETS, *_POSED, _UPRIGHT, _PREDICTIONS)))
@click.argument("path", type=click.Path(path_type=Path))
@click.option(
    "--out", type=click.Path(path_type=Path), required=True, help="The data folder to write (of predictions: the run); new or empty."
)
@click.option("--all", "everything", is_flag=True, help="All tasks of spatialeval, not its mazes alone.")
@click.option("--mapping", type=click.Path(path_type=Path), help="JSON that tells which columns of dori or cdr are which.")
@click.option("--labels", type=click.Path(path_type=Path), help="CSV: what faces where (coco), which pictures show words (upright).")
@click.option("--task", "tasks", multiple=True, metavar="GLOB", help="Other tasks about annotated photographs than the paper's.")
@click.option(
    "--n",
    type=click.IntRange(min=1),
    help="Items of each task and level, answers balanced [default: all there are]; for predictions that of the export.",
)
@click.option("--seed", type=click.IntRange(-(2**63), 2**63 - 1), help="With --n and for upright: another choice.  [default: 0]")
@click.option("--from", "tool", type=click.Choice(_TOOLS), help="predictions: the tool that got the replies.")
@click.option("--data", type=click.Path(path_type=Path), help="predictions: the data folder that was exported.")
@click.option("--model", help="predictions: the model's name [default: as the tool calls it].")
def command(name: str, path: Path, out: Path, **told: Any) -> None:
    r"""Take a test set or annotated photographs into a data folder, for `run --data`. You download them first; PATH is a folder or file.
    Or take the replies that another tool got to exported items into a run, for `report`.

    \b
    Published sets: srbench, spatialeval, egoorient, spatial-mm, cospace, dori, cdr, perceptv.
    Photographs, about which questions like DORI's are asked: kitti, cityscapes3d, jta, 3d-future, objectron, nocs, coco (their
    annotations tell the keys), and upright (any folder of upright pictures, which are flipped and turned).
    Replies: predictions, from the result files of vlmevalkit, lmms-eval or evalscope, scored by our parser.

    What cannot be used is told in rejected.jsonl, line by line; of predictions, in left-out.jsonl.

    \b
    Example: isovist import srbench downloads/srbench --out data/srbench-published
             isovist import kitti downloads/kitti/training --out data/kitti --n 100
             isovist run --data data/kitti --model fake/random --out runs/random
             isovist import predictions outputs --from vlmevalkit --data data/cdr --out runs/vlmevalkit
    """
    _refuse_what_does_not_fit(name, told)
    if name in _POSED:
        _photographs(name, path, out, told)
    elif name == _UPRIGHT:
        _upright(path, out, told)
    elif name == _PREDICTIONS:
        _predictions(path, out, told)
    else:
        _published(name, path, out, told)


def _refuse_what_does_not_fit(name: str, told: dict[str, Any]) -> None:
    """Raises BadInput for an option that means nothing for a set."""
    if told["everything"] and name != "spatialeval":
        raise BadInput(f"--all is about the tasks of spatialeval; {name} is always taken whole.")
    if told["mapping"] and name not in _MAPPED:
        raise BadInput(f"--mapping is for {' and '.join(_MAPPED)}; the columns of {name} are known.")
    if told["labels"] and name not in ("coco", _UPRIGHT):
        raise BadInput(f"--labels is for coco and {_UPRIGHT}; {name} tells what is needed itself.")
    if told["tasks"] and name not in _POSED:
        raise BadInput(f"--task is for annotated photographs; {name} has its own tasks.")
    for option, value in (("from", told["tool"]), ("data", told["data"])):
        if name == _PREDICTIONS and value is None:
            raise BadInput(f"--{option} is needed: which tool got the replies, to the items of which data folder.")
    for option, value in (("from", told["tool"]), ("data", told["data"]), ("model", told["model"])):
        if name != _PREDICTIONS and value is not None:
            raise BadInput(f"--{option} is for predictions; {name} is a set of items.")
    if name == _PREDICTIONS and told["seed"] is not None:
        raise BadInput("--seed is for photographs; all replies are taken in.")
    for option in ("n", "seed"):
        if told[option] is not None and name in _SETS:
            raise BadInput(f"--{option} is for photographs; {name} is always taken whole.")


def _published(name: str, path: Path, out: Path, told: dict[str, Any]) -> None:
    from tqdm import tqdm

    from isovist.interop.format import Format
    from isovist.interop.taking_in import DUPLICATES, REJECTED, take_in

    module = import_module(f"isovist.interop.{name.replace('-', '_')}")
    source: Format = module.source(told["mapping"]) if told["mapping"] else module.FORMAT
    if name == "perceptv":  # its questions stand in files beside the records
        source = module.at(path)
    with tqdm(unit="record", disable=None) as bar:
        found = take_in(source, path, out, everything=told["everything"], progress=bar.update)
    for task, count in sorted(found.imported.items()):
        click.echo(f"{count:>7}  {task}")
    asked = f" as {found.imported.total()} items" if found.imported.total() != found.used else ""
    orders = f", {found.orders.total()} other orders of theirs" if found.orders else ""
    click.echo(f"{found.read} records read: {found.used} imported{asked}{orders}, {found.rejected.total()} rejected")
    if found.rejected:
        click.echo(f"rejected, each told in {out / REJECTED}:", err=True)
        for reason, count in found.rejected.most_common():
            click.echo(f"{count:>7}  {reason}", err=True)
    if found.duplicates:
        words = f"{found.duplicates} items show and ask what an earlier one does, {found.contradictions} of them with another key"
        click.echo(f"{words}; they are imported, and told in {out / DUPLICATES}", err=True)
    for file, why in found.passed_over:
        click.echo(f"passed over {_printable(file)}: {why}", err=True)


def _photographs(name: str, path: Path, out: Path, told: dict[str, Any]) -> None:
    from tqdm import tqdm

    from isovist.interop.posed.folder import take_in
    from isovist.interop.posed.seen import Source
    from isovist.interop.taking_in import REJECTED

    source: Source = import_module(f"isovist.interop.posed.{name.replace('3d-future', 'future3d')}").SOURCE
    with tqdm(unit="photograph", disable=None) as bar:
        found = take_in(
            source, path, out, labels=told["labels"], tasks=told["tasks"], n=told["n"], seed=told["seed"] or 0, progress=bar.update
        )
    for task, answers in sorted(found.items.items()):
        click.echo(f"{answers.total():>7}  {task}")
        for answer, count in sorted(answers.items()):
            click.echo(f"{count:>15}  {answer}")
    left = f", {found.left} not needed" if found.left else ""
    click.echo(
        f"{found.annotations} annotations of {found.photographs} photographs read: {found.used} asked about{left}, "
        f"{found.rejected.total()} rejected"
    )
    if found.rejected:
        click.echo(f"rejected, each told in {out / REJECTED}:", err=True)
        for reason, count in found.rejected.most_common():
            click.echo(f"{count:>7}  {reason}", err=True)


def _upright(path: Path, out: Path, told: dict[str, Any]) -> None:
    from tqdm import tqdm

    from isovist.interop.taking_in import REJECTED
    from isovist.interop.upright import take_in

    with tqdm(unit="photograph", disable=None) as bar:
        found = take_in(path, out, labels=told["labels"], n=told["n"], seed=told["seed"] or 0, progress=bar.update)
    click.echo(f"{found.items} items about {found.photographs} photographs in {out}")
    if found.rejected:
        click.echo(f"rejected, each told in {out / REJECTED}:", err=True)
        for reason, count in found.reasons.most_common():
            click.echo(f"{count:>7}  {reason}", err=True)


def _predictions(path: Path, out: Path, told: dict[str, Any]) -> None:
    from tqdm import tqdm

    from isovist.interop.predictions.taking_in import LEFT_OUT, take_in

    with tqdm(unit="reply", disable=None) as bar:
        taken = take_in(told["tool"], path, told["data"], out, n=told["n"], model=told["model"], progress=bar.update)
    outcomes = ", ".join(f"{count} {outcome}" for outcome, count in taken.outcomes.most_common())
    click.echo(f"{_printable(taken.model)}: {taken.read} rows read, {taken.used} replies used ({outcomes})")
    click.echo(f"see them with: isovist report {out} --out {out / 'report'}")
    for reason, count in taken.left_out.most_common():
        click.echo(f"left out: {count} rows: {_printable(reason)}", err=True)
    for task, count in sorted(taken.missing.items()):
        click.echo(f"missing: {count} items of {task} have no reply", err=True)
    if taken.left_out or taken.missing:
        click.echo(f"each is told in {out / LEFT_OUT}", err=True)
    if taken.untouched:
        click.echo(f"no replies to {', '.join(taken.untouched)}: not in the run", err=True)


def _printable(name: str) -> str:
    """A name that a stranger gave to a file, for a terminal."""
    return "".join(c if c.isprintable() else "?" for c in name)

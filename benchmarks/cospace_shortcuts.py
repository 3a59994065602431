"""What cheap rules get in CoSpace's tasks, as they are and in the paper's design: the tables of rules in docs/cospace.md.

    python -P benchmarks/cospace_shortcuts.py [--n 400] [--design paper] [--seed 7] [--pixels 150] [tasks ...]

The tasks' `shortcuts`, which go by scenes; then a gradient-boosted model, held out five times, on what they go by: in which pictures things
are seen, how many, how large, how far, and the letters' order; and the same without the pictures that show them. With `--pixels` the
rotations also: histograms of colours of each picture, as they are, brought to one brightness, and of edges, by their differences between
pictures, learnt on nine tenths. (-P, as a module beside this one has the name of a package.)
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from isovist.core.answers import Choice
from isovist.data.item import Item
from isovist.data.items import Items
from isovist.suites import registry
from isovist.suites.cospace import action_sequences
from isovist.suites.cospace.shortcuts import shown
from isovist.suites.cospace.target_objects import images_of

Row = list[float]
Array = NDArray[np.float64]
SIZE = 192  # pixels of a picture


LEARNT = ("direction-recognition", "directional-object", "planning-question", "planning-decision", "counting")
TURNS = ("rotation-angle", "rotation-difference")
PLANNED = ("planning",)
BLIND = 4  # columns of a row that tell which pictures show a thing


def credit(item: Item, replies: frozenset[str]) -> float:
    """What a guess among replies gets; among all answers where there are none."""
    return (item.answer.canonical() in replies) / len(replies) if replies else item.chance


def thing_row(views: Any, name: str) -> Row:
    thing = views.visible_object(name)
    pictures = images_of(thing, views.heading, views.fov)
    return [*(float(i in pictures) for i in range(4)), thing.width, thing.height, thing.low, thing.distance, thing.visible_share]


def option_rows(task: str, item: Item) -> list[Row]:
    """One row for each option; for counting one for each number."""
    scene = item.scene
    if task == "counting":
        each = shown(scene)
        most = max(range(4), key=lambda i: [each[(i + k) % 4] for k in range(4)])
        turned = [float(each[(most + k) % 4]) for k in range(4)]
        features = [
            *turned,
            *map(float, sorted(each)),
            float(sum(each)),
            float(sum(n > 0 for n in each)),
            float(scene.views.fov),
            float(scene.views.place.setting == "indoors"),
        ]
        return [[*features, float(n)] for n in range(1, 6)]
    if task == "directional-object":
        rows = [thing_row(scene.views, name) for name in scene.candidates]
        start = scene.asked_direction // 2
        rows = [[*row[start:4], *row[:start], *row[4:]] for row in rows]  # pictures counted from the asked direction
        middle = np.mean(rows, axis=0)
        return [[*row, *(np.array(row) - middle), float(scene.asked_direction % 2), float(scene.views.fov)] for row in rows]
    thing = thing_row(scene.views, scene.target)
    sides = (
        [action_sequences.leads_to(route) for route in scene.routes]
        if task == "planning-decision"
        else getattr(scene, "offered_directions", None) or scene.sides
    )
    rows: list[Row] = []
    for side in sides:
        start = side // 2
        beside = [float((side + k) % 8 in sides) for k in range(8)]
        rows.append([*thing[start:4], *thing[:start], *thing[4:], float(side % 2), *beside, float(scene.views.fov)])
    return rows


def learnt(rows: list[list[Row]], truths: list[int]) -> float:
    """Accuracy of the likeliest option, each item left out of what is learnt."""
    x = np.array([row for item_rows in rows for row in item_rows])
    y = np.array([place == truth for item_rows, truth in zip(rows, truths, strict=True) for place in range(len(item_rows))])
    groups = np.array([k for k, item_rows in enumerate(rows) for _ in item_rows])
    model = HistGradientBoostingClassifier(max_iter=80, learning_rate=0.08, max_leaf_nodes=10, min_samples_leaf=10)
    folds = [(np.flatnonzero(groups % 5 != k), np.flatnonzero(groups % 5 == k)) for k in range(5)]
    likely = cross_val_predict(model, x, y, cv=folds, method="predict_proba")[:, 1]
    return float(np.mean([np.argmax(likely[groups == k]) == truth for k, truth in enumerate(truths)]))


def by_scenes(task: str, items: list[Item]) -> Iterator[tuple[str, float]]:
    """What each rule gets, the best pair of rules, and a learnt one."""
    by_rule: dict[str, list[frozenset[str]]] = {}
    for name, shortcut in registry.task(f"cospace/{task}").checks.shortcuts.items():
        kind = "partial" if shortcut.partial else "shortcut"
        by_rule[f"{name} ({kind})"] = [frozenset(shortcut.rule(item.scene, item.question)) for item in items]
    for name, replies in by_rule.items():
        yield name, float(np.mean([credit(item, reply) for item, reply in zip(items, replies, strict=True)]))
    pairs = {
        f"{a} and {b}": np.mean([credit(item, (x & y) or x or y) for item, x, y in zip(items, by_rule[a], by_rule[b], strict=True)])
        for a, b in combinations(by_rule, 2)
    }
    if pairs:
        best = max(pairs, key=lambda name: pairs[name])
        yield f"best pair: {best}", float(pairs[best])
    if task in LEARNT:
        truths = [item.answer.truth if isinstance(item.answer, Choice) else int(item.answer.canonical()) - 1 for item in items]
        rows = [option_rows(task, item) for item in items]
        yield "learnt (partial)", learnt(rows, truths)
        if task != "counting":
            yield (
                "learnt, without which pictures show a thing (shortcut)",
                learnt([[row[BLIND:] for row in item_rows] for item_rows in rows], truths),
            )


def histograms(picture: NDArray[np.uint8]) -> dict[str, Array]:
    """Of colours as they are, of colours with their mean and spread taken out, and of the steps between neighbouring pixels."""
    seen = picture[::2, ::2].astype(float) / 255
    flat = (seen - seen.mean((0, 1))) / (seen.std((0, 1)) + 1e-3)
    steps = np.diff(np.log(picture.astype(float).mean(2) + 8), axis=1)
    cut = {"colour": (seen * 4).clip(0, 3), "evened": ((flat + 2) * 1.25).clip(0, 4)}
    counts = {
        name: np.histogramdd(values.astype(int).reshape(-1, 3), bins=5, range=[(0, 5)] * 3)[0].ravel() for name, values in cut.items()
    }
    counts["steps"] = np.histogram(steps, bins=np.linspace(-0.5, 0.5, 24))[0].astype(float)
    return {name: values / values.sum() for name, values in counts.items()}


def by_pixels(name: str, items: list[Item]) -> Iterator[tuple[str, float]]:
    """The rotations by how unlike the histograms of pictures are: the odd one out, and learnt; then of the thirds at their edges too."""
    seen = [[np.asarray(picture) for picture in item.pixels()] for item in items]
    truths = np.array([round(item.scene.views.rotations_deg[1]) if name == "rotation-angle" else item.scene.odd_view for item in items])
    fovs = np.array([[item.scene.views.fov] for item in items])
    third = seen[0][0].shape[1] // 3
    whole, lefts, rights = (
        [[histograms(np.ascontiguousarray(picture[:, cut])) for picture in pictures] for pictures in seen]
        for cut in (slice(None), slice(third), slice(-third, None))
    )
    rows: list[Array] = []
    edges: list[Array] = []
    for kind in ("colour", "evened", "steps"):
        apart = np.array([[[np.abs(a[kind] - b[kind]).sum() for b in views] for a in views] for views in whole])
        beside = np.array(
            [
                [np.abs(a[kind] - b[kind]).sum() for a, b in zip(right, left[1:], strict=False)]
                for right, left in zip(rights, lefts, strict=True)
            ]
        )
        next_to, far = np.array([np.diag(matrix, 1) for matrix in apart]), np.array([np.diag(matrix, 2) for matrix in apart])
        if name == "rotation-angle":
            if kind == "colour":
                same = apart[:, 0, -1] < 1e-9
                yield (
                    "first and last the same picture (shortcut)",
                    float(np.mean(same & (truths == 120)) + np.mean(~same) / len(set(truths))),
                )
            mean, ends = next_to.mean(1), apart[:, 0, -1]
            rows.append(np.column_stack([mean, next_to.max(1), far.mean(1), mean / far.mean(1), ends, ends / mean]))
            edges.append(np.column_stack([beside.mean(1), beside.mean(1) / mean]))
        else:
            yield f"{kind}: odd one out, order ignored (shortcut)", float(np.mean(apart.sum(2).argmax(1) == truths))
            yield f"{kind}: most like the others, order ignored (shortcut)", float(np.mean(apart.sum(2).argmin(1) == truths))
            rows.append(np.hstack([next_to, next_to / next_to.mean(1, keepdims=True), far, apart.sum(2) / apart.mean((1, 2))[:, None]]))
            edges.append(np.hstack([beside, beside / beside.mean(1, keepdims=True)]))
    folds = StratifiedKFold(10, shuffle=True, random_state=1)
    for region, x in (("whole pictures", np.hstack([*rows, fovs])), ("and thirds at their edges", np.hstack([*rows, *edges, fovs]))):
        models = (
            make_pipeline(StandardScaler(), LogisticRegression(C=0.3, max_iter=500)),
            ExtraTreesClassifier(300, min_samples_leaf=3, random_state=0),
        )
        best = max(float(np.mean(cross_val_predict(model, x, truths, cv=folds) == truths)) for model in models)
        yield f"histograms of {region}, learnt (partial)", best


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tasks", nargs="*", default=[*LEARNT, *PLANNED, *TURNS])
    parser.add_argument("--n", type=int, default=400)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--pixels", type=int, default=0)
    parser.add_argument("--design", default="balanced")
    given = parser.parse_args()
    for name in given.tasks:
        task = registry.task(f"cospace/{name}")
        for level in task.levels:
            settings = {"design": given.design, "size": SIZE}
            address = task.address("test", level, given.seed, 0, settings)
            items = list(Items(task, given.n, given.seed, "test", level, address.settings))
            chance = sum(item.chance for item in items) / len(items)
            print(f"{name}, {level}, {given.design}: {len(items)} items, chance {chance:.1%}")
            for rule, value in by_scenes(name, items):
                print(f"  {value:6.1%}  {rule}", flush=True)
            if name in TURNS and given.pixels:
                for rule, value in by_pixels(name, items[: given.pixels]):
                    print(f"  {value:6.1%}  {rule} (n = {given.pixels})", flush=True)
            if name == "counting":
                print(
                    "  objects in two images:",
                    sorted(Counter(task.reported.attributes(item.scene)["objects in two images"] for item in items).items()),
                )  # pyright: ignore[reportOptionalCall] - it has


if __name__ == "__main__":
    main()

"""Photographs of all around: views cut from them, and items about them, tried with panoramas whose places are known."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from workbench import contents, done, isovist, parquet, refused, spoil, stored

from isovist.core.answers import Choice, Count
from isovist.core.rotation import cosine, sine, wrapped
from isovist.core.scene3d import Box, Cone, Cylinder, Ground, Light, Pose, SceneObject, Sky, Texture
from isovist.data.importers.benchmark_format import Unusable
from isovist.data.importers.panoramas import labels
from isovist.data.importers.panoramas.labels import Label
from isovist.data.importers.panoramas.photo import Photo, least_width, read
from isovist.suites.cospace.road_directions import AXES
from isovist.world.render import pixels
from isovist.world.scenes.compass import COMPASS_DIRECTIONS
from isovist.world.scenes.environments.environment import Environment, VisibleObject, panorama, shot, sightings

SIZE = 128
WIDTH = 512
EYE = (0.0, 1.6, 0.0)


def place(spin: float, *kinds: tuple[str, float]) -> Environment:
    """A place with things of these names at these bearings, turned clockwise by `spin`."""
    forms = (Box((1.0, 1.4, 0.8)), Cylinder(0.45, 1.6), Cone(0.55, 1.8))
    solids = tuple(
        SceneObject(
            forms[i % 3], Pose((round(5 * sine(b + spin), 4), 0.0, round(-5 * cosine(b + spin), 4)), yaw=20.0 * i),
            colour=f"#{(i * 2654435761 + 90) % 0xFFFFFF:06x}", texture=Texture("checker", 0.5) if i % 2 else None, name=name,
        )
        for i, (name, b) in enumerate(kinds)
    )  # fmt: skip
    return Environment("yard", solids, EYE, Ground(), Light(), Sky())


PLACES = {
    "a.png": place(
        0, ("bin", 10), ("post", 95), ("cone", 170), ("crate", 200), ("drum", 265), ("lamp", 320), ("bollard", 50), ("bollard", 140)
    ),
    "b.png": place(77, ("bin", 0), ("post", 60), ("cone", 110), ("crate", 165), ("drum", 230), ("bench", 290), ("bollard", 330)),
    "c.png": place(200, ("tank", 20), ("post", 80), ("kiosk", 150), ("crate", 215), ("bollard", 250), ("bollard", 285), ("bollard", 330)),
}


@pytest.fixture(scope="module")
def photos(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three panoramas, and the labels of all their things."""
    folder = tmp_path_factory.mktemp("photos")
    lines: list[dict[str, object]] = []
    for name, world in PLACES.items():
        Image.fromarray(pixels(panorama(world, 0, WIDTH), WIDTH // 2)).save(folder / name)
        lines += [label_of(name, thing) for thing in sightings(world)]
    out = io.StringIO()
    writer = csv.DictWriter(out, lines[0])
    writer.writeheader()
    writer.writerows(lines)
    (folder / "labels.csv").write_text(out.getvalue())
    return folder


def label_of(file: str, thing: VisibleObject) -> dict[str, object]:
    middle, extent = (thing.low + thing.high) / 2, f"{thing.width:.3f}x{thing.height:.3f}"
    return {"file": file, "object": thing.name, "heading": f"{thing.bearing:.3f}", "elevation": f"{middle:.3f}", "extent": extent}


@pytest.fixture(scope="module")
def made(photos: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("made") / "data"
    done("panoramas", photos, "--labels", photos / "labels.csv", "--n", 8, "--image-size", SIZE, "--out", out)
    return out


# Views ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("heading", "fov", "pitch"), [(0, 90, 0), (180, 100, 0), (133.3, 110, 0), (-75, 70, 12)])
def test_a_view_is_what_a_camera_there_sees(photos: Path, heading: float, fov: float, pitch: float) -> None:
    world = PLACES["a.png"]
    seen = pixels(shot(world, heading, fov, SIZE, pitch), SIZE).astype(float)
    cut = read(photos / "a.png", SIZE).view(heading, fov, SIZE, pitch).astype(float)
    assert np.abs(seen - cut).mean() < 1.0
    # a view beside it, or of another width, differs more than twice as much
    for other in (
        shot(world, heading + 1, fov, SIZE, pitch),
        shot(world, heading, fov + 2, SIZE, pitch),
        shot(world, heading, fov, SIZE, pitch + 1),
    ):
        assert np.abs(pixels(other, SIZE) - cut).mean() > 2 * np.abs(seen - cut).mean()


def test_there_is_no_seam_at_the_edge_of_the_photograph() -> None:
    """Turned by any number of columns a photograph gives the same views, so that its edge is nowhere."""
    noise = np.random.default_rng(1).integers(0, 256, (256, 512, 3), dtype=np.uint8)
    smooth = np.asarray(Image.fromarray(noise).resize((64, 32), Image.Resampling.BOX).resize((512, 256), Image.Resampling.BICUBIC))
    for columns in (1, 100, 256):
        turned = Photo("t", np.roll(smooth, columns, axis=1))
        a = Photo("s", smooth).view(170, 100, 128).astype(int)
        b = turned.view(170 + columns * 360 / 512, 100, 128).astype(int)
        assert np.abs(a - b).max() <= 1


def test_detail_finer_than_a_pixel_is_averaged_in_linear_light() -> None:
    stripes = np.zeros((2048, 4096, 3), np.uint8)
    stripes[:, ::2] = 255
    seen = Photo("s", stripes).view(0, 90, 128)
    middle = seen[32:96, 32:96].astype(int)
    assert abs(middle - 188).max() <= 12  # half the light; the mean of the code values would be 128


def test_a_view_of_one_colour_has_it() -> None:
    for value in (0, 1, 77, 200, 255):
        seen = Photo("s", np.full((256, 512, 3), value, np.uint8)).view(31, 120, 64, 20)
        assert np.array_equal(seen, np.full((64, 64, 3), value))


# What can be used -------------------------------------------------------------------------------------------------


def saved(path: Path, array: np.ndarray) -> Path:
    Image.fromarray(array).save(path)
    return path


def test_unusable_photographs_are_reported_with_the_reason(photos: Path, tmp_path: Path) -> None:
    folder = tmp_path / "photos"
    folder.mkdir()
    good = np.asarray(Image.open(photos / "a.png"))
    saved(folder / "good.jpg", good)
    saved(folder / "small.png", good[:: WIDTH // 256, :: WIDTH // 256])
    saved(folder / "tall.png", np.concatenate((good, good)))
    ramp = np.tile(np.linspace(0, 255, WIDTH).astype(np.uint8)[None, :, None], (WIDTH // 2, 1, 3))
    saved(folder / "no-panorama.png", ramp)
    (folder / "broken.jpg").write_bytes((folder / "good.jpg").read_bytes()[:3000])
    (folder / "notes.txt").write_text("no photograph")
    out = tmp_path / "data"
    ended = done("panoramas", folder, "--image-size", SIZE, "--out", out)
    assert "from 1 photograph" in ended.out
    reasons = {one["file"]: one["reason"] for one in map(json.loads, (out / "skipped.jsonl").read_text().splitlines())}
    assert reasons == {
        "small.png": "too small",
        "tall.png": "not twice as wide as high",
        "no-panorama.png": "the left and the right edge do not meet",
        "broken.jpg": "the image cannot be decoded",
    }


def test_a_folder_without_a_photograph_is_refused_and_nothing_is_written(tmp_path: Path, photos: Path) -> None:
    (tmp_path / "empty").mkdir()
    out = tmp_path / "data"
    refused(isovist("panoramas", tmp_path / "empty", "--out", out), "no photograph")
    refused(isovist("panoramas", tmp_path / "none", "--out", out), "does not exist")
    refused(isovist("panoramas", photos, "--tasks", "cdr/*", "--out", out), "--tasks", "rotation-angle")
    refused(isovist("panoramas", photos, "--tasks", "counting", "--image-size", SIZE, "--out", out), "not one item")
    refused(isovist("panoramas", photos, "--labels", tmp_path / "none.csv", "--image-size", SIZE, "--out", out), "does not exist")
    refused(isovist("panoramas", photos, "--image-size", 512, "--out", out), "too small")
    assert not out.exists()
    out.mkdir()
    (out / "mine").touch()
    refused(isovist("panoramas", photos, "--image-size", SIZE, "--out", out), "not empty")


def test_least_width_is_that_of_a_view_of_ninety_degrees() -> None:
    assert least_width(512) == 1608


# Labels -----------------------------------------------------------------------------------------------------------


def test_a_stand_in_is_seen_where_its_label_says() -> None:
    placed_labels = (Label("bench", 350.0, -10.0, 24.0, 12.0), Label("lamp", 100.0, 5.0, 4.0, 30.0), Label("car", 200.0, -20.0, 50.0, 16.0))
    visible = {thing.name: thing for thing in sightings(labels.world("d", placed_labels))}
    for label in placed_labels:
        thing = visible[label.name]
        assert wrapped(thing.bearing - label.heading) == pytest.approx(0, abs=0.01)
        assert (thing.width, thing.low, thing.high) == pytest.approx((label.width, label.low, label.high), abs=0.05)
        assert thing.visible_share == 1.0


def test_of_two_that_overlap_the_larger_is_taken_as_hidden() -> None:
    placed_labels = (Label("wall", 0.0, 0.0, 40.0, 40.0), Label("post", 0.0, 0.0, 20.0, 50.0))
    visible_shares = {thing.name: thing.visible_share for thing in sightings(labels.world("d", placed_labels))}
    assert visible_shares["post"] == 1.0
    assert 0.3 < visible_shares["wall"] < 0.7


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ({"object": "", "heading": 0, "elevation": 0, "extent": 10}, "no name"),
        ({"object": "x", "heading": "north", "elevation": 0, "extent": 10}, "heading is not a number"),
        ({"object": "x", "heading": 400, "elevation": 0, "extent": 10}, "heading is not an angle"),
        ({"object": "x", "heading": 0, "elevation": 0, "extent": 0}, "extent is invalid"),
        ({"object": "x", "heading": 0, "elevation": 0, "extent": "10x"}, "extent is not a number"),
        ({"object": "x", "heading": 0, "elevation": 75, "extent": "10x20"}, "higher or lower"),
        ({"object": "x", "heading": True, "elevation": 0, "extent": 10}, "heading is not a number"),
    ],
)
def test_an_unusable_label_is_reported(tmp_path: Path, line: dict[str, object], reason: str) -> None:
    path = tmp_path / "l.jsonl"
    path.write_text(json.dumps({"file": "a.png", **line}) + "\n")
    (label_line,) = labels.read(path)
    assert label_line.label is None
    assert isinstance(label_line.fault, Unusable)
    assert reason in label_line.fault.reason


def test_where_one_label_cannot_be_used_all_of_its_name_go(photos: Path, tmp_path: Path) -> None:
    """Else two bollards would be counted as one, and the one of two posts asked for as the only one."""
    label_lines = (photos / "labels.csv").read_text().splitlines()
    path = tmp_path / "l.csv"
    path.write_text("\n".join([*label_lines, "a.png,bollard,broken,0,5", "nowhere.png,bin,0,0,5"]) + "\n")
    out = tmp_path / "data"
    tasks = ("--tasks", "counting", "--tasks", "direction-recognition")
    done("panoramas", photos, "--labels", path, *tasks, "--n", 12, "--image-size", SIZE, "--out", out)
    assert len((out / "skipped.jsonl").read_text().splitlines()) == 2
    for row in stored(out):
        if json.loads(row.metadata_json)["photograph"]["file"] == "a.png":
            assert "bollard" not in row.prompt


def test_a_file_that_holds_no_labels_is_refused(photos: Path, tmp_path: Path) -> None:
    for name, text in (("l.csv", "a,b\n1,2\n"), ("l.jsonl", "[1]\n"), ("m.jsonl", "{")):
        (tmp_path / name).write_text(text)
        refused(isovist("panoramas", photos, "--labels", tmp_path / name, "--image-size", SIZE, "--out", tmp_path / "data"), name)


# Items ------------------------------------------------------------------------------------------------------------


def views(row: object) -> list[float]:
    """Where each picture of an item looks, from its metadata."""
    scene = row.metadata.scene["views"]  # type: ignore[attr-defined]
    return [scene["heading"] + turn for turn in scene["rotations_deg"]]


def test_every_task_is_asked_and_the_pictures_are_those_of_the_place(made: Path) -> None:
    rows = stored(made)
    assert {row.task.partition("/")[2] for row in rows} == {
        "rotation-angle", "rotation-difference", "direction-recognition", "directional-object", "counting", "planning-question",
        "planning-decision", "planning",
    }  # fmt: skip
    for row in rows[::9]:
        world, fov = PLACES[json.loads(row.metadata_json)["photograph"]["file"]], row.metadata.scene["views"]["fov"]
        for image, looks in zip(row.images, views(row), strict=True):
            with Image.open(io.BytesIO(image)) as opened:
                shown = np.asarray(opened).astype(float)
            assert np.abs(shown - pixels(shot(world, looks, fov, SIZE), SIZE)).mean() < 1.2


def test_keys_are_those_of_the_place_that_was_photographed(made: Path) -> None:
    """The labels went through a file and stand-ins; here the things themselves are asked."""
    checked = 0
    for row in stored(made, "cospace-photos/direction-recognition", "cospace-photos/planning-question"):
        world, scene = PLACES[json.loads(row.metadata_json)["photograph"]["file"]], row.metadata.scene
        (thing,) = [thing for thing in sightings(world) if thing.name == scene["target"]]
        off = wrapped(thing.bearing - scene["views"]["heading"]) / 45
        assert abs(off - round(off)) <= (22.5 - 10) / 45 + 0.01  # the margin of the fresh tasks
        assert isinstance(row.key, Choice)
        key_text = row.key.options[row.key.truth]
        names = (
            COMPASS_DIRECTIONS
            if "direction" in row.task
            else ("Front", "Front right", "Right", "Back right", "Back", "Back left", "Left", "Front left")
        )
        assert key_text == names[round(off) % 8]
        checked += 1
    assert checked == 16
    for row in stored(made, "cospace-photos/counting"):
        assert isinstance(row.key, Count)
        kind = row.metadata.scene["category"]
        assert row.key.truth == sum(solid.name == kind for solid in PLACES[json.loads(row.metadata_json)["photograph"]["file"]].objects)
    for row in stored(made, "cospace-photos/rotation-angle"):
        assert isinstance(row.key, Choice)
        assert {f"{b - a:g} degrees" for a, b in pairwise(views(row))} == {row.key.options[row.key.truth]}


def test_answers_are_balanced_and_the_planning_items_share_thing_and_pictures(made: Path) -> None:
    keys = [row.key.balance_bin() for row in stored(made, "cospace-photos/direction-recognition")]
    assert sorted(keys) == sorted(COMPASS_DIRECTIONS)
    question, decision = (stored(made, f"cospace-photos/planning-{name}") for name in ("question", "decision"))
    for a, b in zip(question, decision, strict=True):
        assert (a.images, a.metadata.scene["target"], a.group) == (b.images, b.metadata.scene["target"], b.group)


def test_a_labelled_road_gives_questions_about_its_axis(photos: Path, tmp_path: Path) -> None:
    """The road of a.png runs toward 48 degrees. It is no object of other questions and no category to count."""
    text = (photos / "labels.csv").read_text() + "a.png,old road,48,,road\na.png,track,400,,road\n"
    (tmp_path / "labels.csv").write_text(text)
    tasks = ("--tasks", "direction-recognition")
    arguments = ("--labels", tmp_path / "labels.csv", "--n", 24, "--image-size", SIZE, *tasks, "--out", tmp_path / "data")
    done("panoramas", photos, *arguments)
    rows = stored(tmp_path / "data")
    asked = [row for row in rows if row.level == "road"]
    assert len(asked) == 12
    for row in asked:
        scene = row.metadata.scene
        assert scene["way"] == "the old road"
        off = wrapped(48 - scene["views"]["heading"] - scene["end_deg"])
        assert off == pytest.approx(0, abs=0.1) or abs(off) == pytest.approx(180, abs=0.1)
        assert isinstance(row.key, Choice)
        axis = round(((48 - scene["views"]["heading"]) % 180) / 45) % 4
        assert row.key.options[row.key.truth] == AXES[axis]
        assert "the old road run?" in row.prompt
    assert Counter(row.key.balance_bin() for row in asked) == dict.fromkeys(AXES, 3)
    assert not any("road" in row.prompt for row in rows if row.level != "road")
    assert any("not an angle" in line for line in (tmp_path / "data" / "skipped.jsonl").read_text().splitlines())


def test_no_labels_are_needed_for_the_rotations(photos: Path, tmp_path: Path) -> None:
    done("panoramas", photos, "--image-size", SIZE, "--out", tmp_path / "a")
    rows = stored(tmp_path / "a")
    assert {row.task for row in rows} == {"cospace-photos/rotation-angle", "cospace-photos/rotation-difference"}
    assert {json.loads(row.metadata_json)["photograph"]["file"] for row in rows} == set(PLACES)
    done("panoramas", photos, "--image-size", SIZE, "--out", tmp_path / "b")
    assert contents(tmp_path / "a") == contents(tmp_path / "b")
    done("panoramas", photos, "--image-size", SIZE, "--seed", 1, "--out", tmp_path / "c")
    assert not {row.images[0] for row in rows} & {row.images[0] for row in stored(tmp_path / "c")}


def test_the_folder_is_like_any_other(made: Path, tmp_path: Path) -> None:
    done("verify", made)
    done("run", "--data", made, "--model", "simulated/oracle", "--out", tmp_path / "run")
    report = done("report", tmp_path / "run", "--out", tmp_path / "report")
    assert report.code == 0
    card = (made / "README.md").read_text()
    assert "cut from photographs" in card
    assert "published by others" not in card


def test_a_changed_row_is_found(made: Path, copied: Callable[[Path], Path]) -> None:
    folder = copied(made)
    spoil(parquet(folder, "cospace-photos/counting"), lambda rows: rows[0].update(answer="6"))
    ended = isovist("verify", folder)
    assert ended.code == 1
    assert "has changed since it was imported" in ended.out + ended.err


# Labels of people -------------------------------------------------------------------------------------------------


def counted(photos: Path, home: Path, bollards: Sequence[str], n: int = 6) -> tuple[list[str], str]:
    """The questions of counting about a photograph whose two bollards have these names, and what the command says. A name may be followed
    by a bar and its plural.
    """
    folder, names = home / "photos", iter(bollards)
    folder.mkdir()
    (folder / "a.png").write_bytes((photos / "a.png").read_bytes())
    rows = ["file,object,heading,elevation,extent,plural"]
    for line in (photos / "labels.csv").read_text().splitlines():
        file, name, *place = line.split(",")
        if file == "a.png":
            name, _, many = (next(names) if name == "bollard" else name).partition("|")
            rows.append(",".join((file, name, *place, many)))
    (home / "labels.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    tasks = ("--tasks", "counting", "--tasks", "direction-recognition")
    ended = done("panoramas", folder, "--labels", home / "labels.csv", "--n", n, "--image-size", SIZE, *tasks, "--out", home / "data")
    return [row.metadata.question for row in stored(home / "data") if row.task.endswith("counting")], ended.err


def test_a_category_is_not_counted_where_every_key_would_be_one(photos: Path, tmp_path: Path) -> None:
    questions, said = counted(photos, tmp_path, ["bollard left", "bollard right"], n=1)
    assert not questions
    assert "counting, 1-5: 0 of 1 (each key would be 1, because no category has several labels)" in said


@pytest.mark.parametrize(
    ("name", "column", "asked"),
    [
        ("bollard", "", "How many bollards are"),
        ("the Bollard", "", "How many Bollards are"),
        ("fir trees", "", ""),
        ("Poller", "Poller", "How many Poller are"),
        ("Säule", "Säulen", "How many Säulen are"),
        ("Säule", "", ""),
        ("杉", "杉", "How many 杉 are"),
        ("policeman", "", ""),
        ("policeman", "policemen", "How many policemen are"),
        ("bus", "", "How many buses are"),
        ("glass of water", "", "How many glasses of water are"),
        ("lens", "", ""),
        ("lens", "lenses", "How many lenses are"),
        ("CAR", "", ""),
    ],
)
def test_the_plural_of_a_label_is_stated_or_regular(photos: Path, tmp_path: Path, name: str, column: str, asked: str) -> None:
    questions, said = counted(photos, tmp_path, [f"{name}|{column}", name])  # it is stated once
    bare = name.removeprefix("the ")
    about = [question for question in questions if f"Count each {bare} once" in question]
    assert bool(about) == bool(asked), (questions, said)
    assert all(asked in question for question in about)
    assert (f"plural is not known: {name}." in said) == (not asked)


def test_names_that_differ_in_case_are_one_category(photos: Path, tmp_path: Path) -> None:
    questions, _ = counted(photos, tmp_path, ["Bollard", "bollard"])
    assert [question for question in questions if "Bollards" in question]
    assert not [question for question in questions if "bollards" in question]


def test_a_category_in_singular_and_plural_is_left_out(photos: Path, tmp_path: Path) -> None:
    counted(photos, tmp_path, ["bollard", "bollards"])
    assert not any("ollard" in row.metadata.question for row in stored(tmp_path / "data"))
    (line,) = (tmp_path / "data" / "skipped.jsonl").read_text().splitlines()
    assert json.loads(line)["detail"] == "bollard, bollards"


def test_progress_counts_each_photograph_once(photos: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from isovist.common import progress

    lines: list[str] = []
    monkeypatch.setattr(progress.Progress, "close", lambda self: lines.append(self.line()))
    done("panoramas", photos, "--image-size", SIZE, "--out", tmp_path / "data")
    reading, cutting = lines
    assert "reading the photographs: 3 of 3 photographs (100%)" in reading
    n = len({image for row in stored(tmp_path / "data") for image in row.images})
    assert f"cutting the views: {n} of {n} views (100%)" in cutting

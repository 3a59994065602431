"""Generated pictures: descriptions by a scripted writer, pictures by a painter without a model, questions about turns."""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from generated_images import Brush, elements, writes
from scripted import Said, fault, serving
from workbench import contents, done, isovist, refused, stored

from isovist.common.installation import install_command
from isovist.core.answers import Choice
from isovist.people.text_to_image import description_writer, diffusion, image_generation, model_presets, prompt, rotation_questions
from isovist.people.text_to_image.descriptions import Description, descriptions, same
from isovist.people.text_to_image.facing_directions import KEYS, NAMES
from isovist.people.text_to_image.prompt import EXAMPLES, DescriptionRequest
from isovist.people.text_to_image.questions import SUITE
from isovist.world.scenes import distractor_types

pytest.importorskip("aiohttp")
pytest.importorskip("starlette")
pytest.importorskip("krippendorff")

from starlette.testclient import TestClient

from isovist.people.annotate import annotation_jobs
from isovist.people.annotate.answer_store import ANSWERS, Store
from isovist.people.annotate.server import app

SMALL = ("--image-size", 48)


def write(url: str, out: Path, *more: object) -> Any:
    return isovist("text-to-image", "describe", "--model", "m", "--base-url", url, "--max-connections", 1, "--out", out, *more)


def test_the_temperature_can_be_left_out(tmp_path: Path) -> None:
    for given, sent in (((), 0.7), (("--temperature", "none"), None)):
        with serving(lambda asked: Said("nothing")) as server:
            write(server.url, tmp_path / str(sent), "--n", 1, *given)
            assert {asked.body.get("temperature") for asked in server.asked} == {sent}


@pytest.fixture
def described(tmp_path: Path) -> Path:
    """A folder with sixteen descriptions."""
    with serving(writes()) as server:
        assert write(server.url, tmp_path / "painted", "--n", 16).code == 0
    return tmp_path / "painted"


@pytest.fixture
def brush(monkeypatch: pytest.MonkeyPatch) -> list[Brush]:
    """Puts a painter without a model in the place of the library; those that were loaded."""
    loaded: list[Brush] = []

    def load(settings: model_presets.Settings, *, offload: bool = False) -> Brush:
        loaded.append(Brush(settings))
        return loaded[-1]

    monkeypatch.setattr(diffusion, "load", load)
    return loaded


def sort(folder: Path, person: str, values: dict[str, str]) -> None:
    """What a person answers on the page, by the card's id."""
    job = annotation_jobs.job(folder, folder)
    client = TestClient(app(job, Store(folder / ANSWERS)), base_url="http://127.0.0.1")
    for place, card in enumerate(job.cards):
        if card.id in values:
            reply = client.post(f"/api/people/{person}/cards/{place}", json={"value": values[card.id]})
            assert reply.status_code == 200, reply.text


# Descriptions -----------------------------------------------------------------------------------------------------

ASKED = (DescriptionRequest("car", 6), DescriptionRequest("dog", 4))
CAR = {"number": 1, "name": "car", "setting": "a street", "description": "A photograph of a red car in a street, its front to the left."}


def test_descriptions_are_read_with_what_was_asked_for() -> None:
    hound = {
        "number": 2,
        "name": "hound",
        "setting": "a yard",
        "description": "A photograph of a brown hound in a yard that faces the camera.",
    }
    accepted, faults = descriptions(f"Sure:\n{json.dumps([CAR, hound])}", ASKED, EXAMPLES)
    assert faults == []
    assert [(one.object, one.name, one.setting, one.facing) for one in accepted] == [
        ("car", "car", "a street", 6),
        ("dog", "hound", "a yard", 4),
    ]
    assert accepted[0].seed == Description("x", "y", "z", 0, CAR["description"]).seed != accepted[1].seed  # type: ignore[arg-type]
    assert 0 <= accepted[0].seed < 2**63


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        ("none", "no JSON list"),
        ("[]", "no JSON list"),
        ("[3]", "not an object"),
        ([CAR | {"number": 3}], "not in the list"),
        ([CAR | {"number": True}], "not in the list"),
        ([CAR | {"setting": " "}], "no setting"),
        ([CAR | {"description": "A car <image> in a street, its front to the left."}], "no description"),
        ([CAR | {"description": "A car."}], "words"),
        ([CAR | {"description": "A car " + "very " * 70 + "left."}], "words"),
        ([CAR | {"name": "truck"}], "does not contain the name"),
        ([CAR | {"description": "A photograph of a red carpet in a street, seen from the left."}], "does not contain the name"),
        ([CAR | {"name": "<b>car</b>"}], "one to four words"),
        (
            [CAR | {"name": "tractor", "description": "A photograph of a tractor in a street, seen from the left."}],
            "object is that of an example",
        ),
        ([CAR | {"setting": "A quarry"}], "setting is that of an example"),
        ([CAR | {"description": "A photograph of a red car in a street, its front to the right."}], "opposite side"),
    ],
)
def test_what_is_wrong_with_a_description_is_told(reply: object, why: str) -> None:
    accepted, (reason,) = descriptions(reply if isinstance(reply, str) else json.dumps(reply), ASKED, EXAMPLES)
    assert accepted == []
    assert why in reason


def test_a_line_of_the_list_is_described_once() -> None:
    accepted, (reason,) = descriptions(json.dumps([CAR, CAR]), ASKED, EXAMPLES)
    assert len(accepted) == 1
    assert "twice" in reason


def test_descriptions_that_say_the_same_are_told_apart_from_others() -> None:
    one = Description("car", "car", "a street", 6, "A photograph of a red car in a street at noon, its front to the left.")
    assert same(one, Description("car", "auto", "A Street", 6, "Something else altogether about an auto there."))
    assert same(one, Description("car", "car", "a road", 6, "A photograph of a red car in a road at noon, its front to the left."))
    assert not same(one, Description("car", "car", "a street", 2, "The old car stands beside the kerb and points to the right."))


def test_the_list_asks_for_every_thing_and_every_facing_equally_often() -> None:
    asked = [one for number in range(8) for one in prompt.batch(number, prompt.OBJECTS, 10)]
    assert set(Counter(one.object for one in asked).values()) == {5}
    assert set(Counter(one.facing for one in asked).values()) == {10}
    assert len({one.facing for one in asked if one.object == "car"}) > 1


def test_examples_do_what_descriptions_have_to() -> None:
    for one in EXAMPLES:
        entry = {"number": 1, "name": one.object, "setting": one.setting, "description": one.description}
        accepted, faults = descriptions(json.dumps([entry]), [DescriptionRequest(one.object, NAMES.index(one.facing))], ())
        assert (len(accepted), faults) == (1, []), one
        assert one.object not in prompt.OBJECTS


# Writing ----------------------------------------------------------------------------------------------------------


def test_it_asks_until_there_are_enough_and_tells_what_it_left_out(tmp_path: Path) -> None:
    out = tmp_path / "painted"
    first = [True]

    def spoil(entries: list[dict[str, Any]]) -> None:
        if first.pop() if first else False:
            entries[0]["name"] = "nothing"
            entries[1] |= {name: entries[2][name] for name in ("name", "setting", "description")}

    with serving(writes(spoil)) as server:
        ended = write(server.url, out, "--n", 20)
        assert ended.code == 0, ended
        assert len(server.asked) == 3  # two for twenty, one more for the two that were left out
        assert "tractor" in server.asked[0].words  # an example
        assert write(server.url, out, "--n", 20).code == 0
        assert len(server.asked) == 3  # what has a reply is not asked again
        assert write(server.url, out, "--n", 30).code == 0
        assert len(server.asked) > 3
    lines = [json.loads(line) for line in (out / "skipped.jsonl").read_text().splitlines()]
    assert [one["reason"] for one in lines] == ["malformed", "duplicate"]
    assert "1 descriptions skipped" in ended.err
    assert "1 duplicate descriptions skipped" in ended.err
    stored_descriptions = description_writer.read(out)
    assert len(stored_descriptions) == 30
    assert len({one.text for one in stored_descriptions}) == 30


def test_a_writer_that_gives_too_little_is_told_of(tmp_path: Path) -> None:
    out = tmp_path / "painted"
    with serving(lambda asked: fault(401, "Incorrect API key provided")) as server:
        refused(write(server.url, out, "--n", 5), "No response to any request")
        assert not out.exists()
        server.script = lambda asked: Said(json.dumps(elements(asked.words)[:1]))
        ended = write(server.url, out, "--n", 20)
        assert ended.code == 0
        assert len(server.asked) == 1 + 6  # three times as many as would do
        assert "14 descriptions missing" in ended.err
        refused(write(server.url, out, "--n", 20, "--at-once", 5), "has a different")


def test_things_and_examples_of_ones_own_are_used(tmp_path: Path) -> None:
    (tmp_path / "things.txt").write_text("chair\n\n  kite \nchair\n")
    example = {
        "object": "lamp",
        "setting": "a cellar",
        "facing": "away-left",
        "description": "A lamp in a cellar that leans away and to the left.",
    }
    (tmp_path / "examples.json").write_text(json.dumps([example]))
    with serving(writes()) as server:
        ended = write(
            server.url, tmp_path / "painted", "--n", 8, "--at-once", 4,
            "--objects", tmp_path / "things.txt", "--examples", tmp_path / "examples.json",
        )  # fmt: skip
        assert ended.code == 0, ended
        assert all("A lamp in a cellar" in asked.words and "tractor" not in asked.words for asked in server.asked)
    assert Counter(one.object for one in description_writer.read(tmp_path / "painted")) == {"chair": 4, "kite": 4}
    assert {one.facing for one in description_writer.read(tmp_path / "painted")} == set(range(8))


def test_bad_input_to_write_is_told_in_one_line(tmp_path: Path) -> None:
    out = tmp_path / "painted"
    more = ("text-to-image", "describe", "--model", "simulated/silent", "--out", out)
    refused(isovist(*more), "No response to any request")
    (tmp_path / "things.txt").write_text("chair\nduck\n")
    refused(isovist(*more, "--objects", tmp_path / "things.txt"), "'duck'")
    (tmp_path / "things.txt").write_text("\n")
    refused(isovist(*more, "--objects", tmp_path / "things.txt"), "No objects")
    example = {"object": "kite", "setting": "a hill", "facing": "up", "description": "A kite."}
    (tmp_path / "examples.json").write_text(json.dumps([example]))
    refused(isovist(*more, "--examples", tmp_path / "examples.json"), "Unknown facing 'up'")
    (tmp_path / "examples.json").write_text(json.dumps([example | {"object": "car", "facing": "left"}]))
    refused(isovist(*more, "--examples", tmp_path / "examples.json"), "--objects: car")
    (tmp_path / "examples.json").write_text("{}")
    refused(isovist(*more, "--examples", tmp_path / "examples.json"), "No examples")
    refused(isovist(*more, "--examples", tmp_path / "none.json"), "File does not exist")
    assert not out.exists()


# Drawing ----------------------------------------------------------------------------------------------------------


def test_pictures_are_drawn_once_and_become_cards(described: Path, brush: list[Brush]) -> None:
    ended = done("text-to-image", "generate", described, "--n", 10, *SMALL)
    assert "10 images generated" in ended.out
    assert "FLUX.1 [dev] Non-Commercial License" in ended.err
    before = contents(described)
    ended = done("text-to-image", "generate", described, "--n", 10, *SMALL)
    assert "0 images generated, 10 already present" in ended.out
    assert len(brush) == 1  # nothing was loaded for nothing
    assert contents(described) == before
    done("text-to-image", "generate", described, "--painter", "sd", *SMALL)
    assert [len(one.drawn) for one in brush] == [10, 16]
    cards = annotation_jobs.job(described, described).cards
    assert len(cards) == 26
    assert [(option.value, option.key) for option in cards[0].options] == [
        ("away-left", "7"), ("away", "8"), ("away-right", "9"), ("left", "4"), ("right", "6"),
        ("towards-left", "1"), ("towards", "2"), ("towards-right", "3"), ("reject", "x"),
    ]  # fmt: skip
    assert cards[0].group == cards[1].group  # one description, two painters
    words = {one.id: one.text for one in description_writer.read(described)}
    assert all(text not in (described / annotation_jobs.CARDS).read_text() for text in words.values())  # nor which way it was to face
    seeds = {one.description: one.seed for one in image_generation.read(described)}
    assert all(seeds[one.id] == one.seed for one in description_writer.read(described))


def test_drawing_goes_on_where_it_was_ended(described: Path) -> None:
    settings = model_presets.settings("flux", size=48)
    with pytest.raises(KeyboardInterrupt):
        image_generation.draw(described, settings, lambda: Brush(settings, fails=5))
    assert len(annotation_jobs.job(described, described).cards) == 5  # they can be sorted
    with (described / image_generation.PICTURES).open("a") as file:
        file.write('{"id": "flux:')  # a line cut short by a crash
    (gone,) = (one for i, one in enumerate(image_generation.read(described)) if i == 2)
    (described / gone.file).write_bytes(b"half a picture")
    again = Brush(settings)
    outcome = image_generation.draw(described, settings, lambda: again)
    assert (outcome.drawn, outcome.kept, outcome.cards) == (12, 4, 16)
    words = {one.id: (one.text, one.seed) for one in description_writer.read(described)}
    assert words[gone.description][0] in again.drawn
    assert all((described / one.file).read_bytes() == again.draw(*words[one.description]) for one in image_generation.read(described))


def test_a_picture_in_one_colour_is_on_no_card(described: Path) -> None:
    settings = model_presets.settings("sd", size=48)
    blank = description_writer.read(described)[3]
    outcome = image_generation.draw(described, settings, lambda: Brush(settings, blank=blank.text))
    assert (outcome.drawn, outcome.faulty, outcome.cards) == (16, 1, 15)
    assert blank.id not in {card.group for card in annotation_jobs.job(described, described).cards}


def test_without_its_libraries_drawing_says_what_to_install(described: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "diffusers", None)
    before = contents(described)
    refused(isovist("text-to-image", "generate", described), install_command("paint"))
    assert contents(described) == before


def test_bad_input_to_draw_is_told_in_one_line(described: Path, brush: list[Brush], tmp_path: Path) -> None:
    before = contents(described)
    refused(isovist("text-to-image", "generate", tmp_path / "none"), "No descriptions")
    refused(isovist("text-to-image", "generate", described, "--painter", "mine"), "or add --model")
    refused(isovist("text-to-image", "generate", described, "--painter", "../x", "--model", "m"), "lower-case letters")
    assert contents(described) == before
    done("text-to-image", "generate", described, "--n", 2, *SMALL)
    before = contents(described)
    refused(isovist("text-to-image", "generate", described, "--image-size", 64), "different size")
    refused(isovist("text-to-image", "generate", described, *SMALL, "--steps", 3), "different steps")
    assert contents(described) == before
    (described / description_writer.DESCRIPTIONS).write_text('{"facing": "up"}\n')
    refused(isovist("text-to-image", "generate", described), "Invalid description")


# Questions --------------------------------------------------------------------------------------------------------


def test_from_sorted_pictures_to_a_report(described: Path, brush: list[Brush], tmp_path: Path) -> None:
    done("text-to-image", "generate", described, *SMALL)
    data = tmp_path / "data"
    refused(isovist("text-to-image", "questions", described, "--out", data), "No answers")
    words = {one.id: one for one in description_writer.read(described)}
    by_id = {one.card: words[one.description] for one in image_generation.read(described)}
    ids = [card.id for card in annotation_jobs.job(described, described).cards]
    answers = {id: NAMES[by_id[id].facing] for id in ids}
    answers[ids[0]] = "reject"
    answers[ids[1]] = NAMES[(by_id[ids[1]].facing + 2) % 8]  # the painter did not do as it was told
    sort(described, "Ada", answers)
    sort(described, "Ben", {id: answers[id] for id in ids[:8]} | {ids[2]: NAMES[(by_id[ids[2]].facing + 4) % 8]})
    refused(isovist("text-to-image", "questions", described, "--min-annotators", 3, "--out", data), "No accepted image")
    assert not data.exists()

    ended = done("text-to-image", "questions", described, "--min-annotators", 2, "--out", tmp_path / "two")
    assert f"{2 * 6} items about 6 images" in ended.out
    for words in (
        "1 images skipped: rejected by an annotator",
        "1 images skipped: with different facing",
        "8 images skipped: with fewer than 2 answers",
    ):
        assert words in ended.err
    assert "Krippendorff's alpha" in ended.out
    left = [json.loads(line) for line in (tmp_path / "two" / "skipped.jsonl").read_text().splitlines()]
    assert Counter(one["reason"] for one in left) == {"rejected": 1, "seen differently": 1, "too few answers": 8}

    ended = done("text-to-image", "questions", described, "--each", 4, "--out", data)
    assert "13 of 14 accepted images show the described facing direction" in ended.out
    assert "flux: 14 of 16 annotated images accepted" in ended.out
    rows = stored(data)
    assert Counter(row.task for row in rows) == {f"{SUITE}/one-turn": 56, f"{SUITE}/two-turns": 56}
    for task in (f"{SUITE}/one-turn", f"{SUITE}/two-turns"):
        keys = [row.key for row in rows if row.task == task]
        assert set(Counter(key.canonical() for key in keys).values()) == {14}
        counts = Counter(key.balance_bin() for key in keys)  # of eight, each as often as the pictures let it be
        assert len(counts) == 8
        assert max(counts.values()) - min(counts.values()) <= 2
    assert len({(row.task, row.images, row.key.balance_bin()) for row in rows}) == 112  # a picture is asked about four ways
    for row in rows:
        picture = row.images[0]
        (shown,) = (one for one in image_generation.read(described) if (described / one.file).read_bytes() == picture)
        assert row.metadata.attributes["facing"] == answers[shown.card]
        assert row.metadata.attributes["pictures"] == "generated"
        assert isinstance(row.key, Choice)
        assert rotation_questions.second(KEYS[NAMES.index(answers[shown.card])], row.metadata.question, row.key.options) == row.key.truth
        assert row.chance == 0.25
        assert row.group.endswith(shown.description)
    done("text-to-image", "questions", described, "--each", 4, "--out", tmp_path / "again")
    assert contents(tmp_path / "again") == contents(data)
    assert str(described) not in b"".join(contents(data).values()).decode(errors="replace")

    card = (data / "README.md").read_text()
    assert "drawn by FLUX.1-dev (licence: FLUX.1 [dev] Non-Commercial License)" in card
    assert "photograph" not in card

    done("verify", data)
    done("run", "--data", data, "--model", "simulated/oracle", "--out", tmp_path / "oracle")
    done("run", "--data", data, "--model", "simulated/constant:Away from you", "--out", tmp_path / "constant")
    done("report", tmp_path / "oracle", tmp_path / "constant", "--out", tmp_path / "report")
    report_text = "".join(path.read_text() for path in (tmp_path / "report").rglob("*") if path.suffix in (".html", ".csv"))
    assert distractor_types.OPPOSITE_ROTATION in report_text
    assert "final direction" in report_text
    signed = (tmp_path / "report" / "angular_errors.csv").read_text().splitlines()
    assert any("constant" in line and "one-turn" in line for line in signed), signed


def test_a_picture_that_was_exchanged_is_not_asked_about(described: Path, brush: list[Brush], tmp_path: Path) -> None:
    done("text-to-image", "generate", described, "--n", 2, *SMALL)
    sort(described, "Ada", {card.id: "left" for card in annotation_jobs.job(described, described).cards})
    one, other = image_generation.read(described)
    (described / one.file).write_bytes((described / other.file).read_bytes())
    refused(isovist("text-to-image", "questions", described, "--out", tmp_path / "data"), "has changed since annotation")
    assert not (tmp_path / "data").exists()


def test_what_people_said_of_a_picture_does_not_count_for_another_of_the_same_words(
    described: Path, brush: list[Brush], tmp_path: Path
) -> None:
    done("text-to-image", "generate", described, "--n", 3, *SMALL)
    sort(described, "Ada", {card.id: "left" for card in annotation_jobs.job(described, described).cards})
    (described / image_generation.PICTURES).unlink()
    done("text-to-image", "generate", described, "--n", 2, "--image-size", 56)
    refused(isovist("text-to-image", "questions", described, "--out", tmp_path / "data"), "2 with too few answers")
    (described / image_generation.PICTURES).unlink()
    done("text-to-image", "generate", described, "--n", 2, *SMALL)  # the same pictures as at first
    assert "about 2 images" in done("text-to-image", "questions", described, "--out", tmp_path / "data").out

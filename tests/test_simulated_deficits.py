"""Deficits that simulated models have are named by the findings on their runs, and no model without them is given one."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace

import pytest
from simulated import Pool, answered, asked, rows

from isovist.common.errors import UserError
from isovist.core.answers import Answer, Choice, JointAnswer
from isovist.core.rng import Rng
from isovist.data.dataset.rows import ItemRow
from isovist.evaluation.models.base import ModelRequest, ModelResponse
from isovist.evaluation.models.baselines.simulated_models import simulated_model
from isovist.evaluation.run.variants import Trial, rotate_key
from isovist.reporting.analysis.detectors import DETECTORS
from isovist.reporting.analysis.findings import Finding, significant_findings
from isovist.reporting.analysis.rows import Rows
from isovist.world.scenes import distractor_types

SIZED = ("perceptv/counting-circles", "perceptv/colours-present")
FEW = ("cdr/relative-compass-letter", "cdr/relative-spatial-letter", "cdr/object-classification-icon", "srbench/mrt-hard", *SIZED)
MANY = ("cdr/*", "srbench/mrt-*", "srbench/spatial-relations", "perceptv/count-coloured-circles", *SIZED)
N = 40

PLANTED = {
    "simulated/deficit:left-right": "left-right-confusion",
    "simulated/deficit:mirror-blind": "mirror-confusion",
    "simulated/deficit:north-up": "north-up-assumption",
    "simulated/constant:B": "constant-answer",
    "simulated/deficit:threshold": "size-threshold",
    "simulated/deficit:unparsed": "unparsed-responses",
}
"""The deficits that have to be named, each by one kind of finding."""
ALSO = {"simulated/constant:B": {"unparsed-responses"}}
"""What else is true of such a model: B is no number."""
HARMLESS = {"chance-performance", "shortcut-performance"}  # both tell of a low score alone
"""No deficit, and true of whoever guesses."""


@pytest.fixture(scope="module")
def few() -> Pool:
    return rows(FEW, 2 * N)


@pytest.fixture(scope="module")
def many() -> Pool:
    return rows(MANY, 2 * N)


def _some(pool: Pool, run: int) -> Pool:
    """N items of each task, others in each run."""
    return {task: Rng("some", run, task).sample(task_rows, N) for task, task_rows in pool.items()}


def _found(tasks: Mapping[str, Rows]) -> list[Finding]:
    return significant_findings(tasks, DETECTORS)


def _kinds(tasks: Mapping[str, Rows]) -> set[str]:
    return {finding.kind for finding in _found(tasks)} - HARMLESS


def _causes(tasks: Mapping[str, Rows]) -> set[str]:
    """Without what follows from a deficit, and is true as well: slanted ways are harder for who takes left for right."""
    return {kind for kind in _kinds(tasks) if kind != "failed-subtask" and not kind.startswith("difficulty-")}


def _named(pool: Pool, model: str, runs: int) -> tuple[int, Counter[str]]:
    """In how many runs the planted deficit was named, and what else was."""
    named, other = 0, Counter[str]()
    for run in range(runs):
        model_name = f"{model},seed={run}" if ":" in model and "constant" not in model else model
        kinds = _causes(asked(_some(pool, run), model_name))
        named += PLANTED[model] in kinds
        other.update(kinds - {PLANTED[model]} - ALSO.get(model, set()))
    return named, other


def _guesses(run: int, right: float = 0.0) -> Callable[[ItemRow, Answer], ModelResponse]:
    """Knows the answer in a share of the items; else guesses, or, where it knows some, says something wrong."""

    def reply(row: ItemRow, key: Answer) -> ModelResponse:
        rng = Rng("guesses", run, row.id)
        if rng.at("knows").uniform(0, 1) < right:
            return ModelResponse(f"Answer: {key.canonical()}")
        return ModelResponse(f"Answer: {rng.at('wrong').pick(key.wrong_answers()) if right else key.random_answer(rng.at('guess'))}")

    return reply


def _accused(pool: Pool, right: float, runs: int) -> Counter[str]:
    """By number of runs, what was found of a model that has no deficit."""
    return Counter(kind for run in range(runs) for kind in _kinds(answered(_some(pool, run), _guesses(run, right))))


@pytest.mark.parametrize("model", PLANTED)
def test_a_planted_deficit_is_named(few: Pool, model: str) -> None:
    named, other = _named(few, model, 8)
    assert named == 8
    assert other.total() <= 1


@pytest.mark.parametrize("right", [0.0, 0.6, 1.0])
def test_none_is_named_without_one(few: Pool, right: float) -> None:
    assert _accused(few, right, 10).total() <= 2


@pytest.mark.slow
@pytest.mark.parametrize("model", PLANTED)
def test_a_planted_deficit_is_named_in_95_of_100_runs(many: Pool, model: str) -> None:
    named, other = _named(many, model, 100)
    assert named >= 95
    assert other.total() <= 5


@pytest.mark.slow
@pytest.mark.parametrize("right", [0.0, 0.3, 0.6, 1.0])
def test_none_is_named_without_one_in_95_of_100_runs(many: Pool, right: float) -> None:
    accused = _accused(many, right, 100)
    # All candidates of a run are tested at 5 % together. Of a guesser most cannot be tested; of a model that knows some, all can, so that
    # about five in a hundred are to be expected, and eight or fewer in 93 of 100 such counts.
    assert accused.total() <= (5 if right in {0.0, 1.0} else 8)


@pytest.mark.parametrize(
    ("model", "kind"),
    [
        ("simulated/deficit:left-right,noise=0.4", "left-right-confusion"),
        ("simulated/deficit:up-down,noise=0.4", "up-down-confusion"),
        ("simulated/deficit:opposite,noise=0.4", "opposite-direction"),
        ("simulated/deficit:north-up,noise=0.5", "north-up-assumption"),
        ("simulated/deficit:threshold,size=7,noise=0.2", "size-threshold"),
    ],
)
def test_a_deficit_is_named_through_noise(few: Pool, model: str, kind: str) -> None:
    assert _causes(asked(few, model)) == {kind}


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        (ModelResponse("I cannot say."), "refusals"),
        (ModelResponse("", finish_reason="content_filter"), "refusals"),
        (ModelResponse("Let me see", finish_reason="max_tokens"), "truncated-responses"),
        (ModelResponse("There are several things."), "unparsed-responses"),
        (ModelResponse(""), "unparsed-responses"),
    ],
)
def test_replies_without_an_answer_are_told_apart_from_wrong_ones(few: Pool, reply: ModelResponse, kind: str) -> None:
    (finding,) = _found(answered(few, lambda row, key: reply if row.index % 10 == 0 else ModelResponse(f"Answer: {key.canonical()}")))
    assert finding.kind == kind
    asked_in_vain = [row for task_rows in few.values() for row in task_rows if row.index % 10 == 0]
    assert (finding.n, finding.observed_rate) == (len(FEW) * 2 * N, len(asked_in_vain) / (len(FEW) * 2 * N))


def test_the_words_tell_the_size_and_the_numbers(few: Pool) -> None:
    sized = rows(SIZED, 8 * N)  # the 95% CI of the threshold is then about 0.7 wide; with 2 * N items the estimate may round to 10.0
    findings = {finding.tasks: finding for finding in _found(asked(sized, "simulated/deficit:threshold"))}
    for task in SIZED:
        assert findings[(task,)].sentence.startswith("Size threshold: 9.")
    (flip,) = [finding for finding in _found(asked(few, "simulated/deficit:left-right")) if finding.kind == "left-right-confusion"]
    assert flip.tasks == FEW[:2]
    assert flip.observed_rate == 1
    assert flip.expected_rate == pytest.approx(1 / 7)
    wrong = [len(task_rows.having("outcome", "incorrect")) for task_rows in asked(few, "simulated/deficit:left-right").values()]
    assert flip.n == sum(wrong)
    assert f"{flip.n} of {flip.n} errors" in flip.sentence


def test_a_deficit_holds_in_each_part_of_a_joint_answer() -> None:
    model = simulated_model("simulated/deficit:left-right")
    mirrored = Counter[str]()
    for row in rows(("cospace/planning",), 16)["cospace/planning"]:
        types, key = Trial(row, "", row.prompt, (), row.key).distractor_types, row.key
        assert isinstance(key, JointAnswer)
        replied = json.loads(model.reply(ModelRequest(row.id, row.prompt, (), distractor_types=types), key).text.removeprefix("Answer: "))
        for place, (name, part) in enumerate(key.parts):
            of_part = types[4 * place : 4 * place + 4]
            offered = [label for label, text in zip("ABCD", of_part, strict=True) if distractor_types.LEFT_RIGHT in text.split("; ")]
            assert replied[name] in (offered or [part.canonical()])
            mirrored[name] += replied[name] in offered
    assert min(mirrored.values()) >= 4


def test_a_deficit_holds_on_items_that_cannot_be_made_again() -> None:
    """As those with a private seed: their rows state the distractor types, also where the options are rotated."""
    model = simulated_model("simulated/deficit:north-up")
    for row in rows(("cdr/relative-compass-letter",), 12)["cdr/relative-compass-letter"]:
        private = replace(row, id="private")
        for variant in ("", "circular:3"):
            trial = Trial(private, variant, row.prompt, (), rotate_key(row.key, variant))
            assert isinstance(trial.key, Choice)
            reply = model.reply(ModelRequest(private.id, row.prompt, (), variant, distractor_types=trial.distractor_types), trial.key)
            chosen = "ABCDEFGH".index(reply.text.removeprefix("Answer: "))
            assert chosen == trial.key.truth or distractor_types.NORTH_UP_ASSUMPTION in trial.distractor_types[chosen]


def _off_by(steps: tuple[int, ...]) -> Callable[[ItemRow, Answer], ModelResponse]:
    """Names a direction so many eighths of a turn off, now one and now the other."""

    def reply(row: ItemRow, key: Answer) -> ModelResponse:
        dial = next(iter(row.metadata.option_angles.values()), None)
        if not isinstance(key, Choice) or dial is None:
            return ModelResponse(f"Answer: {key.canonical()}")
        to = ((dial.angles_deg[key.truth] or 0.0) + 45 * Rng("off", row.id).pick(steps)) % 360
        return ModelResponse(f"Answer: {'ABCDEFGH'[[(angle or 0.0) % 360 for angle in dial.angles_deg].index(to)]}")

    return reply


def test_neighbours_are_no_turned_maps(few: Pool) -> None:
    """On a map turned by 45 degrees, a neighbouring wind is also the one of the picture's frame: only the simpler name is given."""
    assert _causes(answered(few, _off_by((-1, 0, 1)))) == {"45-degree-error"}


def test_a_quarter_to_one_side_leans(few: Pool) -> None:
    findings = _found(answered(few, _off_by((0, 2))))
    assert _causes(answered(few, _off_by((0, 2)))) == {"90-degree-error", "angular-bias"}
    leaning = [finding.sentence for finding in findings if finding.kind == "angular-bias"]
    assert len(leaning) == 2
    assert all("(100%;" in words for words in leaning)
    assert {words.partition("expected by chance) in ")[2] for words in leaning} == {
        "relative-spatial-letter are clockwise in the image.",
        "relative-compass-letter are clockwise on the compass.",
    }


def test_items_of_one_picture_count_once() -> None:
    """One scene asked in forty ways is one mistake, however often it is made."""
    pool = rows(FEW[:1], 40)
    alone = asked(pool, "simulated/deficit:left-right")
    assert _causes(alone) == {"left-right-confusion"}
    together = {task: task_rows.with_column("cluster", [0] * len(task_rows)) for task, task_rows in alone.items()}
    assert _kinds(together) == set()


@pytest.mark.parametrize(
    ("name", "remedy"),
    [
        ("simulated/deficit:up", "Choose one of left-right"),
        ("simulated/deficit:left-right,noise=2", "Use noise=0"),
        ("simulated/deficit:threshold,size=x", "Use noise=0"),
        ("simulated/deficit:", "Choose one of .*simulated/deficit:left-right"),
    ],
)
def test_an_unknown_deficit_or_setting_is_told(name: str, remedy: str) -> None:
    with pytest.raises(UserError, match=remedy):
        simulated_model(name)


def test_what_is_not_made_here_is_read_by_its_words() -> None:
    assert distractor_types.types_by_option_text(("Left", "up", "RIGHT", "Upper_left"), 2) == [
        "left-right mirrored; opposite direction", "90° error counterclockwise; 90° error", "", "other direction",
    ]  # fmt: skip
    assert distractor_types.types_by_option_text(("Left", "up", "a cat"), 0) == []

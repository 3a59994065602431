"""Recipes say what they want or what is wrong with them, and what they ask for is shuffled and shared out by key."""

from __future__ import annotations

import pickle
from collections import Counter
from pathlib import Path

import pytest

from isovist.common.errors import UserError
from isovist.data.dataset.manifest import DataPart
from isovist.training.mixture_plan import Share, shares
from isovist.training.recipe import MixtureRecipe, parsed, read, shipped

REASONED = "cdr/relative-compass-icon"
BARE = "cdr/object-classification-letter"


def recipe(text: str) -> MixtureRecipe:
    return parsed(text, "mine.toml", None).recipe


def part(lines: str) -> str:
    return f"[[parts]]\n{lines}\n"


# What a recipe asks for -------------------------------------------------------------------------------------------


def test_the_recipes_of_the_paper_are_its_nine_sets() -> None:
    counts = {name: shares(read(name).recipe) for name in shipped() if name.startswith("cdr-")}
    totals = {name: (plan.items, sum(share.reasoning for share in plan.shares), plan.general) for name, plan in counts.items()}
    bare = {f"cdr-all-{k}k": (71_552, 0, 1000 * k) for k in (20, 40, 60, 80, 100)}
    assert (
        totals
        == {
            "cdr-base": (0, 0, 0),
            "cdr-all": (71_552, 0, 0),
            "cdr-cot-all": (71_552, 1, 0),
            "cdr-cot-all-40k": (71_552, 1, 40_000),
        }
        | bare
    )
    for name, plan in counts.items():
        for share in plan.shares:
            assert (share.part.task, share.part.split) == (REASONED, "train"), name
            assert share.part.settings == {"order": "paper", "pictures": 8944}


def test_our_own_recipe_has_every_task_of_every_suite() -> None:
    import isovist

    tasks = [share.part.task for share in shares(read("all-suites").recipe).shares]
    assert sorted(tasks) == sorted(isovist.tasks())


@pytest.mark.parametrize("reasoning", [0.0, 0.25, 1 / 3, 1.0])
@pytest.mark.parametrize("n", [1, 37, 400])
def test_the_share_of_reasoning_is_exact_and_balanced_over_levels_and_answers(reasoning: float, n: int) -> None:
    share = Share(DataPart("perceptv/counting-circles", 1, "train", n), reasoning)
    of_level = Counter[str]()
    reasoned = Counter[str]()
    for place in range(n):
        level = share.items.address(place).level
        of_level[level] += 1
        reasoned[level] += share.kind(place) == "reasoning"
    assert reasoned.total() == round(reasoning * n)
    for level, count in of_level.items():
        assert abs(reasoned[level] - reasoning * count) <= 1
    whole = Share(DataPart(REASONED, 1, "train", 400), 0.5)
    answers = Counter((whole.kind(i), whole.items[i].answer.balance_bin()) for i in range(400))
    assert set(answers.values()) == {25}  # two kinds of eight answers


def test_which_items_reason_is_by_key_and_not_the_first_ones() -> None:
    share = Share(DataPart(REASONED, 1, "train", 400), 0.5)
    kinds = [share.kind(i) for i in range(400)]
    assert 60 < kinds[:200].count("reasoning") < 140
    assert kinds != [Share(DataPart(REASONED, 1, "train", 400, seed=1), 0.5).kind(i) for i in range(400)]
    assert pickle.loads(pickle.dumps(share)).kind(7) == kinds[7]


def test_numbers_lead_to_items_and_then_to_general_data() -> None:
    plan = shares(recipe(part(f'tasks = ["{BARE}", "{REASONED}"]\nn = 3') + "[general]\nn = 4\n"))
    assert (len(plan), plan.items) == (10, 6)
    assert [plan.share(number) for number in range(6)] == [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2)]
    assert sorted(map(plan.number, range(10))) == list(range(10))
    assert list(map(plan.number, range(10))) != list(range(10))


def test_settings_levels_seeds_and_styles_reach_the_items() -> None:
    lines = f'tasks = ["{REASONED}"]\nn = 3\nseed = 5\nsettings = {{ order = "paper" }}\nlevels = ["standard"]\nstyle = "final-line"'
    (share,) = shares(recipe("seed = 1\n" + part(lines))).shares
    assert (share.part.seed, share.part.settings, share.style) == (5, {"order": "paper"}, "final-line")
    assert share.item(0).level == "standard"


def test_reasoning_where_there_is_gives_bare_answers_elsewhere() -> None:
    for reasoning, expected in (("where there is", 1.0), ("0.5 where there is", 0.5)):
        plan = shares(recipe(part(f'tasks = ["{BARE}", "{REASONED}"]\nn = 2\nreasoning = "{reasoning}"')))
        assert [share.reasoning for share in plan.shares] == [0.0, expected]


# What is wrong with one -------------------------------------------------------------------------------------------

ONE = f'tasks = ["{REASONED}"]\n'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("seed =", "cannot be read as TOML"),
        ("sed = 1", "sed: "),
        ("seed = 1979-05-27", "cannot be read as a recipe"),
        ('seed = "1"', "seed: "),
        (f"seed = {2**63}", "at most 18 digits"),
        (part("n = 3"), "parts.0.tasks"),
        (part("tasks = []\nn = 3"), "part 1: tasks: name at least one"),
        (part(ONE), "part 1: give either n"),
        (part(ONE + "n = 3\npaper = true"), "part 1: give either n"),
        (part(ONE + "n = -3"), "n = -3"),
        (part(ONE + "n = 3.0"), "parts.0.n"),
        (part(ONE + "n = 3\nreasoning = 1.5"), "reasoning = 1.5"),
        (part(ONE + 'n = 3\nreasoning = "some"'), "reasoning = 'some'"),
        (part(ONE + 'n = 3\nstyle = "rude"'), "style = 'rude': choose one of"),
        (part(ONE + 'n = 3\nsplit = "test"'), "trained on test items"),
        (part(ONE + 'n = 3\nsplit = "dev"'), "parts.0.split"),
        (part('tasks = ["cdr/relative-compas-icon"]\nn = 3'), "Did you mean cdr/relative-compass-icon"),
        (part(ONE + 'n = 3\nlevels = ["hard"]'), "has no level 'hard'"),
        (part(ONE + "n = 3\nsettings = { colour = 1 }"), "Unknown task option: colour"),
        (part(ONE + "n = 3") + part('tasks = ["cdr/*"]\nn = 3'), f"{REASONED} stands in two parts with seed 0"),
        (part(f'tasks = ["{BARE}"]\nn = 3\nreasoning = 0.5'), "has no chain of thought"),
        (
            part('tasks = ["cdr/relative-compass-icon", "cdr/relative-spatial-icon"]\npaper = true'),
            "no train split of cdr/relative-spatial",
        ),
        ("[general]\n", "general.n"),
        ("[general]\nn = -1\n", "general: n = -1"),
        ('[general]\nn = 1\nname = "a/b"\n', "general: name = 'a/b'"),
    ],
)
def test_a_recipe_that_cannot_be_had_says_why_in_one_line(text: str, message: str) -> None:
    with pytest.raises(UserError) as raised:
        shares(recipe(text))
    assert message in str(raised.value)
    assert "\n" not in str(raised.value)


def test_test_items_are_taken_where_a_reason_is_given() -> None:
    (share,) = shares(recipe(part(ONE + 'n = 3\nsplit = "test"\nreason = "a study of leaks"'))).shares
    assert (share.part.split, share.reason) == ("test", "a study of leaks")


def test_a_recipe_that_is_not_there_names_those_that_are(tmp_path: Path) -> None:
    for name, message in (("cdr-al", "cdr-all"), (str(tmp_path / "mine.toml"), "no such file"), (str(tmp_path), "a folder")):
        with pytest.raises(UserError, match=message):
            read(name)
    (tmp_path / "bytes.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(UserError, match="not text"):
        read(str(tmp_path / "bytes.toml"))


def test_a_folder_of_the_name_of_a_recipe_does_not_hide_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "cdr-all").mkdir()
    monkeypatch.chdir(tmp_path)
    assert read("cdr-all").folder is None

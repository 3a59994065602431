"""Percept-V's result tables: the figures of the project page against a second transcription, with the means that the page prints."""

from __future__ import annotations

from pathlib import Path

import pytest
from workbench import done

from isovist.data.reference import published, reference
from isovist.suites import registry

MODELS = ["GPT-5-mini", "GPT-4o", "o4-mini", "Gemini", "Gemma-4", "Qwen3-VL", "Qwen2.5-VL", "DeepSeek"]
# github.com/dair-iitd/Percept-V, static/js/data.js, RESULTS_DOMAIN: eight models and their mean.
DOMAINS = """
change_colour 32 18.5 32 23.5 58.5 8.5 8 4.5 23.19
circle_boxes 30 33 34 28 64.5 15 12.5 10.5 28.44
circle_location 56.5 41.5 46 57.5 81.5 22.5 14.5 5.5 40.69
circle_right_triangle 100 82 99.5 99 98.5 94.5 25 50 81.06
colours_present 3.5 1.5 4.5 4.5 5.5 1.5 0 0 2.62
comparing_size 27 36.5 31 55 81 31.5 5 0 33.38
count_coloured_circles 51 44 37.5 44.5 99 38 39 2.5 44.44
counting_circles 68 57.5 55 55.5 100 54.5 42.5 5.5 54.81
counting_locations 44.5 20.5 36.5 33.5 98.5 37 15.5 0 35.75
counting_shapes 72.5 44 58.5 61 100 62.37 41 0 54.92
cross_and_knots 99.5 57.5 100 96 81.5 89.5 23.5 0 68.44
graph_counting 39 31 33.5 36 51.5 25.5 26 0 30.31
grid_path 54.5 0.5 53 23.5 60.5 10.5 0 0 25.31
identifying_shapes 79.5 69 92.5 47 100 80 41.5 0 63.69
inside_circles 96 87.5 95.5 93 97 94.5 96.5 68 91
layered_colours 35 25 33.5 34 29.5 10 0.5 0 20.94
layered_shapes 24 11.5 20 18.5 16.5 11.5 9.5 0 13.94
list_colours 41 18 35.5 58 37 3.5 1.5 0.5 24.38
list_shapes 88.5 70.5 90.5 92 90.5 31.5 21 0 60.56
locate_circles_colour 100 11.5 100 82 92 95 6 0 60.81
locate_circles_shape 100 16 100 92.5 91.5 88.5 7 0 61.94
match_outline 66 23 84.5 72.5 82 19 7.5 17 46.44
match_shadow 54.5 32.5 63 48 46 12 5.5 14.5 34.5
maze_solving 43 27 30 54.5 53.5 11 14.5 0 29.19
mirror_image 33.5 12.5 29 24 32.5 3.5 21.5 5 20.19
numbered_shapes 81.5 12 75.5 88.5 84 49.5 8 1 50
sort_circles 36.5 24 34 30 31.5 0 20 0 22
sort_lines 26.5 22 27 22.5 40.5 24.5 5 0 21
vanishing_objects 35 9 23 25.5 64.5 6 10 5 22.25
water_image 38 10.5 26.5 22.5 38.5 3.5 15 3.5 19.75
Full_Percept-V 55.22 31.65 52.7 50.75 66.92 34.48 18.1 6.43 39.53
"""
# The same file, RESULTS_SKILL; the domains of each skill after the bar, from SKILL_DOMAINS.
SKILLS = """
Visual Discrimination | 55.0 23.7 55.3 51.25 68.75 34.74 11.5 4.1 | change_colour vanishing_objects comparing_size counting_shapes sort_lines sort_circles locate_circles_colour locate_circles_shape match_shadow match_outline
Visual Memory | 49.95 33.55 47.55 46.55 64.0 30.12 19.59 1.32 | list_colours list_shapes circle_boxes colours_present count_coloured_circles numbered_shapes graph_counting sort_circles sort_lines counting_shapes identifying_shapes
Visual Sequential Memory | 43.5 21.5 47.5 41.92 52.58 15.75 4.67 5.25 | grid_path layered_colours layered_shapes comparing_size match_outline match_shadow
Visual Figure Ground | 64.75 25.42 63.25 62.83 59.5 40.0 7.58 0.08 | list_colours list_shapes locate_circles_colour locate_circles_shape layered_shapes layered_colours
Visual Form Constancy | 58.7 27.3 48.9 50.3 71.0 34.67 25.6 3.0 | mirror_image water_image counting_circles counting_shapes numbered_shapes
Visual Closure | 44.88 23.0 50.25 43.25 43.5 13.12 5.75 7.88 | match_outline match_shadow layered_shapes layered_colours
Visual Spatial Relationship | 66.64 50.36 62.64 69.79 84.5 54.36 27.79 17.64 | comparing_size circle_location circle_right_triangle counting_locations cross_and_knots inside_circles maze_solving
"""
AVERAGE = [54.77, 29.26, 53.63, 52.27, 63.4, 31.82, 14.64, 5.61]
ROUNDING = 0.0051


def rows(text: str) -> dict[str, list[float]]:
    return {line.split()[0]: [float(figure) for figure in line.split()[1:]] for line in text.strip().splitlines()}


def mean(columns: list[list[float]]) -> list[float]:
    return [sum(figures) / len(figures) for figures in zip(*columns, strict=True)]


def test_every_figure_of_the_domains_is_that_of_the_page() -> None:
    table = reference("perceptv").table("Domains")
    assert list(table.columns) == MODELS
    printed = rows(DOMAINS)
    assert len(printed) == 31
    assert {row.label.replace(" ", "_"): list(row.values) for row in table.rows} == {name: figures[:8] for name, figures in printed.items()}


def test_every_domain_is_a_task_that_can_be_run() -> None:
    table = reference("perceptv").table("Domains")
    assert [row.task for row in table.rows] == [
        *(f"perceptv/{row.label.replace('_', '-')}" for row in table.rows if row.label != "Full Percept-V"),
        "",
    ]
    assert {row.task for row in table.rows if row.task} == {task.id for task in registry.tasks().values() if task.suite == "perceptv"}


def test_the_means_that_the_page_prints_are_those_of_the_domains() -> None:
    """So a figure that was misread would show."""
    printed = rows(DOMAINS)
    for name, figures in printed.items():
        assert figures[8] == pytest.approx(sum(figures[:8]) / 8, abs=ROUNDING), name
    whole = printed.pop("Full_Percept-V")
    assert whole == pytest.approx(mean(list(printed.values())), abs=ROUNDING)


def test_a_skill_is_the_mean_of_its_domains() -> None:
    printed = rows(DOMAINS)
    table = reference("perceptv").table("Skills")
    skills = {row.label: [value or 0.0 for value in row.values] for row in table.rows}
    lines = [line.split("|") for line in SKILLS.strip().splitlines()]
    assert list(skills) == [*(name.strip() for name, _, _ in lines), "Average of skills"]
    for name, figures, domains in lines:
        assert skills[name.strip()] == [float(figure) for figure in figures.split()]
        assert skills[name.strip()] == pytest.approx(mean([printed[domain] for domain in domains.split()])[:8], abs=ROUNDING)
    average = skills.pop("Average of skills")
    assert average == AVERAGE
    assert average == pytest.approx(mean(list(skills.values())), abs=ROUNDING)


@pytest.mark.parametrize("name", ["One example", "Resolution", "3-D", "Prompt wording"])
def test_the_last_row_of_a_condition_is_the_mean_of_the_others(name: str) -> None:
    *parts, last = (list(row.values) for row in reference("perceptv").table(name).rows)
    figures = [[value for value in part if value is not None] for part in parts]
    assert last == pytest.approx(mean(figures), abs=0.034 if name == "3-D" else ROUNDING)  # 39.8 for 39.83, see the notes


def test_the_overall_accuracy_after_training_is_the_mean_of_both_halves_of_the_sizes() -> None:
    for row in reference("perceptv").table("Fine-tuning").rows:
        overall, small, large, *_ = (value or 0.0 for value in row.values)
        assert overall == pytest.approx((small + large) / 2, abs=0.021), row.label


def test_conditions_repeat_the_figures_of_the_original_prompts() -> None:
    skills = reference("perceptv").table("Skills")
    for row, original in zip(reference("perceptv").table("Resolution").rows, skills.rows, strict=True):
        assert (row.values[0], row.values[3]) == (original.values[0], original.values[6])
    # the column of another model, which the notes tell
    for row, original in zip(reference("perceptv").table("Prompt wording").rows, skills.rows, strict=True):
        assert row.values[0] == original.values[MODELS.index("o4-mini")]
    assert "that of o4-mini" in " ".join(reference("perceptv").notes)


def test_people_and_the_command_that_prints_all() -> None:
    whole = reference("perceptv").published_mean()
    assert whole == {"Human": 95.43, **dict(zip(MODELS, rows(DOMAINS)["Full_Percept-V"], strict=False))}
    assert published("perceptv/inside-circles")["DeepSeek"] == published("perceptv-published/inside-circles")["DeepSeek"] == 68
    assert reference("srbench").published_mean() == {}
    output = done("published-results", "perceptv").out
    assert "453c23a" in output.splitlines()[1]
    for table in reference("perceptv").tables:
        assert f"\n{table.name}: " in output
    for figure in ("95.43", "83.42", "55.62", "55.33", "44.42"):  # people, LoRA, double resolution, 3-D, one example
        assert figure in output


def test_a_report_has_the_mean_beside_that_of_people_if_the_run_has_all_tasks(tmp_path: Path) -> None:
    for name, tasks in (("all", "perceptv/*"), ("some", "perceptv/count*")):
        run, out = tmp_path / name, tmp_path / f"{name}-report"
        done("run", tasks, "--n", "1", "--model", "simulated/pixel-solver", "--out", run)
        done("report", run, "--out", out)
        section = (out / "report.md").read_text(encoding="utf-8").partition("## Published results: perceptv")[2]
        head = next(line for line in section.splitlines() if line.startswith("|"))
        assert ("Human" in head, "mean of all tasks" in section) == (name == "all", name == "all")
        assert "| perceptv/counting-circles | 100.0 | [20.7, 100.0] | new items | 68.0" in section
        page = (out / "index.html").read_text(encoding="utf-8")
        assert 'href="#mean-of-all-tasks"' not in page

"""The marks of runs in figures: distinguishable for many runs, also without colour, and inside their figure."""

from __future__ import annotations

from itertools import combinations, pairwise

from isovist.reporting.reports.figures.svg import canvas, marker, name_before, run_mark, shortened, written


def test_neighbours_differ_in_hue_and_shape_and_a_hue_returns_with_another_shape_and_dashes() -> None:
    marks = [run_mark(number) for number in range(28)]
    assert len({(mark.hue, mark.shape) for mark in marks}) == len(marks)
    assert all(a.hue != b.hue and a.shape != b.shape for a, b in pairwise(marks))
    for a, b in combinations(marks[:12], 2):
        assert a.hue != b.hue or (a.shape != b.shape and a.dash != b.dash)


def test_a_hollow_mark_has_its_hue_as_edge() -> None:
    for number in range(4):
        svg = canvas(10, 10, "marks")
        for is_filled in (True, False):
            node = marker(svg, run_mark(number), 5, 5, 3, is_filled=is_filled)
            assert (node.get("fill"), node.get("stroke"))[:: 1 if is_filled else -1] == (run_mark(number).hue, "#ffffff")


def test_a_long_name_is_shortened_and_complete_as_a_tooltip() -> None:
    assert shortened("short", 200) == "short"
    svg = canvas(300, 10, "names")
    name_before(svg, 200, 5, "m" * 90)
    drawn = written(svg)
    assert f"{'m' * 20}" in drawn
    assert "…</" in drawn or "…<title>" in drawn
    assert f"<title>{'m' * 90}</title>" in drawn

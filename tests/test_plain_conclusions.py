"""Sentences that assert an answer without a label, and those that look like it. Real replies of models where they are at hand."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from isovist.core.answers import Answer, Choice, Count, Number, WordSequence, WordSubset, YesNo

POINTS = Choice(("Point A", "Point B", "Point C"), 0)
NEARER = Choice(("A is nearer", "B is nearer"), 0)
IMAGES = Choice(("the second image", "the third image"), 0)
THINGS = Choice(("kettle", "ladder", "lower shelf"), 0)
ANGLES = Choice(("-45°", "45°"), 0)
SIDES = Choice(("left", "right"), 0)
COUNT, NUMBER, IMAGE = Count(7, 0, 20), Number(90, 1, 0, 500), Count(3, 1, 5)

COLOURS = WordSubset(("red", "green"), ("red", "green", "blue", "pink", "black"))
WINDS = WordSubset(("S",), ("N", "NE", "E", "SE", "S", "SW", "W", "NW"))
SHAPES = WordSequence(("star", "cross"), ("star", "cross", "circle", "square"))
SHEETS = Choice(("red", "blue", "green"), 0)

READ: list[tuple[Answer, str, str]] = [
    (POINTS, "The mark on the mug corresponds to Point B in the second photo. Both lie on the rim.", "B"),
    (POINTS, "Point C best matches the marked spot, whereas Point A is on the handle.", "C"),
    (POINTS, 'Since the handle is the part to hold, the matching spot would be "B" on the pan.', "B"),
    (POINTS, "The spot with the same function is (C) Point C.", "C"),
    (NEARER, "B is nearer to the viewer. The other one is at the back wall.", "B"),
    (IMAGES, "The third image shares the same style as the first one. The second image is a sketch.", "B"),
    (IMAGES, "Both are pencil drawings.\n\nTherefore, I would say that the second image is the most similar.", "A"),
    (IMAGES, "All look alike. If I had to choose one, I would select:\n\n(B) the third image\n\nIts edges are sharper.", "B"),
    (THINGS, "The thing behind the door is a ladder.", "B"),
    (ANGLES, "-45°", "A"),
    (ANGLES, "Answer: 45°", "B"),
    (SIDES, "The camera turns to the right when the film is shown. This is evident because the tree moves out of sight.", "B"),
    (COUNT, "The median of the numbers is 6.", "6"),
    (COUNT, "There are 2 bars with values larger than 4.", "2"),
    (COUNT, "The highest bar is 12 and the lowest is 4. The difference between them is 8.", "8"),
    (COUNT, "The total number of bars is 4. So, the answer to your question is 2.", "2"),
    (COUNT, "9 miles per hour on the hill.", "9"),
    (COUNT, "The smallest share in the chart is 13%.", "13"),
    (COUNT, "The second row has 3.\n\nTherefore, there are 5 circles left after removing the red ones.", "5"),
    (NUMBER, "The sum of 20, 30 and 40 is 90.", "90"),
    (NUMBER, "The angle is 30. So the sum of both angles is 70.", "70"),
    (NUMBER, "Hence the force is approximately 1.5 × 10^2 N.", "150"),
    (NUMBER, "The average wage was about 320 in 2019.", "320"),
    (NUMBER, "The period T is 41 seconds when r = 3.", "41"),
    (IMAGE, "Image 4", "4"),
    (IMAGE, "Answer: #2", "2"),
    (IMAGE, "3rd", "3"),
    (IMAGE, "The misaligned image is the fifth one.", "5"),
    (COLOURS, "The triangles are red and green.", "red, green"),
    (COLOURS, "The colours are:\n- Pink\n- Blue", "blue, pink"),
    (COLOURS, "Red and blue are possible. Therefore, only blue is possible.", "blue"),
    (WINDS, "If p is W of q and q is S of r, then p can be S or SW of r.", "S, SW"),
    (WINDS, "Hence the only relations that remain possible are\n\n   NE, E or SE.", "NE, E, SE"),
    (WINDS, "The sole relation is x S z.", "S"),
    (WINDS, "\\boxed{N} \\quad \\boxed{NE}", "N, NE"),
    (SHAPES, "Row 1: cross\nRow 2: star\nRow 3: circle", "cross, star, circle"),
    (SHAPES, "From the top:\n\n| Row | Shape |\n|---|---|\n| 1 | cross |\n| 2 | star |", "cross, star"),
    (SHEETS, "A. red ✗\nB. blue ✓\nC. green ✗", "B"),
    (SHEETS, "- [ ] A. red\n- [ ] B. blue\n- [x] C. green", "C"),
    (SHEETS, "A is incorrect. B is incorrect. C is correct.", "C"),
    (YesNo(True), "The lines cross at the edge. So yes, they meet.", "yes"),
    (YesNo(True), "Yes, they are equal. However, the arrows make one of them look longer.", "yes"),
    (YesNo(True), "Thus, the left bar is not taller than the right bar.", "no"),
    (YesNo(True), "No, the picture is not actually moving. It is static.", "no"),
]

NOT_READ: list[tuple[Answer, str]] = [
    (POINTS, "Point A is labelled in red. Point B is on the lid."),
    (POINTS, "Students often say that Point B is most similar."),
    (POINTS, "Point A is closer than Point B, but Point C is the closest."),
    (POINTS, "Point B is the closest. Wait, that is wrong."),
    (POINTS, "Looking at Point A, the texture is most similar to"),
    (NEARER, "It is hard to say whether A is nearer."),
    (NEARER, "A is not nearer."),
    (IMAGES, "The second image looks more natural. The third image looks more natural too."),
    (IMAGES, "The second image shows a dog. The third image shows a cat."),
    (IMAGES, "Answer: A\n\nOr:\nAnswer: B"),
    (THINGS, "We have to find what is next to the ladder."),
    (SIDES, "So the top of the map is left of the frame, and the legend is right."),
    (COUNT, "There are 3 on the left and 4 on the right."),
    (COUNT, "The first row has 3."),
    (COUNT, "The average in 2019 is 100. Therefore, it is greater than before."),
    (COUNT, "Image 4"),
    (COUNT, "I cannot see the graph.\n\nHere are some tips:\n* The value of an odd function at zero is 0."),
    (NUMBER, "The speed at the start is 0, and at the end it is approximately 16."),
    (NUMBER, "A full turn is 360."),
    (NUMBER, "The height in May was 1.2 and in June 1.3. In both months it was lower than the mean of all months, which was 1.7."),
    (COUNT, "The left side has 4 and the right side 6. On both sides there are fewer than in the middle one, which is 9."),
    (COUNT, "The first row has more dots than the last row, whose number is 4."),
    (COLOURS, "The triangles are red or green."),
    (COLOURS, "The triangles are red, and the circles are green."),
    (COLOURS, "The colours are red, green, blue, pink and black."),
    (COLOURS, "The triangles are red and green. Maybe also blue."),
    (SHAPES, "Row 1: cross\nRow 3: star"),
    (SHAPES, "Row 1: cross\nRow 2: star or circle\nRow 3: circle"),
    (SHEETS, "A. red ✓\nB. blue ✓\nC. green ✗"),
    (SHEETS, "- [ ] A. red\n- [ ] B. blue\n- [ ] C. green"),
    (YesNo(True), "So the lines are not visible here."),
    (YesNo(True), "Thus, the two bars are not the same."),
    (YesNo(True), "The two lines do not cross in the first picture, but they do in the second."),
]


@pytest.mark.parametrize(("answer", "reply", "parsed"), READ, ids=lambda value: value if isinstance(value, str) else "")
def test_a_sentence_that_asserts_one_value_is_an_answer(answer: Answer, reply: str, parsed: str) -> None:
    assert answer.score(reply).parsed_answer == parsed


@pytest.mark.parametrize(("answer", "reply"), NOT_READ, ids=lambda value: value if isinstance(value, str) else "")
def test_a_sentence_that_does_not_commit_to_one_is_none(answer: Answer, reply: str) -> None:
    assert answer.score(reply).parsed_answer is None


def test_options_that_differ_in_signs_are_options() -> None:
    for options in (("-90°", "90°"), ("x < y", "x > y"), ("(0, -1)", "(0, 1)"), ("<", ">", "=")):
        assert Choice(options, 1).score("B").credit == 1
    for options in (("x - y", "x-y"), ("West", "west."), ("5", " - ")):
        with pytest.raises(ValueError, match="different texts"):
            Choice(options, 0)


BENCHMARK = Path(__file__).parents[1] / "benchmarks" / "extraction.py"
REPLIES = Path(__file__).parents[2] / "shared" / "replies"


@pytest.mark.skipif(not REPLIES.is_dir(), reason="the replies of models are not part of the repository")
def test_of_real_replies_few_stated_answers_are_rejected_and_none_is_misread() -> None:
    ran = subprocess.run([sys.executable, str(BENCHMARK), str(REPLIES / "open.jsonl")], capture_output=True, text=True, check=True)
    (overall,) = re.findall(r"^all +(\d+) +(\d+) \(.*?\) +(\d+) \(.*?\) +(\d+) +(\d+)", ran.stdout, re.MULTILINE)
    stated, rejected, misread, silent, accepted = map(int, overall)
    assert rejected <= 0.12 * stated
    assert misread <= 2
    assert accepted <= 0.02 * silent

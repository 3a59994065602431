"""Questions about imagined rotations: two derivations of the key, options and distractor types."""

from __future__ import annotations

import pytest

from isovist.core.rng import Rng
from isovist.people.text_to_image import rotation_questions
from isovist.people.text_to_image.facing_directions import KEYS, WORDS
from isovist.world.scenes.distractor_types import OPPOSITE_ROTATION


@pytest.mark.parametrize(
    ("key", "text", "right"),
    [
        ("4", "rotated by 90 degrees clockwise as seen from above.", "Away from you"),
        ("4", "rotated by 90 degrees to its own left.", "Toward you"),
        ("6", "rotated by 90 degrees to its own left.", "Away from you"),
        ("2", "rotated by 90 degrees to its own right.", "To your left"),
        ("8", "rotated by 45 degrees to its own right.", "Away from you and to your right"),
        ("1", "rotated by 180 degrees counterclockwise as seen from above.", "Away from you and to your right"),
        ("2", "by 135 degrees clockwise as seen from above, then by 45 degrees to its own right.", "Away from you"),
    ],
)
def test_the_second_derivation_knows_left_from_right(key: str, text: str, right: str) -> None:
    place = rotation_questions.second(key, text, WORDS)
    assert place is not None
    assert WORDS[place] == right


def test_the_second_derivation_is_no_copy_of_the_first() -> None:
    made = rotation_questions.question(Rng("x"), rotation_questions.ONE, "car", 6, 0, 2)
    turned = made.text.replace("counterclockwise", "?").replace("clockwise", "counterclockwise").replace("?", "clockwise")
    turned = turned.replace("own left", "?").replace("own right", "own left").replace("?", "own right")
    assert rotation_questions.second(KEYS[6], made.text, made.answer.options) == 2
    assert rotation_questions.second(KEYS[6], turned, made.answer.options) == made.errors.index(OPPOSITE_ROTATION)
    assert rotation_questions.second(KEYS[6], "It does not turn.", made.answer.options) is None


@pytest.mark.parametrize("task", rotation_questions.TASKS)
def test_questions_are_balanced_and_name_what_leads_to_each_option(task: str) -> None:
    for facing in range(8):
        for after in range(8):
            if after == facing:
                continue
            for letter in range(4):
                made = rotation_questions.question(Rng("q", task, facing, after, letter), task, "car", facing, after, letter)
                assert made.answer.truth == letter
                assert made.answer.options[letter] == WORDS[after]
                assert [bool(error) for error in made.errors] == [i != letter for i in range(4)]
                if rotation_questions.NOT_ROTATED in made.errors:
                    assert made.answer.options[made.errors.index(rotation_questions.NOT_ROTATED)] == WORDS[facing]
                assert sum(turn.eighths for turn in made.turns) % 8 == (after - facing) % 8
                assert len(made.turns) == (1 if task == rotation_questions.ONE else 2)
    with pytest.raises(ValueError, match="back to its first"):
        rotation_questions.question(Rng("q"), task, "car", 2, 2, 0)

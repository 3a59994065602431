"""What is particular to one kind of answer: circles and senses, several right cells, shared credit."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isovist.core.answers import Cell, CellPath, Choice, Count, CountTuple, JointAnswer, Number, WordSequence, WordSubset, YesNo
from isovist.core.answers.extraction.normalize import is_thinking_token, opened_thinking
from isovist.core.answers.structured import score_structured
from isovist.core.rng import Rng

degrees = st.integers(-720_000, 720_000).map(lambda n: n / 1000)


# ---- numbers -------------------------------------------------------------------------------------------------------


@given(degrees, degrees)
def test_on_a_circle_the_error_is_the_short_way_round(truth: float, value: float) -> None:
    error = Number(truth, 5, 0, 360, 360).error(value)
    assert -180 <= error < 180
    turned = math.radians(truth + error - value)
    assert math.cos(turned) == pytest.approx(1, abs=1e-9)


@given(degrees, degrees)
def test_without_a_period_the_error_is_the_difference(truth: float, value: float) -> None:
    assert Number(truth, 5, -720, 720).error(value) == value - truth


@given(degrees, st.integers(-3, 3))
def test_whole_turns_do_not_matter_on_a_circle(truth: float, turns: int) -> None:
    answer = Number(truth, 5, 0, 360, 360)
    assert answer.score(f"Answer: {truth + 360 * turns:.3f}").credit == 1
    assert answer.score(f"Answer: {truth + 360 * turns + 180:.3f}").credit == 0


@pytest.mark.parametrize(
    ("reply", "value"),
    [
        ("355", 1),
        ("5", 1),
        ("-5", 1),
        ("365", 1),
        ("340.1", 1),
        ("20", 1),
        ("20.1", 0),
        ("339.9", 0),
        ("180", 0),
        ("10 degrees", 1),
        ("10°", 1),
    ],
)
def test_the_tolerance_reaches_over_the_seam(reply: str, value: float) -> None:
    assert Number(0, 20, 0, 360, 360, "degrees").score(reply).credit == value


@pytest.mark.parametrize(
    ("sense", "reply", "parsed"),
    [
        ("clockwise", "90 degrees clockwise", "90"),
        ("clockwise", "90 degrees counterclockwise", "-90"),
        ("clockwise", "90° anti-clockwise", "-90"),
        ("clockwise", "90° ccw", "-90"),
        ("clockwise", "-90", "-90"),
        ("clockwise", "Answer: 90 degrees clockwise", "90"),
        ("clockwise", "The answer is 45 degrees counter-clockwise.", "-45"),
        ("counterclockwise", "90 degrees clockwise", "-90"),
        ("counterclockwise", "90 degrees counter clockwise", "90"),
        ("counterclockwise", "90", "90"),
        ("", "90", "90"),
        ("", "90 degrees clockwise", "90"),
        ("", "90 degrees counterclockwise", "90"),  # the question asks for no sense
        ("clockwise", "90 degrees clockwise or counterclockwise", None),
    ],
)
def test_a_reply_may_name_the_sense_of_its_turn(sense: str, reply: str, parsed: str | None) -> None:
    answer = Number(90, 1, -180, 180, 0, "degrees", sense)  # pyright: ignore[reportArgumentType] - from a list of texts
    assert answer.score(reply).parsed_answer == parsed


@pytest.mark.parametrize("truth", [0.000012, 1e-7, 123456.789, 1e15, 12345678.9, -0.000012])
def test_the_key_of_a_number_is_written_in_plain_digits(truth: float) -> None:
    answer = Number(truth, abs(truth) / 10, truth - 1, truth + 1)
    assert "e" not in answer.canonical()
    assert answer.score(answer.canonical()).credit == 1


@pytest.mark.parametrize("reply", ["1.2e-05", "3e5", "It is 1.5e-3.", "Answer: 2e3"])
def test_a_number_with_an_exponent_is_not_read_as_its_exponent(reply: str) -> None:
    value = float(reply.removeprefix("It is ").removeprefix("Answer: ").rstrip("."))
    for digits in ("5", "-5", "05", "3", "-3", "2", "1.5"):
        score = Number(float(digits), 0.01, -10, 10).score(reply)
        assert score.parsed_answer is None or float(score.parsed_answer) == value


@given(st.integers(0, 360), st.integers(1, 89))
def test_the_chance_of_a_number_is_the_share_that_is_right(truth: int, tolerance: int) -> None:
    circle = Number(truth, tolerance, 0, 360, 360)
    assert circle.chance() == pytest.approx(2 * tolerance / 360)
    line = Number(truth, tolerance, 0, 360)
    assert line.chance() == pytest.approx((min(360, truth + tolerance) - max(0, truth - tolerance)) / 360)


@pytest.mark.parametrize("truth", [-400.0, -360.0, 725.0, 1080.0])
def test_chance_knows_a_key_given_in_other_turns(truth: float) -> None:
    answer = Number(truth, 18, 0, 360, 360)
    assert answer.score(str(truth % 360)).credit == 1
    assert answer.chance() == pytest.approx(0.1)


# ---- counts --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("reply", ["7", "seven", "7.", "**7**", "7 circles", "Answer: seven", "There are 7 circles.", "3 + 4 = 7", "7.0"])
def test_a_count_may_be_written_in_many_ways(reply: str) -> None:
    assert Count(7).score(reply).outcome == "correct"


@pytest.mark.parametrize("reply", ["7.5", "between 6 and 7", "at least 7", "about 6 or 7", "6-7", "no idea", "7?", "17", "70", "-7", "7%"])
def test_what_is_near_a_count_is_not_the_count(reply: str) -> None:
    assert Count(7).score(reply).credit == 0


def test_counts_may_be_labelled_in_any_order() -> None:
    answer = CountTuple((3, 4), ("red", "blue"))
    for reply in ("3, 4", "(3, 4)", "red: 3, blue: 4", "blue: 4, red: 3", "3 red and 4 blue", '{"blue": 4, "red": 3}', "Answer: 3 and 4"):
        assert answer.score(reply).outcome == "correct", reply
    for reply in ("4, 3", "red: 4, blue: 3", "3", "3, 4, 5", "3 red", "3 red, 4 red", '{"red": 3}'):
        assert answer.score(reply).credit == 0, reply


# ---- cells and paths -----------------------------------------------------------------------------------------------


def test_any_of_the_right_cells_is_right() -> None:
    answer = Cell(((1, 2), (3, 3)), 3, 3)
    assert answer.score("(1, 2)").outcome == answer.score("Answer: row 3, column 3").outcome == "correct"
    assert answer.score("column 2, row 1").outcome == "correct"  # told by name, in the other order
    assert answer.score("(2, 1)").outcome == "incorrect"  # bare numbers are row and column
    assert answer.canonical() == "(1, 2)"
    assert answer.chance() == pytest.approx(2 / 9)
    assert len(answer.wrong_answers()) == 7
    assert all(answer.score(wrong).outcome == "incorrect" for wrong in answer.wrong_answers())


def test_two_right_cells_at_once_are_no_one_cell() -> None:
    assert Cell(((1, 2), (3, 3)), 3, 3).score("(1, 2) or (3, 3)").credit == 0
    assert Cell(((1, 2), (3, 3)), 3, 3).score("Answer: (1, 2)\nAnswer: (3, 3)").credit == 0


def test_a_cell_outside_the_grid_is_wrong() -> None:
    assert Cell(((1, 2),), 3, 3).score("(7, 7)").outcome == "incorrect"


@pytest.mark.parametrize(
    "reply", ["(1, 1) -> (1, 2) -> (2, 2)", "(1,1),(1,2),(2,2)", "[[1, 1], [1, 2], [2, 2]]", "1. (1, 1)\n2. (1, 2)\n3. (2, 2)"]
)
def test_a_path_may_be_written_in_many_ways(reply: str) -> None:
    assert CellPath(((1, 1), (1, 2), (2, 2)), 2, 2).score(reply).outcome == "correct"


@pytest.mark.parametrize("reply", ["(2, 2), (1, 2), (1, 1)", "(1, 1), (2, 2)", "(1, 1), (1, 2), (2, 2), (2, 1)", "(1, 1)"])
def test_another_path_is_wrong(reply: str) -> None:
    assert CellPath(((1, 1), (1, 2), (2, 2)), 2, 2).score(reply).credit == 0


# ---- lists ---------------------------------------------------------------------------------------------------------


def test_order_matters_in_a_sequence_and_not_in_a_set() -> None:
    colours = ("red", "green", "blue")
    assert WordSequence(("red", "blue"), colours).score("blue, red").outcome == "incorrect"
    assert WordSubset(("red", "blue"), colours).score("blue, red").outcome == "correct"
    assert WordSubset((), colours).score("none").outcome == "correct"
    assert WordSubset((), colours).score("red").outcome == "incorrect"


def test_a_word_is_no_sequence_of_its_letters() -> None:
    letters = tuple("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
    assert WordSequence(("A", "B", "C", "D"), letters).score("ABCD").outcome == "correct"
    for reply in ("sorry", "I do not know", "unclear", "A or B"):
        assert WordSequence(("A", "B"), letters).score(reply).parsed_answer is None, reply


# ---- fields --------------------------------------------------------------------------------------------------------

PARTS = (("way", Choice(("up", "down", "left", "right"), 1)), ("dots", Count(3)), ("red", YesNo(True)))


def test_shared_credit_is_the_share_of_right_parts() -> None:
    shared = JointAnswer(PARTS, "share")
    assert shared.score('{"way": "B", "dots": 3, "red": "yes"}').outcome == "correct"
    two = shared.score('{"way": "B", "dots": 4, "red": "yes"}')
    assert (two.outcome, two.credit) == ("partial", pytest.approx(2 / 3))
    one = shared.score('{"way": "B or C", "dots": 4, "red": "yes"}')
    assert (one.outcome, one.credit) == ("partial", pytest.approx(1 / 3))
    assert shared.score('{"way": "A", "dots": 4, "red": "no"}').outcome == "incorrect"


def test_without_shared_credit_one_fault_is_too_many() -> None:
    whole = JointAnswer(PARTS)
    assert whole.score('{"way": "B", "dots": 3, "red": "yes"}').credit == 1
    assert whole.score('{"way": "B", "dots": 4, "red": "yes"}').outcome == "incorrect"
    assert whole.score('{"way": "B or C", "dots": 3, "red": "yes"}').outcome == "unparsed"


def test_names_and_their_order_are_forgiving_and_a_missing_name_is_not() -> None:
    whole = JointAnswer(PARTS)
    assert whole.score('Sure!\n```json\n{"RED": "yes", "Way": "down", "dots": "three"}\n```').credit == 1
    assert whole.score("way: B\ndots: 3\nred: yes").credit == 1
    assert whole.score('{"way": "B", "dots": 3}').outcome == "unparsed"


def test_two_objects_that_differ_are_no_answer() -> None:
    right, wrong = '{"way": "B", "dots": 3, "red": "yes"}', '{"way": "A", "dots": 3, "red": "yes"}'
    assert JointAnswer(PARTS).score(f"{right}\n{right}").credit == 1
    assert JointAnswer(PARTS, "share").score(f"{right}\n{wrong}").credit == 0
    assert JointAnswer(PARTS).score(f"{wrong}\nWait, no.\n{right}").credit == 0


def test_the_chance_of_fields_follows_their_credit() -> None:
    assert JointAnswer(PARTS).chance() == pytest.approx(1 / 4 / 11 / 2)
    assert JointAnswer(PARTS, "share").chance() == pytest.approx((1 / 4 + 1 / 11 + 1 / 2) / 3)
    guesses = [JointAnswer(PARTS, "share").score(JointAnswer(PARTS, "share").random_answer(Rng(i))).credit for i in range(400)]
    assert {round(3 * value) for value in guesses} >= {0, 1, 2}


# ---- what the prompt says ------------------------------------------------------------------------------------------


def test_options_are_listed_by_letter_and_only_where_there_are_options() -> None:
    assert PARTS[0][1].options_text() == "A. up\nB. down\nC. left\nD. right"
    assert JointAnswer(PARTS).options_text() == "way:\nA. up\nB. down\nC. left\nD. right"
    assert Count(1).options_text() == YesNo(True).options_text() == WordSubset((), ("a", "b")).options_text() == ""


def test_a_form_tells_all_that_a_reply_needs_and_never_the_key() -> None:
    assert Choice(("up", "down"), 0).format_instruction() == Choice(("up", "down"), 1).format_instruction()
    assert "degrees" in Number(90, 1, 0, 360, 360, "degrees", "clockwise").format_instruction()
    assert "clockwise positive" in Number(90, 1, 0, 360, 360, "degrees", "clockwise").format_instruction()
    assert all(label in CountTuple((1, 2), ("red", "blue")).format_instruction() for label in ("red", "blue"))
    assert WordSubset((), ("a", "b")).format_instruction() == WordSubset(("a",), ("a", "b")).format_instruction()
    assert WordSequence(("a",), ("a", "b")).format_instruction() == WordSequence(("b", "b"), ("a", "b")).format_instruction()


# ---- objects that are no JSON ----------------------------------------------------------------------------------------

TWO_CHOICES = JointAnswer(
    (("position", Choice(("Front", "Left", "Right"), 1)), ("actions", Choice(("Go ahead", "Turn left, then go ahead", "Turn right"), 1)))
)


@pytest.mark.parametrize(
    ("reply", "outcome"),
    [
        ("Answer: {position: B, actions: B}", "correct"),
        ("Answer: {'position': 'B', 'actions': 'B'}", "correct"),
        ("{'position': 'B', 'actions': \"B\"}", "correct"),
        ("```\n{\n  position: B,\n  actions: B,\n}\n```", "correct"),
        ("{position: Left, actions: Turn left, then go ahead}", "correct"),
        ("**Answer:** position: B, actions: B", "correct"),
        ("{'answer': {'position': 'B', 'actions': 'B'}}", "correct"),
        ("Answer: {position: B, actions: C}", "incorrect"),
        ("Answer: {position: B or C, actions: B}", "unparsed"),
        ("Answer: {position: B. Right, actions: B}", "unparsed"),
        ("Answer: {position: B, position: C, actions: B}", "unparsed"),
        ("Answer: {'position': 'B, 'actions': 'B'}", "unparsed"),
        ("Answer: {position: B, actions: }", "unparsed"),
        ("{position: B, actions: B}\n{position: C, actions: B}", "unparsed"),
        ("{position: B, actions: B} or {position: C, actions: C}", "unparsed"),
        ("The answer is not {position: B, actions: B}.", "unparsed"),
        ("The form is {position: B, actions: B}", "unparsed"),
    ],
)
def test_an_object_is_read_without_its_quotes(reply: str, outcome: str) -> None:
    assert TWO_CHOICES.score(reply).outcome == outcome


# ---- marks, tags and tokens ------------------------------------------------------------------------------------------

FRUIT = Choice(("plum", "pear", "fig"), 1)
MARKS = [
    ("<think>", "</think>"),
    ('<think budget="low">', "</think>"),
    ("<Thinking>", "</thinking>"),
    ("<seed:think>", "</seed:think>"),
    ("<thought_process>", "</thought_process>"),
    ("<scratch_pad>", "</scratch_pad>"),
    ("◁think▷", "◁/think▷"),
    ("[THINK]", "[/THINK]"),
    ("<|channel>thought\n", "<channel|>"),
    ("<unused94>thought\n", "<unused95>"),
    ("<|START_THINKING|>", "<|END_THINKING|>"),
    ("<|inner_prefix|>", "<|inner_suffix|>"),
    ("<|open|>think<|sep|>", "<|close|>think<|sep|>"),
    ("<|channel|>analysis<|message|>", "<|end|>"),
    ("<|channel|>commentary<|message|>", "<|call|>"),
    ('<details type="reasoning" done="true">', "</details>"),
]


@pytest.mark.parametrize(("start", "end"), MARKS)
def test_thinking_is_removed_and_never_hides_the_response(start: str, end: str) -> None:
    thought = "The skin is thin. Answer: A. A plum, or <b>not</b>?"
    closed = f"{start}{thought}{end}"
    assert FRUIT.score(f"{closed}B").parsed_answer == "B"
    assert FRUIT.score(f"{closed}\n<answer>B</answer>").parsed_answer == "B"
    assert FRUIT.score(f"Answer: B\n{closed}").parsed_answer == "B"
    assert FRUIT.score(f"{closed}{closed}Answer: B</s>").parsed_answer == "B"
    assert score_structured(FRUIT, f'{closed}{{"reasoning": "", "answer": "B"}}').parsed_answer == "B"
    for unclosed in (closed, f"{start}{thought}", f"{start}{thought}{end[:-1]}", f"{start}{thought}\n\nB"):
        assert FRUIT.score(unclosed).outcome == "empty"
    assert score_structured(FRUIT, f'{start}{{"reasoning": "", "answer": "B"}}').parsed_answer is None
    assert score_structured(FRUIT, f'{start}{{"reasoning": "", "answer": "B"}}{end}').parsed_answer is None


@pytest.mark.parametrize(
    "reply",
    [
        "<|channel|>analysis<|message|>A?<|end|><|start|>assistant<|channel|>final<|message|>B<|return|>",
        '<|channel|>final <|constrain|>json<|message|>{"answer": "B"}<|return|>',
        "analysisIt may be a plum. Answer: A.assistantfinalAnswer: B",
        "<|START_THINKING|>A<|END_THINKING|><|START_RESPONSE|>B<|END_RESPONSE|>",
        "It may be a plum: A.[/THINK]B",
        "<think>A</think>\n<response>\nThe answer is B.\n</response>",
        "<think/>B",
        "Answer: B\n<details><summary>Why</summary>It is long.</details>",
        "B<|end|>",
        *(f"Answer: B{token}" for token in ("<turn|>", "<|im_end|>", "<end_of_turn>", "<|eot_id|>", "<EOS>", "<｜end▁of▁sentence｜>", "[|endofturn|]", "<0x0A>")),
        "<|im_start|>assistant\nB<|im_end|>",
    ],
)  # fmt: skip
def test_tokens_of_models_are_no_part_of_the_response(reply: str) -> None:
    assert FRUIT.score(reply).parsed_answer == "B"


def test_an_analysis_without_a_final_message_is_thinking() -> None:
    assert FRUIT.score("analysisThe fruit is long. Answer: B").outcome == "empty"
    assert FRUIT.score("analysis: it is long. Answer: B").parsed_answer == "B"


def test_the_marks_of_a_local_model_come_from_the_table() -> None:
    for token in (
        "<think>",
        "◁/think▷",
        "[THINK]",
        "<|channel>",
        "<channel|>",
        "<|channel|>",
        "<|message|>",
        "<|END_THINKING|>",
        "<unused95>",
    ):
        assert is_thinking_token(token), token
    for token in ("<s>", "</s>", "<|im_end|>", "<|box|>", "<image>", "<turn|>", "[INST]"):
        assert not is_thinking_token(token), token
    assert opened_thinking("user: why?\n<think>\n") == "<think>\n"
    assert opened_thinking("user\n<|channel>thought\n<channel|>") == opened_thinking("<think>a</think> b") == opened_thinking("") == ""


@pytest.mark.parametrize(
    ("reply", "label"),
    [
        ("<ans>B</ans>", "B"),
        ("It is long.\n<ANS> (B) pear </ANS>", "B"),
        ("<final_answer>B</final_answer>", "B"),
        ("<conclusion>The answer is B.</conclusion>", "B"),
        ('<answer kind="letter">B</answer>', "B"),
        ("<solution>\nIt is long and green.\n\nAnswer: B\n</solution>", "B"),
        ("<answer>\nIt is long and green.\nB\n</answer>", "B"),
        ('<answer>{"answer": "B"}</answer>', "B"),
        ("[ANSWER]B[/ANSWER]", "B"),
        ("B</answer>", "B"),
        ("<ans>B", "B"),
        ("<ans>B</ans><ans>C</ans>", None),
        ("<ans>B or C</ans>", None),
        ("<ans>Answer: B\nAnswer: C</ans>", None),
        ("<ans>\nB\n\nC\n</ans>", None),
        (r"\boxed{B}, \boxed{B}", "B"),
        ("<ans>B. fig</ans>", None),
        ("<conclusion>It is either a pear or a fig.</conclusion>", None),
        ("A pear. <ans></ans>", None),
        ("<ans>your answer</ans>", None),
        ("[ANSWER]", None),
    ],
)
def test_an_answer_tag_holds_a_value_a_sentence_or_a_response(reply: str, label: str | None) -> None:
    assert FRUIT.score(reply).parsed_answer == label


def test_an_answer_tag_holds_a_list() -> None:
    fruits = WordSubset(("plum",), ("plum", "pear", "fig", "lime"))
    for reply in (
        "<ans>pear, fig</ans>",
        "Of these:\n<conclusion>pear and fig</conclusion>",
        "<ans>\npear\nfig\n</ans>",
        r"\boxed{pear} \quad \boxed{fig}",
    ):
        assert fruits.score(reply).parsed_answer == "pear, fig", reply  # fmt: skip
    assert fruits.score(r"\boxed{pear} \boxed{fig}").outcome == fruits.score(r"\boxed{pear, fig}, \boxed{lime}").outcome == "unparsed"
    assert FRUIT.score(r"\boxed{B} \quad \boxed{C}").outcome == "unparsed"


@pytest.mark.parametrize(
    "value",
    [
        *(rf"\{font}{{B}}" for font in ("texttt", "textsf", "textsc", "boldsymbol", "bm", "underline", "emph", "mathcal", "hbox")),
        r"\mathbf{\text{B}}",
        r"\textbf{(B) }\text{pear}",
        r"\text{\textit{\underline{B}}}",
        r"\displaystyle B",
        r"{\bf B}",
        r"\textcolor{blue}{B}",
        r"\quad B \quad",
        r"\left(B\right)",
    ],
)
def test_fonts_of_latex_do_not_matter(value: str) -> None:
    for reply in (rf"\boxed{{{value}}}", rf"It is long. \[\boxed{{{value}}}\]", rf"The answer is \({value}\).", rf"\fbox{{{value}}}"):
        assert FRUIT.score(reply).parsed_answer == "B", reply


@pytest.mark.parametrize("text", ["𝐁", "𝖡", "𝙱", "Ⓑ", "🅱️", "🄱", "⒝", "Ｂ", "🅑"])
def test_a_letter_in_any_font_is_the_letter(text: str) -> None:
    assert FRUIT.score(f"Answer: {text}").parsed_answer == "B"


@pytest.mark.parametrize("text", ["৪", "४", "٤", "۴", "๔", "௪", "４", "𝟒", "④", "❹", "4️⃣", "四", "四个"])
def test_a_digit_of_any_script_is_the_digit(text: str) -> None:
    for label in ("Answer: ", "答案：", "উত্তর: ", "پاسخ: ", "คำตอบ: ", ""):
        assert Count(4).score(label + text).parsed_answer == "4"


def test_a_numeral_inside_a_word_is_no_number() -> None:
    assert Count(4).score("答案：十二").parsed_answer == "12"
    assert Count(4).score("一共有4个圆。").parsed_answer == "4"
    for reply in ("答案：三角形", "第三", "x²", "⁴"):
        assert Count(3).score(reply).outcome == "unparsed"


@pytest.mark.parametrize(
    "label",
    ["Jawaban: ", "Jawabannya adalah ", "答案為 ", "因此答案是", "我選擇", "정답: ", "الإجابة هي ", "Відповідь: ", "תשובה: ", "Đáp án là "],
)
def test_labels_of_many_languages(label: str) -> None:  # fmt: skip
    assert FRUIT.score(f"{label}B").parsed_answer == "B"
    assert FRUIT.score(f"{label}B\n{label}C").outcome == "unparsed"


@pytest.mark.parametrize(
    "words", ["نعم لا", "हाँ नहीं", "হ্যাঁ না", "بله خیر", "так ні", "evet hayır", "ya tidak", "ใช่ ไม่ใช่", "כן לא", "ναι όχι", "네 아니요", "対 いいえ", "對 否"]
)  # fmt: skip
def test_yes_and_no_of_many_languages(words: str) -> None:
    yes, no = words.replace("対", "はい").split()
    for label in ("", "الإجابة: ", "Jawaban: ", "답: "):
        assert [YesNo(True).score(label + word).parsed_answer for word in (yes, no)] == ["yes", "no"]


@pytest.mark.parametrize("options", [("①", "②"), ("٣", "٤"), ("Ａ組", "Ｂ組"), ("𝐱", "𝐲"), ("x²", "x³")])
def test_options_may_have_unusual_characters(options: tuple[str, str]) -> None:
    for reply in (options[1], f"Answer: {options[1]}", f"B. {options[1]}", f"The answer is {options[1]}."):
        assert Choice(options, 0).score(reply).parsed_answer == "B"
    assert Choice(options, 0).score(f"A. {options[1]}").outcome == "unparsed"


@pytest.mark.parametrize(
    "reply",
    [
        '{"reasoning": "", "answer": "B"}<|im_end|>',
        '<|im_start|>{"reasoning": "", "answer": "B"}</s>\n',
        '```json\n{"reasoning": "", "answer": "B"}\n```<turn|>',
        '{"reasoning": "It is long\nand green,\tso", "answer": "B"}',
        '{"reasoning": "<think>", "answer": "B"}<|end|>',
    ],
)
def test_a_structured_reply_has_the_same_marks(reply: str) -> None:
    assert score_structured(FRUIT, reply).parsed_answer == "B"

"""Replies that try to be paid without an answer, or for more answers than one, for any kind of answer."""

from __future__ import annotations

import json
from collections.abc import Sequence

from isovist.core.answers import Answer, CellPath, Choice, JointAnswer, WordSubset, YesNo
from isovist.core.answers import WordSequence as Ordered

# letters of other alphabets that look like Latin ones, and characters that show nothing
LOOK_ALIKE = str.maketrans("ABCEHIKMOPTXaceopxyn0123456789", "ΑВСЕНІКМОРТХасеорхуո０１２３４５６７８９")
UNSEEN = "\u200b\u2060\u00ad\ufeff"


def _json(**members: object) -> str:
    return json.dumps(members, ensure_ascii=False)


def others(answer: Answer) -> list[str]:
    """Answers that are wrong, also when they are joined to the key."""
    wrong = answer.wrong_answers()
    if isinstance(answer, WordSubset):  # beside the key, a part of it says nothing new
        wrong = [", ".join(word for word in answer.vocabulary if word not in answer.truth)]
    return [text for text in wrong if text]


def several(answer: Answer, truth: str, wrong: str) -> dict[str, str]:
    """Replies that give two answers, by what they try."""
    many = {
        "two lines": f"Answer: {truth}\nAnswer: {wrong}",
        "two lines, spaced": f"Answer: {truth}\n\n\nAnswer: {wrong}",
        "again and again": f"Answer: {truth}\nAnswer: {wrong}\n" * 8 + f"Answer: {truth}",
        "on one line": f"Answer: {truth} Answer: {wrong}",
        "with or": f"Answer: {truth} or {wrong}",
        "with a slash": f"Answer: {truth} / {wrong}",
        "with perhaps": f"Answer: {truth}, perhaps {wrong}",
        "in brackets": f"Answer: {truth} (or {wrong})",
        "either": f"Answer: either {truth} or {wrong}",
        "both": f"Both {truth} and {wrong} are correct.",
        "an afterthought": f"Answer: {truth}\n\nOr maybe {wrong}.",
        "also": f"Answer: {truth}. It could also be {wrong}.",
        "a second guess": f"Answer: {truth}\nSecond guess: {wrong}",
        "two boxes": f"\\boxed{{{truth}}} \\boxed{{{wrong}}}",
        "two boxes, two lines": f"\\boxed{{{truth}}}\n\\boxed{{{wrong}}}",
        "one box": f"\\boxed{{{truth} \\text{{ or }} {wrong}}}",
        "two tags": f"<answer>{truth}</answer><answer>{wrong}</answer>",
        "two tags, two lines": f"<answer>{truth}</answer>\n<answer>{wrong}</answer>",
        "one tag": f"<answer>{truth} or {wrong}</answer>",
        "JSON with a list": _json(answer=[truth, wrong]),
        "JSON with two names": _json(answer=truth, final_answer=wrong),
        "JSON with one name twice": f"{_json(answer=truth)[:-1]}, {_json(answer=wrong)[1:]}",
        "JSON twice": f"{_json(answer=truth)}\n{_json(answer=wrong)}",
        "a box and a line": f"\\boxed{{{wrong}}}\nAnswer: {truth}",
        "a tag and a line": f"<answer>{wrong}</answer>\nAnswer: {truth}",
        "full width": f"Answer: {truth}\nＡｎｓｗｅｒ： {wrong}",
        "unseen characters": f"Answer: {truth}\nAns{UNSEEN}wer: {wrong}",
        "a comment": f"Answer: {truth} <!-- or {wrong} -->",
    }
    if isinstance(answer, (Ordered, WordSubset)):
        del many["with a slash"]  # there a slash makes one list
    return many


def _cases(answer: Answer) -> list[tuple[str, str]]:
    truth = answer.canonical()
    return [pair for wrong in others(answer)[:2] for pair in ((truth, wrong), (wrong, truth))]


def listed(answer: Answer) -> dict[str, str]:
    """Replies that list all there is, or much of it."""
    truth = answer.canonical()
    all_of = [truth, *others(answer)]
    if isinstance(answer, YesNo):
        all_of = ["yes", "no"]
    if isinstance(answer, (Ordered, WordSubset, CellPath, JointAnswer)) or len(all_of) < 2:
        return {"all of them": "\n".join(f"Answer: {text}" for text in all_of)} if len(all_of) > 1 else {}
    return {
        "all of them": ", ".join(all_of),
        "all of them, said": f"Answer: {', '.join(all_of)}",
        "all of them, with or": f"Answer: {' or '.join(all_of)}",
        "all of them, by line": "\n".join(all_of),
        "all of them, by answer line": "\n".join(f"Answer: {text}" for text in all_of),
        "all of them, as bullets": "Answer:\n" + "\n".join(f"- {text}" for text in all_of),
        "all of the above": f"Answer: all of the above ({', '.join(all_of)})",
    }


def vague(answer: Answer) -> dict[str, str]:
    """Replies that give the key and leave it open, or have it where nobody is told."""
    truth = answer.canonical()
    return {
        "or something else": f"Answer: {truth} or something else",
        "or something else, in full": f"Answer: {truth} or something else entirely.",
        "or anything": f"Answer: {truth} or any other",
        "denied": f"The answer is not {truth}.",
        "asked": f"Answer: {truth}?",
        "thought only": f"<think>Answer: {truth}</think>",
        "thought only, and words": f"<think>\nAnswer: {truth}\n</think>\nI have thought about it.",
        "thought without an end": f"<think>Answer: {truth}",
        "an empty tag": f"I see {truth}. <answer></answer>",
        "a look-alike tag": f"<answer></answer><think>{truth}</think>",
        "said, then taken back": f"Answer: {truth}\nSorry, that is wrong.",
    }


def empty(answer: Answer) -> dict[str, str]:
    """Replies with the form of an answer and none in it."""
    listing, form = answer.options_text(), answer.format_instruction()
    return {
        "nothing": "",
        "spaces": " \n\t ",
        "a bare label": "Answer:",
        "a label and a stop": "Answer: .",
        "tags": "<answer></answer>",
        "tags with a space": "<answer> </answer>",
        "a box": "\\boxed{}",
        "JSON": '{"answer": ""}',
        "JSON with nothing": '{"answer": null}',
        "the form": f"Answer: {form}",
        "the prompt": f'{listing}\nYou may reason first. End your response with one line: "Answer:" followed by {form}.',
        "the prompt and a label": f"{listing}\n{form}\nAnswer:",
        "a refusal": "I'm sorry, but I can't help with that.",
        "a placeholder": "Answer: [your answer here]",
        "a placeholder in a box": "\\boxed{answer}",
        "dots": "Answer: ...",
    }


def looking_alike(answer: Answer) -> dict[str, str]:
    """A second answer in letters of another alphabet, where it has such letters."""
    replies: dict[str, str] = {}
    if isinstance(answer, Choice):
        truth = answer.canonical()
        for wrong in others(answer):
            if (seen := wrong.translate(LOOK_ALIKE)) != wrong:
                replies[f"looks like {wrong}"] = f"Answer: {truth}\nAnswer: {seen}"
                replies[f"looks like {wrong}, beside"] = f"Answer: {truth} or {seen}"
    return replies


def hacks(answer: Answer) -> list[tuple[str, str]]:
    """Names and replies, none of which may be paid."""
    named_replies = [pair for truth, wrong in _cases(answer) for pair in several(answer, truth, wrong).items()]
    for more in (listed, vague, empty, looking_alike):
        named_replies += more(answer).items()
    return named_replies


def hedges(answers: Sequence[str]) -> list[str]:
    """Replies that bring several answers in, some of which are fairly read as one of them."""
    one, two, *_ = answers
    return [
        *answers,
        *(f"Answer: {answer}" for answer in answers),
        f"Answer: {one} or {two}",
        f"Answer: {one}\nAnswer: {two}",
        f"Answer: {one}. Wait, no. Answer: {two}",
        f"I first thought of {one}, but on reflection it has to be the other one.\n\nAnswer: {two}",
        f"<think>{one}? Answer: {one}</think>Answer: {two}",
        f"It is not {one}; it is {two}.",
        f"The answer is {one}. So the answer is {two}.",
        f"Probably {one}, so {two}",
        f"\\boxed{{{one}}}, then \\boxed{{{two}}}",
        f"{one}\n{two}",
        f"{one}, {two}",
        f"Answer: {', '.join(answers)}",
        _json(reasoning=one, answer=two),
    ]

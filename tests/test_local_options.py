"""Request options of models in this process. They need torch and transformers; `just test-hf` runs them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from test_local import REQUESTS, spoilt, tiny, together  # noqa: F401  # pyright: ignore[reportUnusedImport]  (fixtures)

from isovist.common.errors import UserError
from isovist.evaluation.models import GenerationConfig
from isovist.evaluation.models.local import local


def texts(name: str, options: GenerationConfig) -> list[str]:
    replies, _ = together(name, REQUESTS, options)
    assert [reply.error for reply in replies] == [""] * len(REQUESTS)
    return [reply.text for reply in replies]


def test_a_system_prompt_stands_before_the_request(tiny: Callable[[str], Path], spoilt: Path) -> None:  # noqa: F811
    options = GenerationConfig(max_tokens=8, system_prompt="Be brief.")
    from isovist.evaluation.models.local.generation import Generation
    from isovist.evaluation.models.local.settings import settings
    from isovist.evaluation.models.local.weights import load

    model = Generation(load(settings(f"hf/{spoilt}"), options.system_prompt), options)
    (words,) = model._weights.processor.tokenizer.batch_decode(model._inputs(REQUESTS[:1])["input_ids"])
    assert words.index("SYSTEM: Be brief.") < words.index("What is in the picture?")
    assert texts(f"hf/{spoilt}", options) != texts(f"hf/{spoilt}", replace(options, system_prompt=""))

    template = spoilt / "chat_template.jinja"
    original, loop = template.read_text(), "{% for m in messages %}"
    for other in (
        "{% for m in messages if m['role'] == 'user' %}",
        "{% if messages[0]['role'] == 'system' %}{{ raise_exception('no system') }}{% endif %}" + loop,
    ):
        assert loop in original
        template.write_text(original.replace(loop, other))
        texts(f"hf/{spoilt}", replace(options, system_prompt=""))
        with pytest.raises(UserError, match=r"does not support a system prompt.*--system-prompt"):
            local(f"hf/{spoilt}", options)


def test_a_seed_repeats_samples_and_a_small_top_p_is_greedy(tiny: Callable[[str], Path]) -> None:  # noqa: F811
    name = f"hf/{tiny('llava')}?dtype=float32"
    hot = GenerationConfig(max_tokens=12, temperature=5, seed=3)
    first = texts(name, hot)
    assert texts(name, hot) == first
    assert texts(name, replace(hot, seed=4)) != first
    greedy = texts(name, GenerationConfig(max_tokens=12))
    assert texts(name, replace(hot, top_p=1e-6)) == greedy != first


def test_repetitions_of_one_seed_differ(tiny: Callable[[str], Path]) -> None:  # noqa: F811
    name, hot = f"hf/{tiny('llava')}", GenerationConfig(max_tokens=12, temperature=5, seed=3, concurrency=1)
    requests = [replace(REQUESTS[0], variant=variant) for variant in ("", "epoch:2", "epoch:3", "no-image")]
    replies, _ = together(name, requests, hot)
    plain, two, three, other = (reply.text for reply in replies)
    assert len({plain, two, three}) == 3
    assert other == plain


def test_a_stop_text_ends_its_row_only(tiny: Callable[[str], Path]) -> None:  # noqa: F811
    name = f"hf/{tiny('llava')}?dtype=float32"
    plain = GenerationConfig(max_tokens=24)
    whole, _ = together(name, REQUESTS, plain)
    stop = whole[0].text[3:6]
    for concurrency in (8, 1):
        cut, _ = together(name, REQUESTS, replace(plain, stop_seqs=("never said", stop), concurrency=concurrency))
        for before, reply in zip(whole, cut, strict=True):
            assert reply.error == ""
            assert reply.text == before.text.partition(stop)[0]
            if stop in before.text:
                assert reply.finish_reason == "stop"
                assert 0 < reply.usage["output_tokens"] <= before.usage["output_tokens"]
            else:
                assert (reply.finish_reason, reply.usage) == (before.finish_reason, before.usage)
    assert cut[0].text != whole[0].text

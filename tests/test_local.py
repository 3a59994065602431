"""`hf/PATH`: what a model in this process is fed and what it says, with tiny models of random weights.

They need torch and transformers and are skipped without them; `just test-hf` runs them all.
"""

from __future__ import annotations

import asyncio
import io
import json
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from threading import Event
from typing import Any

import numpy as np
import pytest
from PIL import Image
from workbench import RECORDS, RUN, isovist, refused, spawned

from isovist.common.errors import UserError
from isovist.evaluation.models import GenerationConfig, Local, ModelRequest, ModelResponse, model
from isovist.evaluation.models.local import local, settings
from isovist.evaluation.models.local.batches import BatchResult

KINDS = ("llava", "idefics3")


# Models -----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The folder of a tiny model, by its family."""
    for library in ("torch", "transformers", "accelerate"):
        pytest.importorskip(library, reason=f"{library} is not installed; `just test-hf` runs this")
    import tiny_vlm

    tiny_vlm.torch.set_num_threads(1)
    base = tmp_path_factory.mktemp("tiny")
    return lambda kind: base / kind if (base / kind).exists() else tiny_vlm.BUILDERS[kind](base / kind)


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def spoilt(tiny: Callable[[str], Path], tmp_path: Path) -> Path:
    """A copy of a model that a test may change."""
    return Path(shutil.copytree(tiny("llava"), tmp_path / "spoilt"))


def picture(seed: int) -> bytes:
    """60 x 60 pixels of noise, as PNG."""
    file = io.BytesIO()
    pixels = np.random.default_rng(seed).integers(0, 255, (60, 60, 3), dtype=np.uint8)
    Image.fromarray(pixels).save(file, "PNG")
    return file.getvalue()


A, B = picture(1), picture(2)
REQUESTS = [
    ModelRequest("one", "<image>\nWhat is in the picture?", (A,)),
    ModelRequest("other", "<image>\nWhat is in the picture?", (B,)),
    ModelRequest("two", "First <image> then <image>\nwhich of the two shows the flower that points North-East?", (A, B)),
    ModelRequest("turned", "First <image> then <image>\nwhich of the two shows the flower that points North-East?", (B, A)),
    ModelRequest("none", "Where?", ()),
]


def together(name: str, requests: Sequence[ModelRequest], options: GenerationConfig) -> tuple[list[ModelResponse], list[int]]:
    """The replies to requests that are sent at once, and how many the model was given at a time."""
    loaded = local(name, options)
    sizes: list[int] = []
    whole = loaded._batches._work
    assert isinstance(whole, BatchResult)
    inner = whole._replies

    def counted(requests: list[ModelRequest], stop: Event) -> list[ModelResponse]:
        sizes.append(len(requests))
        return inner(requests, stop)

    whole._replies = counted

    async def all_at_once() -> list[ModelResponse]:
        try:
            return await asyncio.gather(*(loaded.reply(request) for request in requests))
        finally:
            await loaded.close()

    return asyncio.run(all_at_once()), sizes


def engine(name: str, options: GenerationConfig | None = None) -> Any:
    """The loaded model itself."""
    from isovist.evaluation.models.local.generation import Generation
    from isovist.evaluation.models.local.weights import load

    return Generation(load(settings(name)), options or GenerationConfig(max_tokens=8))


def test_a_batch_says_what_each_alone_would(tiny: Callable[[str], Path], kind: str) -> None:
    name = f"hf/{tiny(kind)}?dtype=float32"
    batched, sizes = together(name, REQUESTS, GenerationConfig(max_tokens=24, concurrency=8))
    alone, ones = together(name, REQUESTS, GenerationConfig(max_tokens=24, concurrency=1))
    assert (sizes, ones) == ([len(REQUESTS)], [1] * len(REQUESTS)), "mixed lengths and numbers of pictures make one batch"
    assert [(reply.text, reply.usage, reply.finish_reason, reply.error) for reply in batched] == [
        (reply.text, reply.usage, reply.finish_reason, reply.error) for reply in alone
    ]
    assert len({reply.text for reply in alone}) == len(REQUESTS), "the words depend on every picture and on their order"
    assert len({reply.usage["input_tokens"] for reply in alone}) > 2, "so that rows were padded"


def test_pictures_stand_where_the_prompt_places_them(tiny: Callable[[str], Path], kind: str) -> None:
    import tiny_vlm

    model = engine(f"hf/{tiny(kind)}")
    inputs = model._inputs([REQUESTS[2], REQUESTS[0]])
    tokenizer, image = model._weights.processor.tokenizer, "<image>" * tiny_vlm.IMAGE_TOKENS[kind]
    around = image if kind == "llava" else f"<fake_token_around_image><global-img>{image}<fake_token_around_image>"
    words, short = tokenizer.batch_decode(inputs["input_ids"])
    assert f"First {around} then {around}which of the two" in words
    assert short.startswith("<pad>")
    assert not words.startswith("<pad>")
    # and they are the very pictures, in order: each like the one that is sent alone
    pixels = inputs["pixel_values"].flatten(0, 1) if kind == "idefics3" else inputs["pixel_values"]
    one, other = (model._inputs([request])["pixel_values"].reshape(pixels[0].shape) for request in REQUESTS[:2])
    assert [bool((row == one).all()) for row in pixels[:3]] == [True, False, True]
    assert bool((pixels[1] == other).all())


def test_tokens_are_counted_without_padding(tiny: Callable[[str], Path], kind: str) -> None:
    name = f"hf/{tiny(kind)}"
    replies, _ = together(name, REQUESTS, GenerationConfig(max_tokens=5))
    model = engine(name)
    for request, reply in zip(REQUESTS, replies, strict=True):
        assert reply.usage["input_tokens"] == model._inputs([request])["input_ids"].shape[1]
        assert (reply.usage["output_tokens"] == 5) if reply.finish_reason == "max_tokens" else (reply.usage["output_tokens"] <= 5), reply
        assert reply.latency_s > 0
        assert reply.served_by == name.removeprefix("hf/")


def test_a_reply_that_ends_by_itself_is_told_from_one_that_is_cut(spoilt: Path) -> None:
    first, _ = together(f"hf/{spoilt}", REQUESTS[:2], GenerationConfig(max_tokens=12))
    tokens = engine(f"hf/{spoilt}")._weights.processor.tokenizer
    config = json.loads((spoilt / "generation_config.json").read_text())
    # the fourth token of the first reply becomes an end
    model = engine(f"hf/{spoilt}", GenerationConfig(max_tokens=12))
    inputs = model._inputs(REQUESTS[:1])
    new = model._weights.model.generate(**inputs, max_new_tokens=12, do_sample=False)[0, inputs["input_ids"].shape[1] :].tolist()
    (spoilt / "generation_config.json").write_text(json.dumps({**config, "eos_token_id": [tokens.eos_token_id, new[3]]}))
    end = new.index(new[3])
    (cut, _), _ = together(f"hf/{spoilt}", REQUESTS[:2], GenerationConfig(max_tokens=12))
    assert (cut.finish_reason, cut.usage["output_tokens"]) == ("stop", end + 1)
    assert cut.text == tokens.decode(new[:end])
    assert first[0].finish_reason == "max_tokens"
    assert first[0].text.startswith(cut.text)
    (exact,), _ = together(f"hf/{spoilt}", REQUESTS[:1], GenerationConfig(max_tokens=end + 1))
    assert exact.finish_reason == "stop", "the end may be the last token there is room for"


def test_a_prompt_leaves_less_room_or_none(spoilt: Path) -> None:
    config = json.loads((spoilt / "config.json").read_text())
    config["text_config"]["max_position_embeddings"] = 60
    (spoilt / "config.json").write_text(json.dumps(config))
    replies, _ = together(f"hf/{spoilt}", REQUESTS, GenerationConfig(max_tokens=40))
    assert [reply.finish_reason for reply in replies] == ["model_length", "model_length", "error", "error", "max_tokens"]
    assert replies[0].usage["input_tokens"] + replies[0].usage["output_tokens"] == 60
    assert "reads at most 60" in replies[2].error


def test_a_reply_that_takes_too_long_is_an_error(tiny: Callable[[str], Path]) -> None:
    (reply,), _ = together(f"hf/{tiny('llava')}", REQUESTS[:1], GenerationConfig(max_tokens=2000, timeout_s=0))
    assert (reply.finish_reason, reply.text) == ("error", "")
    assert "--timeout" in reply.error


def test_the_type_and_the_device_are_those_asked_for(tiny: Callable[[str], Path], kind: str) -> None:
    import tiny_vlm

    for dtype in ("float32", "bfloat16", "float16"):
        model = engine(f"hf/{tiny(kind)}?dtype={dtype}&device=cpu")
        assert {weight.dtype for weight in model._weights.model.parameters()} == {getattr(tiny_vlm.torch, dtype)}
        assert model._weights.model.device.type == "cpu"
        assert model._inputs(REQUESTS[:1])["pixel_values"].dtype == getattr(tiny_vlm.torch, dtype)
        assert [reply.error for reply in model.replies(REQUESTS[:3], Event())] == [""] * 3
    assert engine(f"hf/{tiny(kind)}")._weights.model.dtype == tiny_vlm.torch.float32, "auto: as it was saved"


def test_a_device_that_is_not_there_is_refused(tiny: Callable[[str], Path]) -> None:
    with pytest.raises(UserError, match=r"Device cuda:99 is not available"):
        local(f"hf/{tiny('llava')}?device=cuda:99", GenerationConfig())


def test_temperature_samples_from_the_whole_distribution(spoilt: Path) -> None:
    # what a model's own settings cut off must not decide what is sampled
    config = json.loads((spoilt / "generation_config.json").read_text())
    cut = {"do_sample": True, "temperature": 0.1, "top_k": 1, "top_p": 0.01, "min_p": 1.0}
    (spoilt / "generation_config.json").write_text(json.dumps({**config, **cut}))
    same = [REQUESTS[0]] * 4
    sampled, _ = together(f"hf/{spoilt}", same, GenerationConfig(max_tokens=12, temperature=5))
    greedy, _ = together(f"hf/{spoilt}", same, GenerationConfig(max_tokens=12))
    assert [reply.error for reply in sampled] == [""] * 4
    assert len({reply.text for reply in sampled}) == 4
    assert len({reply.text for reply in greedy}) == 1


def test_marks_of_thinking_stay_and_other_marks_go(spoilt: Path) -> None:
    model = engine(f"hf/{spoilt}")
    tokenizer = model._weights.processor.tokenizer
    tokenizer.add_special_tokens({"additional_special_tokens": ["<think>", "</think>", "<|box|>"]}, replace_extra_special_tokens=False)
    model = type(model)(model._weights, GenerationConfig(max_tokens=40))
    new = tokenizer("<think>North</think>East<|box|></s>")["input_ids"]
    reply = model._reply(7, 40, [*new, tokenizer.pad_token_id])
    assert (reply.text, reply.finish_reason) == ("<think>North</think>East", "stop")
    assert reply.usage == {"input_tokens": 7, "output_tokens": len(new)}


# Models that cannot be used ---------------------------------------------------------------------------------------


def changed(path: Path, **values: object) -> None:
    path.write_text(json.dumps({**json.loads(path.read_text()), **values}))


def _no_template(model: Path) -> None:
    (model / "chat_template.jinja").unlink()


def _template_without_pictures(model: Path) -> None:
    (model / "chat_template.jinja").write_text("{% for p in messages[0]['content'] %}{{ p.get('text', '') }}{% endfor %}")


def _template_for_words(model: Path) -> None:
    (model / "chat_template.jinja").write_text("{{ messages[0]['content'] }}<image>")


def _weights_missing(model: Path) -> None:
    tensors = pytest.importorskip("safetensors.torch")
    weights = tensors.load_file(model / "model.safetensors")
    del weights[next(name for name in weights if name.endswith("lm_head.weight"))]
    tensors.save_file(weights, model / "model.safetensors", metadata={"format": "pt"})


def _pickled(model: Path) -> None:
    (model / "model.safetensors").rename(model / "pytorch_model.bin")


def _code_of_its_own(model: Path) -> None:
    changed(model / "config.json", model_type="of-its-own", auto_map={"AutoConfig": "configuration_own.Config"})


def _unknown(model: Path) -> None:
    changed(model / "config.json", model_type="of-tomorrow")


def _words_only(model: Path) -> None:
    (model / "config.json").write_text(json.dumps({"model_type": "llama"}))


def _no_processor(model: Path) -> None:
    (model / "processor_config.json").unlink()


def _video(model: Path) -> None:
    try:
        import torchvision  # type: ignore[import-not-found] # noqa: F401
    except ImportError:
        pass
    else:
        pytest.skip("torchvision is installed")
    (model / "config.json").write_text(json.dumps({"model_type": "qwen2_vl"}))
    parts = {"image_processor_type": "Qwen2VLImageProcessor"}, {"video_processor_type": "Qwen2VLVideoProcessor"}
    processor_config = {"processor_class": "Qwen2VLProcessor", "image_processor": parts[0], "video_processor": parts[1]}
    (model / "processor_config.json").write_text(json.dumps(processor_config))


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (_no_template, ("No chat template", "template=FILE")),
        (_template_without_pictures, ("does not support images",)),
        (_template_for_words, ("does not support images",)),
        (_weights_missing, ("1 parameters", "lm_head.weight")),
        (_pickled, ("safetensors",)),
        (_code_of_its_own, ("trust_remote_code=1",)),
        (_unknown, ("does not support this architecture", "--base-url")),
        (_words_only, ("llama is not a vision-language model",)),
        (_no_processor, ("No image processor",)),
        (_video, ("torchvision",)),
    ],
)
def test_a_model_that_cannot_be_used_is_refused_in_one_line(
    spoilt: Path, tmp_path: Path, spoil: Callable[[Path], None], words: tuple[str, ...]
) -> None:
    spoil(spoilt)
    refused(isovist("run", "cdr/relative-compass-letter", "--model", f"hf/{spoilt}", "--out", tmp_path / "run"), *words)
    assert not (tmp_path / "run").exists()


def test_an_id_that_cannot_be_had_is_refused(tiny: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch) -> None:
    assert tiny
    import huggingface_hub

    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)
    with pytest.raises(UserError, match=r"No folder, and the Hugging Face hub cannot be reached: --model hf/nobody/nothing"):
        local("hf/nobody/nothing", GenerationConfig())


def test_a_template_of_ones_own_stands_in(spoilt: Path, tmp_path: Path) -> None:
    shutil.move(spoilt / "chat_template.jinja", tmp_path / "chat.jinja")
    (reply,), _ = together(f"hf/{spoilt}?template={tmp_path / 'chat.jinja'}", REQUESTS[:1], GenerationConfig(max_tokens=4))
    assert reply.error == ""
    assert reply.served_by.startswith(f"{spoilt}, template ")


def test_a_template_that_marks_no_second_picture_is_asked_one_at_a_time_and_with_one(
    tiny: Callable[[str], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "chat.jinja").write_text("<image>{% for part in messages[0]['content'] %}{{ part.get('text', '') }}{% endfor %}")
    from isovist.evaluation.models.local.generation import Generation

    sizes: list[int] = []
    batch = Generation._batch
    monkeypatch.setattr(Generation, "_batch", lambda self, requests, stop: sizes.append(len(requests)) or batch(self, requests, stop))
    replies, _ = together(f"hf/{tiny('llava')}?template={tmp_path / 'chat.jinja'}", REQUESTS, GenerationConfig(max_tokens=4))
    assert [reply.error.partition(", and")[0] for reply in replies] == [
        "", "", *["ValueError: the model reads one image per prompt"] * 3
    ]  # fmt: skip
    assert set(sizes) == {1}


def test_a_tokenizers_template_stands_in(spoilt: Path, tiny: Callable[[str], Path]) -> None:
    template = (spoilt / "chat_template.jinja").read_text()
    (spoilt / "chat_template.jinja").unlink()
    changed(spoilt / "tokenizer_config.json", chat_template=template)
    (reply,), _ = together(f"hf/{spoilt}", REQUESTS[:1], GenerationConfig(max_tokens=4))
    (before,), _ = together(f"hf/{tiny('llava')}", REQUESTS[:1], GenerationConfig(max_tokens=4))
    assert reply.text == before.text


# The command line -------------------------------------------------------------------------------------------------


def test_a_run_writes_records(tiny: Callable[[str], Path], kind: str, tmp_path: Path) -> None:
    out, name = tmp_path / "run", f"hf/{tiny(kind)}?dtype=float32&device=cpu"
    args = (
        "run",
        "cdr/relative-compass-letter",
        "--n",
        6,
        "--model",
        name,
        "--max-tokens",
        16,
        "--max-connections",
        4,
        "--out",
        out,
        "--no-confirm",
    )
    ended = spawned(*args, CUDA_VISIBLE_DEVICES="")
    assert ended.code == 0, ended
    assert "Traceback" not in ended.err
    records = [json.loads(line) for line in (out / RECORDS).read_text().splitlines()]
    assert len(records) == 6
    assert all(record["error"] == "" and record["usage"]["output_tokens"] <= 16 and record["latency_s"] > 0 for record in records)
    assert {record["served_by"] for record in records} == {str(tiny(kind))}
    assert json.loads((out / RUN).read_text())["model"] == name
    again = spawned(*args, CUDA_VISIBLE_DEVICES="")
    assert "0 evaluated now" in again.out


def test_an_id_of_the_hub_is_loaded_from_its_cache_and_named_with_its_commit(tiny: Callable[[str], Path], tmp_path: Path) -> None:
    commit, cache, out = "0123456789abcdef0123456789abcdef01234567", tmp_path / "hub" / "models--org--tiny", tmp_path / "run"
    shutil.copytree(tiny("llava"), cache / "snapshots" / commit)
    (cache / "refs").mkdir()
    (cache / "refs" / "main").write_text(commit)
    args = ("run", "cdr/relative-compass-letter", "--n", 1, "--model", "hf/org/tiny", "--max-tokens", 4, "--out", out, "--no-confirm")
    assert spawned(*args, HF_HOME=str(tmp_path), HF_HUB_OFFLINE="1", CUDA_VISIBLE_DEVICES="").code == 0
    assert json.loads((out / RECORDS).read_text())["served_by"] == f"org/tiny@{commit}"


def test_a_loaded_model_is_one_that_answers_alone(tiny: Callable[[str], Path]) -> None:
    loaded = model(f"hf/{tiny('llava')}", GenerationConfig(max_tokens=3))
    assert isinstance(loaded, Local)
    assert asyncio.run(loaded.reply(REQUESTS[0])).usage["output_tokens"] == 3

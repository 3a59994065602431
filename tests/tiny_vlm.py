"""Vision-language models of about 0.1 M random parameters, saved as `transformers` saves a model. They say nothing of
sense, but what they say depends on every word and picture, and on the order of both. Needs torch.
"""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

# not installed where the types are checked
torch: Any = importlib.import_module("torch")
transformers: Any = importlib.import_module("transformers")
tokenizers: Any = importlib.import_module("tokenizers")

SIDE, PATCH = 28, 7  # pixels
HIDDEN = 32
CONTEXT = 2048  # tokens
IMAGE_TOKENS = {"llava": 16, "idefics3": 4}
"""How many tokens one picture becomes, the marks around it left aside."""

_LLAVA = (
    "{% for m in messages %}{{ m['role'] | upper }}: {% for part in m['content'] %}"
    "{% if part['type'] == 'image' %}<image>{% else %}{{ part['text'] }}{% endif %}{% endfor %}\n{% endfor %}"
    "{% if add_generation_prompt %}ASSISTANT:{% endif %}"
)
_IDEFICS3 = (
    "<s>{% for m in messages %}{{ m['role'] | capitalize }}:{% for part in m['content'] %}"
    "{% if part['type'] == 'image' %}<image>{% else %}{{ part['text'] }}{% endif %}{% endfor %}<end_of_utterance>\n{% endfor %}"
    "{% if add_generation_prompt %}Assistant:{% endif %}"
)


def llava(folder: Path) -> Path:
    """LLaVA: a two-layer CLIP and a two-layer Llama."""
    tokenizer = _tokenizer("<image>")
    tokenizer.image_token = "<image>"
    image = transformers.CLIPImageProcessorPil(size={"shortest_edge": SIDE}, crop_size={"height": SIDE, "width": SIDE})
    processor = transformers.LlavaProcessor(
        image_processor=image,
        tokenizer=tokenizer,
        patch_size=PATCH,
        vision_feature_select_strategy="default",
        num_additional_image_tokens=1,
        chat_template=_LLAVA,
    )
    vision = transformers.CLIPVisionConfig(**_VISION, projection_dim=HIDDEN)
    config = transformers.LlavaConfig(
        vision_config=vision, text_config=_language(tokenizer), image_token_id=tokenizer.convert_tokens_to_ids("<image>")
    )
    return _saved(transformers.LlavaForConditionalGeneration, config, processor, folder)


def idefics3(folder: Path) -> Path:
    """Idefics3: a two-layer SigLIP and a two-layer Llama; four patches become one token."""
    cells = [f"<row_{row + 1}_col_{col + 1}>" for row in range(6) for col in range(6)]
    tokenizer = _tokenizer("<image>", "<fake_token_around_image>", "<end_of_utterance>", "<global-img>", *cells)
    edge = {"longest_edge": SIDE}
    image = transformers.Idefics3ImageProcessorPil(size=edge, max_image_size=edge, do_image_splitting=False)
    processor = transformers.Idefics3Processor(
        image_processor=image, tokenizer=tokenizer, image_seq_len=IMAGE_TOKENS["idefics3"], chat_template=_IDEFICS3
    )
    config = transformers.Idefics3Config(
        vision_config=_VISION, text_config=_language(tokenizer), image_token_id=tokenizer.convert_tokens_to_ids("<image>"), scale_factor=2
    )
    return _saved(transformers.Idefics3ForConditionalGeneration, config, processor, folder)


BUILDERS = {"llava": llava, "idefics3": idefics3}

_VISION: dict[str, Any] = {
    "hidden_size": HIDDEN,
    "intermediate_size": 2 * HIDDEN,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "image_size": SIDE,
    "patch_size": PATCH,
}


def _language(tokenizer: Any) -> Any:
    return transformers.LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=HIDDEN,
        intermediate_size=2 * HIDDEN,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_key_value_heads=2,
        max_position_embeddings=CONTEXT,
        bos_token_id=tokenizer.bos_token_id,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
        initializer_range=0.5,  # with the usual 0.02 every prompt would get the same words
    )


def _tokenizer(*marks: str) -> Any:
    """A byte-level BPE, trained on the spot."""
    tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE())
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = tokenizers.decoders.ByteLevel()
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=400, special_tokens=["<pad>", "<s>", "</s>", *marks], initial_alphabet=tokenizers.pre_tokenizers.ByteLevel.alphabet()
    )
    words = ["The nose of the airplane points South: where is the flower?", "Answer: North-East", "What is in the picture?"] * 20
    tokenizer.train_from_iterator(words, trainer)
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        pad_token="<pad>",
        bos_token="<s>",
        eos_token="</s>",
        extra_special_tokens=list(marks),
        model_max_length=CONTEXT,
    )


def _saved(kind: Any, config: Any, processor: Any, folder: Path) -> Path:
    torch.manual_seed(0)
    model = kind(config)
    with torch.no_grad():  # random vectors of a picture would drown among the words
        for name, weight in model.named_parameters():
            if "vision" in name or "projector" in name or "connector" in name:
                weight.add_(torch.randn_like(weight) * 0.2)
    model.save_pretrained(folder)
    processor.save_pretrained(folder)
    return folder

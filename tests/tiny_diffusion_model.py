"""Text-to-image pipelines of a few thousand random parameters, of the two kinds that SRBench used, saved as `diffusers` saves them.

What they draw is noise, but it depends on every word, on the seed and on the settings. Needs torch, diffusers and transformers.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

# not installed where the types are checked
torch: Any = importlib.import_module("torch")
diffusers: Any = importlib.import_module("diffusers")
transformers: Any = importlib.import_module("transformers")
tokenizers: Any = importlib.import_module("tokenizers")

WIDTH = 32


def flux(folder: Path, words: Sequence[str]) -> Path:
    """A FluxPipeline."""
    torch.manual_seed(0)
    transformer = diffusers.FluxTransformer2DModel(
        patch_size=1, in_channels=4, num_layers=1, num_single_layers=1, attention_head_dim=16, num_attention_heads=2,
        joint_attention_dim=WIDTH, pooled_projection_dim=WIDTH, axes_dims_rope=[4, 4, 8], guidance_embeds=True,
    )  # fmt: skip
    pipeline = diffusers.FluxPipeline(
        scheduler=diffusers.FlowMatchEulerDiscreteScheduler(),
        text_encoder=transformers.CLIPTextModel(_clip(words)),
        text_encoder_2=_t5(words),
        tokenizer=_tokenizer(words, 77),
        tokenizer_2=_tokenizer(words, 64),
        transformer=transformer,
        vae=_vae(1),
    )
    pipeline.save_pretrained(folder, safe_serialization=True)
    return folder


def sd3(folder: Path, words: Sequence[str]) -> Path:
    """A StableDiffusion3Pipeline."""
    torch.manual_seed(0)
    transformer = diffusers.SD3Transformer2DModel(
        sample_size=32, patch_size=1, in_channels=4, num_layers=1, attention_head_dim=8, num_attention_heads=4,
        caption_projection_dim=WIDTH, joint_attention_dim=WIDTH, pooled_projection_dim=2 * WIDTH, out_channels=4,
    )  # fmt: skip
    pipeline = diffusers.StableDiffusion3Pipeline(
        scheduler=diffusers.FlowMatchEulerDiscreteScheduler(),
        text_encoder=transformers.CLIPTextModelWithProjection(_clip(words)),
        text_encoder_2=transformers.CLIPTextModelWithProjection(_clip(words)),
        text_encoder_3=_t5(words),
        tokenizer=_tokenizer(words, 77),
        tokenizer_2=_tokenizer(words, 77),
        tokenizer_3=_tokenizer(words, 64),
        transformer=transformer,
        vae=_vae(4),
    )
    pipeline.save_pretrained(folder, safe_serialization=True)
    return folder


BUILDERS = {"flux": flux, "sd": sd3}


def _vocabulary(words: Sequence[str]) -> dict[str, int]:
    return {word: i for i, word in enumerate(dict.fromkeys(("<s>", "<pad>", "</s>", "<unk>", *words)))}


def _tokenizer(words: Sequence[str], longest: int) -> Any:
    made = tokenizers.Tokenizer(tokenizers.models.WordLevel(_vocabulary(words), unk_token="<unk>"))
    made.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    made.post_processor = tokenizers.processors.TemplateProcessing(single="$A </s>", special_tokens=[("</s>", 2)])
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=made, model_max_length=longest, pad_token="<pad>", unk_token="<unk>", eos_token="</s>", bos_token="<s>"
    )


def _clip(words: Sequence[str]) -> Any:
    return transformers.CLIPTextConfig(
        bos_token_id=0, pad_token_id=1, eos_token_id=2, hidden_size=WIDTH, intermediate_size=37, num_attention_heads=4,
        num_hidden_layers=2, vocab_size=len(_vocabulary(words)), projection_dim=WIDTH, max_position_embeddings=77,
    )  # fmt: skip


def _t5(words: Sequence[str]) -> Any:
    return transformers.T5EncoderModel(
        transformers.T5Config(
            vocab_size=len(_vocabulary(words)), d_model=WIDTH, d_kv=8, d_ff=37, num_layers=2, num_heads=4, pad_token_id=1, eos_token_id=2
        )
    )


def _vae(channels: int) -> Any:
    return diffusers.AutoencoderKL(
        sample_size=32, in_channels=3, out_channels=3, block_out_channels=(4,), layers_per_block=1, latent_channels=channels,
        norm_num_groups=1, use_quant_conv=False, use_post_quant_conv=False, shift_factor=0.0609, scaling_factor=1.5035,
    )  # fmt: skip

"""Why a response ended, in the words of every known server, as one of a few reasons. The only table of these words."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Literal, cast

from isovist.common.json_lines import whole

End = Literal["complete", "truncated", "filtered", "refused", "failed", "unknown"]

_ENDS: dict[str, End] = {
    "stop": "complete",
    "tool_calls": "complete",
    "max_tokens": "truncated",
    "model_length": "truncated",
    "content_filter": "filtered",
    "refusal": "refused",
    "error": "failed",
}
"""What the reasons that records contain mean."""
_WORDS = {
    # OpenAI, Anthropic, Bedrock, Cohere, TGI, SGLang, TensorRT-LLM, watsonx, xAI, gateways
    "stop": "stop end_turn eos eos_token end_id end_of_turn end_of_text endoftext stop_sequence stop_sequences stop_words stop_word stop_str "
    "stop_token stop_token_ids stop_criteria_met complete completed finish finished done success final normal end word",
    "tool_calls": "tool_calls tool_call tool_use function_call function_calls",
    "max_tokens": "max_tokens length max_output_tokens max_completion_tokens max_new_tokens max_length max_len maximum_tokens maximum_length "
    "token_limit limit incomplete truncated time_limit pause_turn max_output_reached not_finished repetition",
    "model_length": "model_length model_context_window_exceeded context_length context_length_exceeded context_window_exceeded context "
    "max_context max_context_length error_limit",
    # Google, Azure, Bedrock, Cohere, Zhipu
    "content_filter": "content_filter content_filtered content_filters contentfilter filtered filter safety recitation blocklist blocked "
    "prohibited_content spii image_safety image_recitation image_prohibited_content model_armor guardrail_intervened guardrail guardrails "
    "guardrails_violation sensitive error_toxic content_policy content_policy_violation content_moderation moderation language",
    "refusal": "refusal refused",
    "error": "error errored failed failure fail abort aborted cancel cancelled canceled user_cancel timeout timed_out time_out disconnect "
    "internal_error server_error network_error engine_error engine_dead shutdown insufficient_system_resource overloaded interrupted "
    "rejected expired preempted out_of_memory oom load unload other image_other no_image malformed_function_call "
    "malformed_response malformed_model_output malformed_tool_use unexpected_tool_call too_many_tool_calls missing_thought_signature "
    "rag_query_when_rag_disabled",
}  # fmt: skip
_REASONS = {word: reason for reason, words in _WORDS.items() for word in words.split()}
_PREFIX = re.compile(r"^(?:finish_?reason|stop_?reason|reason|alternative_status)_")
_LONGEST = 100  # characters of a value that no table has


ONLY_REASONING = (
    "as reasoning and without text, so there is no answer. Check the reasoning parser of the server (vLLM, SGLang: --reasoning-parser; "
    "llama.cpp: --reasoning-format none), or switch the reasoning off, such as with "
    """--model-arg chat_template_kwargs='{"enable_thinking": false}'."""
)
"""About responses that a server sends as reasoning."""


def finish_reason(value: object) -> str:
    """The value of a server as the reason that records contain, such as "max_tokens" for Google's "FinishReason.MAX_TOKENS".

    An unknown value is kept as text. No value means that the server does not say why the response ended; then it is "stop".
    """
    if isinstance(value, Mapping):  # such as {"type": "length", "length": 64} of SGLang
        value = cast("Mapping[str, Any]", value).get("type", value)
    if isinstance(value, str) and value in _ENDS:
        return value
    text = "" if value is None else whole(str(value)).strip()
    if not text:
        return "stop"
    split = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", text)  # maxTokens
    word = re.sub(r"[^a-z0-9]+", "_", split.casefold()).strip("_")
    return _REASONS.get(word) or _REASONS.get(_PREFIX.sub("", word)) or text[:_LONGEST].strip()


def end_of(reason: str) -> End:
    """What the reason of a response means; "unknown" for a value that no table has, which is not a complete response."""
    return _ENDS.get(reason, "unknown")


def unknown_ends(counts: Mapping[str, int]) -> str:
    """A sentence on finish reasons that no table has."""
    names = ", ".join(f'"{name}" ({count} response{"s" * (count > 1)})' for name, count in counts.items())
    return f"Unknown finish reason: {names}. These responses may lack their end, so they are truncated, without an answer."

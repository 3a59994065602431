"""Rewards for training: a reply is worth what the evaluation gives it, by the same parser and the same scorer.

`reward` and `format_reward` are TRL's; `verl`, `easyr1` and `gym` hold the functions that other trainers look for, and `judging` what
all of them are made of. Only the standard library is imported until items are made.
"""

from __future__ import annotations

from isovist.rewards.format_check import has_valid_format
from isovist.rewards.gym import create_dataset, score_answer
from isovist.rewards.scoring import key_of, reward_credit, words
from isovist.rewards.trl import format_reward, reward
from isovist.rewards.verl import compute_score

__all__ = [
    "compute_score",
    "create_dataset",
    "format_reward",
    "has_valid_format",
    "key_of",
    "reward",
    "reward_credit",
    "score_answer",
    "words",
]

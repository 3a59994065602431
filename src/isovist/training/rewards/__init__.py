"""Rewards for training: the credit of the evaluation, by the same parser and scorer.

`reward`, `curriculum_reward` and `format_reward` are for TRL; `rewards.verl`, `rewards.easyr1`, `rewards.openrlhf` and `rewards.gym` have the functions that other trainers
require. Only the standard library is imported until items are generated.
"""

from __future__ import annotations

from isovist.training.rewards.gym import create_dataset, score_answer
from isovist.training.rewards.scoring import has_valid_format, key_of, reward_credit, reward_credits, words
from isovist.training.rewards.trl import curriculum_reward, format_reward, reward
from isovist.training.rewards.verl import compute_score

__all__ = [
    "compute_score",
    "create_dataset",
    "curriculum_reward",
    "format_reward",
    "has_valid_format",
    "key_of",
    "reward",
    "reward_credit",
    "reward_credits",
    "score_answer",
    "words",
]

"""Every task of the registry satisfies every check; a new task needs no line here.

A task with a valid certificate (`certificates.py`) passed the statistical checks before, on what is still the same: they are left out.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import certificates
import pytest

from isovist.audit.answer_leakage import audit
from isovist.audit.testing import conformance
from isovist.audit.testing.sampled_items import FEW, HALF, few_items
from isovist.core.task import Task
from isovist.suites import registry


@pytest.mark.parametrize("check", conformance.CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("task", registry.built_in_tasks().values(), ids=lambda task: task.id)
def test_conformance(task: Task[Any], check: conformance.Check, record_property: Callable[[str, object], None]) -> None:
    standing = certificates.standing(task.id)
    record_property(certificates.STANDING, f"{standing} {task.id}")
    if standing == certificates.FULL:
        check(task)
    elif check in conformance.STATISTICAL:
        pytest.skip("certified")
    else:
        with few_items(FEW if standing == certificates.VALID else HALF):
            check(task)


@pytest.mark.parametrize("suite", sorted({task.suite for task in registry.built_in_tasks().values()}))
def test_other_processes_and_hash_seeds_make_the_same_items(suite: str) -> None:
    conformance.everywhere_the_same([task for task in registry.built_in_tasks().values() if task.suite == suite])


@pytest.mark.slow
@pytest.mark.parametrize(
    "task", [task for task in registry.built_in_tasks().values() if task.suite in ("cospace", "dori", "srbench")], ids=lambda task: task.id
)
def test_as_many_items_as_the_command_audits_leak_nothing(task: Task[Any]) -> None:
    assert [finding for finding in audit(task) if not finding.passed] == []

"""The trials of an adaptive run: one search for each task, and the data of the items that were presented."""

from __future__ import annotations

import asyncio
import shutil
from collections import Counter
from collections.abc import Callable
from dataclasses import replace

from isovist.core.answers import Outcome
from isovist.core.task import ItemAddress
from isovist.data.dataset.generate import generate
from isovist.data.dataset.manifest import MANIFEST, Manifest
from isovist.evaluation.console import Console
from isovist.evaluation.run.adaptive import ThresholdSearch, presented_items, threshold_searches
from isovist.evaluation.run.adaptive_settings import AdaptiveSettings
from isovist.evaluation.run.cost_estimate import CostEstimate
from isovist.evaluation.run.pricing import RunLimits
from isovist.evaluation.run.recorded_trials import RecordedTrials
from isovist.evaluation.run.records import AttemptRecord, latest_trial_results, read
from isovist.evaluation.run.run_folder import DATA, RunFolder, RunMetadata, data_hash, names
from isovist.evaluation.run.variants import Trial
from isovist.stats.psychometric_function import interval_text, threshold_text


class AdaptiveTrials:
    """The searches of a run, which take turns; a `TrialSource`. Its state is reconstructed from the records alone."""

    def __init__(self, folder: RunFolder, design: AdaptiveSettings, limits: RunLimits, workers: int) -> None:
        """Raises UserError for a record of another item."""
        self.recorded = RecordedTrials.read(folder.records, limits.price)
        known = latest_trial_results(folder.records)
        searches = threshold_searches(design, read(folder.records), known, limits.attempts)
        self.outcomes = Counter[Outcome](trial.outcome for trial in known.values() if trial.outcome != "request_error")
        self.n_given_up = sum(search.given_up for search in searches)
        if self.n_given_up:
            self.outcomes["request_error"] = self.n_given_up
        self.status = ""
        self._folder, self._workers, self._target = folder, workers, design.target_half_width
        self._searches = {search.part.task: search for search in searches}
        self._closed = False
        self._changed = asyncio.Event()

    def results(self) -> list[str]:
        """The results of the finished searches, a line each."""
        return [_result(search, self._target) for search in self._searches.values() if search.done]

    def estimate(self, progress: Callable[[], object]) -> CostEstimate:
        """The largest number of requests."""
        del progress
        requests = sum(0 if search.done else search.part.n - search.asked for search in self._searches.values())
        return CostEstimate(trials=requests + self.outcomes.total(), requests=requests, n_searches=len(self._searches))

    async def next(self) -> Trial | None:
        while not self._closed:
            for search in sorted(self._searches.values(), key=lambda search: search.asked):  # in turn
                if trial := search.next():
                    return trial
            if all(search.done for search in self._searches.values()):
                return None
            self._changed.clear()
            await self._changed.wait()
        return None

    def ended(self, trial: Trial, record: AttemptRecord) -> str:
        """Selects further items. Returns the result of a search that ends."""
        search = self._searches[trial.row.task]
        search.ended(ItemAddress.parse(trial.row.id), None if record.outcome == "request_error" else record.credit)
        self._changed.set()
        if search.done:
            return _result(search, self._target)
        posterior = search.belief
        self.status = f"{search.part.task}, {search.asked} items: {posterior.halfway:.1f} [{posterior.low:.1f}, {posterior.high:.1f}]"
        return ""

    def close(self) -> None:
        self._closed = True
        self._changed.set()

    def stored(self, info: RunMetadata, console: Console) -> RunMetadata:
        """Generates the presented items as the dataset of the run. A killed run leaves its records, and the next session resumes from them."""
        parts = [presented_items(search) for search in self._searches.values() if search.asked]
        if not parts:
            return info
        data = self._folder.path / DATA
        if data.exists():
            stored = Manifest.read(data).parts if (data / MANIFEST).exists() else ()
            if sorted(stored, key=lambda part: part.task) != sorted(parts, key=lambda part: part.task):
                shutil.rmtree(data)  # of the previous session; everything is generated again
        with console.bar(sum(part.n for part in parts), "writing the items", leave=False) as bar:
            generate(parts, data, self._workers, bar.update)
        return replace(info, data_hash=data_hash(data), parts=names(parts))


def _result(search: ThresholdSearch, target: float) -> str:
    """The result of a finished search."""
    estimate = search.fall
    if estimate is None:
        return f"{search.part.task}: no item scored, {search.asked} items"
    is_precise = estimate.half_width <= target
    reason = "target precision reached" if is_precise else f"item limit reached, half-width {estimate.half_width:.1f} instead of {target:g}"
    return (
        f"{search.part.task}: size threshold {threshold_text(estimate)}, 95% CI {interval_text(estimate)}, {search.asked} items ({reason})"
    )

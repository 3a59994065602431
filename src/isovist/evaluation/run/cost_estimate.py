"""Cost estimate before the first request of a run, from its prompts and image sizes; of a long run, from a sample of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field, replace

from isovist.data.dataset.pictures import size
from isovist.evaluation.run.pricing import BuiltInPrice, Price
from isovist.evaluation.run.records import Name
from isovist.evaluation.run.variants import Trial, family

_CHARACTERS = 4  # per token of English, about
_SECONDS = 5  # per response of a large model with short reasoning
_SHORT = 120  # seconds; a longer estimate is in minutes
_CAPTION = 800  # characters of an image description, about
_PIXELS = 750  # per image token, about: the rule of one provider; others count tiles or patches
_NEAR = 0.1  # relative difference below which an estimate is not corrected


@dataclass(frozen=True, slots=True)
class Rates:
    """Characters and pixels per token and seconds per response: defaults, then measured on the first response."""

    characters: float = _CHARACTERS
    pixels: float = _PIXELS
    seconds: float = _SECONDS


@dataclass(slots=True)
class CostEstimate:
    """The trials of a run, and the size of the remaining requests."""

    trials: int = 0
    """Items in each of their variants."""
    families: Counter[str] = field(default_factory=Counter["str"])
    """Number of trials by family of variants."""
    requests: int = 0
    """Requests for the trials without a score; images, characters and pixels refer to them."""
    notes: int = 0
    """Image descriptions in later requests, counted once per request."""
    pictures: int = 0
    characters: int = 0
    pixels: int = 0
    sizes: Counter[str] = field(default_factory=Counter["str"])
    """Number of images of all trials by size, such as "200x200"."""
    rates: Rates = field(default_factory=Rates)
    is_sampled: bool = False
    """Whether the size of the requests is extrapolated from a sample."""
    n_searches: int = 0
    """Of an adaptive run: the number of its searches. Then `requests` is an upper bound, and their size is unknown."""

    @property
    def text_tokens(self) -> int:
        """A rough estimate."""
        return int((self.characters + self.notes * _CAPTION) / self.rates.characters)

    @property
    def picture_tokens(self) -> int:
        """A rough estimate; models differ by a factor of three or more."""
        return int(self.pixels / self.rates.pixels)

    @property
    def tokens(self) -> int:
        return self.text_tokens + self.picture_tokens

    def summary_line(self, price: Price | None, concurrency: int, longest: int) -> str:
        """The estimate in one line, with responses of up to `longest` tokens."""
        if self.n_searches:
            return f"Up to {self.requests} requests for {self.n_searches} tasks, one new item each."
        return (
            f"{self.requests} requests, {'about ' if self.is_sampled else ''}{self.pictures} images. Estimated input: {self.text_tokens:,} text + {self.picture_tokens:,} image "
            f"tokens. {self._time_and_cost(price, concurrency, longest)}"
        )

    def corrected(self, trial: Trial, counted: int, seconds: float, *, captions: bool) -> CostEstimate:
        """The estimate with rates measured on one trial: `counted` input tokens, and `seconds` for its last request."""
        measured = estimate_cost([trial], (), captions=captions)
        characters, pixels = self.rates.characters, self.rates.pixels
        if measured.pixels:  # the estimate of text tokens is good enough
            pixels = measured.pixels / max(counted - measured.text_tokens, 1)
        elif measured.tokens:
            characters *= measured.tokens / max(counted, 1)
        return replace(self, rates=Rates(characters, pixels, seconds))

    def extrapolated(self, trials: int) -> CostEstimate:
        """The estimate for this number of trials, of which this one is a sample."""
        scale = trials / max(1, self.trials)
        pictures, characters, pixels, notes = (round(count * scale) for count in (self.pictures, self.characters, self.pixels, self.notes))
        requests = trials + round((self.requests - self.trials) * scale)  # one each, and the captions
        return replace(self, requests=requests, notes=notes, pictures=pictures, characters=characters, pixels=pixels, is_sampled=True)

    def differs(self, other: CostEstimate) -> bool:
        """Whether the estimates of tokens differ by more than 10%."""
        return abs(other.tokens - self.tokens) > _NEAR * self.tokens

    def _time_and_cost(self, price: Price | None, concurrency: int, longest: int) -> str:
        seconds = self.requests * self.rates.seconds / min(concurrency, max(1, self.requests))
        duration = f"{seconds:.0f} s" if seconds < _SHORT else f"{seconds / 60:.0f} min"
        time = f"Estimated time: {duration} ({self.rates.seconds:.3g} s per response, limit {longest:,} tokens)."
        if price is None:
            return time
        sent = price.of({"input_tokens": self.tokens})
        most = sent + price.of({"input_tokens": longest * self.notes, "output_tokens": longest * self.requests})
        dated = f" (built-in prices of {price.date}, which may have changed)" if isinstance(price, BuiltInPrice) else ""
        return f"{time} Estimated cost: {sent:.2f} USD for the input, {most:.2f} USD at most with the longest responses{dated}."


def estimate_cost(
    trials: Iterable[Trial], done: Collection[Name], progress: Callable[[], object] = lambda: None, *, captions: bool = False
) -> CostEstimate:
    """The cost estimate of `trials`; those in `done` need no request. With `captions`, each image adds a caption request.

    Raises UserError where the iteration of `trials` does.
    """
    estimate = CostEstimate()
    for trial in trials:
        sizes = [size(image) for image in trial.images]
        estimate.trials += 1
        estimate.families[family(trial.variant)] += 1
        estimate.sizes.update(f"{width}x{height}" for width, height in sizes)
        if trial.trial_id not in done:
            described = len(sizes) if captions else 0
            estimate.requests += 1 + described
            estimate.notes += described * (described + 1) // 2  # the first caption is in all later requests, the last in one
            estimate.pictures += len(sizes)
            estimate.characters += len(trial.prompt) * (1 + described)
            estimate.pixels += sum(width * height for width, height in sizes)
        progress()
    return estimate


def image_sizes(trial: Trial) -> list[str]:
    """The size of each image of a trial, such as "200x200"."""
    return [f"{width}x{height}" for width, height in map(size, trial.images)]

"""What a run is going to ask, looked at before the first request: every item is read, every picture decoded."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field, replace

from isovist.dataset.pictures import opened
from isovist.run.pricing import Price
from isovist.run.records import Name
from isovist.run.variants import Trial, family

_CHARACTERS = 4  # of English a token, about
_SECONDS = 5  # a reply, of a large model that reasons in a few sentences
_CAPTION = 800  # characters of a description of a picture, about
_PIXELS = 750  # a token of a picture, about: the rule that one provider publishes; others count tiles or patches
_NEAR = 0.1  # of an estimate; a count that differs by less corrects nothing


@dataclass(frozen=True, slots=True)
class Rates:
    """Characters and pixels a token, seconds a reply: a guess at first, and after the first reply what the model counts."""

    characters: float = _CHARACTERS
    pixels: float = _PIXELS
    seconds: float = _SECONDS


@dataclass(slots=True)
class CostEstimate:
    """What is to be asked, and what of it still has no verdict."""

    askings: int = 0
    """Items, each in each of its variants."""
    families: Counter[str] = field(default_factory=Counter["str"])
    """How many askings are of each family of variants."""
    requests: int = 0
    """Requests for the askings that have no verdict yet; the pictures, characters and pixels are theirs."""
    notes: int = 0
    """Descriptions of pictures that go out again in later requests, each as often as it does."""
    pictures: int = 0
    characters: int = 0
    pixels: int = 0
    sizes: Counter[str] = field(default_factory=Counter["str"])
    """How many pictures of all askings have each size, such as "200x200"."""
    rates: Rates = field(default_factory=Rates)

    @property
    def text_tokens(self) -> int:
        """A rough estimate."""
        return int((self.characters + self.notes * _CAPTION) / self.rates.characters)

    @property
    def picture_tokens(self) -> int:
        """A rough estimate; models differ by a factor of three and more."""
        return int(self.pixels / self.rates.pixels)

    @property
    def tokens(self) -> int:
        return self.text_tokens + self.picture_tokens

    def summary_line(self, price: Price | None, concurrency: int, longest: int) -> str:
        """The estimate in one line, with replies of up to `longest` tokens."""
        return (
            f"{self.requests} requests with {self.pictures} pictures; about {self.text_tokens:,} tokens of text and "
            f"{self.picture_tokens:,} of pictures go out; {self._comes_to(price, concurrency, longest)} ({longest:,} tokens each)"
        )

    def corrected(self, asking: Trial, counted: int, seconds: float, *, captions: bool) -> CostEstimate:
        """The estimate by what a model counted for one asking: so many tokens in, so many seconds for its last request."""
        one = estimate_cost([asking], (), captions=captions)
        characters, pixels = self.rates.characters, self.rates.pixels
        if one.pixels:  # characters are estimated well enough
            pixels = one.pixels / max(counted - one.text_tokens, 1)
        elif one.tokens:
            characters *= one.tokens / max(counted, 1)
        return replace(self, rates=Rates(characters, pixels, seconds))

    def differs(self, other: CostEstimate) -> bool:
        """Whether another estimate of the tokens differs from this one by more than estimates do."""
        return abs(other.tokens - self.tokens) > _NEAR * self.tokens

    def _comes_to(self, price: Price | None, concurrency: int, longest: int) -> str:
        minutes = self.requests * self.rates.seconds / min(concurrency, max(1, self.requests)) / 60
        words = f"with {self.rates.seconds:.3g} s a reply {minutes:.0f} min"
        if price is None:
            return f"{words}, longer with the longest replies"
        sent = price.of({"input_tokens": self.tokens})
        most = sent + price.of({"input_tokens": longest * self.notes, "output_tokens": longest * self.requests})
        return f"{words}, about {sent:.2f} USD, and at most {most:.2f} USD with the longest replies"


def estimate_cost(
    askings: Iterable[Trial], done: Collection[Name], progress: Callable[[], object] = lambda: None, *, captions: bool = False
) -> CostEstimate:
    """Looks at all that is to be asked; what is in `done` needs no request. With `captions`, every picture is described first, in a
    request of its own. Raises UserError where `askings` does.
    """
    estimate = CostEstimate()
    for asking in askings:
        sizes = [_size(image) for image in asking.images]
        estimate.askings += 1
        estimate.families[family(asking.variant)] += 1
        estimate.sizes.update(f"{width}x{height}" for width, height in sizes)
        if asking.trial_id not in done:
            described = len(sizes) if captions else 0
            estimate.requests += 1 + described
            estimate.notes += described * (described + 1) // 2  # the first is in every later request, the last in one
            estimate.pictures += len(sizes)
            estimate.characters += len(asking.prompt) * (1 + described)
            estimate.pixels += sum(width * height for width, height in sizes)
        progress()
    return estimate


def _size(image: bytes) -> tuple[int, int]:
    with opened(image) as picture:
        return picture.size

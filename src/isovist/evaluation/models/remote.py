"""Requests to a model with retries, on one or several endpoints. Subclasses send one request."""

from __future__ import annotations

import asyncio
import time
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable
from dataclasses import replace

from isovist.evaluation.models.base import AS_ALLOWED, GenerationConfig, ModelRequest, ModelResponse
from isovist.evaluation.models.endpoint_pool import Endpoint, EndpointPool
from isovist.evaluation.models.limits import Limits
from isovist.evaluation.models.request_errors import RequestError, backoff, fault
from isovist.evaluation.models.response_schemas import OfferedSchema, SchemaSupport

REQUEST_OPTIONS = frozenset({"system_prompt", "top_p", "seed", "stop_seqs", "reasoning_effort", "image_detail"})
"""The options that every such model accepts."""
Attempt = Callable[[Endpoint, OfferedSchema], Awaitable[ModelResponse]]
"""Sends one request; raises what the provider raises."""


class RemoteModel(ABC):
    """A model behind requests. It never receives an answer key."""

    def __init__(self, name: str, options: GenerationConfig, allowed: Limits) -> None:
        self.name = name
        self.longest = allowed.longest if options.max_tokens == AS_ALLOWED else options.max_tokens
        self.context = allowed.context
        self.pool = EndpointPool(options.base_urls or ("",), options.concurrency if options.auto_concurrency else None)
        self.notices: list[str] = []
        """Lines for the start of a run."""
        self._options = replace(options, max_tokens=self.longest)
        self._schemas = SchemaSupport()

    @abstractmethod
    async def close(self) -> None:
        """Close the connections, in the event loop that opened them."""
        ...

    @abstractmethod
    def _attempt(self, request: ModelRequest) -> Attempt: ...

    @abstractmethod
    def _may_pass(self, error: Exception) -> object:
        """Whether the same request may succeed after an error with a status; True, or an object with `retry_after`, seconds or None."""
        ...

    async def reply(self, request: ModelRequest) -> ModelResponse:
        """The model's response, with retries; a remaining request error is in `error`.

        `latency_s` is that of the successful attempt. With several endpoints, a request that fails on one of them moves to another at once.
        """
        start = time.perf_counter()
        attempt, schema = self._attempt(request), self._schemas.offered(request)
        request_error, endpoint = RequestError("no endpoint responded in time (increase --timeout)", is_transient=True), None
        moved_from: list[str] = []
        failures = 0
        while (left := self._options.timeout_s - (time.perf_counter() - start)) > 0:
            chosen = await self.pool.choose(left)
            if chosen is None:
                break
            endpoint = chosen
            result = await self._sent(attempt, endpoint, schema, left)
            if isinstance(result, ModelResponse):
                url = endpoint.url if self.pool.has_several else ""
                return schema.accepted(replace(result, endpoint=url, moved_from=tuple(moved_from)) if url else result)
            request_error, is_outage = result
            if schema.refused_by(request_error.words):
                continue
            is_moved = is_outage and self.pool.has_several
            failures += not (is_moved and request_error.is_down)
            most = self._options.retries * (1 + request_error.busy)
            if is_moved and request_error.status is not None:  # each endpoint refused; a request that ends servers must not end them all
                most *= len(self.pool.endpoints)
            if not request_error.is_transient or failures > most:
                break
            if is_moved:
                endpoint.moved += 1
                moved_from.append(endpoint.url)
                continue
            pause = backoff(failures, request_error)
            if time.perf_counter() - start + pause >= self._options.timeout_s:
                break
            await asyncio.sleep(pause)
        return ModelResponse(
            error=request_error.words,
            is_permanent_error=request_error.is_permanent,
            finish_reason="error",
            latency_s=time.perf_counter() - start,
            endpoint=endpoint.url if endpoint and self.pool.has_several else "",
            moved_from=tuple(moved_from),
        )

    async def _sent(
        self, attempt: Attempt, endpoint: Endpoint, schema: OfferedSchema, left: float
    ) -> ModelResponse | tuple[RequestError, bool]:
        """The response, or the request error and whether it is one of the endpoint."""
        sent, started, outage = time.perf_counter(), endpoint.start(), None
        try:
            # a server that hangs takes half of the time that is left, so that another one can respond
            async with asyncio.timeout(left / 2 if self.pool.has_several else left):
                reply = await attempt(endpoint, schema)
        except Exception as error:  # noqa: BLE001 - any exception of a provider is recorded as a request error
            request_error = fault(error, self._may_pass)
            outage = request_error if request_error.is_transient else None
            if endpoint.limit and request_error.is_overload:
                endpoint.limit.overloaded(started, time.monotonic(), request_error.wait_s or 0.0)
            return request_error, outage is not None
        finally:
            endpoint.end(started, failed=outage is not None, wait_s=(outage and outage.wait_s) or 0.0)
        if reply.error:
            return fault(reply.error), False
        if endpoint.limit:
            endpoint.limit.succeeded(started, time.monotonic(), endpoint.under_way + 1)
        return replace(reply, latency_s=time.perf_counter() - sent)

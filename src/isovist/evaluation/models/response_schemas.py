"""JSON schemas in the requests to a server, and the fallback to free text where the server refuses them."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from isovist.evaluation.models.base import ModelRequest, ModelResponse

if TYPE_CHECKING:
    import inspect_ai.model as inspect

_REFUSAL = re.compile(
    r"response_?\s?format|output_?\s?(?:format|config)|schema|structured[ _-]?output|guided|grammar|xgrammar|requested parameters",
    re.IGNORECASE,
)
"""Words in the error of a server that refuses a schema or has no structured replies."""


_MOST_REFUSED = 3
"""Different schemas that a server refuses, before any is accepted, until no more are sent."""


@dataclass(slots=True)
class SchemaSupport:
    """What a server has done with schemas so far."""

    accepted: set[str] = field(default_factory=set[str])
    refusals: dict[str, str] = field(default_factory=dict[str, str])
    """The error of each refused schema that was never accepted, for requests that succeeded without it."""

    def offered(self, request: ModelRequest) -> OfferedSchema:
        """The schema of a request, unless the server refused it, or every schema so far."""
        if request.schema is None:
            return OfferedSchema(None, self)
        refusal = self.refusals.get(json.dumps(request.schema), "")
        if not refusal and not self.accepted and len(self.refusals) >= _MOST_REFUSED:
            refusal = next(iter(self.refusals.values()))
        return OfferedSchema(request.schema, self, refusal)


@dataclass(slots=True)
class OfferedSchema:
    """The schema of one request, if any, until the server refuses it."""

    schema: Mapping[str, Any] | None
    support: SchemaSupport
    refusal: str = ""

    @property
    def offered(self) -> Mapping[str, Any] | None:
        """The schema that is sent."""
        return None if self.refusal else self.schema

    @property
    def response_format(self) -> dict[str, Any] | None:
        """The field of that name in a request to an OpenAI-compatible server."""
        if self.offered is None:
            return None
        return {"type": "json_schema", "json_schema": {"name": "answer", "schema": self.offered, "description": None, "strict": True}}

    def config(self, base: inspect.GenerateConfig) -> inspect.GenerateConfig:
        """`base` with the schema of the request."""
        from inspect_ai.model import ResponseSchema
        from inspect_ai.util import JSONSchema

        if self.schema is None or self.refusal:
            return base
        schema = ResponseSchema(name="answer", json_schema=JSONSchema.model_validate(self.schema), strict=True)
        return base.model_copy(update={"response_schema": schema})

    def refused_by(self, error: str) -> bool:
        """Whether an error refuses the schema; then the request is sent again without it."""
        if self.schema is None or self.refusal or not _REFUSAL.search(error):
            return False
        self.refusal = error
        return True

    def accepted(self, reply: ModelResponse) -> ModelResponse:
        """The reply, which states whether the schema was refused. Only now is the schema the known cause of an error."""
        if self.schema is not None:
            text = json.dumps(self.schema)
            if not self.refusal:
                self.support.accepted.add(text)
                self.support.refusals.pop(text, None)
            elif text not in self.support.accepted:
                self.support.refusals.setdefault(text, self.refusal)
        return replace(reply, schema_refused=self.refusal)

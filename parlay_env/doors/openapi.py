"""`/openapi.json`: the handlers read bodies themselves, strictly; this says what they take."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from fastapi import FastAPI, Request
from fastapi.openapi.utils import get_openapi
from starlette.responses import Response

from parlay_env.models import ParlayAction, ParlayObservation, ParlayState
from parlay_env.options import ResetOptions

API_VERSION = "1.0.0"
"""Of the routes, as OpenEnv's validator reads it; the release is `parlay_env.__version__`."""
Handler = Callable[[Request], Awaitable[Response]]
_REF = "#/components/schemas/{model}"
_TEXT = {"type": "string"}
_WHOLE = {"type": "integer"}


def described(app: FastAPI, method: str, path: str, handler: Handler, tag: str, body: str | None = None) -> None:
    """Add a route. `body` names the schema of what it takes."""
    extra: dict[str, Any] = {}
    if body is not None:
        content = {"application/json": {"schema": {"$ref": _REF.format(model=body)}}}
        extra["requestBody"] = {"required": body != "ResetRequest", "content": content}
    names = [part[1:-1] for part in path.split("/") if part.startswith("{")]
    if names:
        extra["parameters"] = [{"name": name, "in": "path", "required": True, "schema": _TEXT} for name in names]
    app.add_api_route(path, handler, methods=[method], tags=[tag], response_class=Response, openapi_extra=extra)


def description(app: FastAPI) -> dict[str, Any]:
    """The application's description, with the wire types."""
    if app.openapi_schema is None:
        found = get_openapi(title=app.title, version=app.version, description=app.description, routes=app.routes)
        found.setdefault("components", {}).setdefault("schemas", {}).update(_schemas())
        app.openapi_schema = found
    return app.openapi_schema


def _schemas() -> dict[str, Any]:
    found: dict[str, Any] = {}
    for model in (ResetOptions, ParlayAction, ParlayObservation, ParlayState):
        schema = model.model_json_schema(ref_template=_REF)
        found |= schema.pop("$defs", {})
        found[model.__name__] = schema
    reset = found.pop("ResetOptions")
    found["ResetRequest"] = reset | {"properties": {**reset["properties"], "session_id": _TEXT}}
    step = {"action": {"$ref": _REF.format(model="ParlayAction")}, "session_id": _TEXT}
    found["StepRequest"] = _object(step | {"timeout_s": {"type": "number"}, "request_id": _TEXT}, "action")
    rpc = {"jsonrpc": _TEXT, "method": _TEXT, "params": {}, "id": {}}
    found["JsonRpcRequest"] = {"type": "object", "properties": rpc}
    found["SplitRequest"] = _object({"split": _TEXT}, "split")
    found["TaskRequest"] = _object({"split": _TEXT, "index": _WHOLE}, "split", "index")
    found["TaskRangeRequest"] = _object({"split": _TEXT, "start": _WHOLE, "stop": _WHOLE}, "split")
    return found


def _object(properties: dict[str, Any], *required: str) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(required), "additionalProperties": False}

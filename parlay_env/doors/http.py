"""OpenEnv's HTTP routes and task API. Without a session id they are stateless, as OpenEnv's own are.

With the header `X-Session-Id: new`, or `"session_id": "new"` in the body, `/reset` opens a session and tells its id in
the same header; `/step` and `/state` go on with it.
"""

from __future__ import annotations

from functools import cache, partial
from typing import Any

from fastapi import FastAPI, Request
from starlette.exceptions import HTTPException
from starlette.responses import Response

from parlay_env import tasks
from parlay_env.doors import pages
from parlay_env.doors.bodies import text_of
from parlay_env.doors.http_sessions import NEW, HttpSessions
from parlay_env.doors.hub import Hub, header_map
from parlay_env.doors.mcp import answer_rpc
from parlay_env.doors.openapi import described, description
from parlay_env.doors.wire import WireError, action_of, decode, encode, options_of
from parlay_env.environment import metadata
from parlay_env.models import ParlayAction, ParlayObservation, ParlayState
from parlay_env.session import Answer

ENV_NAME = "parlay_env"
SESSION_HEADER = "X-Session-Id"
_STATUS = {
    "INVALID_JSON": 400,
    "UNAUTHORIZED": 401,
    "SESSION_NOT_FOUND": 404,
    "UNKNOWN_TASK": 404,
    "NOT_FOUND": 404,
    "EPISODE_DONE": 409,
    "NOT_RESET": 409,
    "MESSAGE_TOO_LARGE": 413,
    "RATE_LIMITED": 429,
    "CAPACITY_REACHED": 503,
    "INTERNAL": 500,
}
"""All others are 422."""
Body = dict[str, Any]


class Routes:
    """The handlers of an application."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._sessions = HttpSessions(hub)

    # The environment --------------------------------------------------------------------------------------------------

    async def reset(self, request: Request) -> Response:
        """A new episode: its first observation."""
        body, _ = await self._read(request, may_be_empty=True)
        session_id = _session_id(request, body)
        options = options_of(body)
        if session_id is None:
            return _answered(self._sessions.open(options).answer())
        if session_id != NEW:
            return _answered(self._sessions.reset(session_id, options), session_id)
        session_id = self._sessions.create()
        try:
            return _answered(self._sessions.reset(session_id, options), session_id)
        except WireError:
            self._sessions.close(session_id)
            raise

    async def step(self, request: Request) -> Response:
        """A move, and what came of it."""
        body, text = await self._read(request)
        session_id = _session_id(request, body)
        if not body.keys() <= {"action", "timeout_s", "request_id"} or "action" not in body:
            message = "the body has an `action`; besides at most session_id, timeout_s, request_id"
            raise WireError("INVALID_ACTION", message)
        action = action_of(body["action"], text, "action")
        if session_id is None:
            raise WireError("NOT_RESET", f"reset first: POST /reset with {SESSION_HEADER}: {NEW}, then send the id")
        return _answered(self._sessions.step(session_id, action), session_id)

    async def state(self, request: Request) -> Response:
        """The session as its player may know it."""
        self._admit(request)
        session_id = request.headers.get(SESSION_HEADER) or request.query_params.get("session_id")
        if session_id is None:
            return _json({"episode_id": None, "step_count": 0})
        return _json(self._sessions.state(session_id))

    async def mcp(self, request: Request) -> Response:
        """The environment as tools, over JSON-RPC."""
        self._admit(request)
        reply = answer_rpc(await text_of(request, self._hub.settings), self._sessions)
        return Response(status_code=202) if reply is None else _json(reply)

    # Tasks ------------------------------------------------------------------------------------------------------------

    async def list_environments(self, _: Request) -> Response:
        """The environments served here: one."""
        return _json([ENV_NAME])

    async def splits(self, request: Request) -> Response:
        """The splits that have tasks."""
        _this_environment(request)
        return _json(tasks.splits())

    async def list_tasks(self, request: Request) -> Response:
        """Every task of a split."""
        body = await self._task_body(request, "split")
        return _json({"tasks": _told(tasks.tasks(body["split"], self._hub.test_key)), "env_name": ENV_NAME})

    async def num_tasks(self, request: Request) -> Response:
        """How many tasks a split has."""
        body = await self._task_body(request, "split")
        return _json({"num_tasks": len(tasks.tasks(body["split"], self._hub.test_key))})

    async def task(self, request: Request) -> Response:
        """One task, by its index."""
        body = await self._task_body(request, "split", index=True)
        return _json({"task": tasks.task(body["split"], body["index"], self._hub.test_key).told()})

    async def task_range(self, request: Request) -> Response:
        """The tasks from `start` up to but without `stop`, as Python slices."""
        body = await self._task_body(request, "split", start=False, stop=False)
        found = tasks.tasks(body["split"], self._hub.test_key)
        return _json({"tasks": _told(found[body.get("start") : body.get("stop")])})

    async def _task_body(self, request: Request, text: str, **whole: bool) -> Body:
        """The body of a task request. `whole`: its whole numbers, and whether each is needed."""
        _this_environment(request)
        body, _ = await self._read(request)
        if not isinstance(body.get(text), str):
            raise WireError("INVALID_OPTION", f"the body has a `{text}`")
        for name, needed in whole.items():
            value = body.get(name)
            if type(value) is not int and (needed or value is not None):
                raise WireError("INVALID_OPTION", f"{name} is a whole number")
        if not body.keys() <= {text, *whole}:
            raise WireError("INVALID_OPTION", f"the body has {', '.join((text, *whole))}, and nothing else")
        return body

    # About ------------------------------------------------------------------------------------------------------------

    async def health(self, _: Request) -> Response:
        """Is the server up?"""
        return _json({"status": "healthy"})

    async def ready(self, _: Request) -> Response:
        """May clients come? How many sessions there are, and may be."""
        full = self._hub.active >= self._hub.settings.max_sessions
        body = {
            "status": "full" if full else "ready",
            "active_sessions": self._hub.active,
            "max_sessions": self._hub.settings.max_sessions,
            "http_sessions": len(self._sessions),
            **self._hub.beside,
            **({"models": self._hub.voices.told()} if self._hub.voices.name else {}),
        }
        return _json(body, 503 if full else 200)

    async def metadata(self, _: Request) -> Response:
        """What this environment is."""
        return _json(metadata().model_dump())

    async def schema(self, _: Request) -> Response:
        """The JSON schemas of actions, observations and state."""
        return Response(_schemas(), media_type="application/json")

    async def home(self, request: Request) -> Response:
        """A page that says what this is."""
        return pages.home(str(request.base_url).rstrip("/"))

    # Requests ---------------------------------------------------------------------------------------------------------

    def _admit(self, request: Request) -> None:
        if not self._hub.may_play(header_map(request.scope["headers"])):
            raise WireError("UNAUTHORIZED", "send the header Authorization: Bearer <key>")
        self._sessions.admit(request.client.host if request.client else "")

    async def _read(self, request: Request, *, may_be_empty: bool = False) -> tuple[Body, bytes]:
        """The body as an object, and its text. Raises WireError."""
        self._admit(request)
        text = await text_of(request, self._hub.settings)
        if may_be_empty and not text.strip():
            return {}, text
        body = decode(text)
        if not isinstance(body, dict):
            raise WireError("INVALID_OPTION", "the body is a JSON object")
        return body, text


def add_routes(app: FastAPI, hub: Hub) -> None:
    """Put the routes, and the answers to what goes wrong, into an application."""
    routes = Routes(hub)
    post, get = partial(described, app, "POST"), partial(described, app, "GET")
    post("/reset", routes.reset, "Environment Control", "ResetRequest")
    post("/step", routes.step, "Environment Control", "StepRequest")
    get("/state", routes.state, "State Management")
    get("/metadata", routes.metadata, "Environment Info")
    get("/schema", routes.schema, "Schema")
    get("/health", routes.health, "Health")
    get("/ready", routes.ready, "Health")
    post("/mcp", routes.mcp, "MCP", "JsonRpcRequest")
    get("/list_environments", routes.list_environments, "Task API")
    get("/{env_name}/splits", routes.splits, "Task API")
    post("/{env_name}/tasks", routes.list_tasks, "Task API", "SplitRequest")
    post("/{env_name}/num_tasks", routes.num_tasks, "Task API", "SplitRequest")
    post("/{env_name}/task", routes.task, "Task API", "TaskRequest")
    post("/{env_name}/task_range", routes.task_range, "Task API", "TaskRangeRequest")
    app.add_api_route("/", routes.home, methods=["GET", "HEAD"], include_in_schema=False)
    app.add_api_route("/health", routes.health, methods=["HEAD"], include_in_schema=False)
    app.add_exception_handler(WireError, _wrong)
    app.add_exception_handler(HTTPException, _not_there)
    app.add_exception_handler(tasks.UnknownTask, _no_task)
    app.add_exception_handler(Exception, _fault)
    app.openapi = partial(description, app)  # type: ignore[method-assign]


@cache
def _schemas() -> bytes:
    observed = ParlayObservation.model_json_schema()
    return encode(
        {
            "action": ParlayAction.model_json_schema(),
            "observation": observed,
            "reset_observation": observed,
            "state": ParlayState.model_json_schema(),
        }
    )


def _told(found: tuple[tasks.Task, ...]) -> list[Body]:
    return [task.told() for task in found]


def _this_environment(request: Request) -> None:
    if request.path_params["env_name"].lower() != ENV_NAME:
        raise WireError("NOT_FOUND", f"this server has one environment: {ENV_NAME}")


def _session_id(request: Request, body: Body) -> str | None:
    """The session that a request is for. Taken out of the body."""
    found = body.pop("session_id", None) or request.headers.get(SESSION_HEADER)
    if found is not None and not isinstance(found, str):
        raise WireError("SESSION_NOT_FOUND", "session_id is text")
    return found


def _answered(answer: Answer, session_id: str | None = None) -> Response:
    info = answer.info()
    if session_id is not None:
        info["session_id"] = session_id
    answer.observation["metadata"] = {}
    body = {"observation": answer.observation, "reward": answer.reward, "done": answer.done, "metadata": info}
    response = _json(body)
    if session_id is not None:
        response.headers[SESSION_HEADER] = session_id
    return response


def _json(body: Any, status: int = 200) -> Response:
    return Response(encode(body), status, media_type="application/json")


def _error(error: WireError) -> Response:
    return _json({"error": error.body()}, _STATUS.get(error.code, 422))


async def _wrong(_: Request, error: Exception) -> Response:
    assert isinstance(error, WireError)
    response = _error(error)
    if error.code == "UNAUTHORIZED":
        response.headers["WWW-Authenticate"] = "Bearer"
    return response


async def _no_task(_: Request, error: Exception) -> Response:
    return _error(WireError("UNKNOWN_TASK", str(error)))


async def _not_there(_: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    code = {404: "NOT_FOUND", 405: "METHOD_NOT_ALLOWED"}.get(error.status_code, "BAD_REQUEST")
    body = {"error": {"code": code, "message": "there is nothing here; see /openapi.json"}}
    response = _json(body, error.status_code)
    response.headers.update(error.headers or {})
    return response


async def _fault(_: Request, __: Exception) -> Response:
    """Our own fault: what it was stands in the server's log, and nowhere else."""
    return _error(WireError("INTERNAL", "something went wrong on our side"))

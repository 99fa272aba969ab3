"""`POST /mcp`: the environment as three tools over JSON-RPC, for agents that know tools and nothing of OpenEnv."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from parlay_env import __version__
from parlay_env.doors.http_sessions import HttpSessions
from parlay_env.doors.wire import WireError, action_of, decode, encode, options_of
from parlay_env.models import ParlayAction
from parlay_env.options import ResetOptions
from parlay_env.session import Answer

PROTOCOL = "2025-06-18"
_PARSE_ERROR = -32700
_INVALID_REQUEST = -32600
_METHOD_NOT_FOUND = -32601
_INVALID_PARAMS = -32602
_SERVER_ERROR = -32000


class _RpcError(Exception):
    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


def answer_rpc(text: bytes, sessions: HttpSessions) -> dict[str, Any] | None:
    """The answer to a JSON-RPC request; None to a notification."""
    request_id: Any = None
    try:
        request = _request(text)
        if "id" not in request:
            return None
        if isinstance(request["id"], str | int):
            request_id = request["id"]
        result = _call(request["method"], request["params"], text, sessions)
    except _RpcError as error:
        return {"jsonrpc": "2.0", "id": request_id, "error": {"code": error.code, "message": str(error)}}
    return {"jsonrpc": "2.0", "id": request_id, "result": result}


def _request(text: bytes) -> dict[str, Any]:
    try:
        request = decode(text)
    except WireError:
        raise _RpcError(_PARSE_ERROR, "this is not JSON") from None
    if not isinstance(request, dict) or request.get("jsonrpc") != "2.0" or type(request.get("method")) is not str:
        raise _RpcError(_INVALID_REQUEST, "a request is an object with jsonrpc: 2.0, method and id")
    if request.get("params") is None:
        request["params"] = {}
    if not isinstance(request["params"], dict):
        raise _RpcError(_INVALID_REQUEST, "params is an object")
    return request


def _call(method: str, params: dict[str, Any], text: bytes, sessions: HttpSessions) -> dict[str, Any]:
    match method:
        case "initialize":
            return {
                "protocolVersion": PROTOCOL,
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "parlay", "version": __version__},
                "instructions": "Call reset, then step until done. Every tool answers what the player may see.",
            }
        case "ping":
            return {}
        case "tools/list":
            return {"tools": _tools()}
        case "tools/call":
            name, arguments = params.get("name"), params.get("arguments") or {}
            tool = _TOOLS.get(name) if isinstance(name, str) else None
            if tool is None or not isinstance(arguments, dict):
                raise _RpcError(_INVALID_PARAMS, "params: name (reset, step or state) and arguments")
            return _result(tool, arguments, text, sessions)
        case "openenv/session/create":
            try:
                return {"session_id": sessions.create()}
            except WireError as error:
                raise _RpcError(_SERVER_ERROR, error.message) from None
        case "openenv/session/close":
            try:
                sessions.close(_session_id(params))
            except WireError as error:
                raise _RpcError(_INVALID_PARAMS, error.message) from None
            return {"session_id": params["session_id"], "closed": True}
        case _:
            raise _RpcError(_METHOD_NOT_FOUND, "methods: initialize, ping, tools/list, tools/call")


def _result(tool: _Tool, arguments: dict[str, Any], text: bytes, sessions: HttpSessions) -> dict[str, Any]:
    """A tool's result. What was wrong with the call is told to the model, as MCP has it."""
    try:
        found, failed = tool(arguments, text, sessions), False
    except WireError as error:
        found, failed = {"error": error.body()}, True
    content = [{"type": "text", "text": encode(found).decode()}]
    return {"content": content, "structuredContent": found, "isError": failed}


_Tool = Callable[[dict[str, Any], bytes, HttpSessions], dict[str, Any]]


def _reset(arguments: dict[str, Any], _: bytes, sessions: HttpSessions) -> dict[str, Any]:
    options = options_of({key: value for key, value in arguments.items() if key != "session_id"})
    if "session_id" in arguments:
        session_id = _session_id(arguments)
        return _told(session_id, sessions.reset(session_id, options))
    session_id = sessions.create()
    try:
        return _told(session_id, sessions.reset(session_id, options))
    except WireError:
        sessions.close(session_id)
        raise


def _step(arguments: dict[str, Any], text: bytes, sessions: HttpSessions) -> dict[str, Any]:
    session_id = _session_id(arguments)
    if not arguments.keys() <= {"session_id", "action"}:
        raise WireError("INVALID_OPTION", "step has session_id and action, and nothing else")
    return _told(session_id, sessions.step(session_id, action_of(arguments.get("action"), text, *_ACTION_PATH)))


def _state(arguments: dict[str, Any], _: bytes, sessions: HttpSessions) -> dict[str, Any]:
    session_id = _session_id(arguments)
    return {"session_id": session_id, "state": sessions.state(session_id)}


_ACTION_PATH = ("params", "arguments", "action")
_TOOLS: dict[str, _Tool] = {"reset": _reset, "step": _step, "state": _state}


def _session_id(arguments: dict[str, Any]) -> str:
    found = arguments.get("session_id")
    if not isinstance(found, str):
        raise WireError("SESSION_NOT_FOUND", "give the session_id that reset answered")
    return found


def _told(session_id: str, answer: Answer) -> dict[str, Any]:
    found: dict[str, Any] = {
        "session_id": session_id,
        "observation": answer.observation,
        "reward": answer.reward,
        "done": answer.done,
    }
    return found | {"info": answer.info()}


def _tools() -> list[dict[str, Any]]:
    session_id = {"type": "string", "description": "The session that reset answered."}
    reset = ResetOptions.model_json_schema()
    reset["properties"]["session_id"] = {"type": "string", "description": "Left out: a new session."}
    action = ParlayAction.model_json_schema()
    of_step = {"session_id": session_id, "action": action}
    step = {"type": "object", "properties": of_step, "$defs": action.pop("$defs", {})}
    state = {"type": "object", "properties": {"session_id": session_id}, "required": ["session_id"]}
    return [
        {"name": "reset", "description": "Start a negotiation; answers its session_id.", "inputSchema": reset},
        {
            "name": "step",
            "description": "Make one move; answers what the opponent did and the reward paid.",
            "inputSchema": step | {"required": ["session_id", "action"]},
        },
        {"name": "state", "description": "The negotiation as you may know it.", "inputSchema": state},
    ]

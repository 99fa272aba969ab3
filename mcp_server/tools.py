"""The tools, the rules and a prompt as a FastMCP server. Nothing else of ours imports FastMCP, and this module is
imported when somebody first speaks MCP: it takes about a second, which a server that starts does not pay."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal
from weakref import WeakKeyDictionary

from fastmcp import FastMCP
from fastmcp.exceptions import NotFoundError
from fastmcp.prompts import Prompt
from fastmcp.resources import Resource
from fastmcp.server.dependencies import get_context
from fastmcp.server.middleware import CallNext, Middleware, MiddlewareContext
from fastmcp.tools.base import Tool, ToolResult
from fastmcp.utilities.json_schema import compress_schema
from mcp.server.session import ServerSession
from mcp.types import CallToolRequestParams, ToolAnnotations
from pydantic import BaseModel, Field, ValidationError
from pydantic.json_schema import SkipJsonSchema
from starlette.requests import Request

from agent.registry import OPPONENTS
from game.scenarios import scenarios
from mcp_server import arguments as given
from mcp_server import words
from mcp_server.answers import Game, Leaderboard, Looked, Personas, Scenarios, Started
from mcp_server.discreet import quote_nothing
from mcp_server.faults import Fault, bad_arguments, fault_of
from mcp_server.table import DRAWN, Answer, Caller, Table
from parlay_env import __version__
from parlay_env.doors.hub import header_map, is_from_here

RULES = "parlay://rules"
PLAYER_HEADER = "x-parlay-player"
PLACE = {"game_id": -2, "move_number": -1, "belief": 1, "headline_effect": 2, "player_key": 3}
"""Arguments that come before or after a tool's own."""
READS = ToolAnnotations(readOnlyHint=True, idempotentHint=True, openWorldHint=False)
MOVES = ToolAnnotations(readOnlyHint=False, destructiveHint=False, idempotentHint=True, openWorldHint=False)
ENDS = ToolAnnotations(readOnlyHint=False, destructiveHint=True, idempotentHint=True, openWorldHint=False)
BEGINS = ToolAnnotations(readOnlyHint=False, destructiveHint=False, idempotentHint=False, openWorldHint=False)

Work = Callable[[Any, Caller], Awaitable[Answer]]
CallerOf = Callable[[], Caller]


class TableTool(Tool):
    """A tool whose arguments and faults are ours: what doesn't fit is told with a code, nothing sent is repeated."""

    takes: SkipJsonSchema[type[given.Arguments]] = Field(exclude=True)
    work: SkipJsonSchema[Work] = Field(exclude=True)
    caller: SkipJsonSchema[CallerOf] = Field(exclude=True)

    async def run(self, arguments: dict[str, Any]) -> ToolResult:
        """The answer as text and as data, or the fault."""
        try:
            wanted = self.takes.model_validate(arguments)
        except ValidationError as error:
            return told(bad_arguments(error, self.takes), self.name)
        try:
            answer = await self.work(wanted, self.caller())
        except Exception as error:
            fault = fault_of(error)
            if fault is None:
                raise
            return told(fault, self.name)
        return ToolResult(answer.text, answer.data.model_dump(mode="json"))


def told(fault: Fault, tool: str) -> ToolResult:
    """A fault as MCP has it: for the model to read, and to do better."""
    return ToolResult(fault.text(tool), fault.body(tool), is_error=True)


class KnownTools(Middleware):
    """A tool that there isn't is answered like any other fault."""

    async def on_call_tool(
        self, context: MiddlewareContext[CallToolRequestParams], call_next: CallNext[CallToolRequestParams, ToolResult]
    ) -> ToolResult:
        """The tool's answer."""
        try:
            return await call_next(context)
        except NotFoundError:
            known = ", ".join(tool.name for tool in await _server_of(context).list_tools())
            return told(Fault("UNKNOWN_TOOL", f"there is no such tool; there are {known}"), "start_negotiation")


def _server_of(context: MiddlewareContext[Any]) -> FastMCP:
    assert context.fastmcp_context is not None
    return context.fastmcp_context.fastmcp


def build(table: Table, *, key: str = "", pages_here: bool = False) -> FastMCP:
    """The server. `key`: the player's key of whoever started it (stdio). `pages_here`: the pages stand under the
    address that the client has called."""

    bound: WeakKeyDictionary[ServerSession, str] = WeakKeyDictionary()  # a binding lasts as long as its session

    def caller() -> Caller:
        context = get_context()
        session = context.session
        request = None if context.request_context is None else context.request_context.request
        web = request if isinstance(request, Request) else None
        return Caller(
            bound=lambda: bound.get(session),
            bind=lambda token: bound.update({session: token}),
            key=(None if web is None else web.headers.get(PLAYER_HEADER)) or key or None,
            pages=f"{web.url.scheme}://{web.url.netloc}" if pages_here and web is not None else "",
            headers={} if web is None else header_map(web.scope["headers"]),
            from_here=web is None
            or is_from_here(header_map(web.scope["headers"]), web.client.host if web.client else ""),
        )

    quote_nothing()
    server: FastMCP = FastMCP(
        "parlay",
        instructions=words.INSTRUCTIONS,
        version=__version__,
        mask_error_details=True,
        dereference_schemas=False,  # ours have no references, and looking for them at every listing takes long
        middleware=[KnownTools()],
    )
    for title, takes, work, answers, hints in _tools(table):
        server.add_tool(_tool(title, takes, work, caller, answers, hints))
    server.add_resource(
        Resource.from_function(
            rules,
            uri=RULES,
            name="rules",
            title="The rules and the scoring",
            description="What happens in a negotiation, exactly: a turn, cards, claims, tension, endings, and every "
            "term of the reward with its formula and a worked example.",
            mime_type="text/markdown",
        )
    )
    server.add_prompt(Prompt.from_function(negotiate, name="negotiate", title="Negotiate", description=NEGOTIATE))
    return server


def _tools(
    table: Table,
) -> list[tuple[str, type[given.Arguments], Work, type[BaseModel], ToolAnnotations]]:
    return [
        ("Start a negotiation", given.StartNegotiation, table.start_negotiation, Started, BEGINS),
        ("Make an offer", given.MakeOffer, table.move, Game, MOVES),
        ("Say something", given.Say, table.move, Game, MOVES),
        ("Look at a game", given.GetGameState, table.get_game_state, Looked, READS),
        ("Accept the deal", given.AcceptDeal, table.move, Game, ENDS),
        ("Walk away", given.WalkAway, table.move, Game, ENDS),
        ("The leaderboard", given.GetLeaderboard, table.get_leaderboard, Leaderboard, READS),
        ("The scenarios", given.ListScenarios, table.list_scenarios, Scenarios, READS),
        ("The opponents", given.ListPersonas, table.list_personas, Personas, READS),
    ]


def _tool(
    title: str,
    takes: type[given.Arguments],
    work: Work,
    caller: CallerOf,
    answers: type[BaseModel],
    hints: ToolAnnotations,
) -> TableTool:
    return TableTool(
        name=name_of(takes),
        title=title,
        description=inspect.cleandoc(takes.__doc__ or ""),
        parameters=_schema_of(takes),
        output_schema=_schema(answers, "serialization"),
        annotations=hints,
        takes=takes,
        work=work,
        caller=caller,
    )


@cache
def _schema(model: type[BaseModel], mode: Literal["validation", "serialization"]) -> dict[str, Any]:
    """A model as a schema without references, which some clients can't follow. Made once: it takes a while."""
    return compress_schema(model.model_json_schema(mode=mode), prune_titles=True, dereference=True)


@cache
def _schema_of(takes: type[given.Arguments]) -> dict[str, Any]:
    """A tool's arguments as a schema: the game first, with all the ids that there are."""
    schema = dict(_schema(takes, "validation"))
    schema.pop("description", None)  # it is the tool's
    schema["properties"] = dict(sorted(schema["properties"].items(), key=lambda one: PLACE.get(one[0], 0)))
    known = {"scenario_id": list(scenarios()), "persona": list(OPPONENTS)}
    if takes is given.StartNegotiation:
        known["persona"].append(DRAWN)
    for name, values in known.items():
        if name in schema["properties"]:
            _one_of(schema["properties"][name], values)
    return schema


def name_of(takes: type[given.Arguments]) -> str:
    """The tool's name: its arguments' name, as tools are spelt."""
    return "".join(f"_{c.lower()}" if c.isupper() else c for c in takes.__name__).lstrip("_")


def _one_of(schema: dict[str, Any], values: list[str]) -> None:
    """Say in the schema which ids there are."""
    text = next((one for one in schema.get("anyOf", []) if one.get("type") == "string"), schema)
    text.pop("maxLength", None)
    text["enum"] = values


def rules() -> str:
    """The rules, as docs/rules.md has them: the package brings the page along, a clone has it in its place."""
    page = files("mcp_server").joinpath("rules.md")
    if page.is_file():
        return page.read_text("utf-8")
    return Path(__file__).resolve().parents[1].joinpath("docs", "rules.md").read_text("utf-8")


NEGOTIATE = "Play one negotiation from the briefing to the end."


def negotiate(
    scenario_id: str = "saas_enterprise", seat: Literal["seller", "buyer"] = "seller", persona: str = DRAWN
) -> str:
    """What a person asks of the model."""
    return (
        f"Negotiate for me with the Parlay tools: start_negotiation with scenario_id {scenario_id}, seat {seat} and "
        f"persona {persona}, under a name that you ask me for. Then make offers until there is a deal that is good for "
        "us, or leave if no deal can be inside our limit. Say before each move in a sentence what you infer of their "
        "limit and why you move as you do. Never offer or accept anything beyond our limit. At the end tell me the "
        "result, what you would do otherwise, and give me the link to the debrief."
    )

"""What an operator may set: environment variables with the prefix `PARLAY_`, each with a default that works."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, SecretStr, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from agent.llm.voices import SECONDS
from game.texts import texts
from parlay_env.tasks import key_of


class Settings(BaseSettings):
    """The settings of a server."""

    # An error would quote a secret that can't be used.
    model_config = SettingsConfigDict(env_prefix="PARLAY_", frozen=True, extra="ignore", hide_input_in_errors=True)

    host: str = Field(default="127.0.0.1", description="The address to listen on; 0.0.0.0 for every one.")
    port: int = Field(default=8000, ge=0, le=65535, description="The port to listen on.")
    log_level: Literal["critical", "error", "warning", "info", "debug"] = Field(
        default="info", description="What is logged; `info` has a line for every socket and HTTP request."
    )

    max_sessions: int = Field(
        default=4096, ge=1, description="Sessions of all sockets together. A socket takes one by being open."
    )
    sessions_per_socket: int = Field(default=64, ge=1, description="Sessions that one socket of `/env/ws` may hold.")
    http_sessions: int = Field(default=1024, ge=1, description="Sessions that HTTP clients may hold, all together.")
    idle_seconds: float = Field(
        default=1800.0, gt=0, description="A socket or an HTTP session that sends nothing for this long is closed."
    )
    ping_seconds: float = Field(default=20.0, gt=0, description="How often a socket is pinged.")
    pong_seconds: float = Field(
        default=120.0,
        gt=0,
        description="How long the answer to a ping may take. A client that generates text may not come to it sooner.",
    )
    write_seconds: float = Field(
        default=30.0, gt=0, description="A client that does not read its answer for this long is cut off."
    )
    message_bytes: int = Field(
        default=262_144, ge=4096, le=4_194_304, description="The longest message or request body that is read."
    )
    rate: float = Field(
        default=10_000.0,
        ge=0,
        description="Messages a second that one socket, or one address over HTTP, may send for long; twice as many at "
        "once. 0: no limit.",
    )
    shutdown_seconds: int = Field(default=5, ge=0, description="How long a stopping server waits for its clients.")

    documents: str = Field(
        default="", description="A folder of texts (*.txt, UTF-8) for the game `undercover`, in place of those it has."
    )

    database_url: SecretStr = Field(
        default=SecretStr("sqlite:///parlay.db"),
        description="Where people's games are kept: sqlite:///file (made at start) or postgresql://user@host/name. "
        "Agents need none.",
    )
    redis_url: SecretStr = Field(
        default=SecretStr(""),
        description="With several workers: what tells each of them that a game has changed, redis://host:6379/0.",
    )
    page_rate: float = Field(
        default=40.0,
        ge=0,
        description="Requests a second that one address may send to the pages for long; twice as "
        "many at once. 0: no limit.",
    )
    page_streams: int = Field(
        default=256,
        ge=0,
        description="Games that one address may follow live at once. 0: no limit.",
    )
    room_key: SecretStr = Field(
        default=SecretStr(""),
        description="Whoever opens a room needs it. Without one, rooms can be opened from this machine alone.",
    )
    seat_seconds: float = Field(
        default=120.0,
        gt=0,
        description="Of two people who play each other: after how long a bot takes the seat of one "
        "who is gone and has to move.",
    )

    model: str = Field(
        default="",
        description="The language model that speaks for narrated and llm opponents: openai/<model>, gemini/<model>, "
        "local/<file.gguf> or local/smollm2. Without one there are none; docs/models.md sets one up.",
    )
    model_url: str = Field(
        default="", description="Where a model in OpenAI's form is served, if not by OpenAI: http://host:port/v1."
    )
    model_key: SecretStr = Field(
        default=SecretStr(""),
        description="Whoever plays against an opponent that a model speaks for needs it (`Authorization: Bearer "
        "<key>`). Without one, they can be had from this machine alone.",
    )
    model_seconds: float = Field(
        default=SECONDS, gt=0, description="After so long without an answer the opponent speaks for itself."
    )
    model_concurrency: int = Field(default=8, ge=1, description="Requests that the model is sent at once.")
    model_requests_per_minute: float = Field(
        default=0.0, ge=0, description="Requests a minute that it may be sent; others wait. 0: no limit."
    )
    model_daily_tokens: int = Field(
        default=1_000_000, ge=0, description="Tokens that all opponents together may use a day (UTC). 0: no cap."
    )
    model_daily_dollars: float = Field(
        default=5.0, ge=0, description="US dollars that they may cost a day, by the two prices. 0: no cap."
    )
    model_price_in: float = Field(default=0.0, ge=0, description="US dollars for a million tokens that are read.")
    model_price_out: float = Field(default=0.0, ge=0, description="US dollars for a million tokens that are written.")

    allowed_origins: Annotated[tuple[str, ...], NoDecode] = Field(
        default=(),
        description="Pages of other origins that may open sockets and read answers, comma-separated; `*` for all. "
        "Without it a browser is let in from this server's own pages only; clients that are no browsers always are.",
    )
    secret: SecretStr = Field(
        default=SecretStr(""),
        description="Mixed into the seeds that the server draws, so that an episode can't be had from its seed alone. "
        "Seeds that clients give are never mixed with it.",
    )
    test_secret: SecretStr = Field(
        default=SecretStr(""),
        description="Makes the test tasks an edition of your own: their ids and seeds follow from it, and nobody else "
        "can compute them. At least 16 characters. Without it they are the public edition, the same on every server.",
    )
    api_key: SecretStr = Field(
        default=SecretStr(""), description="If set, playing needs the header `Authorization: Bearer <key>`."
    )

    public_url: str = Field(
        default="",
        pattern=r"^(https?://[^\s/?#]+/?)?$",
        description="The address under which people open the pages, for the links that MCP clients are given: "
        "https://parlay.example.",
    )
    player_key: SecretStr = Field(
        default=SecretStr(""),
        description="For `parlay mcp stdio` alone: who plays, by the `player_key` that the first game answered.",
    )

    @field_validator("documents")
    @classmethod
    def _readable_documents(cls, value: str) -> str:
        if value:
            texts(Path(value))
        return value

    @field_validator("test_secret")
    @classmethod
    def _check(cls, value: SecretStr) -> SecretStr:
        key_of(value.get_secret_value())
        return value

    @field_validator("allowed_origins", mode="before")
    @classmethod
    def _split(cls, value: Any) -> Any:
        if not isinstance(value, str):
            return value
        return tuple(part.strip().rstrip("/") for part in value.split(",") if part.strip())

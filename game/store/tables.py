"""What is stored. An episode is a head line and event lines, the log's own; all else is who sits there, and what for.

No secret that lets somebody in is stored: of tokens and keys only their hash is (`hashed`). A join code is no secret of
that kind: it lets in whoever the manager gives it to.
"""

from __future__ import annotations

import hashlib
import secrets
from datetime import UTC, datetime

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
)

ID_BYTES = 12
TOKEN_BYTES = 32

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "pk": "pk_%(table_name)s",
    }
)
_ID = String(32)

players = Table(
    "players",
    metadata,
    Column("id", _ID, primary_key=True),
    Column("token_hash", LargeBinary(32), nullable=False, unique=True),
    Column("name", String(80), nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("former", JSON),
)
"""`former`: the names that a player had before, so that none of them is left in what it gives for training."""

rooms = Table(
    "rooms",
    metadata,
    Column("id", _ID, primary_key=True),
    Column("key_hash", LargeBinary(32), nullable=False),
    Column("join_code", String(32), nullable=False, unique=True),
    Column("name", String(200), nullable=False),
    Column("tasks", JSON, nullable=False),
    Column("same_seed", Boolean, nullable=False),
    Column("due_at", BigInteger),
    Column("closed_at", BigInteger),
    Column("created_at", BigInteger, nullable=False),
    Column("request_id", String(128), unique=True),
)
"""`request_id` is of whoever opened it, and its wish."""

members = Table(
    "members",
    metadata,
    Column("room_id", _ID, ForeignKey("rooms.id", ondelete="CASCADE"), primary_key=True),
    Column("player_id", _ID, ForeignKey("players.id", ondelete="CASCADE"), primary_key=True),
    Column("joined_at", BigInteger, nullable=False),
    Index(None, "player_id"),
)

games = Table(
    "games",
    metadata,
    Column("id", _ID, primary_key=True),
    Column("head", Text, nullable=False),
    Column("secret", LargeBinary(32), nullable=False),
    Column("scenario_id", String(80), nullable=False),
    Column("seat", String(16), nullable=False),
    Column("persona", String(64)),
    Column("split", String(16), nullable=False),
    Column("status", String(16), nullable=False),
    Column("guided", Boolean, nullable=False),
    Column("watched", Boolean, nullable=False),
    Column("helped", Boolean, nullable=False),
    Column("room_id", _ID, ForeignKey("rooms.id", ondelete="SET NULL")),
    Column("task", Integer),
    Column("fixed_seed", Boolean, nullable=False),
    Column("turn", Integer, nullable=False),
    Column("reason", String(32)),
    Column("final_offer", JSON),
    Column("started_at", BigInteger, nullable=False),
    Column("moved_at", BigInteger, nullable=False),
    Column("ended_at", BigInteger),
    Column("voice", String(16), nullable=False, server_default="scripted"),
    Index(None, "room_id"),
    Index(None, "status", "moved_at"),
    Index(None, "status", "started_at"),
    Index(None, "scenario_id", "status", "ended_at"),
)
"""`ended_at` is the order in which the leaderboard and percentiles read results, `moved_at` the sweeper's. `voice`: who
speaks for the persona, itself (scripted) or a language model (narrated, llm)."""

seats = Table(
    "seats",
    metadata,
    Column("game_id", _ID, ForeignKey("games.id", ondelete="CASCADE"), primary_key=True),
    Column("seat", String(16), primary_key=True),
    Column("player_id", _ID, ForeignKey("players.id", ondelete="SET NULL")),
    Column("request_id", String(64)),
    Column("bot", Boolean, nullable=False),
    Column("seen_at", BigInteger),
    Column("consent", Boolean, nullable=False),
    Column("ranked", Boolean, nullable=False),
    Column("efficiency", Float),
    Column("surplus", Float),
    Column("reward", Float),
    Column("right_exit", Boolean),
    UniqueConstraint("player_id", "request_id"),
    Index(None, "player_id"),
)
"""A row for each seat that is a person's. `right_exit`: it ended without a deal, and rightly. `seen_at`: of two people,
when each was last there."""

events = Table(
    "events",
    metadata,
    Column("game_id", _ID, ForeignKey("games.id", ondelete="CASCADE"), primary_key=True),
    Column("n", Integer, primary_key=True),
    Column("line", Text, nullable=False),
    Column("by", String(16), nullable=False),
    Column("digest", LargeBinary(16)),
    Column("at", BigInteger, nullable=False),
)
"""The log's lines. `digest`: of what the client sent, so that the same again is known for a retry."""

notes = Table(
    "notes",
    metadata,
    Column("id", _ID, primary_key=True),
    Column("game_id", _ID, ForeignKey("games.id", ondelete="CASCADE"), nullable=False),
    Column("kind", String(16), nullable=False),
    Column("seat", String(16)),
    Column("turn", Integer, nullable=False),
    Column("words", Text, nullable=False),
    Column("request_id", String(64), nullable=False),
    Column("at", BigInteger, nullable=False),
    UniqueConstraint("game_id", "request_id"),
)

watchers = Table(
    "watchers",
    metadata,
    Column("token_hash", LargeBinary(32), primary_key=True),
    Column("game_id", _ID, ForeignKey("games.id", ondelete="CASCADE"), nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Index(None, "game_id"),
)

reviews = Table(
    "reviews",
    metadata,
    Column("game_id", _ID, ForeignKey("games.id", ondelete="CASCADE"), primary_key=True),
    Column("seat", String(16), primary_key=True),
    Column("version", String(32), primary_key=True),
    Column("body", Text, nullable=False),
    Column("at", BigInteger, nullable=False),
)
"""A debrief's review, computed once."""

records = Table(
    "records",
    metadata,
    Column("game_id", _ID, ForeignKey("games.id", ondelete="CASCADE"), primary_key=True),
    Column("seat", String(16), primary_key=True),
    Column("log", Text, nullable=False),
    Column("secret", LargeBinary(32), nullable=False),
    Column("efficiency", Float, nullable=False),
    Column("right_exit", Boolean, nullable=False),
    Column("at", BigInteger, nullable=False),
)
"""The flywheel: finished, unwatched games that their players gave for training. No name, no player's id."""


model_use = Table(
    "model_use",
    metadata,
    Column("day", String(10), primary_key=True),
    Column("prompt_tokens", BigInteger, nullable=False),
    Column("completion_tokens", BigInteger, nullable=False),
    Column("requests", BigInteger, nullable=False),
    Column("dollars", Float, nullable=False),
)
"""What language models used each day (UTC)."""


def new_id() -> str:
    """An id that nobody guesses."""
    return secrets.token_urlsafe(ID_BYTES)


def new_token() -> str:
    """A token that lets its holder in somewhere."""
    return secrets.token_urlsafe(TOKEN_BYTES)


def hashed(token: str) -> bytes:
    """What is stored of a token. It is random and long, so that a plain hash can't be reversed."""
    return hashlib.blake2b(token.encode(), digest_size=32, person=b"parlay-token").digest()


def iso(milliseconds: int | None) -> str | None:
    """A time as people and pages get it: ISO 8601, UTC, to the second."""
    if milliseconds is None:
        return None
    return datetime.fromtimestamp(milliseconds / 1000, UTC).isoformat(timespec="seconds").replace("+00:00", "Z")

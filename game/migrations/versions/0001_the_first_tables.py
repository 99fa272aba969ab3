"""The first tables"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    op.create_table(
        "players",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("token_hash", sa.LargeBinary(length=32), nullable=False),
        sa.Column("name", sa.String(length=80), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_players")),
        sa.UniqueConstraint("token_hash", name=op.f("uq_players_token_hash")),
    )
    op.create_table(
        "rooms",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("key_hash", sa.LargeBinary(length=32), nullable=False),
        sa.Column("join_code", sa.String(length=32), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("tasks", sa.JSON(), nullable=False),
        sa.Column("same_seed", sa.Boolean(), nullable=False),
        sa.Column("due_at", sa.BigInteger(), nullable=True),
        sa.Column("closed_at", sa.BigInteger(), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("request_id", sa.String(length=128), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_rooms")),
        sa.UniqueConstraint("join_code", name=op.f("uq_rooms_join_code")),
        sa.UniqueConstraint("request_id", name=op.f("uq_rooms_request_id")),
    )
    op.create_table(
        "members",
        sa.Column("room_id", sa.String(length=32), nullable=False),
        sa.Column("player_id", sa.String(length=32), nullable=False),
        sa.Column("joined_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name=op.f("fk_members_player_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["room_id"], ["rooms.id"], name=op.f("fk_members_room_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("room_id", "player_id", name=op.f("pk_members")),
    )
    with op.batch_alter_table("members", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_members_player_id"), ["player_id"], unique=False)

    op.create_table(
        "games",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("head", sa.Text(), nullable=False),
        sa.Column("secret", sa.LargeBinary(length=32), nullable=False),
        sa.Column("scenario_id", sa.String(length=80), nullable=False),
        sa.Column("seat", sa.String(length=16), nullable=False),
        sa.Column("persona", sa.String(length=64), nullable=True),
        sa.Column("split", sa.String(length=16), nullable=False),
        sa.Column("status", sa.String(length=16), nullable=False),
        sa.Column("guided", sa.Boolean(), nullable=False),
        sa.Column("watched", sa.Boolean(), nullable=False),
        sa.Column("helped", sa.Boolean(), nullable=False),
        sa.Column("room_id", sa.String(length=32), nullable=True),
        sa.Column("task", sa.Integer(), nullable=True),
        sa.Column("fixed_seed", sa.Boolean(), nullable=False),
        sa.Column("turn", sa.Integer(), nullable=False),
        sa.Column("reason", sa.String(length=32), nullable=True),
        sa.Column("final_offer", sa.JSON(), nullable=True),
        sa.Column("started_at", sa.BigInteger(), nullable=False),
        sa.Column("moved_at", sa.BigInteger(), nullable=False),
        sa.Column("ended_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(["room_id"], ["rooms.id"], name=op.f("fk_games_room_id"), ondelete="SET NULL"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_games")),
    )
    with op.batch_alter_table("games", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_games_status_started_at"), ["status", "started_at"], unique=False)
        batch_op.create_index(batch_op.f("ix_games_room_id"), ["room_id"], unique=False)
        batch_op.create_index(
            batch_op.f("ix_games_scenario_id_status_ended_at"), ["scenario_id", "status", "ended_at"], unique=False
        )
        batch_op.create_index(batch_op.f("ix_games_status_moved_at"), ["status", "moved_at"], unique=False)

    op.create_table(
        "events",
        sa.Column("game_id", sa.String(length=32), nullable=False),
        sa.Column("n", sa.Integer(), nullable=False),
        sa.Column("line", sa.Text(), nullable=False),
        sa.Column("by", sa.String(length=16), nullable=False),
        sa.Column("digest", sa.LargeBinary(length=16), nullable=True),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["game_id"], ["games.id"], name=op.f("fk_events_game_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("game_id", "n", name=op.f("pk_events")),
    )
    op.create_table(
        "notes",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("game_id", sa.String(length=32), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("seat", sa.String(length=16), nullable=True),
        sa.Column("turn", sa.Integer(), nullable=False),
        sa.Column("words", sa.Text(), nullable=False),
        sa.Column("request_id", sa.String(length=64), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["game_id"], ["games.id"], name=op.f("fk_notes_game_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_notes")),
        sa.UniqueConstraint("game_id", "request_id", name=op.f("uq_notes_game_id_request_id")),
    )
    op.create_table(
        "records",
        sa.Column("game_id", sa.String(length=32), nullable=False),
        sa.Column("seat", sa.String(length=16), nullable=False),
        sa.Column("log", sa.Text(), nullable=False),
        sa.Column("secret", sa.LargeBinary(length=32), nullable=False),
        sa.Column("efficiency", sa.Float(), nullable=False),
        sa.Column("right_exit", sa.Boolean(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["game_id"], ["games.id"], name=op.f("fk_records_game_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("game_id", "seat", name=op.f("pk_records")),
    )
    op.create_table(
        "reviews",
        sa.Column("game_id", sa.String(length=32), nullable=False),
        sa.Column("seat", sa.String(length=16), nullable=False),
        sa.Column("version", sa.String(length=32), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["game_id"], ["games.id"], name=op.f("fk_reviews_game_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("game_id", "seat", "version", name=op.f("pk_reviews")),
    )
    op.create_table(
        "seats",
        sa.Column("game_id", sa.String(length=32), nullable=False),
        sa.Column("seat", sa.String(length=16), nullable=False),
        sa.Column("player_id", sa.String(length=32), nullable=True),
        sa.Column("request_id", sa.String(length=64), nullable=True),
        sa.Column("bot", sa.Boolean(), nullable=False),
        sa.Column("seen_at", sa.BigInteger(), nullable=True),
        sa.Column("consent", sa.Boolean(), nullable=False),
        sa.Column("ranked", sa.Boolean(), nullable=False),
        sa.Column("efficiency", sa.Float(), nullable=True),
        sa.Column("surplus", sa.Float(), nullable=True),
        sa.Column("reward", sa.Float(), nullable=True),
        sa.Column("right_exit", sa.Boolean(), nullable=True),
        sa.ForeignKeyConstraint(["game_id"], ["games.id"], name=op.f("fk_seats_game_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name=op.f("fk_seats_player_id"), ondelete="SET NULL"),
        sa.PrimaryKeyConstraint("game_id", "seat", name=op.f("pk_seats")),
        sa.UniqueConstraint("player_id", "request_id", name=op.f("uq_seats_player_id_request_id")),
    )
    with op.batch_alter_table("seats", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_seats_player_id"), ["player_id"], unique=False)

    op.create_table(
        "watchers",
        sa.Column("token_hash", sa.LargeBinary(length=32), nullable=False),
        sa.Column("game_id", sa.String(length=32), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["game_id"], ["games.id"], name=op.f("fk_watchers_game_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("token_hash", name=op.f("pk_watchers")),
    )
    with op.batch_alter_table("watchers", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_watchers_game_id"), ["game_id"], unique=False)


def downgrade() -> None:
    with op.batch_alter_table("watchers", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_watchers_game_id"))

    op.drop_table("watchers")
    with op.batch_alter_table("seats", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_seats_player_id"))

    op.drop_table("seats")
    op.drop_table("reviews")
    op.drop_table("records")
    op.drop_table("notes")
    op.drop_table("events")
    with op.batch_alter_table("games", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_games_status_moved_at"))
        batch_op.drop_index(batch_op.f("ix_games_scenario_id_status_ended_at"))
        batch_op.drop_index(batch_op.f("ix_games_room_id"))
        batch_op.drop_index(batch_op.f("ix_games_status_started_at"))

    op.drop_table("games")
    with op.batch_alter_table("members", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_members_player_id"))

    op.drop_table("members")
    op.drop_table("rooms")
    op.drop_table("players")

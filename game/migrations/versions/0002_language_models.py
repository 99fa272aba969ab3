"""Who speaks for a game's opponent, what language models used each day, and the names that players had before"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    with op.batch_alter_table("games", schema=None) as batch_op:
        batch_op.add_column(sa.Column("voice", sa.String(length=16), nullable=False, server_default="scripted"))

    with op.batch_alter_table("players", schema=None) as batch_op:
        batch_op.add_column(sa.Column("former", sa.JSON(), nullable=True))

    op.create_table(
        "model_use",
        sa.Column("day", sa.String(length=10), nullable=False),
        sa.Column("prompt_tokens", sa.BigInteger(), nullable=False),
        sa.Column("completion_tokens", sa.BigInteger(), nullable=False),
        sa.Column("requests", sa.BigInteger(), nullable=False),
        sa.Column("dollars", sa.Float(), nullable=False),
        sa.PrimaryKeyConstraint("day", name=op.f("pk_model_use")),
    )


def downgrade() -> None:
    op.drop_table("model_use")
    with op.batch_alter_table("games", schema=None) as batch_op:
        batch_op.drop_column("voice")
    with op.batch_alter_table("players", schema=None) as batch_op:
        batch_op.drop_column("former")

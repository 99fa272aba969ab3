"""Where people's games live: SQLite by default, PostgreSQL by address.

`database` opens it, `tables` says what is in it; `players`, `games`, `rooms`, `coach` read and write. Times are
milliseconds since 1970, UTC.
"""

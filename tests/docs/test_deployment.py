"""docs/deployment.md says what the code does."""

from __future__ import annotations

import re
from typing import Any

from pydantic import SecretStr

from parlay_env.client import ParlayEnvClient
from parlay_env.settings import Settings
from tests.clients.servers import ROOT

from .pages import blocks, named, read, section, table

PAGE = "docs/deployment.md"


def shown(default: Any) -> str:
    """A setting's default as its table shows it."""
    if isinstance(default, SecretStr):
        default = default.get_secret_value()
    return "none" if default in ("", ()) else f"`{default:g}`" if isinstance(default, int | float) else f"`{default}`"


def used_settings(code: str) -> set[str]:
    return {name.upper() for name in re.findall(r"settings\.(\w+)", code)}


def test_every_setting_is_in_the_table_with_its_default() -> None:
    documented = {named(row[0])[0]: row[1] for row in table(PAGE, "setting")}
    fields = Settings.model_fields
    assert list(documented) == [f"PARLAY_{name.upper()}" for name in fields]
    for name, field in fields.items():
        figure = f"`{field.default:.0f}`" if isinstance(field.default, int | float) else shown(field.default)
        assert documented[f"PARLAY_{name.upper()}"] == figure


def test_every_value_and_bound_of_a_setting_is_in_its_row() -> None:
    rows = {named(row[0])[0]: row[2] for row in table(PAGE, "setting")}
    properties = Settings.model_json_schema()["properties"]
    assert set(named(rows["PARLAY_LOG_LEVEL"])) >= set(properties["log_level"]["enum"])
    bytes_ = properties["message_bytes"]
    assert f"{bytes_['minimum']:,} to {bytes_['maximum']:,}" in rows["PARLAY_MESSAGE_BYTES"]


def test_the_settings_that_uvicorn_does_not_take_are_those_that_only_serve_hands_over() -> None:
    by_serve = used_settings(read("parlay_env/server.py").split("def serve(", 1)[1])
    by_doors = used_settings("".join(path.read_text() for path in (ROOT / "parlay_env/doors").glob("*.py")))
    said = section(PAGE, "Start it").split("so `PARLAY_HOST`", 1)[1].split("do nothing there", 1)[0]
    assert {"HOST", *re.findall(r"`PARLAY_(\w+)`", said)} == by_serve - by_doors


def test_the_proxy_waits_longer_than_the_pings_are_apart() -> None:
    nginx = next(block.text for block in blocks(PAGE) if block.kind == "nginx")
    waits = re.search(r"proxy_read_timeout (\d+)s;", nginx)
    assert waits is not None and int(waits[1]) > 2 * Settings().ping_seconds
    for passed_on in ("Upgrade $http_upgrade", "Connection $connection_upgrade", "Host $http_host"):
        assert f"proxy_set_header {passed_on};" in nginx
    assert f"every {Settings().ping_seconds:g} seconds" in section(PAGE, "Behind a reverse proxy")


def test_the_address_of_a_space_is_taken() -> None:
    example = next(block.text for block in blocks(PAGE) if block.kind == "python")
    found: dict[str, Any] = {}
    exec(example, found)
    assert isinstance(found["env"], ParlayEnvClient)


def test_what_can_be_read_without_the_key_is_what_the_page_says() -> None:
    """`tests/doors` holds the other half: nothing is played without it."""
    from starlette.testclient import TestClient

    from parlay_env.server import create_app

    security = section(PAGE, "Security").split("Without it ", 1)[1].split(" can be read", 1)[0]
    open_routes = {*re.findall(r"`(/[\w.]*)`", security), "/parlay_env/splits"}
    with TestClient(create_app(Settings(api_key=SecretStr("key")))) as client:
        routes = create_app(Settings()).openapi()["paths"]
        readable = {path.replace("{env_name}", "parlay_env") for path, methods in routes.items() if "get" in methods}
        found = {path for path in readable | {"/", "/openapi.json"} if client.get(path).status_code == 200}
    assert found == open_routes


def test_the_ways_to_stop_agree_with_the_server() -> None:
    assert f"`PARLAY_SHUTDOWN_SECONDS` | `{Settings().shutdown_seconds}`" in read(PAGE)
    assert f"--timeout-graceful-shutdown {Settings().shutdown_seconds}" in read(PAGE)

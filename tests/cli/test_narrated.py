"""`parlay injection-study` and `parlay narrate`: what they print and write, and how they fail."""

from __future__ import annotations

import json
from pathlib import Path

from .conftest import Run

PAGE = "# A page\n\n<!-- injection study -->\n<!-- end of injection study -->\n"


def test_the_study_prints_its_table_and_writes_it_into_the_page(parlay: Run, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(PAGE, "utf-8")
    found = parlay("injection-study", "--json", "found.json", "--write", "page.md")
    assert found.returncode == 0, found.stderr
    assert "| all | 74 |" in found.stdout
    written = page.read_text("utf-8")
    assert written.startswith(PAGE.partition("<!-- end")[0])
    assert "`parlay injection-study --json found.json --write page.md`" in written
    assert found.stdout.strip() in written
    (study,) = json.loads((tmp_path / "found.json").read_text("utf-8"))
    assert study["model"] == "obedient"
    assert sum(row["changed"] + row["in_prompts"] + row["in_words"] for row in study["rows"]) == 0
    assert sum(row["messages"] for row in study["rows"]) == 74


def test_what_cant_be_done_is_said_before_the_work(parlay: Run, tmp_path: Path) -> None:
    (tmp_path / "other.md").write_text("# Nothing\n", "utf-8")
    for arguments, told in (
        (("injection-study", "--write", "other.md"), "no place for the findings"),
        (("injection-study", "--model", "somewhere"), "local/FILE.gguf"),
        (("injection-study", "--model", "local/nowhere.gguf"), "there is no file"),
        (("injection-study", "--model", "openai/some-model"), "OPENAI_API_KEY"),
        (("narrate", "--model", "local/nowhere.gguf"), "there is no file"),
        (("narrate", "--model", "local/smollm2", "--scenario", "nowhere"), "saas_enterprise"),
        (("narrate",), "--model"),
    ):
        found = parlay(*arguments)
        assert found.returncode == 2, (arguments, found.stderr)
        assert told in found.stderr
        assert "Traceback" not in found.stderr

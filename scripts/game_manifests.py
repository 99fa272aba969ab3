"""Write envs/parlay_<id>/ for every strategic game: what OpenEnv's catalogue lists. Run after a game has changed.

python -m scripts.game_manifests
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import yaml

from agent.games.registry import Entry, games

ROOT = Path(__file__).resolve().parents[1]
TAGS = ("game-theory", "hidden-information", "language-models", "multi-agent")
KEPT = ("spec_version", "version", "type", "runtime", "app", "port")
"""What every environment of this server has in common."""


def manifest(entry: Entry, server: dict[str, Any]) -> dict[str, Any]:
    """A game's openenv.yaml. `server`: that of the deal, which the same server serves."""
    game = entry.game
    told = f"{game.title}, a strategic game served at /games/{game.id}/ws. {game.rules}"
    return {"name": f"parlay_{game.id}", "description": told, **{key: server[key] for key in KEPT}}


def discovery(entry: Entry) -> dict[str, Any]:
    """A game's discovery.json."""
    return {
        "tags": sorted((*TAGS, entry.game.id.replace("_", "-"))),
        "representative_queries": [f"{entry.game.title} against scripted players", f"the game {entry.game.id}"],
        "license": "MIT",
        "license_source": "LICENSE",
    }


def files() -> dict[Path, str]:
    """Every file and what stands in it."""
    server = yaml.safe_load((ROOT / "envs" / "parlay_env" / "openenv.yaml").read_text("utf-8"))
    found = {}
    for name, entry in games().items():
        place = ROOT / "envs" / f"parlay_{name}"
        text = yaml.safe_dump(manifest(entry, server), sort_keys=False, allow_unicode=True, width=1_000_000)
        found[place / "openenv.yaml"] = text
        found[place / "discovery.json"] = json.dumps(discovery(entry), indent=2) + "\n"
    return found


def main() -> None:
    """Write them."""
    for path, text in files().items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")


if __name__ == "__main__":
    main()

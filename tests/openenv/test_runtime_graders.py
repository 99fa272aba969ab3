"""OpenEnv 0.10's runtime graders, which want a container, run against a server process instead."""

from __future__ import annotations

import shutil
from pathlib import Path

from harness import ROOT, ServerProcess
from openenv.validation import Level, Verdict, run_validation
from openenv.validation.manifest import ExecutionDeclaration
from openenv.validation.providers import ExecResult, ProviderError, StartupError
from openenv.validation.runner import source_digest
from openenv.validation.runtime.contracts import LaunchSpec
from openenv.validation.types import CheckStatus, ProviderCapability

NOT_SOURCE = shutil.ignore_patterns(".*", "__pycache__", "dist", "build", "outputs", "node_modules", "*.db*")
GRADED = {
    "static.manifest",
    "runtime.startup",
    "runtime.reward_well_formed",
    "runtime.observation_schema",
    "runtime.state_contract",
}
BROKEN = {CheckStatus.FAIL, CheckStatus.ERROR}


class LocalSubject:
    """A server process in the part of a container."""

    def __init__(self, process: ServerProcess) -> None:
        self.base_url = process.url
        self._process = process

    def inspect(self) -> dict:
        return {"provider": LocalProvider.name}

    def logs(self, max_bytes: int = 65_536) -> str:
        return self._process.output(max_bytes)

    def exec(self, argv: list[str], timeout_s: float) -> ExecResult:
        raise ProviderError("a process has no inside to run commands in")

    def stop(self) -> None:
        self._process.stop()


class LocalProvider:
    """Builds nothing and starts `main:app` from the source given, in an empty environment and an empty folder.

    It claims no NETWORK_POLICY: the server is cut off by itself, which is no measurement from outside.
    """

    name = "local-process"
    capabilities = frozenset({ProviderCapability.IMAGE_BUILD})
    supported_network_modes = frozenset({"no-network"})

    def __init__(self, scratch: Path) -> None:
        self._scratch = scratch
        self._root = Path()

    def build(self, root: Path, execution: ExecutionDeclaration) -> str:
        if not (root / execution.dockerfile).is_file() or not (root / execution.context).is_dir():
            raise ProviderError("the Dockerfile or its context is missing")
        self._root = root
        return f"sha256:{source_digest(root)}"

    def start(self, spec: LaunchSpec) -> LocalSubject:
        command = [str(self._root / "tests/openenv/offline_server.py")]
        environment = {"PATH": "/usr/bin:/bin", "HOME": str(self._scratch), "PYTHONDONTWRITEBYTECODE": "1"}
        environment |= {"PYTHONPATH": str(self._root), **spec.env_vars}
        process = ServerProcess(command, self._scratch, environment)
        try:
            process.wait(spec.startup_timeout_s)
        except RuntimeError as error:
            raise StartupError(str(error)) from None
        return LocalSubject(process)


def test_every_runtime_grader_passes(tmp_path: Path) -> None:
    # A copy, so that whatever else writes into the tree meanwhile doesn't count as the subject changing itself.
    source = tmp_path / "source"
    shutil.copytree(ROOT, source, ignore=NOT_SOURCE)
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    report = run_validation(source, max_level=Level.RUNTIME, provider=LocalProvider(scratch))
    results = {result.check_id: result for result in report.results}
    failed = {check: result.evidence for check, result in results.items() if result.status in BROKEN}
    assert not failed
    assert {check for check, result in results.items() if result.status is CheckStatus.PASS} == GRADED
    reasons = {reason for result in results.values() if result.status is CheckStatus.SKIP for reason in result.evidence}
    assert reasons == {"grader not implemented in this build", "missing provider capabilities: network_policy"}
    # WARN is the best verdict there is while a check is skipped.
    assert report.verdict is Verdict.WARN

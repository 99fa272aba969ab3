"""Ask for known vulnerabilities in the locked packages, and say plainly when nobody could be asked.

pip-audit treats a package that the service doesn't answer for as one without findings, and a service out of reach as
a failure. Here a finding fails, and an audit that could not be made says so: it neither fails nor passes for one.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any


def audit(lock: str) -> tuple[list[dict[str, Any]], str]:
    """The packages of one lock as pip-audit reports them, and what it said besides."""
    command = [str(Path(sys.executable).with_name("pip-audit")), "--requirement", lock, "--disable-pip"]
    command += ["--require-hashes", "--format", "json", "--progress-spinner", "off", "--timeout", "15"]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    try:
        return json.loads(found.stdout)["dependencies"], found.stderr
    except (ValueError, KeyError):
        return [], found.stderr


def main(locks: list[str]) -> int:
    status = 0
    for lock in locks:
        packages, said = audit(lock)
        answered = [package for package in packages if "skip_reason" not in package]
        vulnerable = [package for package in answered if package["vulns"]]
        for package in vulnerable:
            names = ", ".join(vulnerability["id"] for vulnerability in package["vulns"])
            print(f"{lock}: {package['name']} {package['version']}: {names}")
        if vulnerable:
            status = 1
        if packages and len(answered) == len(packages):
            print(f"{lock}: {len(answered)} packages audited, {len(vulnerable)} with known vulnerabilities")
        elif answered:
            silent = ", ".join(package["name"] for package in packages if "skip_reason" in package)
            print(f"{lock}: audited {len(answered)} of {len(packages)} packages; the service knew nothing of {silent}")
        else:
            reason = f"it answered for none of {len(packages)} packages" if packages else said.strip()[-160:]
            print(f"{lock}: NOT AUDITED: the vulnerability service can't be asked from here ({reason})")
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Every installed package names a licence that this project may stand on: none is unlicensed, none is AGPL or GPL."""

from __future__ import annotations

import re
import sys
from importlib import metadata

FORBIDDEN = re.compile(r"\bA?GPL|(?<!Lesser )General Public License", re.IGNORECASE)
LICENCE_FILE = re.compile(r"\.dist-info/(licenses/)?(LICEN[CS]E|COPYING)[^/]*$", re.IGNORECASE)
LESSER = re.compile(r"LGPL|Lesser General Public License", re.IGNORECASE)


def licence(distribution: metadata.Distribution) -> str:
    """What a distribution says its licence is: an SPDX expression, else classifiers, else a text's first line."""
    about = distribution.metadata
    if expression := about.get_all("License-Expression"):
        return expression[0]
    prefix = "License :: "
    classifiers = [c.rsplit(" :: ", 1)[-1] for c in about.get_all("Classifier") or [] if c.startswith(prefix)]
    named = [name for name in classifiers if name != "OSI Approved"]
    if named:
        return " AND ".join(named)
    text = (about.get_all("License") or [""])[0]
    if not text or text == "UNKNOWN":
        shipped = [path for path in distribution.files or [] if LICENCE_FILE.search(str(path))]
        text = shipped[0].read_text() if shipped else ""
    return text.strip().split("\n")[0]


def is_allowed(named: str) -> bool:
    """Whether some alternative (`OR`) of a licence is free of AGPL and GPL. No name at all is no licence."""
    alternatives = re.split(r"\s+OR\s+", named.strip("()"))
    return any(a and not FORBIDDEN.search(LESSER.sub("", a)) for a in alternatives)


def main() -> int:
    found = {d.metadata["Name"]: licence(d) for d in metadata.distributions()}
    refused = {name: named for name, named in found.items() if not is_allowed(named)}
    for name, named in sorted(refused.items()):
        print(f"{name}: {named or 'no licence'}")
    print(f"{len(found)} packages, {len(refused)} under a licence that is not allowed here")
    return 1 if refused else 0


if __name__ == "__main__":
    sys.exit(main())

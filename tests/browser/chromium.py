"""Which browser, and how it is started: quiet, with WebGL in software, without a word to its maker."""

from __future__ import annotations

import shutil

NAMES = ("chromium", "chromium-browser", "google-chrome")
QUIET = (
    "--no-sandbox",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
WITH_WEBGL = (*QUIET, "--use-angle=swiftshader", "--enable-unsafe-swiftshader")
WITHOUT_WEBGL = (*QUIET, "--disable-gpu", "--disable-3d-apis", "--disable-software-rasterizer")


def executable() -> str | None:
    """Where Chromium is, if it is."""
    return next((found for name in NAMES if (found := shutil.which(name))), None)

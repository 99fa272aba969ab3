"""Files that come into a folder together, or not at all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def together(folder: Path, names: Sequence[str]) -> Iterator[list[Path]]:
    """Where to write the files of these names: beside them. When all are written, the last one that was there goes
    first, and then each takes its place, the last one last: who is killed in between leaves no last file. When one
    can't be written, those that were there stay as they were. Raises OSError."""
    folder.mkdir(parents=True, exist_ok=True)
    places = [folder / name for name in names]
    fresh = [place.with_name(f".{place.name}.part") for place in places]
    try:
        yield fresh
        places[-1].unlink(missing_ok=True)
        for written, place in zip(fresh, places, strict=True):
            written.replace(place)
    finally:
        for written in fresh:
            written.unlink(missing_ok=True)

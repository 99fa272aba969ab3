"""Text of strangers in a prompt: one line, cut short, without anything that a model's template could take for its own.

A chat template marks turns with brackets and bars (`<|im_start|>`, `[INST]`, `<start_of_turn>`), and a server may read
such a mark inside a message as the real one. So the text keeps its letters, digits and punctuation, and loses those.
"""

from __future__ import annotations

import json
import unicodedata

HEARD = 240
"""Characters of the other side's words that a prompt holds, as many as the scripted personas hear."""
TITLE = 80
"""Characters of a scenario's own words."""
BREAKING = str.maketrans(dict.fromkeys("<>[]{}|`\\#*_~", " "))
HIDDEN = ("C", "M", "Z")
"""Unicode's control and format characters, combining marks, separators."""


def quoted(text: str, most: int = HEARD) -> str:
    """The text as a JSON string on one line."""
    return json.dumps(plain(text, most), ensure_ascii=False)


def plain(text: str, most: int) -> str:
    """The text on one line, in compatibility form, without what can't be seen and what could break out."""
    shown = unicodedata.normalize("NFKC", text[: 4 * most]).translate(BREAKING)
    seen = "".join(" " if c.isspace() else c for c in shown if c.isspace() or unicodedata.category(c)[0] not in HIDDEN)
    line = " ".join(seen.split())
    return line if len(line) <= most else line[: most - 1] + "…"

"""The page at `/`: what this server is and how to play. It loads nothing."""

from __future__ import annotations

from html import escape

from starlette.responses import HTMLResponse

_HEADERS = {
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
}
_HOME = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Parlay</title><style>
:root {{ color-scheme: light dark }}
body {{ max-width: 44rem; margin: 12vh auto; padding: 0 1.5rem; font: 1.05rem/1.6 system-ui, sans-serif }}
h1 {{ font-size: 2.2rem; margin: 0 }} code, pre {{ font: .92em ui-monospace, monospace }}
pre {{ padding: 1rem; overflow-x: auto; border: 1px solid color-mix(in srgb, currentColor 25%, transparent) }}
li {{ margin: .3rem 0 }}
</style></head><body><main>
<h1>Parlay</h1>
<p>An environment in which language models and people learn to negotiate under hidden information.
This server is up; agents connect to it over a WebSocket.</p>
<pre>from openenv.core import GenericEnvClient

with GenericEnvClient(base_url="{base}").sync() as env:
    result = env.reset(scenario_id="saas_enterprise", persona="diplomat", seed=7)
    print(result.observation["prompt"])
    result = env.step({{"utterance": "We propose 160,000.", "offer_amount": 160000}})
    print(result.observation["opponent_utterance"], result.reward)</pre>
<ul>
<li><code>/ws</code> OpenEnv's protocol · <code>/env/ws</code> the plain envelope, many games on one socket</li>
<li><a href="schema">/schema</a> what an action and an observation are</li>
<li><a href="openapi.json">/openapi.json</a> the HTTP routes · <a href="metadata">/metadata</a> ·
<a href="ready">/ready</a></li>
</ul></main></body></html>
"""


def home(base: str) -> HTMLResponse:
    """The page, for a server that is reached at `base`."""
    return HTMLResponse(_HOME.format(base=escape(base)), headers=_HEADERS)

"""Clients of Parlay's environment: the methods and results of OpenEnv's client, without OpenEnv.

    async with ParlayEnvClient("http://localhost:8000") as env:
        result = await env.reset(scenario_id="saas_enterprise", persona="veteran", seed=7)
        while not result.done:
            result = await env.step(ParlayAction(utterance="We ask 150,000.", offer_amount=150_000))

    with ParlayEnvClient("http://localhost:8000").sync() as env:  # the same without async, in notebooks too
        result = env.reset(seed=7)

An episode lives where its socket is. When the socket goes (a time-out, a restarted server) the episode goes too: `step`
and `state` then raise `ParlayConnectionError`; `reset` connects again by itself and begins a new episode; `resume`
connects again and replays the lost one. The sockets of a process live on one thread of their own, which answers pings
while the caller generates for minutes. `ParlayTable` seats two clients opposite each other.

Of the project, these modules import the wire types (`parlay_env.models`) and nothing else.
"""

from parlay_env.client.episodes import ParlayEnvClient, StepResult, SyncParlayEnvClient
from parlay_env.client.table import ParlayTable
from parlay_env.client.wire import ParlayClientError, ParlayConnectionError, ParlayTimeoutError, socket_url
from parlay_env.models import ParlayAction, ParlayObservation, ParlayState

ParlayEnv = ParlayEnvClient
"""The name under which OpenEnv's `AutoEnv` looks for the client of `parlay_env`."""

__all__ = [
    "ParlayAction",
    "ParlayClientError",
    "ParlayConnectionError",
    "ParlayEnv",
    "ParlayEnvClient",
    "ParlayObservation",
    "ParlayState",
    "ParlayTable",
    "ParlayTimeoutError",
    "StepResult",
    "SyncParlayEnvClient",
    "socket_url",
]

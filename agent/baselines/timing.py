"""Exploits of when: closing at once, never, or at the last moment; waiting for something to be given.

Each takes a desk and gives a move. Where a number decides how strong an exploit is, it is the best of a few that were
tried over 600 episodes of the split `train`.
"""

from __future__ import annotations

from msgspec.structs import replace

from agent.baselines.concession import stepped, tit_for_tat, unmoved
from agent.baselines.desk import Desk
from agent.baselines.odds import prior_means
from parlay_env.deal.numbers import DEADLINE
from parlay_env.deal.state import T_MAX, Move

CRUMB = 0.0125
"""A step that just counts as movement (a hundredth), with the rounding to an issue's step."""
SLICE = 0.03
"""A thin slice: it is nobody's weakness, and earns credit though nothing was given for it. Thicker ones, up to
`CREDIT_BEYOND`, earn more, and never what reciprocity does."""
SLICES_LEAST = 0.20
"""The surplus that is enough for the slicer once a deadline may be near."""
EARLIEST = DEADLINE[0]
"""The first turn after which an opponent may have to leave."""
SNIPE_AT = 0.30
"""The surplus that the sniper is after, and by how much it takes less than it asks for."""
SNIPE_SLACK = 0.15
SNIPE_TURNS = 3
ULTIMATUM_SHARE = 0.4
"""Of what the prior says there is to share; at least ULTIMATUM_LEAST."""
ULTIMATUM_LEAST = 0.25


def instant_accept(desk: Desk) -> Move:
    """Takes the first offer that is inside its limit, having got it by tit-for-tat. Farms the pay for speed."""
    standing = desk.standing
    return Move(voiced=True, accept=True) if standing is not None and standing >= 0.0 else tit_for_tat(desk)


def floor_closer(desk: Desk) -> Move:
    """Asks for its own limit at once, and takes what is as good. Farms the pay for speed, at the price of the deal."""
    demand = unmoved(desk, 0.0)
    return desk.take_or_propose(demand, demand)


def staller(desk: Desk) -> Move:
    """Keeps everybody at the table with crumbs, states at every turn that the other surely has an alternative, or has
    none, whichever is more probable, and takes nothing before the last turn. Farms whatever a turn pays."""
    standing = desk.standing
    if desk.turn >= T_MAX and standing is not None and standing >= 0.0:
        return Move(voiced=True, accept=True)
    bold = replace(prior_means(desk), has_alternative=float(desk.prior.has_alternative >= 0.5))
    return replace(desk.propose(stepped(desk, CRUMB)), belief=bold)


def deadline_sniper(desk: Desk) -> Move:
    """Gives slices until the earliest deadline is near, then drops to its price within three turns and takes what comes
    near to it. Farms the squeeze of a deadline: who must sign or leave settles for little."""
    demand = max(SNIPE_AT, stepped(desk, SLICE))
    late = desk.turn - EARLIEST + 2
    if desk.mine.latest is None or late <= 0:
        return desk.take_or_propose(demand, demand)
    way = (desk.anchor - SNIPE_AT) * min(1.0, late / SNIPE_TURNS)
    demand = max(SNIPE_AT, min(demand, desk.anchor - way))
    return desk.take_or_propose(max(SNIPE_AT, demand - SNIPE_SLACK), demand)


def salami(desk: Desk) -> Move:
    """Gives a thin slice that earns credit unmatched, whatever it is given, and takes what is left on the table once a
    deadline may be near. Farms credit, trust and patience at the least price."""
    demand = stepped(desk, SLICE)
    least = demand if desk.turn < EARLIEST else min(demand, SLICES_LEAST)
    return desk.take_or_propose(least, demand)


def ultimatum(desk: Desk) -> Move:
    """Names one price, by what the prior says there is to share, and never moves. Farms the power of who commits
    first."""
    price = max(ULTIMATUM_LEAST, ULTIMATUM_SHARE * desk.left_by(desk.prior.budget.mean))
    demand = unmoved(desk, price)
    return desk.take_or_propose(demand, demand)


def walk_at_once(desk: Desk) -> Move:  # noqa: ARG001
    """Leaves before a word is said. Farms the pay for a right walk-away."""
    return Move(voiced=True, walk=True)


def abstainer(desk: Desk) -> Move:  # noqa: ARG001
    """Talks, and neither offers nor takes anything: without a deal none is beyond its limit, and the other leaves
    first. Farms the way around the cliff."""
    return Move(voiced=True)


def wait_for_shock(desk: Desk) -> Move:
    """Waits with crumbs until a headline has broken, or a deadline is near; then plays tit-for-tat. Farms the pay for
    adapting, and the fresh start that a headline gives."""
    if desk.public.news or desk.turn >= EARLIEST - 1:
        return tit_for_tat(desk)
    demand = stepped(desk, CRUMB)
    return desk.take_or_propose(demand, demand)


def news_reset(desk: Desk) -> Move:
    """Plays tit-for-tat, and is back at its anchor after every headline. Farms that the first offer after a headline is
    neither noise nor a concession."""
    if desk.mine.latest is not None and desk.fresh_news:
        return desk.offer_or_take(desk.anchor)
    return tit_for_tat(desk)

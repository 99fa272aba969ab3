"""Undercover: all summarise a document of which one, the spy, lacks a part; then all vote who that is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

import msgspec
from msgspec.structs import replace

from game.texts import TextError, text_fault
from parlay_env.core import Event, Seat, Step, Viewer
from parlay_env.games.interface import LAST, PLAYED, VOID, Refusal, blame, check_moves, counted, gave_out, share, whole
from parlay_env.rng import Draws, Keys, Purpose, derive_keys

SEATS: tuple[Seat, ...] = tuple(f"player_{number}" for number in range(1, 9))
MIN_PLAYERS = 3
BETA = 0.1
"""What the votes against the spy cost it and bring the others, for each by which it leads the others' mean."""
LAMBDA = 0.1
"""What a vote against another than the spy costs that player, for each by which it leads the others' mean."""
FAULT = -1.0
"""For whom an episode becomes void by: less than the votes can cost anybody."""
LETTERS = 10
"""A summary has at most this many characters for each word that it may have."""
SLACK = 0.04
"""Beliefs may sum to 1 within this: as far as two decimals can be off for seven players."""
GAP = "[…]"
"""Stands in the spy's document for what is missing."""

_TEXT = Purpose.POLICY
_SPY = Purpose.POLICY
_PLACE = Purpose.POLICY + 1

Mode = Literal["parallel", "sequential"]


class Setup(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`players`: how many, 3 to 8. `mask`: the share of the document's words that the spy lacks. `mode`: do all write
    at the same time, or one after the other, seeing what was written? `words`: the most that a summary has.
    `document`: the text itself, so that a log replays wherever it is; empty: one of the game's own, by the seed."""

    players: int = 4
    mask: float = 0.5
    mode: Mode = "parallel"
    words: int = 50
    document: str = ""


class Move(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`summary`: while all write. `vote`: then, who the spy is; None: nobody is named. `beliefs`: with a vote, if one
    likes: how probably each other player is the spy; who is left out has 0."""

    summary: str | None = None
    vote: Seat | None = None
    beliefs: dict[Seat, float] | None = None


class Ballot(msgspec.Struct, frozen=True):
    """A vote that was cast. `beliefs`: by seat, one's own 0, the sum 1; None: none were given."""

    vote: Seat | None
    beliefs: tuple[float, ...] | None


class State(msgspec.Struct, frozen=True):
    """An episode. `document`: all of it; the spy (from 0) lacks `missing` words from word `first` on. `summaries` and
    `ballots` are by seat, None before they are given; so are `refused`, of the last moves, and `tries`, how many of a
    seat's moves were refused."""

    setup: Setup
    keys: Keys
    document: str
    spy: int
    first: int
    missing: int
    summaries: tuple[str | None, ...]
    ballots: tuple[Ballot | None, ...]
    refused: tuple[Refusal | None, ...]
    tries: tuple[int, ...]


class Truth(msgspec.Struct, frozen=True):
    """What was hidden: the spy, the whole document, the words that the spy lacked, and the votes by seat."""

    spy: Seat
    document: str
    lacked: str
    ballots: tuple[Ballot | None, ...]


class View(msgspec.Struct, frozen=True):
    """What a viewer sees. `document`: its own version; `missing`: how many words that lacks, where `GAP` stands.
    `phase`: what is due; `summaries`: by player, None where there is none to be seen yet; `words`: the most a summary
    has; `invalid`: why one's last move was not played."""

    seat: Seat | None
    players: tuple[Seat, ...]
    mode: Mode
    phase: Literal["write", "vote", "over"]
    words: int
    document: str
    missing: int
    summaries: tuple[str | None, ...]
    invalid: Refusal | None
    ended: str | None
    truth: Truth | None


def pay(against: Sequence[int], spy: int) -> tuple[float, ...]:
    """What the votes pay each player, given those against each; the sum is 0.

    With m the votes against the spy, c the mean of those against the others, of whom there are k: the spy has
    −β(m − c), another with m′ against it (β/k)(m − c) − λ(m′ − c) (Wang et al. 2025, "Vision-Zero", for pictures).
    """
    others = len(against) - 1
    mean = (sum(against) - against[spy]) / others
    lead = against[spy] - mean
    return tuple(
        -BETA * lead if seat == spy else BETA / others * lead - LAMBDA * (votes - mean)
        for seat, votes in enumerate(against)
    )


class Undercover:
    """Who of us has not read it all?

    Description: every player has the same document, but the spy's lacks a run of words. All write a summary, then all
    vote who the spy is. Nobody is told who that is; the spy knows by the gap, unless nothing is missing.
    Action space: `Move`: a summary while all write, then a vote (or none), with probabilities if one likes.
    Observation space: `View`: one's own document, and the summaries: when all are written, or one after the other.
    Starting state: the seed draws the document, the spy and where the gap is.
    Rewards: `found`: 1 to who voted for the spy, which the spy can't; `votes`: see `pay`, in sum 0 over the players.
    Where an episode is void `fault` alone: −1 to whose moves were refused too often, 0 to the others.
    Episode end: `played` when all have; `void` when one player has no more tries.
    Arguments: see `Setup`; the texts that the document is drawn from.
    Version history: 1, first.
    References: Wang et al. 2025, Vision-Zero: Scalable VLM Self-Improvement via Strategic Gamified Self-Play.
    """

    id = "undercover"
    title = "Undercover"
    rules = (
        "Every player is given the same document, but in one player's copy, the spy's, a part is missing. Nobody is "
        f"told who the spy is. If words are missing from your copy, which {GAP} then stands for, you are the spy. "
        "First, every player writes a summary of the document: all at the same time, or one after the other in the "
        "order of the seats, each seeing the summaries before. Your view says which, and how many words a summary has "
        f"at most; it has at most {LETTERS} characters for each of these. Then all see the summaries, and all vote at "
        "the same time who the spy is. You can't vote for yourself; you may vote for nobody. With your vote you may "
        "say how probable it is for each of the others, in numbers that sum to 1. If you vote for the spy, you are "
        "paid 1. Besides, for every vote against the spy more than the others have on average, the spy loses "
        f"{BETA}, which the others share; and each of the others loses {LAMBDA} for every vote against itself more "
        "than that average, and gains as much for every vote fewer. A move that is not allowed is due again; "
        f"the {LAST} one of a player makes the game void, and that player alone is paid anything: {FAULT:g}."
    )
    seats: tuple[Seat, ...] = SEATS
    setup_type = Setup
    state_type = State
    move_type = Move
    view_type = View
    reward_range = (FAULT, 1.125)
    by_seat: frozenset[str] = frozenset(("summaries", "ballots", "beliefs"))
    facts: Mapping[str, float] = {
        "least_players": MIN_PLAYERS,
        "most_players": len(SEATS),
        "beta": BETA,
        "lambda": LAMBDA,
        "fault": FAULT,
    }

    def __init__(self, texts: Sequence[str]) -> None:
        """The game about these texts. Raises TextError for none, or for one that can't be played about."""
        if not texts:
            raise TextError("the game needs a text to play about")
        for number, text in enumerate(texts, start=1):
            if fault := text_fault(text):
                raise TextError(f"text {number} {fault}")
        self.texts = tuple(texts)

    def seated(self, setup: Setup) -> tuple[Seat, ...]:
        """The first so many seats."""
        return SEATS[: setup.players]

    def start(self, setup: Setup, seed: int, secret: bytes = b"") -> State:
        """The first state. Raises ValueError for a setup or a seed that can't be played."""
        whole("players", setup.players, MIN_PLAYERS, len(SEATS))
        share("mask", setup.mask)
        whole("words", setup.words, 5, 500)
        if setup.mode not in ("parallel", "sequential"):
            raise ValueError("mode is parallel or sequential")
        if setup.document and (fault := text_fault(setup.document)):
            raise ValueError(f"document {fault}")
        keys = derive_keys(seed, secret, len(SEATS))
        visible, hidden = Draws(keys.visible), Draws(keys.hidden)
        words = (setup.document or self.texts[visible.integer(0, len(self.texts) - 1, 0, _TEXT)]).split()
        missing = int(setup.mask * len(words) + 0.5)
        spy, first = hidden.integer(0, setup.players - 1, 0, _SPY), hidden.integer(0, len(words) - missing, 0, _PLACE)
        none = (None,) * setup.players
        return State(setup, keys, " ".join(words), spy, first, missing, none, none, none, (0,) * setup.players)

    def to_move(self, state: State) -> frozenset[Seat]:
        """Those whose summary is due, all or the next; then those whose vote is."""
        if _ended(state):
            return frozenset()
        due = state.ballots if _written(state) else state.summaries
        waiting = [seat for seat, given in zip(SEATS, due, strict=False) if given is None]
        return frozenset(waiting[:1] if state.setup.mode == "sequential" and not _written(state) else waiting)

    def play(self, state: State, moves: Mapping[Seat, Move]) -> Step:
        """The state after these moves: those that are allowed are played, the others are due again. Raises EpisodeOver
        and WrongSeat."""
        check_moves(self.to_move(state), moves)
        voting, players = _written(state), self.seated(state.setup)
        problem = _vote_problem if voting else _summary_problem
        refused = tuple(problem(state, seat, moves[seat]) if seat in moves else None for seat in players)
        good = {seat: moves[seat] for seat, why in zip(players, refused, strict=True) if seat in moves and why is None}
        after = replace(state, refused=refused, tries=counted(state.tries, refused))
        if voting:
            ballots = tuple(
                _ballot(players, good[seat]) if seat in good else was
                for seat, was in zip(players, state.ballots, strict=True)
            )
            after = replace(after, ballots=ballots)
        else:
            summaries = tuple(
                " ".join((good[seat].summary or "").split()) if seat in good else was
                for seat, was in zip(players, state.summaries, strict=True)
            )
            after = replace(after, summaries=summaries)
        ended = _ended(after)
        if ended is None:
            return Step(after, {})
        return Step(after, self._rewards(after), (Event("end", 2 if voting else 1, None, {"reason": ended}),))

    def view(self, state: State, viewer: Viewer) -> View:
        """What this viewer may see."""
        players, ended, written = self.seated(state.setup), _ended(state), _written(state)
        number = players.index(viewer.seat) if viewer.seat in players else None
        document, missing = state.document, 0
        if number == state.spy and state.missing:
            document, missing = _torn(state), state.missing
        elif number is None and viewer.seat is not None:
            document = ""
        open_to_all = written or ended is not None or state.setup.mode == "sequential" or viewer.role == "observer"
        return View(
            viewer.seat,
            players,
            state.setup.mode,
            "over" if ended else "vote" if written else "write",
            state.setup.words,
            document,
            missing,
            tuple(text if open_to_all or i == number else None for i, text in enumerate(state.summaries)),
            None if number is None else state.refused[number],
            ended,
            _truth(state) if viewer.role == "observer" or ended else None,
        )

    def measures(self, state: State, seat: Seat) -> dict[str, float]:
        """`void`, `error`: see `blame`. `reward`: all that was paid. Of an episode that was voted in, too: `spy`: was
        this the spy? `against`: the votes against it; `caught`: was the spy named by most? Of m who are named equally
        often, the spy is 1/m, and if nobody is named, all are. And of a player who is not the spy: `detection`: did it
        vote for the spy? `abstained`: for nobody? `brier_skill`: of its beliefs, see `brier_skill`, if it gave some.
        Who made an episode void has failed, so that nobody who can't tell, or who was found out, does better by that:
        a player who is not the spy has not detected it (`detection` 0), nor was it caught (`caught` 0); a spy was
        (`caught` 1)."""
        found, number = blame(seat, _wrong(state)), SEATS.index(seat)
        if found["void"]:
            return found
        found["reward"] = sum(self._rewards(state)[seat].values())
        if found["error"]:
            is_spy = number == state.spy
            found |= {"spy": float(is_spy), "caught": float(is_spy)}
            return found if is_spy else found | {"detection": 0.0}
        against = _against(state)
        named = [i for i, votes in enumerate(against) if votes == max(against)]
        found |= {
            "spy": float(number == state.spy),
            "against": float(against[number]),
            "caught": (state.spy in named) / len(named),
        }
        ballot = state.ballots[number]
        if number == state.spy or ballot is None:
            return found
        found |= {
            "detection": float(ballot.vote == SEATS[state.spy]),
            "abstained": float(ballot.vote is None),
        }
        if ballot.beliefs is not None:
            found["brier_skill"] = brier_skill(ballot.beliefs, state.spy)
        return found

    def _rewards(self, state: State) -> dict[Seat, dict[str, float]]:
        players = self.seated(state.setup)
        if _ended(state) == VOID:
            return {seat: {"fault": FAULT if seat in _wrong(state) else 0.0} for seat in players}
        paid, spy = pay(_against(state), state.spy), SEATS[state.spy]
        return {
            seat: {"found": float(ballot is not None and ballot.vote == spy), "votes": paid[i]}
            for i, (seat, ballot) in enumerate(zip(players, state.ballots, strict=True))
        }


def brier_skill(beliefs: Sequence[float], spy: int) -> float:
    """1 − B/U of a player who is not the spy: B is the sum over the players of (belief − truth)² (Brier 1950), and U
    what equal beliefs in all others score, 1 − 1/(n − 1) for n players. 1 is certainty of what is true, 0 knows
    nothing, less than 0 is worse than that."""
    score = sum((belief - (i == spy)) ** 2 for i, belief in enumerate(beliefs))
    return 1.0 - score / (1.0 - 1.0 / (len(beliefs) - 1))


def _summary_problem(state: State, seat: Seat, move: Move) -> Refusal | None:  # noqa: ARG001
    limit, text = state.setup.words, move.summary
    if move.vote is not None or move.beliefs is not None:
        return Refusal("too_early", "votes and beliefs are due when all have written; a summary is due now")
    if text is None or not text.split():
        return Refusal("no_summary", "a summary of at least one word is due")
    if len(text.split()) > limit or len(text) > LETTERS * limit:
        return Refusal("too_long", f"a summary has at most {limit} words and {LETTERS * limit} characters")
    if not all(c.isprintable() or c.isspace() for c in text):
        return Refusal("not_plain", "a summary is plain text, without control characters")
    return None


def _vote_problem(state: State, seat: Seat, move: Move) -> Refusal | None:
    others = tuple(other for other in SEATS[: state.setup.players] if other != seat)
    if move.summary is not None:
        return Refusal("too_late", "the summaries are written; a vote is due now")
    if move.vote is not None and move.vote not in others:
        return Refusal("no_such_vote", f"a vote is for one of {', '.join(others)}, or null for nobody")
    if move.beliefs is None:
        return None
    if not set(move.beliefs) <= set(others):
        return Refusal("no_such_belief", f"beliefs are about {', '.join(others)}")
    if not all(0.0 <= belief <= 1.0 for belief in move.beliefs.values()):
        return Refusal("no_probability", "a belief is a probability, from 0 to 1")
    if not abs(sum(move.beliefs.values()) - 1.0) <= SLACK:
        return Refusal("no_distribution", f"beliefs sum to 1 (within {SLACK}, for rounding)")
    return None


def _ballot(players: tuple[Seat, ...], move: Move) -> Ballot:
    if move.beliefs is None:
        return Ballot(move.vote, None)
    given = [move.beliefs.get(seat, 0.0) for seat in players]
    return Ballot(move.vote, tuple(belief / sum(given) for belief in given))


def _against(state: State) -> tuple[int, ...]:
    """How many voted against each player."""
    named = [ballot.vote for ballot in state.ballots if ballot is not None]
    return tuple(named.count(seat) for seat in SEATS[: state.setup.players])


def _torn(state: State) -> str:
    """The document as the spy has it."""
    words = state.document.split()
    return " ".join((*words[: state.first], GAP, *words[state.first + state.missing :]))


def _truth(state: State) -> Truth:
    lacked = state.document.split()[state.first : state.first + state.missing]
    return Truth(SEATS[state.spy], state.document, " ".join(lacked), state.ballots)


def _written(state: State) -> bool:
    return None not in state.summaries


def _wrong(state: State) -> tuple[Seat, ...]:
    return gave_out(state.tries, SEATS[: state.setup.players])


def _ended(state: State) -> str | None:
    if None not in state.ballots:
        return PLAYED
    return VOID if _wrong(state) else None

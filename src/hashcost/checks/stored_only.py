"""Judge hashes, and costs as people type them, that no hasher here computes. Pure."""

from typing import Final

from msgspec.structs import replace

from hashcost.checks.audit import is_broken
from hashcost.checks.judgement import CostKind, Judgement, Outcome
from hashcost.checks.programs import only_program, programs_of, set_again
from hashcost.core.algorithms import OTHER_DIGESTS, same_work
from hashcost.core.cost_expressions import Place
from hashcost.core.measurement import Params
from hashcost.core.text import joined
from hashcost.stored.formats.reading import NOTES, HashReading, Kind
from hashcost.stored.formats.typed import out_of_range, typed_reading

_HASH_ANEW: Final = (
    "hash the password anew with argon2id, or what your policy approves and its program accepts"
)
_WITH_OTHER_DIGEST: Final = frozenset(f"pbkdf2-{digest}" for digest in OTHER_DIGESTS)
_LISTED_DIGESTS: Final = "for new hashes use SHA-256 or SHA-512, for which policies have minimums"


def worth_of_other_digest(hasher: str, params: Params) -> str:
    """Name the command that tells what a cost of PBKDF2 is worth with a digest of the same work.

    Empty without one.
    """
    twin = same_work(hasher)
    iterations = params.get("iterations")
    if not twin or iterations is None:
        return ""
    return (
        f"an iteration takes as much work as one of {twin}, so `calibrate explain"
        f" {twin}={iterations}` shows what it is worth"
    )


def cure_of_other_digest(hasher: str, params: Params) -> str:
    """Advise what to do about PBKDF2 with a digest that no library here computes, or nothing."""
    if hasher not in _WITH_OTHER_DIGEST:
        return ""
    return joined(worth_of_other_digest(hasher, params), _LISTED_DIGESTS)


def judged(text: str, place: Place | None) -> Judgement:
    """Judge a typed cost of an algorithm that only stored hashes have.

    Raises:
        UsageError: it is not a cost of this algorithm.
    """
    reading = typed_reading(text)
    row = without_library(reading, place, CostKind.SET)
    refused = out_of_range(reading)
    # Some programs give the name of a digest to an algorithm of crypt(3).
    meanings = [NOTES[note] for note in reading.notes]
    row = replace(row, note=joined(*meanings))
    return replace(row, message=joined(row.message, refused), out_of_range=bool(refused))


def without_library(reading: HashReading, place: Place | None, kind: CostKind) -> Judgement:
    """Judge a hash, or a typed cost of one, that no hasher here computes."""
    hasher = reading.hasher or reading.format
    advice = cure_of_other_digest(hasher, reading.params) or _HASH_ANEW
    only = only_program(programs_of(reading))
    if only is not None and only.keeps_hashes:
        advice = set_again(only)
    if reading.kind is Kind.FAST:
        outcome = Outcome.UNSUITABLE
        why = f"{hasher} is a fast digest, which is not a password hash"
    elif is_broken(reading):
        outcome = Outcome.BELOW_MIN
        why = f"{hasher} is outdated"
    elif reading.params:
        # It states a cost, in params that nothing here knows.
        outcome = Outcome.UNKNOWN
        why = f"hashcost does not time {hasher}, so its cost is not judged"
    else:
        outcome = Outcome.UNKNOWN
        why = f"the cost of {hasher} is not in the hash"
    judged = Judgement.without_cost(outcome, hasher, place, why, advice, kind)
    return replace(judged, params=reading.params)

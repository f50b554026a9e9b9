"""The code that a recommendation ends with."""

from __future__ import annotations

from typing import Final

import msgspec
import pytest

from hashcost.cli.output import exit_code
from hashcost.core.errors import HashcostError
from hashcost.core.profile import Failure, Profile, Result
from hashcost.documents.profile import load_profile
from made_up import PROFILE_FILE

PROFILE: Final = load_profile(PROFILE_FILE)
GOOD: Final = PROFILE.recommendations[0]
NOISY: Final = msgspec.structs.replace(GOOD, interval_seconds=(0.01, 0.06))
JUST: Final = msgspec.structs.replace(
    GOOD, interval_seconds=(0.76 * GOOD.time_seconds, 1.24 * GOOD.time_seconds)
)
LOPSIDED: Final = msgspec.structs.replace(
    GOOD, interval_seconds=(0.74 * GOOD.time_seconds, 1.05 * GOOD.time_seconds)
)


def failed(code: str) -> Failure:
    """A row that failed in this way."""
    return Failure(hasher="made-up", implementation="here", code=code, error="made up")


def profile(*results: Result) -> Profile:
    """A profile of these rows."""
    return msgspec.structs.replace(PROFILE, results=results)


@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize(
    ("results", "code"),
    [
        ((GOOD,), 0),
        ((NOISY, NOISY), 3),
        ((GOOD, JUST), 0),
        ((GOOD, LOPSIDED), 3),
        ((GOOD, failed("inconclusive")), 3),
        ((GOOD, failed("wrong-answer")), 4),
        ((failed("unavailable"),), 4),
        ((GOOD, failed("unreachable")), 5),
        ((GOOD, failed("wrong-answer"), failed("unreachable"), NOISY), 5),
    ],
)
def test_rows(named: bool, results: tuple[Result, ...], code: int) -> None:
    """What went wrong with any row is the command's code, the highest where several did."""
    assert code == exit_code(profile(*results), named=named)


@pytest.mark.parametrize(("named", "code"), [(True, 4), (False, 0)])
def test_unavailable_counts_when_named(named: bool, code: int) -> None:
    """A hasher that is missing here fails the command only when it was asked for by name."""
    assert code == exit_code(profile(GOOD, failed("unavailable")), named=named)


def test_every_error_has_a_documented_code() -> None:
    """Every error ends the command with a code of the design, never with click's 1."""
    pending: list[type[HashcostError]] = [HashcostError]
    for error in pending:
        pending += error.__subclasses__()

    assert {2, 3, 4, 5, 70} == {error.exit_code for error in pending}

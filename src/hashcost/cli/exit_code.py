"""The code that a command ends with by what it recommends."""

from hashcost.core.errors import EXIT_CODES, InconclusiveError, UnavailableError
from hashcost.core.measurement import SeenBy
from hashcost.core.profile import Profile
from hashcost.recommend.recommendation import is_too_noisy, was_cut_short


def exit_code(profile: Profile, *, named: bool, measured: bool = True) -> int:
    """The code that a recommendation ends with.

    A hasher that cannot run here fails the command when it was named, or when no other is
    there; one that gives a wrong answer always does. A row fails the run that measured it if
    the quiet speed was not seen, or if the budget ended before a hash at its cost.
    """
    codes = [
        EXIT_CODES[row.code]
        for row in profile.failures
        if named or row.code != UnavailableError.code or not profile.recommendations
    ]
    if measured and any(
        is_too_noisy(row) or row.seen_by is SeenBy.NOBODY or was_cut_short(row)
        for row in profile.recommendations
    ):
        codes.append(InconclusiveError.exit_code)
    return max(codes, default=0)

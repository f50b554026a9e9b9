"""The targets that there are: how long one hash may take, in seconds."""

from typing import Final

from hashcost.core.errors import UsageError

DEFAULT_TARGET_SECONDS: Final = 0.25
LONGEST_TARGET_SECONDS: Final = 60.0


def check_target(seconds: float, *, name: str = "--target") -> None:
    """Refuse a target that no one can mean; ``name`` is where it was written.

    Raises:
        UsageError: it is not above zero, or longer than a minute.
    """
    if not 0 < seconds <= LONGEST_TARGET_SECONDS:
        raise UsageError(f"{name}: must be above 0 and at most {LONGEST_TARGET_SECONDS:g} s")

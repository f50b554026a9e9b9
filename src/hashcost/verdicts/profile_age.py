"""What has changed since a profile was made. Pure."""

import datetime as dt
from collections.abc import Mapping
from typing import Final

from hashcost.core.machine import Notice
from hashcost.core.profile import Profile

_HOUR: Final = 3600
_DAY: Final = 24 * _HOUR


def outdated(
    profile: Profile, now: dt.datetime, max_age: float | None, installed: Mapping[str, str]
) -> tuple[Notice, ...]:
    """What has changed since a profile was made.

    ``max_age`` is in seconds; ``installed`` has the versions of implementations here.
    """
    notices = []
    age = (now - profile.created).total_seconds()
    if max_age is not None and age > max_age:
        notices.append(
            Notice(
                code="old-profile",
                message=f"the profile is {_age(age)} old, more than the {_age(max_age)} allowed",
                advice="measure again where the hashes are made: `calibrate --save PROFILE`",
            )
        )
    for row in profile.recommendations:
        version = installed.get(row.label, row.implementation_version)
        if version != row.implementation_version:
            notices.append(
                Notice(
                    code="other-version",
                    message=f"{row.label}: the profile was measured with"
                    f" {row.implementation_version}, and {version} is installed here",
                    advice="measure again if the application runs the other version",
                )
            )
    return tuple(notices)


def _age(seconds: float) -> str:
    """Whole days, or hours where it is less than two days."""
    size, unit = (_DAY, "days") if seconds >= 2 * _DAY else (_HOUR, "hours")
    return f"{seconds / size:.0f} {unit}"

"""The notices of a profile, each once. Pure."""

from __future__ import annotations

from hashcost.core.machine import Notice
from hashcost.core.profile import Profile


def notices(profile: Profile) -> tuple[tuple[Notice, tuple[str, ...]], ...]:
    """What the reader should know, of the run and then of its rows.

    What several rows have in common is said once, with the labels of all of them.
    """
    concerned: dict[Notice, dict[str, None]] = {notice: {} for notice in profile.warnings}
    for row in profile.recommendations:
        for notice in row.warnings:
            concerned.setdefault(notice, {})[row.label] = None
    return tuple((notice, tuple(labels)) for notice, labels in concerned.items())

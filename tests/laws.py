"""How many examples a law is tried with: the profiles of Hypothesis, and ``examples``.

``--hypothesis-profile`` chooses: ``default`` on every run, which draws the same examples each
time; ``nightly`` for the full depth, with examples of its own each time; ``brief`` for a further
interpreter, since what breaks a law was looked for with the first.
"""

from __future__ import annotations

from typing import Final

from hypothesis import settings

_FULL: Final = 100
_BRIEF: Final = 10

settings.register_profile("nightly", deadline=None, max_examples=_FULL)
settings.register_profile("default", deadline=None, max_examples=20, derandomize=True)
settings.register_profile("brief", deadline=None, max_examples=_BRIEF, derandomize=True)
settings.load_profile("default")


def sized(full: int) -> int:
    """The size of something hostile: all of it at full depth, and an eighth of it on every run;
    a further interpreter tries a sixteenth.

    The time that the work may take is sized alike: what grows with the square is beyond it
    at each of these sizes.
    """
    share = {_FULL: 1, _BRIEF: 16}.get(settings().max_examples, 8)
    return full // share


def examples(full: int) -> settings:
    """For a law whose examples cost more, or find more, than others: this many at full depth."""
    return settings(max_examples=max(1, full * settings().max_examples // _FULL))

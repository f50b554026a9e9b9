"""How many examples a law is tried with: the profiles of Hypothesis, and ``examples``.

``--hypothesis-profile`` chooses: ``default`` on every run, which draws the same examples each
time; ``nightly`` for the full depth, with examples of its own each time; ``mutation`` for
`.ci/mutation`, which runs a law again and again in one process.
"""

from typing import Final

from hypothesis import HealthCheck, settings

_FULL: Final = 100

settings.register_profile("nightly", deadline=None, max_examples=_FULL)
settings.register_profile("default", deadline=None, max_examples=20, derandomize=True)
settings.register_profile(
    "mutation",
    settings.get_profile("default"),
    max_examples=10,
    suppress_health_check=[HealthCheck.differing_executors],
)
settings.load_profile("default")


def sized(full: int) -> int:
    """The size of something hostile: all of it at full depth, and an eighth of it on every run.

    The time that the work may take is sized alike: what grows with the square is beyond it
    at each of these sizes.
    """
    return full if settings().max_examples == _FULL else full // 8


def examples(full: int) -> settings:
    """For a law whose examples cost more, or find more, than others: this many at full depth."""
    return settings(max_examples=max(1, full * settings().max_examples // _FULL))

"""One machine at two times."""

from __future__ import annotations

import pytest

from hashcost.compare.difference import Moved, cause_of
from hashcost.compare.model import Cause, RelativeSpeed
from hashcost.core.machine import HostIdentity, is_same_host


def _moved(ratio: float, *, new: bool = False, error: float = 0.03) -> Moved:
    low, high = ratio * (1 - error), ratio * (1 + error)
    speed = RelativeSpeed(params={}, ratio=ratio, low=low, high=high)
    return Moved(label="x", speed=speed, library_changed=new)


_UNKNOWN = Moved(
    label="x",
    speed=RelativeSpeed(params={}, ratio=1.0, low=None, high=None),
    library_changed=False,
)


@pytest.mark.parametrize(
    ("hashers", "cause"),
    [
        ([_moved(1.0), _moved(1.01)], Cause.NOTHING),
        ([_moved(1.0, new=True)], Cause.NOTHING),
        ([_moved(1.3, new=True), _moved(1.0)], Cause.LIBRARY),
        ([_moved(1.3, new=True), _moved(1.0, new=True), _moved(1.0)], Cause.LIBRARY),
        ([_moved(0.8), _moved(0.81)], Cause.MACHINE),
        ([_moved(0.8), _moved(0.81, new=True)], Cause.MACHINE),
        ([_moved(0.8)], Cause.MACHINE),
        ([_moved(1.3, new=True)], Cause.UNCLEAR),
        ([_moved(1.3, new=True), _moved(1.3, new=True)], Cause.UNCLEAR),
        ([_moved(1.3, new=True), _moved(1.1)], Cause.UNCLEAR),
        ([_moved(0.8), _moved(1.2)], Cause.UNCLEAR),
        ([_moved(0.8), _moved(1.0)], Cause.UNCLEAR),
        ([_moved(0.5), _moved(0.8)], Cause.UNCLEAR),
        ([_moved(0.8), _moved(0.9, error=0.2)], Cause.UNCLEAR),
        ([_UNKNOWN], Cause.UNCLEAR),
        ([_UNKNOWN, _moved(0.8)], Cause.MACHINE),
        ([], Cause.UNCLEAR),
    ],
)
def test_who_did_it(hashers: list[Moved], cause: Cause) -> None:
    """A library is blamed only where others stood still, the machine only where all moved
    alike, an unchanged library among them; nobody where it cannot be told.
    """
    assert cause is cause_of(hashers)
    assert cause is cause_of(hashers[::-1])


_WEB = HostIdentity(name="web1", id="aa")


@pytest.mark.parametrize(
    ("other", "same"),
    [
        (_WEB, True),
        (HostIdentity(name="web1"), True),
        (HostIdentity(id="aa"), True),
        (HostIdentity(name="web2", id="aa"), False),
        (HostIdentity(name="web1", id="bb"), False),
        (HostIdentity(name="web2"), False),
        (HostIdentity(), False),
        (None, False),
    ],
)
def test_what_makes_another_host(other: HostIdentity | None, same: bool) -> None:
    """Two names, or two machine ids, are two hosts; what says neither is no known host."""
    assert same == is_same_host(_WEB, other) == is_same_host(other, _WEB)


def test_unknown_is_not_the_same_as_unknown() -> None:
    """Two files that name no host are of two."""
    assert not is_same_host(None, None)
    assert not is_same_host(HostIdentity(), HostIdentity())

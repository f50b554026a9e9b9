"""One machine at two times."""

from __future__ import annotations

import msgspec
import pytest

from fakes import TWO_CPUS
from hashcost.compare.difference import Moved, cause_of, is_same_machine
from hashcost.compare.model import Cause, RelativeSpeed


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


_KNOWN = msgspec.structs.replace(TWO_CPUS, memory_bytes=4 << 30, cpu_flags=("avx2",))


@pytest.mark.parametrize(
    ("change", "same"),
    [
        ({}, True),
        ({"kernel": "2", "os": "another", "python": "CPython 4", "openssl": "OpenSSL 4"}, True),
        ({"cpu_limit": 1.0}, True),
        ({"memory_bytes": (4 << 30) - (8 << 20)}, True),
        ({"memory_bytes": 8 << 30}, False),
        ({"memory_bytes": None}, False),
        ({"cpu_model": "another"}, False),
        ({"cpu_count": 4}, False),
        ({"cpu_flags": ()}, False),
        ({"architecture": "another"}, False),
        ({"virtualization": "container"}, False),
    ],
)
def test_what_makes_another_machine(change: dict[str, object], same: bool) -> None:
    """An update leaves a machine what it is; another CPU or another memory does not."""
    other = msgspec.structs.replace(_KNOWN, **change)

    assert same == is_same_machine(_KNOWN, other) == is_same_machine(other, _KNOWN)


def test_unknown_is_not_the_same_as_unknown() -> None:
    """Two machines whose CPU nobody knows are two."""
    unknown = msgspec.structs.replace(_KNOWN, cpu_model=None)

    assert not is_same_machine(unknown, unknown)

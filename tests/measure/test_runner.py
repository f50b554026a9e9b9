"""A runner hashes in this process or in another; everything above it is the same."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

from fakes import FakeClock, FakeHasher, fake_host
from hashcost.core.errors import WrongAnswerError
from hashcost.core.profile import Failure
from hashcost.documents.profile import encode_json, from_json
from hashcost.hashers.interface import StoredAnswer
from hashcost.measure.core_watch import no_probe
from hashcost.measure.effort import FAST
from hashcost.measure.runner import InProcess
from hashcost.recommend.calibration import Request, calibrate
from hashcost.recommend.recommendation import solve_again
from hashcost.sweep.sweeping import sweep
from measure.child_runner import in_a_child

LABEL = "pbkdf2-sha256@hashlib"
REQUEST = Request(target_seconds=0.01, hashers=[LABEL], effort=FAST)


def test_a_child_process_calibrates_as_this_process_does() -> None:
    """Hashes that a child times give a profile that can be saved, read and solved again."""
    with in_a_child() as start:
        profile = calibrate(REQUEST, start=start, probe=no_probe)
    (row,) = profile.recommendations
    (measurement,) = profile.measurements
    assert ("child", LABEL) == (measurement.implementation_version, row.label)
    assert 0.005 < row.time_seconds <= 0.01
    assert profile == from_json(encode_json(profile), name="child.json")
    (again,) = solve_again(profile, 0.005).recommendations
    assert again.params["iterations"] < row.params["iterations"]


def test_a_child_process_is_swept_as_well() -> None:
    """The sweep's rounds run through the same seam."""
    with in_a_child() as start:
        found = sweep([LABEL], costs="1000,4000", budget=1.0, start=start, probe=no_probe)
    assert [1000, 4000] == [row.cost for row in found.rows if row.samples]


def test_a_child_that_computes_something_else_is_not_timed() -> None:
    """A wrong known answer takes away its own row, wherever it was computed."""
    with in_a_child("--wrong") as start:
        (failed,) = calibrate(REQUEST, start=start, probe=no_probe).results
    assert isinstance(failed, Failure)
    assert ("wrong-answer", True) == (failed.code, "RFC 7914" in failed.error)


@dataclass(eq=False)
class Verifying(FakeHasher):
    """A library that chooses its own salt: it can only be asked whether a password fits."""

    accepts: Callable[[bytes], bool] = lambda password: password == b"known"
    stored_answers: tuple[StoredAnswer, ...] = (
        StoredAnswer(password=b"known", stored=b"$fake$stored", source="made up"),
    )
    asked: list[bytes] = field(default_factory=list)

    def verify(self, password: bytes, stored: bytes) -> bool:
        """As the library says."""
        self.asked.append(password)
        return self.accepts(password)


@pytest.mark.parametrize(
    ("accepts", "problem"),
    [
        (lambda password: password == b"known", None),
        (lambda password: False, "does not accept the password"),
        (lambda password: True, "accepts another password"),
    ],
    ids=["right", "refuses", "takes anything"],
)
def test_a_known_answer_may_be_a_stored_hash(
    clock: FakeClock, accepts: Callable[[bytes], bool], problem: str | None
) -> None:
    """A stored hash is verified with its password, and with another one that must fail."""
    hasher = Verifying(clock, accepts=accepts)
    runner = InProcess(hasher, fake_host(clock).clock)
    if problem is None:
        runner.check()
        assert [b"known", b"knownx"] == hasher.asked
    else:
        with pytest.raises(WrongAnswerError, match=problem):
            runner.check()


def test_a_stored_hash_is_enough_to_be_registered(clock: FakeClock) -> None:
    """A hasher with a stored hash and no known answer to compute can be loaded."""
    hasher = Verifying(clock)
    hasher.known_answers = ()
    assert hasher is hasher.registered().load()

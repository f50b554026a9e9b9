"""A runner computes known answers before it hashes."""

from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

from fakes import FakeClock, FakeHasher
from hashcost.core.errors import WrongAnswerError
from hashcost.hashers.interface import StoredAnswer, check_known_answers


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
    if problem is None:
        check_known_answers(hasher)
        assert [b"known", b"knownx"] == hasher.asked
    else:
        with pytest.raises(WrongAnswerError, match=problem):
            check_known_answers(hasher)


def test_a_stored_hash_is_enough_to_be_registered(clock: FakeClock) -> None:
    """A hasher with a stored hash and no known answer to compute can be loaded."""
    hasher = Verifying(clock)
    hasher.known_answers = ()
    assert hasher is hasher.registered().load()

"""What is said of the way to another machine."""

from __future__ import annotations

from pathlib import Path

import pytest

from hashcost.hashers.registry import registered
from hashcost.logins.distance import distance
from hashcost.runtimes.delivery import Place
from hashcost.runtimes.elsewhere import Elsewhere
from hashcost.runtimes.hasher import ElsewhereHasher
from runtimes import fake


def test_a_hash_here_has_no_way() -> None:
    """This process is not asked."""
    hasher = next(each for each in registered() if each.label == "pbkdf2-sha256@hashlib").load()
    assert distance(hasher, 1e-9) == ()


def test_the_way_is_told_where_it_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A pipe is nothing beside a hash; ten milliseconds to another machine are."""
    with Elsewhere(Place(command=fake(tmp_path, "good"))) as elsewhere:
        (candidate,) = (
            each
            for each in elsewhere.candidates("node")
            if each.label == "pbkdf2-sha256@node:crypto"
        )
        hasher = candidate.load()
        assert isinstance(hasher, ElsewhereHasher)
        assert 0 < hasher.round_trip() < 0.1
        monkeypatch.setattr(ElsewhereHasher, "round_trip", lambda _: 0.010)
        assert distance(hasher, 0.6) == ()
        (notice,) = distance(hasher, 0.1)
        assert ("round-trip", True) == (notice.code, "10.0 ms each time, 10 %" in notice.message)

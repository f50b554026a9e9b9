"""Dummy hashes, computed by the real libraries at their cheapest costs."""

import secrets

import bcrypt
import pytest

from hashcost.apps.interface import App
from hashcost.apps.registry import app_names, load_app, load_tunable
from hashcost.apps.schemes import Scheme
from hashcost.core.errors import WrongAnswerError
from hashcost.core.measurement import Params
from hashcost.recommend.dummy import dummy_hash
from hashcost.stored.formats.registry import read

CHEAPEST: dict[str, Params] = {
    "bcrypt": {"cost": 4},
    "argon2id": {"memory_kib": 64, "time_cost": 1, "parallelism": 1},
}
WRITTEN = [
    pytest.param(scheme, id=f"{app.name}-{scheme.hasher}")
    for app in map(load_app, app_names())
    if isinstance(app, App)
    for scheme in app.schemes
    if scheme.stored
]


@pytest.mark.parametrize("scheme", WRITTEN)
def test_every_written_format_reads_back(scheme: Scheme) -> None:
    """In every format that is written, the hash reads back at its cost."""
    if scheme.hasher == "argon2id":
        pytest.importorskip("argon2")
    params = CHEAPEST[scheme.hasher]
    written = dummy_hash(scheme, params)
    assert (scheme.hasher, params) == (read(written).hasher, read(written).params)
    assert written.startswith(scheme.stored.removesuffix("<rest>"))


def test_it_is_a_hash_of_the_password_that_was_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """The library that the application uses accepts only the random password."""
    monkeypatch.setattr(secrets, "token_urlsafe", lambda: "drawn")
    scheme = load_tunable("node-bcrypt").scheme("bcrypt")
    assert scheme is not None
    written = dummy_hash(scheme, {"cost": 4}).encode()
    assert bcrypt.checkpw(b"drawn", written)
    assert not bcrypt.checkpw(b"other", written)


def test_two_dummies_differ() -> None:
    """Neither password nor salt is the same twice."""
    scheme = load_tunable("node-bcrypt").scheme("bcrypt")
    assert scheme is not None
    assert dummy_hash(scheme, {"cost": 4}) != dummy_hash(scheme, {"cost": 4})


def test_another_cost_is_never_written(monkeypatch: pytest.MonkeyPatch) -> None:
    """What does not read back at its cost is refused, and the message holds no hash."""
    monkeypatch.setattr("hashcost.recommend.dummy.read", lambda _: read("$2b$05$" + "a" * 53))
    scheme = load_tunable("node-bcrypt").scheme("bcrypt")
    assert scheme is not None
    with pytest.raises(WrongAnswerError, match=r"^bcrypt: the dummy hash does not read back"):
        dummy_hash(scheme, {"cost": 4})

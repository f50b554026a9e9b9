"""The note on a cost that takes far too long to verify."""

from collections import Counter
from typing import Final

import pytest

from hashcost.checks.audit import audit
from hashcost.checks.judging import check
from hashcost.checks.verification import far_above
from hashcost.core.machine import Tool
from hashcost.core.severity import Severity
from hashcost.storage.profile import load_profile
from hashcost.stored.formats.reading import HashReading, Kind
from made_up import PROFILE_FILE

TARGET: Final = 0.1
FAR: Final = "far-above-target"


COMPARE: Final = "compare a stored cost with a maximum before verifying it"


@pytest.mark.parametrize(
    ("hasher", "client_side", "advice"),
    [
        (
            "scrypt",
            False,
            (
                f"{COMPARE}: maxmem of Python's hashlib.scrypt, Node's crypto.scrypt and OpenSSL"
                " refuses more memory"
            ),
        ),
        (
            "pbkdf2-sha256",
            True,
            (
                f"{COMPARE}: scramMaxIterations of pgjdbc 42.7.11 and of node-postgres refuses"
                " more than 100,000 iterations"
            ),
        ),
        ("pbkdf2-sha256", False, COMPARE),
        (
            "argon2id",
            False,
            f"{COMPARE}: Bun.password.verify refuses more than t=65536, m=4194304 and p=64",
        ),
        ("bcrypt", False, COMPARE),
    ],
)
def test_the_limit_of_a_library_is_named(hasher: str, client_side: bool, advice: str) -> None:
    """Above forty times the target, and only there, the advice is what a library offers."""
    note = far_above(hasher, {"n": 2}, 40 * TARGET + 0.1, TARGET, client_side=client_side)
    assert note is not None
    assert FAR == note.code
    assert advice == note.advice
    for seconds in (None, 0.01, 40 * TARGET):
        assert far_above(hasher, {"n": 2}, seconds, TARGET, client_side=client_side) is None


def test_audit_and_check_note_it_and_fail_nothing() -> None:
    """A stored cost and a configured one get the same note, and the cost still passes."""
    profile = load_profile(PROFILE_FILE)
    readings = {}
    for cost in (9, 18):
        reading = HashReading(
            kind=Kind.HASHED, format="bcrypt", hasher="bcrypt", params={"cost": cost}
        )
        readings[reading] = 1
    tool = Tool(name="hashcost", version="0")
    audited = audit(
        Counter(readings), tool=tool, layout="hash", profile=profile, target_seconds=TARGET
    )
    report = check(["bcrypt=18", "bcrypt=18"], profile, target_seconds=TARGET, policies=())
    noted = [note for note in report.warnings if note.code == FAR]

    assert [note.message for note in noted] == [note.message for note in audited.warnings]
    assert 1 == len(noted)
    assert noted[0].message.startswith("bcrypt cost=18 takes ")
    assert all(row.severity is not Severity.ERROR for row in report.results)

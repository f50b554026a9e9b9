"""An application's own library is preferred to what stands in for it, where it was timed."""

from __future__ import annotations

from fakes import candidate
from hashcost.apps.interface import Scheme
from hashcost.apps.registry import library_names, load_library, load_tunable
from hashcost.core.errors import UnavailableError
from hashcost.hashers.interface import Hasher
from hashcost.runtimes.table import RUNTIMES
from hashcost.verdicts.judgement import Configured
from hashcost.verdicts.legal_costs import completed

OWN = "php:password_hash"


def laravels_bcrypt() -> Scheme:
    """A scheme that PHP's own library runs."""
    scheme = load_tunable("laravel").scheme("bcrypt")
    assert scheme is not None
    return scheme


def test_the_row_of_the_runtime_has_no_factor() -> None:
    """With such a row the factor of the stand-in is gone; without one nothing changes."""
    scheme = laravels_bcrypt()
    own = scheme.run_by({f"bcrypt@{OWN}", "bcrypt@libcrypt"}).reference
    assert own is not None
    assert (OWN, 1.0, True) == (own.implementation, own.factor, own.is_its_own)
    assert scheme == scheme.run_by({"bcrypt@libcrypt", f"argon2id@{OWN}"})


def test_a_check_says_by_what_a_cost_was_judged() -> None:
    """The implementation is that of the runtime, and the note names it."""
    cost = Configured(
        hasher="bcrypt", implementation="libcrypt", params={"cost": 12}, scheme=laravels_bcrypt()
    )

    def gone() -> Hasher:
        raise UnavailableError("gone")

    judged = completed(cost, None, (candidate(f"bcrypt@{OWN}", gone),))
    assert OWN == judged.implementation
    assert OWN in judged.note
    assert cost == completed(cost, None, (candidate("bcrypt@libcrypt", gone),))


def test_libraries_name_what_their_runtimes_have() -> None:
    """Each is in the table of runtimes, for that hasher."""
    named = [
        (hasher, own)
        for name in library_names()
        for hasher, hashing in load_library(name).hashers.items()
        for own in hashing.runs_in
    ]
    assert named
    for hasher, own in named:
        runtime, _, library = own.partition(":")
        assert hasher in RUNTIMES[runtime].libraries[library].hashers

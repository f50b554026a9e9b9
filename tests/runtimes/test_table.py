"""Which libraries the tables name, what checks them, and which stand for an application's own."""

import pytest

from corpora import LIBRARIES
from fakes import candidate
from hashcost.apps.interface import App
from hashcost.apps.registry import app_names, load_app, load_library, load_tunable
from hashcost.checks.judgement import Configured
from hashcost.checks.judging import completed
from hashcost.core.errors import UnavailableError
from hashcost.hashers.interface import Hasher, check_known_answers
from hashcost.hashers.registry import candidates
from hashcost.runtimes.answers import as_known, known_answers, shape
from hashcost.runtimes.table import RUNTIMES

RUN = {
    (scheme.hasher, label)
    for app in map(load_app, app_names())
    if isinstance(app, App)
    for scheme in app.schemes
    if scheme.reference is not None
    for label in scheme.reference.runs_in
} | {
    (hasher, label)
    for name in LIBRARIES
    for hasher, hashing in load_library(name).hashers.items()
    for label in hashing.runs_in
}
OWN = "php:password_hash"
TIMED = [library for each in RUNTIMES.values() for library in each.libraries.values()]
HASHERS = sorted({hasher for library in TIMED for hasher in library.hashers})
ONLY_BY_LIBCRYPT = {"yescrypt"}


@pytest.mark.parametrize(("hasher", "label"), sorted(RUN))
def test_what_an_application_hashes_with_can_be_measured(hasher: str, label: str) -> None:
    """The library that is said to run it is one of the runtime's, for that hasher."""
    runtime, _, library = label.partition(":")
    assert hasher in RUNTIMES[runtime].libraries[library].hashers


def test_a_warm_up_was_measured() -> None:
    """Each library that has one says on which day."""
    assert all(not library.warm_seconds or library.measured for library in TIMED)


@pytest.mark.parametrize("hasher", [*HASHERS, *ONLY_BY_LIBCRYPT])
def test_two_costs_are_computed_alike_here(hasher: str) -> None:
    """By two libraries if there are, each of which computes its published answers."""
    answers = known_answers(hasher)
    assert len({tuple(each.params.items()) for each in answers}) == 2
    tried = 0
    for listed in candidates():
        if listed.hasher != hasher or listed.label == "scrypt@libcrypt":  # A crypt string.
            continue
        library = listed.load()
        check_known_answers(library)
        for each in answers:
            call = library.ready(each.password, each.salt, each.params)
            assert each.output == call.run()
        tried += 1
    assert tried == (1 if hasher in ONLY_BY_LIBCRYPT else 2)


@pytest.mark.parametrize("hasher", HASHERS)
def test_a_hash_has_its_shape(hasher: str) -> None:
    """What begins it and its length are known without computing it."""
    for each in known_answers(hasher):
        prefix, length = shape(hasher, each.params, each.salt)
        assert each.output.startswith(prefix)
        assert length == len(each.output)


def test_bcrypt_has_one_name() -> None:
    """Libraries write the same hash as 2a, 2b or 2y."""
    (known, _) = known_answers("bcrypt")
    for variant in (b"$2a$", b"$2b$", b"$2y$"):
        assert known.output == as_known("bcrypt", variant + known.output[4:])


def test_an_applications_own_library_is_preferred() -> None:
    """With a row of it the factor of the stand-in is gone; without one nothing changes.

    A check names it where it could not be timed.
    """
    scheme = load_tunable("laravel").scheme("bcrypt")
    assert scheme is not None
    own = scheme.run_by({f"bcrypt@{OWN}", "bcrypt@libcrypt"}).reference
    assert own is not None
    assert (OWN, 1.0, True) == (own.implementation, own.factor, own.is_its_own)
    assert scheme == scheme.run_by({"bcrypt@libcrypt", f"argon2id@{OWN}"})
    cost = Configured(
        hasher="bcrypt", implementation="libcrypt", params={"cost": 12}, scheme=scheme
    )

    def gone() -> Hasher:
        raise UnavailableError("gone")

    judged = completed(cost, None, (candidate(f"bcrypt@{OWN}", gone),))
    assert OWN == judged.implementation
    assert OWN in judged.note
    assert cost == completed(cost, None, (candidate("bcrypt@libcrypt", gone),))

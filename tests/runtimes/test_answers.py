"""What the libraries of other runtimes are checked by is what this Python's libraries compute."""

from __future__ import annotations

import pytest

from hashcost.hashers.interface import check_known_answers
from hashcost.hashers.registry import candidates
from hashcost.runtimes.answers import as_known, known_answers, shape
from hashcost.runtimes.table import RUNTIMES

LIBRARIES = [library for each in RUNTIMES.values() for library in each.libraries.values()]
HASHERS = sorted({hasher for library in LIBRARIES for hasher in library.hashers})
ONLY_BY_LIBCRYPT = {"yescrypt"}


@pytest.mark.parametrize("hasher", [*HASHERS, *ONLY_BY_LIBCRYPT])
def test_two_costs_are_computed_alike_here(hasher: str) -> None:
    """By two libraries if there are, each of which computes its published answers."""
    answers = known_answers(hasher)
    assert len({tuple(each.params.items()) for each in answers}) == 2
    tried = 0
    for candidate in candidates():
        if candidate.hasher != hasher or candidate.label == "scrypt@libcrypt":  # A crypt string.
            continue
        library = candidate.load()
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

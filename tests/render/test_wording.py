"""What several commands say alike."""

from __future__ import annotations

import pytest

from fakes import TWO_CPUS
from hashcost.core.machine import TOOL
from hashcost.core.profile import Failure
from hashcost.render.wording import place


@pytest.mark.parametrize(
    ("implementations", "is_named"),
    [
        ((), True),
        (("hashlib",), True),
        (("node:crypto",), False),
        (("node:crypto", "hashlib"), True),
    ],
)
def test_the_head_names_this_python_only_where_it_hashed(
    implementations: tuple[str, ...], is_named: bool
) -> None:
    """What did not run is not what the times are of."""
    rows = [
        Failure(
            hasher="pbkdf2-sha256",
            implementation=each,
            code="unavailable",
            error="",
        )
        for each in implementations
    ]
    _, with_what = place(TWO_CPUS, TOOL, rows)
    assert is_named == (TWO_CPUS.python in with_what)
    assert is_named == (TWO_CPUS.openssl in with_what)
    assert TWO_CPUS.os in with_what

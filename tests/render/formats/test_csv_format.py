"""CSV: a whole literal, exact figures, and nothing that a spreadsheet would run."""

from __future__ import annotations

import csv
import io
from typing import Final

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashcost.core.profile import Failure, Profile
from hashcost.core.text import escaped
from hashcost.documents.profile import load_profile
from hashcost.render import render
from hashcost.render.commands.recommend import recommendation_document
from made_up import PROFILE_FILE

PROFILE: Final = load_profile(PROFILE_FILE)

printable: Final = st.text(st.characters(exclude_categories=("C", "Zl", "Zp")))


def read_back(profile: Profile) -> list[dict[str, str]]:
    """The profile's CSV as a program reads it."""
    return list(csv.DictReader(io.StringIO(render(recommendation_document(profile), "csv"))))


def failing(hasher: str, error: str) -> Profile:
    """A profile with one failure."""
    row = Failure(hasher=hasher, implementation="b", code="unavailable", error=error)
    return msgspec.structs.replace(PROFILE, results=(row,))


def guarded(text: str) -> str:
    """Text as it stands in a cell: not as a formula."""
    text = escaped(text)
    return f"'{text}" if text.startswith(("=", "+", "-", "@")) else text


def test_whole_profile() -> None:
    """A profile is one line per row, in seconds and bytes; what is unknown is empty."""
    expected = """\
hasher,implementation,implementation_version,params,parameter,value,time_seconds,low_seconds,\
high_seconds,confidence,clock,wall_seconds,cpu_seconds,shared_seconds,threads,\
memory_bytes,page_fault_seconds,relative_work,target_seconds,meets,short_of,not_approved_by,legacy_in,floor_seconds,raised_from,gpu,\
guesses_per_second,guesses_basis,dollars_per_2_32_guesses,logins_per_second,\
logins_threads,warnings,error
sha512-crypt,libcrypt,4.4.33-2,rounds=159000,rounds,159000,0.039875,0.0395,0.0405,0.95,\
thread_time,0.041234,0.039875,,1,1024,,1.0,0.04,,,,,,,,,,,,,,
pbkdf2-sha256,hashlib,OpenSSL 3.0.19,iterations=159000,iterations,159000,0.03975,0.0385,0.0411,\
0.95,thread_time,0.039999,0.03975,,1,1024,,1.0,0.04,,,,,,,,,,,,,,
pbkdf2-sha256,cryptography,50.0.2 OpenSSL 4.0.3,iterations=318000,iterations,318000,0.03975,\
0.039,0.0405,0.95,thread_time,0.1,0.03975,,1,1024,,2.0,0.04,,,,,,,,,,,,,,
sha256-crypt,passlib,1.9.4,rounds=79800,rounds,79800,0.0399,0.027929999999999996,0.05187,0.95,thread_time,,0.0399,,1,1024,,\
1.0,0.04,,,,,,,,,,,,,,
bcrypt,bcrypt,5.0.0,cost=9,cost,9,0.0268,0.02655,0.02705,0.95,thread_time,0.027,0.0268,,1,4168,,\
1.0,0.04,,,,,,,,,,,,,,
bcrypt,libcrypt,4.4.33-2,cost=9,cost,9,0.0214,0.0212,0.0216,0.95,thread_time,0.0216,0.0214,,1,\
4168,,1.2522,0.04,,,,,,,,,,,,,made-up,
pbkdf2-sha1,hashlib,,,,,,,,,,,,,,,,,0.04,,,,,,,,,,,,,,\
computed a wrong hash for a known answer (RFC 6070)
argon2id,argon2-cffi,,,,,,,,,,,,,,,,,0.04,,,,,,,,,,,,,,\
the Python package that has argon2 is not installed
"""

    assert expected == render(recommendation_document(PROFILE), "csv")


@given(
    seconds=st.floats(min_value=1e-9, max_value=60.0),
    target=st.floats(min_value=1e-9, max_value=60.0),
)
def test_figures_are_exact(seconds: float, target: float) -> None:
    """A time read back from CSV is the very float that was measured."""
    row = PROFILE.recommendations[0]
    row = msgspec.structs.replace(row, time_seconds=seconds, wall_seconds=seconds)
    profile = msgspec.structs.replace(PROFILE, target_seconds=target, results=(row,))
    [record] = read_back(profile)

    assert (seconds, seconds, target) == (
        float(record["time_seconds"]),
        float(record["wall_seconds"]),
        float(record["target_seconds"]),
    )


@pytest.mark.parametrize("formula", ["=1+1", "+1", "-1", "@SUM(A1)", "=cmd|' /C calc'!A0"])
def test_text_is_no_formula(formula: str) -> None:
    """Text that a spreadsheet would run starts with an apostrophe instead."""
    [record] = read_back(failing(formula, formula))

    assert (f"'{formula}", f"'{formula}") == (record["hasher"], record["error"])


@given(hasher=printable, error=printable)
def test_any_text_keeps_the_number_of_columns(hasher: str, error: str) -> None:
    """No name or reason adds a column or a line."""
    text = render(recommendation_document(failing(hasher, error)), "csv")
    header, line = csv.reader(io.StringIO(text))

    assert len(header) == len(line)
    assert (guarded(hasher), guarded(error)) == (line[0], line[-1])

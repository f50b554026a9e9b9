"""The list of hashers in every format."""

from __future__ import annotations

from typing import Final

import msgspec
import pytest

from hashcost.core.measurement import Knob, Scale
from hashcost.render import render
from hashcost.render.commands.hashers import Listing, hashers_document

ROUNDS: Final = Knob(name="rounds", scale=Scale.LINEAR, minimum=1000, maximum=999_999_999)
COST: Final = Knob(name="cost", scale=Scale.LOG2, minimum=4, maximum=31)

LISTINGS: Final = (
    Listing(
        hasher="sha512-crypt",
        implementation="libcrypt",
        version="4.4.33-2",
        available=True,
        reason=None,
        default=True,
        knobs=(ROUNDS,),
    ),
    Listing(
        hasher="sha512-crypt",
        implementation="passlib",
        version="1.9.4",
        available=True,
        reason=None,
        default=False,
        knobs=(ROUNDS,),
    ),
    Listing(
        hasher="bcrypt",
        implementation="bcrypt",
        version=None,
        available=False,
        reason="the Python package that has bcrypt is not installed",
        default=True,
        knobs=(),
    ),
    Listing(
        hasher="bcrypt",
        implementation="libcrypt",
        version="4.4.33-2",
        available=False,
        reason="returned the failure token *0 instead of a hash",
        default=False,
        knobs=(COST,),
    ),
)


def test_table() -> None:
    """The table gives version, knob, range and state, and below it why one does not work."""
    expected = """\
hasher                 version   knob    range            here
sha512-crypt@libcrypt  4.4.33-2  rounds  1000..999999999  default
sha512-crypt@passlib   1.9.4     rounds  1000..999999999  yes
bcrypt@bcrypt          -         -       -                no
bcrypt@libcrypt        4.4.33-2  cost    4..31            no

bcrypt@bcrypt: the Python package that has bcrypt is not installed
bcrypt@libcrypt: returned the failure token *0 instead of a hash
"""

    assert expected == render(hashers_document(LISTINGS), "table", width=80)


def test_markdown() -> None:
    """The Markdown table says the same."""
    expected = """\
| hasher | version | knob | range | here |
| --- | --- | --- | --- | --- |
| sha512-crypt&#64;libcrypt | 4.4.33-2 | rounds | 1000..999999999 | default |
| sha512-crypt&#64;passlib | 1.9.4 | rounds | 1000..999999999 | yes |
| bcrypt&#64;bcrypt | - | - | - | no |
| bcrypt&#64;libcrypt | 4.4.33-2 | cost | 4..31 | no |

- bcrypt&#64;bcrypt: the Python package that has bcrypt is not installed
- bcrypt&#64;libcrypt: returned the failure token \\*0 instead of a hash
"""

    assert expected == render(hashers_document(LISTINGS), "markdown")


def test_csv() -> None:
    """The CSV has a line for each hasher, with the reason where there is one."""
    expected = """\
hasher,implementation,version,available,reason,default,knobs,minimum,maximum
sha512-crypt,libcrypt,4.4.33-2,True,,True,rounds,1000,999999999
sha512-crypt,passlib,1.9.4,True,,False,rounds,1000,999999999
bcrypt,bcrypt,,False,the Python package that has bcrypt is not installed,True,,,
bcrypt,libcrypt,4.4.33-2,False,returned the failure token *0 instead of a hash,False,cost,4,31
"""

    assert expected == render(hashers_document(LISTINGS), "csv")


def test_json() -> None:
    """The JSON reads back as the listings, knobs and ranges included."""
    printed = render(hashers_document(LISTINGS), "json")

    assert LISTINGS == msgspec.json.decode(printed, type=tuple[Listing, ...])


@pytest.mark.parametrize("width", [80, 160])
def test_fits(width: int) -> None:
    """The longest names and versions of today fit 80 columns."""
    longest = msgspec.structs.replace(
        LISTINGS[0],
        hasher="pbkdf2-sha256",
        implementation="cryptography",
        version="50.0.2 OpenSSL 4.0.3",
        knobs=(Knob(name="iterations", scale=Scale.LINEAR, minimum=1, maximum=2**31 - 1),),
    )
    lines = render(hashers_document((*LISTINGS, longest)), "table", width=width).splitlines()

    assert [] == [line for line in lines if len(line) > width]

"""Laravel: ``BCRYPT_ROUNDS`` and ``ARGON_*`` in ``.env``."""

from __future__ import annotations

from hashcost.apps.files.assignments import assignments
from hashcost.apps.files.candidates import last_wins
from hashcost.apps.files.counts import whole_number
from hashcost.apps.interface import App, Default, Found, Limits, Scheme, Timing
from hashcost.model import Params

_CONFIG = "laravel/framework, config/hashing.php"
_CRYPT_BLOWFISH = Timing(
    implementation="libcrypt",
    source="PHP carries crypt_blowfish as libxcrypt does (ext/standard/crypt_blowfish.c);"
    " taken for equal, not measured",
)


def _write_bcrypt(params: Params) -> str:
    return f"BCRYPT_ROUNDS={params['cost']}\n"


def _read(text: str) -> tuple[Found, ...]:
    """The rounds that the file sets."""
    found = [
        Found(
            hasher="bcrypt",
            params={"cost": whole_number(each.value, each.name, each.line)},
            line=each.line,
        )
        for each in assignments(text, by="=")
        if each.name == "BCRYPT_ROUNDS"
    ]
    return last_wins(found, "phpdotenv overwrites what the same file has set before")


APP = App(
    name="laravel",
    title="Laravel",
    schemes=(
        Scheme(
            hasher="bcrypt",
            library="PHP's password_hash",
            timing=_CRYPT_BLOWFISH,
            keys={"cost": "BCRYPT_ROUNDS"},
            limits={"cost": Limits(minimum=4, maximum=31)},
            write=_write_bcrypt,
            defaults=(
                Default(since="5.1", params={"cost": 10}, source=_CONFIG),
                Default(since="11", params={"cost": 12}, source=_CONFIG),
            ),
        ),
    ),
    comment="# {}",
    read=_read,
    places=(".env",),
    rehashes="on login (rehash_on_login)",
    sources=(_CONFIG,),
)

"""Laravel: ``BCRYPT_ROUNDS`` and ``ARGON_*`` in ``.env``, or ``config/hashing.php``."""

from __future__ import annotations

from dataclasses import replace

from hashcost.apps.files.assignments import Assignment, assignments
from hashcost.apps.files.candidates import last_wins
from hashcost.apps.files.counts import whole_number
from hashcost.apps.files.source_code import reader
from hashcost.apps.files.timings import PHP_ARGON2, PHP_BCRYPT
from hashcost.apps.interface import App, Default, Found, Scheme
from hashcost.apps.php_limits import PHP_ARGON2_LIMITS, PHP_ARGON2_NOTE, PHP_BCRYPT_LIMITS
from hashcost.core.model import Params

_CONFIG = "laravel/framework, config/hashing.php"
_OVERWRITES = "phpdotenv overwrites what the same file has set before"
_READ_CODE = reader("php", libraries=("Laravel",))
_ARGON = {"ARGON_MEMORY": "memory_kib", "ARGON_TIME": "time_cost", "ARGON_THREADS": "parallelism"}
_ARGON_DEFAULT: Params = {"memory_kib": 65536, "time_cost": 4, "parallelism": 1}


def _write_bcrypt(params: Params) -> str:
    return f"BCRYPT_ROUNDS={params['cost']}\n"


def _write_argon2id(params: Params) -> str:
    lines = [f"{name}={params[param]}" for name, param in _ARGON.items()]
    return "".join(f"{line}\n" for line in ("HASH_DRIVER=argon2id", *lines))


def _read(text: str) -> tuple[Found, ...]:
    """The rounds that the file sets, and argon2id's cost where it names that driver."""
    if text.lstrip().startswith("<?php"):
        return _READ_CODE(text)
    lines = tuple(assignments(text, by="="))
    drivers = [each.value for each in lines if each.name == "HASH_DRIVER"]
    driver = drivers[-1] if drivers else "bcrypt"
    bcrypt = last_wins(
        [_bcrypt(each) for each in lines if each.name == "BCRYPT_ROUNDS"], _OVERWRITES
    )
    if driver == "bcrypt":
        return bcrypt
    unused = tuple(replace(each, wins=False, why=f"HASH_DRIVER is {driver}") for each in bcrypt)
    return (*unused, *_argon2id(lines)) if driver == "argon2id" else unused


def _bcrypt(line: Assignment) -> Found:
    cost = whole_number(line.value, line.name, line.line)
    return Found(hasher="bcrypt", params={"cost": cost}, line=line.line)


def _argon2id(lines: tuple[Assignment, ...]) -> tuple[Found, ...]:
    set_here = {each.name: each for each in lines if each.name in _ARGON}
    given = {
        _ARGON[name]: whole_number(each.value, name, each.line) for name, each in set_here.items()
    }
    drivers = [each.line for each in lines if each.name == "HASH_DRIVER"]
    left_out = [name for name in _ARGON if name not in set_here]
    return (
        Found(
            hasher="argon2id",
            params={**_ARGON_DEFAULT, **given},
            line=min((each.line for each in set_here.values()), default=drivers[-1]),
            why=f"Laravel's default of {', '.join(left_out)}" if left_out else "",
        ),
    )


APP = App(
    name="laravel",
    title="Laravel",
    schemes=(
        Scheme(
            hasher="bcrypt",
            library="PHP's password_hash",
            timing=PHP_BCRYPT,
            keys={"cost": "BCRYPT_ROUNDS"},
            limits=PHP_BCRYPT_LIMITS,
            write=_write_bcrypt,
            defaults=(
                Default(since="5.1", params={"cost": 10}, source=_CONFIG),
                Default(since="11", params={"cost": 12}, source=_CONFIG),
            ),
        ),
        Scheme(
            hasher="argon2id",
            library="PHP's password_hash",
            timing=PHP_ARGON2,
            keys={
                "memory_kib": "ARGON_MEMORY (KiB)",
                "time_cost": "ARGON_TIME",
                "parallelism": "ARGON_THREADS",
            },
            limits=PHP_ARGON2_LIMITS,
            write=_write_argon2id,
            defaults=(Default(since="11", params=_ARGON_DEFAULT, source=_CONFIG),),
            note=PHP_ARGON2_NOTE,
        ),
    ),
    comment="# {}",
    read=_read,
    places=(".env", "config/hashing.php"),
    rehashes="on login (rehash_on_login)",
    sources=(_CONFIG,),
)

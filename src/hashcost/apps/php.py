"""PHP: the options of ``password_hash``."""

from __future__ import annotations

from hashcost.apps.files.source_code import reader
from hashcost.apps.files.timings import PHP_ARGON2, PHP_BCRYPT
from hashcost.apps.interface import App, Default, Scheme
from hashcost.apps.php_limits import PHP_ARGON2_LIMITS, PHP_ARGON2_NOTE, PHP_BCRYPT_LIMITS
from hashcost.core.model import Params

_SOURCE = "php-src ext/standard/password.c and php_password.h"
_MANUAL = "php.net/function.password-hash"


def _write_bcrypt(params: Params) -> str:
    options = f"['cost' => {params['cost']}]"
    return f"$hash = password_hash($password, PASSWORD_BCRYPT, {options});\n"


def _write_argon2id(params: Params) -> str:
    return (
        "$hash = password_hash($password, PASSWORD_ARGON2ID, [\n"
        f"    'memory_cost' => {params['memory_kib']},\n"
        f"    'time_cost' => {params['time_cost']},\n"
        f"    'threads' => {params['parallelism']},\n"
        "]);\n"
    )


APP = App(
    name="php",
    title="PHP",
    schemes=(
        Scheme(
            hasher="bcrypt",
            library="PHP's own crypt_blowfish",
            timing=PHP_BCRYPT,
            keys={"cost": "cost (log2)"},
            limits=PHP_BCRYPT_LIMITS,
            write=_write_bcrypt,
            defaults=(
                Default(since="5.5", params={"cost": 10}, source=_MANUAL),
                Default(since="8.4", params={"cost": 12}, source=_MANUAL),
            ),
        ),
        Scheme(
            hasher="argon2id",
            library="libargon2, or OpenSSL or libsodium as PHP was built",
            timing=PHP_ARGON2,
            keys={
                "memory_kib": "memory_cost (KiB)",
                "time_cost": "time_cost",
                "parallelism": "threads",
            },
            limits=PHP_ARGON2_LIMITS,
            write=_write_argon2id,
            defaults=(
                Default(
                    since="7.3",
                    params={"memory_kib": 65536, "time_cost": 4, "parallelism": 1},
                    source=_SOURCE,
                ),
            ),
            note=PHP_ARGON2_NOTE,
        ),
    ),
    comment="// {}",
    read=reader("php", libraries=("PHP",), calls=("password_hash",)),
    places=(),
    rehashes="where the code asks password_needs_rehash, also to lower a cost",
    sources=(_SOURCE, _MANUAL),
)

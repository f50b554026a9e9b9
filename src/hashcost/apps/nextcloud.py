"""Nextcloud: ``hashing…`` in ``config.php``.

Read in nextcloud/documentation, admin_manual/configuration_server/config_sample_php_parameters
(2026): argon2id unless ``hashing_default_password`` is true; what is below the minimum is
raised to it. Of lib/private/Security/Hasher.php an old version alone could be read (8c7d7d77).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hashcost.apps.files.acceptance import with_ranges
from hashcost.apps.files.counts import whole_number
from hashcost.apps.files.php_array import Element, elements
from hashcost.apps.interface import App, Default, Found, Limits, Scheme, Timing
from hashcost.apps.php_limits import PHP_BCRYPT_LIMITS
from hashcost.core.model import Params

_DOCUMENTATION = "nextcloud/documentation, config_sample_php_parameters: Hashing"
_PHP = "php/php-src, ext/standard/php_password.h"
_SWITCH = "hashing_default_password"
_ARGON2 = {
    "memory_kib": "hashingMemoryCost",
    "time_cost": "hashingTimeCost",
    "parallelism": "hashingThreads",
}
_COST = "hashingCost"
_CONSTANTS = {
    "PASSWORD_ARGON2_DEFAULT_MEMORY_COST": 65536,
    "PASSWORD_ARGON2_DEFAULT_TIME_COST": 4,
    "PASSWORD_ARGON2_DEFAULT_THREADS": 1,
}


def _write_argon2(params: Params) -> str:
    lines = [f"'{key}' => {params[name]},\n" for name, key in _ARGON2.items()]
    return "".join([f"'{_SWITCH}' => false,\n", *lines])


def _write_bcrypt(params: Params) -> str:
    return f"'{_SWITCH}' => true,\n'{_COST}' => {params['cost']},\n"


def _read(text: str) -> tuple[Found, ...]:
    found = elements(text)
    switches = [each for each in found if each.name == _SWITCH]
    by_default = bool(switches) and switches[-1].value.lower() in {"true", "1"}
    told = (
        f"line {switches[-1].line}: {_SWITCH} is {'true' if by_default else 'not true'}"
        if switches
        else f"argon2id is used unless {_SWITCH} is true"
    )
    argon2 = _costs(found, "argon2id", _ARGON2)
    bcrypt = _costs(found, "bcrypt", {"cost": _COST})
    unused, used = (argon2, bcrypt) if by_default else (bcrypt, argon2)
    return with_ranges(
        [*(replace(each, wins=False, why=each.why or told) for each in unused), *used],
        APP.schemes,
        APP.title,
    )


def _costs(found: Sequence[Element], hasher: str, keys: dict[str, str]) -> list[Found]:
    """What counts of these keys, together; and what the same key later overrides."""
    last: dict[str, Element] = {}
    lost = []
    for each in found:
        param = next((name for name, key in keys.items() if key == each.name), None)
        if param is None:
            continue
        if param in last:
            lost.append((param, last[param], each.line))
        last[param] = each
    costs = [
        Found(
            hasher=hasher,
            params={param: _number(each)},
            line=each.line,
            wins=False,
            why=f"line {line} sets it again",
        )
        for param, each, line in lost
    ]
    if last:
        params = {param: _number(each) for param, each in last.items()}
        line = min(each.line for each in last.values())
        costs.append(Found(hasher=hasher, params=params, line=line))
    return costs


def _number(element: Element) -> int:
    constant = _CONSTANTS.get(element.value)
    if constant is not None:
        return constant
    return whole_number(element.value, element.name, element.line)


APP = App(
    name="nextcloud",
    title="Nextcloud",
    schemes=(
        Scheme(
            hasher="argon2id",
            library="PHP's password_hash",
            timing=Timing(
                implementation="argon2-cffi",
                source="PHP and argon2-cffi run the reference implementation; taken for equal,"
                " not measured",
            ),
            keys=_ARGON2,
            limits={
                "memory_kib": Limits(minimum=8, maximum=2**32 - 1, beyond="raised to 8 a thread"),
                "time_cost": Limits(minimum=1, maximum=2**32 - 1, beyond="raised to it"),
                "parallelism": Limits(minimum=1, maximum=2**24 - 1, beyond="raised to it"),
            },
            write=_write_argon2,
            defaults=(
                Default(
                    since="14",
                    params={"memory_kib": 65536, "time_cost": 4, "parallelism": 1},
                    source=_PHP,
                ),
            ),
        ),
        Scheme(
            hasher="bcrypt",
            library="PHP's password_hash",
            timing=Timing(
                implementation="libcrypt",
                source="PHP carries crypt_blowfish as libxcrypt does"
                " (ext/standard/crypt_blowfish.c); taken for equal, not measured",
            ),
            keys={"cost": f"{_COST}, with {_SWITCH}"},
            limits=PHP_BCRYPT_LIMITS,
            write=_write_bcrypt,
            defaults=(
                Default(since="PHP 5.5", params={"cost": 10}, source=_PHP),
                Default(since="PHP 8.4", params={"cost": 12}, source=_PHP),
            ),
        ),
    ),
    comment="// {}",
    read=_read,
    places=("config/config.php", "/var/www/nextcloud/config/config.php"),
    rehashes="on login, whenever the cost or the algorithm differs",
    sources=(_DOCUMENTATION,),
    note="The lines go into the array of config.php; *.config.php beside it overrides it.",
)

"""Foreman: ``bcrypt_cost`` and ``pbkdf2_cost`` in ``settings.yaml``, or by ``hammer``.

Read in theforeman/foreman: app/registries/foreman/settings/auth.rb (defaults),
app/services/foreman/password_hash.rb at bd37b5a1, and the setting's value, which is that of
settings.yaml where the file has one.
"""

from __future__ import annotations

import re
from dataclasses import replace

from hashcost.apps.files.acceptance import with_ranges
from hashcost.apps.files.yaml_costs import Group, costs, of_first_document
from hashcost.apps.files.yaml_file import Value, values
from hashcost.apps.interface import App, Default, Found, Limits, Scheme, Timing
from hashcost.core.errors import UnreadableInputError, printable
from hashcost.core.model import Params

_SETTINGS = "theforeman/foreman, app/registries/foreman/settings/auth.rb"
_HASH = "theforeman/foreman, app/services/foreman/password_hash.rb"
_GROUPS = {
    "bcrypt": Group(hasher="bcrypt", keys={"cost": "bcrypt_cost"}),
    "pbkdf2sha1": Group(hasher="pbkdf2-sha1", keys={"iterations": "pbkdf2_cost"}),
}
_HAMMER = re.compile(
    r"\bhammer\b[^#\n]*\bset\b[^#\n]*"
    r"--name[ =]['\"]?(?P<name>password_hash|bcrypt_cost|pbkdf2_cost)['\"]?[^#\n]*"
    r"--value[ =]['\"]?(?P<value>[A-Za-z0-9_]{1,30})"
)


def _write_bcrypt(params: Params) -> str:
    return f":password_hash: bcrypt\n:bcrypt_cost: {params['cost']}\n"


def _write_pbkdf2(params: Params) -> str:
    return f":password_hash: pbkdf2sha1\n:pbkdf2_cost: {params['iterations']}\n"


def _read(text: str) -> tuple[Found, ...]:
    settings = _by_hammer(text) or _of_file(text)
    algorithm = next(
        (each for each in reversed(settings) if each.name == "password_hash" and each.wins), None
    )
    name = "bcrypt" if algorithm is None else algorithm.text
    if name not in _GROUPS:
        raise UnreadableInputError(
            f"line {algorithm.line if algorithm else 0}: password_hash is"
            f" {printable(name)[:40]!r}, which has no cost; Foreman has bcrypt and pbkdf2sha1"
        )
    told = (
        "bcrypt is used unless password_hash says otherwise"
        if algorithm is None
        else f"password_hash is {name}"
    )
    read = [
        each
        for key, group in _GROUPS.items()
        for each in costs(
            settings,
            group,
            used=key == name,
            because="" if key == name else told,
            at=None if algorithm is None else algorithm.line,
        )
    ]
    return with_ranges(read, APP.schemes, APP.title)


def _of_file(text: str) -> tuple[Value, ...]:
    """The settings of a file, whose keys are symbols (``:bcrypt_cost:``)."""
    return tuple(
        replace(each, path=(str(each.path[0]).removeprefix(":"),))
        for each in of_first_document(values(text))
        if len(each.path) == 1
    )


def _by_hammer(text: str) -> tuple[Value, ...]:
    """What commands set, in a script; the last of each counts."""
    found = [
        Value(path=(match["name"],), text=match["value"], line=number)
        for number, line in enumerate(text.splitlines(), 1)
        if not line.lstrip().startswith("#")
        for match in _HAMMER.finditer(line)
    ]
    last = {each.path: each for each in found}
    return tuple(
        each
        if last[each.path] is each
        else replace(each, wins=False, why=f"line {last[each.path].line} sets it again")
        for each in found
    )


APP = App(
    name="foreman",
    title="Foreman",
    schemes=(
        Scheme(
            hasher="bcrypt",
            library="Ruby's bcrypt",
            timing=Timing(
                implementation="libcrypt",
                source="the gem carries crypt_blowfish as libxcrypt does (ext/mri); taken for"
                " equal, not measured",
            ),
            keys={"cost": "bcrypt_cost"},
            limits={"cost": Limits(minimum=4, maximum=30)},
            write=_write_bcrypt,
            defaults=(Default(since="3.0", params={"cost": 4}, source=_SETTINGS),),
            note="where nothing is set, the cost is what took 50 ms when the database was seeded",
        ),
        Scheme(
            hasher="pbkdf2-sha1",
            library="Ruby's OpenSSL",
            timing=Timing(
                implementation="hashlib", source="both call OpenSSL's PKCS5_PBKDF2_HMAC"
            ),
            keys={"iterations": "pbkdf2_cost"},
            limits={"iterations": Limits(minimum=1, maximum=2**31 - 1)},
            write=_write_pbkdf2,
            defaults=(Default(since="3.3", params={"iterations": 50_000}, source=_SETTINGS),),
            blocks=2,
        ),
    ),
    comment="# {}",
    read=_read,
    places=("/etc/foreman/settings.yaml",),
    rehashes="never for another cost; a password change is needed",
    sources=(_SETTINGS, _HASH),
    note="`hammer settings set --name bcrypt_cost --value N` sets it in the database, which"
    " settings.yaml overrides.",
)

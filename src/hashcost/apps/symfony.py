"""Symfony: ``security.password_hashers`` in ``config/packages/security.yaml``."""

from __future__ import annotations

from hashcost.apps.files.source_code import reader
from hashcost.apps.files.timings import PHP_BCRYPT
from hashcost.apps.files.yaml_file import ANY, at, values
from hashcost.apps.interface import App, Default, Found, Scheme
from hashcost.apps.php_limits import PHP_BCRYPT_LIMITS
from hashcost.core.model import Params

_SOURCE = "symfony/password-hasher, Hasher/NativePasswordHasher.php"
_READ_CODE = reader("php", libraries=("Symfony",))
_HASHERS = ("security", "password_hashers", ANY, "cost")
_PRODUCTION = ("when@prod", *_HASHERS)


def _write(params: Params) -> str:
    return (
        "security:\n"
        "    password_hashers:\n"
        "        Symfony\\Component\\Security\\Core\\User\\PasswordAuthenticatedUserInterface:\n"
        "            algorithm: auto\n"
        f"            cost: {params['cost']}\n"
    )


def _read(text: str) -> tuple[Found, ...]:
    """The cost of each class of users; what ``when@prod`` says wins over the rest."""
    if text.lstrip().startswith("<?php"):
        return _READ_CODE(text)
    found = values(text)
    overridden = {value.path[1:] for value in at(found, _PRODUCTION)}
    return tuple(
        Found(
            hasher="bcrypt",
            params={"cost": value.number()},
            line=value.line,
            wins=value.wins and value.path not in overridden,
            why="when@prod sets it again" if value.path in overridden else value.why,
            written=value.written,
        )
        for value in found
        if not value.is_null and (value.matches(_HASHERS) or value.matches(_PRODUCTION))
    )


APP = App(
    name="symfony",
    title="Symfony",
    schemes=(
        Scheme(
            hasher="bcrypt",
            library="PHP's own crypt_blowfish",
            timing=PHP_BCRYPT,
            keys={"cost": "security.password_hashers.*.cost (log2)"},
            limits=PHP_BCRYPT_LIMITS,
            write=_write,
            defaults=(Default(since="4.3", params={"cost": 13}, source=_SOURCE),),
        ),
    ),
    comment="# {}",
    read=_read,
    places=("config/packages/security.yaml", "config/packages/security.yml"),
    rehashes="on login, where the user provider has upgradePassword",
    sources=(_SOURCE, "symfony.com/doc/current/security/passwords.html"),
)

"""Passwords that PostgreSQL hashes: pgcrypto's salts in SQL, which code may have as a text."""

import re
from dataclasses import replace
from typing import Final

from hashcost.core.cost_expressions import Apart
from hashcost.source_code.costs import SetCost, Setting
from hashcost.source_code.rules import Language
from hashcost.source_code.stored_hashes import characters, places_apart
from hashcost.source_code.values import shown

_SALT: Final = re.compile(
    rb"\bgen_salt[ \t]{0,9}\(\s{0,99}\\?(?:'{1,2}|\")(?P<method>[a-z0-9]{1,9})\\?(?:'{1,2}|\")"
    rb"(?:::(?:text|varchar))?\s{0,99}(?:,(?P<cost>(?:[^()]|\([^()]{0,99}+\)){0,99}+))?\)",
    re.IGNORECASE,
)
"""A new salt: ``gen_salt('bf', 10)``. A text of SQL may double the quotes or escape them, and
SQLAlchemy has ``func.gen_salt("bf", 10)``."""
_DIGITS: Final = re.compile(r"[0-9]{1,9}")
_BCRYPT: Final = "bf"
_UNFIT: Final = {"md5": "md5-crypt", "des": "des-crypt", "xdes": "extended DES"}
"""Its old methods, which no cost makes slow enough."""
_DEFAULT: Final = 6  # PostgreSQL 18, contrib/pgcrypto/px-crypt.h, PX_BF_ROUNDS
_NO_CODE: Final = frozenset({Apart.COMMENT, Apart.DOCUMENTATION})


def salts_in(content: bytes, language: Language | None, grammar: str) -> tuple[Setting, ...]:
    """Find the costs of the passwords that SQL in a file hashes.

    A file without a ``language`` is SQL by its ``grammar``, a script or a configuration.
    """
    salts = list(_SALT.finditer(content))
    if not salts:
        return ()
    text = content.decode("utf-8-sig", errors="replace")
    places = list(characters(content, [salt.start() for salt in salts]))
    apart_at = places_apart(text, language, grammar, places)
    rows: dict[tuple[int, bytes], Setting] = {}
    line = 1
    counted_to = 0
    for salt, place in zip(salts, places, strict=True):
        line += content.count(b"\n", counted_to, salt.start())
        counted_to = salt.start()
        why = apart_at.get(place)
        if why not in _NO_CODE:
            in_tests = why is Apart.TESTS
            # One line may add several users.
            rows.setdefault((line, salt[0]), _row(salt, line, in_tests=in_tests))
    return tuple(rows.values())


def _row(salt: re.Match[bytes], line: int, *, in_tests: bool) -> Setting:
    method = salt["method"].decode().lower()
    unknown = Setting(line=line, call="gen_salt", library="pgcrypto", in_tests=in_tests)
    if method in _UNFIT:
        return replace(unknown, hasher=_UNFIT[method], is_unfit=True)
    if method != _BCRYPT:
        return replace(unknown, why=f"its method is {method}")
    cost = _DEFAULT
    why = "pgcrypto's default"
    written: tuple[str, ...] = ()
    if salt["cost"] is not None:
        given = salt["cost"].decode(errors="replace").strip()
        if _DIGITS.fullmatch(given) is None:
            return replace(unknown, hasher="bcrypt", why=f"cost is {shown(given)}")
        cost = int(given)
        why = ""
        written = ("cost",)
    return SetCost(
        line=line,
        call="gen_salt",
        why=why,
        in_tests=in_tests,
        library="pgcrypto",
        hasher="bcrypt",
        params={"cost": cost},
        written=written,
    )

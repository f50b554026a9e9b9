"""Elixir: ``config :bcrypt_elixir, log_rounds: 12`` and kin; later ones add to earlier."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from hashcost.apps.interface import App, Found, format_of, joined
from hashcost.apps.signs import without_comments
from hashcost.core.errors import UntoldError
from hashcost.core.measurement import Params
from hashcost.core.text import printable

_CONFIG: Final = re.compile(
    r"^[ \t]*config\(?\s+:(?P<library>bcrypt_elixir|argon2_elixir|pbkdf2_elixir)\s*,\s*"
    r"(?:\[\s*)?(?P<given>(?:[^\n]*,[ \t]*\n)*[^\n]*)",
    re.MULTILINE,
)
_PAIR: Final = re.compile(
    r"(?:^|,)\s*:?(?P<key>[a-z]\w*)\s*(?::\s|,)\s*(?P<value>(?:\([^()]*+(?:\([^()]*+\)[^()]*+)*+\)|[^,()\]])++)"
)
_NUMBER: Final = re.compile(r"[0-9][0-9_]*")
_FALLBACK: Final = re.compile(
    r"(?:String\.to_integer\(\s*)?System\.get_env\(\s*\"(?P<name>\w+)\"\s*"
    r"(?:,\s*\"(?P<second>[0-9_]{1,18})\"\s*\)|\)\s*\|\|\s*\"?(?P<other>[0-9_]{1,18})\"?)\s*\)?"
    r"(?:\s*\|>\s*String\.to_integer(?:\(\))?)?"
)
_KEYS: Final = {
    "bcrypt_elixir": {"log_rounds": "cost"},
    "argon2_elixir": {"t_cost": "time_cost", "m_cost": "memory_kib", "parallelism": "parallelism"},
    "pbkdf2_elixir": {"rounds": "iterations"},
}
_LOWEST_COST: Final = 4
_CODE: Final = {
    "format": "source-code",
    "languages": ["elixir"],
    "libraries": ["bcrypt_elixir", "argon2_elixir", "pbkdf2_elixir"],
}


@dataclass(frozen=True)
class _Given:
    key: str
    value: str
    line: int


def read(app: App, text: str) -> tuple[Found, ...]:
    """What the configuration sets of each library, or the calls in code."""
    code = without_comments(text, app.comment)
    given: dict[str, list[_Given]] = {}
    for match in _CONFIG.finditer(code):
        given.setdefault(match["library"], []).extend(_pairs(match, code))
    if not given:
        return format_of(_CODE).read(app, text)
    return tuple(_found(library, pairs) for library, pairs in given.items())


def _pairs(match: re.Match[str], code: str) -> Iterator[_Given]:
    above = code.count("\n", 0, match.start("given")) + 1
    for pair in _PAIR.finditer(match["given"]):
        line = above + match["given"].count("\n", 0, pair.start("key"))
        yield _Given(pair["key"], pair["value"].strip(), line)


def _found(library: str, pairs: list[_Given]) -> Found:
    """What all of a library's settings come to; the last of each counts."""
    hashers = {"bcrypt_elixir": "bcrypt", "argon2_elixir": "argon2id"}
    digest = next((each.value for each in reversed(pairs) if each.key == "digest"), ":sha512")
    hasher = hashers.get(library) or f"pbkdf2-{digest.lstrip(':')}"[:20]
    params: dict[str, int] = {}
    whys = []
    for each in pairs:
        param = _KEYS[library].get(each.key)
        if param is not None:
            params[param], why = _number(each)
            whys.append(why)
    line = pairs[-1].line if pairs else 1
    found = Found(hasher=hasher, params=_effective(params), line=line, why=joined(*whys))
    raised = params.get("cost", _LOWEST_COST) < _LOWEST_COST
    return replace(found, why="bcrypt_elixir raises what is lower to 4") if raised else found


def _effective(params: Params) -> Params:
    made = dict(params)
    if "memory_kib" in made:
        made["memory_kib"] = 1 << min(made["memory_kib"], 40)
    if "cost" in made:
        made["cost"] = max(made["cost"], _LOWEST_COST)
    return made


def _number(given: _Given) -> tuple[int, str]:
    fallback = _FALLBACK.fullmatch(given.value)
    if fallback is not None:
        digits = fallback["second"] or fallback["other"]
        return int(
            digits.replace("_", "")
        ), f"the default, unless the environment sets {fallback['name']}"
    if not _NUMBER.fullmatch(given.value) or len(given.value) > 15:
        shown = printable(given.value)[:40]
        raise UntoldError(given.line, f"{given.key} is {shown}, which is not a whole number")
    return int(given.value.replace("_", "")), ""

"""Elixir: ``config :bcrypt_elixir, log_rounds: 12`` and kin; later ones add to earlier."""

import re
from collections.abc import Iterator
from typing import Final

from hashcost.apps.interface import App, Found
from hashcost.apps.signs import without_comments
from hashcost.apps.text import Entry, power_of_two, whole_number
from hashcost.core.errors import at_line

_CONFIG: Final = re.compile(
    r"^[ \t]*config\(?\s+:(?P<library>bcrypt_elixir|argon2_elixir|pbkdf2_elixir)\s*,\s*"
    r"(?:\[\s*)?(?P<given>(?:[^\n]*,[ \t]*\n)*[^\n]*)",
    re.MULTILINE,
)
_PAIR: Final = re.compile(
    r"(?:^|,)\s*:?(?P<key>[a-z]\w*)\s*(?::\s|,)\s*(?P<value>(?:\([^()]*+(?:\([^()]*+\)[^()]*+)*+\)|[^,()\]])++)"
)
_HEREDOC: Final = re.compile(
    r"(?P<quote>\"{3}|'{3})[ \t]*\n(?:.*?^[ \t]*(?P<closes>(?P=quote))|.*)",
    re.DOTALL | re.MULTILINE,
)
_VARIABLE: Final = re.compile(
    r".*\bget_env\(\s*\"(?P<name>\w+)\"\s*(?:,|\)\s*\|\|)\s*\"?(?P<default>[0-9_]{1,18})\"?.*"
)
_LIBRARIES: Final = {
    "bcrypt_elixir": ("bcrypt", {"log_rounds": "cost"}),
    "argon2_elixir": (
        "argon2id",
        {"t_cost": "time_cost", "m_cost": "memory_kib", "parallelism": "parallelism"},
    ),
    "pbkdf2_elixir": ("", {"rounds": "iterations"}),  # The digest makes the hasher.
}


def config(app: App, text: str) -> tuple[Found, ...]:
    """Read the settings of each library."""
    code = _HEREDOC.sub(_blank, without_comments(text, app.comment))
    given: dict[str, list[Entry]] = {}
    for match in _CONFIG.finditer(code):
        above = code.count("\n", 0, match.start("given")) + 1
        for pair in _PAIR.finditer(match["given"]):
            line = above + match["given"].count("\n", 0, pair.start("key"))
            entry = Entry(pair["key"], pair["value"].strip(), line)
            given.setdefault(match["library"], []).append(entry)
    return tuple(cost for library, entries in given.items() for cost in _costs(library, entries))


def _blank(match: re.Match[str]) -> str:
    if match["closes"] is None:
        line = match.string.count("\n", 0, match.start()) + 1
        raise at_line(line, "not Elixir: a heredoc that does not end")
    return "\n" * match[0].count("\n")


def _costs(library: str, entries: list[Entry]) -> Iterator[Found]:
    """The cost that a library's settings make, after those that a later one overrides."""
    digest = next((e.value for e in reversed(entries) if e.name == "digest"), ":sha512")
    hasher, keys = _LIBRARIES[library]
    hasher = hasher or f"pbkdf2-{digest.lstrip(':')}"[:20]
    params, lines, environment = dict[str, int](), dict[str, int](), ""
    for entry in entries:
        param = keys.get(entry.name)
        if param is None:
            continue
        variable, value = _VARIABLE.fullmatch(entry.value), entry.value
        if variable is not None:
            environment, value = variable["name"], variable["default"]
        number = whole_number(value, entry.name, entry.line)
        if param == "memory_kib":
            number = power_of_two(number, entry.name, entry.line)
        if param in params:
            overridden = {param: params[param]}
            yield Found(hasher=hasher, params=overridden, line=lines[param], wins=False)
        params[param], lines[param] = number, entry.line
    yield Found(
        hasher=hasher,
        params=params,
        line=entries[-1].line,
        lines=lines,
        why=f"the default, unless the environment sets {environment}" if environment else "",
        environment=environment,
    )

"""Java's servers: Spring Security's encoders, and Keycloak's policies and options."""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Final, cast

from hashcost.apps.containers import begins_containers, settings_of_containers
from hashcost.apps.formats.settings import costs_of, one_winner
from hashcost.apps.found import Costs, Found
from hashcost.apps.interface import App, format_of
from hashcost.apps.signs import without_comments
from hashcost.apps.text import Entry, costs_apart, joined_lines, line_at, uncommented, whole_number
from hashcost.apps.xml_values import Element, xml_elements
from hashcost.apps.yaml_values import setting_of
from hashcost.core.errors import UnreadableInputError, at_line
from hashcost.core.text import joined, printable

_CODE: Final = {
    "format": "source_code.SourceCode",
    "languages": ["java", "kotlin"],
    "libraries": ["Spring Security"],
    # Only release 5 has the constructors without arguments.
    "presets": [
        ".defaultsForSpringSecurity_",
        ".createDelegatingPasswordEncoder",
        "SCryptPasswordEncoder",
        "Argon2PasswordEncoder",
    ],
}
_EXTENDS: Final = re.compile(
    r"\bclass\s++\w++(?:(?!\bclass\s)[^{;])*?\bextends\s++(?P<base>(?:BCrypt|SCrypt|Argon2|Pbkdf2)PasswordEncoder)\b"
)
_ID: Final = re.compile(r"\bDelegatingPasswordEncoder\(\s*\"(?P<id>[\w@.+-]*)\"")
_ENTRY: Final = r"[\"'](?P<id>[\w@.+-]+)[\"']\s*(?:,|to\b|\]\s*=)\s*(?:new\s+)?\w*PasswordEncoder"


def spring(app: App, text: str) -> Costs:
    """Every cost that an encoder is made with; one for another id only checks older hashes."""
    if text.lstrip().startswith("<"):
        yield from _beans(text)
        return
    code = without_comments(text, app.comment)
    match = _EXTENDS.search(code)
    # A class that extends an encoder gives the cost to its constructor.
    if match is not None:
        code = re.sub(r"(?<![\w.])super\s*\(", f"new {match['base']}(", code)
    lines = code.splitlines()
    chosen = _ID.findall(code)
    injected = set(_INJECTED.findall(code))
    for cost in format_of(_CODE)(app, code):
        only_checks = False
        # Of several encoders for a choice it is not known which counts.
        if cost.line and len(chosen) == 1:
            entry = re.search(_ENTRY, lines[cost.line - 1])
            only_checks = entry is not None and entry["id"] != chosen[0]
        if cost.line and injected & set(_WORDS.findall(_statement(lines, cost.line))):
            why = "its cost comes from the application's properties, or the environment"
            yield Found.undetermined(cost.line, why, cost.hasher)
            continue
        yield replace(cost, wins=cost.wins and not only_checks)


_INJECTED: Final = re.compile(
    r"@Value\([^()\n]*+\)[ \t\n]++(?:(?:private|protected|public|static|final)[ \t]++)*+"
    r"[\w.]++[ \t]++(?P<name>\w++)"
)
"""A field or a parameter that Spring gives a value from the properties."""
_WORDS: Final = re.compile(r"\w+")


def _statement(lines: Sequence[str], line: int) -> str:
    """The text of a statement from a line on."""
    taken: list[str] = []
    for text in lines[line - 1 :]:
        taken.append(text)
        if ";" in text:
            break
    return " ".join(taken)


_BCRYPT: Final = re.compile(r"[\w.]*\.BCryptPasswordEncoder")


def _beans(text: str) -> Costs:
    """The cost of each encoder of bcrypt in Spring's XML; what else it has, the signs tell."""
    try:
        elements = xml_elements(text)
    except UnreadableInputError:
        return
    for place, element in enumerate(elements):
        name = element.name.rpartition(":")[2]
        given = {entry.name.rpartition(".")[2]: entry.value for entry in element.entries}
        if name == "password-encoder" and given.get("hash") == "bcrypt":
            yield Found(hasher="bcrypt", params={}, line=element.line)
        if name != "bean" or not _BCRYPT.fullmatch(given.get("class", "")):
            continue
        arguments = [
            other
            for other in elements
            if other.within == place and other.name.rpartition(":")[2] == "constructor-arg"
        ]
        yield _of_bean(element, arguments)


def _of_bean(bean: Element, arguments: Sequence[Element]) -> Found:
    """The cost that a bean gives to its encoder."""
    if not arguments:
        return Found(hasher="bcrypt", params={}, line=bean.line)
    first = arguments[0]
    values = [entry.value for entry in first.entries if entry.name.endswith(".value")]
    if len(arguments) > 1 or not values or not values[0].strip().isdecimal():
        why = "which of the encoder's arguments is the strength is not read here"
        return Found.undetermined(bean.line, why, "bcrypt")
    strength = whole_number(values[0].strip(), "strength", first.line)
    return Found(hasher="bcrypt", params={"cost": strength}, line=bean.line, also=(first.line,))


_OPTION: Final = re.compile(r"\s*(?P<name>[\w.-]+)\s*=(?P<value>.*)")
_KEYCLOAK: Final = {
    "argon2": "argon2id",
    "pbkdf2": "pbkdf2-sha1",
    "pbkdf2-sha256": "pbkdf2-sha256",
    "pbkdf2-sha512": "pbkdf2-sha512",
}
_POLICY: Final = re.compile(
    r"\b(?P<name>hashAlgorithm|hashIterations)\((?P<value>[^()\n]{0,60})\)"
)
_POLICY_KEY: Final = '"passwordPolicy"'
_MOST_OF_POLICY: Final = 100
"""Keycloak takes more for a count of PBKDF2 (Argon2PasswordHashProvider.java)."""
_TWO_DASHES: Final = "spi-password-hashing--"
_TWO_DASHES_SINCE: Final = "26.3"
"""Releases before it have one dash between the parts of an option."""
_VARIABLE: Final = "KC_"
"""Begins the variable of an option: KC_ and its name in upper case, ``_`` for each dash."""
_IS_USUAL: Final = "is used where the policy names no algorithm"


def keycloak(app: App, text: str) -> Costs:
    """The policies of a realm's JSON or of a script, and the options of a keycloak.conf."""
    realms = None
    if text.lstrip().startswith(("{", "[")):
        realms = _json(text)
    usual = app.usual_hasher or app.schemes[0].hasher
    policies = list(_policies(text, usual))
    yield from policies
    if policies and realms is not None:
        yield from _without_policy(realms, text, usual)
    keys = {param: key.replace("--", "-") for param, key in app.schemes[0].keys.items()}
    is_old = app.release is not None and app.is_before(_TWO_DASHES_SINCE)
    options = []
    for option in _options(text):
        if is_old and option.name.startswith(_TWO_DASHES):
            why = f"Keycloak before {_TWO_DASHES_SINCE} does not read a doubled sign in a name"
            yield Found.undetermined(
                option.line, why, "argon2id", "write one dash or underscore for two in the names"
            )
        else:
            name = option.name.lower().replace("--", "-").replace("_", "-")
            options.append(setting_of(replace(option, name=name)))
    settled = one_winner(options, "last", "the last one counts")
    yield from costs_of(settled, "argon2id", keys, {}, used=True)


def _options(text: str) -> Iterator[Entry]:
    """List the options of a keycloak.conf, or of containers by their names in that file."""
    if begins_containers(text) is not None:
        for one in settings_of_containers(text):
            yield Entry(_name_in_file(one.name), one.value, one.line)
        return
    for number, line in joined_lines(text):
        match = _OPTION.match(line)
        if match is not None:
            yield Entry(match["name"], match["value"].strip(), number)


def _name_in_file(name: str) -> str:
    """The name in a keycloak.conf of an option of a command, or of a variable."""
    if name.startswith(_VARIABLE):
        return name.removeprefix(_VARIABLE).lower().replace("_", "-")
    return name.removeprefix("--")


def _policies(text: str, usual: str) -> Costs:
    """The cost of each realm's policy."""
    policies = []
    for number, line in uncommented(text, "//"):
        # An export may have several realms on one line.
        realms = line.split(_POLICY_KEY)
        if len(realms) < 3:
            realms = [line]
        policies += [(realm, number) for realm in realms]
    return costs_apart(lambda policy: _of_policy(*policy, usual), policies)


def _without_policy(realms: Any, text: str, usual: str) -> Costs:
    """The realms of an export whose policy says nothing about hashes."""
    # An export of one realm is an object, and one of several a list.
    if not isinstance(realms, list):
        realms = [realms]
    for realm in realms:
        if not isinstance(realm, dict):
            continue
        name = realm.get("realm")
        if not isinstance(name, str) or _POLICY.search(str(realm.get("passwordPolicy"))):
            continue
        # A parsed export has no lines: the name is searched as it is written.
        written = re.escape(json.dumps(name))
        place = re.search(rf'"realm"\s*:\s*{written}', text)
        line = 1
        if place is not None:
            line = line_at(text, place.start())
        yield Found(hasher=usual, params={}, line=line, why=f"{usual} {_IS_USUAL}")


def _json(text: str) -> object:
    try:
        return cast("object", json.loads(text))
    except json.JSONDecodeError as error:
        raise at_line(error.lineno, f"not JSON: {error.msg.lower()}") from error
    except (RecursionError, ValueError) as error:
        raise UnreadableInputError("not JSON that can be read: too deep or too large") from error


def _of_policy(line: str, number: int, usual: str) -> Costs:
    """The cost that one realm's policy sets, which is on one line; none if it sets nothing."""
    parts = {match["name"]: match["value"].strip() for match in _POLICY.finditer(line)}
    if not parts:
        return
    named = parts.get("hashAlgorithm")
    hasher: str | None = usual
    if named:
        hasher = _KEYCLOAK.get(named)
    if hasher is None:
        why = "its hashAlgorithm is a provider's, not one of Keycloak's own"
        yield Found.undetermined(number, why, printable(str(named))[:40])
        return
    whys = []
    if "hashAlgorithm" not in parts:
        whys.append(f"{usual} {_IS_USUAL}")
    params = {}
    count = parts.get("hashIterations", "undefined")
    if count not in {"", "undefined", "-1"}:
        iterations = whole_number(count, "hashIterations", number)
        if hasher != "argon2id":
            params = {"iterations": iterations}
        elif iterations <= _MOST_OF_POLICY:
            params = {"time_cost": iterations}
        else:
            whys.append(
                f"hashIterations is above {_MOST_OF_POLICY}, so the server's options count"
            )
    yield Found(hasher=hasher, params=params, line=number, why=joined(*whys))

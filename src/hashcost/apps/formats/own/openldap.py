"""OpenLDAP: the parameters of the modules pw-pbkdf2 and argon2, in slapd.conf or cn=config."""

import base64
import binascii
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from hashcost.apps.files.counts import whole_number
from hashcost.apps.files.crypt_setting import of_setting
from hashcost.apps.interface import App, Found, joined
from hashcost.core.errors import UntoldError, at_line
from hashcost.core.text import printable

_DIGESTS: Final[Mapping[str, str]] = {
    "{PBKDF2-SHA512}": "pbkdf2-sha512",
    "{PBKDF2-SHA256}": "pbkdf2-sha256",
    "{PBKDF2-SHA1}": "pbkdf2-sha1",
    "{PBKDF2}": "pbkdf2-sha1",
}
_DIRECTIVE = re.compile(
    r"(?P<name>olcModuleLoad|moduleload|olcPasswordHash|password-hash)(?P<by>::?\s*|\s+)(?P<value>.*)",
    re.IGNORECASE,
)
_SALT_FORMAT: Final = re.compile(
    r"^(?:olcPasswordCryptSaltFormat:|password-crypt-salt-format)[ \t]+\"?(?P<format>[^\s\"]+)",
    re.IGNORECASE | re.MULTILINE,
)
_DATABASE: Final = re.compile(
    r"^(?:database[ \t]|dn:[ \t]*olcDatabase=\{-1\}frontend)", re.IGNORECASE | re.MULTILINE
)
_LETTERS: Final = {"m": "memory_kib", "t": "time_cost", "p": "parallelism"}
_INDEX = re.compile(r"\{-?[0-9]+\}")
_LONGEST = 4096


@dataclass(frozen=True)
class _Directive:
    is_module: bool
    words: tuple[str, ...]
    line: int


def _directives(text: str) -> Iterator[_Directive]:
    """Those that matter here, with the lines that begin with a space joined to theirs."""
    for number, line in _unfolded(text):
        match = _DIRECTIVE.fullmatch(line) if len(line) <= _LONGEST else None
        if match is None:
            continue
        value = _INDEX.sub("", _decoded(match["value"], match["by"]), count=1)
        words = tuple(word.strip('"') for word in value.split())
        if words:
            yield _Directive("module" in match["name"].lower(), words, number)


def _unfolded(text: str) -> Iterator[tuple[int, str]]:
    parts: list[str] = []
    start = 1
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith((" ", "\t")) and parts:
            # LDIF drops the space; in slapd.conf it stands between two words.
            parts.append(line[1:] if re.match(r"\w+:", parts[0]) else line)
            continue
        yield start, "".join(parts)
        parts, start = [line], number
    yield start, "".join(parts)


def _decoded(value: str, by: str) -> str:
    if not by.startswith("::"):
        return value
    try:
        return base64.b64decode(value, validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        return ""


def read(app: App, text: str) -> tuple[Found, ...]:
    """What each module is loaded with, and whether new passwords are hashed by it."""
    directives = list(_directives(text))
    named = {word.upper() for each in directives if not each.is_module for word in each.words}
    found: list[Found] = []
    for module, reading in (("pw-pbkdf2", _pbkdf2), ("argon2", _argon2)):
        loads = [each for each in directives if each.is_module and _loads(each, module)]
        if len(loads) > 1:
            raise at_line(loads[1].line, f"slapd does not start with {module} loaded twice")
        found += [reading(app, each, named) for each in loads]
    found += _crypt(text, directives)
    if not named:
        found = [*found, *_unnamed(text, directives)]
    return tuple(sorted(found, key=lambda each: each.line))


def _crypt(text: str, directives: list[_Directive]) -> Iterator[Found]:
    """What crypt(3) makes of passwords, by the format of its salts."""
    named = [
        each
        for each in directives
        if not each.is_module and "{CRYPT}" in map(str.upper, each.words)
    ]
    if named:
        given = _SALT_FORMAT.search(text)
        line = named[0].line if given is None else text.count("\n", 0, given.start()) + 1
        yield of_setting("" if given is None else given["format"], line)


def _unnamed(text: str, directives: list[_Directive]) -> Iterator[Found]:
    """What slapd does without a password-hash, if these are the files that would have it."""
    database = _DATABASE.search(text)
    if database is not None:
        line = text.count("\n", 0, database.start()) + 1
        yield Found.unfit("SSHA", line, "no password-hash: slapd hashes with {SSHA}")
    elif directives:
        why = "whether a password-hash names it, another file says"
        yield Found.untold(directives[-1].line, why)


def _loads(directive: _Directive, module: str) -> bool:
    file = directive.words[0].rpartition("/")[2]
    return re.sub(r"\.(?:so|la)[.0-9]*$", "", file) in {module, f"pw-{module}"}


def _standing(schemes: set[str], named: set[str]) -> tuple[bool, str]:
    if not named:
        return True, "this file has no password-hash: slapd hashes with {SSHA} unless another has"
    if schemes & named:
        return True, ""
    return False, f"password-hash is {' '.join(sorted(named))[:60]}"


def _pbkdf2(app: App, load: _Directive, named: set[str]) -> Found:
    hasher = next((_DIGESTS[each] for each in _DIGESTS if each in named), "pbkdf2-sha256")
    count = app.newest("pbkdf2-sha256")["iterations"]
    wins, why = _standing(set(_DIGESTS), named)
    if len(load.words) > 1:
        count = whole_number(load.words[1], "pw-pbkdf2", load.line)
        why = joined(why, "OpenLDAP before 2.7.0 takes no count and stays at 10000")
    else:
        why = joined(why, f"no count: {count}")
    return Found(hasher=hasher, params={"iterations": count}, line=load.line, wins=wins, why=why)


def _argon2(_: App, load: _Directive, named: set[str]) -> Found:
    wins, why = _standing({"{ARGON2}"}, named)
    given = {}
    for word in load.words[1:]:
        letter, by, value = word.partition("=")
        if by and letter[:1] in _LETTERS:
            given[letter[0]] = whole_number(value, f"argon2's {letter[:20]}", load.line)
        else:
            raise UntoldError(load.line, f"argon2 does not know {printable(word)[:20]!r}")
    params = {param: given[letter] for letter, param in _LETTERS.items() if letter in given}
    missing = [letter for letter in _LETTERS if letter not in given]
    if missing:
        why = joined(why, f"no {', '.join(missing)}")
    return Found(hasher="argon2id", params=params, line=load.line, wins=wins, why=why)

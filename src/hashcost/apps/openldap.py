"""OpenLDAP: the parameters of the modules pw-pbkdf2 and argon2, in slapd.conf or cn=config."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from hashcost.apps.factors import LIBARGON2
from hashcost.apps.files.counts import whole_number
from hashcost.apps.interface import App, Default, Found, Limits, Scheme, Timing, Write
from hashcost.core.errors import UnreadableInputError, printable
from hashcost.core.model import Params

_PBKDF2 = "openldap/openldap, contrib/slapd-modules/passwd/pbkdf2/pw-pbkdf2.c"
_ARGON2 = "openldap/openldap, servers/slapd/pwmods/argon2.c"
_TRIED = "tried with slapd 2.5.13 (Debian 12)"
_LOADED = "where the module is loaded already, change that line instead, and start slapd anew"
_NO_COUNT = f"a pw-pbkdf2 of OpenLDAP 2.6.7 or older takes no count and stays at 10000 ({_TRIED})"
_NEWER = "since merge request 643 it makes argon2id, by default m=19456 t=2 p=1 (2024)"
_NETTLE = (
    "slapd built with GnuTLS, as Debian's is, hashes by nettle, in 0.52 (SHA-256) or 0.95"
    " (SHA-512) times as long (nettle 3.8.1, measured 2026-11-20, Intel Xeon)"
)

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
_INDEX = re.compile(r"\{-?[0-9]+\}")
_LONGEST = 4096


@dataclass(frozen=True)
class _Directive:
    name: str
    words: tuple[str, ...]
    line: int


def _writer(module: str, scheme: str, words: str) -> Write:
    """As ldapmodify takes it, with ``words`` to be filled by the params."""
    return lambda params: (
        "dn: cn=module{0},cn=config\n"
        "changetype: modify\n"
        "add: olcModuleLoad\n"
        f"olcModuleLoad: {module}.so {_with(words, params)}\n"
        "\n"
        "dn: olcDatabase={-1}frontend,cn=config\n"
        "changetype: modify\n"
        "replace: olcPasswordHash\n"
        f"olcPasswordHash: {scheme}\n"
    )


def _with(words: str, params: Params) -> str:
    return re.sub(r"<(\w+)>", lambda match: str(params[match[1]]), words)


def _directives(text: str) -> Iterator[_Directive]:
    """Those that matter here, with the lines that begin with a space joined to theirs."""
    for number, line in _unfolded(text):
        match = _DIRECTIVE.fullmatch(line) if len(line) <= _LONGEST else None
        if match is None:
            continue
        value = _INDEX.sub("", _decoded(match["value"], match["by"]), count=1)
        words = tuple(word.strip('"') for word in value.split())
        if words:
            kind = "module" if "module" in match["name"].lower() else "hash"
            yield _Directive(kind, words, number)


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


def _read(text: str) -> tuple[Found, ...]:
    """What each module is loaded with, and whether new passwords are hashed by it."""
    directives = list(_directives(text))
    chosen = [each for each in directives if each.name == "hash"]
    named = {word.upper() for each in chosen for word in each.words}
    found: list[Found] = []
    for module in ("pw-pbkdf2", "argon2"):
        loads = [each for each in directives if each.name == "module" and _loads(each, module)]
        reading = _pbkdf2 if module == "pw-pbkdf2" else _argon2
        if len(loads) > 1:
            raise UnreadableInputError(
                f"line {loads[1].line}: slapd does not start with {module} loaded twice"
            )
        found += [reading(each, named) for each in loads]
    return tuple(sorted(found, key=lambda each: each.line))


def _loads(directive: _Directive, module: str) -> bool:
    file = directive.words[0].rpartition("/")[2]
    return re.sub(r"\.(?:so|la)[.0-9]*$", "", file) in {module, f"pw-{module}"}


def _standing(schemes: set[str], named: set[str]) -> tuple[bool, str]:
    if not named:
        return True, "this file has no password-hash: slapd hashes with {SSHA} unless another has"
    if schemes & named:
        return True, ""
    return False, f"password-hash is {' '.join(sorted(named))[:60]}"


def _pbkdf2(load: _Directive, named: set[str]) -> Found:
    hasher = next((_DIGESTS[each] for each in _DIGESTS if each in named), "pbkdf2-sha256")
    count = 10000
    wins, why = _standing(set(_DIGESTS), named)
    if len(load.words) > 1:
        count = whole_number(load.words[1], "pw-pbkdf2", load.line)
    else:
        why = "; ".join(filter(None, (why, "no count: 10000")))
    return Found(hasher=hasher, params={"iterations": count}, line=load.line, wins=wins, why=why)


def _argon2(load: _Directive, named: set[str]) -> Found:
    wins, why = _standing({"{ARGON2}"}, named)
    given = {}
    for word in load.words[1:]:
        letter, by, value = word.partition("=")
        if by and letter[:1] in set("mtp"):
            given[letter[0]] = whole_number(value, f"argon2's {letter[:20]}", load.line)
        else:
            raise UnreadableInputError(
                f"line {load.line}: argon2 does not know {printable(word)[:20]!r}"
            )
    params = {
        "memory_kib": given.get("m", 4096),
        "time_cost": given.get("t", 3),
        "parallelism": given.get("p", 1),
    }
    missing = [letter for letter in "mtp" if letter not in given]
    if missing:
        why = "; ".join(
            filter(None, (why, f"no {', '.join(missing)}: the default of OpenLDAP 2.5"))
        )
    return Found(hasher="argon2id", params=params, line=load.line, wins=wins, why=why)


def _pbkdf2_scheme(digest: str) -> Scheme:
    return Scheme(
        hasher=f"pbkdf2-{digest}",
        library="OpenSSL",
        timing=Timing(implementation="hashlib"),
        keys={"iterations": "olcModuleLoad: pw-pbkdf2.so"},
        limits={"iterations": Limits(minimum=1, maximum=2**31 - 1)},
        write=_writer("pw-pbkdf2", f"{{PBKDF2-{digest.upper()}}}", "<iterations>"),
        defaults=(Default(since="", params={"iterations": 10000}, source=_PBKDF2),),
        note=f"{_NO_COUNT}; {_NETTLE}; {_LOADED}",
    )


APP = App(
    name="openldap",
    title="OpenLDAP",
    schemes=(
        Scheme(
            hasher="argon2id",
            library="libargon2",
            timing=LIBARGON2,
            keys={
                "memory_kib": "olcModuleLoad: argon2.so m=",
                "time_cost": "t=",
                "parallelism": "p=",
            },
            limits={
                "memory_kib": Limits(minimum=8, maximum=2**32 - 1),
                "time_cost": Limits(minimum=1, maximum=2**32 - 1),
                "parallelism": Limits(minimum=1, maximum=2**24 - 1),
            },
            write=_writer("argon2", "{ARGON2}", "m=<memory_kib> t=<time_cost> p=<parallelism>"),
            defaults=(
                Default(
                    since="2.5",
                    params={"memory_kib": 4096, "time_cost": 3, "parallelism": 1},
                    source=_TRIED,
                ),
            ),
            note="a slapd built with libsodium refuses p above 1;"
            f" OpenLDAP 2.5 makes argon2i of it ({_TRIED}); {_NEWER}; {_LOADED}",
        ),
        _pbkdf2_scheme("sha512"),
        _pbkdf2_scheme("sha256"),
    ),
    comment="# {}",
    read=_read,
    places=(
        "/etc/ldap/slapd.d/cn=config/cn=module{0}.ldif",
        "/etc/ldap/slapd.conf",
        "/etc/openldap/slapd.conf",
    ),
    rehashes="never",
    sources=(_PBKDF2, _ARGON2, _TRIED),
    note="without a password-hash slapd hashes with {SSHA}",
)

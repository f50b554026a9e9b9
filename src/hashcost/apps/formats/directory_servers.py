"""Directory servers: OpenLDAP's slapd.conf and cn=config, and 389's dse.ldif."""

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Final, NamedTuple

from hashcost.apps.formats.settings import NamedSettings
from hashcost.apps.found import Costs, Found
from hashcost.apps.interface import App
from hashcost.apps.text import Entry, costs_apart, line_at, of_crypt_setting, whole_number
from hashcost.apps.yaml_values import setting_of
from hashcost.core.errors import UndeterminedError, at_line
from hashcost.core.text import joined, printable

_DIGESTS: Final[Mapping[str, str]] = {
    "{PBKDF2-SHA512}": "pbkdf2-sha512",
    "{PBKDF2-SHA256}": "pbkdf2-sha256",
    "{PBKDF2-SHA1}": "pbkdf2-sha1",
    "{PBKDF2}": "pbkdf2-sha1",
}
_DIRECTIVE: Final = re.compile(
    r"(?P<name>olcModuleLoad|moduleload|olcPasswordHash|password-hash)(?::\s|\s)\s*(?P<value>.*)",
    re.IGNORECASE,
)
_SALT_FORMAT: Final = re.compile(
    r"^(?:olcPasswordCryptSaltFormat:|password-crypt-salt-format)[ \t]+\"?(?P<format>[^\s\"]+)",
    re.IGNORECASE | re.MULTILINE,
)
_OLC: Final = re.compile(r"(?m)^olc\w+:")
"""A line of the configuration that is kept in the directory itself."""
_IN_SLAPD_CONF: Final = (
    "write `moduleload argon2` and `password-hash {ARGON2}` above the first database, and set each"
    " password again"
)
_DATABASE: Final = re.compile(
    r"^(?:database[ \t]|dn:[ \t]*olcDatabase=\{-1\}frontend)", re.IGNORECASE | re.MULTILINE
)
_LETTERS: Final = {"m": "memory_kib", "t": "time_cost", "p": "parallelism"}
_INDEX: Final = re.compile(r"\{-?[0-9]+\}")
_MODULE: Final = re.compile(r"(?:.*/)?(?:pw-)?(?P<name>argon2|pbkdf2)(?:\.(?:so|la)[.0-9]*)?")


class _Directive(NamedTuple):
    is_module: bool
    words: tuple[str, ...]
    line: int

    @property
    def module(self) -> str:
        """``argon2`` or ``pbkdf2``, if it loads that."""
        match = _MODULE.fullmatch(self.words[0])
        if not self.is_module or match is None:
            return ""
        return match["name"]


class Ldif(NamedSettings, frozen=True):
    """Attributes of entries, as ``entry.attribute`` in lower case, by the first part of a DN."""

    def read(self, app: App, text: str) -> Costs:
        """Every cost that the entries set."""
        entry = ""
        settings = []
        for number, line in _unfolded(text):
            name, by, value = line.partition(": ")
            if name.lower() == "dn":
                # dn: cn=config -> config
                first = value.partition(",")[0]
                entry = first.partition("=")[2].strip()
            elif by:
                attribute = Entry(f"{entry}.{name}".lower(), value.strip(), number)
                settings.append(setting_of(attribute))
        return self.costs(app, tuple(settings))


_HASHES_ALL: Final = re.compile(
    r"(?im)^[ \t]*+(?:olcPPolicyHashCleartext|ppolicy_hash_cleartext)\b"
)
"""A setting of the overlay ppolicy: what clients add and modify is hashed, too."""


def _without_scheme(text: str) -> str:
    """Say what slapd hashes where no password-hash names a scheme."""
    why = "no password-hash: slapd hashes with {SSHA}"
    if _HASHES_ALL.search(text) is not None:
        return why
    return f"{why}, and only what the Password Modify operation sets"


def openldap(app: App, text: str) -> Costs:
    """The cost that each module is loaded with, and whether it hashes new passwords."""
    directives = list(_directives(text))
    named: dict[str, int] = {}
    for directive in directives:
        if not directive.is_module:
            for word in directive.words:
                named.setdefault(word.upper(), directive.line)
    # A module makes a scheme known; whether new passwords get it, password-hash says.
    loads: dict[str, _Directive] = {}
    for directive in directives:
        module = directive.module
        if module in loads:
            raise at_line(directive.line, f"slapd does not start with {module} loaded twice")
        if module:
            loads[module] = directive
    readers = {"pbkdf2": _pbkdf2, "argon2": _argon2}
    yield from costs_apart(lambda load: [readers[load.module](app, load, named)], loads.values())
    if "{CRYPT}" in named:
        # Without a format, slapd asks crypt(3) for DES.
        setting = ""
        line = named["{CRYPT}"]
        salt_format = _SALT_FORMAT.search(text)
        if salt_format is not None:
            setting = salt_format["format"]
            line = line_at(text, salt_format.start())
        yield of_crypt_setting(setting, line)
    if named:
        return
    database = _DATABASE.search(text)
    if database is not None:
        line = line_at(text, database.start())
        cure = ""
        # The snippet is of the other kind of configuration.
        if _OLC.search(text) is None:
            cure = _IN_SLAPD_CONF
        yield Found.unfit("SSHA", line, _without_scheme(text), cure)
    elif directives:
        why = "whether a password-hash names it, another file says"
        yield Found.undetermined(directives[-1].line, why)


def _directives(text: str) -> Iterator[_Directive]:
    """The lines that matter here, with those that begin with a space joined to them."""
    for number, line in _unfolded(text):
        match = _DIRECTIVE.fullmatch(line)
        if match is None:
            continue
        value = _INDEX.sub("", match["value"], count=1)
        words = tuple(word.strip('"') for word in value.split())
        if words:
            yield _Directive("module" in match["name"].lower(), words, number)


def _unfolded(text: str) -> Iterator[tuple[int, str]]:
    parts: list[str] = []
    start = 1
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith((" ", "\t")) and parts:
            further = line
            # LDIF drops the space; in slapd.conf it stands between two words.
            if re.match(r"\w+:", parts[0]):
                further = line[1:]
            parts.append(further)
        else:
            yield start, "".join(parts)
            parts = [line]
            start = number
    yield start, "".join(parts)


def _standing(schemes: Collection[str], named: Collection[str]) -> tuple[bool, str]:
    """Whether one of the schemes counts, and why if no password-hash names any."""
    if not named:
        return True, "this file has no password-hash: slapd hashes with {SSHA} unless another has"
    return not set(schemes).isdisjoint(named), ""


def _pbkdf2(app: App, load: _Directive, named: Collection[str]) -> Found:
    hasher = "pbkdf2-sha256"
    for scheme, digest in _DIGESTS.items():
        if scheme in named:
            hasher = digest
            break
    wins, why = _standing(_DIGESTS, named)
    if len(load.words) > 1:
        count = whole_number(load.words[1], "pw-pbkdf2", load.line)
        why = joined(why, "OpenLDAP before 2.7.0 takes no count and stays at 10000")
    else:
        count = app.usual("pbkdf2-sha256")["iterations"]
        why = joined(why, f"no count: {count}")
    return Found(hasher=hasher, params={"iterations": count}, line=load.line, wins=wins, why=why)


def _argon2(_: App, load: _Directive, named: Collection[str]) -> Found:
    params = {}
    for word in load.words[1:]:
        name, by, value = word.partition("=")
        # The module looks only at the first letter.
        param = _LETTERS.get(name[:1])
        if not by or param is None:
            raise UndeterminedError(load.line, f"argon2 does not know {printable(word)[:20]!r}")
        params[param] = whole_number(value, f"argon2's {name[:20]}", load.line)
    wins, why = _standing({"{ARGON2}"}, named)
    missing = [letter for letter, param in _LETTERS.items() if param not in params]
    if missing:
        names = ", ".join(missing)
        why = joined(why, f"no {names}")
    return Found(hasher="argon2id", params=params, line=load.line, wins=wins, why=why)

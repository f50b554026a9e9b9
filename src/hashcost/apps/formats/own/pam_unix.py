"""pam_unix: the options of its line in a PAM service file, such as ``sha512 rounds=N``."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

import msgspec

from hashcost.apps.files.candidates import last_wins
from hashcost.apps.files.lines import joined_lines
from hashcost.apps.interface import App, Found, Scheme

_GOST = "gost-"
"""gost-yescrypt takes the counts that yescrypt takes."""

_COSTLESS: Final = {"md5": "MD5", "bigcrypt": "DES"}

_ROUNDS = re.compile(r"rounds=\s*(?P<count>\+?[0-9]{1,9})")


_SETTING = re.compile(
    r"\s*(?P<name>ENCRYPT_METHOD|SHA_CRYPT_MAX_ROUNDS|YESCRYPT_COST_FACTOR)\s+(?P<value>\S+)\s*"
)
_TYPES: Final = frozenset(("account", "auth", "password", "session"))
_WORD = re.compile(r"\[[^\]]*\]?|\S+")
"""As in libpam, a bracket that is not closed takes the rest of the line."""


@dataclass(frozen=True)
class _Module:
    """A line of a stack; ``name`` is the module, or the file that an include names."""

    kind: str
    control: str
    name: str
    options: tuple[str, ...]
    line: int


def _modules(text: str) -> Iterator[_Module]:
    """Every line of every stack, also of ``/etc/pam.conf``; comments end at the line's end."""
    for number, line in joined_lines(text):
        words = _WORD.findall(line.partition("#")[0])
        if words[:1] == ["@include"]:
            yield _Module("", "include", " ".join(words[1:2]), (), number)
            continue
        if words and words[0].lstrip("-").lower() not in _TYPES:
            words = words[1:]  # pam.conf has the service in front.
        if len(words) < 3 or words[0].lstrip("-").lower() not in _TYPES:
            continue
        yield _Module(
            words[0].lstrip("-").lower(),
            words[1],
            words[2].rpartition("/")[2],
            tuple(map(_bare, words[3:])),
            number,
        )


def _bare(word: str) -> str:
    """An option without the brackets that hold its blanks together."""
    return word[1:].removesuffix("]") if word.startswith("[") else word


class Format(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The hashers of the options that name a method, and the options ``costless``.

    pam_unix compares only the beginning of a word.
    """

    methods: dict[str, str]
    costless: tuple[str, ...]

    def read(self, app: App, text: str) -> tuple[Found, ...]:
        """What each pam_unix line of a password stack sets."""
        stack = [each for each in _modules(text) if each.kind in {"password", ""}]
        defs = _defs(text)
        found = [one for each in stack for one in self._of(app, each, defs)]
        found = list(last_wins(found, "each pam_unix.so line that is reached hashes anew"))
        elsewhere = [each for each in stack if each.control in {"include", "substack"}]
        if found and elsewhere and elsewhere[-1].line > found[-1].line:
            last = elsewhere[-1]
            why = f"unless {last.name[:40]}, included on line {last.line}, has another"
            found[-1] = found[-1].because(why)
        return tuple(found)

    def _of(self, app: App, module: _Module, defs: Mapping[str, str]) -> list[Found]:
        if module.name != "pam_unix.so":
            return []
        known = (*self.costless, *self.methods)
        names = [name for word in module.options for name in known if word.startswith(name)]
        if not names and "ENCRYPT_METHOD" in defs:
            method = defs["ENCRYPT_METHOD"].lower()
            names = [name for name in known if method == name]
        hasher = self.methods.get(names[-1]) if names else None
        scheme = None if hasher is None else app.scheme(hasher.removeprefix(_GOST))
        if names and hasher is None:
            why = f"{names[-1]} makes hashes without a cost"
            return [Found.unfit(_COSTLESS.get(names[-1], names[-1]), module.line, why)]
        if hasher is None:
            why = "no method is named: DES, unless login.defs has an ENCRYPT_METHOD"
            return [Found.unfit("DES", module.line, why)]
        if scheme is None:
            return [
                Found.untold(module.line, f"hashcost does not know the cost of {hasher}", hasher)
            ]
        return [_found(hasher, scheme, module, defs)]


def _found(hasher: str, scheme: Scheme, module: _Module, defs: Mapping[str, str]) -> Found:
    """What a line sets, as pam_unix 1.6.0 and newer take it."""
    ((param, limits),) = scheme.limits.items()
    default = scheme.defaults[-1].params[param]
    text, written = _rounds(module)
    if not text:
        text, written = _of_defs(param, defs)
    if written is None:
        why = f"{f'{text} is ignored' if text else 'no rounds='}: {default}{_elsewhere(hasher)}"
        return Found(
            hasher=hasher, params={param: default}, line=module.line, why=why, written=text
        )
    count = limits.nearest(written)
    if param == "rounds" and written < limits.minimum:
        count = default
    why = f"pam_unix takes {count} for it"
    if param != "rounds" and count != default:
        why += f", and {default} before 1.6.0"
    return Found(
        hasher=hasher,
        params={param: count},
        line=module.line,
        why="" if count == written else why,
        written="" if count == written else text,
    )


def _defs(text: str) -> dict[str, str]:
    """The settings of a login.defs that is read with the stack; the first of each counts."""
    found = [match for match in map(_SETTING.fullmatch, text.splitlines()) if match]
    return {match["name"]: match["value"] for match in reversed(found)}


def _of_defs(param: str, defs: Mapping[str, str]) -> tuple[str, int | None]:
    """The count of login.defs, which pam_unix takes together with its method."""
    name = "YESCRYPT_COST_FACTOR" if param == "cost" else "SHA_CRYPT_MAX_ROUNDS"
    value = defs.get(name, "")
    return (f"{name} {value}", int(value)) if re.fullmatch(r"[0-9]{1,9}", value) else ("", None)


def _elsewhere(hasher: str) -> str:
    """Where the count may be that the line does not have."""
    if hasher == "yescrypt":
        return ", or since 1.6.0 YESCRYPT_COST_FACTOR of login.defs"
    if hasher in {"sha256-crypt", "sha512-crypt"}:
        return ", or SHA_CRYPT_MAX_ROUNDS of login.defs"
    return ""


def _rounds(module: _Module) -> tuple[str, int | None]:
    """The last count as it is written, and as a number.

    One that is no number is ignored, but it puts zero in the place of one before it.
    """
    words = [word for word in module.options if word.startswith("rounds=")]
    if not words:
        return "", None
    if (match := _ROUNDS.fullmatch(words[-1])) is not None:
        return words[-1], int(match["count"])
    return words[-1], 0 if any(map(_ROUNDS.fullmatch, words)) else None

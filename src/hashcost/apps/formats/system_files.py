"""Files of the system: login.defs, and pam_unix in PAM's service files."""

import re
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

import msgspec

from hashcost.apps.interface import App, Found, Scheme
from hashcost.apps.signs import is_own
from hashcost.apps.text import Entry, in_order, joined_lines, last_wins, whole_number
from hashcost.core.errors import UntoldError
from hashcost.core.text import printable

_LINE: Final = re.compile(r"[ \t]*(?P<name>[A-Z0-9_]+)[ \t]+(?P<value>.+)")
_OTHER_BASE: Final = re.compile(r"0[xX](?P<hexadecimal>[0-9a-fA-F]{1,15})|0(?P<octal>[0-7]{1,18})")
_UNSET: Final = "ENCRYPT_METHOD is not set, so passwords are hashed with DES"


class EncryptMethod(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A value of ENCRYPT_METHOD: a hasher, and the keys that set its cost."""

    hasher: str
    keys: tuple[str, ...]


class LoginDefs(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The ``methods`` that ENCRYPT_METHOD can say."""

    methods: dict[str, EncryptMethod]

    def read(self, app: App, text: str) -> tuple[Found, ...]:
        """The cost of the method that ENCRYPT_METHOD names, and those that it does not.

        Shadow draws a random count between the two keys: the lower one is found. It knows no
        comment behind a value and joins no lines; the last of each name counts.
        """
        settings: dict[str, Entry] = {}
        for number, line in enumerate(text.splitlines(), 1):
            match = _LINE.fullmatch(line)
            if match is not None:
                value = match["value"].strip(' \t"')
                settings[match["name"]] = Entry(match["name"], value, number)
        chosen = settings.get("ENCRYPT_METHOD")
        word = None if chosen is None else chosen.value
        found = []
        for name, method in self.methods.items():
            scheme = app.scheme(method.hasher)
            counts = {key: _count(settings[key]) for key in method.keys if key in settings}
            if scheme is None:
                continue
            if chosen is not None and word == name:
                found.append(_used(scheme, method.keys, counts, chosen.line))
            elif counts and not (name.startswith("SHA") and name != _sha(word)):
                count, at = min(counts.values(), key=lambda each: each[1])
                params = {next(iter(scheme.limits)): count}
                why = (
                    _UNSET
                    if chosen is None
                    else f"ENCRYPT_METHOD is {printable(chosen.value)[:20]}"
                )
                found.append(Found(hasher=method.hasher, params=params, line=at).unless(why))
        if chosen is None and is_own(app.signs, text):
            found.append(Found.unfit("DES", 0, _UNSET))
        elif chosen is not None and word not in self.methods:
            found.append(_unfit(chosen))
        return in_order(found)


def _sha(word: str | None) -> str:
    """The SHA method under whose name the keys that both share are told of."""
    return word if word in {"SHA256", "SHA512"} else "SHA512"


def _unfit(chosen: Entry) -> Found:
    """The hash for a method without a cost: DES, unless it is MD5."""
    named = "MD5" if chosen.value == "MD5" else "DES"
    why = f"ENCRYPT_METHOD is {printable(chosen.value)[:20]}"
    if chosen.value != named:
        why += ", which shadow does not know, so passwords are hashed with DES"
    return Found.unfit(named, chosen.line, why)


def _used(
    scheme: Scheme, keys: tuple[str, ...], counts: Mapping[str, tuple[int, int]], line: int
) -> Found:
    ((param, limits),) = scheme.limits.items()
    if not counts:
        default = scheme.defaults[-1].params
        why = f"{' and '.join(keys)} not set: {default[param]}"
        return Found(hasher=scheme.hasher, params=default, line=line, why=why)
    lowest = counts.get(keys[0], next(iter(counts.values())))
    highest = counts.get(keys[-1], lowest)
    why = ""
    if lowest[0] > highest[0]:
        why = f"{keys[0]} is above {keys[-1]}: the higher is used"
    elif lowest[0] < highest[0]:
        why = f"a random count from {lowest[0]} to {highest[0]}: the lower is judged"
    return Found(
        hasher=scheme.hasher,
        params={param: limits.nearest(lowest[0])},
        line=lowest[1],
        also=() if lowest[1] == highest[1] else (highest[1],),
        why=why,
    )


def _count(setting: Entry) -> tuple[int, int]:
    """The number and its line; shadow reads ``0x2000`` and ``020000`` too, as C has them."""
    other = _OTHER_BASE.fullmatch(setting.value)
    if other is not None:
        digits = other["hexadecimal"] or other["octal"]
        return int(digits, 16 if other["hexadecimal"] else 8), setting.line
    if "_" in setting.value:
        raise UntoldError(setting.line, f"{setting.name} is not a whole number")
    return whole_number(setting.value, setting.name, setting.line), setting.line


_GOST: Final = "gost-"
"""gost-yescrypt takes the counts that yescrypt takes."""
_COSTLESS: Final = {"md5": "MD5", "bigcrypt": "DES"}
_ROUNDS: Final = re.compile(r"rounds=\s*(?P<count>\+?[0-9]{1,9})")
_TYPES: Final = frozenset(("account", "auth", "password", "session"))
_WORD: Final = re.compile(r"\[[^\]]*\]?|\S+")
"""As in libpam, a bracket that is not closed takes the rest of the line."""


class _Module(NamedTuple):
    """A line of pam_unix in the stack for passwords."""

    options: tuple[str, ...]
    line: int


class PamUnix(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The hashers of the options that name a method, and the options ``costless``.

    pam_unix compares only the beginning of a word.
    """

    methods: dict[str, str]
    costless: tuple[str, ...]

    def read(self, app: App, text: str) -> tuple[Found, ...]:
        """The cost of each pam_unix line of a password stack."""
        found = [self._of(app, module) for module in _modules(text)]
        return last_wins(found, "each pam_unix.so line that is reached hashes anew")

    def _of(self, app: App, module: _Module) -> Found:
        known = (*self.costless, *self.methods)
        names = [name for word in module.options for name in known if word.startswith(name)]
        if not names:
            why = "no method is named: DES, unless login.defs has an ENCRYPT_METHOD"
            return Found.untold(module.line, why)
        hasher = self.methods.get(names[-1])
        if hasher is None:
            why = f"{names[-1]} makes hashes without a cost"
            return Found.unfit(_COSTLESS.get(names[-1], names[-1]), module.line, why)
        scheme = app.scheme(hasher.removeprefix(_GOST))
        if scheme is None:
            why = f"hashcost does not know the cost of {hasher}"
            return Found.untold(module.line, why, hasher)
        return _of_module(hasher, scheme, module)


def _modules(text: str) -> Iterator[_Module]:
    """The lines of pam_unix, also of ``/etc/pam.conf``; comments end at the line's end."""
    for number, line in joined_lines(text):
        words = _WORD.findall(line.partition("#")[0])
        if words and words[0].lstrip("-").lower() not in _TYPES:
            words = words[1:]  # pam.conf has the service in front.
        if len(words) < 3 or words[0].lstrip("-").lower() != "password":
            continue
        if words[2].rpartition("/")[2] == "pam_unix.so":
            bare = (word[1:].removesuffix("]") if word[0] == "[" else word for word in words[3:])
            yield _Module(tuple(bare), number)


def _of_module(hasher: str, scheme: Scheme, module: _Module) -> Found:
    """The cost of a line, as pam_unix 1.6.0 and newer take it."""
    ((param, limits),) = scheme.limits.items()
    default = scheme.defaults[-1].params[param]
    text, written = _rounds(module)
    if written is None:
        elsewhere = "SHA_CRYPT_MAX_ROUNDS"
        if hasher == "yescrypt":
            elsewhere = "since 1.6.0 YESCRYPT_COST_FACTOR"
        why = f"{f'{text} is ignored' if text else 'no rounds='}: {default}"
        why += f", or {elsewhere} of login.defs" if hasher != "bcrypt" else ""
        return Found(hasher=hasher, params={param: default}, line=module.line, why=why)
    count = limits.nearest(written)
    if param == "rounds" and written < limits.minimum:
        count = default
    why = f"pam_unix takes {count} for it"
    if param != "rounds" and count != default:
        why += f", and {default} before 1.6.0"
    why = "" if count == written else why
    return Found(hasher=hasher, params={param: count}, line=module.line, why=why)


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

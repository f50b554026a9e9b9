"""login.defs of shadow: what chgpasswd, gpasswd and newusers hash with, and pam_unix may."""

import re
from collections.abc import Mapping

import msgspec

from hashcost.apps.files.counts import whole_number
from hashcost.apps.files.lines import Entry
from hashcost.apps.interface import App, Found, Scheme
from hashcost.apps.signs import is_own
from hashcost.core.errors import UntoldError
from hashcost.core.text import printable

_LINE = re.compile(r"[ \t]*(?P<name>[A-Z0-9_]+)[ \t]+(?P<value>.+)")
_OTHER_BASE = re.compile(r"0[xX](?P<hexadecimal>[0-9a-fA-F]{1,15})|0(?P<octal>[0-7]{1,18})")


class EncryptMethod(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What ENCRYPT_METHOD can say: a hasher, and the keys that set its cost."""

    hasher: str
    keys: tuple[str, ...]


def _settings(text: str) -> dict[str, Entry]:
    """The last value of each name; shadow knows no comment behind a value and joins no lines."""
    found: dict[str, Entry] = {}
    for number, line in enumerate(text.splitlines(), 1):
        match = _LINE.fullmatch(line)
        if match is not None:
            found[match["name"]] = Entry(match["name"], match["value"].strip(' \t"'), number)
    return found


class Format(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The ``methods`` that ENCRYPT_METHOD can say."""

    methods: dict[str, EncryptMethod]

    def read(self, app: App, text: str) -> tuple[Found, ...]:
        """The cost of the method that ENCRYPT_METHOD names, and those that it does not.

        Shadow draws a random count between the two keys: the lower one is found.
        """
        settings = _settings(text)
        chosen = settings.get("ENCRYPT_METHOD")
        found = []
        for name, method in self.methods.items():
            scheme = app.scheme(method.hasher)
            if scheme is None:
                continue
            used = chosen is not None and chosen.value == name
            counts = {key: _count(settings[key]) for key in method.keys if key in settings}
            if used and chosen is not None:
                found.append(_used(scheme, method.keys, counts, chosen.line))
            elif counts and not _is_told_elsewhere(chosen, name):
                count, line = min(counts.values(), key=lambda each: each[1])
                params = {next(iter(scheme.limits)): count}
                unused = Found(hasher=method.hasher, params=params, line=line)
                found.append(unused.unless(_unused(chosen, self.methods)))
        if chosen is None and is_own(app.signs, text):
            why = "ENCRYPT_METHOD is not set, so passwords are hashed with DES"
            found.append(Found.unfit("DES", 0, why))
        elif chosen is not None and chosen.value not in self.methods:
            found.append(_unfit(chosen))
        return tuple(sorted(found, key=lambda each: each.line))


def _unfit(chosen: Entry) -> Found:
    """What shadow makes of a method that has no cost: DES, unless it is MD5."""
    named = "MD5" if chosen.value == "MD5" else "DES"
    why = f"ENCRYPT_METHOD is {printable(chosen.value)[:20]}"
    if chosen.value != named:
        why += ", which shadow does not know, so passwords are hashed with DES"
    return Found.unfit(named, chosen.line, why)


def _is_told_elsewhere(chosen: Entry | None, name: str) -> bool:
    """Whether the keys that both SHA methods share are told of under the other's name."""
    if not name.startswith("SHA"):
        return False
    wanted = chosen.value if chosen is not None and chosen.value in {"SHA256", "SHA512"} else None
    return name != (wanted or "SHA512")


def _unused(chosen: Entry | None, methods: Mapping[str, EncryptMethod]) -> str:
    if chosen is None:
        return "ENCRYPT_METHOD is not set, so passwords are hashed with DES"
    if chosen.value not in methods:
        return f"ENCRYPT_METHOD is {chosen.value[:20]}"
    return f"ENCRYPT_METHOD on line {chosen.line} is {chosen.value}"


def _used(
    scheme: Scheme, keys: tuple[str, ...], counts: Mapping[str, tuple[int, int]], line: int
) -> Found:
    ((param, limits),) = scheme.limits.items()
    if not counts:
        default = scheme.defaults[-1].params
        return Found(
            hasher=scheme.hasher,
            params=default,
            line=line,
            why=f"{' and '.join(keys)} not set: {default[param]}",
        )
    lowest = counts.get(keys[0], next(iter(counts.values())))
    highest = counts.get(keys[-1], lowest)
    why = ""
    if lowest[0] > highest[0]:
        why = f"{keys[0]} is above {keys[-1]}: the higher is used"
    elif lowest[0] < highest[0]:
        why = f"a random count from {lowest[0]} to {highest[0]}: the lower is judged"
    value = limits.nearest(lowest[0])
    return Found(
        hasher=scheme.hasher,
        params={param: value},
        line=lowest[1],
        why=why,
        written="" if value == lowest[0] else str(lowest[0]),
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

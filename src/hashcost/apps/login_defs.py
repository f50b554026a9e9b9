"""login.defs of shadow: what chgpasswd, gpasswd and newusers hash with, and pam_unix may."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from hashcost.apps.files.counts import whole_number
from hashcost.apps.interface import App, Default, Found, Limits, Scheme, Timing, Write
from hashcost.core.errors import UnreadableInputError
from hashcost.core.model import Params

_SALT = "shadow-maint/shadow, lib/salt.c"
_TRIED = "tried with chgpasswd of shadow 4.13 (Debian 12)"
_LIBCRYPT = Timing(implementation="libcrypt")

_LINE = re.compile(r"[ \t]*(?P<name>[A-Z0-9_]+)[ \t]+(?P<value>.+?)[ \t]*")
_OTHER_BASE = re.compile(r"0[xX](?P<hexadecimal>[0-9a-fA-F]{1,15})|0(?P<octal>[0-7]{1,18})")


@dataclass(frozen=True, kw_only=True)
class _Method:
    """What ENCRYPT_METHOD can say, and the keys that set its cost."""

    hasher: str
    param: str
    keys: tuple[str, ...]
    default: int
    limits: Limits


_SHA_KEYS = ("SHA_CRYPT_MIN_ROUNDS", "SHA_CRYPT_MAX_ROUNDS")
_SHA_LIMITS = Limits(minimum=1000, maximum=999_999_999, beyond="raised or cut to it")

_METHODS: Final[Mapping[str, _Method]] = {
    "SHA512": _Method(
        hasher="sha512-crypt", param="rounds", keys=_SHA_KEYS, default=5000, limits=_SHA_LIMITS
    ),
    "SHA256": _Method(
        hasher="sha256-crypt", param="rounds", keys=_SHA_KEYS, default=5000, limits=_SHA_LIMITS
    ),
    "YESCRYPT": _Method(
        hasher="yescrypt",
        param="cost",
        keys=("YESCRYPT_COST_FACTOR",),
        default=5,
        limits=Limits(minimum=1, maximum=11, beyond="raised or cut to it"),
    ),
    "BCRYPT": _Method(
        hasher="bcrypt",
        param="cost",
        keys=("BCRYPT_MIN_ROUNDS", "BCRYPT_MAX_ROUNDS"),
        default=13,
        limits=Limits(minimum=4, maximum=31, beyond="raised or cut to it"),
    ),
}

_PAM = (
    "where passwd and chpasswd go through PAM, pam_unix uses this only if its line names no"
    " method, and of the counts only SHA_CRYPT_MAX_ROUNDS"
)
_NO_BCRYPT = (
    "shadow must have been built with bcrypt; Debian's is not, and hashes with DES instead"
    f" ({_TRIED})"
)


def _writer(method: str, known: _Method) -> Write:
    def write(params: Params) -> str:
        lines = [
            f"ENCRYPT_METHOD {method}",
            *(f"{key} {params[known.param]}" for key in known.keys),
        ]
        return "".join(f"{line}\n" for line in lines)

    return write


@dataclass(frozen=True)
class _Setting:
    value: str
    line: int


def _settings(text: str) -> dict[str, _Setting]:
    """The last value of each name; shadow knows no comment behind a value and joins no lines."""
    found: dict[str, _Setting] = {}
    for number, line in enumerate(text.splitlines(), 1):
        match = _LINE.fullmatch(line)
        if match is not None:
            found[match["name"]] = _Setting(match["value"].strip(' \t"'), number)
    return found


def _read(text: str) -> tuple[Found, ...]:
    """The cost of the method that ENCRYPT_METHOD names, and those that it does not.

    Shadow draws a random count between the two keys: the lower one is found.
    """
    settings = _settings(text)
    chosen = settings.get("ENCRYPT_METHOD")
    found = []
    for name, method in _METHODS.items():
        used = chosen is not None and chosen.value == name
        counts = {key: _count(key, settings[key]) for key in method.keys if key in settings}
        if used and chosen is not None:
            found.append(_used(method, counts, chosen.line))
        elif counts and not (method.keys == _SHA_KEYS and _is_sha(chosen, name)):
            key = min(counts, key=lambda each: counts[each][1])
            found.append(
                Found(
                    hasher=method.hasher,
                    params={method.param: counts[key][0]},
                    line=counts[key][1],
                    wins=False,
                    why=_unused(chosen),
                )
            )
    return tuple(sorted(found, key=lambda each: each.line))


def _is_sha(chosen: _Setting | None, name: str) -> bool:
    """Whether the keys that both SHA methods share are told of under another name."""
    wanted = chosen.value if chosen is not None and chosen.value in {"SHA256", "SHA512"} else None
    return name != (wanted or "SHA512")


def _unused(chosen: _Setting | None) -> str:
    if chosen is None:
        return "ENCRYPT_METHOD is not set, so passwords are hashed with DES"
    if chosen.value not in _METHODS:
        return f"ENCRYPT_METHOD is {chosen.value[:20]}"
    return f"ENCRYPT_METHOD on line {chosen.line} is {chosen.value}"


def _used(method: _Method, counts: Mapping[str, tuple[int, int]], line: int) -> Found:
    if not counts:
        keys = " and ".join(method.keys)
        return Found(
            hasher=method.hasher,
            params={method.param: method.default},
            line=line,
            why=f"{keys} not set: {method.default}",
        )
    lowest = counts.get(method.keys[0], next(iter(counts.values())))
    highest = counts.get(method.keys[-1], lowest)
    why = ""
    if lowest[0] > highest[0]:
        why = f"{method.keys[0]} is above {method.keys[-1]}: the higher is used"
    elif lowest[0] < highest[0]:
        why = f"a random count from {lowest[0]} to {highest[0]}: the lower is judged"
    value = method.limits.nearest(lowest[0])
    return Found(
        hasher=method.hasher,
        params={method.param: value},
        line=lowest[1],
        why=why,
        written="" if value == lowest[0] else str(lowest[0]),
    )


def _count(name: str, setting: _Setting) -> tuple[int, int]:
    """The number and its line; shadow reads ``0x2000`` and ``020000`` too, as C has them."""
    other = _OTHER_BASE.fullmatch(setting.value)
    if other is not None:
        digits = other["hexadecimal"] or other["octal"]
        return int(digits, 16 if other["hexadecimal"] else 8), setting.line
    if "_" in setting.value:
        raise UnreadableInputError(f"line {setting.line}: {name} is no whole number")
    return whole_number(setting.value, name, setting.line), setting.line


def _scheme(method: str, *, note: str) -> Scheme:
    known = _METHODS[method]
    log2 = " (log2)" if method == "BCRYPT" else ""
    return Scheme(
        hasher=known.hasher,
        library="libcrypt",
        timing=_LIBCRYPT,
        keys={known.param: ", ".join(known.keys) + log2},
        limits={known.param: known.limits},
        write=_writer(method, known),
        defaults=(
            Default(
                since="", params={known.param: known.default}, source=f"{_SALT}; etc/login.defs"
            ),
        ),
        note=note,
    )


APP = App(
    name="login-defs",
    title="login.defs",
    schemes=(
        _scheme("YESCRYPT", note=_PAM),
        _scheme("SHA512", note=_PAM),
        _scheme("SHA256", note=_PAM),
        _scheme("BCRYPT", note=f"{_NO_BCRYPT}; {_PAM}"),
    ),
    comment="# {}",
    read=_read,
    places=("/etc/login.defs",),
    rehashes="never",
    sources=(_SALT, "login.defs(5)", _TRIED),
    note="chpasswd -c takes no count from here, but from its own -s (tried with shadow 4.13)",
)

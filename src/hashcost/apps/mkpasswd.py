"""mkpasswd of whois, which cloud-init and kickstart files are filled with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from hashcost.apps.files.commands import Command, commands, options
from hashcost.apps.files.counts import whole_number
from hashcost.apps.interface import App, Default, Found, Limits, Scheme, Timing, Write
from hashcost.core.errors import UnreadableInputError

_SOURCE = "rfc1036/whois, mkpasswd.c"
_TRIED = "tried with mkpasswd 5.5.17 (Debian 12)"
_LONG: Final = {
    "method": "m:",
    "salt": "S:",
    "rounds": "R:",
    "password-fd": "P:",
    "stdin": "s",
    "hash": "m:",
}


@dataclass(frozen=True, kw_only=True)
class _Method:
    """A method; a count of zero is the default."""

    hasher: str
    param: str
    default: int
    limits: Limits


def _sha(bits: int) -> _Method:
    limits = Limits(minimum=1000, maximum=999_999_999, beyond="raised or cut to it")
    return _Method(hasher=f"sha{bits}-crypt", param="rounds", default=5000, limits=limits)


_BCRYPT = _Method(
    hasher="bcrypt",
    param="cost",
    default=5,
    limits=Limits(minimum=5, maximum=31, beyond="5 is used below, refused above:"),
)
_YESCRYPT = _Method(
    hasher="yescrypt", param="cost", default=5, limits=Limits(minimum=1, maximum=11)
)
_METHODS: Final[Mapping[str, _Method]] = {
    "yescrypt": _YESCRYPT,
    "bcrypt": _BCRYPT,
    "bcrypt-a": _BCRYPT,
    "sha512crypt": _sha(512),
    "sha-512": _sha(512),
    "sha256crypt": _sha(256),
    "sha-256": _sha(256),
}


def _writer(name: str, method: _Method) -> Write:
    return lambda params: f"mkpasswd -m {name} -R {params[method.param]}\n"


def _read(text: str) -> tuple[Found, ...]:
    """What each call of mkpasswd hashes with."""
    return tuple(one for call in commands(text, "mkpasswd") for one in _of(call))


def _of(call: Command) -> list[Found]:
    given = dict(options(call, "m:S:R:P:", _LONG))
    if not given:
        return []  # Prose that names the program, or expect's of the same name.
    name = (given.get("m") or "yescrypt").lower()
    method = _METHODS.get(name)
    if method is None:
        return []
    written = given.get("R")
    if written is None:
        why = f"no -R: {method.default}"
        return [
            Found(
                hasher=method.hasher,
                params={method.param: method.default},
                line=call.line,
                why=why,
            )
        ]
    count = whole_number(written, "mkpasswd -R", call.line)
    used = method.limits.nearest(count) if count else method.default
    if method.param == "cost" and count > method.limits.maximum:
        raise UnreadableInputError(
            f"line {call.line}: mkpasswd refuses -R {count}; it ends at {method.limits.maximum}"
        )
    return [
        Found(
            hasher=method.hasher,
            params={method.param: used},
            line=call.line,
            why="" if used == count else f"mkpasswd takes {used} for it",
            written="" if used == count else f"-R {count}",
        )
    ]


def _scheme(name: str) -> Scheme:
    method = _METHODS[name]
    unit = " (log2)" if name == "bcrypt" else ""
    return Scheme(
        hasher=method.hasher,
        library="libcrypt",
        timing=Timing(implementation="libcrypt"),
        keys={method.param: f"-m {name} -R{unit}"},
        limits={method.param: method.limits},
        write=_writer(name, method),
        defaults=(Default(since="", params={method.param: method.default}, source=_SOURCE),),
    )


APP = App(
    name="mkpasswd",
    title="mkpasswd",
    schemes=tuple(_scheme(name) for name in ("yescrypt", "sha512crypt", "sha256crypt", "bcrypt")),
    comment="# {}",
    read=_read,
    places=("Dockerfile", "Makefile"),
    rehashes="never",
    sources=(_SOURCE, _TRIED),
    note="without -m it is yescrypt; cloud-init's hashed_passwd and kickstart's --iscrypted take"
    " what it prints",
)

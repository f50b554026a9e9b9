"""htpasswd, whose files Apache, nginx, Traefik and others read: ``htpasswd -B -C N``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from hashcost.apps.files.commands import Command, commands, options
from hashcost.apps.files.counts import whole_number
from hashcost.apps.interface import App, Default, Found, Limits, Scheme, Timing, Write
from hashcost.core.errors import UnreadableInputError

_SOURCE = "apache/httpd, support/htpasswd.c and support/passwd_common.h"
_TRIED = "tried with htpasswd 2.4.71 (Debian 12)"
_MEASURED = "measured 2026-11-20 with htpasswd 2.4.71 at costs 5 and 10, Intel Xeon: 1.00"


@dataclass(frozen=True, kw_only=True)
class _Method:
    """A flag that names a method, and the option that sets its cost."""

    hasher: str
    param: str
    option: str
    default: int
    limits: Limits


def _sha(bits: int) -> _Method:
    limits = Limits(
        minimum=1000, maximum=999_999_999, beyond="it stores *0, which no password matches,"
    )
    return _Method(
        hasher=f"sha{bits}-crypt", param="rounds", option="r", default=5000, limits=limits
    )


_METHODS: Final[Mapping[str, _Method | None]] = {
    "B": _Method(
        hasher="bcrypt",
        param="cost",
        option="C",
        default=5,
        limits=Limits(minimum=4, maximum=17),
    ),
    "5": _sha(512),
    "2": _sha(256),
    **dict.fromkeys("mdsp"),
}
"""Of several flags the last is used; none for those without a cost."""


def _writer(flag: str, method: _Method) -> Write:
    return lambda params: (
        f'htpasswd -{flag} -{method.option} {params[method.param]} .htpasswd "$USER"\n'
    )


def _read(text: str) -> tuple[Found, ...]:
    """What each call of htpasswd hashes with."""
    return tuple(one for call in commands(text, "htpasswd") for one in _of(call))


def _of(call: Command) -> list[Found]:
    given = list(options(call, "C:r:"))
    flags = [letter for letter, _ in given if letter in _METHODS]
    method = _METHODS[flags[-1]] if flags else None
    if method is None:
        return []
    written = [value for letter, value in given if letter == method.option and value is not None]
    if not written:
        return [
            Found(
                hasher=method.hasher,
                params={method.param: method.default},
                line=call.line,
                why=f"no -{method.option}: {method.default}",
            )
        ]
    count = whole_number(written[-1], f"htpasswd -{method.option}", call.line)
    if method.param == "rounds" and method.limits.nearest(count) != count:
        raise UnreadableInputError(
            f"line {call.line}: of {count} rounds htpasswd makes *0, which no password matches"
        )
    return [Found(hasher=method.hasher, params={method.param: count}, line=call.line)]


def _scheme(flag: str, *, timing: Timing, library: str, since: str) -> Scheme:
    method = _METHODS[flag]
    if method is None:
        raise KeyError(flag)
    unit = " (log2)" if flag == "B" else ""
    return Scheme(
        hasher=method.hasher,
        library=library,
        timing=timing,
        keys={method.param: f"-{flag} -{method.option}{unit}"},
        limits={method.param: method.limits},
        write=_writer(flag, method),
        defaults=(Default(since=since, params={method.param: method.default}, source=_SOURCE),),
    )


APP = App(
    name="htpasswd",
    title="htpasswd",
    schemes=(
        _scheme(
            "B",
            timing=Timing(implementation="libcrypt", source=_MEASURED),
            library="APR's crypt_blowfish",
            since="",
        ),
        _scheme("5", timing=Timing(implementation="libcrypt"), library="libcrypt", since=""),
        _scheme("2", timing=Timing(implementation="libcrypt"), library="libcrypt", since=""),
    ),
    comment="# {}",
    read=_read,
    places=("Dockerfile", "docker-compose.yml", "compose.yml", "Makefile"),
    rehashes="never",
    sources=(_SOURCE, _TRIED),
    note="the server verifies on every request that it has no cached answer for; older releases"
    " have no -2 and -5",
)

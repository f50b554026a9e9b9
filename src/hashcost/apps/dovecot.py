"""Dovecot: the hashes that ``doveadm pw -s … -r N`` makes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from hashcost.apps.files.commands import Command, commands, options
from hashcost.apps.files.counts import whole_number
from hashcost.apps.interface import App, Default, Found, Limits, Scheme, Timing, Write

_SOURCE = "dovecot/core, src/lib-auth/password-scheme-crypt.c and password-scheme-pbkdf2.c"
_TRIED = "tried with doveadm 2.3.19 (Debian 12)"
_CLAMPED = "raised or cut to it"
_MEASURED = "measured 2026-11-20 with doveadm 2.3.19, Intel Xeon,"


@dataclass(frozen=True, kw_only=True)
class _Method:
    """A password scheme; a count of zero is the default."""

    hasher: str
    param: str
    default: int
    limits: Limits
    library: str
    timing: Timing


def _sha(bits: int) -> _Method:
    return _Method(
        hasher=f"sha{bits}-crypt",
        param="rounds",
        default=5000,
        limits=Limits(minimum=1000, maximum=999_999_999, beyond=_CLAMPED),
        library="libcrypt",
        timing=Timing(implementation="libcrypt"),
    )


_BLOWFISH = _Method(
    hasher="bcrypt",
    param="cost",
    default=5,
    limits=Limits(minimum=4, maximum=31, beyond=_CLAMPED),
    library="Dovecot's crypt_blowfish",
    timing=Timing(
        implementation="libcrypt",
        factor=0.97,
        source=f"{_MEASURED} at costs 5 and 10",
    ),
)
_METHODS: Final[Mapping[str, _Method]] = {
    "BLF-CRYPT": _BLOWFISH,
    "SHA512-CRYPT": _sha(512),
    "SHA256-CRYPT": _sha(256),
    "PBKDF2": _Method(
        hasher="pbkdf2-sha1",
        param="iterations",
        default=5000,
        limits=Limits(minimum=1, maximum=2**31 - 1),
        library="Dovecot's own PBKDF2 (src/lib/pkcs5.c)",
        timing=Timing(
            implementation="hashlib",
            factor=2.7,
            source=f"{_MEASURED} at 50000 and 200000 iterations beside OpenSSL 3.0.22:"
            " 2.65 and 2.73",
        ),
    ),
    "CRYPT": _BLOWFISH,
}


def _writer(name: str, method: _Method) -> Write:
    return lambda params: f"doveadm pw -s {name} -r {params[method.param]}\n"


def _read(text: str) -> tuple[Found, ...]:
    """What each call of doveadm pw hashes with; no setting of Dovecot holds a cost."""
    return tuple(one for call in commands(text, "doveadm") for one in _of(call))


def _of(call: Command) -> list[Found]:
    if "pw" not in call.words[:6]:
        return []
    at = call.words.index("pw")
    rest = Command(call.words[at + 1 :], call.line)
    given = dict(options(rest, "p:r:s:u:t:"))
    if "t" in given or "l" in given:
        return []
    method = _METHODS.get((given.get("s") or "CRYPT").upper().partition(".")[0])
    if method is None:
        return []
    written = given.get("r")
    if written is None:
        count, why, shown = method.default, f"no -r: {method.default}", ""
    else:
        asked = whole_number(written, "doveadm pw -r", call.line)
        count = method.limits.nearest(asked) if asked else method.default
        shown = "" if count == asked else f"-r {asked}"
        why = f"doveadm takes {count} for it" if shown else ""
    return [
        Found(
            hasher=method.hasher,
            params={method.param: count},
            line=call.line,
            why=why,
            written=shown,
        )
    ]


def _scheme(name: str) -> Scheme:
    method = _METHODS[name]
    unit = " (log2)" if method is _BLOWFISH else ""
    return Scheme(
        hasher=method.hasher,
        library=method.library,
        timing=method.timing,
        keys={method.param: f"doveadm pw -s {name} -r{unit}"},
        limits={method.param: method.limits},
        write=_writer(name, method),
        defaults=(Default(since="", params={method.param: method.default}, source=_SOURCE),),
    )


APP = App(
    name="dovecot",
    title="Dovecot",
    schemes=tuple(
        _scheme(name) for name in ("BLF-CRYPT", "SHA512-CRYPT", "SHA256-CRYPT", "PBKDF2")
    ),
    comment="# {}",
    read=_read,
    places=("Makefile", "Dockerfile"),
    rehashes="never",
    sources=(_SOURCE, _TRIED),
    note="no setting holds a cost: default_pass_scheme (2.3) and passdb_default_password_scheme"
    " (2.4) tell how a hash without {SCHEME} is read. SCRAM stays at 4096 whatever -r is, and"
    f" with ARGON2ID -r picks the memory too ({_TRIED})",
)

"""pam_unix: the options of its line in a PAM service file, such as ``sha512 rounds=N``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from hashcost.apps.files.candidates import last_wins
from hashcost.apps.files.pam import Module, modules
from hashcost.apps.interface import App, Default, Found, Limits, Scheme, Timing, Write

_SUPPORT = "linux-pam/linux-pam, modules/pam_unix/support.c"
_TRIED = "tried with pamtester and pam_unix 1.5.2 (Debian 12)"
_LIBCRYPT = Timing(implementation="libcrypt")
_NOTE = "put the options on the pam_unix.so line that the password stack has, and keep its control"


@dataclass(frozen=True, kw_only=True)
class _Method:
    """An option that names a method; ``outside`` is the count that a bad one becomes."""

    hasher: str
    param: str
    limits: Limits
    outside: int
    above: int

    def count(self, written: int) -> int:
        """What pam_unix makes of a count."""
        if written < self.limits.minimum:
            return self.outside
        return written if written <= self.limits.maximum else self.above


def _sha(bits: int) -> _Method:
    return _Method(
        hasher=f"sha{bits}-crypt",
        param="rounds",
        limits=Limits(
            minimum=1000, maximum=9_999_999, beyond="5000 is used below and 9999999 above"
        ),
        outside=5000,
        above=9_999_999,
    )


def _small(hasher: str, minimum: int, maximum: int) -> _Method:
    return _Method(
        hasher=hasher,
        param="cost",
        limits=Limits(minimum=minimum, maximum=maximum, beyond="5 is used instead"),
        outside=5,
        above=5,
    )


_METHODS: Final[Mapping[str, _Method | None]] = {
    "md5": None,
    "bigcrypt": None,
    "sha256": _sha(256),
    "sha512": _sha(512),
    "blowfish": _small("bcrypt", 4, 31),
    "gost_yescrypt": _small("gost-yescrypt", 3, 11),
    "yescrypt": _small("yescrypt", 3, 11),
}
"""None for a method without a count. pam_unix compares the beginning of a word alone."""

_ROUNDS = re.compile(r"rounds=\s*(?P<count>\+?[0-9]{1,12})?.*", re.DOTALL)


def _writer(option: str, param: str) -> Write:
    return lambda params: f"password required pam_unix.so {option} shadow rounds={params[param]}\n"


def _read(text: str) -> tuple[Found, ...]:
    """What each pam_unix line of a password stack sets."""
    stack = [each for each in modules(text) if each.kind in {"password", ""}]
    found = [one for each in stack for one in _of(each)]
    found = list(last_wins(found, "each pam_unix.so line that is reached hashes anew"))
    elsewhere = [each for each in stack if each.control in {"include", "substack"}]
    if found and elsewhere and elsewhere[-1].line > found[-1].line:
        last = elsewhere[-1]
        why = f"unless {last.name[:40]}, included on line {last.line}, has another"
        found[-1] = replace(found[-1], why="; ".join(filter(None, (found[-1].why, why))))
    return tuple(found)


def _of(module: Module) -> list[Found]:
    if module.name != "pam_unix.so":
        return []
    names = [name for word in module.options for name in _METHODS if word.startswith(name)]
    method = _METHODS[names[-1]] if names else None
    if method is None:
        return []
    written = _rounds(module)
    if written is None:
        why = f"no rounds=: {method.outside}"
        if method.param == "rounds":
            why += ", or SHA_CRYPT_MAX_ROUNDS of login.defs where that has an ENCRYPT_METHOD"
        return [_found(method, method.outside, module.line, why=why)]
    count = method.count(written)
    shown = "" if count == written else f"rounds={written}"
    why = f"pam_unix takes {count} for it" if shown else ""
    return [_found(method, count, module.line, why=why, written=shown)]


def _found(method: _Method, count: int, line: int, *, why: str, written: str = "") -> Found:
    return Found(
        hasher=method.hasher, params={method.param: count}, line=line, why=why, written=written
    )


def _rounds(module: Module) -> int | None:
    """The last count; what stands behind its digits is not looked at."""
    matches = [match for word in module.options if (match := _ROUNDS.fullmatch(word))]
    return int(matches[-1]["count"] or 0) if matches else None


def _scheme(option: str, *, default: int) -> Scheme:
    method = _METHODS[option]
    if method is None:
        raise KeyError(option)
    log2 = " (log2)" if option == "blowfish" else ""
    return Scheme(
        hasher=method.hasher,
        library="libcrypt",
        timing=_LIBCRYPT,
        keys={method.param: f"{option} rounds={log2}"},
        limits={method.param: method.limits},
        write=_writer(option, method.param),
        defaults=(Default(since="", params={method.param: default}, source=_SUPPORT),),
        note=_NOTE,
    )


APP = App(
    name="pam-unix",
    title="pam_unix",
    schemes=(
        _scheme("yescrypt", default=5),
        _scheme("sha512", default=5000),
        _scheme("sha256", default=5000),
        _scheme("blowfish", default=5),
    ),
    comment="# {}",
    read=_read,
    places=("/etc/pam.d/common-password", "/etc/pam.d/system-auth", "/etc/pam.d/passwd"),
    rehashes="never",
    sources=(_SUPPORT, "pam_unix(8)", _TRIED),
    note="pam_unix.so options are compared in lower case",
)

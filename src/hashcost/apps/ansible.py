"""Ansible: the rounds that the filter ``password_hash`` is given."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from hashcost.apps.files.acceptance import with_refusals
from hashcost.apps.files.counts import whole_number
from hashcost.apps.files.jinja import Filter, filters, unquoted, values
from hashcost.apps.interface import App, Default, Found, Limits, Scheme, Timing, Write
from hashcost.core.errors import UnreadableInputError
from hashcost.core.model import Params
from hashcost.source_code.values import shown

_FILTER: Final = "password_hash"
_SOURCE: Final = "ansible/ansible, lib/ansible/utils/encrypt.py"
_NAMES: Final = {
    "sha512": "sha512-crypt",
    "sha512_crypt": "sha512-crypt",
    "sha256": "sha256-crypt",
    "sha256_crypt": "sha256-crypt",
    "bcrypt": "bcrypt",
    "blowfish": "bcrypt",
    "yescrypt": "yescrypt",
}
_PARAMS: Final = {
    "sha512-crypt": "rounds",
    "sha256-crypt": "rounds",
    "bcrypt": "cost",
    "yescrypt": "cost",
}
_LIBCRYPT: Final = Timing(implementation="libcrypt")
_DEFAULTED: Final = re.compile(
    r"(?P<name>[A-Za-z_]\w{0,99})\s*\|\s*(?:d|default)\(\s*(?P<value>[^(),]{1,99})[^()]*\)"
    r"(?:\s*\|\s*int)?"
)
_NAME: Final = re.compile(r"(?P<name>[A-Za-z_]\w{0,99})(?:\s*\|\s*int)?")


def _writer(name: str) -> Write:
    def write(params: Params) -> str:
        (rounds,) = params.values()
        call = f"{_FILTER}('{name}', rounds={rounds})"
        return f'hashed_password: "{{{{ password | {call} }}}}"\n'

    return write


def _read(text: str) -> tuple[Found, ...]:
    """Every use of the filter; each hashes what it is given."""
    variables = values(text)
    found = [_of_filter(each, variables) for each in filters(text, _FILTER)]
    kept = tuple(each for each in found if each is not None)
    return with_refusals(kept, APP.schemes, "Ansible")


def _of_filter(used: Filter, variables: Mapping[str, tuple[str, int]]) -> Found | None:
    """``password_hash(hashtype, salt, salt_size, rounds, ident)``; none where it has no cost."""
    given = used.positional[0] if used.positional else used.keywords.get("hashtype", "'sha512'")
    kind = _text(given, variables, used.line)
    hasher = _NAMES.get(kind)
    if hasher is None:
        raise UnreadableInputError(
            f"line {used.line}: {_FILTER} with {shown(kind)!r}, which has no cost known here"
        )
    written = used.positional[3] if len(used.positional) > 3 else used.keywords.get("rounds")
    if written is None or written.lower() in ("none", "null", "omit"):
        why = "it has Ansible's default"
        return Found(hasher=hasher, params={}, line=used.line, why=why)
    rounds, line, why = _number(written, variables, used.line)
    if not rounds:
        why = "Ansible takes 0 for its default"
        return Found(hasher=hasher, params={}, line=line, why=why, written="0")
    held = _held(hasher, rounds)
    if held != rounds:
        why = "; ".join(
            filter(
                None,
                (why, f"libxcrypt makes {held} of it; Ansible before 2.21 refuses it"),
            )
        )
    return Found(
        hasher=hasher,
        params={_PARAMS[hasher]: held},
        line=line,
        why=why,
        written="" if held == rounds else str(rounds),
    )


def _held(hasher: str, rounds: int) -> int:
    """What libxcrypt's ``crypt_gensalt`` makes of a count."""
    return min(max(rounds, 1000), 999_999_999) if hasher.startswith("sha") else rounds


def _text(written: str, variables: Mapping[str, tuple[str, int]], line: int) -> str:
    text = unquoted(written)
    if text is None and written in variables:
        text = variables[written][0]
    if text is None:
        raise UnreadableInputError(
            f"line {line}: {_FILTER} has {shown(written)}, which only Ansible can tell"
        )
    return text


def _number(
    written: str, variables: Mapping[str, tuple[str, int]], line: int
) -> tuple[int, int, str]:
    """A count, the line that it is on, and what it depends on."""
    plain = unquoted(written) or written
    defaulted, named = _DEFAULTED.fullmatch(plain), _NAME.fullmatch(plain)
    match = named or defaulted
    name = match["name"] if match is not None else ""
    if name in variables:
        text, where = variables[name]
        return whole_number(text, name, where), where, f"unless {name} is set elsewhere"
    if defaulted is not None:
        text = unquoted(defaulted["value"].strip()) or defaulted["value"]
        return whole_number(text, "rounds", line), line, f"unless {name} is set elsewhere"
    if named is not None:
        raise UnreadableInputError(f"line {line}: rounds is {shown(name)}, which this file lacks")
    return whole_number(plain, "rounds", line), line, ""


def _scheme(hasher: str, name: str, default: int, limits: Limits, note: str = "") -> Scheme:
    param = _PARAMS[hasher]
    unit = " (log2)" if hasher == "bcrypt" else ""
    return Scheme(
        hasher=hasher,
        library="libcrypt",
        timing=_LIBCRYPT,
        keys={param: f"{_FILTER}('{name}', rounds=){unit}"},
        limits={param: limits},
        write=_writer(name),
        defaults=(
            Default(
                since="2.21" if hasher == "yescrypt" else "2.16",
                params={param: default},
                source=_SOURCE,
            ),
        ),
        note=note,
    )


_SLOWER: Final = (
    "ansible-core before 2.21 hashes with passlib, which takes about 1.5 times as long"
    " (sha512-crypt, 100,000 rounds, on an AMD EPYC: 57.9 ms instead of 37.2)"
)
_ROUNDS: Final = Limits(minimum=1000, maximum=999_999_999, beyond="clamped by libxcrypt")

APP = App(
    name="ansible",
    title="Ansible",
    schemes=(
        _scheme("sha512-crypt", "sha512", 656_000, _ROUNDS, note=_SLOWER),
        _scheme("sha256-crypt", "sha256", 535_000, _ROUNDS, note=_SLOWER),
        _scheme("bcrypt", "bcrypt", 12, Limits(minimum=4, maximum=31)),
        _scheme(
            "yescrypt",
            "yescrypt",
            5,
            Limits(minimum=1, maximum=11),
            note="needs ansible-core 2.21, libxcrypt, and a controller without passlib",
        ),
    ),
    comment="# {}",
    read=_read,
    places=("group_vars/all.yml", "site.yml", "playbook.yml"),
    rehashes="with every run that sets the password",
    sources=(_SOURCE, "ansible/ansible, lib/ansible/plugins/filter/core.py"),
    package="ansible-core",
)

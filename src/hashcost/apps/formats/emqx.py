"""EMQX: the authenticators in its HOCON, and in the variables that override it."""

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from hashcost.apps.formats.settings import NamedSettings, last_of_each, longer_key, setting, shown
from hashcost.apps.found import Costs, Found
from hashcost.apps.hocon import hocon_values
from hashcost.apps.interface import App
from hashcost.apps.text import blocks_of, costs_apart
from hashcost.apps.yaml_values import Path, Scalar, Scalars
from hashcost.core.algorithms import DIGEST_BYTES
from hashcost.core.text import joined

_ALGORITHM: Final = "password_hash_algorithm"
_LIST: Final = "authentication"
"""The end of the key of a list of authenticators, also in a variable's name."""
_UNREAD: Final = "unread"
"""Stands for the key of a whole authenticator, or of a list of them, that is not read."""
_OWN_DATABASE: Final = "built_in_database"
_BACKENDS: Final = frozenset({_OWN_DATABASE, "mysql", "postgresql", "mongodb", "redis"})
"""The ones with an algorithm (emqx_authn_password_hashing.erl, type_rw and type_ro)."""
_OTHERS: Final = frozenset({"mechanism", "backend", "enable", "algorithm", "iteration_count"})
"""Further keys of an authenticator that matter."""
_VARIABLE: Final = re.compile(r"\$\{\??(?P<path>[^{}?]+)\}")
_SCRAM_DEFAULT: Final = 4096
"""emqx_authn_scram_mnesia_schema.erl, iteration_count."""
_PBKDF2: Final = "pbkdf2-"


class Authenticators(NamedSettings, frozen=True):
    """Each authenticator that hashes passwords, or reads the hashes of another database."""

    def read(self, app: App, text: str) -> Costs:
        """The cost of each authenticator, by itself."""
        authenticators = last_of_each(_settings(text))
        return costs_apart(lambda one: self._judged(app, one), authenticators, _disabled)

    def _judged(self, app: App, authenticator: Scalars) -> Costs:
        """The cost of an authenticator, whether it is enabled or not."""
        unread = setting(authenticator, _UNREAD)
        whole = setting(authenticator, _ALGORITHM)
        backend = setting(authenticator, "backend")
        mechanism = setting(authenticator, "mechanism")
        if unread is not None:
            yield _of_unread(unread)
        # A text or a variable in place of the object may have any algorithm in it.
        elif whole is not None:
            why = f"{_ALGORITHM} is {shown(whole)!r}, which is not read here"
            yield Found.undetermined(whole.line, why)
        elif mechanism is not None and mechanism.text == "scram":
            yield _of_scram(authenticator, mechanism.line)
        elif any(value.name.startswith(_ALGORITHM) for value in authenticator):
            yield from self._of_algorithm(app, authenticator, backend)
        # The schema has sha256 for a default, of databases that only others write to, too.
        elif backend is not None and backend.text in _BACKENDS:
            why = f"without {_ALGORITHM} it is one SHA-256"
            yield Found.unfit("one SHA-256", backend.line, why)
        # Only EMQX knows which database a variable names.
        elif backend is not None and _VARIABLE.fullmatch(backend.text):
            why = f"backend is {shown(backend)!r}, which is not read here"
            yield Found.undetermined(backend.line, why)

    def _of_algorithm(self, app: App, authenticator: Scalars, backend: Scalar | None) -> Costs:
        """The cost that ``password_hash_algorithm`` sets."""
        key_length = setting(authenticator, f"{_ALGORITHM}.dk_length")
        for cost in self.costs(app, authenticator):
            # bcrypt's cost is read from each hash; PBKDF2's is the one that is set here.
            is_elsewhere = backend is not None and backend.text != _OWN_DATABASE
            if cost.hasher == "bcrypt" and cost.wins and is_elsewhere:
                why = "another database has the hashes, and each has its own cost"
                cure = "count its hashes: `calibrate audit --database URL --query QUERY`"
                yield Found.undetermined(cost.line, why, cost.hasher, cure)
            elif key_length is not None and cost.hasher.startswith(_PBKDF2):
                yield _with_length(cost, key_length.number())
            else:
                yield cost


def _of_unread(value: Scalar) -> Found:
    """Say that authenticators are not read, without a text that may hold a secret."""
    what = "one text"
    if _VARIABLE.fullmatch(value.text):
        what = shown(value)
    return Found.undetermined(value.line, f"{_LIST} is {what}, which is not read here")


def _disabled(authenticator: Scalars) -> str:
    """Say which line disables an authenticator; empty if it is enabled."""
    enable = setting(authenticator, "enable")
    if enable is None or enable.text != "false":
        return ""
    return f"line {enable.line} disables it"


def _with_length(cost: Found, key_bytes: int) -> Found:
    """The cost of PBKDF2 with a key of so many bytes."""
    digest = cost.hasher.removeprefix(_PBKDF2)
    blocks = blocks_of(key_bytes, DIGEST_BYTES[digest])
    why = cost.why
    if blocks > 1:
        why = joined(why, f"{longer_key(key_bytes, blocks)}; leave out dk_length")
    return replace(cost, blocks=blocks, why=why)


def _of_scram(authenticator: Scalars, line: int) -> Found:
    """The cost of SCRAM, which is one of PBKDF2 (RFC 5802, section 3)."""
    digest = "sha256"
    named = setting(authenticator, "algorithm")
    if named is not None:
        digest = named.text
    hasher = f"{_PBKDF2}{digest}"[:40]
    count = setting(authenticator, "iteration_count")
    if count is None:
        why = f"SCRAM without iteration_count: {_SCRAM_DEFAULT}"
        return Found(hasher=hasher, params={"iterations": _SCRAM_DEFAULT}, line=line, why=why)
    return Found(
        hasher=hasher,
        params={"iterations": count.number()},
        line=count.line,
        why=joined("SCRAM", count.why),
        environment=count.variable,
    )


def _settings(text: str) -> Iterator[tuple[Path, Scalar]]:
    """List the settings of authenticators, each with the path of its own."""
    values = list(hocon_values(text))
    texts = {value.path: value.text for value in values if value.wins}
    paths = sorted(texts)
    for value in values:
        end = len(value.path) - 1
        name = value.path[-1]
        if _ALGORITHM in value.path:
            end = value.path.index(_ALGORITHM)
        elif _is_unread(value, paths):
            end += 1
        elif name not in _OTHERS:
            continue
        own = replace(value, path=value.path[end:] or (_UNREAD,))
        own = replace(own, text=_filled_in(value.text, texts)).resolved()
        yield value.path[:end], own


def _is_unread(value: Scalar, paths: Sequence[Path]) -> bool:
    """Tell whether a text or a variable stands for authenticators that are not in the file itself.

    ``paths`` are those of all values, in order.
    """
    *_, above, name = ("", *map(str, value.path))
    is_element = name.isdigit() and above.endswith(_LIST)
    if not (name.endswith(_LIST) or is_element):
        return False
    variable = _VARIABLE.fullmatch(value.text)
    if variable is None:
        return value.text.startswith(("[", "{", "$"))
    target = _path_of(variable)
    after = bisect_left(paths, target)
    following = paths[after : after + 1]
    return not following or following[0][: len(target)] != target


def _filled_in(text: str, texts: Mapping[Path, str]) -> str:
    """The text, or what the file has for the variable that it is."""
    variable = _VARIABLE.fullmatch(text)
    if variable is None:
        return text
    # EMQX looks it up in its configuration, not in the environment (hocon.erl, lookup).
    return texts.get(_path_of(variable), text)


def _path_of(variable: re.Match[str]) -> Path:
    return tuple(variable["path"].lower().split("."))

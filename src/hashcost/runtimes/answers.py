"""What every library of another runtime computes, or verifies, before it is timed."""

import tomllib
from functools import cache
from importlib.resources import files

import msgspec

from hashcost.core.measurement import Params
from hashcost.hashers.interface import KnownAnswer, StoredAnswer
from hashcost.runtimes.outputs import KEY_BYTES, argon2_setting, argon2_text


class _Written(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A hash of the file's password and salt: a crypt string, or a key in hexadecimal."""

    params: Params
    output: str


class _File(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    source: str
    password: str
    salt: str
    hashers: dict[str, tuple[_Written, ...]]


@cache
def _file() -> _File:
    text = files("hashcost.runtimes").joinpath("answers.toml").read_text("utf-8")
    return msgspec.convert(tomllib.loads(text), _File)


def known_answers(hasher: str) -> tuple[KnownAnswer, ...]:
    """A hash at each of two costs."""
    written = _file()
    return tuple(
        KnownAnswer(
            password=written.password.encode(),
            salt=written.salt.encode(),
            params=each.params,
            output=bytes.fromhex(each.output) if hasher in KEY_BYTES else each.output.encode(),
            source=written.source,
        )
        for each in written.hashers[hasher]
    )


def stored_answers(hasher: str) -> tuple[StoredAnswer, ...]:
    """The same as they are stored, for a library that chooses its own salt."""
    return tuple(
        StoredAnswer(password=each.password, stored=_stored(hasher, each), source=each.source)
        for each in known_answers(hasher)
    )


def _stored(hasher: str, answer: KnownAnswer) -> bytes:
    if hasher != "argon2id":
        return answer.output
    return argon2_setting(answer.params) + argon2_text(answer.salt, answer.output)

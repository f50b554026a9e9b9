"""Werkzeug: the method that ``generate_password_hash`` is given."""

from __future__ import annotations

from typing import Final

from hashcost.apps.files.acceptance import with_refusals
from hashcost.apps.files.counts import whole_number
from hashcost.apps.files.unique import unique
from hashcost.apps.interface import App, Default, Found, Scheme, Write
from hashcost.apps.libraries import (
    HASHLIB,
    MAXMEM_LIMIT,
    PBKDF2_LIMITS,
    SCRYPT_LIMITS,
    scrypt_bytes,
    scrypt_refusal,
)
from hashcost.core.errors import UnreadableInputError
from hashcost.core.model import Params
from hashcost.source_code.python_calls import calls_named, require_whole
from hashcost.source_code.python_file import Called
from hashcost.source_code.python_statements import read_python
from hashcost.source_code.values import Value, shown

_SOURCE: Final = "pallets/werkzeug, src/werkzeug/security.py"
_FUNCTION: Final = "generate_password_hash"
_DIGESTS: Final = ("sha256", "sha512", "sha1")


def _snippet(method: str) -> str:
    return (
        "from functools import partial\n\n"
        "from werkzeug import security\n\n"
        "generate_password_hash = partial(\n"
        f'    security.{_FUNCTION}, method="{method}"\n'
        ")\n"
    )


def _write_scrypt(params: Params) -> str:
    return _snippet(f"scrypt:{params['n']}:{params['r']}:{params['p']}")


def _pbkdf2_writer(digest: str) -> Write:
    return lambda params: _snippet(f"pbkdf2:{digest}:{params['iterations']}")


def refuses(params: Params) -> str:
    """Why Werkzeug's own ``maxmem``, 132 n r p, is refused or does not do."""
    if params["n"] & (params["n"] - 1):
        return "n is to be a power of 2"
    maxmem = 132 * params["n"] * params["r"] * params["p"]
    if maxmem > MAXMEM_LIMIT:
        return f"its maxmem, 132 n r p, is {maxmem:,}, and hashlib's limit {MAXMEM_LIMIT:,}"
    if scrypt_bytes(params) > maxmem:
        return f"its maxmem, 132 n r p, is {maxmem:,}, and it needs {scrypt_bytes(params):,}"
    return scrypt_refusal(params, maxmem)


def _read(text: str) -> tuple[Found, ...]:
    """The method of every call in the file."""
    called = calls_named(
        read_python(text), (_FUNCTION,), of="werkzeug", but_not=("bcrypt", "argon2")
    )
    return with_refusals(unique(_of_call(each) for each in called), APP.schemes, "Werkzeug")


def _of_call(called: Called) -> Found:
    value = called.call.argument("method", 1)
    if value is None:
        require_whole(called.call, "a method")
        value = Value("scrypt", called.call.line, ("it has Werkzeug's default",))
    if not isinstance(value.data, str):
        raise UnreadableInputError(
            f"line {value.line}: the method of {_FUNCTION} is no text that can be read"
        )
    hasher, params = _method(value.data, value.line)
    return Found(
        hasher=hasher,
        params=params,
        line=value.line,
        wins=not called.apart,
        why=called.apart or value.why,
    )


def _method(text: str, line: int) -> tuple[str, Params]:
    name, *rest = text.split(":")
    if name == "scrypt" and len(rest) in (0, 3):
        return name, {
            param: whole_number(part, f"{param} of the method", line)
            for param, part in zip(("n", "r", "p"), rest, strict=False)
        }
    if name == "pbkdf2" and len(rest) <= 2 and (not rest or rest[0] in _DIGESTS):
        digest, *count = rest or ["sha256"]
        numbers = [whole_number(each, "the method's count", line) for each in count]
        return f"pbkdf2-{digest}", dict(zip(("iterations",), numbers, strict=False))
    raise UnreadableInputError(
        f"line {line}: Werkzeug takes no method {shown(text)!r}, or it has no cost"
    )


def _pbkdf2(digest: str) -> Scheme:
    return Scheme(
        hasher=f"pbkdf2-{digest}",
        library="hashlib.pbkdf2_hmac",
        timing=HASHLIB,
        keys={"iterations": f"method pbkdf2:{digest}:iterations"},
        limits=PBKDF2_LIMITS,
        write=_pbkdf2_writer(digest),
        defaults=(
            Default(since="2.3", params={"iterations": 600_000}, source=_SOURCE),
            Default(since="3.1", params={"iterations": 1_000_000}, source=_SOURCE),
        ),
    )


APP = App(
    name="werkzeug",
    title="Werkzeug",
    schemes=(
        Scheme(
            hasher="scrypt",
            library="hashlib.scrypt",
            timing=HASHLIB,
            keys={
                "n": "method scrypt:n:r:p (N itself)",
                "r": "method scrypt:n:r:p",
                "p": "method scrypt:n:r:p",
            },
            limits=SCRYPT_LIMITS,
            write=_write_scrypt,
            defaults=(Default(since="2.3", params={"n": 2**15, "r": 8, "p": 1}, source=_SOURCE),),
            refuses=refuses,
        ),
        *(_pbkdf2(digest) for digest in _DIGESTS),
    ),
    comment="# {}",
    read=_read,
    places=("app.py", "*/auth.py", "*/models.py"),
    rehashes="never: hash the password again where check_password_hash has verified it",
    sources=(_SOURCE,),
    package="werkzeug",
    note="the default is scrypt since 3.0; 2.3 hashed with pbkdf2:sha256 unless told otherwise",
)

"""Werkzeug: the method that ``generate_password_hash`` is given."""

from typing import Final

from hashcost.apps.files.acceptance import with_refusals
from hashcost.apps.files.candidates import unique
from hashcost.apps.files.counts import whole_number
from hashcost.apps.interface import App, Found
from hashcost.core.errors import UntoldError
from hashcost.core.measurement import Params
from hashcost.source_code.python.calls import calls_named, require_whole
from hashcost.source_code.python.file import Called
from hashcost.source_code.python.statements import read_python
from hashcost.source_code.values import Value, shown

_FUNCTION: Final = "generate_password_hash"
_UNFIT: Final = ("plain", "md5", "sha1", "sha224", "sha256", "sha384", "sha512")
_DIGESTS: Final = ("sha256", "sha512", "sha1")


def read(app: App, text: str) -> tuple[Found, ...]:
    """The method of every call in the file."""
    called = calls_named(
        read_python(text), (_FUNCTION,), of="werkzeug", but_not=("bcrypt", "argon2")
    )
    return with_refusals(unique(_of_call(each) for each in called), app)


def _of_call(called: Called) -> Found:
    value = called.call.argument("method", 1)
    if value is None:
        require_whole(called.call, "a method")
        value = Value("scrypt", called.call.line, ("it has Werkzeug's default",))
    if not isinstance(value.data, str):
        raise UntoldError(value.line, f"the method of {_FUNCTION} is not a text that can be read")
    if value.data.partition(":")[0] in _UNFIT:
        why = f"the method {value.data[:20]} makes one digest, or keeps the password itself"
        return Found.unfit(value.data[:20], value.line, why).unless(called.apart)
    hasher, params = _method(value.data, value.line)
    found = Found(hasher=hasher, params=params, line=value.line, why=value.why)
    return found.unless(called.apart)


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
    raise UntoldError(line, f"Werkzeug takes no method {shown(text)!r}, or it has no cost")

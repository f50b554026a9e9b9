"""Hash a random password that nobody knows, to check logins of unknown users against."""

import secrets
from typing import Final

from hashcost.apps.schemes import Scheme
from hashcost.core.errors import WrongAnswerError
from hashcost.core.measurement import Params
from hashcost.hashers.interface import check_known_answers, check_output
from hashcost.hashers.registry import candidates, load_first, select
from hashcost.runtimes.answers import argon2_string
from hashcost.stored.formats.registry import read

_SALT_BYTES: Final = 16
_REST: Final = "<rest>"


def dummy_hash(scheme: Scheme, params: Params) -> str:
    """A hash at this cost, in the format that the application stores.

    Raises:
        UnavailableError: no library here computes it.
        WrongAnswerError: it does not read back as a hash at this cost.
    """
    [implementations] = select([scheme.hasher], every_implementation=False, available=candidates())
    _, hasher = load_first(implementations)
    check_known_answers(hasher)
    salt = secrets.token_bytes(_SALT_BYTES)
    # Nothing keeps it, and bcrypt reads all of its 43 characters.
    password = secrets.token_urlsafe().encode()
    call = hasher.ready(password, salt, params)
    output = check_output(call, call.run(), where="of a random password")
    crypt_string = output
    if scheme.hasher == "argon2id":
        crypt_string = argon2_string(params, salt, output)
    # Applications name the algorithm in ways of their own, such as `$2y$`.
    _, _, rest = crypt_string.decode("ascii").split("$", 2)
    written = scheme.stored.replace(_REST, rest)
    reading = read(written)
    if (reading.hasher, reading.params) != (scheme.hasher, params):
        raise WrongAnswerError(f"{scheme.hasher}: the dummy hash does not read back at its cost")
    return written

"""Salts that are given in place of a cost, or name it."""

import re
from typing import Final

from hashcost.source_code.costs import Unresolved
from hashcost.source_code.names import is_of_settings
from hashcost.source_code.values import Value, described

_BCRYPT_SALT: Final = re.compile(r"\$2[abxy]?\$([0-9]{2})\$")
_SALT: Final = re.compile(r"salt(?:_?a?sync)?(?:\([^()]*+\))?\W*$", re.IGNORECASE)
"""The end of an expression that makes a salt, or has its name."""
_AS_BYTES: Final = re.compile(r"\.encode\([^()]*+\)$")
"""The end of a text of Python that is written as bytes."""
_MAY_BE_SALT: Final = re.compile(r"salt|secret|pepper|hash|passw|seed|stored", re.IGNORECASE)
"""A word in the name of what may be a salt, or a hash to compare with, in its place."""
_OF_ROUNDS: Final = re.compile(r"round|cost|factor|strength|iter|work|level|[0-9]", re.IGNORECASE)
"""A word for a number of rounds, or for their exponent, in a name."""
_MARKS: Final = ("$", "_")
"""The beginnings of salts that name their method; ``_`` is that of extended DES."""


def cost_in_salt(text: str) -> int:
    """Read the cost of a salt of bcrypt that the source writes out.

    Raises:
        Unresolved: it names no cost; the message has no part of the salt.
    """
    salt = _BCRYPT_SALT.match(text)
    if salt is None:
        raise Unresolved("its salt is a text of the source that names no cost")
    return int(salt[1])


def is_salt(value: Value) -> bool:
    """Tell whether a value that is not known is called a salt."""
    return bool(_SALT.search(described(value.data)))


def is_salt_of_settings(value: Value) -> bool:
    """Tell whether a setting that is not known gives a salt, maybe written as bytes."""
    name = _AS_BYTES.sub("", described(value.data))
    return bool(_SALT.search(name)) and is_of_settings(name)


def may_be_salt(given: str) -> bool:
    """Tell by a name whether a salt, or a hash to compare with, may stand for a cost."""
    return bool(_MAY_BE_SALT.search(given)) and not _OF_ROUNDS.search(given)


def names_method(text: str) -> bool:
    """Tell whether the beginning of a text names a method, as that of a salt does."""
    return text.startswith(_MARKS)

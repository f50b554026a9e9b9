"""Names of functions and types, without what languages put around them."""

import re
from typing import Final

_REQUIRED: Final = re.compile(r"""\b(?:require|import)\(\s*['"]([^'"]+)['"]\s*\)""")
_PROMISED: Final = re.compile(r"\b(?:promisify|pify)\(\s*([\w.]+)\s*(?:,[^()]*+)?\)$")
"""A function that is made to return a promise, maybe with options, and called."""
_LINK: Final = re.compile(r" ?(::|\.) ?(?=\w)")
"""Where a dotted name goes on, maybe on a line of its own or behind a blank."""
_TYPE_ARGUMENTS: Final = re.compile(
    r"(?:::)?<(?P<first>(?:[^<>,]|<[^<>]*+>)++)(?:,(?:[^<>]|<[^<>]*+>)*+)?>$"
)
_SHOWN: Final = 60  # characters of a call's name
_OF_SETTINGS: Final = re.compile(
    r"(?i:(?<![a-z])(?:env|environ|environment|config|configuration|settings?)(?![a-z]))"
    r"|(?<!\w)[A-Z][A-Z0-9_]*+\W*$"
)
"""A word for settings in a name, or a name that is written as a constant is."""


def without_promise(name: str) -> str:
    """Name the function that a call makes return a promise, or return another name as it is."""
    return _PROMISED.sub(r"\1", name)


def unadorned(name: str) -> str:
    """Take a name without blanks, ``new``, generics, optional chaining and a leading backslash."""
    plain = _REQUIRED.sub(r"\1", " ".join(name.split()))
    plain = without_promise(_LINK.sub(r"\1", plain))
    plain = plain.replace("?.", ".").replace("?->", "->")
    return _TYPE_ARGUMENTS.sub("", plain).removeprefix("\\").removeprefix("new ")


def type_argument(name: str) -> str:
    """Take the first type argument in the angle brackets that end a name; empty without any."""
    arguments = _TYPE_ARGUMENTS.search(name)
    if arguments is None:
        return ""
    return arguments["first"]


def excerpt(name: str) -> str:
    """Shorten the name of a call to its last words, on one line."""
    name = _LINK.sub(r"\1", " ".join(name.split()))
    # A chain of calls ends in the one that hashes.
    while len(name) > _SHOWN and "." in name:
        _, _, name = name.partition(".")
    return name[-_SHOWN:]


def is_of_settings(name: str) -> bool:
    """Tell whether a name has a word for settings, or is written as a constant is."""
    return _OF_SETTINGS.search(name) is not None

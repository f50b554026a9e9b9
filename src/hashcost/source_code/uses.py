"""The uses of the value of an expression, by the text around it: is it kept, or compared?"""

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Mapping
from functools import lru_cache
from typing import Final, NamedTuple

from hashcost.source_code.project import KEPT, Project, plain_name

BEFORE: Final = 200  # characters before an expression that tell what becomes of it
_STEPS: Final = 3
"""Names from one to another; each has all uses of the one before to look at."""
_NOTHING: Final = r"(?!\s*(?:(?:null|nil|none|undefined|false|true|0)\b|''|\"\"))"
_IS_EQUAL: Final = r"(?=\w*(?:equals?|(?:time_?|secure_?)compare|compare_?digest|ct_?eq))\w++"
_THEN_COMPARED: Final = re.compile(
    rf"(?:\[[^\[\]]*\])?\s*(?:[!=]==?{_NOTHING}|\.{_IS_EQUAL}\s*\("
    r"|\.(?:byte)?length\s*+[!=]==?\s*+[\w.]*+(?<=length))",
    re.IGNORECASE,
)
"""A comparison with what follows, or of both lengths, which comes before that of the bytes."""
_IN_COMPARISON: Final = re.compile(
    rf"(?:[!=]==?\s*+[&@$\w.]*+|\b{_IS_EQUAL}\s*+\((?:[^;{{}}()]|\([^;{{}}()]*+\))*+)$",
    re.IGNORECASE,
)
CHAIN: Final = re.compile(r"(?:\s*(?:\?\.|->|\.)\s*\w+\s*\((?:[^()]|\([^()]*\))*\)){0,64}")
_ASKS: Final = re.compile(
    r"\s*(?:\?\.|\?->|->|\.)\s*(?:verif|check|compare|matches\b|get_?random)", re.IGNORECASE
)
"""A question about a hash, which has its own cost, or for random bytes."""
_GIVEN_TO: Final = re.compile(r"(?<![\w.:])[\w.:]++\(\s*+$")
_AND_ENDED: Final = re.compile(r"\s*(?:,[^(),]*)?\)")
ASSIGNED: Final = re.compile(
    r"(?:(?<==)|(?<== )|(?P<is_first>(?<!=)(?<!= )))\b(?P<name>[^\W\d]\w*+)"
    r"(?(is_first)(?:\s*+,\s*+\w++)?+)(?:[ \t]*+:[ \t]*+[\w<>\[\]]++)?+"
    r"\s*+(?::|\|\||\?\?)?+=\s*+(?:await\s++)?+(?:new\s++)?+$"
)
"""A name that is given what follows, maybe the first of two.

What is itself given to a name before a comma is not: ``User(name=name, hash=...)``.
"""
_GIVEN_ANOTHER: Final = re.compile(
    r"(?:\s*+,\s*+[$\w]++)*+(?:[ \t]*+:[ \t]*+[\w<>\[\]]++)?+\s*+:?=(?![=>~])"
)
"""The text behind a name, maybe the first of several, that is given another value."""
_ENTRY: Final = re.compile(
    r"['\"]\w*passw(?:or)?d\w*+['\"]\s*+\]?+\s*+(?:=>|[:=](?![=>~]))\s*+(?:await\s++)?+$",
    re.IGNORECASE,
)
"""An entry of a map that is named for a password: ``'password' => ``, ``user["password"] = ``."""
_KEPT_AS: Final = re.compile(
    r"(?<!\w)(?P<name>[^\W\d]\w*+)['\"]?\s*+\]?+\s*+(?:=>|:|=)\s*+(?:await\s++)?+$"
)
"""A name, a key or a named argument in front of its value: ``'code_hash' =>``, ``codeHash:``."""
_NEW_HASH: Final = re.compile(r"(?:new|fresh|updated|upgraded|migrated|re)_?hash", re.IGNORECASE)
"""The name of a hash that takes the place of an old one, which a program keeps at a login."""
_VERIFIER: Final = re.compile(
    r"_*(?:is_?)?(?:(?:pass(?:word|wd)?|pwd?|hash|user)s?_?)?"
    r"(?:verif|check|compare|match|valid\w*pass)"
    r"|\w*(?:verify|compare)$"
    r"|_*(?:is_?)?(?:pass(?:word|wd)?|pwd?)_?(?:is_?)?valid"
)
_RENEWS: Final = re.compile(r"(?i:rehash|upgrade|update|create|migrate|ensure)|Or[A-Z]|_or_")
_HASHES_ANEW: Final = re.compile(r"hash|crypt|encode|make|creat|generat|set", re.IGNORECASE)
"""A word in the name of a function that others may call for a new hash."""
_MAKES_SALT: Final = re.compile(r"gen(?:erate)?_?salt(?:_?a?sync)?$", re.IGNORECASE)
"""The name of a function that only makes a salt."""
_HASHED_WITH: Final = re.compile(
    r"\(\s*+(?P<hashed>[^\s(),;{}][^(),;{}]{0,80}(?:\([^(),;{}]{0,40}\)[^(),;{}]{0,40})?),"
    r"\s*+(?:await\s++)?(?:[\w.]++\()?$"
)
"""The argument before a salt, which may be written in another way first."""
_WORD: Final = re.compile(r"\b[^\W\d]\w*")


class PlacedCall(NamedTuple):
    """A call by its place in a text, with the function around it.

    ``function`` is the name of the innermost one that has a name; ``within`` is where the
    innermost one ends, and zero outside of one.
    """

    start: int
    end: int
    function: str
    within: int


def only_verifies(text: str, call: PlacedCall, path: str, project: Project | None) -> bool:
    """Tell whether a call, or the object that it makes, is only asked to verify hashes."""
    if _is_verifier(call.function) and not _is_kept_as_password(text, call.start):
        return True
    # Another file may hash with what a module keeps.
    if not call.within and project is not None:
        name = _name_given(text, call.start)
        if name and project.is_named_elsewhere(name, path):
            return False
    return _is_compared(text, call.start, call.end, call.within)


def _is_verifier(function: str) -> bool:
    """Tell by the name of a function that what it hashes is only compared."""
    return bool(_VERIFIER.match(function.lower())) and not _RENEWS.search(function)


def _is_compared(text: str, start: int, end: int, within: int, steps: int = _STEPS) -> bool:
    """Tell whether an expression only asks about hashes or, within a function, is compared.

    ``within`` is where the function ends, and zero outside of one.
    """
    if _ASKS.match(text, end):
        return True
    limit = within or len(text)
    before = max(0, start - BEFORE)
    if within and _THEN_COMPARED.match(text, end):
        return True
    chain = CHAIN.match(text, end, limit)
    if chain is not None:
        end = chain.end()
    if within and _IN_COMPARISON.search(text, before, start):
        return True
    # What is given to a function becomes what that returns.
    given = _GIVEN_TO.search(text, before, start)
    ended = _AND_ENDED.match(text, end, limit)
    if given and ended and steps:
        return _is_compared(text, given.start(), ended.end(), within, steps - 1)
    if within and _THEN_COMPARED.match(text, end):
        return True
    assigned = ASSIGNED.search(text, before, start)
    if assigned is None or not steps:
        return False
    return is_only_verified(text, assigned["name"], end, limit, steps - 1)


def is_only_verified(
    text: str, name: str, start: int, within: int, steps: int = _STEPS - 1
) -> bool:
    """Tell whether all that is done with a name from some place on, if anything, verifies.

    Another branch, or a later statement, may give the name another value, which does not count.
    """
    places = places_in(text)[name]
    later = places[bisect_left(places, start) : bisect_left(places, within)]
    uses = [place for place in later if not _GIVEN_ANOTHER.match(text, place + len(name))]
    if not uses:
        return False
    return all(_is_compared(text, use, use + len(name), within, steps) for use in uses)


def _name_given(text: str, start: int) -> str:
    """Find the name that is given the value of an expression; empty if none is."""
    assigned = ASSIGNED.search(text, max(0, start - BEFORE), start)
    if assigned is None:
        return ""
    return assigned["name"]


def name_kept_as(text: str, start: int) -> str:
    """Find the name, or the key of a map, that is given a value; empty if none is."""
    entry = _KEPT_AS.search(text, max(0, start - BEFORE), start)
    if entry is not None:
        return entry["name"]
    return _name_given(text, start)


def _is_kept_as_password(text: str, start: int) -> bool:
    """Tell whether an expression's value becomes the hash of a password that is kept.

    A field or an entry named for a password is given it, or a name that calls the hash new.
    """
    before = max(0, start - BEFORE)
    entry = _ENTRY.search(text, before, start)
    if entry is not None:
        return True
    assigned = ASSIGNED.search(text, before, start)
    if assigned is None:
        return False
    if _NEW_HASH.match(assigned["name"]):
        return True
    name = assigned["name"].lower()
    is_field = text[assigned.start() - 1 : assigned.start()] == "."
    return is_field and ("password" in name or "passwd" in name)


def hashed_with(text: str, function: str, call: PlacedCall) -> tuple[str, ...]:
    """List what is hashed with the salt that a call of a function makes.

    List nothing unless all of it is found.
    """
    if not _MAKES_SALT.search(function):
        return ()
    given = _HASHED_WITH.search(text, max(0, call.start - BEFORE), call.start)
    if given is not None:
        return (plain_name(given["hashed"]),)
    name = _name_given(text, call.start)
    places = places_in(text)[name]
    hashed = []
    for use in places[bisect_left(places, call.end) : bisect_left(places, call.within)]:
        given = _HASHED_WITH.search(text, max(0, use - BEFORE), use)
        if given is None:
            return ()
        hashed.append(plain_name(given["hashed"]))
    return tuple(hashed)


def may_help_verify(text: str, function: str, start: int, end: int, calls: int) -> bool:
    """Tell whether so many calls are all that a file does with a function, between two places.

    It may be given to others by its name, or its name may say that it makes hashes.
    """
    if not calls or _HASHES_ANEW.search(function):
        return False
    places = places_in(text)[function]
    inside = bisect_left(places, end) - bisect_left(places, start)
    return len(places) - inside == calls


@lru_cache(maxsize=KEPT)
def places_in(text: str) -> Mapping[str, list[int]]:
    """Find the places of each word once for all calls of a file."""
    places = defaultdict(list)
    for word in _WORD.finditer(text):
        places[word[0]].append(word.start())
    return places

"""Keys for encryption and signatures: PBKDF2, scrypt and Argon2 make them, too.

They hash no password. A value is a key if it goes into a cipher or an HKDF, as an argument or as
a property, or if its name says so.
"""

import re
from bisect import bisect_left
from functools import cached_property
from typing import Final, NamedTuple

from hashcost.source_code.reading import ASSIGNED, BEFORE, CHAIN, places_in
from hashcost.source_code.rules import last_word

_GIVEN_TO: Final = re.compile(
    r"(?<![\w.:])(?P<name>[\w.:]++)(?:<[^<>()]*+>)?"
    r"\s*+\((?P<before>(?:[^();{}]|\([^();{}]*+\))*+)"
    r"(?P<member>\{(?:[^(){};,]{1,80}+,){0,8}+\s*+[\"']?(?i:key|iv|nonce)[\"']?\s*+:\s*+)?+$"
)
"""The innermost call in whose arguments something stands, with the arguments before it; it may
be the key or the IV that an object among them has."""
_ENDED: Final = re.compile(r"(?:[^();{}]|\([^();{}]*+\)){0,200}+\)")
"""The end of those arguments."""
_CIPHER: Final = re.compile(
    r"(?:^|[._:])(?:aes|rijndael|x?chacha|salsa|fernet|secret_?box|unbound_?key|(?:de)?cipher)|hkdf"
    r"|(?:new_?|create_?)(?:de)?cipher|secret_?key_?spec|import_?key|secretbox"
    r"|(?<![a-z])(?:en|de)crypt(?!_?(?:pass|pwd|hash))|create_?(?:en|de)cryptor",
    re.IGNORECASE,
)
"""A function that takes a key for encryption, or one to make such keys of."""
_OF_HKDF: Final = re.compile(
    r"(?<![\w.:])(?P<name>[\w.:]++)(?:<[^<>()]*+>|\((?:[^();{}]|\([^();{}]*+\))*+\))\s*+$"
)
"""The object or the type whose method follows: ``HKDF(…)`` or ``Hkdf::<Sha256>``."""
_TAKES_TEXT: Final = re.compile(
    r"(?:openssl_)?(?:en|de)crypt|update|seal|open|\w*final", re.IGNORECASE
)
"""A function that encrypts its first argument, which may be a hash."""
_PROPERTY: Final = re.compile(
    r"(?:\.(?:Key|IV)|(?i:(?:aes|cipher|crypt)\w{0,20}(?:\.|->)(?:key|iv)))\s*+=\s*+$"
)
"""A property of a cipher that is set: ``aes.Key =``."""
_KEY_NAME: Final = re.compile(
    r"(?:aes|(?:en|de)crypt(?:ion)?|cipher|crypto|wrapping|kek|fernet|mac|sign(?:ing)?)_?key",
    re.IGNORECASE,
)
"""A name that says that it is a key for encryption or for signatures."""
_SPEAKS_OF_KEYS: Final = re.compile(
    r"aes|rijndael|chacha|salsa|fernet|secret_?box|unbound_?key|cipher|hkdf|secret_?key_?spec"
    r"|(?<![a-z])(?:en|de)crypt|cryptor|import_?key|\.(?:key|iv)\s*+=|crypto_?key|wrapping|kek"
    r"|(?:mac|sign(?:ing)?)_?key",
    re.IGNORECASE,
)
"""A word that some sign of a key has, wherever it is in a file."""
_OF_OBJECT: Final = re.compile(r"(?:\b(?:this|self)\s*+(?:\.|->)|@)[\w\s]*+$")
"""The beginning of a name that is seen outside of its function."""
_BARE_FIELD: Final = re.compile(r"(?<![\w.])_\w*+$")
"""A private field by the convention of C#, where a name needs no ``this``."""
_RETURNED: Final = re.compile(r"(?:\breturn|=>)\s*+(?:await\s++)?+&?+$")
_COPIED_TO: Final = re.compile(
    r"(?:(?<![\w.])copy\(\s*+(?P<slice>[^\W\d]\w*+)(?:\[[^\[\]\n]{0,40}\])?+\s*+,"
    r"|\b(?P<array>[^\W\d]\w*+)\.(?:copy|clone)_from_slice\()\s*+&?+$"
)
"""The variable to which Go and Rust copy the bytes that follow."""
_FILLED: Final = re.compile(r"&\s*mut\s++(?P<name>\w++)")
"""A variable that a call fills in."""
_BCRYPT: Final = re.compile(r"bcrypt|password_hash|gensalt", re.IGNORECASE)
_DERIVES: Final = re.compile(r"pbkdf2|pbekey|rfc2898|scrypt|argon2", re.IGNORECASE)
_STEPS: Final = 4
"""Names that are followed: a specification, its result, the key, and a caller's result."""


class CallPlace(NamedTuple):
    """Where a call begins and ends, and where the function around it does."""

    start: int
    end: int
    limit: int


class _KeyWalk(NamedTuple):
    """The uses of a name in front of a place, from which calls may follow it so many steps."""

    name: str
    end: int
    calls: tuple[CallPlace, ...]
    steps: int


class KeyUses:
    """The values in one source text that go into ciphers.

    Names lead to each other, so each use of a name is looked at once for each walk.
    """

    def __init__(self, text: str, *, has_bare_fields: bool = False) -> None:
        self._text = text
        self._has_bare_fields = has_bare_fields
        self._answers: dict[tuple[CallPlace, tuple[CallPlace, ...], int], bool] = {}
        self._pending: dict[_KeyWalk, list[int]] = {}
        """The uses that a walk has not come to yet: it begins with the last."""
        self._last_keys: dict[_KeyWalk, int] = {}

    @cached_property
    def _speaks_of_keys(self) -> bool:
        """Whether the text has a word of some key: most files are opened for something else."""
        return _SPEAKS_OF_KEYS.search(self._text) is not None

    def makes_key(self, place: CallPlace, calls: tuple[CallPlace, ...] = ()) -> bool:
        """Tell whether the result of a call goes into a cipher.

        ``calls`` are those of the function around it, which may return the result.
        """
        if not self._speaks_of_keys:
            return False
        if self._becomes_key(place, calls, _STEPS):
            return True
        for filled in _FILLED.finditer(self._text, place.start, place.end):
            if self._is_key(filled["name"], place.end, place.limit, calls, _STEPS):
                return True
        return False

    def is_key(self, name: str, start: int, end: int) -> bool:
        """Tell whether the value of a name goes into a cipher within some range."""
        return self._speaks_of_keys and self._is_key(name, start, end, (), _STEPS)

    def _is_key(
        self, name: str, start: int, end: int, calls: tuple[CallPlace, ...], steps: int
    ) -> bool:
        walk = _KeyWalk(name, end, calls, steps)
        if walk not in self._pending:
            places = places_in(self._text)[name]
            self._pending[walk] = places[: bisect_left(places, end)]
        pending = self._pending[walk]
        while walk not in self._last_keys and pending and pending[-1] >= start:
            use = pending.pop()
            if self._becomes_key(CallPlace(use, use + len(name), end), calls, steps - 1):
                self._last_keys[walk] = use
        return self._last_keys.get(walk, -1) >= start

    def _becomes_key(self, place: CallPlace, calls: tuple[CallPlace, ...], steps: int) -> bool:
        question = (place, calls, steps)
        if question not in self._answers:
            self._answers[question] = False  # As long as it is looked up.
            self._answers[question] = self._goes_into_cipher(place, calls, steps)
        return self._answers[question]

    def _goes_into_cipher(
        self, place: CallPlace, calls: tuple[CallPlace, ...], steps: int
    ) -> bool:
        text = self._text
        start, end, limit = place
        before = max(0, start - BEFORE)
        if _PROPERTY.search(text, before, start):
            return True
        given = _GIVEN_TO.search(text, before, start)
        if given is not None and (_is_key_of(given) or _is_given_to_hkdf(given)):
            return True
        if not steps:
            return False
        copied = _COPIED_TO.search(text, before, start)
        if copied is not None:
            name = copied["slice"] or copied["array"]
            return self._is_key(name, end, limit, calls, steps)
        chain = CHAIN.match(text, end, limit)
        if chain is not None:
            end = chain.end()
        # What is given to a function becomes what that returns.
        ended = _ENDED.match(text, end, limit)
        if given is not None and ended is not None:
            result = CallPlace(given.start(), ended.end(), limit)
            return self._becomes_key(result, calls, steps - 1)
        assigned = ASSIGNED.search(text, before, start)
        if assigned is not None:
            name = assigned["name"]
            if _KEY_NAME.search(name):
                return True
            if self._is_of_object(before, assigned.end("name")):
                return self._is_key(name, 0, len(text), (), steps)
            return self._is_key(name, end, limit, calls, steps)
        # A function that returns hashes of passwords, too, has a caller that wants one.
        if not (calls and _RETURNED.search(text, before, start)):
            return False
        return all(self._becomes_key(call, (), steps - 1) for call in calls)

    def _is_of_object(self, before: int, end: int) -> bool:
        """Tell whether a name that ends at a place is one of an object's field."""
        if _OF_OBJECT.search(self._text, before, end):
            return True
        return self._has_bare_fields and _BARE_FIELD.search(self._text, before, end) is not None


def may_derive_keys(function: str) -> bool:
    """Tell by the text of a function whether it may make keys: no library makes one by bcrypt."""
    return _DERIVES.search(function) is not None or _BCRYPT.search(function) is None


def _is_key_of(given: re.Match[str]) -> bool:
    """Tell whether what follows some arguments of a call is the key of a cipher."""
    if not _CIPHER.search(given["name"]):
        return False
    is_text = "," not in given["before"] and given["member"] is None
    return not (is_text and _TAKES_TEXT.match(last_word(given["name"])))


def _is_given_to_hkdf(given: re.Match[str]) -> bool:
    """Tell whether a call is one of a method of an HKDF that is made in front of it."""
    start = given.start()
    made = _OF_HKDF.search(given.string, max(0, start - BEFORE), start)
    return made is not None and "hkdf" in made["name"].lower()

"""Keys for encryption and signatures: PBKDF2, scrypt and Argon2 make them, too.

They hash no password. A value is a key if it goes into a cipher or an HKDF, as an argument or as
a property, or if its name says so. The name of the function that makes it counts if its callers
do not tell what becomes of it.
"""

import re
import sys
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from typing import Final, NamedTuple, Protocol, TypeAlias

from hashcost.source_code.project import Use
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
_ENTRY: Final = re.compile(r"\b(?P<name>[^\W\d]\w*+)\[[^\[\]\n]{0,80}+\]\s*+=\s*+$")
"""An entry of a map or a list that is assigned: ``keys[folder] =``."""
_OWNER: Final = re.compile(r"(?<![\w$@.>:?])(?:[\w$@]++(?:\?\.|\?->|\.|->|::))++$")
"""The owner of a name, in front of it: ``registry.``."""
_INDEX: Final = re.compile(r"\[[^\[\]\n]{0,80}+\]")
"""The index of an entry, behind a name."""


_DERIVES_KEY: Final = re.compile(
    r"deriv\w{0,40}key|(?:encryption|cipher|wrapping|aes)_?key", re.IGNORECASE
)
"""The name of a function that makes keys: ``DeriveShareKey``, ``make_encryption_key``."""
_OF_ACCOUNTS: Final = re.compile(
    r"hash|verif|auth(?!or)|log_?in|sign_?(?:in(?!g)|up)|regist|credential|user|account|stor"
    r"|(?:set|encode|encrypt|make|create|update|change|save|check|compare|match)\w{0,20}pass",
    re.IGNORECASE,
)
"""Words around a call that may tell of hashes of passwords."""
_OF_PASSWORDS: Final = re.compile(rf"{_OF_ACCOUNTS.pattern}|passw|pwd", re.IGNORECASE)
"""Words for a class or a file that may make them: ``PasswordEncoder``."""


class CallPlace(NamedTuple):
    """Where a call begins and ends, and where the function around it does."""

    start: int
    end: int
    limit: int


class Functions(Protocol):
    """The functions of a file that have names."""

    @property
    def may_be_called_elsewhere(self) -> bool:
        """Whether other files are known that may call them."""

    def around(self, index: int) -> tuple[int, str] | None:
        """Find the end and the name of the innermost function around a place of the text."""

    def callers(self, function: str) -> Collection[CallPlace]:
        """Find the calls of the functions of a name."""

    def uses_elsewhere(self, function: str) -> Collection[Use]:
        """Tell of each call in other files what becomes of what a function returns."""


class _Uses(NamedTuple):
    """The uses of a name in front of ``end``, from one of its places in the text on.

    A field has an ``owner``, such as ``registry.``; that of the own object may have any.
    """

    name: str
    at: int
    end: int
    is_field: bool = False
    owner: str = ""


class _Callers(NamedTuple):
    """The callers of a function, which all have to make a key of what it returns."""

    function: str


_Stop: TypeAlias = CallPlace | _Uses | _Callers
"""Where a value may come to on its way: a place, the uses of a name, or callers."""


class KeyUses:
    """The values in one source text that go into ciphers.

    Names lead to each other, so each stop on the way of a value is visited once for all values.
    """

    def __init__(self, text: str, functions: Functions, *, has_bare_fields: bool = False) -> None:
        self._text = text
        self._functions = functions
        self._has_bare_fields = has_bare_fields
        self._visited: dict[_Stop, bool] = {}
        """Whether each stop leads to a cipher."""
        self._owned: dict[str, Mapping[str, Sequence[int]]] = {}
        """The places of each name by what it is of there."""

    @cached_property
    def _speaks_of_keys(self) -> bool:
        """Whether the text has a word of some key: most files are opened for something else."""
        return _SPEAKS_OF_KEYS.search(self._text) is not None

    def makes_key(self, place: CallPlace) -> bool:
        """Tell whether the result of a call goes into a cipher."""
        if not (self._speaks_of_keys or self._functions.may_be_called_elsewhere):
            return False
        if self._leads_to_key(place):
            return True
        for filled in _FILLED.finditer(self._text, place.start, place.end):
            if self._leads_to_key(self._uses(filled["name"], place.end, place.limit)):
                return True
        return False

    def is_key(self, name: str, start: int, end: int) -> bool:
        """Tell whether the value of a name goes into a cipher within some range."""
        return self._speaks_of_keys and self._leads_to_key(self._uses(name, start, end))

    def _uses(self, name: str, start: int, end: int) -> _Uses:
        return _Uses(name, bisect_left(places_in(self._text)[name], start), end)

    def _fields(self, name: str, owner: str) -> _Uses:
        return _Uses(name, 0, len(self._text), is_field=True, owner=owner)

    def _leads_to_key(self, first: _Stop) -> bool:
        if first not in self._visited:
            self._visit_from(first)
        return self._visited[first]

    def _visit_from(self, first: _Stop) -> None:
        """Visit each new stop that a value may come to, and mark those that lead to a cipher."""
        leading = []
        came_from: dict[_Stop, list[_Stop]] = {first: []}
        missing: dict[_Stop, int] = {}
        pending = [first]
        for stop in pending:  # Grows while it is read.
            if stop in self._visited:
                if self._visited[stop]:
                    leading.append(stop)
                continue
            self._visited[stop] = False
            next_stops = self._next_stops(stop)
            if next_stops is None:
                leading.append(stop)
                continue
            missing[stop] = 1
            # A function that returns hashes of passwords, too, has a caller that wants one.
            if isinstance(stop, _Callers):
                missing[stop] = len(next_stops)
            for other in next_stops:
                if other not in came_from:
                    came_from[other] = []
                    pending.append(other)
                came_from[other].append(stop)
        # From the ciphers back, whatever circles the names make.
        for stop in leading:  # Grows while it is read.
            self._visited[stop] = True
            for earlier in came_from[stop]:
                missing[earlier] -= 1
                if not missing[earlier]:
                    leading.append(earlier)

    def _next_stops(self, stop: _Stop) -> Collection[_Stop] | None:
        """List where a value comes to from a stop; ``None`` if that is a cipher."""
        if isinstance(stop, _Callers):
            return self._next_of_callers(stop.function)
        if isinstance(stop, _Uses):
            return self._next_of_uses(stop)
        return self._next_of_place(stop)

    def _next_of_uses(self, uses: _Uses) -> Collection[_Stop]:
        """Take one use of a name, and leave those behind it for the next stop."""
        places = self._places(uses)
        if uses.at == len(places) or places[uses.at] >= uses.end:
            return ()
        start = places[uses.at]
        end = start + len(uses.name)
        later = uses._replace(at=uses.at + 1)
        limit = uses.end
        if uses.is_field:
            around = self._functions.around(start)
            if around is not None:
                limit, _ = around
            start -= len(self._owner_before(start))
        index = _INDEX.match(self._text, end, limit)
        if index is not None:
            end = index.end()
        return (CallPlace(start, end, limit), later)

    def _places(self, uses: _Uses) -> Sequence[int]:
        """List the places of a name; those of a field with an owner are found once for all."""
        places = places_in(self._text)[uses.name]
        if not uses.owner:
            return places
        if uses.name not in self._owned:
            owned = defaultdict(list)
            for place in places:
                owned[self._owner_before(place)].append(place)
            self._owned[uses.name] = owned
        return self._owned[uses.name][uses.owner]

    def _owner_before(self, place: int) -> str:
        owner = _OWNER.search(self._text, max(0, place - BEFORE), place)
        if owner is None:
            return ""
        return owner[0]

    def _next_of_place(self, place: CallPlace) -> Collection[_Stop] | None:
        text = self._text
        start, end, limit = place
        before = max(0, start - BEFORE)
        if _PROPERTY.search(text, before, start):
            return None
        given = _GIVEN_TO.search(text, before, start)
        if given is not None and (_is_key_of(given) or _is_given_to_hkdf(given)):
            return None
        copied = _COPIED_TO.search(text, before, start)
        if copied is not None:
            return (self._uses(copied["slice"] or copied["array"], end, limit),)
        chain = CHAIN.match(text, end, limit)
        if chain is not None:
            end = chain.end()
            # A method may write what it makes into a variable.
            filled = _FILLED.search(chain[0])
            if filled is not None:
                return (self._uses(filled["name"], end, limit),)
        # What is given to a function becomes what that returns.
        ended = _ENDED.match(text, end, limit)
        if given is not None and ended is not None:
            return (CallPlace(given.start(), ended.end(), limit),)
        assigned = ASSIGNED.search(text, before, start) or _ENTRY.search(text, before, start)
        if assigned is not None:
            return self._next_of_assigned(assigned, before, end, limit)
        if _RETURNED.search(text, before, start):
            around = self._functions.around(start)
            if around is not None:
                _, function = around
                return (_Callers(function),)
        return ()

    def _next_of_callers(self, function: str) -> Collection[_Stop] | None:
        elsewhere = set(self._functions.uses_elsewhere(function))
        if not elsewhere <= {Use.KEY}:
            return ()
        wanting = self._wanting(function)
        if elsewhere and not wanting:
            return None
        return wanting

    def _wanting(self, function: str) -> Collection[_Stop]:
        """List the calls of a function that want what it returns."""
        wanting = set()
        for call in self._functions.callers(function):
            before = max(0, call.start - BEFORE)
            assigned = ASSIGNED.search(self._text, before, call.start)
            # ``_, ok :=`` asks only whether there is one.
            if assigned is None or assigned["name"] != "_":
                wanting.add(call)
        return wanting

    def _next_of_assigned(
        self, assigned: re.Match[str], before: int, end: int, limit: int
    ) -> Collection[_Stop] | None:
        name = assigned["name"]
        if _KEY_NAME.search(name):
            return None
        if self._is_of_object(before, assigned.end("name")):
            return (self._fields(name, ""),)
        owner = self._owner_before(assigned.start("name"))
        if owner:
            return (self._fields(name, owner),)
        return (self._uses(name, end, limit),)

    def _is_of_object(self, before: int, end: int) -> bool:
        """Tell whether a name that ends at a place is one of an object's field."""
        if _OF_OBJECT.search(self._text, before, end):
            return True
        return self._has_bare_fields and _BARE_FIELD.search(self._text, before, end) is not None


def derives_key_by_name(function: str, homes: Sequence[str]) -> bool:
    """Tell by its name that a function makes keys, unless its class or file may make hashes."""
    if not _DERIVES_KEY.search(function) or _OF_ACCOUNTS.search(function):
        return False
    return not any(map(_OF_PASSWORDS.search, homes))


def may_be_hashed(around: Sequence[str]) -> bool:
    """Tell by the words around a call whether its result may be a hash of a password."""
    return any(map(_OF_ACCOUNTS.search, around))


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


class NamedRanges:
    """Ranges of a text that lie in one another, such as its functions, with their names."""

    def __init__(self, names: Mapping[tuple[int, int], str]) -> None:
        self._names = names
        self._ranges = sorted(names)
        self._outer: list[int] = []
        """The number of the range around each one; -1 for the outermost."""
        open_ranges = [-1]
        for number, (start, _) in enumerate(self._ranges):
            while open_ranges[-1] >= 0 and self._ranges[open_ranges[-1]][1] <= start:
                open_ranges.pop()
            self._outer.append(open_ranges[-1])
            open_ranges.append(number)

    def around(self, index: int) -> tuple[int, str] | None:
        """Find the end and the name of the innermost range around a place, if any."""
        number = bisect_right(self._ranges, (index, sys.maxsize)) - 1
        while number >= 0:
            place = self._ranges[number]
            if index < place[1]:
                return place[1], self._names[place]
            number = self._outer[number]
        return None

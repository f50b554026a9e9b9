"""Keys for encryption and signatures: PBKDF2, scrypt and Argon2 make them, too.

They hash no password. A value is a key if it goes into a cipher or an HKDF, as an argument or as
a property, or if its name says so, and nothing that is made of it, too, is named for a login. The
name of the function that makes it counts if its callers do not tell what becomes of it.
"""

import re
import sys
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cached_property
from typing import Final, Generic, NamedTuple, Protocol, TypeAlias, TypeVar

from hashcost.source_code.project import Use
from hashcost.source_code.rules import last_word, name_words
from hashcost.source_code.uses import ASSIGNED, BEFORE, CHAIN, PlacedCall, places_in

_CALLED: Final = re.compile(r"(?<![\w.:])(?P<name>[\w.:]++)(?:<[^<>()]*+>)?\s*+$")
"""The name of what is called, in front of its arguments."""
_MEMBER: Final = re.compile(
    r"\{(?:[^(){};,]{1,80}+,){0,8}+\s*+[\"']?(?i:key|iv|nonce)[\"']?\s*+:\s*+$"
)
"""The text in front of the key or the IV that an object among some arguments has."""
_PART_OF_OTHER: Final = re.compile(r"[{};]")
"""A sign that a place in an argument is in an object or a function there."""
_KEYWORD: Final = re.compile(r"(?P<name>[^\W\d]\w*+)\s*+[:=]\s*+$")
"""The name of an argument, in front of it."""
_LOOP_OVER: Final = re.compile(
    r"\bfor(?:each)?\b[^;{}\n]{0,80}?\b(?P<name>[^\W\d]\w*+)\s*+"
    r"(?:\b(?:in|of)\b|:(?!=)|:?=\s*+range\b)\s*+&?+$"
)
"""A loop over the values of what follows, with the name of each."""
_IN_LOOP: Final = re.compile(
    r"\s*+as\s++(?:\$\w++\s*+=>\s*+)?+&?+\$(?P<php>\w++)"
    r"|\.\w++[?!]?+\s*+(?:do\b|[({])\s*+[|(]?\s*+(?P<given>[^\W\d]\w*+)\s*+\)?\s*+(?:\||=>|->)"
)
"""A loop over the values of what stands before, or a block that each of them is given."""
_CIPHER: Final = re.compile(
    r"(?:^|[._:])(?:aes|rijndael|x?chacha|salsa|fernet|secret_?box|unbound_?key|(?:de)?cipher)|hkdf"
    r"|(?:new_?|create_?)(?:de)?cipher|secret_?key_?spec|import_?key|secretbox"
    r"|(?<![a-z])(?:en|de)crypt(?!_?(?:pass|pwd|hash))|create_?(?:en|de)cryptor",
    re.IGNORECASE,
)
"""A function that takes a key for encryption, or one to make such keys of."""
_TAKEN_OUT: Final = re.compile(r"\s*+\.\s*+(?:getEncoded\b|encoded\b)")
"""The bytes of Java's and Kotlin's `SecretKeySpec`."""
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
_PASSWORD_NAME: Final = re.compile(
    r"(?:pass(?:word|wd|phrase)?|pwd)s?(?:_?(?:hash(?:ed)?|digest|enc(?:oded)?))?", re.IGNORECASE
)
"""A name for what keeps a password, which is a hash of it."""
_LOGIN_NAME: Final = re.compile(
    r"(?:pass(?:word|wd|phrase)?|log_?in|auth(?:entication)?|server)_?(?:token|verifier|proof)"
    r"|(?:log_?in|auth(?:entication)?|server)_?hash",
    re.IGNORECASE,
)
"""A name for what a server is shown at a login; a password's hash may be a key as well."""
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
_MAKES_PASSWORD: Final = re.compile(
    r"(?:get|gen|to|comput|calc|build|prepar|hash|client)\w{0,40}(?<!with)(?<!from)(?<!for)(?<!by)_?passw(?:or)?d",
    re.IGNORECASE,
)
"""The name of a function whose result takes the place of a password: ``getPbkdf2Password``."""
_OF_PASSWORDS: Final = re.compile(rf"{_OF_ACCOUNTS.pattern}|passw|pwd", re.IGNORECASE)
"""Words for a class or a file that may make them: ``PasswordEncoder``."""


class _Place(NamedTuple):
    """Where a value begins and ends, and where the function around it does."""

    start: int
    end: int
    limit: int


class Arguments(NamedTuple):
    """The arguments of the call from ``start`` to ``end``, and where each of them begins.

    A list that a program writes has its values as ``places``, and ``is_list``.
    """

    start: int
    inside: int
    end: int
    places: Sequence[int]
    is_list: bool = False

    def at(self, index: int) -> int:
        """Tell the position of the argument that has a place of the text."""
        return max(0, bisect_right(self.places, index) - 1)


class _Given(NamedTuple):
    """A call in whose arguments a value stands, as the ``position`` of these, maybe with a name.

    It may be the key or the IV of an object among them, which ``is_member``.
    """

    arguments: Arguments
    name: str
    name_starts: int
    position: int
    keyword: str = ""
    is_member: bool = False


class OwnParameter(NamedTuple):
    """A parameter of a function of the file, and where that begins and ends."""

    name: str
    start: int
    end: int


class Functions(Protocol):
    """The functions of a file that have names."""

    @property
    def may_be_called_elsewhere(self) -> bool:
        """Whether other files are known that may call them."""

    def around(self, index: int) -> tuple[int, str] | None:
        """Find the end and the name of the innermost function around a place of the text."""

    def callers(self, function: str) -> Collection[PlacedCall]:
        """Find the calls of the functions of a name."""

    def uses_elsewhere(self, function: str) -> Collection[Use]:
        """Tell of each call in other files what becomes of what a function returns."""

    def arguments_around(self, index: int) -> Arguments | None:
        """Find the innermost arguments, or the list, around a place of the text."""

    def own_function_given(self, arguments: Arguments) -> str:
        """Name the function of the file that is given some arguments; empty if it is another's."""

    def parameters(self, function: str, position: int, keyword: str) -> Collection[OwnParameter]:
        """Find the parameters of the functions of a name that are given an argument."""

    def is_result(self, index: int) -> bool:
        """Tell whether the last expression of a function begins at a place, and is its result."""


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


class _Taken(NamedTuple):
    """The parameter that functions of the file have at a position, or by a name."""

    function: str
    position: int
    keyword: str


_Stop: TypeAlias = _Place | _Uses | _Callers | _Taken
"""Where a value may come to on its way: a place, the uses of a name, callers or a function."""


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
        self._shown: dict[_Stop, bool] = {}
        """Whether each stop leads to what has a name for a login."""
        self._owned: dict[str, Mapping[str, Sequence[int]]] = {}
        """The places of each name by what it is of there."""

    @cached_property
    def _speaks_of_keys(self) -> bool:
        """Whether the text has a word of some key: most files are opened for something else."""
        return _SPEAKS_OF_KEYS.search(self._text) is not None

    def makes_key(self, call: PlacedCall) -> bool:
        """Tell whether the result of a call goes into a cipher."""
        if not (self._speaks_of_keys or self._functions.may_be_called_elsewhere):
            return False
        place = self._place_of(call)
        if self._leads_to_key(place):
            return True
        for filled in _FILLED.finditer(self._text, place.start, place.end):
            if self._leads_to_key(self._uses(filled["name"], place.end, place.limit)):
                return True
        return False

    def is_key(self, name: str, start: int, end: int) -> bool:
        """Tell whether the value of a name goes into a cipher within some range."""
        return self._speaks_of_keys and self._leads_to_key(self._uses(name, start, end))

    def _place_of(self, call: PlacedCall) -> _Place:
        return _Place(call.start, call.end, call.within or len(self._text))

    def _uses(self, name: str, start: int, end: int) -> _Uses:
        return _Uses(name, bisect_left(places_in(self._text)[name], start), end)

    def _fields(self, name: str, owner: str) -> _Uses:
        return _Uses(name, 0, len(self._text), is_field=True, owner=owner)

    def _leads_to_key(self, first: _Stop) -> bool:
        if first not in self._visited:
            self._visit_from(first, self._visited, self._next_stops)
        return self._visited[first] and not self._is_for_login(first)

    def _is_for_login(self, first: _Stop) -> bool:
        """Tell whether something that is made of a value is named for a login.

        The name of the value itself says nothing that a cipher does not say better.
        """
        for stop in self._next_stops(first) or ():
            if stop not in self._shown:
                self._visit_from(stop, self._shown, self._next_to_login)
            if self._shown[stop]:
                return True
        return False

    def _visit_from(
        self,
        first: _Stop,
        visited: dict[_Stop, bool],
        next_stops: Callable[[_Stop], Collection[_Stop] | None],
    ) -> None:
        """Visit each new stop that a value may come to, and mark those that lead to an end.

        An end is a stop for which ``next_stops`` lists nothing but ``None``.
        """
        leading = []
        came_from: dict[_Stop, list[_Stop]] = {first: []}
        missing: dict[_Stop, int] = {}
        pending = [first]
        for stop in pending:  # Grows while it is read.
            if stop in visited:
                if visited[stop]:
                    leading.append(stop)
                continue
            visited[stop] = False
            following = next_stops(stop)
            if following is None:
                leading.append(stop)
                continue
            missing[stop] = 1
            # A function that returns hashes of passwords, too, has a caller that wants one.
            if isinstance(stop, _Callers) and visited is self._visited:
                missing[stop] = len(following)
            for other in following:
                if other not in came_from:
                    came_from[other] = []
                    pending.append(other)
                came_from[other].append(stop)
        # From the ends back, whatever circles the names make.
        for stop in leading:  # Grows while it is read.
            visited[stop] = True
            for earlier in came_from[stop]:
                missing[earlier] -= 1
                if not missing[earlier]:
                    leading.append(earlier)

    def _next_to_login(self, stop: _Stop) -> Collection[_Stop] | None:
        """List where a value comes to from a stop; ``None`` if it has a name for a login."""
        if not isinstance(stop, _Place):
            return self._next_stops(stop) or ()
        before = max(0, stop.start - BEFORE)
        assigned = ASSIGNED.search(self._text, before, stop.start)
        if assigned is not None:
            name = assigned["name"]
            is_field = bool(self._owner_before(assigned.start("name")))
            is_kept = is_field and _PASSWORD_NAME.fullmatch(name)
            if is_kept or _LOGIN_NAME.fullmatch(name):
                return None
        following = self._next_stops(stop)
        if following is not None:
            return following
        # An HKDF makes keys and tokens alike.
        arguments = self._functions.arguments_around(stop.start)
        if arguments is None or arguments.is_list:
            return ()
        given = self._given(arguments, stop.start)
        if given is None:
            return ()
        if "hkdf" in given.name.lower() or self._is_given_to_hkdf(given):
            return (_Place(arguments.start, arguments.end, stop.limit),)
        return ()

    def _next_stops(self, stop: _Stop) -> Collection[_Stop] | None:
        """List where a value comes to from a stop; ``None`` if that is a cipher."""
        if isinstance(stop, _Callers):
            return self._next_of_callers(stop.function)
        if isinstance(stop, _Uses):
            return self._next_of_uses(stop)
        if isinstance(stop, _Taken):
            return [self._uses(*taken) for taken in self._functions.parameters(*stop)]
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
        return (_Place(start, end, limit), later)

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

    def _becomes_a_key(self, given: _Given) -> bool:
        """Tell whether a call takes an argument as a key, or makes keys of it."""
        if not (_is_key_of(given) or self._is_given_to_hkdf(given)):
            return False
        # A key from which the bytes are taken out again only held them.
        return _TAKEN_OUT.match(self._text, given.arguments.end) is None

    def _next_of_place(self, place: _Place) -> Collection[_Stop] | None:
        text = self._text
        start, end, limit = place
        before = max(0, start - BEFORE)
        if _PROPERTY.search(text, before, start):
            return None
        arguments = self._functions.arguments_around(start)
        if arguments is not None and arguments.is_list:
            return (_Place(arguments.start, arguments.end, limit),)
        given = None
        if arguments is not None:
            given = self._given(arguments, start)
        if given is not None and self._becomes_a_key(given):
            return None
        copied = _COPIED_TO.search(text, before, start)
        if copied is not None:
            return (self._uses(copied["slice"] or copied["array"], end, limit),)
        loop = _LOOP_OVER.search(text, before, start) or _IN_LOOP.match(text, end, limit)
        if loop is not None:
            # A comprehension uses the name before it says where that is from.
            return (self._uses(loop[loop.lastgroup or "name"], before, limit),)
        chain = CHAIN.match(text, end, limit)
        if chain is not None:
            end = chain.end()
            # A method may write what it makes into a variable.
            filled = _FILLED.search(chain[0])
            if filled is not None:
                return (self._uses(filled["name"], end, limit),)
        # What is given to a function becomes what that returns, and what uses the parameter.
        if given is not None:
            result = _Place(given.arguments.start, given.arguments.end, limit)
            function = self._functions.own_function_given(given.arguments)
            if not function:
                return (result,)
            return (result, _Taken(function, given.position, given.keyword))
        assigned = ASSIGNED.search(text, before, start) or _ENTRY.search(text, before, start)
        if assigned is not None:
            stops = self._next_of_assigned(assigned, before, end, limit)
            if stops is None:
                return None
            return (*stops, *self._callers_of(start))
        return self._callers_of(start)

    def _callers_of(self, start: int) -> Collection[_Stop]:
        """List the callers of the function that returns a value, if one does."""
        returned = _RETURNED.search(self._text, max(0, start - BEFORE), start)
        if not (returned or self._functions.is_result(start)):
            return ()
        around = self._functions.around(start)
        if around is None:
            return ()
        _, function = around
        return (_Callers(function),)

    def _given(self, arguments: Arguments, place: int) -> _Given | None:
        """Find what a value is given to as an argument; ``None`` if it is only a part of one."""
        text = self._text
        before = max(0, arguments.inside - BEFORE)
        called = _CALLED.search(text, before, arguments.inside)
        if called is None:
            return None
        position = arguments.at(place)
        begins = arguments.inside
        if arguments.places:
            begins = arguments.places[position]
        member = _MEMBER.search(text, begins, place)
        if member is None and _PART_OF_OTHER.search(text, begins, place):
            return None
        keyword = _KEYWORD.match(text, begins, place)
        keyword_name = ""
        if keyword is not None:
            keyword_name = keyword["name"]
        return _Given(
            arguments=arguments,
            name=called["name"],
            name_starts=called.start("name"),
            position=position,
            keyword=keyword_name,
            is_member=member is not None,
        )

    def _is_given_to_hkdf(self, given: _Given) -> bool:
        """Tell whether a call is one of a method of an HKDF that is made in front of it."""
        start = given.name_starts
        made = _OF_HKDF.search(self._text, max(0, start - BEFORE), start)
        return made is not None and "hkdf" in made["name"].lower()

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
                wanting.add(self._place_of(call))
        return wanting

    def _next_of_assigned(
        self, assigned: re.Match[str], before: int, end: int, limit: int
    ) -> Collection[_Stop] | None:
        name = assigned["name"]
        if _KEY_NAME.search(name):
            return None
        owner = self._owner_before(assigned.start("name"))
        if self._is_of_object(before, assigned.end("name")):
            owner = ""
        elif not owner:
            return (self._uses(name, end, limit),)
        # A hash is kept there, and whatever else has such a field need not be followed.
        if _PASSWORD_NAME.fullmatch(name):
            return ()
        return (self._fields(name, owner),)

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


def may_make_key(function: str) -> bool:
    """Tell whether the name of a function speaks of a key, and of no hash or account."""
    words = name_words(function)
    return not {"key", "keys"}.isdisjoint(words) and _OF_ACCOUNTS.search(function) is None


def may_be_hashed(around: Sequence[str]) -> bool:
    """Tell by the words around a call whether its result may be a hash of a password."""
    return any(map(_OF_ACCOUNTS.search, around))


def makes_password(function: str) -> bool:
    """Tell by its name whether the result of a function takes the place of a password."""
    return _MAKES_PASSWORD.fullmatch(function) is not None


def may_derive_keys(function: str) -> bool:
    """Tell by the text of a function whether it may make keys: no library makes one by bcrypt."""
    return _DERIVES.search(function) is not None or _BCRYPT.search(function) is None


def _is_key_of(given: _Given) -> bool:
    """Tell whether an argument of a call is the key of a cipher."""
    if not _CIPHER.search(given.name):
        return False
    is_text = not (given.position or given.is_member)
    return not (is_text and _TAKES_TEXT.match(last_word(given.name)))


_Value = TypeVar("_Value")


class NamedRanges(Generic[_Value]):
    """Ranges of a text that lie in one another, such as its functions, with a value for each."""

    def __init__(self, names: Mapping[tuple[int, int], _Value]) -> None:
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

    def around(self, index: int, *, begins_before: bool = False) -> tuple[int, _Value] | None:
        """Find the end and the value of the innermost range around a place, if any."""
        last = (index, sys.maxsize)
        if begins_before:
            last = (index, 0)
        number = bisect_right(self._ranges, last) - 1
        while number >= 0:
            place = self._ranges[number]
            if index < place[1]:
                return place[1], self._names[place]
            number = self._outer[number]
        return None

"""Fast digests of passwords in one source file, such as MD5, that are kept like a hash.

One is listed if what is digested is named as a password, and the digest is stored in, returned
as or compared with something named password or hash. What goes on to a password hasher, an HMAC
or a server is not.
"""

from __future__ import annotations

import enum
import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from hashcost.source_code.costs import Setting
from hashcost.source_code.digest_words import (
    COMPARES,
    CONVERTS,
    DIGESTS_ANY,
    ENCODES,
    GOES_ON,
    HASHES,
    IS_HASH,
    IS_SALT,
    IS_SEED,
    KEYED,
    MAKES_HASHES,
    OF_VISIT,
    SALT,
    SENDS,
    SENDS_MAP,
    SETS,
    VERIFIES,
    digest_named,
    is_kept,
    is_of_password,
    is_password,
    names_a_password,
    names_in,
)
from hashcost.source_code.names import unadorned
from hashcost.source_code.parsed.declarations import OWN_OBJECTS
from hashcost.source_code.parsed.file import ParsedFile
from hashcost.source_code.parsed.translation import children, start_of
from hashcost.source_code.parsed.values import ParameterPlace
from hashcost.source_code.project import Project, is_of, plain_name
from hashcost.source_code.reading.arguments import text_of
from hashcost.source_code.rules import last_word, load_language
from hashcost.source_code.uses import places_in
from hashcost.source_code.values import shown

if TYPE_CHECKING:
    from ast_grep_py import SgNode

_ASSIGNED: Final = re.compile(r"(?<![=!<>+\-*/%|&^~])(?::=|=>|=|:|<-)\s*+$")
"""The end of what stands before a value that something is given: ``hash =``, ``hash =>``."""
_BECOMES: Final = re.compile(r"\s*(?::[^=\n]{0,80})?(?::|\?\?|\|\|)?=(?![=>~])")
"""The beginning of what follows a name that is given another value."""
_SIGN: Final = re.compile(r"(?::=|=>|=|:|<-)\s*+$")
"""The sign between a target and its value."""
_TYPED: Final = re.compile(r":\s*+[\w\s<>\[\]?.&,|]*+$")
"""The type that is written behind a target: ``hash: string``."""
_IS_EQUAL_BEFORE: Final = re.compile(r"(?:[!=]==?|<>)\s*+$")
_IS_EQUAL_BEHIND: Final = re.compile(
    r"\s*+\)*\s*+(?:[!=]==?|<>)\s*+(?P<other>.{0,200})", re.DOTALL
)
"""A comparison in front of a value, and behind it, with what it is compared with."""
_OPERAND_ENDS: Final = re.compile(r"&&|\|\||[;{}\n]|\b(?:and|or|if|then|do)\b")
"""Signs and words that part a comparison from the rest of a condition."""
_OWN: Final = OWN_OBJECTS | {"Self", "cls", "class", "exports"}
"""Names by which a file calls functions of its own, also those of a class or a module."""
_NAMED_BEFORE: Final = re.compile(
    r"['\":](?P<name>\w++)['\"]?\s*+,\s*+(?:['\"](?:=|==|like)['\"]\s*+,\s*+)?$", re.IGNORECASE
)
"""An argument that names the next one: ``where('password', md5($password))``."""
_IN_QUERY: Final = re.compile(
    r"\b(?P<name>\w++)[`\"\]]?\s*+=\s*+\\?['\"]*+\s*+[.+]?\s*+$", re.IGNORECASE
)
"""A text that goes on with the digest: ``"... password = '" . md5($password)``."""
_IN_STATEMENT: Final = re.compile(
    r"\b(?:insert\s++into|update)\s[^;]{0,300}?\b\w*(?:passw|pwd|pass_?hash)"
    r"|\bselect\s[^;]{0,300}?\bwhere\s[^;]{0,200}?\b\w*(?:passw|pwd|pass_?hash)",
    re.IGNORECASE,
)
"""A statement of SQL that sets a column for passwords, or asks for it, by values given besides."""
_OF_PWNED: Final = "sha1"
_PWNED: Final = re.compile("pwned", re.IGNORECASE)
_PWNED_SERVICE: Final = re.compile("pwnedpasswords|haveibeenpwned", re.IGNORECASE)
"""Have I Been Pwned is asked by SHA-1, in a function or by its address elsewhere in the file."""
_RANGE: Final = re.compile(
    r"\s*+(?:\.\w++\(|\[)\s*+(?:0\s*+(?:,|:|\.\.)\s*+|:\s*+|\.\.\s*+)[45]\b|\s*+,\s*+0\s*+,\s*+5\b"
)
"""The beginning of a digest, which is all that Have I Been Pwned is sent."""
_METHOD_OF_NAME: Final = re.compile(
    r"(?:new\s++)?[$@]?(?P<name>\w++)\s*+(?:\?\.|->|\.|::)\s*+\w++\s*+"
)
"""A method that is called on a plain name: ``h.update``."""
_WRITES_TO_FIRST: Final = re.compile(r"(?:io\.WriteString|fmt\.Fprint(?:f|ln)?)\s*+")
"""Functions of Go that write to what they are given first."""
_CONSTRUCTOR: Final = re.compile(r"new\s")
"""The word before a type of which an object is made."""
_BY_NAME_OF_TYPE: Final = ("kotlin", "python", "rust")
"""Languages in which what is called by a capitalized name is a type."""
_METHOD: Final = re.compile(
    r"\s*+(?:\?\.|\?->|\.|->|::)\s*+(?P<name>\w++)\s*+\((?P<given>[^()]*+)"
)
"""A method that is called on a value, with its arguments."""
_VALUES_END: Final = re.compile(
    r"statement|^block$|body$|^statements$|^program$|^source|^module$|compilation_unit|do_block"
    r"|declaration_list|^class|^ERROR$"
)
"""The kinds of node in which no value goes on to another one."""
_BODIES: Final = re.compile(r"^block$|^body|do_block")
"""The kinds of node whose last expression may be what a function returns."""
_IMPLICIT: Final = ("ruby", "rust", "elixir")
"""Languages in which a function returns its last expression."""
_LOCAL_BY_ASSIGNMENT: Final = ("python", "php", "ruby", "elixir")
"""Languages in which a plain name that a function assigns is its own."""
_NAMED_ALONE: Final = re.compile(r"(?:\w++(?:\.|::|->))*+['\"]?(?P<name>[\w-]++)['\"]?")
"""An argument that is only a name or a short text: ``HashAlgorithm.SHA256``, ``"sha-256"``."""
_HASHED_SLOWLY: Final = re.compile(
    r"(?:bcrypt|scrypt|argon2|pbkdf2)\w{0,40}+(?:\.\w{1,40}+){0,3}+\(", re.IGNORECASE
)
"""A call of a password hasher."""
_REPLACES: Final = re.compile("replace|gsub", re.IGNORECASE)
"""Functions that put one text in the place of another."""
_NAME: Final = re.compile(r"[^\W\d]\w*")
_IGNORED: Final = frozenset({"err", "_", "this", "self"})
"""Names that hold no digest, and objects whose other members have other values."""
_IS_FIELD: Final = re.compile(r"\.|\[|->")
"""Signs that a target is a member of something."""
_REPETITIONS: Final = re.compile(
    r"^[1-9][0-9]{4,}+$|(?:\b|_)(?:iterations?|rounds)$|(?-i:Iterations?|Rounds)$", re.IGNORECASE
)
"""An argument that says how often a digest is repeated: ``SimpleHash("MD5", p, salt, 200000)``.

Fewer than 10,000 protect little, and may be a size: ``sha3(password, 512)``.
"""
_LOOP: Final = re.compile(r"^(?:do(?!_block)|while|for|until)(?:_|$)")
"""The kinds of node that repeat what is in them; each function of Elixir has a ``do_block``."""
_CONDITIONAL: Final = re.compile(r"ternary|conditional|case|switch")
"""The kinds of node whose colons give nothing a value."""
_RETURNS: Final = re.compile(r"return|^jump_expression$")
"""The kinds of node that return a value."""
_DEFINES: Final = re.compile(r"defp?\s+(\w+)")
"""A function of Elixir, which is a call of ``def`` to its grammar."""
_MAY: Final = re.compile(
    r"(?:md5|sha|blake|ripemd|hash|digest|update|write|sum|new|compute)\w{0,40}+\s{0,9}+\([^;]{0,200}?"
    r"(?:password|passwd|pwd|passphrase)"
    r"|(?:password|passwd|pwd|passphrase)\w{0,40}(?:(?:\(\))?\??\.\w{1,40}){0,3}(?:\(\))?\??\."
    r"(?:to_?)?(?:md5|sha|blake)\w{0,20}\(\)"
)
"""A function that may digest, and a password soon behind it, or one that is a method of a
password. The text is in lower case: a search that ignores case takes seven times as long."""
_MAY_LATER: Final = re.compile(
    r"=[^=\n]{0,80}?(?:password|passwd|pwd|passphrase)[^\n]{0,80}\n"
    r"(?:[^\n]{0,200}\n){0,3}?[^\n]{0,200}?(?:md5|sha\w{0,4}[-_]?\d|blake|ripemd|digest)\w{0,40}+\s{0,9}+\("
)
"""A name that is given something made of a password, and a digest on one of the next lines."""
_DIGESTS: Final = re.compile(r"md5|sha\w{0,4}[-_]?\d|blake|ripemd|digest")
"""A word of a digest, in text in lower case."""
_NAMED_FOR_HASHES: Final = re.compile(
    r"(?:\b(?:function|defp?|fun|func|fn|public|private|protected|internal|static)\s[^;(){}=\n]{0,80}?"
    r"(?:hash|pass|pwd)\w{0,40}\s?\(|(?:hash|pass|pwd)\w{0,40}\s?[=:]\s?(?:async\s)?(?:function|\()"
    r"|(?:hash|pass|pwd)\w{0,40}\s?\([^(){};]{0,200}\)\s{0,40}(?::[^(){};=]{0,80})?(?:\{|=>))"
)
"""The definition of a function whose result is a hash by its name, in text in lower case.

A method of a class may have no word before its name but its type, or none.
"""
_OF_BROWSERS: Final = ("javascript", "typescript")
_OF_NODE: Final = "createHash"
_GIVEN: Final = "the argument "
"""So the reader of Python calls what a function is given."""
_IN_BROWSER: Final = re.compile(
    r"\bdocument\.\w|\bwindow\.\w|XMLHttpRequest|\bjQuery\b|\$\.(?:ajax|post|get)"
)
"""Signs that a script runs in a browser, which keeps no digest."""
_NO_CODE: Final = re.compile(
    r"""//[^\n]*+|/\*(?:[^*]|\*(?!/))*+(?:\*/|\Z)"""
    r"""|"(?:[^"\\\n]|\\.)*+"?|'(?:[^'\\\n]|\\.)*+'?|`(?:[^`\\]|\\.)*+`?""",
    re.DOTALL,
)
"""A comment or a string of JavaScript, even if nothing closes it."""
_REACH: Final = 200
"""So many characters around a value are looked at for the name of what holds it."""
_NOT_A_USE: Final = frozenset((".", ">", ":", "'", '"', "`"))
"""Signs before the name of a member, or before a text such as a key."""


class _Fate(enum.IntEnum):
    """The use of a digest; of several, the highest counts."""

    UNKNOWN = 0
    KEPT = 1
    """Its holder, or what it is compared with, is named as a password or a hash."""
    GOES_ON = 2


class _UsesBehind(NamedTuple):
    """The uses of a name from one of them on, up to the end of a function."""

    name: str
    number: int
    end: int


_Stop: TypeAlias = "SgNode | _UsesBehind"
"""Where a value may come to on its way."""


@dataclass(frozen=True, kw_only=True)
class FastDigest(Setting):
    """A fast digest of a password; its ``hasher`` is the digest."""


def may_digest(text: str, language: str) -> bool:
    """Tell by a quick search whether a file can digest a password that it keeps."""
    lowered = text.lower()
    if _MAY.search(lowered) is None and _MAY_LATER.search(lowered) is None:
        return False
    return not (language in _OF_BROWSERS and _runs_in_browser(text))


def _may_be_of_password(near: str) -> bool:
    """Tell by what stands near some arguments, in lower case, whether they may be digested."""
    return _MAY.search(near) is not None or _DIGESTS.search(near) is not None


def _runs_in_browser(text: str) -> bool:
    """Tell whether the code of a script, without comments and strings, has a sign of a browser."""
    if _IN_BROWSER.search(text) is None:  # Most scripts have not even that.
        return False
    return _IN_BROWSER.search(_NO_CODE.sub(" ", text)) is not None


def may_help(text: str, language: str) -> bool:
    """Tell by a quick search whether a file can digest what others pass as a password."""
    # A browser runs other scripts, too, and sends the digest to a server.
    if language in _OF_BROWSERS and _OF_NODE not in text:
        return False
    lowered = text.lower()
    if _DIGESTS.search(lowered) is None:
        return False
    return _NAMED_FOR_HASHES.search(lowered) is not None


def digests_of_parameters(
    text: str, language: str, grammar: str | None, path: str, project: Project
) -> tuple[FastDigest, ...]:
    """Find the fast digests of parameters for which callers in the project pass a password."""
    rules = load_language(language)
    if grammar is None:
        grammar = next(iter(rules.grammars.values()))
    return tuple(_DigestReader(text, rules, grammar, path, project).of_parameters())


def digests_in(text: str, language: str, grammar: str | None = None) -> tuple[FastDigest, ...]:
    """Find the fast digests of passwords in a source text, by the rules of a language.

    Raises:
        UnavailableError: the grammars are not installed.
    """
    rules = load_language(language)
    if not may_digest(text, language):
        return ()
    if grammar is None:
        grammar = next(iter(rules.grammars.values()))
    return tuple(_DigestReader(text, rules, grammar, "", None).digests())


class _DigestReader(ParsedFile):
    """Finds the digests of passwords in one file, and what becomes of them."""

    def of_parameters(self) -> Iterator[FastDigest]:
        """List those of parameters that callers give passwords, in the order of the file."""
        for arguments in self._found(self._grammar.arguments):
            start, end = start_of(arguments), arguments.range().end.index
            near = self.text[max(0, start - _REACH) : end]
            if end - start >= 2 * _REACH or _DIGESTS.search(near.lower()) is None:
                continue
            parameters = list(filter(None, map(self._parameter_in, children(arguments))))
            if not parameters:
                continue
            digest = self._kept_digest(arguments)
            # Callers are looked for in all files, and few digests are kept by their names.
            if digest and any(map(self._takes_passwords, parameters)):
                yield digest

    def _parameter_in(self, argument: SgNode) -> SgNode | None:
        """Find the parameter that an argument is, maybe with a salt, under another name."""
        names = [name for name in names_in(argument.text()) if not SALT.search(name)]
        if len(names) != 1 or is_password(names[0]):
            return None
        definitions = self.declared.visible(names[0], start_of(argument))
        if len(definitions) != 1 or not definitions[0].is_parameter:
            return None
        return definitions[0].by

    def _takes_passwords(self, parameter: SgNode) -> bool:
        """Tell whether any caller gives a parameter a password."""
        place = self.place_of(parameter)
        return place is not None and any(map(is_of_password, self._given_at(place)))

    def _given_at(self, place: ParameterPlace) -> Iterator[str]:
        """List what callers in the whole project give a parameter, as they write it."""
        function, wanted, homes = place
        for arguments in self.calls.by_name.get(function, ()):
            parts = children(arguments)
            if wanted.at < len(parts) and self._may_call_own(arguments, homes or ()):
                yield parts[wanted.at].text()
        if self.project is None or not homes:
            return
        for _, call in self.project.calls_of(function, wanted, self._path, homes):
            value = call.argument(wanted.name, wanted.at)
            if value is not None:
                yield text_of(value.data).removeprefix(_GIVEN)

    def _may_call_own(self, arguments: SgNode, homes: Collection[str]) -> bool:
        """Tell whether a call in the file may be one of its own functions, known by ``homes``.

        A member that is asked for something has a method of that name, too.
        """
        *receiver, _ = plain_name(unadorned(self.calls.name_of(arguments)[0])).split(".")
        # A method of Go gives its own object a name.
        if not receiver or (self._language.language == "go" and len(receiver) == 1):
            return True
        return receiver[-1].strip("$@") in _OWN or is_of(receiver, homes)

    def digests(self) -> Iterator[FastDigest]:
        """List them in the order of the file."""
        for arguments in self._found(self._grammar.arguments):
            start, end = arguments.range().start.index, arguments.range().end.index
            # What stands there already tells of most that they are about something else.
            near = self.text[max(0, start - _REACH) : end]
            is_short = end - start < 2 * _REACH
            if not is_short or not _may_be_of_password(near.lower()):
                continue
            if any(map(is_of_password, self._digested_in(arguments))):
                digest = self._kept_digest(arguments)
                if digest is not None:
                    yield digest

    def _digested_in(self, arguments: SgNode) -> Sequence[str]:
        """List what may be digested: the arguments of a call, or else what it is called on."""
        given = []
        for part in children(arguments):
            given += [part.text(), *self._put_together(part)]
        call = self.calls.call_of.get(arguments)
        if not given and call is not None:
            given.append(_receiver_of(self.text[start_of(call) : start_of(arguments)]))
        return given

    def _put_together(self, argument: SgNode) -> Iterator[str]:
        """Find the expression of which a name was made before: ``salted = password + salt``."""
        written = list(names_in(argument.text()))
        # A name may say that a salt is in it, too.
        names = [name for name in written if not SALT.search(name)] or written
        if len(names) != 1 or is_password(names[0]):
            return
        definitions = self.declared.visible(names[0], start_of(argument))
        if len(definitions) == 1 and definitions[0].value is not None:
            yield definitions[0].value.text()

    def _kept_digest(self, arguments: SgNode) -> FastDigest | None:
        """Read the digest of some arguments, if it is kept."""
        call = self.calls.call_of.get(arguments)
        if call is None or self.stages.is_in_tests(arguments):
            return None
        start = start_of(arguments)
        written = self.text[start_of(call) : start]
        digest = self._digest_of(written, arguments)
        if not digest or self._asks_whether_it_leaked(digest, call):
            return None
        if any(_REPETITIONS.search(part.text()) for part in children(arguments)):
            return None
        if self._digests_what_is_hashed(arguments):
            return None
        if self._takes_what_it_is_compared_with(call, arguments):
            return None
        if self._replaces_what_it_digests(call, arguments):
            return None
        if self._fate_of_result(written, arguments, call) is not _Fate.KEPT:
            return None
        return FastDigest(
            line=self.text.count("\n", 0, start) + 1,
            call=shown(written).lstrip(":"),
            hasher=digest,
        )

    def _digests_what_is_hashed(self, arguments: SgNode) -> bool:
        """Tell whether a password hasher made what is digested, which kept the password's name."""
        start = start_of(arguments)
        names = {name for part in children(arguments) for name in names_in(part.text())}
        for name in filter(is_password, names):
            made_of = ""
            for definition in self.declared.visible(name, start):
                if definition.by.range().end.index <= start and definition.value is not None:
                    made_of = definition.value.text()
            if _HASHED_SLOWLY.search(made_of):
                return True
        return False

    def _takes_what_it_is_compared_with(self, call: SgNode, arguments: SgNode) -> bool:
        """Tell whether a call is given the stored hash, as crypt(3) is: ``md5(p, hash) == hash``.

        Salt and rounds are in that hash.
        """
        start, end = start_of(call), call.range().end.index
        before = _IS_EQUAL_BEFORE.search(self.text[max(0, start - _REACH) : start])
        behind = _IS_EQUAL_BEHIND.match(self.text[end : end + _REACH])
        for part in children(arguments)[1:]:
            given = part.text()
            if before is not None and before.string[: before.start()].rstrip().endswith(given):
                return True
            if behind is not None and behind["other"].startswith(given):
                return True
        return False

    def _replaces_what_it_digests(self, call: SgNode, arguments: SgNode) -> bool:
        """Tell whether a text shows the digest in place of the password, as a log does."""
        digested = {name for part in children(arguments) for name in names_in(part.text())}
        around = self.declared.function_around(call)
        for function, lists in self.calls.by_name.items():
            if not _REPLACES.search(function):
                continue
            for given in lists:
                parts = [part.text() for part in children(given)]
                # Go names the text first, and PHP last; others call its method.
                if self._language.language == "go":
                    parts = parts[1:]
                names = set(parts[:2])
                if names & digested and self.declared.function_around(given) == around:
                    return True
        return False

    def _asks_whether_it_leaked(self, digest: str, call: SgNode) -> bool:
        """Tell whether a digest is for Have I Been Pwned: names there look as if it were kept."""
        if digest != _OF_PWNED:
            return False
        if _PWNED_SERVICE.search(self.text):
            return True
        return any(
            _PWNED.search(function.text()) for _, function in self.declared.functions_around(call)
        )

    def _fate_of_result(self, written: str, arguments: SgNode, call: SgNode) -> _Fate:
        """Tell what becomes of the result of a call."""
        fate = max(self._fate(call), self._fate_of_object(written, arguments, call))
        # A loop that writes its bytes one by one is not followed.
        if fate is _Fate.UNKNOWN and MAKES_HASHES.search(self._function_named(call)):
            return _Fate.KEPT
        return fate

    def _digest_of(self, written: str, arguments: SgNode) -> str:
        """Name the digest that a call computes; empty if it computes none."""
        if KEYED.search(written):
            return ""
        name = last_word(plain_name(unadorned(written)))
        if name.lower() in self._language.digests:
            holder = self._object_of(written, arguments)
            made = [value.text() for value in self._values_of(holder, arguments)]
            for text in (written, arguments.text(), *made):
                digest = digest_named(text)
                if digest:
                    return digest
            return ""
        if names_a_password(name):  # A function of the project.
            return ""
        function = plain_name(unadorned(written))
        return digest_named(name) or _digest_asked_for(function, children(arguments))

    def _object_of(self, written: str, arguments: SgNode) -> str:
        """Name the object whose method is called, or which Go writes to: ``h.Write``, ``Fprint``.

        Return an empty text without one.
        """
        match = _METHOD_OF_NAME.fullmatch(written)
        if match is None:
            return ""
        if _WRITES_TO_FIRST.fullmatch(written) and children(arguments):
            return children(arguments)[0].text()
        return match["name"]

    def _values_of(self, name: str, near: SgNode) -> Iterator[SgNode]:
        """Find the values of an object, by its name."""
        for definition in self.declared.visible(name, near.range().start.index):
            if definition.value is not None:
                yield definition.value

    def _fate_of_object(self, written: str, arguments: SgNode, call: SgNode) -> _Fate:
        """Tell what becomes of the object that is fed a password: ``h.update(password)``."""
        name = self._object_of(written, arguments)
        if not any(self._values_of(name, call)):
            return _Fate.UNKNOWN
        return self._fate(self._uses_behind(name, call))

    def _uses_behind(self, name: str, node: SgNode) -> _UsesBehind:
        """Find the uses of a name behind a node, in the function around."""
        first, end = node.range().end.index, len(self.text)
        for _, function in self.declared.functions_around(node):
            end = function.range().end.index
            break
        return _UsesBehind(name, bisect_left(self._uses.get(name, ()), first, key=start_of), end)

    @cached_property
    def _uses(self) -> dict[str, list[SgNode]]:
        """Group the nodes that are names, without members of other values and without texts."""
        uses = defaultdict(list)
        for node in self.root.find_all({"rule": {"regex": r"^[$@]?[A-Za-z_]\w*$"}}):
            start = node.range().start.index
            if not node.children() and self.text[max(0, start - 1) : start] not in _NOT_A_USE:
                uses[node.text().lstrip("$@")].append(node)
        return uses

    def _fate(self, start: _Stop) -> _Fate:
        """Tell what becomes of a value, wherever names and functions hand it on.

        Each stop is looked at once for all values, so this takes time in proportion to the file.
        """
        pending = [start]
        while pending:
            stop = pending.pop()
            if stop in self._fates:
                continue
            fate, onward = self._step_from(stop)
            for other in onward:
                self._sources[other].append(stop)
                fate = max(fate, self._fates.get(other, _Fate.UNKNOWN))
            self._fates[stop] = fate
            self._hand_back(stop)
            pending += onward
        return self._fates[start]

    def _hand_back(self, stop: _Stop) -> None:
        """Raise the fates of all values that come to a stop to its own."""
        fate = self._fates[stop]
        pending = [stop]
        while pending:
            for source in self._sources[pending.pop()]:
                if self._fates[source] < fate:
                    self._fates[source] = fate
                    pending.append(source)

    @cached_property
    def _fates(self) -> dict[_Stop, _Fate]:
        return {}

    @cached_property
    def _sources(self) -> defaultdict[_Stop, list[_Stop]]:
        return defaultdict(list)

    def _step_from(self, stop: _Stop) -> tuple[_Fate, Sequence[_Stop]]:
        """Tell what becomes of a value at one stop, and to which ones it goes on."""
        onward: list[_Stop] = []
        if not isinstance(stop, _UsesBehind):
            return self._followed(stop, onward), onward
        uses = self._uses.get(stop.name, ())
        if stop.number < len(uses) and start_of(uses[stop.number]) < stop.end:
            onward += [uses[stop.number], stop._replace(number=stop.number + 1)]
        return _Fate.UNKNOWN, onward

    def _followed(self, node: SgNode, onward: list[_Stop]) -> _Fate:
        """Follow the value of a node through what is around it; ``onward`` takes further stops."""
        fate = _Fate.UNKNOWN
        for above in node.ancestors():
            kind = above.kind()
            place, inner = above.range(), node.range()
            first, last = inner.start.index, inner.end.index
            before = self.text[max(place.start.index, first - _REACH) : first]
            behind = self.text[last : min(place.end.index, last + _REACH)]
            if _RANGE.match(self.text, last):
                return _Fate.GOES_ON
            if kind in self._grammar.arguments:
                is_in_map = fate is _Fate.KEPT
                given = self._fate_of_argument(node, above, before, is_in_map=is_in_map)
                if given is not None:
                    return max(fate, given)
            elif (
                self.declared.is_function(above)
                or _RETURNS.search(kind)
                or self._is_last(node, above)
            ):
                return max(fate, self._fate_of_returned(node, above, onward))
            elif self._ends_here(node, above, before, behind):
                return fate
            elif _ASSIGNED.search(before) and not _CONDITIONAL.search(kind):
                fate = max(fate, self._fate_of_assigned(before, node, above, onward))
                # PHP's entries of an array are assignments; the array may be of a session.
                is_entry = kind in self._grammar.pairs
                sets = (*self._grammar.definitions, *self._grammar.assignments)
                if kind in sets and not is_entry:
                    return fate
            else:
                chain = self.text[last : last + _REACH]
                # What goes on is the answer to the comparison.
                if _is_compared(before, behind, chain, node.text()):
                    return max(fate, _Fate.KEPT)
                if _is_in_query(before):
                    fate = max(fate, _Fate.KEPT)
            node = above
        return fate

    def _ends_here(self, node: SgNode, above: SgNode, before: str, behind: str) -> bool:
        """Tell whether a value goes no further, by the kind of what is around it."""
        kind = above.kind()
        if _VALUES_END.search(kind) and kind not in self._grammar.assignments:
            # A block of Rust that is no body of a function has its last value.
            return self._language.language != "rust" or not _is_last_below(node, above)
        if before.strip():
            return False
        # What begins an expression is a key, or is given another value.
        is_key = kind in self._grammar.pairs and bool(behind.strip())
        return is_key or _BECOMES.match(behind) is not None

    def _is_last(self, node: SgNode, above: SgNode) -> bool:
        """Tell whether a node is the last expression of a body, where that is returned."""
        language = self._language.language
        if language not in _IMPLICIT or not _is_last_below(node, above):
            return False
        around = above.parent()
        is_body = around is not None and self.declared.is_function(around)
        return is_body or language != "rust"

    def _fate_of_argument(
        self, node: SgNode, arguments: SgNode, before: str, *, is_in_map: bool
    ) -> _Fate | None:
        """Tell what becomes of an argument; ``None`` if the result of the call still holds it."""
        call = self.calls.call_of.get(arguments)
        if call is None:
            return None
        start = max(call.range().start.index, arguments.range().start.index - _REACH)
        name = plain_name(unadorned(self.text[start : arguments.range().start.index]))
        word = last_word(name)
        # Python and Go keep a function that only compares in their module of HMAC.
        if COMPARES.search(word) and not GOES_ON.search(name.removeprefix("hmac.")):
            # Two texts that are digested to be compared are stored as they are.
            made = [part for part in children(arguments) if "(" in part.text()]
            if len([part for part in made if digest_named(part.text())]) > 1:
                return _Fate.UNKNOWN
            if is_kept(name) or is_kept(arguments.text()[:_REACH]):
                return _Fate.KEPT
            return _Fate.UNKNOWN
        if GOES_ON.search(name) or SENDS.search(name):
            return _Fate.GOES_ON
        # A session of other languages is one of a database.
        if self._language.language == "php" and OF_VISIT.search(name):
            return _Fate.GOES_ON
        if is_in_map and SENDS_MAP.search(word):
            return _Fate.GOES_ON
        # A word before a list says what to do with it: `exec('hash', [password, 12])`.
        if node.text().startswith("["):
            before = ""
        makes_object = self._makes_object(call, word)
        if makes_object and IS_HASH.search(word):
            return _Fate.KEPT
        fate = _fate_by_neighbours(word, before, arguments, makes_object=makes_object)
        if fate is not _Fate.UNKNOWN:
            return fate
        if digest_named(word) and _is_answer_or_repeated(node, call):
            return _Fate.GOES_ON
        # What a function of the project does with passwords is seen where it is.
        if not names_a_password(word) and (CONVERTS.search(word) or digest_named(word)):
            return None
        return _Fate.UNKNOWN

    def _makes_object(self, call: SgNode, called: str) -> bool:
        """Tell whether a call makes an object that holds what it is given, and hashes nothing."""
        if HASHES.search(called):
            return False
        if _CONSTRUCTOR.match(self.text, start_of(call)):
            return True
        return self._language.language in _BY_NAME_OF_TYPE and called[:1].isupper()

    def _fate_of_assigned(
        self, before: str, node: SgNode, assignment: SgNode, onward: list[_Stop]
    ) -> _Fate:
        """Tell what becomes of a value that a name, a field or a key is given."""
        target = _TYPED.sub("", _SIGN.sub("", before)).strip()
        target = re.split(r"[;{},(\n]", target)[-1]
        if OF_VISIT.search(target):
            return _Fate.GOES_ON
        fate = _Fate.UNKNOWN
        # A parameter that is given its own digest goes where the password goes.
        if is_kept(target) and not self._is_parameter(target, node):
            fate = _Fate.KEPT
        names = [name for name in _NAME.findall(target) if name not in _IGNORED]
        if not names:
            return fate
        name = names[-1]
        # Each round digests what the last one made, as in phpass.
        is_made_of_itself = not is_password(name) and name in names_in(node.text())
        if is_made_of_itself and any(_LOOP.search(above.kind()) for above in node.ancestors()):
            return _Fate.GOES_ON
        if IS_SEED.search(name):
            return _Fate.GOES_ON
        if IS_SALT.search(name):  # The digest that it goes into has a row of its own.
            return _Fate.GOES_ON
        if _IS_FIELD.search(target):  # What holds it may be sent.
            name = names[0]
        elif self._is_variable(target, assignment) and not self._is_read(name, node):
            # The last assignment may be what a function returns; one of Rust has no value.
            language = self._language.language
            may_be_returned = language in _IMPLICIT and language != "rust"
            if not may_be_returned:
                return _Fate.UNKNOWN
        onward.append(self._uses_behind(name, node))
        return fate

    def _is_parameter(self, target: str, node: SgNode) -> bool:
        """Tell whether an assignment is one to a parameter of the function around a node."""
        around = next(self.declared.functions_around(node), None)
        if around is None:
            return False
        return target in self.declared.names_of_parameters(around[1])

    def _is_variable(self, target: str, assignment: SgNode) -> bool:
        """Tell whether an assignment to a plain name is one to a variable of a function."""
        language = self._language.language
        kind = assignment.kind()
        if kind not in self._grammar.definitions or target.startswith("@"):
            return False
        # Elsewhere a plain name may be that of a field.
        declares = kind not in self._grammar.assignments or language in _LOCAL_BY_ASSIGNMENT
        return declares and any(self.declared.functions_around(assignment))

    def _is_read(self, name: str, behind: SgNode) -> bool:
        """Tell whether a name is anywhere behind a node in the function around, texts included."""
        _, function = next(self.declared.functions_around(behind))
        places = places_in(self.text)[name]
        first, last = behind.range().end.index, function.range().end.index
        return bisect_left(places, first) < bisect_left(places, last)

    def _fate_of_returned(self, node: SgNode, above: SgNode, onward: list[_Stop]) -> _Fate:
        """Tell what becomes of what a function returns."""
        name = self._function_named(node)
        if not name:
            return _Fate.UNKNOWN
        fate = _Fate.UNKNOWN
        if (is_kept(name) and not VERIFIES.search(name)) or ENCODES.fullmatch(name):
            fate = _Fate.KEPT
        for use in self._uses.get(name, ()):
            call = use.parent()
            while call is not None and call.kind() not in self._grammar.calls:
                if call.range().start.index < use.range().start.index - _REACH:
                    break
                call = call.parent()
            if call is not None and call.kind() in self._grammar.calls:
                onward.append(call)
        return fate

    def _function_named(self, node: SgNode) -> str:
        if self._language.language != "elixir":
            return self.declared.function_around(node)
        for above in node.ancestors():
            match = _DEFINES.match(above.text())
            if match is not None:
                return match[1]
        return ""


def _is_last_below(node: SgNode, above: SgNode) -> bool:
    """Tell whether a node is the last expression of a block or of a body."""
    if not _BODIES.search(above.kind()):
        return False
    below = children(above)
    return bool(below) and below[-1].range() == node.range()


def _digest_asked_for(function: str, arguments: Sequence[SgNode]) -> str:
    """Name the digest that a function is told to make: ``hashData(SHA256, password)``."""
    if not DIGESTS_ANY.search(function) or names_a_password(function):
        return ""
    for argument in arguments:
        named = _NAMED_ALONE.fullmatch(argument.text())
        if named is not None and digest_named(named["name"]):
            return digest_named(named["name"])
    return ""


def _receiver_of(written: str) -> str:
    """Take what a method is called on: ``request.password`` of ``request.password.md5``."""
    return unadorned(written).rpartition(".")[0]


def _is_answer_or_repeated(argument: SgNode, call: SgNode) -> bool:
    """Tell whether a digest is digested with other values, or again and again.

    The one answers a challenge, the other is a password hasher such as phpass.
    """
    others = 0
    for name in names_in(argument.text()):
        is_added = is_password(name) or SALT.search(name) is not None
        if not (is_added or digest_named(name)):
            others += 1
    # One name is that of the digest itself.
    if others > 1:
        return True
    # A loop over users digests what it was just given.
    if "(" in argument.text():
        return False
    return any(_LOOP.search(above.kind()) for above in call.ancestors())


def _fate_by_neighbours(
    called: str, before: str, arguments: SgNode, *, makes_object: bool
) -> _Fate:
    """Tell what becomes of an argument by what is called, and by the other arguments."""
    named = _NAMED_BEFORE.search(before)
    if named is not None and is_kept(named["name"]):
        return _Fate.KEPT
    if SETS.match(called) and is_kept(called):
        return _Fate.KEPT
    if _IN_STATEMENT.search(arguments.text()[: 2 * _REACH]):
        return _Fate.KEPT
    if MAKES_HASHES.search(called) and not makes_object:
        return _Fate.GOES_ON
    return _Fate.UNKNOWN


def _is_in_query(before: str) -> bool:
    """Tell whether a text in front names a password or a hash, as one of SQL does."""
    in_query = _IN_QUERY.search(before)
    return in_query is not None and is_kept(in_query["name"])


def _is_compared(before: str, behind: str, chain: str, written: str) -> bool:
    """Tell whether a value is compared with a password or a hash, by what stands around.

    ``chain`` is what follows it, not only in its expression. A variable that is ``written``
    there may be named as a hash itself.
    """
    other = ""
    operand = ""
    is_equal_before = _IS_EQUAL_BEFORE.search(before)
    if is_equal_before is not None:
        other = before
        operand = _OPERAND_ENDS.split(before[: is_equal_before.start()].rstrip())[-1]
    is_equal = _IS_EQUAL_BEHIND.match(behind)
    if is_equal is not None:
        other = is_equal["other"]
        operand = _OPERAND_ENDS.split(other)[0]
    method = _METHOD.match(chain)
    if method is not None and COMPARES.search(method["name"]):
        other = method["given"]
        operand = chain[method.start("given") : method.end() + 1]
    # Two texts that are digested to be compared are stored as they are.
    if "(" in operand and digest_named(operand):
        return False
    is_variable = _NAME.fullmatch(written.lstrip("$")) is not None
    return bool(other) and (is_kept(other) or (is_variable and is_kept(written)))

"""Fast digests of passwords in one source file, such as MD5, that are kept like a hash.

One is listed if what is digested is named as a password, and the digest is stored in, returned
as or compared with something named password or hash. What goes on to a password hasher, an HMAC
or a server is not.
"""

from __future__ import annotations

import enum
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

from hashcost.source_code.parsed_file import ParsedFile
from hashcost.source_code.project import plain_name
from hashcost.source_code.reading import Setting, unadorned
from hashcost.source_code.rules import last_word, load_language
from hashcost.source_code.translation import children
from hashcost.source_code.values import shown

if TYPE_CHECKING:
    from ast_grep_py import SgNode

_ALGORITHM: Final = re.compile(
    r"(?:(?P<family>md|blake|ripemd)[-_]?(?P<version>5|2[bs]?|3|160)"
    r"|(?P<sha>sha)[-_]?(?P<third>3)?[-_.]?(?P<bits>512|384|256|224|1)|(?P<only>sha3))(?![0-9])",
    re.IGNORECASE,
)
"""The name of a fast digest: `MD5`, `sha-256`, `SHA3_512`, `blake2b`."""
_KEYED: Final = re.compile(
    r"hmac|cipher|pbkdf|bcrypt|scrypt|crypt\b|argon|ssha|createsign|verif|check|valid|compare|\bis",
    re.IGNORECASE,
)
"""Words of something else than a plain digest of its own."""
_CAMEL: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|_|(?<=[A-Z])(?=[A-Z][a-z])")
_PASSWORDS: Final = frozenset({"password", "passwd", "pwd", "passphrase"})
_SALT: Final = re.compile(r"salt|pepper", re.IGNORECASE)
"""Words for a text that is added to a password."""
_HASHED: Final = frozenset({"hash", "hashed", "encrypted", "encoded", "md5", "sha1", "sha256"})
"""Words of a name that say that it holds a hash already."""
_NEUTRAL: Final = re.compile(
    r"utf\w*|ascii\w*|unicode\w*|encoding|\w*charsets?|default|latin\w*|bytes?|string|str|to_s"
    r"|buffer|hex|base64|new|await|mut|this|self|as|and",
    re.IGNORECASE,
)
"""Words that say how a text becomes bytes."""
_PATH: Final = re.compile(
    r"(?P<path>[^\W\d]\w*+(?:(?:\?\.|\?->|\.|::|->)\w++|\[\s*+['\":]?\w++['\"]?\s*+\])*+[?!]?+)"
    r"(?P<called>\s*+\((?:\s*+['\"](?P<asked>\w++)['\"]\s*+\))?)?"
)
"""A value or a function, or a value that a function is asked for by its name."""
_LITERAL: Final = re.compile(
    r"(?P<before>[\[(]\s*+)?(?:\b[fbru]{1,2}(?=['\"])|[$@](?=\"))?"
    r"(?:'(?:[^'\\]|\\.)*+'|\"(?:[^\"\\]|\\.)*+\"|`[^`]*+`)",
    re.IGNORECASE,
)
_INSERTED: Final = re.compile(r"[$#]?\{(?P<whole>[^{}]*+)\}|\$(?P<name>[^\W\d]\w*+)")
_KEPT: Final = re.compile(r"pass_?wo?r?d|pwd|pass_?phrase|pass_?hash|hash", re.IGNORECASE)
"""The name of something that holds a password or its hash."""
_OTHER: Final = re.compile(
    r"key|token|cache|(?<![a-z])i[dv](?![a-z])|etag|check_?sum|file|url|path|session|cookie"
    r"|sign|color|hash_?map|secret|auth_?string|nonce|challenge|finger",
    re.IGNORECASE,
)
"""Words of a name that tell of another use."""
_GOES_ON: Final = re.compile(
    r"bcrypt|scrypt|argon|pbkdf|hmac|crypt$|hash_?pw|check_?pw|password_(?:hash|verify)"
    r"|passw\w{0,20}encoder|pass\w{0,20}_hash$|from_?password|and_?password|cipher|(?<![a-z])aes|fernet"
    r"|secret_?box|derive|key(?:spec)?$|hkdf|verify|matches",
    re.IGNORECASE,
)
"""Functions that make something else of a digest: a hasher, an HMAC, a cipher."""
_SENDS: Final = re.compile(
    r"(?:^|[._])(?:post|patch|fetch|ajax|request|axios|send\w{0,20}|emit|dispatch|invoke|url_?encode"
    r"|urlopen|publish|query_?params)$",
    re.IGNORECASE,
)
"""Functions that give a value to a server, which may hash it."""
_SENDS_MAP: Final = re.compile(r"log_?in|sign_?in|auth", re.IGNORECASE)
"""Functions that do so if they are given a map."""
_COMPARES: Final = re.compile(r"equal|compare|strcmp|\beq$|match", re.IGNORECASE)
_CONVERTS: Final = re.compile(
    r"hex|b64|base_?64|encode|decode|string|^str$|sprintf|format|bytes?|upper|lower|trim|strip|convert"
    r"|^from|concat|join|buffer|slice|substr|^new$|copy|array|escape|quote|digest|^some$|^ok$"
    r"|^into$|update|finali[sz]e|^sum$|wrap|expect|^hash$|^return$",
    re.IGNORECASE,
)
"""Functions that write a digest in another way."""
_PREPARES: Final = re.compile(
    rf"{_CONVERTS.pattern}|bytes|^get|clean|slashes|special|secure|entities|unquote|^from|value"
    r"|^text|^input$",
    re.IGNORECASE,
)
"""Functions that make a password ready for a digest."""
_SETS: Final = re.compile(r"^(?:set|update|save|store|change|with)", re.IGNORECASE)
_ASSIGNED: Final = re.compile(r"(?<![=!<>+\-*/%|&^~])(?::=|=>|=|:|<-)\s*+$")
_BECOMES: Final = re.compile(r"\s*(?::[^=\n]{0,80})?(?::|\?\?|\|\|)?=(?![=>~])")
_SIGN: Final = re.compile(r"(?::=|=>|=|:|<-)\s*+$")
_TYPED: Final = re.compile(r":\s*+[\w\s<>\[\]?.&,|]*+$")
_IS_EQUAL_BEFORE: Final = re.compile(r"(?:[!=]==?|<>)\s*+$")
_IS_EQUAL_BEHIND: Final = re.compile(
    r"\s*+\)*\s*+(?:[!=]==?|<>)\s*+(?P<other>.{0,200})", re.DOTALL
)
_NAMED_BEFORE: Final = re.compile(
    r"['\":](?P<name>\w++)['\"]?\s*+,\s*+(?:['\"](?:=|==|like)['\"]\s*+,\s*+)?$", re.IGNORECASE
)
"""An argument that names the next one: ``where('password', md5($password))``."""
_IN_QUERY: Final = re.compile(r"\b(?P<name>\w++)[`\"\]]?\s*+=\s*+\\?['\"]*+\s*+[.+]?\s*+$")
"""A text that goes on with the digest: ``"... password = '" . md5($password)``."""
_RANGE: Final = re.compile(
    r"\s*+(?:\.\w++\(|\[)\s*+(?:0\s*+(?:,|:|\.\.)\s*+|:\s*+|\.\.\s*+)[45]\b|\s*+,\s*+0\s*+,\s*+5\b"
)
"""The beginning of a digest, which is all that Have I Been Pwned is sent."""
_METHOD_OF_NAME: Final = re.compile(
    r"(?:new\s++)?[$@]?(?P<name>\w++)\s*+(?:\?\.|->|\.|::)\s*+\w++\s*+"
)
_METHOD: Final = re.compile(
    r"\s*+(?:\?\.|\?->|\.|->|::)\s*+(?P<name>\w++)\s*+\((?P<given>[^()]*+)"
)
_MAKES_HASHES: Final = re.compile(
    r"(?:hash|encrypt|encode|digest|md5|sha)\w{0,20}?(?:pass|pwd)|(?:pass|pwd)\w{0,20}?(?:hash|encrypt|md5|sha)",
    re.IGNORECASE,
)
"""A function that makes the hash of a password, by its name."""
_VALUES_END: Final = re.compile(
    r"statement|^block$|body$|^statements$|^program$|^source|^module$|compilation_unit|do_block"
    r"|declaration_list|^class|^ERROR$"
)
_BODIES: Final = re.compile(r"^block$|^body|do_block")
_IMPLICIT: Final = ("ruby", "rust", "elixir")
"""Languages in which a function returns its last expression."""
_NAME: Final = re.compile(r"[^\W\d]\w*")
_IGNORED: Final = frozenset({"err", "_", "this", "self"})
"""Names that hold no digest, and objects whose other members have other values."""
_IS_FIELD: Final = re.compile(r"\.|\[|->")
_OF_VISIT: Final = re.compile(r"session|cookie", re.IGNORECASE)
"""Something that lasts as long as a visit."""
_LOOP: Final = re.compile(r"^(?:do|while|for|until)(?:_|$)")
_CONDITIONAL: Final = re.compile(r"ternary|conditional|case|switch")
_RETURNS: Final = re.compile(r"return|^jump_expression$")
_DEFINES: Final = re.compile(r"defp?\s+(\w+)")
_MAY: Final = re.compile(
    r"(?:md5|sha|blake|ripemd|hash|digest|update|write|sum|new|compute)\w{0,40}+\s{0,9}+\([^;]{0,200}?"
    r"(?:password|passwd|pwd|passphrase)",
    re.IGNORECASE,
)
_IN_BROWSER: Final = re.compile(
    r"\bdocument\.\w|\bwindow\.\w|XMLHttpRequest|\bjQuery\b|\$\.(?:ajax|post|get)"
)
"""Signs that a script runs in a browser, which keeps no digest."""
_STEPS: Final = 4
"""Names and functions from one to another."""
_REACH: Final = 200  # characters before a value in which its name stands


class _Fate(enum.IntEnum):
    """The use of a digest; of several, the highest counts."""

    UNTOLD = 0
    KEPT = 1
    GOES_ON = 2


@dataclass(frozen=True, kw_only=True)
class FastDigest(Setting):
    """A fast digest of a password; its ``hasher`` is the digest."""


def may_digest(text: str, language: str) -> bool:
    """Tell by a quick search whether a file can digest a password that it keeps."""
    if _MAY.search(text) is None:
        return False
    if language in ("javascript", "typescript") and _IN_BROWSER.search(text):
        return False
    # Names in a client of Have I Been Pwned look as if a digest were kept.
    return "pwned" not in text.lower()


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


def _is_password(name: str) -> bool:
    """Tell by the last word of a name whether it is a password that is not hashed yet."""
    words = [word.lower() for word in _CAMEL.split(name) if word]
    return bool(words) and words[-1] in _PASSWORDS and _HASHED.isdisjoint(words)


def _names_a_password(name: str) -> bool:
    return not _PASSWORDS.isdisjoint(map(str.lower, _CAMEL.split(name)))


def _is_kept(name: str) -> bool:
    """Tell whether something of this name holds a password or its hash."""
    return _KEPT.search(name) is not None and _OTHER.search(name) is None


def _names_in(text: str) -> Iterator[str]:
    """List the last words of the values in an expression, without functions and encodings."""
    for literal in _LITERAL.finditer(text):
        for inserted in _INSERTED.finditer(literal[0]):
            yield from _names_in(inserted["whole"] or inserted["name"] or "")
    plain = _LITERAL.sub(_key_of, text)
    for part in _PATH.finditer(plain):
        names = re.findall(r"\w+", part["path"])
        if part["asked"] and _is_password(part["asked"]):
            yield part["asked"]
            continue
        if part["called"]:
            name = names.pop()
            is_accessor = name.lower().startswith("get") and _is_password(name)
            if is_accessor or _digest_named(name) or not _PREPARES.search(name):
                names.append(name)
        while names and _NEUTRAL.fullmatch(names[-1]):
            names.pop()
        if names:
            yield names[-1]


def _key_of(literal: re.Match[str]) -> str:
    """Keep a literal that may be a key: ``form['password']``, ``form.get('password')``."""
    if literal["before"]:
        return literal[0]
    return ""


def _is_of_password(argument: str) -> bool:
    """Tell whether an argument is a password, maybe with a salt."""
    names = list(_names_in(argument))
    salts = [name for name in names if _SALT.search(name)]
    passwords = [name for name in names if _is_password(name)]
    return bool(passwords) and len(passwords) + len(salts) == len(names)


def _digest_named(text: str) -> str:
    """Name the algorithm in a text; empty if none is there, or it is not a plain digest."""
    match = _ALGORITHM.search(text)
    if match is None or _KEYED.search(text):
        return ""
    if match["only"]:
        return "sha3"
    if match["family"]:
        return f"{match['family']}{match['version']}".lower()
    if match["third"]:
        return f"sha3-{match['bits']}"
    return f"sha{match['bits']}"


class _DigestReader(ParsedFile):
    """Finds the digests of passwords in one file, and what becomes of them."""

    def digests(self) -> Iterator[FastDigest]:
        """List them in the order of the file."""
        for arguments in self._found(self._grammar.arguments):
            start, end = arguments.range().start.index, arguments.range().end.index
            # What stands there already tells of most that they are about something else.
            near = self.text[max(0, start - _REACH) : end]
            is_short = end - start < 2 * _REACH
            if not is_short or _MAY.search(near) is None:
                continue
            call = self._call_of.get(arguments)
            if call is None or self._is_in_tests(arguments):
                continue
            written = self.text[call.range().start.index : start]
            digest = self._digest_of(written, arguments)
            given = [part for part in children(arguments) if _is_of_password(part.text())]
            if digest and given and self._is_kept(written, call):
                line = self.text.count("\n", 0, start) + 1
                yield FastDigest(line=line, call=shown(written), hasher=digest)

    def _is_kept(self, written: str, call: SgNode) -> bool:
        """Tell whether the result of a call is kept as the hash of a password."""
        fate = max(self._fate(call, _STEPS), self._fate_of_object(written, call))
        # A loop that writes its bytes one by one is not followed.
        if fate is _Fate.UNTOLD and _MAKES_HASHES.search(self._function_named(call)):
            return True
        return fate is _Fate.KEPT

    def _digest_of(self, written: str, arguments: SgNode) -> str:
        """Name the digest that a call computes; empty if it computes none."""
        if _KEYED.search(written):
            return ""
        name = last_word(plain_name(unadorned(written)))
        if name.lower() in self._language.digests:
            made = [value.text() for value in self._values_of(written, arguments)]
            for text in (written, arguments.text(), *made):
                digest = _digest_named(text)
                if digest:
                    return digest
            return ""
        if _names_a_password(name):  # A function of the project.
            return ""
        return _digest_named(name)

    def _values_of(self, written: str, near: SgNode) -> Iterator[SgNode]:
        """Find the values of the object whose method is called."""
        match = _METHOD_OF_NAME.fullmatch(written)
        if match is not None:
            for definition in self._visible(match["name"], near.range().start.index):
                if definition.value is not None:
                    yield definition.value

    def _fate_of_object(self, written: str, call: SgNode) -> _Fate:
        """Tell what becomes of the object that is fed a password: ``h.update(password)``."""
        match = _METHOD_OF_NAME.fullmatch(written)
        if match is None or not any(self._values_of(written, call)):
            return _Fate.UNTOLD
        return self._fate_of_name(match["name"], call, _STEPS)

    def _fate_of_name(self, name: str, behind: SgNode, steps: int) -> _Fate:
        """Tell what becomes of a name behind a node, in the function around."""
        first, last = behind.range().end.index, len(self.text)
        for _, function in self._functions_around(behind):
            last = function.range().end.index
            break
        fate = _Fate.UNTOLD
        for use in self._uses.get(name, ()):
            if first <= use.range().start.index < last:
                fate = max(fate, self._fate(use, steps - 1))
        return fate

    @cached_property
    def _uses(self) -> dict[str, list[SgNode]]:
        """Group the nodes that are names, without members of other values."""
        uses = defaultdict(list)
        for node in self.root.find_all({"rule": {"regex": r"^[$@]?[A-Za-z_]\w*$"}}):
            start = node.range().start.index
            if not node.children() and self.text[max(0, start - 1) : start] not in {".", ">", ":"}:
                uses[node.text().lstrip("$@")].append(node)
        return uses

    def _fate(self, node: SgNode, steps: int) -> _Fate:
        """Tell what becomes of the value of a node."""
        fate = _Fate.UNTOLD
        if steps <= 0:
            return fate
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
            elif self._is_function(above) or _RETURNS.search(kind) or self._is_last(node, above):
                return max(fate, self._fate_of_returned(node, above, steps))
            elif _VALUES_END.search(kind) and kind not in self._grammar.assignments:
                return fate
            elif not before.strip() and _BECOMES.match(behind):
                return fate  # It is given another value.
            elif not before.strip() and kind in self._grammar.pairs and behind.strip():
                return fate  # It is a key.
            elif _ASSIGNED.search(before) and not _CONDITIONAL.search(kind):
                fate = max(fate, self._fate_of_assigned(before, node, steps))
                if kind in self._grammar.definitions or kind in self._grammar.assignments:
                    return fate
            else:
                fate = max(fate, _compared(before, behind, self.text[last : last + _REACH]))
            node = above
        return fate

    def _is_last(self, node: SgNode, above: SgNode) -> bool:
        """Tell whether a node is the last expression of a body, where that is returned."""
        if self._language.language not in _IMPLICIT or not _BODIES.search(above.kind()):
            return False
        below = children(above)
        return bool(below) and below[-1].range() == node.range()

    def _fate_of_argument(
        self, node: SgNode, arguments: SgNode, before: str, *, is_in_map: bool
    ) -> _Fate | None:
        """Tell what becomes of an argument; ``None`` if the result of the call still holds it."""
        call = self._call_of.get(arguments)
        if call is None:
            return None
        start = max(call.range().start.index, arguments.range().start.index - _REACH)
        name = plain_name(unadorned(self.text[start : arguments.range().start.index]))
        word = last_word(name)
        if _GOES_ON.search(name) or _SENDS.search(name):
            return _Fate.GOES_ON
        if is_in_map and _SENDS_MAP.search(word):
            return _Fate.GOES_ON
        if _COMPARES.search(word):
            if _is_kept(f"{name} {arguments.text()[:_REACH]}"):
                return _Fate.KEPT
            return _Fate.UNTOLD
        named = _NAMED_BEFORE.search(before)
        if named is not None and _is_kept(named["name"]):
            return _Fate.KEPT
        if _SETS.match(word) and _is_kept(word):
            return _Fate.KEPT
        if _digest_named(word) and _is_answer_or_repeated(node, call):
            return _Fate.GOES_ON
        # What a function of the project does with passwords is seen where it is.
        if not _names_a_password(word) and (_CONVERTS.search(word) or _digest_named(word)):
            return None
        return _Fate.UNTOLD

    def _fate_of_assigned(self, before: str, node: SgNode, steps: int) -> _Fate:
        """Tell what becomes of a value that a name, a field or a key is given."""
        target = _TYPED.sub("", _SIGN.sub("", before)).strip()
        target = re.split(r"[;{},(\n]", target)[-1]
        if _OF_VISIT.search(target):
            return _Fate.GOES_ON
        fate = _Fate.UNTOLD
        if _is_kept(target):
            fate = _Fate.KEPT
        names = [name for name in _NAME.findall(target) if name not in _IGNORED]
        if not names:
            return fate
        name = names[-1]
        if _IS_FIELD.search(target):  # What holds it may be sent.
            name = names[0]
        return max(fate, self._fate_of_name(name, node, steps))

    def _fate_of_returned(self, node: SgNode, above: SgNode, steps: int) -> _Fate:
        """Tell what becomes of what a function returns."""
        name = self._function_named(node)
        if not name:
            return _Fate.UNTOLD
        fate = _Fate.UNTOLD
        if _is_kept(name):
            fate = _Fate.KEPT
        for use in self._uses.get(name, ()):
            call = use.parent()
            while call is not None and call.kind() not in self._grammar.calls:
                if call.range().start.index < use.range().start.index - _REACH:
                    break
                call = call.parent()
            if call is not None and call.kind() in self._grammar.calls:
                fate = max(fate, self._fate(call, steps - 1))
        return fate

    def _function_named(self, node: SgNode) -> str:
        if self._language.language != "elixir":
            return self._owner_of(node)
        for above in node.ancestors():
            match = _DEFINES.match(above.text())
            if match is not None:
                return match[1]
        return ""


def _is_answer_or_repeated(argument: SgNode, call: SgNode) -> bool:
    """Tell whether a digest is digested with other values, or again and again.

    The one answers a challenge, the other is a password hasher such as phpass.
    """
    others = 0
    for name in _names_in(argument.text()):
        is_added = _is_password(name) or _SALT.search(name) is not None
        if not (is_added or _digest_named(name)):
            others += 1
    # One name is that of the digest itself.
    if others > 1:
        return True
    # A loop over users digests what it was just given.
    if "(" in argument.text():
        return False
    return any(_LOOP.search(above.kind()) for above in call.ancestors())


def _compared(before: str, behind: str, chain: str) -> _Fate:
    """Tell whether a value is compared with a password or a hash, by what stands around.

    ``chain`` is what follows it, not only in its expression.
    """
    other = ""
    if _IS_EQUAL_BEFORE.search(before):
        other = before
    is_equal = _IS_EQUAL_BEHIND.match(behind)
    if is_equal is not None:
        other = is_equal["other"]
    method = _METHOD.match(chain)
    if method is not None and _COMPARES.search(method["name"]):
        other = method["given"]
    in_query = _IN_QUERY.search(before)
    if in_query is not None:
        other = in_query["name"]
    if other and _is_kept(other):
        return _Fate.KEPT
    return _Fate.UNTOLD

"""The costs that one source file sets, found in its syntax tree."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from hashcost.core.errors import UnavailableError, UnreadableInputError
from hashcost.core.model import Params
from hashcost.source_code.constants import Constants, between, children, of_kinds
from hashcost.source_code.php_pages import without_html
from hashcost.source_code.rules import Language, Param, Rule, When, Which, last_word, load_language

if TYPE_CHECKING:
    from ast_grep_py import SgNode

_WRAPPERS: Final = frozenset({"argument", "value_argument"})
_PAIRS: Final = frozenset(
    {
        "pair",
        "keyword_argument",
        "array_element_initializer",
        "keyed_element",
        "field_initializer",
    }
)
_MANY: Final = re.compile(r"splat|spread|variadic")
_ENDS: Final = re.compile(r"(?:\.|::|->|\\)$")
_GENERIC: Final = re.compile(r"(?:::)?<(?P<first>[^,]+?)(?:,.*)?>$", re.DOTALL)
_WORD: Final = re.compile(r"[\s'\"`()]|^:")
_SALT: Final = re.compile(r"salt", re.IGNORECASE)
_FUNCTIONS: Final = re.compile(r"function|arrow|lambda|closure")
_SUBSCRIPT: Final = re.compile(r"""\[\s*['"](?P<key>\w+)['"]\s*\]$""")
_TEST_MODULE: Final = re.compile(r"(?:pub )?mod tests?\b")
_NEAR: Final = 400
_MOST_COLUMNS: Final = 10**8
"""The parser counts a line's characters anew for each place in it: thousands of calls on
one line take seconds, and four times as many sixteen times as long."""
_LONGEST_DEEP: Final = 10_000
"""Characters of an argument that is looked into."""
_HIGHEST_LOG2: Final = 62
_LONGEST_SHOWN: Final = 60


@dataclass(frozen=True, kw_only=True)
class Cost:
    """A cost that a file sets; ``why`` says what is not simply as it is written."""

    hasher: str
    params: Params
    line: int
    call: str
    library: str
    why: str = ""
    in_tests: bool = False


@dataclass(frozen=True, kw_only=True)
class Unknown:
    """A call that sets a cost which the file alone does not tell, and why."""

    line: int
    call: str
    why: str
    in_tests: bool = False


@dataclass(frozen=True, kw_only=True)
class Matches:
    """What one file holds, in its order."""

    costs: tuple[Cost, ...] = ()
    unknown: tuple[Unknown, ...] = ()


class _Untold(Exception):  # noqa: N818 - no error: the file does not say it
    """Why a cost is not known."""


def check_installed() -> None:
    """Find out before any work is done whether sources can be parsed here.

    Raises:
        UnavailableError: they cannot; the message says what to install.
    """
    try:
        import ast_grep_py  # noqa: F401
    except ImportError as error:
        raise UnavailableError(
            "reading source code needs ast-grep; install it with: pip install 'hashcost[scan]'"
        ) from error


def found_in(text: str, language: str, *, grammar: str | None = None) -> Matches:
    """Every cost in a source text, by the rules of a language of `rules.LANGUAGES`.

    Raises:
        UnavailableError: the grammars are not installed.
        UnreadableInputError: thousands of calls are on one line.
    """
    return matches(text, load_language(language), grammar=grammar)


def matches(text: str, language: Language, *, grammar: str | None = None) -> Matches:
    """Every cost in a source text, by the rules of a language."""
    rules = [rule for rule in language.rule if rule.fits(text)]
    if not rules:
        return Matches()
    check_installed()
    from ast_grep_py import SgRoot

    if language.language == "php":
        text = without_html(text)
    root = SgRoot(text, grammar or next(iter(language.grammars.values()))).root()
    source = _Source(root=root, text=text, language=language)
    costs: dict[tuple[int, int, str], Cost] = {}
    unknown: dict[tuple[int, int], Unknown] = {}
    for site in source.sites(rules):
        at = (site.line, site.start)
        shown = " ".join(site.name.split())[-_LONGEST_SHOWN:]
        in_tests = source.is_in_tests(site.node)
        for rule in rules:
            if not site.is_of(rule):
                continue
            try:
                cost = source.cost(site, rule)
            except _Untold as untold:
                unknown.setdefault(
                    at, Unknown(line=site.line, call=shown, why=str(untold), in_tests=in_tests)
                )
                continue
            if cost is not None:
                hasher, params, why = cost
                costs.setdefault(
                    (*at, hasher),
                    Cost(
                        hasher=hasher,
                        params=params,
                        line=site.line,
                        call=shown,
                        library=rule.library,
                        why=why,
                        in_tests=in_tests,
                    ),
                )
    known = {at[:2] for at in costs}
    return Matches(
        costs=tuple(costs[at] for at in sorted(costs)),
        unknown=tuple(unknown[at] for at in sorted(unknown) if at not in known),
    )


@dataclass(frozen=True, kw_only=True)
class _Given:
    """The arguments of a call."""

    positions: list[SgNode] = field(default_factory=list)
    names: dict[str, SgNode] = field(default_factory=dict)
    is_open: bool = False
    """Whether others are spread into it, which the file does not tell."""


@dataclass(frozen=True, kw_only=True)
class _Site:
    """A call, or an assignment, with its name as it is written."""

    node: SgNode
    name: str
    line: int
    start: int
    arguments: SgNode | None
    """None for an assignment."""
    value: SgNode | None = None

    @property
    def plain(self) -> str:
        """The name without blanks, generics, optional chaining and a leading backslash."""
        name = " ".join(self.name.split()).replace("?.", ".").replace("?->", "->")
        return _GENERIC.sub("", name).removeprefix("\\")

    def is_of(self, rule: Rule) -> bool:
        """Whether a rule is about it."""
        patterns = rule.assigns if self.arguments is None else rule.calls
        return any(_fits(self.plain, pattern) for pattern in patterns)


@dataclass(kw_only=True)
class _Source:
    """One file that is read."""

    root: SgNode
    text: str
    language: Language

    def __post_init__(self) -> None:
        self.constants = Constants(self.root, self.text, self.language)
        self._others: dict[str, set[str]] = {}

    def sites(self, rules: list[Rule]) -> Iterator[_Site]:
        """Every call and assignment that a rule may be about."""
        grammar = self.language.grammar
        words = {last_word(name) for rule in rules for name in (*rule.calls, *rule.assigns)}
        words |= {
            last_word(rule.which.near)
            for rule in rules
            if rule.which is not None and rule.which.near is not None
        }
        columns = 0
        for node in of_kinds(self.root, (*grammar.arguments, *grammar.assignments)):
            place = node.range().start
            columns += place.column
            if columns > _MOST_COLUMNS:
                raise UnreadableInputError("its lines are too long to be read")
            start = place.index
            is_call = node.kind() in grammar.arguments
            # What stands there already tells of most that they are about something else.
            near = self.text[max(0, start - _NEAR) : start + (0 if is_call else _NEAR)]
            if not any(word in near for word in words):
                continue
            site = self._call(node) if is_call else self._assignment(node)
            if site is not None and last_word(site.plain) in words:
                yield site

    def _call(self, arguments: SgNode) -> _Site | None:
        call = arguments.parent()
        if call is not None and call.kind() == "call_suffix":
            call = call.parent()
        if call is None or call.kind() not in self.language.grammar.calls:
            return None
        start = call.range().start
        end = arguments.range().start.index
        name = self.text[max(start.index, end - _NEAR) : end].strip()
        line = self.text.count("\n", 0, end - len(name)) + 1 if "\n" in name else start.line + 1
        line = max(line, arguments.range().start.line + 1 - name.count("\n"))
        return _Site(node=call, name=name, line=line, start=end, arguments=arguments)

    def _assignment(self, node: SgNode) -> _Site | None:
        parts = children(node)
        if len(parts) < 2:
            return None
        left, right = parts[0], parts[-1]
        if between(self.text, left, right).strip() != "=":
            return None
        start = left.range().start
        return _Site(
            node=node,
            name=left.text()[-_NEAR:],
            line=start.line + 1,
            start=start.index,
            arguments=None,
            value=right,
        )

    def is_in_tests(self, node: SgNode) -> bool:
        """Whether it is in a module of tests inside the file, as Rust has them."""
        return self.language.language == "rust" and any(
            each.kind() == "mod_item" and _TEST_MODULE.match(self.text, each.range().start.index)
            for each in node.ancestors()
        )

    def cost(self, site: _Site, rule: Rule) -> tuple[str, Params, str] | None:
        """The hasher, its params and what is to be said; none where no cost is set.

        Raises:
            _Untold: one is set that the file does not tell.
        """
        given = self._given(site)
        if rule.when is not None and not self._holds(rule.when, given):
            return None
        params: Params = {}
        notes = []
        told = 0
        for name, param in rule.params.items():
            value, written = self._param(param, given, rule, site, name)
            if value is None:
                continue
            params[name] = value
            told += written
            if written and site.value is not None and site.value.kind().startswith("condition"):
                notes.append("the branch outside of tests counts")
        has_default = all(param.default is not None for param in rule.params.values())
        if not told and not has_default:
            return None
        missing = [name for name in rule.params if name not in params]
        if missing:
            raise _Untold(f"{' and '.join(missing)} not given")
        if told < len(params) and rule.why:
            notes.append(rule.why)
        notes += [rule.note] if rule.note else []
        for name, value in params.items():
            clamp = next((each for each in rule.clamp if value < each.below), None)
            if clamp is not None:
                params[name] = clamp.becomes
                notes.append(f"{value} is written, and {clamp.why}")
        hasher = rule.hasher or self._hasher(rule.which, given, site, rule)
        if rule.hasher is None and hasher is None:
            return None
        if rule.hasher is not None and rule.which is not None:
            self._hasher(rule.which, given, site, rule)
        return hasher or "", params, "; ".join(dict.fromkeys(notes))

    def _param(
        self, param: Param, given: _Given, rule: Rule, site: _Site, name: str
    ) -> tuple[int | None, bool]:
        """The value of a param, and whether it is written rather than left out."""
        if site.arguments is None:
            number = None if site.value is None else self.constants.number(site.value)
            if number is None:
                raise _Untold(f"{name} is {_shown(site.value)}")
            return _in_unit(param, number), True
        nodes = self._arguments(param.names, param.at, given, rule)
        for node in nodes:
            number = self.constants.number(node)
            if number is not None:
                return _in_unit(param, number), True
        if nodes and param.salts and self._is_salt(nodes[0]):
            return None, False
        if nodes and _FUNCTIONS.search(nodes[0].kind()):
            nodes = []
        if nodes:
            raise _Untold(f"{name} is {_shown(nodes[0])}")
        if given.is_open:
            raise _Untold("its arguments are put together elsewhere")
        if param.default is None:
            return None, False
        return _in_unit(param, param.default), False

    def _is_salt(self, node: SgNode) -> bool:
        """Whether it is a salt that was made elsewhere, with a cost of its own."""
        return bool(_SALT.search(self.constants.followed(node).text())) or bool(
            re.fullmatch(r"\$?salt", node.text(), re.IGNORECASE)
        )

    def _arguments(
        self, names: tuple[str, ...], at: tuple[int, ...], given: _Given, rule: Rule
    ) -> list[SgNode]:
        """The nodes that may hold what is asked for, the likeliest first."""
        for name in names:
            if name in given.names:
                return [given.names[name]]
        for position in rule.options:
            found = self._option(names, position, given, rule)
            if found is not None:
                return [found]
        return [given.positions[index] for index in at if index < len(given.positions)]

    def _option(
        self, names: tuple[str, ...], position: int, given: _Given, rule: Rule
    ) -> SgNode | None:
        """The value of an option, in the map that stands at a position."""
        at = given.names.get("options")
        if at is None and position < len(given.positions):
            at = given.positions[position]
        if at is None or not names:
            return None
        node = self.constants.followed(at)
        while node.kind() in {"unary_expression", "parenthesized_expression"} and children(node):
            node = children(node)[0]
        maps = self.language.grammar.maps
        if node.kind() not in maps and not rule.deep:
            if _FUNCTIONS.search(node.kind()) or self.constants.number(node) is not None:
                return None
            raise _Untold(f"its options are {_shown(node)}")
        if rule.deep:
            return self._anywhere(names, node)
        for entry in _entries(node):
            if entry.kind() in self.language.grammar.pairs:
                key, value = _pair(entry)
                if key in names and value is not None:
                    return value
            if entry.kind() == "shorthand_property_identifier" and entry.text() in names:
                return entry
            if any(_MANY.search(each.kind()) for each in (entry, *children(entry)[:1])):
                raise _Untold(f"its options are {_shown(node)}")
        return None

    def _anywhere(self, names: tuple[str, ...], node: SgNode) -> SgNode | None:
        """The value that a key is given anywhere in a node, as an entry or by assignment."""
        if len(node.text()) > _LONGEST_DEEP:
            raise _Untold("its options are too long to look into")
        for pair in of_kinds(node, self.language.grammar.pairs):
            key, value = _pair(pair)
            if key in names and value is not None:
                return value
        for change in of_kinds(node, self.language.grammar.assignments):
            left, right = children(change)[0], children(change)[-1]
            subscript = _SUBSCRIPT.search(left.text()[-_NEAR:])
            if subscript is not None and subscript["key"] in names:
                return right
        return None

    def _given(self, site: _Site) -> _Given:
        if site.arguments is None:
            return _Given()
        positions: list[SgNode] = []
        names: dict[str, SgNode] = {}
        is_open = False
        for node in _flat(site.arguments):
            if _MANY.search(node.kind()):
                is_open = True
            elif node.kind() in _PAIRS:
                key, value = _pair(node)
                if value is not None:
                    names[key] = value
            elif node.kind() in _WRAPPERS:
                parts = children(node)
                if not parts or _MANY.search(parts[0].kind()):
                    is_open = True
                elif len(parts) > 1 and between(self.text, parts[0], parts[-1]).strip() in {
                    ":",
                    "=",
                }:
                    names[parts[0].text().rstrip(":").strip()] = parts[-1]
                else:
                    positions.append(parts[-1])
            else:
                positions.append(node)
        return _Given(positions=positions, names=names, is_open=is_open)

    def _holds(self, when: When, given: _Given) -> bool:
        nodes = [given.names[name] for name in when.names if name in given.names]
        nodes += [given.positions[index] for index in when.at if index < len(given.positions)]
        return bool(nodes) and _word(self.constants.followed(nodes[0]).text(), when.values) != ""

    def _near(self, pattern: str, rule: Rule) -> set[str]:
        """The first arguments of every call of another name in the file."""
        if pattern not in self._others:
            self._others[pattern] = {
                self.constants.followed(arguments[0]).text()
                for call in self.sites([rule])
                if _fits(call.plain, pattern) and (arguments := self._given(call).positions)
            }
        return self._others[pattern]

    def _hasher(self, which: Which | None, given: _Given, site: _Site, rule: Rule) -> str | None:
        """The hasher that a word among the arguments names.

        Raises:
            _Untold: it is another one, or not known.
        """
        if which is None:
            return None
        if which.near is not None:
            texts = self._near(which.near, rule)
        elif which.generic:
            generic = _GENERIC.search(site.name)
            texts = {generic["first"]} if generic else set()
        else:
            nodes = self._arguments(which.names, which.at, given, rule)[:1]
            texts = {self.constants.followed(node).text() for node in nodes}
            if not texts and which.default is not None:
                texts = {which.default}
        found = {which.values.get(_word(text, tuple(which.values))) for text in texts}
        if len(found) != 1 or None in found:
            shown = ", ".join(sorted(" ".join(text.split())[:40] for text in texts))
            raise _Untold(f"its algorithm is {shown}" if shown else "its algorithm is not told")
        return found.pop()


def _fits(name: str, pattern: str) -> bool:
    """Whether a name is a pattern's, or a longer one that ends in it."""
    if pattern.startswith("^"):
        return name == pattern[1:]
    if name == pattern:
        return True
    made, wanted = name.startswith("new "), pattern.startswith("new ")
    if made != wanted:
        return False
    name, pattern = name.removeprefix("new "), pattern.removeprefix("new ")
    return name.endswith(pattern) and (
        name == pattern or bool(_ENDS.search(name[: -len(pattern)]))
    )


def _word(text: str, known: tuple[str, ...]) -> str:
    """The one of several words that a text is, or ends in; empty where it is none."""
    plain = _WORD.sub("", text).lower()
    if plain in known:
        return plain
    last = re.split(r"\.|::|\\", plain)[-1]
    return last if last in known else ""


def _flat(arguments: SgNode) -> Iterator[SgNode]:
    """The arguments, those in a list of keywords one by one."""
    for node in children(arguments):
        if node.kind() == "keywords":
            yield from children(node)
        else:
            yield node


def _entries(node: SgNode) -> Iterator[SgNode]:
    """The entries of a map, as they stand in its braces."""
    for each in children(node):
        if each.kind() in {"literal_value", "keywords"}:
            yield from children(each)
        else:
            yield each


def _pair(node: SgNode) -> tuple[str, SgNode | None]:
    """The key and the value of a pair."""
    parts = children(node)
    if len(parts) < 2:
        return "", None
    key = _WORD.sub("", parts[0].text()).strip(":").strip()
    value = parts[-1]
    if value.kind() == "literal_element" and children(value):
        value = children(value)[0]
    return key, value


def _in_unit(param: Param, number: int) -> int:
    if param.unit == "count":
        return number
    if number > _HIGHEST_LOG2:
        raise _Untold(f"it is 2 to the power of {number}")
    return 1 << number


def _shown(node: SgNode | None) -> str:
    text = "" if node is None else " ".join(node.text()[:_NEAR].split())
    return text if len(text) <= _LONGEST_SHOWN else text[: _LONGEST_SHOWN - 1] + "…"

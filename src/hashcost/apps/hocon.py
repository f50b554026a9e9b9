"""HOCON and JSON: every value with its path and its line; nothing is included. Pure."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import chain, pairwise
from typing import Final, NamedTuple

from hashcost.apps.yaml_values import DEEPEST, Path, Scalar
from hashcost.core.errors import at_line

# As in emqx/hocon, src/hocon_scanner.xrl: both kinds of comment may follow a value without a
# blank, and neither is a comment inside of a string. A variable may have a shell's default.
_TOKEN: Final = re.compile(
    r"""(?P<skipped>\s++|(?:\#|//)[^\n]*+|')"""
    r'''|"""(?P<text>(?:[^"]|"(?!""))*+)"""|(?P<open_text>""".*+)'''
    r"""|"(?P<string>(?:[^"\\\n]|\\[^\n])*+)"|(?P<open_string>"[^\n]*+)"""
    r"""|(?P<sign>[{}\[\],=:])"""
    r"""|(?P<word>(?:\$\{[^{}\n]*+\}|[^\s"'{}\[\],=:#/]|/(?!/))++)"""
    r"""|(?P<other>.)""",
    re.DOTALL,
)
_TOO_DEEP: Final = f"nested more than {DEEPEST} levels deep"
_FOLLOW_KEYS: Final = frozenset({"=", ":", "{", "["})


class _HoconToken(NamedTuple):
    text: str
    line: int
    sign: str = ""
    """The text, if it is a bracket, a comma or what stands between key and value."""


_END: Final = _HoconToken("", 0)


@dataclass
class _Opened:
    """A bracket, the keys above what it holds, and how many elements a list has so far.

    ``generation`` says how often something else was set there before.
    """

    path: Path
    is_list: bool
    generation: int = 0
    outer: "_Opened | None" = None
    count: int = 0

    def next_element(self) -> Path:
        """Count a further element, which is its key; EMQX begins with 1."""
        self.count += 1
        return (str(self.count),)


@dataclass
class _Reading:
    """The open brackets, the last one that closed, and every value with its bracket."""

    opened: list[_Opened] = field(default_factory=lambda: [_Opened((), is_list=False)])
    closed: _Opened | None = None
    newest: dict[Path, _Opened] = field(default_factory=dict)
    """The last bracket of each path."""
    values: list[tuple[_Opened, Scalar]] = field(default_factory=list)

    def open(self, key: Path, token: _HoconToken, *, is_element: bool) -> None:
        """Open a bracket below a key, as an element of a list, or to go on with the last one."""
        outer = self.opened[-1]
        is_list = token.sign == "["
        closed = self.closed
        if not key and not is_element and closed is not None and closed.is_list == is_list:
            self.opened.append(closed)
        else:
            if not key and outer.is_list:
                key = outer.next_element()
            bracket = _Opened(_below(outer, key, token.line), is_list, outer=outer)
            bracket.generation = self._generation(bracket)
            self.newest[bracket.path] = bracket
            self.opened.append(bracket)
        # An object without a key nests as well, whatever its path.
        if len(self.opened) > DEEPEST + 1:
            raise at_line(token.line, _TOO_DEEP)

    def _generation(self, bracket: _Opened) -> int:
        """Two objects are merged; a list, or another kind of value, replaces what was there."""
        earlier = self.newest.get(bracket.path)
        if earlier is None:
            return 0
        if earlier.is_list or bracket.is_list:
            return earlier.generation + 1
        return earlier.generation

    def close(self) -> None:
        """Close a bracket. A text that is not HOCON may close what it did not open."""
        if len(self.opened) > 1:
            self.closed = self.opened.pop()

    def add(self, outer: _Opened, key: Path, text: str, line: int) -> None:
        """Add a value below a bracket."""
        path = _below(outer, key, line)
        self.values.append((outer, Scalar(path=path, text=text, line=line, quoted=True)))

    def settled(self) -> Iterator[Scalar]:
        """List every value; those that a later bracket replaced do not win."""
        for outer, value in self.values:
            yield replace(value, wins=self._is_newest(outer))

    def _is_newest(self, bracket: _Opened) -> bool:
        level: _Opened | None = bracket
        while level is not None and level.path:
            if level.generation != self.newest[level.path].generation:
                return False
            level = level.outer
        return True


def hocon_values(text: str) -> Iterator[Scalar]:
    """List every word and every string that has a key, in the order of the text.

    Keys are in lower case; one is split at its dots, and at two underscores as in the name of a
    variable. An object of a list has its position there for a key. Objects of one key are one,
    and so are lists side by side; a list that is set again replaces the first, whose values do
    not win. In a text that is not HOCON, such as a script that sets variables, these are the
    values of each ``KEY=value``.

    Raises:
        UnreadableInputError: a quote does not end, or the text is nested too deep.
    """
    reading = _Reading()
    key: Path = ()
    last_line = 0
    for token, following in pairwise(chain(_tokens(text), [_END])):
        outer = reading.opened[-1]
        # A variable stands for a value, and never for a key.
        is_variable = token.text.startswith("$")
        if token.sign in {"{", "["}:
            # Objects of a list are one only on one line (hocon_token.erl, trans_splice_end).
            is_element = outer.is_list and token.sign == "{" and token.line != last_line
            reading.open(key, token, is_element=is_element)
            key = ()
        elif token.sign in {"}", "]"}:
            reading.close()
            key = ()
        elif token.sign:
            pass
        elif following.sign in _FOLLOW_KEYS and not is_variable:
            key = _parts(token.text)
        elif key:
            reading.add(outer, key, token.text, token.line)
            # An object or a list may go on behind a variable: ``key = ${other} { … }``.
            if following.sign not in {"{", "["}:
                key = ()
        # A whole file in brackets has no key that a variable could go on with.
        elif is_variable and reading.closed is not None and reading.closed.path:
            reading.add(reading.closed, (), token.text, token.line)
        elif is_variable and outer.is_list:
            reading.add(outer, outer.next_element(), token.text, token.line)
        else:
            # A list of variables, as Docker Compose has it, holds ``"NAME=value"``.
            name, by, value = token.text.partition("=")
            if by:
                reading.add(outer, _parts(name), value, token.line)
        # Only what stands right behind a bracket goes on with it.
        if token.sign not in {"}", "]"} and not is_variable:
            reading.closed = None
        last_line = token.line
    yield from reading.settled()


def _below(outer: _Opened, key: Path, line: int) -> Path:
    """Put a key below the path of a bracket.

    Raises:
        UnreadableInputError: the path is too long, and every value would keep it.
    """
    if len(outer.path) + len(key) > DEEPEST:
        raise at_line(line, _TOO_DEEP)
    return (*outer.path, *key)


def _parts(key: str) -> Path:
    return tuple(key.lower().replace("__", ".").split("."))


def _tokens(text: str) -> Iterator[_HoconToken]:
    line = 1
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup
        if kind == "sign":
            yield _HoconToken(match[0], line, match[0])
        elif kind in {"text", "string", "word"}:
            yield _HoconToken(match[kind], line)
        # Where it should end is unclear, and settings may follow it.
        elif kind in {"open_text", "open_string"}:
            raise at_line(line, "not HOCON: a quote that does not end")
        line += match[0].count("\n")

"""HOCON and JSON: every value with its path and its line; nothing is included or merged. Pure."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, NamedTuple

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
_FOLLOW_KEYS: Final = frozenset({"=", ":", "{", "["})


@dataclass(frozen=True)
class Value:
    """A word or a string, with the keys above it from the root down, in lower case.

    Among the keys, an object of a list has its position in the list.
    """

    path: tuple[str, ...]
    text: str
    line: int


class _Token(NamedTuple):
    text: str
    line: int
    sign: str = ""
    """The text, if it is a bracket, a comma or what stands between key and value."""


_END: Final = _Token("", 0)


@dataclass
class _Opened:
    """A bracket that is open, the keys above what it holds, and how many brackets it held."""

    path: tuple[str, ...]
    is_list: bool
    held: int = 0


def hocon_values(text: str) -> Iterator[Value]:
    """Every value that has a key, in the order of the text.

    A key is split at its dots, and at two underscores as in the name of a variable. Of a text
    that is not HOCON, such as a script that sets variables, this is each ``KEY=value``.

    Raises:
        UnreadableInputError: a quote does not end.
    """
    opened = [_Opened((), is_list=False)]
    key: tuple[str, ...] = ()
    for token, following in pairwise([*_tokens(text), _END]):
        inside = opened[-1]
        is_variable = token.text.startswith("$")
        if token.sign in {"{", "["}:
            if not key and inside.is_list:
                key = (str(inside.held),)
            opened.append(_Opened((*inside.path, *key), is_list=token.sign == "["))
            key = ()
        elif token.sign in {"}", "]"}:
            # A text that is not HOCON may close what it did not open.
            if len(opened) > 1:
                opened.pop()
            opened[-1].held += 1
            key = ()
        elif token.sign:
            pass
        elif following.sign in _FOLLOW_KEYS and not is_variable:
            key = _parts(token.text)
        elif key:
            yield Value((*inside.path, *key), token.text, token.line)
            # An object may go on behind a variable: ``key = ${other} { … }``.
            if following.sign != "{":
                key = ()
        else:
            # A list of variables, as Docker Compose has it, holds ``"NAME=value"``.
            name, by, value = token.text.partition("=")
            if by:
                yield Value((*inside.path, *_parts(name)), value, token.line)


def _parts(key: str) -> tuple[str, ...]:
    return tuple(key.lower().replace("__", ".").split("."))


def _tokens(text: str) -> Iterator[_Token]:
    line = 1
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup
        if kind == "sign":
            yield _Token(match[0], line, match[0])
        elif kind in {"text", "string", "word"}:
            yield _Token(match[kind], line)
        elif kind in {"open_text", "open_string"}:
            raise at_line(line, "not HOCON: a quote that does not end")
        line += match[0].count("\n")

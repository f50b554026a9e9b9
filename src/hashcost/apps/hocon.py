"""HOCON and JSON: every value with its path and its line; nothing is included or merged. Pure."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, NamedTuple

from hashcost.apps.yaml_values import DEEPEST, Scalar
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
    """A bracket that is open, the keys above what it holds, and how many brackets it had."""

    path: tuple[str, ...]
    is_list: bool
    count: int = 0


def hocon_values(text: str) -> Iterator[Scalar]:
    """Every word and every string that has a key, in the order of the text.

    Keys are in lower case; one is split at its dots, and at two underscores as in the name of a
    variable. An object of a list has its position there for a key. In a text that is not
    HOCON, such as a script that sets variables, these are the values of each ``KEY=value``.

    Raises:
        UnreadableInputError: a quote does not end, or the text is nested too deep.
    """
    opened = [_Opened((), is_list=False)]
    key: tuple[str, ...] = ()
    for token, following in pairwise([*_tokens(text), _END]):
        outer = opened[-1]
        # A variable stands for a value, and never for a key.
        is_variable = token.text.startswith("$")
        if token.sign in {"{", "["}:
            if not key and outer.is_list:
                key = (str(outer.count),)
            # An object without a key nests as well, whatever its path.
            if len(opened) > DEEPEST:
                raise at_line(token.line, _TOO_DEEP)
            opened.append(_Opened(_below(outer, key, token.line), is_list=token.sign == "["))
            key = ()
        elif token.sign in {"}", "]"}:
            # A text that is not HOCON may close what it did not open.
            if len(opened) > 1:
                opened.pop()
            opened[-1].count += 1
            key = ()
        elif token.sign:
            pass
        elif following.sign in _FOLLOW_KEYS and not is_variable:
            key = _parts(token.text)
        elif key:
            yield _scalar(_below(outer, key, token.line), token.text, token.line)
            # An object may go on behind a variable: ``key = ${other} { … }``.
            if following.sign != "{":
                key = ()
        else:
            # A list of variables, as Docker Compose has it, holds ``"NAME=value"``.
            name, by, value = token.text.partition("=")
            if by:
                yield _scalar(_below(outer, _parts(name), token.line), value, token.line)


def _below(outer: _Opened, key: tuple[str, ...], line: int) -> tuple[str, ...]:
    """The path of a key below those of a bracket.

    Raises:
        UnreadableInputError: the path is too long, and every value would keep it.
    """
    if len(outer.path) + len(key) > DEEPEST:
        raise at_line(line, _TOO_DEEP)
    return (*outer.path, *key)


def _scalar(path: tuple[str, ...], text: str, line: int) -> Scalar:
    return Scalar(path=path, text=text, line=line, quoted=True)


def _parts(key: str) -> tuple[str, ...]:
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

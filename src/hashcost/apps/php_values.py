"""Numbers and strings in PHP's arrays, such as Nextcloud's configuration: read, never run."""

import ast
import re
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from hashcost.apps.found import Found
from hashcost.apps.signs import HEREDOC, without_comments
from hashcost.apps.text import Entry
from hashcost.core.errors import at_line
from hashcost.source_code.values import combined

_TOKEN: Final = re.compile(
    r"""(?P<skipped>\s+|<\?(?:php\b|=)?|\?>|//[^\n]*|\#(?!\[)[^\n]*|/\*.*?\*/)"""
    r"""|(?P<string>'(?:[^'\\]|\\.)*+'|"(?:[^"\\]|\\.)*+")"""
    rf"""|(?P<heredoc>{HEREDOC})"""
    r"""|(?P<class>\\?[A-Za-z_]\w*+(?:\\\w++)*+)::class\b"""
    r"""|(?P<word>\$?[A-Za-z_][A-Za-z0-9_]*|[0-9][0-9A-Za-z_.]*)"""
    r"""|(?P<sign>=>|[^\s])""",
    re.DOTALL,
)
_AHEAD: Final = 9
"""Tokens that are looked at ahead; a value from the environment has seven."""
_LONGEST: Final = 60
_KEYS: Final = frozenset({"string", "class"})
"""The kinds of token that may be the key of an array."""
_ENDS: Final = {",", ";", ")", "]", ""}
_CLASS: Final = re.compile(r"\b(?:self|static|[A-Z]\w*)::(?=[A-Za-z_])")
_WHOLE_FILE: Final = re.compile(r"\s*+(?:return\b|\$\w++\s*+=\s*+(?:array\b|\[))")


def is_whole_file(text: str) -> bool:
    """Tell whether a text is all of a file that holds one array, not only lines of it."""
    return _WHOLE_FILE.match(without_comments(text, "// {}")) is not None


def unopened(text: str) -> Found | None:
    """Say that PHP runs nothing of a file that lacks ``<?php``."""
    if "<?" in text:
        return None
    why = "PHP prints a file without <?php as text, so nothing in it takes effect"
    return Found.undetermined(1, why, cure="begin the file with a line <?php")


def arithmetic(written: str, constants: Mapping[str, int | None]) -> int | None:
    """Work out whole numbers, such as ``1 << 15`` or ``64 * COST``.

    Returns:
        `None` if anything else is in it, or a constant is unknown.
    """
    if len(written) > _LONGEST:
        return None
    try:
        # PHP ranks and writes these operators as Python does.
        tree = ast.parse(_CLASS.sub("", written.strip()), mode="eval")
    except (SyntaxError, ValueError):
        return None
    return _worked_out(tree.body, constants)


def _worked_out(node: ast.expr, constants: Mapping[str, int | None]) -> int | None:
    match node:
        case ast.Constant(value=int(number)) if not isinstance(number, bool):
            return number
        case ast.Name(id=name):
            return constants.get(name)
        case ast.BinOp(left=left, op=operator, right=right):
            first = _worked_out(left, constants)
            second = _worked_out(right, constants)
            # What Python writes with two slashes is a comment in PHP.
            if first is None or second is None or isinstance(operator, ast.FloorDiv):
                return None
            result = combined(operator, first, second)
            if isinstance(result, int):
                return result
        case _:
            pass
    return None


class _Token(NamedTuple):
    kind: str
    text: str
    line: int

    @property
    def bare(self) -> str:
        """A string without its quotes, the name of a class, or a word."""
        if self.kind == "string":
            return self.text[1:-1]
        if self.kind == "class":
            return self.text.removesuffix("::class")
        return self.text


def php_values(text: str) -> tuple[Entry, ...]:
    """Each number, constant and string of an array or a variable, by its dotted name.

    The array that is returned, or a variable, has no name of its own before the keys, as
    ``bcrypt.rounds``. ``env('NAME', 12)`` is written as ``${NAME:-12}``, and products are
    multiplied; any other value is as it is written.

    Raises:
        UnreadableInputError: a quote, a comment or a heredoc does not end.
    """
    # Empty tokens at the end, so that what is looked at ahead is always there.
    ends = [_Token("sign", "", 0)] * _AHEAD
    return tuple(_values([*_tokens(text), *ends]))


def _values(tokens: list[_Token]) -> Iterator[Entry]:
    """Walk the brackets: of each one that is open, the key that it is the value of."""
    keys: list[str] = []
    target = ""
    for index, token in enumerate(tokens[:-_AHEAD]):
        following = tokens[index + 1]
        if token.text == ";":
            keys, target = [], ""
        elif token.text in {"(", "["}:
            before = tokens[index - 1].text
            if before == "array":
                before = tokens[index - 2].text
            if before in {"=>", "="}:
                keys.append(target)
                target = ""
            else:  # A call, or an array in an array, has no key.
                keys.append("")
        elif token.text in {")", "]"}:
            keys = keys[:-1]
        elif token.kind in _KEYS and following.text == "=>":
            target = token.bare
            yield from _value(tokens, index + 2, [*keys, token.bare])
        elif token.text.startswith("$"):
            path, at = _subscripts(tokens, index)
            if tokens[at].text == "=":
                target = ".".join(path)
                yield from _value(tokens, at + 1, path or [token.text[1:]])


def _subscripts(tokens: list[_Token], index: int) -> tuple[list[str], int]:
    """The keys in brackets after a variable, and the rest."""
    path = []
    at = index + 1
    while tokens[at].text == "[" and tokens[at + 1].kind == "string":
        path.append(tokens[at + 1].bare)
        at += 3
    return path, at


def _value(tokens: list[_Token], at: int, path: list[str]) -> Iterator[Entry]:
    # A cast, ``(int) env('ROUNDS')``, is passed over.
    if tokens[at].text == "(" and tokens[at + 1].text == "int":
        at += 3
    first, second, third, fourth, fifth, sixth, _ = tokens[at : at + 7]
    if first.text in {"[", "array"}:
        return  # Its own keys come later.
    value = "".join(token.text for token in tokens[at : at + 7])[:_LONGEST]
    is_alone = first.kind in {"word", "string", "class"} and second.text in _ENDS
    is_product = first.text.isdecimal() and second.text == "*" and third.text.isdecimal()
    is_from_environment = first.text == "env" and second.text == "(" and third.kind == "string"
    if is_alone:
        value = first.bare
    elif is_product and fourth.text in _ENDS:
        # Nine digits are beyond any cost, and quick to multiply.
        value = str(int(first.text[:9]) * int(third.text[:9]))
    elif is_from_environment:
        default = ""
        if fourth.text == "," and sixth.text == ")":
            default = f":-{fifth.bare}"
        value = f"${{{third.bare}{default}}}"
    name = ".".join(key for key in path if key)
    yield Entry(name, value, first.line)


def _tokens(text: str) -> Iterator[_Token]:
    line = 1
    position = 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        kind = (match and match.lastgroup) or ""
        # A quote is a sign of its own only if no string begins with it.
        if match is None or (kind == "sign" and match[0] in {"'", '"'}):
            raise at_line(line, "not PHP: a quote that does not end")
        if kind == "sign" and text.startswith("/*", position):
            raise at_line(line, "not PHP: a comment that does not end")
        if kind == "heredoc" and match["closes"] is None:
            raise at_line(line, "not PHP: a heredoc that does not end")
        if kind != "skipped":
            yield _Token(kind, match[0], line)
        line += match[0].count("\n")
        position = match.end()

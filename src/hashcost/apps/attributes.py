"""Nix and Terraform: every value in their sets and blocks, with its path and line. Pure.

Nothing is evaluated. A value that is more than a string or a number is its own text.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from hashcost.core.errors import at_line

_TOKEN: Final = re.compile(
    r"(?P<comment>#[^\n]*+|/\*(?:[^*]|\*(?!/))*+(?:\*/)?)"
    r"|(?P<string>\"(?:[^\"\\]|\\.)*+\"?|''(?:[^']|'(?!')|''[$'\\])*+(?:'')?)"
    r"|(?P<sign>[{}()\[\];,\n]|[=:](?![=:]))"
    r"|(?P<word>[^\s\"{}()\[\];,=:#]++|[=:])",
    re.DOTALL,
)
_OPENS: Final = {"{": "}", "[": "]", "(": ")"}
_CHANGES_NOTHING: Final = frozenset(
    f"{library}{name}" for library in ("", "lib.") for name in ("mkDefault", "mkForce")
)
"""Functions of NixOS that set only which of several values counts."""
_KEYWORDS: Final = frozenset(("in", "let", "rec"))
_DEEPEST: Final = 64


class Attribute(NamedTuple):
    """A value by its path, on the line of its key."""

    path: tuple[str, ...]
    value: str
    line: int


class _Word(NamedTuple):
    text: str
    is_string: bool


@dataclass
class _Frame:
    """A set, a list or parentheses, with the statement that is being read in it."""

    path: tuple[str, ...]
    closes: str
    begins: int
    """The number of attributes above."""
    key: list[_Word] = field(default_factory=list)
    value: list[_Word] = field(default_factory=list)
    has_value: bool = False
    line: int = 0

    @property
    def inside(self) -> tuple[str, ...]:
        """The path of a set or a list that begins here."""
        # The items of a list have no keys.
        if self.closes == "]":
            return self.path
        return self.below

    @property
    def below(self) -> tuple[str, ...]:
        """The path of what the statement holds."""
        return (*self.path, *_parts(self.key))

    def clear(self) -> None:
        self.key = []
        self.value = []
        self.has_value = False


def attributes(text: str, *, is_nix: bool) -> list[Attribute]:
    """List the values of sets, blocks and lists, in their order.

    An item ``"NAME=value"`` of a list is a value by that name.
    A block with ``name`` and ``value``, as of a variable, has a value by that name.

    Raises:
        UnreadableInputError: the text is nested too deep.
    """
    read: list[Attribute] = []
    frames = [_Frame((), "", 0)]
    for kind, token, line in _tokens(text):
        frame = frames[-1]
        if kind != "sign":
            if not (is_nix and token in _KEYWORDS):
                _take(frame, _Word(_plain(token, kind), kind == "string"), line, read)
        elif token in _OPENS:
            if len(frames) > _DEEPEST:
                raise at_line(line, f"nested more than {_DEEPEST} levels deep")
            frames.append(_Frame(frame.inside, _OPENS[token], len(read)))
        elif token == frame.closes:
            _end(frame, read)
            frames.pop()
            _go_on(frames[-1], is_nix=is_nix)
        elif _gives_value(frame, token, is_nix=is_nix):
            frame.has_value = True
            frame.value = []
        elif _ends_statement(frame, token, is_nix=is_nix):
            read += _ended(frame)
            frame.clear()
    named = _named_values(read, is_nix=is_nix)
    resolved = [one._replace(value=named.get(one.value, one.value)) for one in read]
    return sorted(resolved, key=lambda attribute: attribute.line)


def _end(frame: _Frame, read: list[Attribute]) -> None:
    """End the last statement of a set or a list."""
    read += _ended(frame)
    if frame.closes == "}":
        _name_pair(frame, read)


def _go_on(frame: _Frame, *, is_nix: bool) -> None:
    """Go on with the statement that holds a set or a list which ends."""
    frame.value.append(_Word("{", is_string=False))
    # In Terraform, what follows a block is another statement.
    if not frame.has_value and not is_nix:
        frame.clear()


def _gives_value(frame: _Frame, sign: str, *, is_nix: bool) -> bool:
    """Tell whether a sign stands between a key and its value."""
    if is_nix or frame.has_value:
        return sign == "="
    return sign in {"=", ":"}


def _ends_statement(frame: _Frame, sign: str, *, is_nix: bool) -> bool:
    """Tell whether a sign ends a statement; in brackets, one goes on to the next line."""
    if sign == "\n":
        return not is_nix and frame.closes in {"", "}"}
    return sign in {";", ",", ":"}


def _named_values(read: list[Attribute], *, is_nix: bool) -> dict[str, str]:
    """The values that others refer to, by the word that refers to each."""
    named = {}
    for one in read:
        if is_nix and len(one.path) == 1:
            named[one.path[0]] = one.value
        elif is_nix:
            continue
        elif one.path[0] == "locals":
            named[".".join(("local", *one.path[1:]))] = one.value
        elif one.path[0] == "variable" and one.path[2:] == ("default",):
            # The variable TF_VAR_… of the environment goes before the default.
            named[f"var.{one.path[1]}"] = f"${{TF_VAR_{one.path[1]}:-{one.value}}}"
    return named


def _tokens(text: str) -> Iterator[tuple[str, str, int]]:
    line = 1
    position = 0
    for match in _TOKEN.finditer(text):
        line += text.count("\n", position, match.start())
        position = match.start()
        kind = match.lastgroup or ""
        if kind != "comment":
            yield kind, match[0], line


def _take(frame: _Frame, word: _Word, line: int, read: list[Attribute]) -> None:
    """Add a word to the key or the value of a statement, or to a list."""
    if frame.closes == "]":
        read += _listed(frame.path, word.text, line)
    elif frame.has_value:
        frame.value.append(word)
    else:
        if not frame.key:
            frame.line = line
        frame.key.append(word)


def _plain(token: str, kind: str) -> str:
    if kind != "string":
        return token
    quote = token[0]
    return token.strip(quote)


def _parts(key: list[_Word]) -> Iterator[str]:
    """The parts of a path, which has dots outside of quotes."""
    for word in key:
        if word.is_string:
            yield word.text
        else:
            yield from filter(None, word.text.split("."))


def _ended(frame: _Frame) -> Iterator[Attribute]:
    """The value of a statement that ends here, unless it is a set or a list."""
    if not frame.has_value or not frame.key:
        return
    words = [word for word in frame.value if word.text not in _CHANGES_NOTHING]
    if not words or words[0].text in _OPENS:
        return
    yield Attribute(frame.below, _as_written(words), frame.line)


def _as_written(words: list[_Word]) -> str:
    """The text of a value: that of one word without its quotes, else all as it is written."""
    if len(words) == 1:
        return words[0].text
    written = ""
    for word in words:
        if word.is_string:
            written = f'{written}"{word.text}"'
        elif written and not word.text.startswith("."):
            written = f"{written} {word.text}"
        else:
            written = f"{written}{word.text}"
    return written


def _listed(path: tuple[str, ...], text: str, line: int) -> Iterator[Attribute]:
    name, is_set, value = text.partition("=")
    if is_set and name.isidentifier():
        yield Attribute((*path, name), value, line)
    elif path:
        yield Attribute(path, text, line)


def _name_pair(frame: _Frame, read: list[Attribute]) -> None:
    """Give the value of a block that has its name apart that name."""
    places = {}
    for place, attribute in enumerate(read[frame.begins :], frame.begins):
        if attribute.path[:-1] == frame.path:
            places[attribute.path[-1]] = place
    if places.keys() >= {"name", "value"}:
        named = read[places["name"]].value
        value = read[places["value"]]
        read[places["value"]] = value._replace(path=(*frame.path, *named.split(".")))
        del read[places["name"]]

"""Long inputs that are derived from a regular expression, and how long it takes on them."""

import math
import signal
import time
from collections.abc import Callable, Iterator
from functools import partial
from re import _constants as codes  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from types import FrameType
from typing import Any, Final, NamedTuple

from expressions import Expression

SMALLER: Final = 25_000
LARGER: Final = 100_000
"""Characters."""
_NOTICED_SECONDS: Final = 0.020
_MOST_GROWTH: Final = 8
"""A linear expression takes 4 times as long, a quadratic one 16 times."""
_RUNS: Final = 5
_LONGEST_SECONDS: Final = 1.0
"""Many times what the slowest takes that is linear."""
_BLANKS: Final = ("\n", " ", "\t", "\n ", "a", "0")
_CHARACTERS: Final = "a0_ \n\t.-:/\"'=(,;{[<>$@#&*+!?%\\|~^`)]}A\r\x01é"
"""Examples of what a class may take."""
_MOST_OF_A_CLASS: Final = 5
END: Final = "\x01"
"""What hardly any expression takes."""


class Pump(NamedTuple):
    """A text in which a piece is repeated behind a beginning."""

    before: str
    piece: str
    after: str = ""

    def text(self, size: int) -> str:
        """Write so many characters of it."""
        return self.before + self.piece * (size // len(self.piece)) + self.after + END


def pumps(expression: Expression) -> tuple[Pump, ...]:
    """Derive what may be slow: each repetition again and again, and beginnings of a match."""
    compiled = expression.compiled
    walk = _Walk()
    walk.sequence(parser.parse(compiled.pattern, expression.flags), "")
    if not walk.repeats:
        return ()
    walk.pumps += (Pump("", blank) for blank in _BLANKS)
    # What must not follow is looked for to the end.
    walk.pumps += [pump._replace(after=after) for after in walk.refused for pump in walk.pumps]
    return tuple(pump for pump in dict.fromkeys(walk.pumps) if pump.piece)


class _Walk:
    """A way through the parts of an expression that writes texts which they match."""

    def __init__(self) -> None:
        self.pumps: list[Pump] = []
        self.repeats = False
        """Whether anything may be repeated without a limit."""
        self.refused: set[str] = set()
        """Texts that must not follow."""
        self._groups: dict[int, str] = {}

    def sequence(self, parts: Any, before: str) -> str:
        """Write a text that parts match one after the other."""
        written = ""
        for code, argument in parts:
            written += self._part(code, argument, before + written)
            self.pumps += (Pump("", written), Pump("", before + written))
        return written

    def _part(self, code: Any, argument: Any, before: str) -> str:
        match code:
            case codes.MAX_REPEAT | codes.MIN_REPEAT | codes.POSSESSIVE_REPEAT:
                return self._repeat(argument, before)
            case codes.BRANCH:
                return self._branches(argument[1], before)[0]
            case codes.SUBPATTERN:
                written = self.sequence(argument[3], before)
                self._groups[argument[0]] = written
                return written
            case codes.ATOMIC_GROUP:
                return self.sequence(argument, before)
            case codes.ASSERT:
                self.sequence(argument[1], before)
                return ""
            case codes.ASSERT_NOT:
                self.refused.add(self.sequence(argument[1], before))
                return ""
            case codes.GROUPREF:
                return self._groups.get(argument, "")
            case codes.GROUPREF_EXISTS:
                return self.sequence(argument[1], before)
            case codes.AT:
                return ""
            case _:
                return _characters(code, argument)[0]

    def _branches(self, branches: Any, before: str) -> list[str]:
        return [self.sequence(branch, before) for branch in branches]

    def _repeat(self, argument: Any, before: str) -> str:
        least, most, parts = argument
        written = self.sequence(parts, before)
        if most is codes.MAXREPEAT:
            self.repeats = True
            for piece in self._pieces(parts, before):
                self.pumps += (Pump(before, piece), Pump("", before + piece))
        return written * max(int(least), 1)

    def _pieces(self, parts: Any, before: str) -> list[str]:
        """Write several texts that parts match."""
        if len(parts) > 1:
            return [self.sequence(parts, before)]
        code, argument = parts[0]
        if code is codes.SUBPATTERN:
            return self._pieces(argument[3], before)
        if code is codes.BRANCH:
            return self._branches(argument[1], before)
        if code in {codes.IN, codes.ANY, codes.NOT_LITERAL, codes.LITERAL}:
            return _characters(code, argument)[:_MOST_OF_A_CLASS]
        return [self.sequence(parts, before)]


def _characters(code: Any, argument: Any) -> list[str]:
    """Some characters that one part matches."""
    if code is codes.LITERAL:
        return [chr(argument)]
    if code is codes.NOT_LITERAL:
        return [character for character in _CHARACTERS if ord(character) != argument]
    if code is codes.ANY:
        return [character for character in _CHARACTERS if character != "\n"]
    taken = [character for character in _CHARACTERS if _takes(argument, character)]
    return taken or [_first(part) for part in argument]


def _first(part: Any) -> str:
    """The first character that a part of a class takes."""
    code, argument = part
    if code is codes.RANGE:
        return chr(argument[0])
    return chr(argument)


def _takes(parts: Any, character: str) -> bool:
    takes, is_negated = False, False
    for code, argument in parts:
        match code:
            case codes.NEGATE:
                is_negated = True
            case codes.LITERAL:
                takes |= ord(character) == argument
            case codes.RANGE:
                takes |= argument[0] <= ord(character) <= argument[1]
            case codes.CATEGORY:
                takes |= _CATEGORIES[argument](character)
            case _:
                raise NotImplementedError(code)
    return takes is not is_negated


def _is_word(character: str) -> bool:
    return character.isalnum() or character == "_"


_CATEGORIES: Final[dict[Any, Callable[[str], bool]]] = {
    codes.CATEGORY_SPACE: str.isspace,
    codes.CATEGORY_NOT_SPACE: lambda character: not character.isspace(),
    codes.CATEGORY_DIGIT: str.isdecimal,
    codes.CATEGORY_NOT_DIGIT: lambda character: not character.isdecimal(),
    codes.CATEGORY_WORD: _is_word,
    codes.CATEGORY_NOT_WORD: lambda character: not _is_word(character),
}


def slow(expression: Expression) -> Iterator[str]:
    """Describe an input on which each method takes more than in proportion to the size."""
    for method in dict.fromkeys(map(_likened, expression.methods)):
        run = partial(_run, expression, method)
        for pump in pumps(expression):
            if grows(run, pump):
                yield f"{expression.place}: {method} with {pump}: {expression.pattern}"
                break


def _run(expression: Expression, method: str, text: str) -> None:
    content = text.encode("utf-8", "replace") if expression.is_bytes else text
    getattr(expression.compiled, method)(content)


def _likened(method: str) -> str:
    """The method that takes as long: one match from each place on, or only from the first."""
    return method if method in {"match", "fullmatch"} else "findall"


def grows(read: Callable[[str], object], pump: Pump) -> bool:
    """Tell whether a reader takes noticeably more than in proportion to the size of its input."""
    larger = pump.text(LARGER)
    first = _seconds(read, larger)
    if first <= _NOTICED_SECONDS:
        return False
    if first == math.inf:
        return True
    slower = _least(read, larger)
    quicker = _least(read, pump.text(SMALLER))
    return slower > max(_NOTICED_SECONDS, _MOST_GROWTH * quicker)


def _least(read: Callable[[str], object], text: str) -> float:
    return min(_seconds(read, text) for _ in range(_RUNS))


def _seconds(read: Callable[[str], object], text: str) -> float:
    """The CPU time of this thread for one call; infinite if it does not end in time."""
    before = signal.signal(signal.SIGVTALRM, _end)
    began = time.thread_time()
    signal.setitimer(signal.ITIMER_VIRTUAL, _LONGEST_SECONDS)
    try:
        read(text)
    except _Endless:
        return math.inf
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
    return time.thread_time() - began


class _Endless(BaseException):
    """An input took too long; no handler of errors may catch it."""


def _end(_: int, __: FrameType | None) -> None:
    raise _Endless

"""Replace the cost in an application's own file, or say why not. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

from hashcost.apps.refusals import MAXMEM_DEFAULT, scrypt_bytes
from hashcost.core.algorithms import area_time, guess_memory
from hashcost.core.errors import UnreadableInputError, UsageError
from hashcost.core.measurement import Params
from hashcost.core.units import format_setting, parse_count
from hashcost.verdicts.app_costs import Release, costs_in
from hashcost.verdicts.judgement import Configured, Held, Judgement

if TYPE_CHECKING:
    from hashcost.apps.interface import App, Scheme

_NUMBER: Final = re.compile(r"(?<![\d.])[0-9]+(?:_[0-9]+)*(?![\d_]*\d)(?!\.\d)")

Edits: TypeAlias = dict[tuple[int, int], str]
"""Where the numbers to replace begin and end, and what to write there."""


@dataclass(frozen=True, kw_only=True)
class Target:
    """A cost, and the file that is to have it."""

    app: App
    scheme: Scheme
    params: Params
    path: str
    text: str
    release: Release | None = None
    lower: bool = False
    """Whether the cost may be lower than the file's."""

    def costs(self, text: str) -> tuple[Held, ...]:
        """Read the file with this text."""
        return costs_in(self.app, text, self.path, self.release)

    def is_ours(self, cost: Held) -> bool:
        """Whether it is a cost of the hasher."""
        return isinstance(cost, Configured) and cost.hasher == self.scheme.hasher


@dataclass(frozen=True, kw_only=True)
class Change:
    """A file before and after, and the costs that it had."""

    path: str
    before: str
    after: str
    was: tuple[Configured, ...]


def change_for(target: Target) -> Change:
    """Put the cost into the file, and change nothing else.

    Raises:
        UsageError: the file hashes with another hasher, or has a higher cost.
        UnreadableInputError: the cost is not a number of this file that can be replaced.
    """
    app, path, text, wanted = target.app, target.path, target.text, target.params
    hasher, before = target.scheme.hasher, target.costs(text)
    for cost in before:
        if isinstance(cost, Judgement):
            raise UnreadableInputError(f"{cost.place}: {cost.message}; {cost.advice}")
    ours = tuple(cost for cost in before if isinstance(cost, Configured) and target.is_ours(cost))
    other = next((cost for cost in before if is_set(cost)), None)
    if not ours and other is not None:
        cure = f"write {hasher} there yourself"
        if app.scheme(other.hasher) is not None:
            cure = f"add `--hasher {other.hasher}` to set its cost, or {cure}"
        raise UsageError(f"{other.place}: it hashes with {other.hasher}, not {hasher}; {cure}")
    for cost in ours if not target.lower else ():
        if _strength(hasher, wanted) < _strength(hasher, cost.params):
            raise UsageError(
                f"{cost.place}: it has {format_setting(cost.params)}, and"
                f" {format_setting(wanted)} is weaker; `--lower` lowers it all the same"
            )
    if not any(map(is_set, ours)):
        raise UnreadableInputError(f"{path}: it does not set the cost")
    if all(cost.params == wanted for cost in ours):
        return Change(path=path, before=text, after=text, was=ours)

    _check_room(target)
    edits = _edits(target, ours)
    after = _edited(text, edits)
    others = [_read(cost) for cost in before if cost not in ours]
    costs = target.costs(after)
    is_exact = all(cost.params == wanted for cost in costs if target.is_ours(cost))
    is_exact &= others == [_read(cost) for cost in costs if not target.is_ours(cost)]
    if not is_exact or not all(_is_in_a_value(target, edits, span) for span in edits):
        raise UnreadableInputError(
            f"{path}: with the number replaced, the file is not read with exactly this cost"
        )
    refusal = next((cost.refused for cost in app.read(after) if cost.refused), "")
    if refusal:
        raise UnreadableInputError(f"{path}: {app.title} refuses it: {refusal}")
    return Change(path=path, before=text, after=after, was=ours)


def _strength(hasher: str, params: Params) -> float:
    return area_time(hasher)(params, int(guess_memory(hasher, params) or 1))


def _read(cost: Held) -> tuple[object, ...]:
    return cost.hasher, tuple(sorted(cost.params.items())), isinstance(cost, Judgement)


def _is_in_a_value(target: Target, edits: Edits, span: tuple[int, int]) -> bool:
    """Whether the file is read otherwise with the old number there, or with none."""

    def read(text: str) -> object:
        try:
            return [_read(cost) for cost in target.costs(text)]
        except UnreadableInputError:
            return None

    now = read(_edited(target.text, edits))
    others = (target.text[slice(*span)], "x")
    return any(now != read(_edited(target.text, {**edits, span: other})) for other in others)


def hasher_of(app: App, path: str, text: str, release: Release | None) -> str | None:
    """The hasher whose cost a file sets; the application's usual one if it sets several.

    Returns:
        `None` if it sets no known hasher, or one that the application does not have.
    """
    try:
        costs = costs_in(app, text, path, release)
    except UnreadableInputError:
        return None
    here = [cost.hasher for cost in costs if isinstance(cost, Configured) and is_set(cost)]
    return next((scheme.hasher for scheme in app.schemes if scheme.hasher in here), None)


def is_set(cost: Held) -> bool:
    """Whether a line of a file sets it."""
    return cost.place is not None and cost.place.line is not None


def _check_room(target: Target) -> None:
    # OpenSSL refuses a cost of scrypt that needs more memory than the file allows it.
    limit = re.search(r"(\w+)\s*[=:]\s*<scrypt_bytes\b", target.scheme.template)
    if limit is None:
        return
    needed = scrypt_bytes(target.params)
    allowed = re.findall(rf"\b{limit[1]}\s*[=:]\s*([0-9]{{1,18}})\b(?!\s*\*)", target.text)
    if needed > min(map(int, allowed), default=MAXMEM_DEFAULT):
        raise UnreadableInputError(
            f"{target.path}: it needs {needed:,} bytes, for which {limit[1]} has to be set too"
        )


def _edits(target: Target, ours: Sequence[Configured]) -> Edits:
    """The characters of each number to replace, with those to write in their place."""
    edits: Edits = {}
    for cost in target.app.read(target.text):
        if not cost.wins or cost.flaw is not None or cost.hasher != target.scheme.hasher:
            continue
        if cost.stored or cost.environment:
            why = "it is part of a stored hash; make the hash anew"
            if cost.environment:
                why = f"it counts only where the environment lacks {cost.environment}; set that"
            raise UnreadableInputError(f"{target.path}:{cost.line}: {why}")
        here = (row.params for row in ours if row.place and row.place.line == cost.line)
        had = next(here, {})
        for param, wanted in target.params.items():
            now = cost.params.get(param)
            if wanted != (had.get(param) if now is None else now):
                for line in (cost.lines.get(param, cost.line), *cost.also):
                    edits |= _literal(target, line, param, now, wanted)
    return edits


def _edited(text: str, edits: Edits) -> str:
    for (start, end), new in sorted(edits.items(), reverse=True):
        text = text[:start] + new + text[end:]
    return text


def _literal(target: Target, line: int, param: str, now: int | None, wanted: int) -> Edits:
    """The characters of a param's number, with those to write in their place.

    On its line it is the number behind the setting's name, or the only one with its value;
    a constant or a folded line has it elsewhere, as the only one of the file.
    """
    text, key = target.text, target.scheme.keys[param].partition(" (")[0]
    key = re.escape(re.split(r"[.\s]", key)[-1].strip("=:"))
    lines = text.splitlines(keepends=True)
    start = sum(map(len, lines[: line - 1]))
    end = start + len(lines[line - 1]) if 0 < line <= len(lines) else start
    for first, last in ((start, end), (0, len(text))):
        for unit in _UNITS:
            old, new = None if now is None else unit(now), unit(wanted)
            numbers = _NUMBER.finditer(text, first, last)
            equal = [
                match
                for match in numbers
                if None not in (old, new) and parse_count(match[0].replace("_", "")) == old
            ]
            chosen = [
                match
                for match in equal
                if re.search(rf"{key}[\W_]*$", text[first : match.start()])
            ] or [match for match in equal if not text[: match.start()][-1:].isalpha()]
            if not chosen and unit is _UNITS[0]:  # As in bcrypt12.
                chosen = [match for match in equal if not text[match.end() :][:1].isalpha()]
            if len(chosen) == 1:
                return {chosen[0].span(): f"{new:_}" if "_" in chosen[0][0] else f"{new}"}
            if chosen:
                break
    raise UnreadableInputError(
        f"{target.path}:{line}: no number there is plainly the {param}; it is computed, a default,"
        " or one of several; change it by hand"
    )


_UNITS: Final[tuple[Callable[[int], int | None], ...]] = (
    lambda value: value,
    lambda value: value.bit_length() - 1 if value > 0 and value & (value - 1) == 0 else None,
    lambda value: None if value % 1024 else value // 1024,
    lambda value: None if value % 1024**2 else value // 1024**2,
    lambda value: value * 1024,
)
"""How a count may be written: as itself, as its logarithm, in MiB, GiB or bytes."""

"""Replace the cost in an application's own file, or say why not. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, TypeAlias

from hashcost.apps.additions import with_setting
from hashcost.apps.refusals import MAXMEM_DEFAULT, scrypt_bytes
from hashcost.checks.app_costs import Release, costs_in_files, starts_containers
from hashcost.checks.judgement import Configured, Held, Judgement
from hashcost.core.algorithms import strength_of
from hashcost.core.cost_expressions import Place
from hashcost.core.errors import UnreadableInputError, UsageError
from hashcost.core.measurement import Params
from hashcost.core.units import format_setting, parse_count

if TYPE_CHECKING:
    from hashcost.apps.interface import App, Found, Scheme

_NUMBER: Final = re.compile(r"(?<![\d.])(?<!\d_)[0-9]++(?:_[0-9]++)*+(?!_*+\d)(?!\.\d)")

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
    together: tuple[tuple[str, str], ...] = ()
    """The files that count as one, by path and text, this one among them; empty for one file."""

    def costs(self, text: str) -> tuple[Held, ...]:
        """Read the file with this text, and the files that count as one with it."""
        files = self.together or ((self.path, self.text),)
        texts = [(path, text if path == self.path else other) for path, other in files]
        return costs_in_files(self.app, texts, self.release)

    def is_ours(self, cost: Held) -> bool:
        """Whether it is a cost of the hasher."""
        return isinstance(cost, Configured) and cost.hasher == self.scheme.hasher

    def is_exact(self, text: str) -> bool:
        """Whether the application has exactly this cost if the file has this text."""
        ours = [cost for cost in self.costs(text) if self.is_ours(cost)]
        return bool(ours) and all(cost.params == self.params for cost in ours)


@dataclass(frozen=True, kw_only=True)
class Change:
    """A file before and after, and the costs as they were written in it."""

    path: str
    before: str
    after: str
    was: tuple[Params, ...]


def change_together(targets: Sequence[Target]) -> Change:
    """Put the cost into the first of several files that count as one where that has an effect.

    Raises:
        UsageError: the files hash with another hasher, or have a higher cost.
        UnreadableInputError: the cost cannot be set in any of them.
    """
    refused: list[UnreadableInputError] = []
    for target in targets:
        try:
            return change_for(target)
        except UnreadableInputError as error:
            refused.append(error)
    raise refused[0]


def change_for(target: Target) -> Change:
    """Put the cost into the file, and change nothing else.

    A number is replaced. A setting that the file lacks is uncommented or added where its format
    makes that safe.

    Raises:
        UsageError: the file hashes with another hasher, or has a higher cost.
        UnreadableInputError: the file would not be read with exactly this cost.
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
        # A cost that the application refuses protects nothing.
        if not cost.refused and _strength(hasher, wanted) < _strength(hasher, cost.params):
            raise UsageError(
                f"{cost.place}: it has {format_setting(cost.params)}, and"
                f" {format_setting(wanted)} is weaker; `--lower` lowers it all the same"
            )

    written = _written(target, text)
    started = target if target.is_exact(text) else _with_all_params(target, written, ours)
    edits = _edits(started, ours)
    if edits:
        _check_room(started)
    after = _edited(started.text, edits)
    unlike = [_read(cost) for cost in before if is_set(cost) and cost not in ours]
    is_alike = unlike == [_read(cost) for cost in target.costs(after) if _is_unlike(target, cost)]
    is_exact = is_alike and target.is_exact(after)
    if not is_exact or not all(_is_in_a_value(started, edits, span) for span in edits):
        tried = "the number replaced" if started is target else "the setting added"
        raise UnreadableInputError(
            f"{path}: with {tried}, the file is not read with exactly this cost"
        )
    refusal = next((cost.refused for cost in app.read(after) if cost.refused), "")
    if refusal:
        raise UnreadableInputError(f"{path}: {app.title} refuses it: {refusal}")
    return Change(path=path, before=text, after=after, was=tuple(cost.params for cost in written))


def _is_unlike(target: Target, cost: Held) -> bool:
    """Whether it is not the cost of the hasher, nor a default of another."""
    return not target.is_ours(cost) and (isinstance(cost, Judgement) or is_set(cost))


def _written(target: Target, text: str) -> list[Found]:
    """The costs of the hasher that count and that lines of the file itself set."""
    try:
        costs = target.app.read(text)
    except UnreadableInputError as error:
        raise UnreadableInputError(f"{target.path}: {error}") from error
    return [
        cost
        for cost in costs
        if cost.wins and cost.flaw is None and cost.hasher == target.scheme.hasher
    ]


def _had(target: Target, cost: Found, ours: Sequence[Configured]) -> Params:
    """The params that a line of the file stands for, with the defaults of those it lacks."""
    for row in ours:
        if row.place == Place(path=target.path, line=cost.line):
            return row.params
    return {}


def _with_all_params(
    target: Target, written: Sequence[Found], ours: Sequence[Configured]
) -> Target:
    """The file with a line for each param whose default is not the one that is wanted.

    Raises:
        UnreadableInputError: it sets no cost, and its format takes no further line safely.
    """
    wanted = target.params.items()
    is_complete = bool(written) and all(
        param in cost.params or _had(target, cost, ours).get(param) == value
        for cost in written
        for param, value in wanted
    )
    if is_complete:
        return target
    text = None
    if not starts_containers(target.text):
        text = with_setting(target.app, target.scheme, target.text, target.params)
    if text is None and not written:
        raise UnreadableInputError(f"{target.path}: it does not set the cost")
    return target if text is None else replace(target, text=text)


def _strength(hasher: str, params: Params) -> float:
    return strength_of(hasher, params).product


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


def hasher_of(app: App, files: Sequence[tuple[str, str]], release: Release | None) -> str | None:
    """The hasher whose cost files set; the application's usual one if they set several.

    Returns:
        `None` if they set no known hasher, or one that the application does not have.
    """
    try:
        costs = costs_in_files(app, files, release)
    except UnreadableInputError:
        return None
    here = [cost.hasher for cost in costs if isinstance(cost, Configured) and is_set(cost)]
    return next((scheme.hasher for scheme in app.schemes if scheme.hasher in here), None)


def is_set(cost: Held) -> bool:
    """Whether a line of a file sets it."""
    return cost.place is not None and cost.place.line is not None


def _check_room(target: Target) -> None:
    # OpenSSL refuses a cost of scrypt that needs more memory than the file allows it.
    limit = re.search(r"\b(\w++)\s*+[=:]\s*+<scrypt_bytes\b", target.scheme.template)
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
    for cost in _written(target, target.text):
        had = _had(target, cost, ours)
        stale = {
            param: wanted
            for param, wanted in target.params.items()
            if wanted != cost.params.get(param, had.get(param))
        }
        if stale and (cost.stored or cost.environment):
            why = "it is part of a stored hash; make the hash anew"
            if cost.environment:
                why = f"it counts only where the environment lacks {cost.environment}; set that"
            raise UnreadableInputError(f"{target.path}:{cost.line}: {why}")
        for param, wanted in stale.items():
            for line in (cost.lines.get(param, cost.line), *cost.also):
                edits |= _literal(target, line, param, cost.params.get(param), wanted)
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
    key_of_a_number = re.compile(rf"{key}[\W_]*+(?=[0-9])")
    lines = text.splitlines(keepends=True)
    start = sum(map(len, lines[: line - 1]))
    end = start + len(lines[line - 1]) if 0 < line <= len(lines) else start
    for first, last in ((start, end), (0, len(text))):
        behind_key = {match.end() for match in key_of_a_number.finditer(text, first, last)}
        for unit in _UNITS:
            old, new = None if now is None else unit(now), unit(wanted)
            numbers = _NUMBER.finditer(text, first, last)
            equal = [
                match
                for match in numbers
                if None not in (old, new) and parse_count(match[0].replace("_", "")) == old
            ]
            chosen = [match for match in equal if match.start() in behind_key] or [
                match for match in equal if not text[match.start() - 1 : match.start()].isalpha()
            ]
            if not chosen and unit is _UNITS[0]:  # As in bcrypt12.
                chosen = [
                    match for match in equal if not text[match.end() : match.end() + 1].isalpha()
                ]
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

"""Replace the cost in an application's own file, or say why not. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, TypeAlias

from hashcost.apps.additions import with_setting
from hashcost.checks.app_costs import Texts, costs_in_files
from hashcost.checks.app_releases import AppRelease, starts_containers
from hashcost.checks.judgement import Configured, CostOrVerdict, Judgement
from hashcost.core.algorithms import strength_of
from hashcost.core.cost_expressions import Place
from hashcost.core.errors import UnreadableInputError, UsageError
from hashcost.core.measurement import Params
from hashcost.core.units import format_setting, parse_count

if TYPE_CHECKING:
    from hashcost.apps.found import Found
    from hashcost.apps.interface import App
    from hashcost.apps.schemes import Scheme

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
    release: AppRelease | None = None
    lower: bool = False
    """Whether the cost may be lower than the file's."""
    together: Texts = ()
    """The files that count as one, this one among them; empty for one file."""

    def costs(self, text: str) -> list[CostOrVerdict]:
        """Read the file with this text, and the files that count as one with it."""
        texts = dict(self.together)
        texts[self.path] = text
        return costs_in_files(self.app, list(texts.items()), self.release)

    def is_ours(self, cost: CostOrVerdict) -> bool:
        """Whether it is a cost of the hasher."""
        return isinstance(cost, Configured) and cost.hasher == self.scheme.hasher

    def is_exact(self, text: str) -> bool:
        """Whether the application has exactly this cost if the file has this text."""
        params = [cost.params for cost in self.costs(text) if self.is_ours(cost)]
        return bool(params) and all(own == self.params for own in params)


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
    refused = []
    for target in targets:
        try:
            return change_for(target)
        except UnreadableInputError as error:
            refused.append(error)
    # The first file is the one that people look at first.
    raise refused[0]


def change_for(target: Target) -> Change:
    """Put the cost into the file, and change nothing else.

    A number is replaced. A setting that the file lacks is uncommented or added where its format
    makes that safe.

    Raises:
        UsageError: the file hashes with another hasher, or has a higher cost.
        UnreadableInputError: the file would not be read with exactly this cost.
    """
    text = target.text
    before = _costs_before(target)
    ours = tuple(cost for cost in before if target.is_ours(cost))
    _check_hasher(target, before, ours)
    if not target.lower:
        _check_not_weaker(target, ours)
    written = _written(target, text)
    started = target
    if not target.is_exact(text):
        started = _with_all_params(target, written, ours)
    edits = _edits(started, ours)
    # A file that has the cost already needs no room for it.
    if edits:
        _check_room(started)
    after = _edited(started.text, edits)
    # The costs of other hashers stay as they were, and each number that is replaced is a value.
    others = [_read(cost) for cost in before if is_set(cost) and cost not in ours]
    after_others = [
        _read(cost)
        for cost in target.costs(after)
        if not target.is_ours(cost) and (isinstance(cost, Judgement) or is_set(cost))
    ]
    is_right = (
        others == after_others
        and target.is_exact(after)
        and all(_is_in_a_value(started, edits, span) for span in edits)
    )
    if not is_right:
        tried = "the number replaced" if started is target else "the setting added"
        raise UnreadableInputError(
            f"{target.path}: with {tried}, the file is not read with exactly this cost"
        )
    # The application may refuse a combination that each of its params allows.
    for cost in target.app.read(after):
        if cost.refused:
            title = target.app.title
            raise UnreadableInputError(f"{target.path}: {title} refuses it: {cost.refused}")
    was = tuple(cost.params for cost in written)
    return Change(path=target.path, before=text, after=after, was=was)


def _costs_before(target: Target) -> list[Configured]:
    """The costs that the file sets.

    Raises:
        UnreadableInputError: one of them is unknown.
    """
    costs = []
    for cost in target.costs(target.text):
        if isinstance(cost, Judgement):
            raise UnreadableInputError(f"{cost.place}: {cost.message}; {cost.advice}")
        costs.append(cost)
    return costs


def _check_hasher(target: Target, costs: Sequence[Configured], ours: Sequence[Configured]) -> None:
    """Refuse a file that hashes with another hasher."""
    hasher = target.scheme.hasher
    other = next((cost for cost in costs if is_set(cost)), None)
    if ours or other is None:
        return
    cure = f"write {hasher} there yourself"
    if target.app.scheme(other.hasher) is not None:
        cure = f"add `--hasher {other.hasher}` to set its cost, or {cure}"
    raise UsageError(f"{other.place}: it hashes with {other.hasher}, not {hasher}; {cure}")


def _check_not_weaker(target: Target, ours: Sequence[Configured]) -> None:
    """Refuse to lower a cost."""
    hasher, wanted = target.scheme.hasher, target.params
    least = strength_of(hasher, wanted).product
    for cost in ours:
        # A cost that the application refuses protects nothing.
        if not cost.refused and least < strength_of(hasher, cost.params).product:
            raise UsageError(
                f"{cost.place}: it has {format_setting(cost.params)}, and"
                f" {format_setting(wanted)} is weaker; `--lower` lowers it all the same"
            )


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
    if written and all(_is_complete(target, cost, ours) for cost in written):
        return target
    text = None
    # The settings of a container are not lines of the application's own format.
    if not starts_containers(target.text):
        text = with_setting(target.app, target.scheme, target.text, target.params)
    # The added lines state the whole cost, whatever the defaults are.
    if text is not None:
        return replace(target, text=text)
    if not written:
        why = "it does not set the cost"
        if target.app.lacks(target.scheme):
            why = f"{why}; {target.app.caution_of(target.scheme)}"
            if target.release is None:
                name = target.app.name
                why = f"{why}: say which with `calibrate emit {name} --app-version`"
        raise UnreadableInputError(f"{target.path}: {why}")
    return target


def _is_complete(target: Target, cost: Found, ours: Sequence[Configured]) -> bool:
    """Whether each wanted param is set there, or has the wanted value by default."""
    had = _had(target, cost, ours)
    return all(
        param in cost.params or had.get(param) == value for param, value in target.params.items()
    )


def _read(cost: CostOrVerdict) -> tuple[object, ...]:
    return cost.hasher, tuple(sorted(cost.params.items())), isinstance(cost, Judgement)


def _is_in_a_value(target: Target, edits: Edits, span: tuple[int, int]) -> bool:
    """Whether the file is read otherwise with the old number there, or with none."""

    def read(text: str) -> object:
        try:
            return [_read(cost) for cost in target.costs(text)]
        except UnreadableInputError:
            return None

    start, end = span
    now = read(_edited(target.text, edits))
    for other in (target.text[start:end], "x"):
        if read(_edited(target.text, {**edits, span: other})) != now:
            return True
    return False


def hasher_of(app: App, files: Texts, release: AppRelease | None) -> str | None:
    """The hasher whose cost files set; the application's usual one if they set several.

    Returns:
        `None` if they set no known hasher, or one that the application does not have.
    """
    try:
        costs = costs_in_files(app, files, release)
    except UnreadableInputError:
        return None
    here = {cost.hasher for cost in costs if isinstance(cost, Configured) and is_set(cost)}
    for scheme in app.schemes:
        if scheme.hasher in here:
            return scheme.hasher
    return None


def is_set(cost: CostOrVerdict) -> bool:
    """Whether a line of a file sets it."""
    return cost.place is not None and cost.place.line is not None


def _check_room(target: Target) -> None:
    """Refuse a cost of scrypt that needs more memory than the file allows it."""
    limit = target.scheme.memory_limit(target.text)
    if limit is None:
        return
    for name, needed in limit.raised_for(target.params).items():
        raise UnreadableInputError(
            f"{target.path}: it needs {needed:,} bytes, for which {name} has to be set too"
        )


def _edits(target: Target, ours: Sequence[Configured]) -> Edits:
    """The characters of each number to replace, with those to write in their place."""
    edits: Edits = {}
    for cost in _written(target, target.text):
        had = _had(target, cost, ours)
        for param, wanted in target.params.items():
            now = cost.params.get(param)
            if wanted == cost.params.get(param, had.get(param)):
                continue
            _check_changeable(target, cost)
            # A constant may stand elsewhere, and a setting may be repeated.
            for line in (cost.lines.get(param, cost.line), *cost.also):
                edits |= _literal(target, line, param, now, wanted)
    return edits


def _check_changeable(target: Target, cost: Found) -> None:
    """Refuse to change a number that is not a setting by itself."""
    if cost.environment:
        why = f"it counts only where the environment lacks {cost.environment}; set that"
        raise UnreadableInputError(f"{target.path}:{cost.line}: {why}")
    if cost.stored:
        why = "it is part of a stored hash; make the hash anew"
        raise UnreadableInputError(f"{target.path}:{cost.line}: {why}")


def _edited(text: str, edits: Edits) -> str:
    """The text with all edits made."""
    # From the end on, so that the places before stay where they are.
    for (start, end), new in sorted(edits.items(), reverse=True):
        text = text[:start] + new + text[end:]
    return text


def _literal(target: Target, line: int, param: str, now: int | None, wanted: int) -> Edits:
    """The characters of a param's number, with those to write in their place.

    On its line it is the number behind the setting's name, or the only one with its value;
    a constant or a folded line has it elsewhere, as the only one of the file.
    """
    text = target.text
    key, _, _ = target.scheme.keys[param].partition(" (")
    # `auth.password.cost` and `--cost=` are found by the word that stands beside the number.
    word = re.escape(re.split(r"[.\s]", key)[-1].strip("=:"))
    key_of_a_number = re.compile(rf"{word}[\W_]*+(?=[0-9])")
    whole_file = (0, len(text))
    for first, last in (_span_of(text, line), whole_file):
        behind_key = {match.end() for match in key_of_a_number.finditer(text, first, last)}
        for index, (old, new) in enumerate(_forms(now, wanted)):
            chosen = _numbers(text, (first, last), old, behind_key, after_letters=index == 0)
            if len(chosen) == 1:
                number = chosen[0]
                # A number that was written in groups stays readable.
                written = f"{new:_}" if "_" in number[0] else f"{new}"
                return {number.span(): written}
            # Several numbers there could be it: guessing would change the wrong one.
            if chosen:
                why = f"several numbers could be its {param}; change it by hand"
                raise UnreadableInputError(f"{target.path}:{line}: {why}")
    why = f"it states no {param} in numbers, so that it is computed or a default"
    raise UnreadableInputError(f"{target.path}:{line}: {why}")


def _span_of(text: str, line: int) -> tuple[int, int]:
    """Where a line begins and ends in a text; the lines count from 1."""
    lines = text.splitlines(keepends=True)
    start = sum(map(len, lines[: line - 1]))
    if not 0 < line <= len(lines):
        return start, start
    return start, start + len(lines[line - 1])


def _forms(now: int | None, wanted: int) -> list[tuple[int, int]]:
    """Both counts as they may be written: as they are, as logarithms, in MiB, GiB or bytes."""
    if now is None:
        return []
    forms = [(now, wanted)]
    if now > 0 and now.bit_count() == 1 and wanted.bit_count() == 1:
        forms.append((now.bit_length() - 1, wanted.bit_length() - 1))
    units = [unit for unit in (1024, 1024**2) if now % unit == wanted % unit == 0]
    forms += [(now // unit, wanted // unit) for unit in units]
    forms.append((now * 1024, wanted * 1024))
    return forms


def _numbers(
    text: str, span: tuple[int, int], value: int, behind_key: set[int], *, after_letters: bool
) -> list[re.Match[str]]:
    """The numbers with a value: those behind the key, or else those that are words."""
    equal = [
        match
        for match in _NUMBER.finditer(text, *span)
        if parse_count(match[0].replace("_", "")) == value
    ]
    behind = [match for match in equal if match.start() in behind_key]
    if behind:
        return behind
    words = [match for match in equal if not _is_letter(text, match.start() - 1)]
    if words or not after_letters:
        return words
    # As in bcrypt12.
    return [match for match in equal if not _is_letter(text, match.end())]


def _is_letter(text: str, at: int) -> bool:
    """Whether a letter is at a place, which may be just outside of the text."""
    return 0 <= at < len(text) and text[at].isalpha()

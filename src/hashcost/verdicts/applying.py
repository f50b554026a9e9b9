"""A cost put into an application's own file, or why it is not. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from hashcost.core.algorithms import area_time, guess_memory
from hashcost.core.errors import UnreadableInputError, UsageError
from hashcost.core.measurement import Params
from hashcost.core.units import format_setting
from hashcost.verdicts.app_costs import Held, costs_in_files
from hashcost.verdicts.edit_trial import Target, Trial, is_set
from hashcost.verdicts.judgement import Configured, Judgement, Outcome

if TYPE_CHECKING:
    from hashcost.apps.inclusion import Reader
    from hashcost.apps.interface import App

_DATED: Final = re.compile(r"hashcost \S+, [0-9]{4}-[0-9]{2}-[0-9]{2}: ")
_HEAD_LINES: Final = 16
"""How far above a cost its comment begins at most."""
_OF_A_COST: Final = re.compile(
    r"takes \S+ \S+(?: of |, by )|on [0-9]+ x |(?:meets|takes as much work as|below) "
    r"(?:\S+ minimum|the floor)|not approved"
)


@dataclass(frozen=True, kw_only=True)
class Change:
    """What a file becomes, and the costs that it had."""

    path: str
    before: str
    after: str
    was: tuple[Configured, ...]

    @property
    def is_needed(self) -> bool:
        """Whether the file does not have the cost already."""
        return self.before != self.after


def change_for(target: Target) -> Change:
    """The file with the cost in it, and nothing else changed.

    Raises:
        UsageError: the file hashes with another hasher, or has a higher cost.
        UnreadableInputError: the cost is not a literal of this file, or there is no safe
            place for it.
    """
    trial = Trial(target)
    before = costs_in_files(
        target.app, [(target.path, target.text)], target.version, target.reader
    )
    ours = trial.ours(before)
    _check_told(target, before)
    _check_hasher(target, before, ours)
    _check_not_lowered(target, ours)
    after: str | None = target.text
    if not (trial.is_done(target.text) and all(map(is_set, ours))):
        after = trial.edited()
    if after is None:
        why = next(_where_else(target, ours), "there is no safe place for what it lacks")
        raise UnreadableInputError(f"{target.path}: {why}")
    if after != target.text:
        renewed = _with_new_date(target, after)
        after = renewed if trial.is_done(renewed) else after
    return Change(path=target.path, before=target.text, after=after, was=ours)


def hasher_of(app: App, path: str, text: str, version: str | None, reader: Reader) -> str | None:
    """The hasher whose cost a file sets; the application's usual one if it sets several.

    Returns:
        None if it sets none that can be told, or one that the application does not have.
    """
    try:
        held = costs_in_files(app, [(path, text)], version, reader)
    except UnreadableInputError:
        return None
    here = [each.hasher for each in held if isinstance(each, Configured) and is_set(each)]
    return next((each.hasher for each in app.schemes if each.hasher in here), None)


def _check_told(target: Target, held: Iterable[Held]) -> None:
    for each in held:
        if isinstance(each, Judgement) and not _may_be_added_to(target, each):
            raise UnreadableInputError(f"{each.place}: {each.message}; {each.advice}")


def _may_be_added_to(target: Target, found: Judgement) -> bool:
    """Whether the file only lacks the setting, below a header that shows whose it is."""
    if found.outcome is not Outcome.UNKNOWN or (found.place and found.place.line):
        return False
    first = target.scheme.template.split("\n", 1)[0].rstrip()
    shown = first.endswith((":", "]")) and not first.startswith(" ")
    return shown and first in (line.rstrip() for line in target.text.splitlines())


def _check_hasher(target: Target, held: Iterable[Held], ours: Sequence[Configured]) -> None:
    other = next((each for each in held if is_set(each)), None)
    if ours or other is None:
        return
    app, wanted = target.app, target.scheme.hasher
    known = app.scheme(other.hasher)
    cure = (
        f"add `--hasher {known.hasher}` to set its cost, or write {wanted} there yourself"
        if known is not None
        else f"write {wanted} there yourself"
    )
    raise UsageError(f"{other.place}: it hashes with {other.hasher}, not {wanted}; {cure}")


def _check_not_lowered(target: Target, ours: Iterable[Configured]) -> None:
    wanted, hasher = target.params, target.scheme.hasher
    if target.lower:
        return
    for each in ours:
        if _strength(hasher, wanted) < _strength(hasher, each.params):
            raise UsageError(
                f"{each.place}: it has {format_setting(each.params)}, and"
                f" {format_setting(wanted)} is weaker; `--lower` lowers it all the same"
            )


def _where_else(target: Target, ours: Iterable[Configured]) -> Iterator[str]:
    """The place of a cost that does not stand in the file itself."""
    for each in ours:
        if each.place is not None and each.place.path != target.path:
            yield f"the cost stands in {each.place}; edit that file"
        elif is_set(each):
            yield (
                f"line {each.place and each.place.line} has no number that is the cost; it is"
                " computed, a default, or part of a stored hash"
            )


def _strength(hasher: str, params: Params) -> float:
    return area_time(hasher)(params, int(guess_memory(hasher, params) or 1))


def _with_new_date(target: Target, text: str) -> str:
    """The text whose comment by an earlier run tells of the new cost, if it has one."""
    lines = text.splitlines(keepends=True)
    mark = target.app.comment.partition("{}")[0].strip()
    new = [each for each in target.head if _DATED.search(each) or _OF_A_COST.search(each)]
    pairs = enumerate(zip(target.text.splitlines(), text.splitlines(), strict=False))
    changed = next((number for number, (old, now) in pairs if old != now), len(lines))
    near = range(max(0, changed - _HEAD_LINES), min(changed, len(lines)))
    first = next((each for each in reversed(near) if _DATED.search(lines[each])), None)
    if first is None or not new or not lines[first].lstrip().startswith(mark):
        return text
    end = first + 1
    while end < len(lines) and lines[end].lstrip().startswith(mark):
        if not _OF_A_COST.search(lines[end]):
            break
        end += 1
    own = lines[first]
    indent, newline = own[: len(own) - len(own.lstrip())], "\r\n" if "\r\n" in own else "\n"
    lines[first:end] = [indent + each + newline for each in new]
    return "".join(lines)

"""A cost put into an application's own file, and read there as a check reads it. Pure.

No format has a writer. The reader that finds a cost says what an edit makes of it: a number
is the cost's if the file with another in its place is read with exactly that cost, and with
nothing else changed. So whatever can be read can be edited, and what was edited is what
`calibrate check` then finds.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations, pairwise
from typing import TYPE_CHECKING, Final

from hashcost.apps.edits.arguments import Argument, arguments, at_end, beside, given
from hashcost.apps.edits.literals import Edit, edits_to, is_fallback, line_of, numbers_on
from hashcost.apps.edits.settings import keys_in, merged, value_on, values_of
from hashcost.core.algorithms import area_time, guess_memory
from hashcost.core.errors import UnreadableInputError, UsageError
from hashcost.core.measurement import Params
from hashcost.core.place import Place
from hashcost.core.units import format_cost
from hashcost.verdicts.app_costs import Held, costs_in_files
from hashcost.verdicts.judgement import Configured, Judgement, Outcome

if TYPE_CHECKING:
    from hashcost.apps.inclusion import Reader
    from hashcost.apps.interface import App, Scheme

_MOST_TRIED: Final = 400
"""Numbers that are tried as one param."""
_MOST_TOGETHER: Final = 8
_OTHER_KIND: Final = re.compile(r"\s*[{<](?!\?php)|(?:.*\n)*?services\s*:|[\s\S]*\?>\s*\Z")
"""What takes no lines of settings: JSON, XML, Docker Compose, and what ends PHP."""
_DATED: Final = re.compile(r"hashcost \S+, [0-9]{4}-[0-9]{2}-[0-9]{2}: ")
_OF_A_COST: Final = re.compile(
    r"takes \S+ \S+ of |on [0-9]+ x |(?:meets|takes as much work as|below) the floor|not approved"
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


@dataclass(frozen=True, kw_only=True)
class Target:
    """A cost, and the file that is to have it.

    ``head`` are the lines of comment that stand above what is added. ``reader`` reads what
    the file takes in.
    """

    app: App
    scheme: Scheme
    params: Params
    path: str
    text: str
    head: tuple[str, ...] = ()
    version: str | None = None
    reader: Reader | None = None
    lower: bool = False
    """Whether the cost may be lower than the file's."""


def change_for(target: Target) -> Change:
    """The file with the cost in it, and nothing else changed.

    Raises:
        UsageError: the file hashes with another hasher, or has a higher cost.
        UnreadableInputError: the cost is not a literal of this file, or there is no safe
            place for it.
    """
    return _Editor(target).change()


def hasher_of(app: App, path: str, text: str, version: str | None, reader: Reader) -> str | None:
    """The hasher whose cost a file sets; the application's usual one if it sets several.

    Returns:
        None if it sets none that can be told, or one that the application does not have.
    """
    try:
        held = costs_in_files(app, [(path, text)], version, reader)
    except UnreadableInputError:
        return None
    here = [each.hasher for each in held if isinstance(each, Configured) and _is_set(each)]
    return next((each.hasher for each in app.schemes if each.hasher in here), None)


@dataclass
class _Editor:
    """Tries edits on one file."""

    target: Target
    _read: dict[str, tuple[Held, ...] | None] = field(default_factory=dict)

    def change(self) -> Change:
        """The file as it is to be."""
        target = self.target
        before = costs_in_files(
            target.app, [(target.path, target.text)], target.version, target.reader
        )
        self._read[target.text] = before
        self._check_told(before)
        ours = self._ours(before)
        self._check_hasher(before, ours)
        self._check_not_lowered(ours)
        after = target.text
        if not (self._is_done(after) and all(_is_set(each) for each in ours)):
            after = self._edited(after, before)
            after = _with_new_date(target, after)
        if not self._is_done(after):
            raise self._refused("the comment of an earlier run cannot be renewed")
        return Change(path=target.path, before=target.text, after=after, was=ours)

    def _edited(self, text: str, before: Sequence[Held]) -> str:
        for base in (text, *self._added(text, before)):
            done = self._replaced(base)
            if done is not None:
                return self._completed(done)
        raise self._refused(*self._where_else(before))

    # What is read.

    def _costs(self, text: str) -> tuple[Held, ...] | None:
        """What is read of the file with this text; `None` if it cannot be."""
        target = self.target
        if text not in self._read:
            try:
                self._read[text] = costs_in_files(
                    target.app, [(target.path, text)], target.version, target.reader
                )
            except UnreadableInputError:
                self._read[text] = None
        return self._read[text]

    def _ours(self, held: Iterable[Held]) -> tuple[Configured, ...]:
        hasher = self.target.scheme.hasher
        return tuple(
            each for each in held if isinstance(each, Configured) and each.hasher == hasher
        )

    def _is_done(self, text: str) -> bool:
        """Whether every cost of the hasher is the one wanted, and the others are as they were."""
        held = self._costs(text)
        if held is None or any(isinstance(each, Judgement) for each in held):
            return False
        ours = self._ours(held)
        others = [_told(each) for each in held if each not in ours]
        hasher = self.target.scheme.hasher
        had = [each for each in self._costs(self.target.text) or () if each.hasher != hasher]
        return (
            bool(ours)
            and all(each.params == self.target.params for each in ours)
            and all(each in [*map(_told, had)] for each in others)
            and all(_told(each) in others for each in had if _is_set(each))
        )

    # What is refused.

    def _check_told(self, held: Iterable[Held]) -> None:
        for each in held:
            if isinstance(each, Judgement) and not self._may_be_added_to(each):
                raise UnreadableInputError(f"{each.place}: {each.message}; {each.advice}")

    def _may_be_added_to(self, found: Judgement) -> bool:
        """Whether the file only lacks the setting, below a header that shows whose it is."""
        if found.outcome is not Outcome.UNKNOWN or (found.place and found.place.line):
            return False
        first = self.target.scheme.template.split("\n", 1)[0].rstrip()
        shown = first.endswith((":", "]")) and not first.startswith(" ")
        return shown and first in (line.rstrip() for line in self.target.text.splitlines())

    def _check_hasher(self, held: Iterable[Held], ours: Sequence[Configured]) -> None:
        other = next((each for each in held if _is_set(each)), None)
        if ours or other is None:
            return
        app, wanted = self.target.app, self.target.scheme.hasher
        known = app.scheme(other.hasher)
        cure = (
            f"add `--hasher {known.hasher}` to set its cost, or write {wanted} there yourself"
            if known is not None
            else f"write {wanted} there yourself"
        )
        raise UsageError(f"{other.place}: it hashes with {other.hasher}, not {wanted}; {cure}")

    def _check_not_lowered(self, ours: Iterable[Configured]) -> None:
        wanted, hasher = self.target.params, self.target.scheme.hasher
        if self.target.lower:
            return
        for each in ours:
            if _strength(hasher, wanted) < _strength(hasher, each.params):
                raise UsageError(
                    f"{each.place}: it has {format_cost(each.params)}, and"
                    f" {format_cost(wanted)} is weaker; `--lower` lowers it all the same"
                )

    def _where_else(self, held: Iterable[Held]) -> Iterator[str]:
        """The place of a cost that does not stand in the file itself."""
        for each in self._ours(held):
            if each.place is not None and each.place.path != self.target.path:
                yield f"the cost stands in {each.place}; edit that file"
            elif _is_set(each):
                yield (
                    f"line {each.place and each.place.line} has no number that is the cost; it is"
                    " computed, a default, or part of a stored hash"
                )

    def _refused(self, *whys: str) -> UnreadableInputError:
        why = next(iter(whys), "there is no safe place for the setting that it lacks")
        return UnreadableInputError(f"{self.target.path}: {why}")

    # What is tried.

    def _replaced(self, text: str) -> str | None:
        """The text with the literals of the costs replaced; `None` if that is not all."""
        if self._is_done(text):
            return text
        held = self._costs(text)
        if held is None or any(isinstance(each, Judgement) for each in held):
            return None
        start = text
        together: list[Edit] = []
        for index, cost in enumerate(held):
            if cost not in self._ours(held):
                continue
            for param, wanted in self.target.params.items():
                text, unclear = self._with_param(text, index, param, wanted)
                together += unclear
        if self._is_done(text):
            return text
        return self._replaced_together(start, together)

    def _with_param(
        self, text: str, index: int, param: str, wanted: int
    ) -> tuple[str, list[Edit]]:
        """The text with one param as wanted, or the edits that do more than that."""
        held = self._costs(text) or ()
        now = held[index].params.get(param)
        unclear: list[Edit] = []
        if now is None or now == wanted:
            return text, unclear
        for tried, edit in enumerate(edits_to(text, now, wanted, self._line(held[index]))):
            if tried == _MOST_TRIED:
                break
            edited = edit.within(text)
            after = self._costs(edited)
            if after is not None and self._sets(held, after, index, param):
                self._check_literal(text, edit)
                return edited, []
            if after is None or [*map(_told, after)] != [*map(_told, held)]:
                unclear.append(edit)
        return text, unclear

    def _sets(self, before: Sequence[Held], after: Sequence[Held], index: int, param: str) -> bool:
        """Whether an edit set one param of one cost, and of other costs no other."""
        if len(after) != len(before) or after[index].params == before[index].params:
            return False
        one = {param: self.target.params[param]}
        ours = self._ours(before)
        return all(
            new.hasher == old.hasher
            and (new.params == old.params or (old in ours and new.params == {**old.params, **one}))
            for old, new in zip(before, after, strict=True)
        )

    def _replaced_together(self, text: str, edits: Sequence[Edit]) -> str | None:
        """The text with several edits, each of which the application refuses without the rest."""
        pool = list(dict.fromkeys(edits))[:_MOST_TOGETHER]
        for count in range(2, len(pool) + 1):
            for chosen in combinations(pool, count):
                ordered = sorted(chosen, key=lambda each: each.start, reverse=True)
                if any(a.start < b.end for a, b in pairwise(ordered)):
                    continue
                edited = text
                for each in ordered:
                    edited = each.within(edited)
                if self._is_done(edited):
                    for each in chosen:
                        self._check_literal(text, each)
                    return edited
        return None

    def _check_literal(self, text: str, edit: Edit) -> None:
        if is_fallback(text, edit):
            line = line_of(text, edit.start)
            raise UnreadableInputError(
                f"{Place(path=self.target.path, line=line)}: the cost is what the environment"
                f" sets, and only else {text[edit.start : edit.end]}; set it there"
            )

    def _added(self, text: str, held: Sequence[Held]) -> Iterator[str]:
        """The text with what it lacks, the likeliest first."""
        target, app = self.target, self.target.app
        snippet, template = target.scheme.write(target.params), target.scheme.template
        ours = [each for each in self._ours(held) if _is_set(each)]
        inside = [each for each in ours if each.place and each.place.path == target.path]
        known = arguments(template, target.params)
        for cost in inside:
            for edit in self._on_line(text, cost, known):
                self._check_literal(text, edit)
                yield edit.within(text)
        if app.adds == "settings" and not _OTHER_KIND.match(text):
            costs = frozenset(keys_in(template))
            for cost in inside:
                for edit in value_on(text, self._line(cost), snippet):
                    yield edit.within(text)
            for edit in values_of(text, snippet, [*costs]):
                yield edit.within(text)
            whole = merged(text, snippet, target.head, costs)
            if whole is not None:
                yield whole
        for each in inside:
            yield from self._argued(text, known, each)
        if app.adds == "code" and not ours:
            yield _appended(text, [*target.head, *snippet.splitlines()])

    def _on_line(self, text: str, cost: Configured, known: dict[str, Argument]) -> Iterator[Edit]:
        """Numbers that the application takes another for, so that they are not what is read."""
        wanted, line = self.target.params, self._line(cost)
        edits = [edit for each in known.values() for edit in given(text, each, line)]
        if len(wanted) == 1:
            edits += numbers_on(text, line, next(iter(wanted.values())))
        for edit in edits:
            after = self._costs(edit.within(text))
            if after is not None and [*map(_told, after)] != [
                *map(_told, self._costs(text) or ())
            ]:
                yield edit

    def _argued(self, text: str, known: dict[str, Argument], cost: Configured) -> Iterator[str]:
        """The text with arguments that a cost lacks; which these are, the reader decides."""
        names, line = tuple(self.target.params), self._line(cost)
        for count in range(len(names), 0, -1):
            for missing in combinations(names, count):
                for edit in beside(text, known, missing, line):
                    yield edit.within(text)
                if self.target.app.adds == "words":
                    for edit in at_end(text, known, missing, line):
                        yield edit.within(text)

    def _completed(self, text: str) -> str:
        """The text with the further keys of a param that has several, such as a range's ends."""
        template = self.target.scheme.template
        if self.target.app.adds != "settings" or len(keys_in(template)) <= len(self.target.params):
            return text
        snippet = self.target.scheme.write(self.target.params)
        for key in keys_in(template):
            for edit in values_of(text, snippet, [key]):
                edited = edit.within(text)
                if edited != text and self._is_done(edited):
                    text = edited
                    break
        return text

    def _line(self, cost: Held) -> int:
        place = cost.place
        return place.line if place and place.line and place.path == self.target.path else 1


def _is_set(held: Held) -> bool:
    """Whether a line of a file sets it."""
    return held.place is not None and held.place.line is not None


def _told(held: Held) -> tuple[object, ...]:
    outcome = held.outcome if isinstance(held, Judgement) else None
    return (held.hasher, tuple(sorted(held.params.items())), outcome)


def _strength(hasher: str, params: Params) -> float:
    return area_time(hasher)(params, int(guess_memory(hasher, params) or 1))


def _appended(text: str, lines: Sequence[str]) -> str:
    newline = "\r\n" if "\r\n" in text else "\n"
    gap = "" if not text or text.endswith("\n") else newline
    return text + gap + "".join(each + newline for each in ("", *lines))


def _with_new_date(target: Target, text: str) -> str:
    """The text whose comment by an earlier run tells of the new cost, if it has one."""
    begins = [index for index, each in enumerate(target.head) if _DATED.search(each)]
    lines = text.splitlines(keepends=True)
    known = {line.rstrip("\r\n").strip() for line in lines}
    old = [index for index, each in enumerate(lines) if _DATED.search(each)]
    mark = target.app.comment.partition("{}")[0].strip()
    if not begins or len(old) != 1 or target.head[begins[0]].strip() in known:
        return text
    first = old[0]
    if not lines[first].lstrip().startswith(mark):
        return text
    end = first + 1
    while end < len(lines) and lines[end].lstrip().startswith(mark):
        if not _OF_A_COST.search(lines[end]):
            break
        end += 1
    own = lines[first]
    indent, newline = own[: len(own) - len(own.lstrip())], "\r\n" if "\r\n" in own else "\n"
    new = [each for each in target.head if _DATED.search(each) or _OF_A_COST.search(each)]
    lines[first:end] = [indent + each + newline for each in new]
    return "".join(lines)

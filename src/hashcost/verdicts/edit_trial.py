"""Edits of an application's file, tried on the reader that finds its costs. Pure.

No format has a writer. A number is the cost's if the file with another in its place is read
with exactly that cost, and with nothing else changed; so whatever can be read can be edited,
and what was edited is what `calibrate check` then finds.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, combinations, pairwise
from typing import TYPE_CHECKING, Final

from hashcost.apps.edits.arguments import (
    Argument,
    arguments,
    at_end,
    at_end_of_array,
    beside,
    given,
    memory_limits,
)
from hashcost.apps.edits.literals import (
    Edit,
    edits_to,
    line_of,
    numbers_on,
    others_in_place,
    variable_before,
)
from hashcost.apps.edits.settings import keys_in, merged, value_on, values_of
from hashcost.apps.edits.subclass import subclassed
from hashcost.core.cost_expressions import Place
from hashcost.core.errors import UnreadableInputError
from hashcost.core.measurement import Params
from hashcost.verdicts.app_costs import Held, costs_in_files
from hashcost.verdicts.judgement import Configured, Judgement

if TYPE_CHECKING:
    from hashcost.apps.inclusion import Reader
    from hashcost.apps.interface import App, Scheme

_MOST_TRIED: Final = 100
"""Numbers that are tried as one param."""
_MOST_READ: Final = 300
"""How often a file is read in all."""
_MOST_TOGETHER: Final = 8
_OTHER_KIND: Final = re.compile(r"\s*[{<](?!\?php)|(?:.*\n)*?services\s*:|[\s\S]*\?>\s*\Z")
"""What takes no lines of settings: JSON, XML, Docker Compose, and what ends PHP."""


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


@dataclass
class Trial:
    """Tries edits on one file."""

    target: Target
    _read: dict[tuple[int, int], tuple[Held, ...] | None] = field(default_factory=dict)

    def edited(self) -> str | None:
        """The file with the cost; `None` if no edit gives exactly this cost.

        Raises:
            UnreadableInputError: the cost is what the environment may override.
        """
        text = self.target.text
        before = self.costs(text) or ()
        bases = (text,) if any(map(is_set, self.ours(before))) else ()
        for base in chain(bases, self._added(text, before)):
            done = self._replaced(base)
            # A default may be what is wanted already: then only what sets it has done it.
            if done is not None and all(map(is_set, self.ours(self.costs(done) or ()))):
                return self._completed(done)
        return None

    def costs(self, text: str) -> tuple[Held, ...] | None:
        """What is read of the file with this text; `None` if it cannot be."""
        target = self.target
        key = len(text), hash(text)  # Not the texts themselves, which may be large.
        if key not in self._read:
            if len(self._read) == _MOST_READ:
                raise UnreadableInputError(
                    f"{target.path}: too many numbers could be the cost; change it by hand"
                )
            try:
                self._read[key] = costs_in_files(
                    target.app, [(target.path, text)], target.version, target.reader
                )
            except UnreadableInputError:
                self._read[key] = None
        return self._read[key]

    def ours(self, held: Iterable[Held]) -> tuple[Configured, ...]:
        """Those of the costs that are the hasher's."""
        hasher = self.target.scheme.hasher
        return tuple(
            each for each in held if isinstance(each, Configured) and each.hasher == hasher
        )

    def is_done(self, text: str) -> bool:
        """Whether every cost of the hasher is the one wanted, and the others are as they were."""
        held = self.costs(text)
        if held is None or any(isinstance(each, Judgement) for each in held):
            return False
        ours = self.ours(held)
        others = [_told(each) for each in held if each not in ours]
        hasher = self.target.scheme.hasher
        had = [each for each in self.costs(self.target.text) or () if each.hasher != hasher]
        return (
            bool(ours)
            and all(each.params == self.target.params for each in ours)
            and not any(f"{self.target.app.title} refuses" in each.note for each in ours)
            and all(each in [*map(_told, had)] for each in others)
            and all(_told(each) in others for each in had if is_set(each))
        )

    def _replaced(self, text: str) -> str | None:
        """The text with the literals of the costs replaced; `None` if that is not all."""
        if self.is_done(text):
            return text
        held = self.costs(text)
        if held is None or any(isinstance(each, Judgement) for each in held):
            return None
        start = text
        together: list[Edit] = []
        for index, cost in enumerate(held):
            if cost not in self.ours(held):
                continue
            for param, wanted in self.target.params.items():
                text, unclear = self._with_param(text, index, param, wanted)
                together += unclear
            if text != start:
                text = self._with_room(text, self._line(cost))
        if self.is_done(text):
            return text
        return self._replaced_together(start, together)

    def _with_param(
        self, text: str, index: int, param: str, wanted: int
    ) -> tuple[str, list[Edit]]:
        """The text with one param as wanted, or the edits that do more than that."""
        held = self.costs(text) or ()
        now = held[index].params.get(param)
        unclear: list[Edit] = []
        if now is None or now == wanted:
            return text, unclear
        for tried, edit in enumerate(edits_to(text, now, wanted, self._line(held[index]))):
            if tried == _MOST_TRIED:
                break
            edited = edit.within(text)
            after = self.costs(edited)
            if (
                after is not None
                and self._sets(held, after, index, param)
                and self._is_followed(text, edit, now, index, param)
            ):
                self._check_literal(text, edit)
                return edited, []
            if after is None or [*map(_told, after)] != [*map(_told, held)]:
                unclear.append(edit)
        return text, [each for each in unclear if not text[each.start - 1].isalpha()]

    def _is_followed(self, text: str, edit: Edit, now: int, index: int, param: str) -> bool:
        """Whether another number there is read as such.

        Else it is part of a name, without which a default counts that happens to be wanted.
        """
        wanted, limits = self.target.params[param], self.target.scheme.limits[param]
        probes = (2 * wanted, wanted + 1, wanted - 1, wanted // 2, 2 * now, *limits.allowed)
        for probe in dict.fromkeys(map(limits.nearest, probes)):
            for other in others_in_place(text, edit, now, probe) if probe != wanted else ():
                held = self.costs(other.within(text)) or ()
                if len(held) > index and held[index].params.get(param) == probe != now:
                    return True
        return False

    def _with_room(self, text: str, line: int) -> str:
        """The text with as much memory allowed as a hash takes, where the library has a limit."""
        for edit in memory_limits(text, self.target.scheme.template, self.target.params, line):
            if self.is_done(edit.within(text)):
                return edit.within(text)
        return text

    def _sets(self, before: Sequence[Held], after: Sequence[Held], index: int, param: str) -> bool:
        """Whether an edit set one param of one cost, and of other costs no other."""
        if len(after) != len(before) or after[index].params == before[index].params:
            return False
        one = {param: self.target.params[param]}
        ours = self.ours(before)
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
                if self.is_done(edited):
                    for each in chosen:
                        self._check_literal(text, each)
                    return edited
        return None

    def _check_literal(self, text: str, edit: Edit) -> None:
        variable = variable_before(text, edit)
        if variable is not None:
            place = Place(path=self.target.path, line=line_of(text, edit.start))
            number = text[edit.start : edit.end]
            raise UnreadableInputError(
                f"{place}: {number} counts only where the environment lacks {variable};"
                f" set {variable} there"
            )

    def _added(self, text: str, held: Sequence[Held]) -> Iterator[str]:
        """The text with what it lacks, the likeliest first."""
        target, app = self.target, self.target.app
        snippet, template = target.scheme.write(target.params), target.scheme.template
        ours = [each for each in self.ours(held) if is_set(each)]
        inside = [each for each in ours if each.place and each.place.path == target.path]
        known = arguments(template, target.params)
        for cost in inside:
            for edit in self._on_line(text, cost, known):
                self._check_literal(text, edit)
                yield edit.within(text)
        if app.adds == "settings" and not _OTHER_KIND.match(text):
            costs = frozenset(keys_in(template))
            for cost in inside if costs else ():
                for edit in value_on(text, self._line(cost), snippet):
                    yield edit.within(text)
            for edit in values_of(text, snippet, [*costs]):
                yield edit.within(text)
            whole = merged(text, snippet, target.head, costs)
            if costs and whole is not None:
                yield whole
        for each in inside:
            yield from self._argued(text, known, each)
        lines = [*target.head, *snippet.splitlines()]
        if app.adds == "code":
            whole = subclassed(text, snippet, target.head) if ours else _appended(text, lines)
            if whole is not None:
                yield whole
        if app.adds == "array" and not ours and (whole := at_end_of_array(text, lines)):
            yield whole

    def _on_line(self, text: str, cost: Configured, known: dict[str, Argument]) -> Iterator[Edit]:
        """Numbers that the application takes another for, so that they are not what is read."""
        wanted, line = self.target.params, self._line(cost)
        edits = [edit for each in known.values() for edit in given(text, each, line)]
        if len(wanted) == 1:
            edits += self._numbers(text, cost, line)
        for edit in edits:
            after = self.costs(edit.within(text))
            if after is not None and [*map(_told, after)] != [*map(_told, self.costs(text) or ())]:
                yield edit

    def _numbers(self, text: str, cost: Configured, line: int) -> Iterator[Edit]:
        """The numbers of a line that set the only param, whatever is made of them."""
        ((param, wanted),) = self.target.params.items()
        limits = self.target.scheme.limits[param]
        probe = limits.nearest(wanted + 1)
        probe = limits.nearest(wanted - 1) if probe == wanted else probe
        others = numbers_on(text, line, probe)
        for edit, other in zip(numbers_on(text, line, wanted), others, strict=True):
            read = self.costs(other.within(text)) or ()
            if any(each.params == {param: probe} != cost.params for each in self.ours(read)):
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
                if edited != text and self.is_done(edited):
                    text = edited
                    break
        return text

    def _line(self, cost: Held) -> int:
        place = cost.place
        return place.line if place and place.line and place.path == self.target.path else 1


def is_set(held: Held) -> bool:
    """Whether a line of a file sets it."""
    return held.place is not None and held.place.line is not None


def _told(held: Held) -> tuple[object, ...]:
    outcome = held.outcome if isinstance(held, Judgement) else None
    return (held.hasher, tuple(sorted(held.params.items())), outcome)


def _appended(text: str, lines: Sequence[str]) -> str:
    newline = "\r\n" if "\r\n" in text else "\n"
    gap = "" if not text or text.endswith("\n") else newline
    return text + gap + "".join(each + newline for each in ("", *lines))

"""The result of `calibrate emit`: snippets, differences, and what was written where."""

import difflib
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from msgspec.structs import replace

from hashcost.checks.applying import Change
from hashcost.core.algorithms import guess_memory
from hashcost.core.measurement import GLIBC_FRESH, Measurement
from hashcost.core.profile import Verdict
from hashcost.core.text import path_name
from hashcost.core.units import format_duration, format_list, format_setting
from hashcost.recommend.emission import Emission, Emitted, Origin, header
from hashcost.recommend.huge_pages import PLACES, VARIABLE
from hashcost.render.document import Column, Document, Table
from hashcost.render.wording import counted, library, standing
from hashcost.strength.policies.policy import Policy, assess

_COLUMNS: Final = (
    Column("application"),
    Column("file", flexible=True),
    Column("cost"),
    Column("one hash", right=True),
    Column("result", bold=True),
)


@dataclass(frozen=True)
class Unset:
    """An application whose cost could not be set, and the files that were to have it."""

    title: str
    files: tuple[str, ...]


def emitted_with(
    emission: Emission, timed: Measurement, origin: Origin, policies: Sequence[Policy]
) -> Emitted:
    """The cost with what there is to say of it, and the snippet below its comment."""
    scheme, params = emission.scheme, emission.params
    reference = scheme.reference
    checks = (assess(policy, scheme.hasher, params) for policy in policies)
    standings = [
        standing(check, of=check.policy)
        for check in checks
        if check.verdict is not Verdict.NOT_NAMED
    ]
    # Without these variables a hash would take longer in the application.
    keeps = reference is not None and reference.keeps_memory
    memory = guess_memory(scheme.hasher, params) or 0.0
    name, _, value = VARIABLE.partition("=")
    needed = origin.gives_huge_pages and memory >= GLIBC_FRESH and not keeps
    comment = (*standings, *(PLACES if needed else ()))
    return Emitted(
        app=emission.app.name,
        title=emission.app.title,
        hasher=scheme.hasher,
        implementation="" if reference is None else reference.implementation,
        params=params,
        time_seconds=emission.time_seconds,
        target_seconds=emission.target_seconds,
        snippet=header(emission, origin, library(timed), comment) + emission.snippet,
        environment={name: value} if needed else {},
        reasons=(*emission.reasons, *standings),
        factor_source=emission.factor_source,
    )


def of_change(answer: Emitted, change: Change, backup: str | None) -> Emitted:
    """The answer for one file, with the change that is planned or made there."""
    return replace(
        answer, file=path_name(change.path), diff=difference(change), was=change.was, backup=backup
    )


def difference(change: Change) -> str:
    """The change as `patch` takes it, without the lines around it, which may be passwords."""
    name = path_name(change.path)
    before, after = (
        io.StringIO(text, newline="\n").readlines() for text in (change.before, change.after)
    )
    lines = difflib.unified_diff(before, after, name, name, n=0)
    return "".join(
        line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
        for line in lines
    )


def applied_line(answer: Emitted) -> str:
    """Say on one line what was written into a file, and where its backup is."""
    cost = format_setting(answer.params)
    if answer.backup is None:
        return f"{answer.file}: no change, it has {cost}\n"
    return f"{answer.file}: {cost}{_instead_of(answer)}; backup: {answer.backup}\n"


def applied_document(
    answers: Sequence[Emitted], unset: Sequence[Unset], policies: Sequence[Policy]
) -> Document:
    """A row for each file of several applications, and what could not be set."""
    rows = [
        (
            answer.title,
            answer.file or "",
            format_setting(answer.params),
            _takes(answer),
            "no change" if answer.backup is None else f"set{_instead_of(answer)}",
        )
        for answer in answers
    ]
    rows += [(one.title, ", ".join(one.files), "", "", "not set") for one in unset]
    return Document(
        tables=(Table(columns=_COLUMNS, rows=tuple(rows)),),
        notes=tuple(cautions(answers, policies)),
        foot=tuple(
            f"{answer.file} as it was: {answer.backup}" for answer in answers if answer.backup
        ),
        answer=(summary(answers, unset, applies=True),),
        value=tuple(answers),
    )


def summary(answers: Sequence[Emitted], unset: Sequence[Unset], *, applies: bool) -> str:
    """Count the applications that change or not, and name those whose cost cannot be set."""
    changed = {answer.app for answer in answers if answer.diff}
    right = {answer.app for answer in answers} - changed
    if not changed and not unset:
        return (
            f"No change: {counted(len(right), 'application has', 'applications have')} the cost."
        )
    done = "was set in" if applies else "would change in"
    parts = [f"The cost {done} {counted(len(changed), 'application', 'applications')}"]
    if right:
        parts.append(f"{len(right)} already had it")
    if unset:
        parts.append(without_cost(unset))
    return f"{'; '.join(parts)}."


def without_cost(unset: Sequence[Unset]) -> str:
    """Name the applications whose cost is not set."""
    names = format_list([one.title for one in unset])
    return f"{names} {'was' if len(unset) == 1 else 'were'} not set"


def headed(answer: Emitted, comment: str) -> str:
    """The snippet below a comment that says which application it is for."""
    return f"{comment.format(answer.title)}\n{answer.snippet}\n"


def cautions(answers: Sequence[Emitted], policies: Sequence[Policy]) -> Iterator[str]:
    """Say which costs are below a minimum, and which services need a variable."""
    for answer in {answer.app: answer for answer in answers}.values():
        for policy in policies:
            check = assess(policy, answer.hasher, answer.params)
            if check.verdict is Verdict.SHORT:
                yield (
                    f"{answer.title}: {format_setting(answer.params)} is"
                    f" {standing(check, of=check.policy)}; `calibrate emit {answer.app}` says why"
                )
        for name, value in answer.environment.items():
            yield f"{answer.title}: set {name}={value} for it"


def _takes(answer: Emitted) -> str:
    """The time of one hash, beside the target if that is exceeded."""
    takes = format_duration(answer.time_seconds)
    if answer.time_seconds <= answer.target_seconds:
        return takes
    return f"{takes} of {format_duration(answer.target_seconds)}"


def _instead_of(answer: Emitted) -> str:
    written = dict.fromkeys(format_setting(params) for params in answer.was)
    return f" instead of {format_list(list(written))}" if written else ""

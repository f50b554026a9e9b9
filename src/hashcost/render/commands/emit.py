"""The result of `calibrate emit`: snippets, differences, and what was written where."""

import difflib
import io
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, TypeAlias

from msgspec.structs import replace

from hashcost.checks.applying import Change
from hashcost.core.algorithms import guess_memory
from hashcost.core.measurement import GLIBC_FRESH, Measurement
from hashcost.core.profile import Verdict
from hashcost.core.text import path_name
from hashcost.core.units import format_duration, format_list, format_setting
from hashcost.recommend.emission import Emission, Emitted, Origin, below_opening, header
from hashcost.recommend.huge_pages import PLACES, VARIABLE
from hashcost.render.document import Column, Document, Table
from hashcost.render.wording import counted, library, standing
from hashcost.strength.policies.policy import Policy, assess_all

_COLUMNS: Final = (
    Column("application"),
    Column("file", flexible=True),
    Column("cost"),
    Column("one hash", right=True),
    Column("result", bold=True),
)
Unset: TypeAlias = Mapping[str, Sequence[str]]
"""Titles of applications whose cost could not be set, each with the files that were to have it."""


def emitted_with(
    emission: Emission, timed: Measurement, origin: Origin, policies: Sequence[Policy]
) -> Emitted:
    """The cost with what there is to say of it, and the snippet below its comment."""
    scheme, params = emission.scheme, emission.params
    checks = assess_all(policies, scheme.hasher, params)
    # A policy that does not list the hasher says nothing of the cost.
    listing = [check for check in checks if check.verdict is not Verdict.NOT_NAMED]
    standings = [standing(check, of=check.policy) for check in listing]
    comment = list(standings)
    environment = {}
    reference = scheme.reference
    memory = guess_memory(scheme.hasher, params) or 0.0
    keeps_memory = reference is not None and reference.keeps_memory
    # Without the variable a hash takes longer, unless the application keeps its memory.
    if origin.gives_huge_pages and memory >= GLIBC_FRESH and not keeps_memory:
        comment += PLACES  # How each kind of service is given it.
        name, _, value = VARIABLE.partition("=")
        environment[name] = value
    head = header(emission, origin, library(timed), comment)
    return Emitted(
        app=emission.app.name,
        title=emission.app.title,
        hasher=scheme.hasher,
        implementation="" if reference is None else reference.implementation,
        params=params,
        time_seconds=emission.time_seconds,
        target_seconds=emission.target_seconds,
        snippet=below_opening(head, emission.snippet),
        environment=environment,
        reasons=(*emission.reasons, *standings),
        factor_source="" if reference is None else reference.source,
    )


def of_change(answer: Emitted, change: Change, backup: str | None) -> Emitted:
    """The answer for one file, with the change that is planned or made there."""
    file, diff = path_name(change.path), difference(change)
    return replace(answer, file=file, diff=diff, was=change.was, backup=backup)


def difference(change: Change) -> str:
    """The change as `patch` takes it, without the lines around it, which may be passwords."""
    name = path_name(change.path)
    lines = []
    for line in difflib.unified_diff(_lines(change.before), _lines(change.after), name, name, n=0):
        lines.append(line)
        if not line.endswith("\n"):
            # The last line of a file may lack its end; `patch` has to know.
            lines.append("\n\\ No newline at end of file\n")
    return "".join(lines)


def _lines(text: str) -> list[str]:
    """The lines as the file has them: only a line feed ends one."""
    return io.StringIO(text, newline="\n").readlines()


def applied_line(answer: Emitted) -> str:
    """Say on one line what was written into a file, and where its backup is."""
    cost = format_setting(answer.params)
    if answer.backup is None:
        return f"{answer.file}: no change, it has {cost}\n"
    return f"{answer.file}: {cost}{_instead_of(answer)}; backup: {answer.backup}\n"


def applied_document(
    answers: Sequence[Emitted], unset: Unset, policies: Sequence[Policy]
) -> Document:
    """A row for each file of several applications, and what could not be set."""
    rows = []
    foot = []
    for answer in answers:
        result = "no change"
        if answer.backup is not None:
            result = f"set{_instead_of(answer)}"
            foot.append(f"{answer.file} as it was: {answer.backup}")
        cost = format_setting(answer.params)
        rows.append((answer.title, answer.file or "", cost, _takes(answer), result))
    rows += [(title, ", ".join(files), "", "", "not set") for title, files in unset.items()]
    return Document(
        tables=(Table(columns=_COLUMNS, rows=tuple(rows)),),
        notes=tuple(cautions(answers, policies)),
        foot=tuple(foot),
        answer=(summary(answers, unset, applies=True),),
        value=tuple(answers),
    )


def summary(answers: Sequence[Emitted], unset: Unset, *, applies: bool) -> str:
    """Count the applications that change or not, and name those whose cost cannot be set."""
    changed = {answer.app for answer in answers if answer.diff}
    # An application is changed if one of its files is.
    right = {answer.app for answer in answers} - changed
    if not changed and not unset:
        have = counted(len(right), "application has", "applications have")
        return f"No change: {have} the cost."
    done = "was set in" if applies else "would change in"
    applications = counted(len(changed), "application", "applications")
    parts = [f"The cost {done} {applications}"]
    if right:
        parts.append(f"{len(right)} already had it")
    if unset:
        parts.append(without_cost(unset))
    return f"{'; '.join(parts)}."


def without_cost(unset: Unset) -> str:
    """Name the applications whose cost is not set."""
    names = format_list([*unset])
    if len(unset) == 1:
        return f"{names} was not set"
    return f"{names} were not set"


def headed(answer: Emitted, comment: str) -> str:
    """The snippet below a comment that says which application it is for."""
    title = f"{comment.format(answer.title)}\n"
    return f"{below_opening(title, answer.snippet)}\n"


def cautions(answers: Sequence[Emitted], policies: Sequence[Policy]) -> Iterator[str]:
    """Say which costs are below a minimum, and which services need a variable."""
    # All files of an application get the same cost.
    for answer in {answer.app: answer for answer in answers}.values():
        for check in assess_all(policies, answer.hasher, answer.params):
            if check.verdict is Verdict.SHORT:
                # A snippet says it in its comment; where files are written, nothing else does.
                cost, stands = format_setting(answer.params), standing(check, of=check.policy)
                yield f"{answer.title}: {cost} is {stands}; `calibrate emit {answer.app}` says why"
        for name, value in answer.environment.items():
            yield f"{answer.title}: set {name}={value} for it"


def _takes(answer: Emitted) -> str:
    """The time of one hash, beside the target if that is exceeded."""
    takes = format_duration(answer.time_seconds)
    # Beyond the target it is the policy's minimum.
    if answer.time_seconds <= answer.target_seconds:
        return takes
    return f"{takes} (the target is {format_duration(answer.target_seconds)})"


def _instead_of(answer: Emitted) -> str:
    written = list(dict.fromkeys(map(format_setting, answer.was)))
    if not written:
        return ""
    return f" instead of {format_list(written)}"

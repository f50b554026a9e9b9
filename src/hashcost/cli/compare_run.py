"""What `compare` and `fleet` share: a decision that is kept, and what machines were warned of."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from hashcost.cli.elsewhere import given_host
from hashcost.compare.deciding import Outcome, decided, decision_of
from hashcost.compare.machines import MeasuredMachine
from hashcost.compare.model import Comparison
from hashcost.core.decision import Decision
from hashcost.core.errors import InconclusiveError, said_of
from hashcost.core.machine import Notice
from hashcost.documents.decision import load_decision, save_decision
from hashcost.render.commands.compare_notes import named
from hashcost.render.wording import gathered


def committed_decision(path: Path | None) -> Decision | None:
    """What was decided before, if anything was."""
    if path is None or not path.is_file():
        return None
    with said_of("--decision"):
        return load_decision(path)


def keep_decision(
    found: Comparison, committed: Decision | None, path: Path, *, lower: bool
) -> tuple[Outcome, ...]:
    """Decide, and write the file unless it says that already.

    Raises:
        InconclusiveError: nothing can be decided.
    """
    outcomes = decided(found, committed, now=given_host().date(), lower=lower)
    if not outcomes:
        raise InconclusiveError(
            "--decision: nothing is written: too little is known for a cost for all"
        )
    if decision_of(outcomes) != committed:
        save_decision(decision_of(outcomes), path)
    return outcomes


def warnings_of(machines: Sequence[MeasuredMachine]) -> Iterator[Notice]:
    """What the machines were warned of when they were measured, each kind once."""
    found = gathered(
        (notice.code, (each.name, notice)) for each in machines for notice in each.warnings
    )
    for notices in found.values():
        names = list(dict.fromkeys(name for name, _ in notices))
        first = notices[0][1]
        alike = all(notice.message == first.message for _, notice in notices)
        whose = "" if alike else f" (the figure of {names[0]})"
        yield msgspec.structs.replace(first, message=f"{named(names)}: {first.message}{whose}")

"""``calibrate solve``: the cost for a target by times that were measured elsewhere."""

from pathlib import Path

import click

from hashcost.cli.inputs import standard_input
from hashcost.cli.options import result_options, rounding_option, target_option
from hashcost.cli.output import Output
from hashcost.core.errors import (
    InconclusiveError,
    UnavailableError,
    UnreachableError,
    UnreadableInputError,
)
from hashcost.core.foreign import path_name
from hashcost.core.measurement import Knob, Scale
from hashcost.core.profile import Rounding
from hashcost.core.tool import TOOL
from hashcost.documents.files import read_limited, read_stream_limited
from hashcost.hashers.registry import candidates, load_first, select
from hashcost.render.commands.solve import Answers, answers_document
from hashcost.sweep.published.answer import ANSWER_SCHEMA_VERSION, TableAnswer, Unanswered, answer
from hashcost.sweep.published.table import read_table

_FILE = click.Path(path_type=Path, dir_okay=False, allow_dash=True)
_LARGEST_TABLE = 4 << 20


@click.command
@click.argument("table", type=_FILE, metavar="TABLE")
@target_option("Time that one hash may take, such as 250ms.", default="250ms")
@click.option("--hasher", metavar="NAME", help="Hasher that was timed, if the table does not say.")
@click.option(
    "--scale",
    type=click.Choice(["linear", "log2"]),
    help="How time grows with cost.  [default: the hasher's, or detected]",
)
@rounding_option
@result_options("table", "json", "csv", "markdown")
def solve(
    table: Path,
    target: float,
    hasher: str | None,
    scale: str | None,
    rounding: str,
    out: Output,
) -> int:
    """Find the cost for a target in a table of times that were measured elsewhere.

    TABLE has a column of costs (cost, rounds or iterations) and one of times (seconds or
    ms), separated by commas, semicolons, tabs or bars; - is standard input. Example:
    calibrate solve table.csv --hasher bcrypt --target 400ms
    """
    out.check(table)
    name = "standard input" if table == Path("-") else path_name(table)
    read = read_table(_text(table, name), name=name)
    answers: list[TableAnswer] = []
    failures: dict[str | None, InconclusiveError | UnreachableError] = {}
    named: list[str | None] = [hasher]
    if not hasher:
        named = list(dict.fromkeys(row.hasher for row in read.rows)) or [None]
    for each in named:
        try:
            known = [row for row in read.rows if row.hasher == each]
            answers.append(
                answer(
                    known or [row for row in read.rows if row.hasher is None] or read.rows,
                    tool=TOOL,
                    target_seconds=target,
                    rounding=Rounding(rounding),
                    hasher=each,
                    knob=_knob(each),
                    scale=None if scale is None else Scale(scale),
                    parameter=read.cost_column,
                )
            )
        except (InconclusiveError, UnreachableError) as error:
            failures[each] = error
    code = max((error.exit_code for error in failures.values()), default=0)
    if not answers:
        worst = next(error for error in failures.values() if error.exit_code == code)
        told = (f"{each}: {error}" if each else str(error) for each, error in failures.items())
        raise type(worst)("; ".join(told))
    found = Answers(
        schema=ANSWER_SCHEMA_VERSION,
        source=name,
        columns=(read.cost_column, read.time_column),
        answers=tuple(answers),
        failures=tuple(
            Unanswered(hasher=each, code=error.code, error=str(error))
            for each, error in failures.items()
        ),
    )
    out.write(answers_document(found, headed=read.headed))
    return code


def _text(table: Path, name: str) -> str:
    if table != Path("-"):
        content = read_limited(table, _LARGEST_TABLE)
    else:
        content = read_stream_limited(standard_input(), _LARGEST_TABLE, name=name)
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise UnreadableInputError(f"{name} is not UTF-8 text; convert it first") from error


def _knob(hasher: str | None) -> Knob | None:
    """The knob of a hasher, or `None` if the hasher is unknown here."""
    if hasher is None:
        return None
    (implementations,) = select((hasher,), every_implementation=False, available=candidates())
    try:
        return load_first(implementations)[1].knobs[0]
    except UnavailableError:
        return None

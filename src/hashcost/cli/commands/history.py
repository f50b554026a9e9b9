"""``calibrate history``: what earlier runs know of this machine."""

import click

from hashcost.cli.host import current_host
from hashcost.cli.options import result_options
from hashcost.cli.output import Output, write_text
from hashcost.core.foreign import escaped
from hashcost.core.quoting import quoted
from hashcost.machine.history import machine_key
from hashcost.recommend.past import summary
from hashcost.render.commands.history import history_document
from hashcost.render.wording import counted


@click.command
@click.option("--clear", is_flag=True, help="Forget every run.")
@click.option(
    "--forget", metavar="HASHER[@IMPLEMENTATION]", help="Forget the times of one hasher."
)
@result_options("table", "json", "csv", "markdown")
def history(clear: bool, forget: str | None, out: Output) -> None:
    """Show what earlier runs learned: the time of each hasher on a quiet core.

    A run that sees only a busy core uses these times, so that it never
    recommends a weaker cost. Runs are forgotten after thirty days.

    Example: calibrate history --forget bcrypt
    """
    if clear and forget is not None:
        raise click.UsageError("--clear and --forget cannot be combined; choose one")
    out.check()
    host = current_host()
    kept = host.history
    if clear:
        count = kept.clear()
        runs_told = "a damaged file" if count is None else counted(count, "run", "runs")
        _tell(f"forgot {runs_told}: {kept.path}")
        return
    runs = kept.read()
    if forget is not None:
        count = kept.forget(forget)
        if not count:
            known = sorted({key.partition(" ")[0] for run in runs for key in run.seconds_per_unit})
            has = f"it has {', '.join(known)}" if known else "it is empty"
            raise click.UsageError(f"the history does not contain {quoted(forget, 60)}; {has}")
        _tell(f"forgot {forget} in {counted(count, 'run', 'runs')}: {kept.path}")
        return
    found = summary(
        runs,
        path=None if kept.path is None else str(kept.path),
        here=machine_key(host.describe()),
        now=host.now(),
    )
    out.write(history_document(found))


def _tell(line: str) -> None:
    write_text(f"{escaped(line)}\n", None)

"""``calibrate emit``: the recommended cost as an application's own configuration."""

from collections.abc import Sequence
from pathlib import Path

import click

from hashcost.apps.registry import load_tunable
from hashcost.cli.completion import complete_apps, complete_files, complete_hashers
from hashcost.cli.elsewhere import elsewhere_options
from hashcost.cli.emit_run import Answer, Asked, answered, chosen, timed_elsewhere
from hashcost.cli.files.edited_files import (
    change_of,
    check_changeable,
    diff_of,
    files_by_app,
    hasher_in,
    written,
)
from hashcost.cli.options import output_option, policy_option, profile_option, target_option
from hashcost.cli.output import check_outputs, write_notices, write_remarks, write_text
from hashcost.cli.process import say
from hashcost.core.errors import UnreadableInputError, UsageError
from hashcost.core.text import path_name
from hashcost.core.units import format_duration, format_list, format_setting
from hashcost.documents.profile import encode_json
from hashcost.hashers.registry import Candidate
from hashcost.machine.host import Host
from hashcost.recommend.emission import Emitted
from hashcost.verdicts.applying import Change
from hashcost.worth.policies.policy import Policy


@click.command
@click.argument(
    "names",
    metavar="APP...",
    nargs=-1,
    required=True,
    shell_complete=complete_apps,
)
@target_option(
    "Time that one hash may take in the application.  [default: that of the profile, else 250ms]"
)
@click.option(
    "--hasher",
    metavar="HASHER",
    shell_complete=complete_hashers,
    help="A hasher other than the application's default.",
)
@profile_option("Solve from a saved profile, or write what a decision.toml holds.", name="origin")
@policy_option
@click.option("--enforce", is_flag=True, help="Raise a cost to the policy's minimum.")
@elsewhere_options()
@click.option(
    *("--diff", "shown"),
    multiple=True,
    metavar="[APP=]FILE",
    shell_complete=complete_files,
    help="Show what would change in the application's file, and write nothing.",
)
@click.option(
    *("--apply", "applied"),
    multiple=True,
    metavar="[APP=]FILE",
    shell_complete=complete_files,
    help="Set the cost in the application's file, and keep the file as it was beside it.",
)
@click.option("--lower", is_flag=True, help="Let --diff and --apply lower a cost.")
@click.option(
    *("-f", "--format", "form"),
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="Form of the result.",
)
@output_option("Write the snippet or the differences to FILE instead of standard output.")
@click.option("-q", "--quiet", is_flag=True, help="No progress and no explanations.")
def emit(
    names: tuple[str, ...],
    target: float | None,
    hasher: str | None,
    origin: Path | None,
    policies: tuple[Policy, ...],
    enforce: bool,
    shown: tuple[str, ...],
    applied: tuple[str, ...],
    lower: bool,
    form: str,
    output: Path | None,
    quiet: bool,
    host: Host,
    pool: tuple[Candidate, ...],
) -> int:
    """Write the configuration snippet, ready to paste; remarks go to standard error.

    If the answer is uncertain, nothing is written. A comment in the snippet says how the
    cost was found.

    With --apply the number in the application's file is replaced, and nothing else; it is
    written only if `calibrate check` then reads exactly this cost in it. Where the file has
    no number that is the cost, the snippet is printed to paste.

    `calibrate apps` lists the applications. Example:
    calibrate emit laravel --target 250ms --apply .env
    """
    names = tuple(dict.fromkeys(names))
    apps = {name: load_tunable(name) for name in names}
    if shown and applied:
        raise UsageError("--diff writes nothing and --apply writes; choose one of them")
    files = files_by_app("--apply" if applied else "--diff", names, applied or shown)
    if lower and not files:
        raise UsageError("--lower goes with --diff FILE or --apply FILE")
    every = [path for paths in files.values() for path in paths]
    check_outputs(origin, *every, output=output)
    if applied:
        check_changeable(every)
    asked = Asked(
        target=target,
        hasher=hasher,
        origin=origin,
        policies=policies,
        enforce=enforce,
        quiet=quiet,
        host=host,
        pool=pool,
    )
    timed = timed_elsewhere(origin, pool)
    answers = {
        name: answered(*chosen(app, hasher or hasher_in(app, files.get(name, ())), timed), asked)
        for name, app in apps.items()
    }
    changes = [
        (path, answers[name], _changed(path, answers[name], lower=lower))
        for name, paths in files.items()
        for path in paths
    ]
    for answer in () if quiet else answers.values():
        _remark(answer)
    if not files:
        emitted = [answer.emitted() for answer in answers.values()]
        _write(form, emitted, _snippets(tuple(answers.values())), output)
    elif applied:
        backups = [written(path, change) for path, _, change in changes]
        lines = [_done(*each, backup) for each, backup in zip(changes, backups, strict=True)]
        emitted = [
            answer.emitted(change.path, diff_of(change), backup)
            for (_, answer, change), backup in zip(changes, backups, strict=True)
        ]
        _write(form, emitted, "".join(f"{line}\n" for line in lines), output)
    else:
        emitted = [answer.emitted(change.path, diff_of(change)) for _, answer, change in changes]
        _write(form, emitted, "".join(diff_of(change) for _, _, change in changes), output)
    return 0


def _write(form: str, emitted: Sequence[Emitted], text: str, output: Path | None) -> None:
    if form == "json":
        text = encode_json(tuple(emitted)).decode()
    write_text(text, output)


def _snippets(answers: Sequence[Answer]) -> str:
    """The snippets; each of several has the name of its application above it, as a comment."""
    if len(answers) == 1:
        return answers[0].snippet
    return "\n".join(
        f"{answer.emission.app.comment.format(answer.title)}\n{answer.snippet}"
        for answer in answers
    )


def _changed(path: Path, answer: Answer, *, lower: bool) -> Change:
    """The change of a file; if there is none, the snippet is printed to paste."""
    try:
        return change_of(path, answer.emission, lower=lower)
    except UnreadableInputError as error:
        say(f"\n{answer.snippet}")
        raise UnreadableInputError(f"{error}; paste the setting above") from error


def _done(path: Path, answer: Answer, change: Change, backup: Path | None) -> str:
    """Say on one line how a file was changed."""
    name, cost = path_name(path), format_setting(answer.emission.params)
    if backup is None:
        return f"{name}: no change, it has {cost}"
    had = [each for each in change.was if each.place is not None and each.place.line is not None]
    before = dict.fromkeys(format_setting(each.params) for each in had)
    instead = f" instead of {format_list(list(before))}" if before else ""
    return f"{name}: {cost}{instead}; the file as it was is {path_name(backup)}"


def _remark(answer: Answer) -> None:
    emission, target = answer.emission, answer.emission.target_seconds
    remarks = [*emission.reasons]
    if emission.time_seconds > target:
        remarks.append(
            f"one hash takes {format_duration(emission.time_seconds)}, more than the target"
            f" of {format_duration(target)}"
        )
    write_remarks(f"{answer.title}: {remark}" for remark in (*remarks, *answer.standings))
    write_notices(answer.profile)

"""``calibrate emit``: the recommended cost as an application's own configuration."""

import contextlib
import difflib
import io
from collections.abc import Iterator, Sequence
from pathlib import Path

import click
from msgspec.structs import replace

from hashcost.apps.interface import App, Scheme
from hashcost.apps.registry import load_tunable
from hashcost.cli.app_files import LONGEST_SECONDS, deciding, release_of, text_of
from hashcost.cli.completion import complete_apps, complete_files, complete_hashers
from hashcost.cli.elsewhere import Where, elsewhere_options
from hashcost.cli.inputs import profile_named
from hashcost.cli.options import policy_option, profile_option, result_options, target_option
from hashcost.cli.output import Output, write_notices, write_remarks, write_text
from hashcost.cli.process import TimeUp, limited, say
from hashcost.cli.progress import progress_bar
from hashcost.core.algorithms import guess_memory
from hashcost.core.errors import (
    InconclusiveError,
    UnavailableError,
    UnreachableError,
    UnreadableInputError,
    UsageError,
    said_of,
)
from hashcost.core.profile import Profile, Verdict
from hashcost.core.text import path_name, quoted
from hashcost.core.units import (
    DEFAULT_TARGET_SECONDS,
    format_duration,
    format_list,
    format_setting,
)
from hashcost.documents.decision import SUFFIX, Decision, load_decision
from hashcost.documents.files import check_writable, rewrite
from hashcost.documents.profile import encode_json
from hashcost.hashers.registry import Candidate
from hashcost.machine.host import Host
from hashcost.recommend.calibration import Request, calibrate
from hashcost.recommend.decided import decided_profile
from hashcost.recommend.emission import Emission, Emitted, emission_for, header
from hashcost.recommend.huge_pages import PLACES, VARIABLE, depends_on
from hashcost.recommend.library_times import longest_here
from hashcost.recommend.recommendation import only_measurement
from hashcost.recommend.saved import rows_named
from hashcost.render.wording import library, standing
from hashcost.verdicts.applying import Change, Target, change_for, hasher_of, is_set
from hashcost.worth.appraisal import floors_of
from hashcost.worth.policies.policy import Policy, assess


@click.command
@click.argument("name", metavar="APP", shell_complete=complete_apps)
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
@elsewhere_options()
@click.option(
    *("--diff", "shown"),
    multiple=True,
    metavar="FILE",
    shell_complete=complete_files,
    help="Show what would change in the application's file, and write nothing.",
)
@click.option(
    *("--apply", "applied"),
    multiple=True,
    metavar="FILE",
    shell_complete=complete_files,
    help="Set the cost in the application's file, and keep a backup in the user's state folder.",
)
@click.option("--lower", is_flag=True, help="Let --diff and --apply lower a cost.")
@click.option(
    "--explain", is_flag=True, help="Add all notes, and the origin of a library's factor."
)
@result_options(
    *("text", "json"),
    quiet="No progress and no explanations.",
    to_file="Write the snippet or the differences to FILE instead of standard output.",
)
def emit(
    name: str,
    target: float | None,
    hasher: str | None,
    origin: Path | None,
    policies: tuple[Policy, ...],
    shown: tuple[str, ...],
    applied: tuple[str, ...],
    lower: bool,
    explain: bool,
    where: Where,
    out: Output,
) -> None:
    """Write the configuration snippet, ready to paste; remarks go to standard error.

    If the answer is uncertain, nothing is written. A comment in the snippet says how the
    cost was found.

    With --apply the number in the application's file is replaced, and nothing else; it is
    written only if `calibrate check` then reads exactly this cost in it. Where the file has
    no number that is the cost, the snippet is printed to paste.

    `calibrate list apps` lists the applications. Example:
    calibrate emit vaultwarden --target 250ms --apply app/vaultwarden.env
    """
    app = load_tunable(name)
    files = [Path(file) for file in dict.fromkeys(applied or shown)]
    if shown and applied:
        raise UsageError("--diff writes nothing and --apply writes; choose one of them")
    if lower and not files:
        raise UsageError("--lower goes with --diff FILE or --apply FILE")
    out.check(origin, *files)
    for path in files if applied else ():
        text_of(path)
        check_writable(path)

    saved = None if origin is None else _saved(origin, where.host)
    wanted = hasher
    if files and not hasher:
        with _in_time(path := files[0]):
            wanted = hasher_of(app, str(path), text_of(path), release_of(app, path))
    scheme, label = _timed_scheme(app, wanted, _labels(saved, where.pool))
    if saved is None or origin is None:
        seconds = target or DEFAULT_TARGET_SECONDS
        scheme = scheme.on(where.host.describe().cpu_model)
        with progress_bar(quiet=out.quiet) as report:
            request = Request(
                target_seconds=longest_here(scheme, seconds),
                hashers=(label,),
                policies=policies,
                enforce=True,
            )
            profile = calibrate(request, progress=report, host=where.host, pool=where.pool)
    else:
        profile = _profile_of(saved, label, target, origin)
        seconds = target or profile.target_seconds
        scheme = scheme.on(profile.machine.cpu_model)
        row = next(iter(rows_named(profile, label)), None)
        if row is None:
            raise UnavailableError(
                f"--from: {app.title} needs {label}, which the profile does not have; add it"
                f" with `calibrate {label} --save {path_name(origin)}`"
            )
        profile = profile.only(row)
    floors = floors_of(policies, scheme.hasher)
    emission = emission_for(app, scheme, only_measurement(profile), seconds, floors)
    emitted = _emitted(emission, profile, policies)
    is_sure = emission.reached and not emission.is_uncertain
    changes = [_changed(path, emission, emitted.snippet, lower=lower) for path in files if is_sure]
    if not out.quiet:
        write_remarks(_remarks(app, emitted, files, explained=explain))
        write_notices(profile, explained=explain, saved=origin is not None)
    _check_certain(emission)
    results = [(emitted, emitted.snippet)]
    if files:
        results = [
            _written(path, emitted, change, where.host.state, applies=bool(applied))
            for path, change in zip(files, changes, strict=True)
        ]
    answers, texts = zip(*results, strict=True)
    write_text(encode_json(answers).decode() if out.form == "json" else "".join(texts), out.path)


def _remarks(
    app: App, emitted: Emitted, files: Sequence[Path], *, explained: bool
) -> Iterator[str]:
    """Yield what to know beside the snippet, a line each."""
    lines = list(emitted.reasons)
    if explained and emitted.factor_source:
        lines.append(f"the factor is from: {emitted.factor_source}")
    decides, _ = deciding(app, files or [Path(place) for place in app.places])
    if decides is not app:
        lines.append(f"{decides.title} decides here: calibrate emit {decides.name}")
    lines += [f"set {name}={value} for it" for name, value in emitted.environment.items()]
    for line in lines:
        yield f"{app.title}: {line}"


def _emitted(emission: Emission, profile: Profile, policies: Sequence[Policy]) -> Emitted:
    """The cost with what there is to say of it, and the snippet below its comment."""
    scheme, params, timed = emission.scheme, emission.params, only_measurement(profile)
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
    needed = depends_on(profile.machine, timed.implementation, memory) and not keeps
    comment = (*standings, *(PLACES if needed else ()))
    return Emitted(
        app=emission.app.name,
        title=emission.app.title,
        hasher=scheme.hasher,
        implementation="" if reference is None else reference.implementation,
        params=params,
        time_seconds=emission.time_seconds,
        target_seconds=emission.target_seconds,
        snippet=header(emission, profile, library(timed), comment) + emission.snippet,
        environment={name: value} if needed else {},
        reasons=(*emission.reasons, *standings),
        factor_source=emission.factor_source,
    )


def _check_certain(emission: Emission) -> None:
    """Refuse a cost that is too uncertain, or that does not reach the target."""
    if not emission.reached:
        raise UnreachableError(
            f"nothing is written: the lowest cost that {emission.app.title} accepts takes"
            f" {format_duration(emission.time_seconds)}; raise --target above that"
        )
    if emission.is_uncertain:
        raise InconclusiveError(
            f"nothing is written: {format_setting(emission.params)} is too uncertain; measure"
            " again on a quieter machine with `calibrate --effort precise --save FILE`"
        )


def _saved(origin: Path, host: Host) -> Profile | Decision:
    if origin.suffix != SUFFIX:
        return profile_named("--from", origin, host)
    with said_of("--from"):
        return load_decision(origin)


def _labels(saved: Profile | Decision | None, pool: Sequence[Candidate]) -> frozenset[str]:
    """The saved labels, or those of the runtimes' libraries that can be timed now."""
    if saved is None:
        return frozenset(candidate.label for candidate in pool if candidate.runtime)
    rows = saved.cost if isinstance(saved, Decision) else saved.recommendations
    return frozenset(row.label for row in rows)


def _profile_of(
    saved: Profile | Decision, label: str, target: float | None, origin: Path
) -> Profile:
    """The profile; a decision is one of each cost, whose target is the cost's own time."""
    if isinstance(saved, Profile):
        return saved
    if target is not None:
        raise UsageError("--target does not apply to a decision, which has its own; leave it out")
    hasher, _, library = label.partition("@")
    cost = saved.cost_by(hasher, library)
    if cost is None:
        raise UnavailableError(
            f"--from: nothing is decided on {label}; compare profiles that have it with"
            f" --decision {path_name(origin)}"
        )
    return decided_profile(replace(cost, implementation=library))


def _timed_scheme(app: App, hasher: str | None, labels: frozenset[str]) -> tuple[Scheme, str]:
    """The application's scheme for a hasher, and what is timed: its own library if it can be."""
    scheme = app.scheme(hasher)
    if scheme is None:
        hashers = format_list([scheme.hasher for scheme in app.schemes])
        raise UsageError(
            f"--hasher: {app.title} does not use {quoted(hasher or '', 60)}; write {hashers}"
        )
    scheme = scheme.run_by(labels)
    if scheme.reference is None:
        raise UnavailableError(f"{app.title}: {scheme.untimed}")
    return scheme, f"{scheme.hasher}@{scheme.reference.implementation}"


def _changed(path: Path, emission: Emission, snippet: str, *, lower: bool) -> Change:
    """The change to a file; without a change, the snippet is printed to paste."""
    target = Target(
        app=emission.app,
        scheme=emission.scheme,
        params=emission.params,
        path=str(path),
        text=text_of(path),
        release=release_of(emission.app, path),
        lower=lower,
    )
    try:
        with _in_time(path):
            return change_for(target)
    except UnreadableInputError as error:
        say(f"\n{snippet}")
        raise UnreadableInputError(f"{error}; paste the setting above") from error


@contextlib.contextmanager
def _in_time(path: Path) -> Iterator[None]:
    try:
        with limited(LONGEST_SECONDS):
            yield
    except TimeUp as error:
        raise UnreadableInputError(
            f"{path_name(path)}: finding the cost takes more than {LONGEST_SECONDS:g} s of CPU"
            " time; name a file that is less entangled"
        ) from error


def _diff(change: Change) -> str:
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


def _written(
    path: Path, emitted: Emitted, change: Change, state: Path | None, *, applies: bool
) -> tuple[Emitted, str]:
    """Write the changed file if the change ``applies``, and say on one line how; else show it."""
    backup, diff = None, _diff(change)
    if applies and change.before != change.after:
        before, after = change.before.encode(), change.after.encode()
        backup = path_name(rewrite(path, before, after, state))
    name, cost = path_name(path), format_setting(emitted.params)
    emitted = replace(emitted, file=name, diff=diff, backup=backup)
    if not applies:
        return emitted, diff
    if backup is None:
        return emitted, f"{name}: no change, it has {cost}\n"
    was = dict.fromkeys(format_setting(had.params) for had in change.was if is_set(had))
    instead = f" instead of {format_list(list(was))}" if was else ""
    return emitted, f"{name}: {cost}{instead}; backup: {backup}\n"

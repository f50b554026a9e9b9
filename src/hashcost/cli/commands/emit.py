"""``calibrate emit``: the recommended cost as an application's own configuration."""

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import click
from click.core import ParameterSource
from msgspec import structs

from hashcost.apps.interface import App
from hashcost.apps.registry import app_names, load_app, load_tunable
from hashcost.apps.schemes import Scheme
from hashcost.checks.app_costs import count_as_one
from hashcost.checks.app_files import beside, deciding, listed_files, release_of, text_of
from hashcost.checks.app_releases import AppRelease, at_release
from hashcost.checks.applying import Change, Target, change_for, change_together, hasher_of
from hashcost.cli.completion import complete_files, completer
from hashcost.cli.elsewhere import RuntimeOptions, Where, runtime_options, where_asked
from hashcost.cli.inputs import from_here, profile_named, settings_for
from hashcost.cli.options import (
    GroupedCommand,
    policies_named,
    policy_option,
    profile_option,
    result_options,
    target_option,
)
from hashcost.cli.output import Output, write_notices
from hashcost.cli.process import say, tell
from hashcost.core.errors import (
    HashcostError,
    InconclusiveError,
    ResultError,
    UnavailableError,
    UnreachableError,
    UnreadableInputError,
    UsageError,
    prefix_errors,
)
from hashcost.core.profile import Profile, Result
from hashcost.core.text import path_name, quoted
from hashcost.core.units import (
    DEFAULT_TARGET_SECONDS,
    format_duration,
    format_list,
    format_setting,
)
from hashcost.hashers.registry import Candidate
from hashcost.machine.host import Host
from hashcost.measure.request import Request
from hashcost.recommend.calibration import calibrate
from hashcost.recommend.decided import decided_measurement, decided_origin
from hashcost.recommend.dummy import dummy_hash
from hashcost.recommend.emission import Emission, Emitted, emission_for, origin_of
from hashcost.recommend.library_times import longest_here
from hashcost.recommend.recommendation import only_measurement
from hashcost.recommend.saved import rows_named
from hashcost.render.commands.emit import (
    applied_document,
    applied_line,
    cautions,
    emitted_with,
    headed,
    of_change,
    summary,
    without_cost,
)
from hashcost.storage.decision import SUFFIX, DecidedCost, Decision, load_decision
from hashcost.storage.files import check_writable, rewrite
from hashcost.storage.gate import Gate
from hashcost.storage.profile import encode_json
from hashcost.storage.settings import Settings
from hashcost.strength.appraisal import floors_of
from hashcost.strength.policies.catalogue import replacements
from hashcost.strength.policies.policy import Policy

_LISTED = ""
"""The value of an option without a file: the files that hashcost.toml lists, or the usual one."""


@dataclass(frozen=True, kw_only=True)
class EmitOptions:
    """The application, what decides on its cost, and what to do with it."""

    name: str | None
    """`None` for the applications that the settings list."""
    target: float | None
    version: str | None
    """The release of the application, if that was given."""
    hasher: str | None
    origin: Path | None
    policies: tuple[Policy, ...]
    shown: tuple[str, ...]
    applied: tuple[str, ...]
    lower: bool
    dummy: bool
    explain: bool

    @property
    def is_snippet(self) -> bool:
        """Whether the cost is only printed, and no file of the application is read."""
        return not (self.shown or self.applied)

    @property
    def files(self) -> tuple[Path, ...]:
        """The files that were named."""
        named = dict.fromkeys(self.applied or self.shown)
        return tuple(Path(file) for file in named if file != _LISTED)


@dataclass(frozen=True, kw_only=True)
class _Job:
    """An application, its files, and the hasher that is timed for it."""

    app: App
    paths: tuple[Path, ...]
    scheme: Scheme
    label: str


@dataclass(frozen=True, kw_only=True)
class _Answer:
    """The cost of an application."""

    job: _Job
    emission: Emission
    emitted: Emitted


@dataclass
class _Attempts:
    """The applications that failed. If one was named, its failure ends the command."""

    ends: bool
    unset: dict[str, list[str]] = field(default_factory=dict)
    """Their titles, each with the files that were to have the cost."""
    code: int = 0

    @contextlib.contextmanager
    def of(self, name: str, files: Sequence[Path]) -> Iterator[None]:
        """Say why an application fails, and go on with the next."""
        try:
            yield
        except HashcostError as error:
            title = load_app(name).title if name in app_names() else name
            if self.ends:
                # Only these do not name the application.
                if isinstance(error, UnavailableError):
                    error.args = (f"{title}: {error}",)
                raise
            tell(f"{title}: {error}")
            self.unset[title] = list(map(path_name, files))
            self.code = max(self.code, error.exit_code)


_maybe_file = partial(
    click.option,
    multiple=True,
    is_flag=False,
    flag_value=_LISTED,
    metavar="[FILE]",
    shell_complete=complete_files,
)
"""An option that names a file, or without one stands for those that are known."""


@click.command(cls=GroupedCommand)
@click.argument("name", required=False, metavar="[APP]", shell_complete=completer("apps"))
@target_option(
    "Time that one hash may take in the application.  [default: that of the profile, else 250ms]"
)
@click.option(
    "--app-version",
    "version",
    metavar="VERSION",
    help="The application's release, which decides its defaults and whether it has the settings."
    "  [default: the one that the project pins]",
)
@click.option(
    "--hasher",
    metavar="HASHER",
    shell_complete=completer("hashers"),
    help="A hasher other than the application's default.",
)
@profile_option("Solve from a saved profile, or write what a decision.toml holds.", name="origin")
@policy_option
@runtime_options()
@_maybe_file(
    *("--diff", "shown"),
    help="Show what would change in the application's file, and write nothing.",
)
@_maybe_file(
    *("--apply", "applied"),
    help="Set the cost in the application's file, and keep a backup in the user's state folder."
    "  [default: the files that hashcost.toml lists, else the usual one]",
)
@click.option("--lower", is_flag=True, help="Let --diff and --apply lower a cost.")
@click.option(
    "--dummy",
    is_flag=True,
    help="Write a hash of a random password at this cost, to check where the user is unknown.",
)
@click.option(
    "--explain", is_flag=True, help="Add all notes, and the origin of a library's factor."
)
@result_options(
    *("text", "json"),
    quiet="No progress and no explanations.",
    to_file="Write the snippet or the differences to FILE instead of standard output.",
)
def emit(asked: EmitOptions, runtimes: RuntimeOptions, out: Output) -> None:
    """Write the configuration snippet, ready to paste; remarks go to standard error.

    If the answer is uncertain, nothing is written. A comment in the snippet says how the
    cost was found.

    With --apply the cost is set in the application's file, and nothing else changes; it is
    written only if `calibrate check` then reads exactly this cost in it. Where it cannot be
    set, the snippet is printed to paste.

    With --dummy it writes a hash of a random password that is never shown. If the user is
    unknown, check the password against it, so that the answer takes as long.

    Without APP, it covers the applications that hashcost.toml lists, by its target, profile
    and policies. `calibrate list apps` lists the applications. Example:
    calibrate emit vaultwarden --target 250ms --apply app/vaultwarden.env
    """
    where = where_asked(runtimes)
    _check_together(asked)
    gate = Gate()
    settings = Settings(path=Path())
    if asked.name is None or not (asked.is_snippet or asked.files):
        with gate.timed("the settings"):
            settings = settings_for(None)
    attempts = _Attempts(ends=asked.name is not None)
    if asked.name is None:
        asked, names = _of_settings(asked, settings)
    else:
        names = [asked.name]

    saved = None
    if asked.origin is not None:
        saved = _saved(asked.origin, where.host)
    labels = _labels(saved, where.pool)
    # Whatever can be refused is refused before a hash is timed.
    jobs = []
    for name in names:
        with attempts.of(name, asked.files):
            job = _job(name, asked, settings, gate, labels)
            if saved is None:
                _check_offered(job, where.pool)
            jobs.append(job)
    out.check([asked.origin, *(path for job in jobs for path in job.paths)])

    answers = []
    if jobs:
        source = saved
        if source is None:
            source = _measured(jobs, asked, where, out)
        # Of several, one that fails leaves the others their answer.
        for job in jobs:
            with attempts.of(job.app.name, job.paths):
                answers.append(_answer(job, source, asked))
        if not out.quiet:
            _remark(answers, source, asked, out)

    results: list[Emitted] = []
    for answer in answers:
        with attempts.of(answer.job.app.name, answer.job.paths):
            results += _written(answer, asked, gate, where.host.state)
    _say(results, attempts, asked, out)


def _check_together(asked: EmitOptions) -> None:
    """Refuse options that do not go together."""
    if asked.shown and asked.applied:
        raise UsageError("--diff writes nothing and --apply writes; choose one of them")
    if asked.lower and asked.is_snippet:
        raise UsageError("--lower goes with --diff or --apply")
    if asked.dummy and (asked.name is None or not asked.is_snippet):
        raise UsageError("--dummy writes one hash: name APP, and leave out --diff and --apply")


def _of_settings(asked: EmitOptions, settings: Settings) -> tuple[EmitOptions, list[str]]:
    """Take from the settings what no option says, and the names of the applications."""
    if asked.files:
        option = "--apply" if asked.applied else "--diff"
        example = f"calibrate emit APP {option} FILE"
        raise UsageError(
            f"{path_name(asked.files[0])}: name the application too, for example `{example}`"
        )
    if asked.hasher is not None:
        raise UsageError("--hasher needs APP: applications have their own hashers")
    if asked.version is not None:
        raise UsageError("--app-version needs APP: applications have their own releases")
    if not settings.app:
        raise UsageError(
            "name an application, for example `calibrate emit laravel`, or let `calibrate init`"
            " list those of this folder in hashcost.toml"
        )
    policies, origin = asked.policies, asked.origin
    # A default that nobody typed does not replace the policies of the settings.
    typed = click.get_current_context().get_parameter_source("policies")
    if settings.policy and typed is ParameterSource.DEFAULT:
        policies = policies_named(settings.policy, name=f"{settings.path}: policy")
    if origin is None and settings.profile is not None:
        origin = from_here(settings.profile)
    merged = replace(
        asked, target=asked.target or settings.target, origin=origin, policies=policies
    )
    return merged, list(dict.fromkeys(name for name, _ in settings.app))


def _saved(origin: Path, host: Host) -> Profile | Decision:
    if origin.suffix != SUFFIX:
        return profile_named("--from", origin, host)
    with prefix_errors("--from"):
        return load_decision(origin)


def _labels(saved: Profile | Decision | None, pool: Sequence[Candidate]) -> frozenset[str]:
    """The saved labels, or those of the runtimes' libraries that can be timed now."""
    if saved is None:
        return frozenset(candidate.label for candidate in pool if candidate.runtime)
    # A decision has costs by label, as a profile has answers.
    rows = saved.cost if isinstance(saved, Decision) else saved.recommendations
    return frozenset(row.label for row in rows)


def _job(
    name: str, asked: EmitOptions, settings: Settings, gate: Gate, labels: frozenset[str]
) -> _Job:
    """Find out, before any work is done, what an application needs."""
    app = load_tunable(name, release=asked.version)
    paths = asked.files
    if not (asked.is_snippet or paths):
        example = f"calibrate emit {app.name} --apply FILE"
        paths = tuple(map(from_here, listed_files(settings, app, example)))
    texts = [(str(path), text_of(path)) for path in paths]
    # A measurement would be lost on a file that cannot be written.
    if asked.applied:
        for path in paths:
            check_writable(path)
    # Without a file, what the folder pins is what the snippet is for.
    places = paths or (Path(app.name),)
    with gate.timed(places[0]):
        releases = [release_of(app, place, gate, asked.version) for place in places]
    hasher = asked.hasher
    # The hasher that the files name stays, whatever the application's default is.
    if paths and not hasher:
        with gate.timed(paths[0]):
            hasher = hasher_of(app, texts, releases[0])
    app = at_release(app, releases[0])
    scheme = app.scheme(hasher) if hasher else app.usual_scheme
    if scheme is None:
        hashers = format_list([scheme.hasher for scheme in app.schemes])
        raise UsageError(
            f"--hasher: {app.title} does not use {quoted(hasher or '', 60)}; write {hashers}"
        )
    if asked.dummy and not scheme.stored:
        raise UsageError(
            f"--dummy: the format in which {app.title} stores {scheme.hasher} cannot be written"
            " here; hash a random password by the application's own function"
        )
    for release in releases:
        _check_known(at_release(app, release), scheme, release, asked.policies)
    _check_approved(app, scheme, asked.policies)
    # Its own library comes first.
    scheme = scheme.run_by(labels)
    if scheme.reference is None:
        by_hand = f"set {format_list([*scheme.keys.values()])} by hand"
        raise UnavailableError(f"{scheme.untimed}; time a login there, and {by_hand}")
    label = f"{scheme.hasher}@{scheme.reference.implementation}"
    return _Job(app=app, paths=paths, scheme=scheme, label=label)


def _check_offered(job: _Job, pool: Sequence[Candidate]) -> None:
    """Refuse a runtime that has no library to time the application's hasher by."""
    if not any(candidate.label == job.label for candidate in pool):
        raise UsageError(
            f"--in: {job.app.title} is timed by {job.label}, which {pool[0].runtime} does not"
            " have; run it without --in on the machine that hashes"
        )


def _check_known(
    app: App, scheme: Scheme, release: AppRelease | None, policies: Sequence[Policy]
) -> None:
    """Refuse settings that the release does not have.

    Raises:
        ResultError: it is older than they are.
    """
    missing = app.missing(scheme)
    if release is None or missing is None:
        return
    # Only one that this command can write is a way out.
    names = [
        other.hasher
        for other in missing.others
        if other.reference is not None
        and all(policy.approves(other.hasher) for policy in policies)
    ]
    others = [f"name another with `--hasher {name}`" for name in names[:1]]
    cure = missing.cure("the cost", *others)
    why = f"nothing is written: {missing.why(release)}"
    raise ResultError(f"{why}; {cure}", ResultError.exit_code)


def _check_approved(app: App, scheme: Scheme, policies: Sequence[Policy]) -> None:
    """Refuse a hasher that `check` would refuse.

    Raises:
        ResultError: a policy does not approve it.
    """
    refusing = [policy.id for policy in policies if not policy.approves(scheme.hasher)]
    if not refusing:
        return
    # Another hasher helps only if the application has one, and it can be timed.
    timed = [scheme.hasher for scheme in app.schemes if scheme.reference is not None]
    approved = [name for name in app.hashers_of(replacements(policies)) if name in timed]
    cure = f"{app.title} has no approved hasher that can be timed here; leave the policy out"
    if approved:
        cure = f"name another with --hasher {approved[0]}"
    why = f"{format_list(refusing)} does not approve {scheme.hasher} at any cost"
    raise ResultError(f"{why}; {cure}", ResultError.exit_code)


def _measured(jobs: Sequence[_Job], asked: EmitOptions, where: Where, out: Output) -> Profile:
    """Time the hashers of all applications in one run."""
    seconds = asked.target or DEFAULT_TARGET_SECONDS
    model = where.host.describe().cpu_model
    labels = dict.fromkeys(job.label for job in jobs)
    # A library that stands in for an application's own may take longer than that.
    longest = max(longest_here(job.scheme.on(model), seconds) for job in jobs)
    request = Request(
        target_seconds=longest, hashers=tuple(labels), policies=asked.policies, enforce=True
    )
    with where.running(), out.progress() as report:
        profile = calibrate(request, progress=report, host=where.host, pool=where.pool)
    return structs.replace(profile, target_seconds=seconds)


def _answer(job: _Job, source: Profile | Decision, asked: EmitOptions) -> _Answer:
    """Solve the cost of one application."""
    if isinstance(source, Decision):
        # The decided cost's own time is the target.
        cost = _decided_cost(source, job, asked)
        measurement, origin = decided_measurement(cost), decided_origin(cost)
        target, cpu_model = cost.time_seconds, cost.cpu_model
    else:
        measurement = only_measurement(source.only(_row(source, job, asked)))
        origin = origin_of(source, measurement.implementation)
        target, cpu_model = asked.target or source.target_seconds, source.machine.cpu_model
    scheme = job.scheme.on(cpu_model)
    floors = floors_of(asked.policies, scheme.hasher)
    emission = emission_for(job.app, scheme, measurement, target, floors)
    emitted = emitted_with(emission, measurement, origin, asked.policies)
    return _Answer(job=job, emission=emission, emitted=emitted)


def _row(profile: Profile, job: _Job, asked: EmitOptions) -> Result:
    """The row of the library of an application."""
    rows = rows_named(profile, job.label)
    if not rows:
        add = f"calibrate {job.label} --save {path_name(asked.origin or Path('FILE'))}"
        raise UnavailableError(
            f"--from: {job.app.title} needs {job.label}, which the profile does not have; add it"
            f" with `{add}`"
        )
    return rows[0]


def _decided_cost(decision: Decision, job: _Job, asked: EmitOptions) -> DecidedCost:
    """The cost that was decided on for the library of an application."""
    if asked.target is not None:
        raise UsageError("--target does not apply to a decision, which has its own; leave it out")
    hasher, _, library = job.label.partition("@")
    cost = decision.cost_of(hasher, library)
    if cost is None:
        raise UnavailableError(
            f"--from: nothing is decided on {job.label}; compare profiles that have it with"
            f" --decision {path_name(asked.origin or Path('FILE'))}"
        )
    return cost


def _remark(
    answers: Sequence[_Answer], source: Profile | Decision, asked: EmitOptions, out: Output
) -> None:
    """Say on standard error how the costs were found; of several only if that was asked for."""
    if asked.name is not None or asked.explain:
        for answer in answers:
            title = answer.job.app.title
            out.remark(_about(title, remark) for remark in _remarks(answer, asked))
    # One run timed them all, so its notices are written once. A decision has none.
    if isinstance(source, Profile):
        jobs = {answer.job.label: answer.job for answer in answers}
        profile = source.only(*(_row(source, job, asked) for job in jobs.values()))
        write_notices(profile, explained=asked.explain, saved=asked.origin is not None)


def _about(title: str, remark: str) -> str:
    """Put the application before a remark that does not begin with it."""
    if remark.startswith(f"{title} "):
        return remark
    return f"{title}: {remark}"


def _remarks(answer: _Answer, asked: EmitOptions) -> list[str]:
    """Remarks on the snippet."""
    app, emitted = answer.job.app, answer.emitted
    remarks = list(emitted.reasons)
    if asked.explain and emitted.factor_source:
        remarks.append(f"the factor is from: {emitted.factor_source}")
    usual = [Path(place) for place in app.places]
    decides, _ = deciding(app, answer.job.paths or usual)
    if decides is not app:
        remarks.append(f"{decides.title} decides here: calibrate emit {decides.name}")
    for name, value in emitted.environment.items():
        remarks.append(f"set {name}={value} for it")
    return remarks


def _written(answer: _Answer, asked: EmitOptions, gate: Gate, state: Path | None) -> list[Emitted]:
    """The answer, or one for each file that it changes, which is changed if that was asked for.

    Nothing is written unless the cost can be set in all files.
    """
    _check_certain(answer.emission, is_saved=asked.origin is not None)
    if asked.dummy:
        written = dummy_hash(answer.emission.scheme, answer.emission.params)
        return [structs.replace(answer.emitted, snippet=f"{written}\n")]
    if asked.is_snippet:
        return [answer.emitted]
    changes = _changes(answer, gate, asked)
    backups: list[str | None] = [None] * len(changes)
    if asked.applied:
        backups = _apply(changes, state)
    return [
        of_change(answer.emitted, change, backup)
        for change, backup in zip(changes, backups, strict=True)
    ]


def _check_certain(emission: Emission, *, is_saved: bool) -> None:
    """Refuse a cost that is too uncertain, or that does not reach the target."""
    if not emission.reached:
        lowest = "lowest cost that was tried"
        if emission.is_lowest:
            lowest = f"lowest cost that {emission.app.title} accepts"
        raise UnreachableError(
            f"nothing is written: the {lowest}, {format_setting(emission.params)}, takes"
            f" {format_duration(emission.time_seconds)}; raise --target above that"
        )
    if emission.minimum_untimed:
        cure = "run it where there is more"
        if is_saved:
            cure = "run `calibrate emit` without --from"
        raise UnreachableError(
            f"nothing is written: the policy's minimum takes more memory than was timed; {cure},"
            " or choose another --policy"
        )
    if emission.is_uncertain:
        raise InconclusiveError(
            f"nothing is written: {format_setting(emission.params)} is too uncertain; measure"
            " again when the machine is quieter: `calibrate --effort precise --save FILE`, then"
            " add --from FILE"
        )


def _changes(answer: _Answer, gate: Gate, asked: EmitOptions) -> list[Change]:
    """The changes to the files as they are now; without them, the snippet is printed to paste."""
    app, paths = answer.job.app, answer.job.paths
    named = {path.resolve() for path in paths}
    others = [other for path in paths for other in beside(app, path, named)]
    # Read anew: hashes took a while, and somebody may have edited a file meanwhile.
    texts = [(str(path), text_of(path)) for path in (*paths, *others)]
    is_one = False
    try:
        with gate.timed(paths[0]):
            # Then a cost may stand in any of them, and is set in the first where it counts.
            is_one = count_as_one(app, texts)
            targets = []
            for path, text in texts[: len(paths)]:
                release = release_of(app, Path(path), gate, asked.version)
                target = Target(
                    app=at_release(app, release),
                    scheme=answer.emission.scheme,
                    params=answer.emission.params,
                    path=path,
                    text=text,
                    release=release,
                    lower=asked.lower,
                    together=tuple(texts) if is_one else (),
                )
                targets.append(target)
            if is_one:
                return [change_together(targets)]
            return [change_for(target) for target in targets]
    except UnreadableInputError as error:
        # The cost was found all the same, so nobody has to time it again.
        say(f"\n{answer.emitted.snippet}")
        cure = "paste the setting above"
        if is_one and others:
            cure += f", or name {format_list([path_name(other) for other in others])} as well"
        raise UnreadableInputError(f"{error}; {cure}") from error


def _apply(changes: Sequence[Change], state: Path | None) -> list[str | None]:
    """Write all changed files, or none.

    Returns:
        The path of each backup; `None` for a file that stays as it is.
    """
    backups: dict[str, str | None] = {}
    try:
        for change in changes:
            backups[change.path] = _rewritten(change, change.before, change.after, state)
    except HashcostError:
        # An application that reads one new file and one old one may not start.
        for change in changes[: len(backups)]:
            _rewritten(change, change.after, change.before, state)
        raise
    return list(backups.values())


def _rewritten(change: Change, before: str, after: str, state: Path | None) -> str | None:
    if before == after:
        return None
    return path_name(rewrite(Path(change.path), before.encode(), after.encode(), state))


def _say(results: Sequence[Emitted], attempts: _Attempts, asked: EmitOptions, out: Output) -> None:
    """Write the result, and end with the worst code."""
    unset = attempts.unset
    is_several = not attempts.ends
    why = ""
    if not asked.is_snippet:
        why = summary(results, unset, applies=bool(asked.applied))
    elif unset:
        why = without_cost(unset)
    if out.form == "json":
        out.put(encode_json(tuple(results)).decode())
    # Of several applications, a table says which are set and which are not.
    elif asked.applied and is_several:
        out = replace(out, form="table")
        out.write(applied_document(results, unset, asked.policies))
    else:
        if is_several:
            out.remark(cautions(results, asked.policies))
        out.put("".join(_text(result, asked, is_several=is_several) for result in results))
    out.end(attempts.code, why)
    if asked.shown and is_several:
        out.remark([why])


def _text(result: Emitted, asked: EmitOptions, *, is_several: bool) -> str:
    if asked.applied:
        return applied_line(result)
    if asked.shown:
        return result.diff or ""
    if is_several:
        return headed(result, load_tunable(result.app).comment)
    return result.snippet

"""The number of a cost is replaced in its file, and nothing else changes there."""

import contextlib
import difflib
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

import pytest

from apps.services import SCHEMES, label
from configurations import FILES, Configuration, higher, raised
from corpora import table
from hashcost.apps.interface import App
from hashcost.apps.registry import load_tunable
from hashcost.apps.schemes import Scheme
from hashcost.checks import applying
from hashcost.checks.app_costs import costs_in
from hashcost.checks.app_releases import AppRelease, at_release
from hashcost.checks.applying import Change, Target, change_for, change_together
from hashcost.checks.judgement import CostOrVerdict, Judgement, Outcome
from hashcost.core.cost_expressions import Place
from hashcost.core.errors import UnreadableInputError, UsageError
from hashcost.core.measurement import Params

_LEAST_APPLIED: Final = 75
"""Files of the corpus that get their cost; the others have no number that is it."""

_NOT_TOLD: Final = {
    ("login-defs", "bcrypt"): "shadow may be built without bcrypt",
    ("openldap", "argon2id"): "many releases make argon2i of it",
    ("openldap", "pbkdf2-sha256"): "most releases ignore the count",
    ("openldap", "pbkdf2-sha512"): "most releases ignore the count",
}
"""Snippets that a check does not trust either."""
_MORE_MEMORY: Final = {("django", "scrypt"), ("node-crypto", "scrypt")}
"""Those with a limit of memory, which is to be raised too."""
_TOLD: Final = [one for one in SCHEMES if (one[0].name, one[1].hasher) not in _NOT_TOLD]


def _target(app: App, scheme: Scheme, params: Params, text: str, *, lower: bool = False) -> Target:
    return Target(app=app, scheme=scheme, params=params, path="file", text=text, lower=lower)


def _usual(scheme: Scheme) -> Params:
    lowest = {param: limits.nearest(2) for param, limits in scheme.limits.items()}
    # The least memory may be one for each thread.
    for param, limits in scheme.limits.items():
        lowest[param] = limits.beside(lowest).nearest(lowest[param])
    return {**lowest, **(scheme.defaults[-1].params if scheme.defaults else {})}


def _changed_lines(change: Change) -> Iterator[tuple[str, str]]:
    """Each line that was replaced, with the one in its place."""
    before, after = change.before.splitlines(), change.after.splitlines()
    for tag, a, b, c, d in difflib.SequenceMatcher(None, before, after, False).get_opcodes():  # noqa: FBT003
        assert tag in {"equal", "replace"}
        if tag == "replace":
            yield from zip(before[a:b], after[c:d], strict=True)


def _without_numbers(line: str) -> str:
    """The shape of a line, whether it is in a comment or not."""
    line = re.sub(r"^(\s*)[#;] ?", r"\1", line)
    return re.sub(r"[0-9][0-9_]*", "N", line)


@pytest.mark.parametrize(("app", "scheme"), _TOLD, ids=label)
def test_what_was_emitted_can_be_raised(app: App, scheme: Scheme) -> None:
    """Of every application's own snippet only the numbers change, to those of the new cost."""
    usual = _usual(scheme)
    wanted = higher(scheme, usual)
    target = _target(app, scheme, wanted, scheme.write(usual))
    if (app.name, scheme.hasher) in _MORE_MEMORY:
        with pytest.raises(UnreadableInputError, match="maxmem has to be set too"):
            change_for(target)
        return
    change = change_for(target)
    assert scheme.write(wanted) == change.after
    assert change_for(replace(target, text=change.after)).after == change.after


@pytest.mark.parametrize(("app", "scheme"), _TOLD, ids=label)
def test_only_what_is_read_is_written(app: App, scheme: Scheme) -> None:
    """The same lines in comments stay, whatever numbers are in them, or the file is refused."""
    usual = _usual(scheme)
    snippet = scheme.write(usual)
    comments = "".join(f"{app.comment.format(line)}\n" for line in snippet.splitlines())
    with contextlib.suppress(UnreadableInputError):
        change = change_for(_target(app, scheme, higher(scheme, usual), snippet + comments))
        assert change.after.endswith(comments)


def test_a_number_that_is_not_read_is_not_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    """Although the file is then read with the cost that was asked for."""
    app = load_tunable("vaultwarden")
    scheme = app.schemes[0]
    text = scheme.write({"iterations": 700_000}) + "# 123\n"
    target = _target(app, scheme, {"iterations": 800_000}, text)
    assert "800000" in change_for(target).after
    at, edits = text.index("123"), applying._edits
    also = {(at, at + 3): "456"}
    monkeypatch.setattr(applying, "_edits", lambda *given: edits(*given) | also)
    with pytest.raises(UnreadableInputError, match="not read with exactly this cost"):
        change_for(target)


def test_a_change_that_makes_a_cost_unknown_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Although the cost that was asked for is read as well."""
    app = load_tunable("vaultwarden")
    scheme = app.schemes[0]
    before = scheme.write({"iterations": 700_000})
    target = _target(app, scheme, {"iterations": 800_000}, before)
    read = Target.costs

    def costs(self: Target, text: str) -> list[CostOrVerdict]:
        found = read(self, text)
        if "800000" in text:
            place = Place(path=self.path)
            found.append(Judgement.without_cost(Outcome.UNKNOWN, "unknown", place, "why", "cure"))
        return found

    monkeypatch.setattr(Target, "costs", costs)
    with pytest.raises(UnreadableInputError, match="not read with exactly this cost"):
        change_for(target)


@pytest.mark.parametrize(("app", "scheme"), _TOLD, ids=label)
def test_a_cost_is_lowered_only_if_that_is_asked_for(app: App, scheme: Scheme) -> None:
    """A slower machine's profile weakens nothing unasked."""
    usual = _usual(scheme)
    raised_cost = higher(scheme, usual)
    if raised_cost == usual or (app.name, scheme.hasher) in _MORE_MEMORY:
        return
    text = scheme.write(raised_cost)
    with pytest.raises(UsageError, match="is weaker; `--lower` lowers it all the same"):
        change_for(_target(app, scheme, usual, text))
    lowered = change_for(_target(app, scheme, usual, text, lower=True))
    limits = scheme.limits.items()
    fixed = {name: row.minimum for name, row in limits if row.minimum == row.maximum}
    assert usual == {**fixed, **app.read(lowered.after)[-1].params}
    assert _without_numbers(text) == _without_numbers(lowered.after)


def _outcome(configuration: Configuration, path: str) -> str:
    found = raised(configuration, path)
    if found is None:
        return "undetermined"
    target, costs = found
    try:
        change = change_for(target)
    except UnreadableInputError as error:
        return "refused" if str(error).startswith(path) else f"refused without a file: {error}"
    if change.after.count("\n") > change.before.count("\n"):  # A setting was added.
        assert not set(change.before.splitlines()) - set(change.after.splitlines())
    else:
        replaced = list(_changed_lines(change))
        assert len(replaced) <= costs * len(target.params) + 1
        assert all(
            _without_numbers(before) == _without_numbers(after) for before, after in replaced
        )
    held = costs_in(target.app, change.after, path, target.release)
    ours = [cost.params for cost in held if cost.hasher == target.scheme.hasher]
    assert ours
    assert all(params == target.params for params in ours)
    return "applied" if change.before != change.after else "the highest already"


def test_the_files_of_the_corpus_get_their_cost() -> None:
    """Whoever wrote them: only numbers of the cost are replaced, and lines for it uncommented or
    added; a refusal names the file.
    """
    outcomes = [_outcome(configuration, path) for configuration, path in FILES]
    assert outcomes.count("applied") >= _LEAST_APPLIED
    assert set(outcomes) == {"applied", "the highest already", "refused", "undetermined"}


@table("name, before, after, params")
def test_the_number_is_where_the_reader_says(
    name: str, before: str, after: str, params: Params
) -> None:
    """Names with digits stay, constants are followed, units kept; one of several is refused."""
    app = load_tunable(name)
    scheme = next(scheme for scheme in app.schemes if scheme.limits.keys() == params.keys())
    if name == "login-defs":
        scheme = app.scheme("sha512-crypt") or scheme
    target = _target(app, scheme, params, before)
    if after:
        assert change_for(target).after == after
        return
    with pytest.raises((UnreadableInputError, UsageError)):
        change_for(target)


# What is added, and where several files count.


@table("name, before, params, after")
def test_a_setting_that_a_file_lacks_is_set(
    name: str, before: str, params: Params, after: str
) -> None:
    """It is uncommented or added where its format makes that safe, and nothing else changes."""
    name, _, version = name.partition(" ")
    release = AppRelease(version) if version else None
    app = at_release(load_tunable(name), release)
    scheme = next(scheme for scheme in app.schemes if scheme.keys.keys() == params.keys())
    target = replace(_target(app, scheme, params, before), release=release)
    change = change_for(target)
    assert change.after == after
    assert change_for(replace(target, text=after)).after == after


@table("name, version, before, params, says")
def test_no_line_is_added_that_a_release_may_not_know(
    name: str, version: str, before: str, params: Params, says: str
) -> None:
    """A setting is added only if the release that reads the file is known to have it."""
    release = AppRelease(version) if version else None
    app = at_release(load_tunable(name), release)
    scheme = app.schemes[0]
    target = replace(_target(app, scheme, params, before), release=release)
    with pytest.raises(UnreadableInputError) as raised:
        change_for(target)
    assert str(raised.value) == f"file: it does not set the cost{says}"


@table("name, files, params, changed, after")
def test_several_files_get_the_cost_where_it_counts(
    name: str, files: list[tuple[str, str]], params: Params, changed: str, after: str
) -> None:
    """Of files that count as one, the one whose line decides is changed."""
    app = load_tunable(name)
    scheme = next(scheme for scheme in app.schemes if scheme.keys.keys() == params.keys())
    together = tuple((path, text) for path, text in files)
    targets = [
        replace(_target(app, scheme, params, text), path=path, together=together)
        for path, text in together
    ]
    change = change_together(targets)
    assert (changed, after) == (change.path, change.after)


# What is refused, and what it says.


@table("name, hasher, text, told")
def test_a_refusal_names_the_line_and_what_to_edit(
    name: str, hasher: str, text: str, told: str
) -> None:
    """What the environment, other code or a stored hash decides is not edited."""
    app = load_tunable(name)
    scheme = app.scheme(hasher)
    assert scheme is not None
    wanted = higher(scheme, higher(scheme, _usual(scheme)))
    with pytest.raises((UsageError, UnreadableInputError)) as refused:
        change_for(_target(app, scheme, wanted, text))
    assert str(refused.value).startswith(told)

"""The applications and libraries as the files that they are: each figure can be traced."""

import datetime as dt
import re
import tomllib
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest

from bounded import ends_in_time
from corpora import LIBRARIES
from hashcost.apps.facts import SourcedFigure
from hashcost.apps.interface import App, format_of
from hashcost.apps.references import Reference
from hashcost.apps.refusals import RULES
from hashcost.apps.registry import app_from_toml, app_names, load_app, load_library, load_tunable
from hashcost.apps.untunable import Untunable
from hashcost.core.algorithms import COST_NAMES
from hashcost.core.errors import UnknownNameError, UsageError
from hashcost.core.units import parse_release
from hashcost.source_code.rules import Rule, load_language

DATA: Final = files("hashcost.apps").joinpath("data")
LOADED: Final = tuple(load_app(name) for name in app_names())
TUNABLE: Final = tuple(each for each in LOADED if isinstance(each, App))
UNTUNABLE: Final = tuple(each for each in LOADED if isinstance(each, Untunable))

each_app = pytest.mark.parametrize("app", TUNABLE, ids=lambda app: app.name)


def is_traceable(figure: SourcedFigure) -> bool:
    """Whether a figure says where it is from, and when that was looked at."""
    days = (figure.checked, getattr(figure, "measured", None))
    known = [day for day in days if day is not None]
    return bool(figure.source.strip() and known) and all(
        type(day) is dt.date and dt.date(2026, 1, 1) <= day <= dt.date(2027, 12, 31)
        for day in known
    )


def is_compared(reference: Reference) -> bool:
    """Whether each factor says where it is from; one that was timed is of a CPU."""
    figures = reference.factors or (reference,)
    return all(is_traceable(figure) for figure in figures) and all(
        factor.cpu or factor.measured is None for factor in reference.factors
    )


@each_app
def test_every_figure_of_an_application_has_a_source_and_a_date(app: App) -> None:
    """Whoever acts on a default, a limit or a factor can look up where it is from."""
    assert all(source.strip() for source in app.sources)
    for scheme in app.schemes:
        assert all(is_traceable(default) for default in scheme.defaults)
        assert all(is_traceable(limits) for limits in scheme.limits.values())
        reference = scheme.reference
        assert reference is None or reference.is_its_own or is_compared(reference)
        first = scheme.since
        assert first is None or is_traceable(
            SourcedFigure(source=first.source, checked=first.checked)
        )


@pytest.mark.parametrize("name", LIBRARIES)
def test_every_figure_of_a_library_has_a_source_and_a_date(name: str) -> None:
    """A factor names its measurement, or why it is taken for one; so do the limits."""
    library = load_library(name)
    assert library.title
    for hashing in library.hashers.values():
        assert hashing.factor > 0
        assert hashing.factor == 1 or not hashing.factors
        assert is_compared(hashing) or (hashing.is_its_own and hashing.factor == 1)
        assert all(is_traceable(limits) for limits in hashing.limits.values())


def test_a_first_release_without_a_source_is_refused() -> None:
    """Nobody can write from memory since when a program has a setting."""
    text = DATA.joinpath("cassandra.toml").read_text("utf-8")
    assert isinstance(app_from_toml(text, name="cassandra"), App)
    for key in ("since.source", "since.checked"):
        lines = [line for line in text.splitlines() if not line.startswith(key)]
        with pytest.raises(msgspec.ValidationError, match="missing required field"):
            app_from_toml("\n".join(lines), name="cassandra")


@each_app
def test_each_scheme_is_whole(app: App) -> None:
    """A scheme names the key and the range of each param, and every default is in range."""
    # The first words decide what is advised: to rehash, or to set each password again.
    assert app.rehashes.startswith(("never", "on login", "where the", "with every run"))
    assert {*app.first.values()} <= {scheme.hasher for scheme in app.schemes}
    assert "{}" in app.comment
    for scheme in app.schemes:
        names = {*COST_NAMES[scheme.hasher]}
        assert names == {*scheme.keys} == {*scheme.limits}
        assert scheme.reference is not None or scheme.note
        assert scheme.rule in {None, *RULES}
        for default in scheme.defaults:
            assert {*default.params} <= names
            for param, value in default.params.items():
                assert value == scheme.limits[param].nearest(value)


@each_app
def test_the_format_of_an_application_takes_its_settings(app: App) -> None:
    """The table ``read`` names a format that is there, with settings that it knows."""
    php = app.reading.get("php", app.reading)
    for table in (app.reading, php, app.reading.get("otherwise"), php.get("otherwise")):
        assert table is None or list(format_of(table)(app, "")) == []


@pytest.mark.parametrize("app", UNTUNABLE, ids=lambda app: app.name)
def test_an_application_without_a_cost_says_what_to_do(app: Untunable) -> None:
    """It says what it does, what to do instead, and its source."""
    assert app.what
    assert app.instead.endswith(".")
    assert all(source.strip() for source in app.sources)
    with pytest.raises(UsageError, match=f"{app.title} has no cost in its configuration: "):
        load_tunable(app.name)


@pytest.mark.parametrize("app", UNTUNABLE, ids=lambda app: app.name)
def test_earlier_releases_without_a_cost_are_in_order_and_have_a_source(app: Untunable) -> None:
    """The newest of them comes first, and none reaches into an older one."""
    assert all(is_traceable(row) and row.what for row in app.earlier)
    ends = [parse_release(row.before) for row in app.earlier]
    assert ends == sorted(set(ends), reverse=True)
    for row, next_end in zip(app.earlier, [*ends, ()][1:], strict=False):
        since = parse_release(row.since)
        assert not row.since or next_end <= since < parse_release(row.before)


@pytest.mark.parametrize(
    ("name", "release", "told"),
    [
        ("moodle", "4.2.9", "Moodle 4.2.9 has no cost in its configuration: PHP's bcrypt"),
        ("moodle", "4.3", "Moodle 4.3 has no cost in its configuration: sha512-crypt"),
        ("moodle", "2.4", "hashcost does not know how Moodle before 2.5 hashes"),
        ("moodle", None, "before 4.3, PHP's bcrypt"),
        ("joomla", "3.10", "Upgrade to a release of Joomla"),
        ("jellyfin", "10.9", "always 120000 iterations"),
        ("n8n", "0.9", "hashcost does not know whether 0.9 differs"),
    ],
)
def test_a_release_without_a_cost_to_set_is_told_how_it_hashes(
    name: str, release: str | None, told: str
) -> None:
    """What holds of the newest releases is not said of one that is older."""
    with pytest.raises(UsageError, match=re.escape(told)):
        load_tunable(name, release=release)


def test_an_application_without_a_cost_reads_no_file_that_is_named() -> None:
    """The message says so, since a file may hold hashes that were made elsewhere."""
    with pytest.raises(
        UsageError, match=r"did not read users\.acl; .*`calibrate audit users\.acl`"
    ):
        load_tunable("redis", [Path("users.acl")])


def test_every_library_is_one_that_an_application_runs() -> None:
    """No factor is kept that nothing is multiplied by, and none is stated twice."""
    texts = [DATA.joinpath(f"{name}.toml").read_text("utf-8") for name in app_names()]
    run = {
        (scheme["runs"], scheme["hasher"])
        for text in texts
        for scheme in tomllib.loads(text).get("schemes", ())
        if "runs" in scheme
    }
    kept = {(name, hasher) for name in LIBRARIES for hasher in load_library(name).hashers}
    assert run == kept


def test_an_unknown_application_is_a_clear_error() -> None:
    """A typing mistake is answered with the application that was meant."""
    with pytest.raises(UnknownNameError, match=r"'laravle'; did you mean laravel\?"):
        load_app("laravle")


def test_one_application_is_read_and_a_check_by_a_profile_reads_none() -> None:
    """What a command does not need is not loaded: neither other files nor other formats."""
    ends_in_time(
        "import sys\n"
        "import hashcost.checks.check\n"
        "assert not [name for name in sys.modules if name.startswith('hashcost.apps')]\n"
        "from hashcost.apps.registry import load_app\n"
        "load_app('vaultwarden').read('')\n"
        "assert load_app.cache_info().currsize == 1\n"
        "formats = [each for each in sys.modules if each.startswith('hashcost.apps.formats.')]\n"
        "assert {each.rpartition('.')[2] for each in formats} == {'settings'}\n"
    )


def test_a_figure_has_the_source_of_the_application_unless_its_own() -> None:
    """A default takes the application's source and date; a limit keeps those of the library."""
    app = load_tunable("flask-bcrypt")
    (scheme,) = app.schemes
    (default,) = scheme.defaults
    assert ("; ".join(app.sources), app.checked) == (default.source, default.checked)
    assert "gensalt" in scheme.limits["cost"].source
    assert scheme.reference is not None
    assert "bcrypt" == scheme.reference.implementation


@pytest.mark.parametrize("hasher", ['hasher = "scrpyt"\n', ""])
def test_a_hasher_that_a_library_does_not_have_is_named(hasher: str) -> None:
    """Who writes an application's data is told the key, and what the library has."""
    text = f'sources = ["made up"]\nchecked = 2026-11-24\n[[schemes]]\nruns = "hashlib"\n{hasher}'
    with pytest.raises(ValueError, match=r"^made-up: runs = 'hashlib' has no hasher .*scrypt"):
        app_from_toml(text, name="made-up")


def test_django_has_the_same_defaults_in_the_scan_and_as_an_application() -> None:
    """What `scan` says of a release, `check --app` says too."""
    versioned = load_language("python").dialect.versioned["PBKDF2PasswordHasher.iterations"]
    django = load_tunable("django")
    for hasher in ("pbkdf2-sha256", "pbkdf2-sha1"):
        scheme = django.scheme(hasher)
        assert scheme is not None
        own = {row.since: row.params["iterations"] for row in scheme.defaults}
        assert own == versioned.since


@each_app
def test_the_scan_tells_the_same_default_of_a_release(app: App) -> None:
    """A default that both know is the same at each release where the application's changes."""
    if app.reading["format"] != "source_code.SourceCode":
        return
    names = {app.package, *app.pins}
    for rule in _rules_with_defaults(app.reading):
        for scheme in app.schemes:
            for row in scheme.defaults:
                scanned = _default_in(rule, names, row.since)
                if scanned is not None and scanned[0] == scheme.hasher:
                    assert (app.name, row.since, scanned[1]) == (app.name, row.since, row.params)


def _rules_with_defaults(reading: dict[str, Any]) -> Iterator[Rule]:
    """Find the calls of an application's libraries whose defaults differ between releases."""
    for language in reading["languages"]:
        for rule in load_language(language).rule:
            places = rule.params.values()
            is_complete = all(place.default is not None for place in places)
            in_own_terms = all(place.unit == "count" for place in places)
            is_its_own = rule.library in reading["libraries"] and bool(rule.releases)
            if is_its_own and is_complete and in_own_terms:
                yield rule


def _default_in(
    rule: Rule, names: set[str | None], release: str
) -> tuple[str | None, dict[str, object]] | None:
    """The hasher and the params of a rule in a release; `None` if its releases are another's."""
    hasher = rule.hasher
    if rule.which is not None:
        hasher = rule.which.values.get(rule.which.default or "")
    params: dict[str, object] = {name: place.default for name, place in rule.params.items()}
    number = parse_release(release)
    for changed in rule.releases:
        if changed.package not in names or changed.text is not None:
            return None
        is_older = bool(changed.below) and number < parse_release(changed.below)
        is_newer = bool(changed.since) and number >= parse_release(changed.since)
        if is_older or is_newer:
            return changed.hasher or hasher, {**params, **changed.params}
    return hasher, params


def test_a_snippet_names_nothing_that_the_release_lacks() -> None:
    """Django imports every class of its list at a login, so that one that is missing stops it."""
    django = load_tunable("django")
    for release, missing in (("1.5", 3), ("1.9", 2), ("3.2", 1), ("4.0", 0)):
        app = msgspec.structs.replace(django, release=release)
        lacking = list(django.since_words)[3 - missing :]
        text = app.snippet(app.schemes[0], {"iterations": 1})
        assert not any(word in text for word in lacking)
        assert all(word in text for word in django.since_words if word not in lacking)


def test_a_release_that_ignores_a_setting_has_none_written() -> None:
    """The count that older servers pass over is not called one that meets a minimum."""
    for name, older, newer in (("389-ds", "2.5.0", "3.1.2"), ("aspnet-identity", "6", "7")):
        app = load_tunable(name)
        scheme = app.schemes[0]
        assert msgspec.structs.replace(app, release=older).missing(scheme) is not None
        known = msgspec.structs.replace(app, release=newer)
        assert known.missing(scheme) is None
        assert not known.caution_of(scheme)

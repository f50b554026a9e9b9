"""What holds for every application: only what it takes is written, and that is read back."""

from functools import cache

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from apps.realistic import REALISTIC
from apps.services import SCHEMES, SERVICES, label, legal, measured
from bounded import ends_in_time
from corpora import table
from fakes import limited_to
from hashcost.apps.interface import App
from hashcost.apps.registry import load_tunable
from hashcost.apps.schemes import Limits, Scheme
from hashcost.core.measurement import Measurement
from hashcost.core.profile import Profile
from hashcost.recommend.emission import Emission, emission_for, header, origin_of
from laws import examples
from measured import EVERY

_MODEL = "Intel(R) Xeon(R) 'rounds=1' \"-C 9\" `Processor`"
PROFILE = replace(EVERY, machine=replace(EVERY.machine, cpu_model=_MODEL))

each_scheme = pytest.mark.parametrize(("app", "scheme"), SCHEMES, ids=label)


def _emission(app: App, scheme: Scheme, params: dict[str, int]) -> Emission:
    return Emission(
        app=app,
        scheme=scheme,
        params=params,
        time_seconds=0.2,
        is_uncertain=False,
        reached=True,
        target_seconds=0.25,
        reasons=(),
    )


@each_scheme
def test_a_release_that_nobody_looked_at_is_not_written_for_silently(
    app: App, scheme: Scheme
) -> None:
    """An older release than all whose default is known lacks the setting, or is warned of."""
    old = replace(app, release="0.0.0.1")
    releases = [row.since for row in scheme.defaults if row.since[:1].isdecimal()]
    if any(map(old.is_before, releases)):
        assert old.missing(scheme) is not None or old.caution_of(scheme)


@pytest.mark.parametrize(
    ("app", "scheme"),
    [(app, scheme) for app, scheme in SCHEMES if scheme.since and scheme.since.older],
    ids=label,
)
def test_what_is_written_is_not_taken_for_what_older_releases_read(
    app: App, scheme: Scheme
) -> None:
    """If older releases read another syntax, the mark of the newer one is in the snippet."""
    params = {name: limits.minimum for name, limits in scheme.limits.items()}
    missing = replace(app, release="0.0.0.1").missing(scheme)
    assert missing is not None
    assert not missing.is_read_in(scheme.write(params))


@pytest.mark.parametrize(
    ("name", "hasher", "older", "newer"),
    [("keycloak", "argon2id", "26.2.5", "26.3"), ("keystone", "scrypt", "26.0.1", "27")],
)
def test_each_release_gets_the_snippet_that_it_reads(
    name: str, hasher: str, older: str, newer: str
) -> None:
    """It has the cost there; without a release, the other snippet is told."""
    app = load_tunable(name)
    snippets = []
    for release in (older, newer):
        there = app.at(release)
        scheme = there.scheme(hasher)
        assert scheme is not None
        params = {param: limits.minimum for param, limits in scheme.limits.items()}
        snippets.append(scheme.write(params))
        fixed = {"n": 65536} if hasher == "scrypt" else {}
        read = [{**fixed, **cost.params} for cost in there.read(scheme.write(params))]
        assert [params] == read
        assert there.caution_of(scheme) == ""
    assert snippets[0] != snippets[1]
    unknown = replace(app, supported=older).scheme(hasher)
    assert unknown is not None
    assert f"before {newer}" in replace(app, supported=older).caution_of(unknown)


@each_scheme
@given(data=st.data())
@settings(examples(25), suppress_health_check=[HealthCheck.filter_too_much])
def test_what_is_written_is_read_back(app: App, scheme: Scheme, data: st.DataObject) -> None:
    """Of every legal cost, alone, below its comment and in a file of the system: that cost.

    The comment holds no cost and hides none.
    """
    params = data.draw(legal(scheme))
    limits = scheme.limits.items()
    fixed = {name: row.minimum for name, row in limits if row.minimum == row.maximum}
    snippet = scheme.write(params)
    assert snippet.endswith("\n")
    origin = origin_of(PROFILE, "libcrypt")
    head = header(_emission(app, scheme, params), origin, "libcrypt 4.4.33", ["meets owasp"])
    assert app.read(head) == ()
    above = REALISTIC.get(app.name, "")
    for text in (snippet, head + snippet, above + snippet):
        found = [cost for cost in app.read(text) if cost.wins and cost.hasher == scheme.hasher]
        # A param without a choice is not written: its default is read instead.
        assert [{**fixed, **cost.params} for cost in found] == [params]
        assert found[0].line > (head.count("\n") if text == head + snippet else 0)


@pytest.mark.parametrize("comment", ["# {}", "// {}", "/* {} */", "<!-- {} -->", "{{# {} #}}"])
@pytest.mark.parametrize("mark", ["*/", "-->", "--", "?>", "{", "}"])
def test_no_profile_ends_a_comment(comment: str, mark: str) -> None:
    """What a profile calls its CPU stays in the comment, in whatever language that is."""
    app, scheme = SCHEMES[0]
    facts = {"cpu_model": f"a{mark}b", "cpu_limit": limited_to(0.5)}
    machine = replace(PROFILE.machine, **facts)
    emission = _emission(replace(app, comment=comment), scheme, {})
    origin = origin_of(replace(PROFILE, machine=machine), "libcrypt")
    head = header(emission, origin, "libcrypt 4", [])
    before, after = comment.format("\0").split("\0")
    for line in head.splitlines():
        assert line.startswith(before)
        assert mark not in line.removeprefix(before).removesuffix(after)
    assert "a b" in head
    assert "limited to 0.5 CPUs" in " ".join(head.split())


@cache
def _measured(app: str, hasher: str) -> tuple[Profile, Measurement]:
    scheme = load_tunable(app).scheme(hasher)
    assert scheme is not None
    return measured(scheme)


@pytest.mark.parametrize(
    ("app", "scheme"),
    [each for each in SCHEMES if each[0].name in SERVICES and each[1].reference],
    ids=label,
)
@pytest.mark.parametrize("target", [1e-6, 0.04, 0.25, 600.0])
def test_only_what_the_application_takes_is_written(
    app: App, scheme: Scheme, target: float
) -> None:
    """The cost is one that the application keeps, and why it is not what fits is said."""
    _, row = _measured(app.name, scheme.hasher)
    emission = emission_for(app, scheme, row, target, None)
    for name, limits in scheme.limits.items():
        assert limits.nearest(emission.params[name]) == emission.params[name]
    assert emission.time_seconds <= target or any(
        reason.startswith(("it ", "the lowest ")) for reason in emission.reasons
    )


@table("name, hasher, target, reason")
def test_why_a_service_gets_another_cost_is_said(
    name: str, hasher: str, target: float, reason: str
) -> None:
    """The reason names what the service would do with the cost that fits the target."""
    scheme = load_tunable(name).scheme(hasher)
    assert scheme is not None
    _, row = _measured(name, hasher)
    emission = emission_for(load_tunable(name), scheme, row, target, None)
    assert any(reason in text for text in emission.reasons)
    (cost,) = load_tunable(name).read(emission.snippet)
    assert not cost.why


@pytest.mark.parametrize("name", sorted(REALISTIC))
def test_a_long_file_takes_no_time(name: str) -> None:
    """Half a megabyte of nearly matching text ends; no pattern of it backtracks."""
    pieces = ("htpasswd ", "\\\n", "$(" * 9, "password [", "olcModuleLoad: ", "'", "a=${a:-")
    ends_in_time(
        "import contextlib\n"
        "from hashcost.apps.registry import load_app\n"
        "from hashcost.core.errors import UnreadableInputError\n"
        f"for piece in {pieces!r}:\n"
        "    with contextlib.suppress(UnreadableInputError):\n"
        f"        load_app({name!r}).read(piece * (500_000 // len(piece)))"
    )


@given(value=st.integers(-10, 200), step=st.integers(1, 7))
def test_the_nearest_is_the_highest_below(value: int, step: int) -> None:
    """Of the values that an application takes, none between the nearest and the value is left."""
    limits = Limits(minimum=10 * step, maximum=90 * step, step=step)
    legal_ones = range(10 * step, 90 * step + 1, step)
    below = [count for count in legal_ones if count <= value]
    assert limits.nearest(value) == (below[-1] if below else 10 * step)
    few = Limits(minimum=1, maximum=99, allowed=(5, 50))
    assert few.nearest(value) == (50 if value >= 50 else 5)


@table("words, value, consequence")
def test_what_comes_of_a_value_outside_is_data(
    words: dict[str, str], value: int, consequence: list[str | bool]
) -> None:
    """Whether a value is refused is not read from the words that say so."""
    limits = msgspec.convert({"minimum": 4, "maximum": 31, **words}, Limits)
    assert limits.consequence(value) == tuple(consequence)


def test_powers_of_two_are_said_shortly() -> None:
    """A long list of powers of two is worded, a short one listed."""
    elixir = load_tunable("elixir").schemes[1].limits["memory_kib"]
    assert elixir.choices == "powers of two from 8 to 2147483648"
    assert Limits(minimum=1, maximum=2, allowed=(1, 2)).choices == "1, 2"

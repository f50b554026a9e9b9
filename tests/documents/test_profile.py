"""Profiles as JSON and as files."""

from __future__ import annotations

import datetime as dt
import itertools
import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakes import (
    LADDER,
    LINEAR,
    PASSES,
    STEPS,
    FakeClock,
    FakeHasher,
    FakeLadder,
    candidate,
    measure,
    swept,
)
from hashcost.core.algorithms import COST_NAMES
from hashcost.core.capacity import Level
from hashcost.core.errors import EXIT_CODES, UnreadableInputError
from hashcost.core.machine import Machine, Notice, Probe, Tool
from hashcost.core.measurement import (
    Beyond,
    CostModel,
    Curve,
    Fit,
    Knob,
    Measurement,
    Params,
    Sample,
    SeenBy,
    SharedSpeed,
)
from hashcost.core.profile import (
    SCHEMA_VERSION,
    AttackerPrice,
    Basis,
    Failure,
    FloorCheck,
    Neighbour,
    Profile,
    Recommendation,
    Rounding,
    Verdict,
)
from hashcost.documents.profile import encode_json, from_json, load_profile, save_profile
from hashcost.recommend.recommendation import solve_again
from hashcost.render import render
from hashcost.render.commands.recommend import recommendation_document
from hashcost.worth.policies.policy import Floor, Policy
from made_up import PROFILE_FILE
from strategies import attacker_prices, floor_checks, knobs, roundings, seconds, targets, words

_seen_by = st.sampled_from(SeenBy)
_sizes = st.integers(0, 2**62)
_notices = st.builds(Notice, code=words, message=words, advice=words)
_machines = st.builds(
    Machine,
    cpu_model=st.none() | words,
    cpu_count=st.integers(1, 512),
    cpu_flags=st.lists(words, max_size=3).map(tuple),
    cpu_limit=st.none() | seconds,
    memory_bytes=st.none() | _sizes,
    os=words,
    kernel=words,
    architecture=words,
    virtualization=st.none() | words,
    python=words,
    openssl=words,
    page_bytes=st.none() | st.integers(1, 1 << 30),
)


_STEP = {"params": {"rounds": 1000}, "time_seconds": 0.1, "memory_bytes": 0, "measured": True}
_INSTANT = {"params": {"cost": 11}, "cpu_seconds": 0.0, "wall_seconds": 0.0}
_LADDERS = st.sampled_from([(LADDER, PASSES), (LADDER,)])


@st.composite
def _measured(draw: st.DrawFn) -> tuple[Measurement, Recommendation]:
    """A measurement, and a row that goes with it."""
    turned: tuple[Knob, ...] = draw(st.one_of(knobs().map(lambda knob: (knob,)), _LADDERS))
    params = st.fixed_dictionaries(
        {
            **{knob.name: st.integers(knob.minimum, knob.maximum) for knob in turned},
            "constant": st.just(8),
        }
    )
    low, time, high = sorted(draw(st.tuples(seconds, seconds, seconds)))
    model = CostModel(
        fixed=draw(st.dictionaries(words, _sizes, max_size=2)),
        parameter=turned[-1].name,
        scale=turned[-1].scale,
        overhead_seconds=draw(st.just(0.0) | seconds),
        seconds_per_unit=draw(seconds),
    )
    memory = draw(st.integers(1, 2**40))
    lowest = draw(params)
    # A sample of a ladder is of a step that has a curve.
    listed = {turned[0].name: lowest[turned[0].name]} if turned[0].steps else {}
    measurement = Measurement(
        # A known hasher has params of its own.
        hasher=draw(words.filter(lambda name: name not in COST_NAMES)),
        implementation=draw(words),
        implementation_version=draw(words),
        clock=draw(words),
        threads=draw(st.integers(1, 99)),
        knobs=turned,
        fitted=Fit(
            curves=(
                Curve(
                    params=lowest,
                    knob=None if turned[-1].is_ladder else turned[-1],
                    model=model,
                    memory_bytes=memory,
                    relative_interval=draw(st.sampled_from([None, (0.9, 1.1)])),
                    step_seconds=draw(st.sampled_from([{}, {lowest[turned[-1].name]: 0.5}])),
                    seen_by=draw(_seen_by),
                    earlier_runs=draw(_sizes),
                ),
            ),
            beyond=tuple(
                draw(
                    st.lists(
                        st.builds(
                            Beyond,
                            params=params,
                            memory_bytes=_sizes,
                            least_seconds=seconds,
                        ),
                        max_size=1,
                    )
                )
            ),
        ),
        samples=tuple(
            draw(
                st.lists(
                    st.builds(
                        Sample,
                        params=params.map(lambda drawn: {**drawn, **listed}),
                        cpu_seconds=seconds,
                        wall_seconds=seconds,
                        system_seconds=seconds,
                        page_faults=_sizes,
                        at_seconds=seconds,
                        shared=st.sampled_from([None, False, True]),
                    ),
                    max_size=3,
                )
            )
        ),
        shared=draw(
            st.none()
            | st.builds(SharedSpeed, factor=st.floats(1.0, 10.0), share=st.floats(0.0, 1.0))
        ),
    )
    row = Recommendation(
        hasher=measurement.hasher,
        implementation=measurement.implementation,
        implementation_version=measurement.implementation_version,
        params=draw(params),
        clock=measurement.clock,
        time_seconds=time,
        shared_seconds=draw(st.none() | seconds),
        shared_share=draw(st.none() | st.floats(0.0, 1.0)),
        seen_by=draw(_seen_by),
        interval_seconds=draw(st.sampled_from([None, (low, high)])),
        confidence=draw(st.floats(0, 1, exclude_min=True, exclude_max=True)),
        wall_seconds=draw(st.none() | seconds),
        cpu_seconds=draw(seconds),
        threads=measurement.threads,
        memory_bytes=memory,
        knobs=turned,
        model=model,
        neighbours=tuple(
            draw(
                st.lists(
                    st.builds(
                        Neighbour,
                        params=params,
                        time_seconds=seconds,
                        memory_bytes=st.integers(1, 2**40),
                        measured=st.booleans(),
                    ),
                    max_size=2,
                )
            )
        ),
        raised_from=draw(st.none() | params),
        floors=tuple(draw(st.lists(floor_checks, max_size=2))),
        attacker=tuple(draw(st.lists(attacker_prices, max_size=2))),
        warnings=tuple(draw(st.lists(_notices, max_size=2))),
    )
    return measurement, row


_failures = st.builds(
    Failure,
    hasher=words,
    implementation=words,
    code=st.sampled_from(sorted(EXIT_CODES)),
    error=words,
)


@st.composite
def _profiles(draw: st.DrawFn) -> Profile:
    known = draw(st.lists(_measured(), max_size=2, unique_by=lambda each: each[0].label))
    rows = [row for _, row in known if draw(st.booleans())]
    failures = draw(st.lists(_failures, min_size=0 if rows else 1, max_size=2))
    return Profile(
        schema=SCHEMA_VERSION,
        tool=draw(st.builds(Tool, name=words, version=words)),
        created=draw(st.datetimes(timezones=st.just(dt.UTC))),
        machine=draw(_machines),
        probe=draw(st.builds(Probe, password_bytes=_sizes, salt_bytes=_sizes)),
        target_seconds=draw(targets),
        rounding=draw(roundings),
        duration_seconds=draw(seconds),
        measurements=tuple(measurement for measurement, _ in known),
        results=(*rows, *failures),
        warnings=tuple(draw(st.lists(_notices, max_size=2))),
    )


def _absent() -> FakeHasher:
    raise ModuleNotFoundError(name="absent")


@pytest.fixture
def measured(clock: FakeClock) -> Profile:
    """What a calibration makes: counts, steps, a ladder, and a row that failed."""
    return measure(
        clock,
        FakeHasher(clock, name="counts", knob=LINEAR),
        FakeHasher(clock, name="steps", knob=STEPS),
        FakeLadder(clock, name="ladder"),
        candidate("gone@absent", _absent),
    )


@pytest.fixture
def document(measured: Profile) -> dict[str, Any]:
    """The same as the JSON holds it."""
    decoded: dict[str, Any] = json.loads(encode_json(measured))
    return decoded


def _refusal(content: bytes) -> str:
    with pytest.raises(UnreadableInputError) as refused:
        from_json(content, name="saved.json")
    return str(refused.value)


@given(_profiles())
def test_a_profile_is_read_as_it_was_written(profile: Profile) -> None:
    """Every profile comes back from its JSON as the same value."""
    assert profile == from_json(encode_json(profile), name="saved.json")


def test_a_calibration_is_read_as_it_was_written(measured: Profile, tmp_path: Path) -> None:
    """What a calibration found is the same after it was saved and loaded."""
    path = tmp_path / "saved.json"
    save_profile(measured, path)
    assert measured == load_profile(path)


@given(
    target=st.sampled_from((1e-4, 4e-3, 0.04, 0.3)),
    floor=st.sampled_from((None, {"memory": 8, "passes": 9}, {"memory": 256, "passes": 1})),
    options=st.fixed_dictionaries(
        {},
        optional={
            "budget": st.floats(0.01, 5.0),
            "memory": st.sampled_from((4 << 20, 64 << 20)),
            "tradeoff": st.booleans(),
            "enforce": st.booleans(),
        },
    ),
    other=targets,
    rounding=roundings,
)
def test_what_is_saved_is_loaded(
    target: float,
    floor: Params | None,
    options: dict[str, Any],
    other: float,
    rounding: Rounding,
) -> None:
    """Whatever a calibration found, also within a budget or raised to a floor, can be loaded,
    and so can what is solved from it.
    """
    floors = () if floor is None else (Floor(hasher="fake", params=floor),)
    date = dt.date(2026, 1, 1)
    policy = Policy(id="made-up", title="Made up", source="nowhere", date=date, floors=floors)
    clock = FakeClock()
    if options.get("tradeoff"):
        options.pop("enforce", None)
    profile = measure(clock, FakeLadder(clock), target=target, policies=(policy,), **options)
    again = solve_again(profile, other, rounding)
    for each in (profile, again):
        assert each == from_json(encode_json(each), name="saved.json")


def test_a_profile_is_written_for_people_too(measured: Profile) -> None:
    """The JSON is indented by two and ends with one newline."""
    text = encode_json(measured).decode()
    assert text.startswith('{\n  "schema": 2,\n  "tool": {\n    "name": "hashcost",\n')
    assert text.endswith("\n}\n")


def test_a_row_says_whether_it_was_measured(document: dict[str, Any]) -> None:
    """A result tells by its status whether it is a cost or a failure."""
    assert ["measured", "measured", "measured", "failed"] == [
        row["status"] for row in document["results"]
    ]


def test_a_newer_schema_is_refused(document: dict[str, Any]) -> None:
    """A profile of a later version is refused with the cure, whatever else it holds."""
    message = "saved.json has schema 3, newer than the 2 this version knows; upgrade hashcost"
    assert message == _refusal(json.dumps(document | {"schema": 3}).encode())
    assert message == _refusal(b'{"schema": 3, "results": "in another shape"}')


def test_a_sweep_is_named_as_one(clock: FakeClock) -> None:
    """A sweep in the place of a profile is called what it is."""
    found = swept(clock, FakeHasher(clock), costs="1000,2000")
    assert "saved.json is a sweep, not a profile; make one with `calibrate --save FILE`" == (
        _refusal(encode_json(found))
    )


@pytest.mark.parametrize(
    "content",
    [b"{}", b"[]", b"null", b'"text"', b"1", b'{"schema": "1"}', b'{"schema": null}', b"[[[]]]"],
)
def test_foreign_json_is_refused(content: bytes) -> None:
    """JSON that is no profile is refused with the way to make one."""
    assert _refusal(content) == (
        "saved.json is not a hashcost profile; make one with `calibrate --save FILE`"
    )


_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)


@given(st.dictionaries(st.sampled_from([*Profile.__struct_fields__, "other"]), _json))
def test_json_of_any_shape_is_refused(fields: dict[str, object]) -> None:
    """Whatever a file of JSON holds, it is a profile or an input error."""
    assert _refusal(json.dumps(fields).encode()).startswith("saved.json ")


@given(st.text().map(str.encode))
def test_text_of_any_kind_is_refused(content: bytes) -> None:
    """Whatever a text file holds, it is a profile or an input error."""
    assert _refusal(content).startswith("saved.json ")


@given(cut=st.data())
def test_half_a_profile_is_refused(cut: st.DataObject) -> None:
    """A profile that was cut off anywhere is said not to be whole."""
    clock = FakeClock()
    whole = encode_json(measure(clock, FakeHasher(clock))).rstrip()
    half = whole[: cut.draw(st.integers(0, len(whole) - 1))]
    assert _refusal(half).startswith("saved.json is incomplete or broken JSON: ")


def test_json_nested_without_end_is_refused() -> None:
    """Nesting deeper than any profile does not overflow the stack."""
    assert _refusal(b'{"schema":' + b"[" * 100_000).startswith("saved.json is ")
    assert _refusal(b'{"schema":2,"measurements":' + b"[" * 100_000).startswith(
        "saved.json is incomplete"
    )


def _changed(document: dict[str, Any], field: str, value: object) -> bytes:
    """The document with another value at a place such as ``results.0.params``."""
    *outer, last = field.split(".")
    holder: Any = document
    for name in outer:
        holder = holder[int(name) if name.isdigit() else name]
    assert last in holder
    holder[last] = value
    return json.dumps(document).encode()


@pytest.mark.parametrize(
    ("field", "value", "problem"),
    [
        ("results.0.params", {"cost": 5}, "params of another hasher"),
        ("results.2.params", {"memory": 8}, "params of another hasher"),
        ("results.2.knobs", [], ""),
        ("results.0.params", {"rounds": 0}, "a rounds outside its range"),
        ("results.0.params", {"rounds": 2**31}, "a rounds outside its range"),
        ("results.1.neighbours.0.params", {"rounds": 5}, "params of another hasher"),
        ("results.1.neighbours.0.params", {"cost": 3}, "a cost outside its range"),
        ("results.0.time_seconds", 0.0, ""),
        ("results.0.time_seconds", -0.04, ""),
        ("results.0.cpu_seconds", 0, ""),
        ("results.0.interval_seconds", [-1, 1], ""),
        ("results.0.interval_seconds", [1, 0], "a time outside its interval"),
        ("results.0.interval_seconds", [1e-3, 2e-3], "a time outside its interval"),
        ("results.0.wall_seconds", -1e-9, ""),
        ("results.0.memory_bytes", -1, ""),
        ("results.0.memory_bytes", 10**400, ""),
        ("results.0.threads", 0, ""),
        ("results.0.confidence", 1, ""),
        ("results.2.neighbours.0.memory_bytes", -1, ""),
        ("measurements.0.samples.0.params", {"cost": 5}, "params of another hasher"),
        ("measurements.1.samples.0.params", {"cost": 32}, "a cost outside its range"),
        ("measurements.0.knobs.0.minimum", -1, ""),
        ("results.0.neighbours", [_STEP] * 8000, ""),
        ("measurements.0.knobs.0.steps", [2, 1], "a knob with an impossible range"),
        ("measurements.0.knobs.0.steps", [2**40], "a knob with an impossible range"),
        ("measurements.0.knobs.0.minimum", 2**31, "a knob with an impossible range"),
        ("measurements.1.knobs.0.maximum", 64, "a knob with an impossible range"),
        ("measurements.1.knobs.0.maximum", 4, "a cost outside its range"),
        ("measurements.0.fitted.curves.0.model.seconds_per_unit", 0, ""),
        ("measurements.0.fitted.curves.0.model.overhead_seconds", -1e-9, ""),
        (
            "measurements.0.fitted.curves.0.model.scale",
            "log2",
            "a curve that does not fit its knobs",
        ),
        (
            "measurements.0.fitted.curves.0.relative_interval",
            [1.1, 1.2],
            "a time outside its interval",
        ),
        ("measurements.0.fitted.curves", [], ""),
        ("measurements.0.samples.0.cpu_seconds", -1e-9, ""),
        ("measurements.0.samples.0.cpu_seconds", 1e300, ""),
        ("measurements.0.samples.0.system_seconds", -1e-9, ""),
        ("measurements.0.samples.0.page_faults", 10**400, ""),
        ("measurements.2.samples.0.params.memory", 5, "samples of a step that it has no curve of"),
        ("measurements.2.knobs.0.steps", [], "a ladder without steps"),
        ("measurements.2.fitted.curves.0.memory_bytes", 0, "a step of memory that takes none"),
        ("measurements", [], "no measurement"),
        ("machine.cpu_count", -2, ""),
    ],
)
def test_a_figure_that_cannot_be_is_refused(
    document: dict[str, Any], field: str, value: object, problem: str
) -> None:
    """A profile whose figures cannot be true is refused, with the row or the field."""
    refusal = _refusal(_changed(document, field, value))
    assert refusal.startswith("saved.json is ")
    assert problem in refusal
    if problem:
        assert refusal.startswith("saved.json is damaged: ")
        assert any(f"{label}@memory has" in refusal for label in ("counts", "steps", "ladder"))
    elif value not in ([], 10**400):
        assert f"$.{field.split('.', maxsplit=1)[0]}" in refusal


def test_a_known_hasher_has_its_own_params(document: dict[str, Any]) -> None:
    """A measurement that calls itself by a known name and has another's params is refused."""
    document["measurements"][0]["hasher"] = "scrypt"
    assert "scrypt@memory has params" in _refusal(json.dumps(document).encode())


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("results.2.neighbours", []),
        ("results.2.neighbours.0.measured", False),
        ("results.2.params.memory", 1),
        ("measurements.2.samples", []),
        ("measurements.2.fitted.beyond", []),
    ],
)
def test_a_ladder_that_does_not_add_up_is_refused_or_solved(
    document: dict[str, Any], field: str, value: object
) -> None:
    """A hasher whose steps, samples and curves do not belong together is no internal error."""
    content = _changed(document, field, value)
    try:
        profile = from_json(content, name="saved.json")
    except UnreadableInputError:
        return
    for target, rounding in itertools.product((1e-4, 0.01, 0.04, 1.0), Rounding):
        again = solve_again(profile, target, rounding)
        assert "\n" in render(recommendation_document(again), "csv")


@pytest.mark.parametrize(
    ("field", "value", "problem"),
    [
        ("results.4.samples", [_INSTANT], "Expected `float` >= 1e-12"),
        ("results.4.samples.0.params", {"rounds": 5}, "params of another hasher"),
        ("results.4.neighbours.0.params.cost", 2000, "a cost outside its range"),
        ("results.4.knobs.0.maximum", 2000, "a knob with an impossible range"),
    ],
)
def test_a_measurement_that_cannot_be_is_not_put_together(
    field: str, value: object, problem: str
) -> None:
    """What follows from the rows of schema 1 is held to the same bounds as what is read."""
    old = json.loads(PROFILE_FILE.with_name("profile_schema_1.json").read_bytes())
    refusal = _refusal(_changed(old, field, value))
    assert problem in refusal


@pytest.mark.parametrize("file", sorted(PROFILE_FILE.parent.glob("*_schema_1.json")))
def test_a_profile_of_schema_1_is_still_read(file: Path) -> None:
    """An old profile has the measurements that its rows rest on, and the same rows."""
    old, new = load_profile(file), load_profile(Path(str(file).replace("_schema_1", "")))
    assert SCHEMA_VERSION == old.schema
    assert old.measurements == tuple(
        msgspec.structs.replace(each, page_bytes=None) for each in new.measurements
    )
    assert old.results == new.results


@pytest.fixture
def appraised(measured: Profile) -> dict[str, Any]:
    """The same, with a floor and a price on each row, as the JSON holds it."""
    check = FloorCheck(
        policy="made-up",
        verdict=Verdict.SHORT,
        met=False,
        params={"rounds": 9},
        time_seconds=1.0,
        time_params={"rounds": 9},
    )
    price = AttackerPrice(
        device="abacus",
        guesses_per_second=1.0,
        basis=Basis.SCALED,
        dollars_per_2_32_guesses=1.0,
        dollars_per_hour=1.0,
        benchmark_params={"rounds": 1},
        tool="fingers",
        date=dt.date(2026, 1, 1),
        source="nowhere",
    )
    profile = msgspec.structs.replace(
        measured,
        results=tuple(
            msgspec.structs.replace(
                row,
                floors=(check,),
                attacker=(price,),
                raised_from=row.params,
                capacity=Level(
                    params=row.params,
                    threads=2,
                    hashes=3,
                    duration_seconds=1.0,
                    logins_per_second=3.0,
                    p50_seconds=0.3,
                    p95_seconds=None,
                    p95_is_rough=True,
                    memory_bytes=4096,
                    cpu_seconds=1.9,
                    queued_seconds=None,
                    latency_seconds=(0.2, 0.3, 0.4),
                ),
            )
            for row in measured.recommendations
        ),
    )
    assert profile == from_json(encode_json(profile), name="saved.json")
    decoded: dict[str, Any] = json.loads(encode_json(profile))
    return decoded


@pytest.mark.parametrize(
    ("field", "value", "problem"),
    [
        ("floors.0.time_seconds", 0, ""),
        ("floors.0.params", {"rounds": -1}, "Expected `int` >= 0"),
        ("floors.0.params", {"rounds": 10**400}, ""),
        ("attacker.0.guesses_per_second", -14776.0, ""),
        ("attacker.0.dollars_per_2_32_guesses", 0, ""),
        ("attacker.0.dollars_per_hour", -0.34, ""),
        ("attacker.0.benchmark_params", {"rounds": -1}, "Expected `int` >= 0"),
        ("capacity.logins_per_second", 0, ""),
        ("capacity.p50_seconds", -0.3, ""),
        ("capacity.p95_seconds", -0.3, ""),
        ("capacity.duration_seconds", 0, ""),
        ("capacity.latency_seconds", [0.2, -0.3], ""),
        ("capacity.params", {"rounds": 7}, "an impossible capacity"),
        ("capacity.threads", 0, ""),
        ("capacity.hashes", 0, ""),
        ("capacity.memory_bytes", -1, ""),
        ("capacity.cpu_seconds", -1.0, ""),
        ("capacity.queued_seconds", -1.0, ""),
        ("raised_from", {"cost": 5}, "params of another hasher"),
        ("raised_from", {"rounds": 0}, "a rounds outside its range"),
    ],
)
def test_a_worth_that_cannot_be_is_refused(
    appraised: dict[str, Any], field: str, value: object, problem: str
) -> None:
    """A floor or a price whose figures cannot be true is refused, with the row or the field."""
    refusal = _refusal(_changed(appraised, f"results.0.{field}", value))
    assert refusal.startswith("saved.json is ")
    assert problem in refusal


@pytest.mark.parametrize(
    "field",
    [
        "floors.0.time_seconds",
        "attacker.0.guesses_per_second",
        "attacker.0.dollars_per_2_32_guesses",
        "attacker.0.dollars_per_hour",
    ],
)
@pytest.mark.parametrize("figure", ["NaN", "Infinity", "-Infinity", "1e999", "1" * 400])
def test_a_worth_without_end_is_refused(
    appraised: dict[str, Any], field: str, figure: str
) -> None:
    """A figure that is no number, or has no end, is refused in each spelling."""
    holder: Any = appraised["results"][0]
    *outer, last = field.split(".")
    for name in outer:
        holder = holder[int(name) if name.isdigit() else name]
    holder[last] = "figure"
    content = json.dumps(appraised).replace('"figure"', figure)
    assert _refusal(content.encode()).startswith("saved.json is ")


@pytest.mark.parametrize(
    "field",
    [
        "floors.0.time_seconds",
        "floors.0.params",
        "floors.0.met",
        "attacker.0.dollars_per_2_32_guesses",
        "attacker.0.dollars_per_hour",
        "raised_from",
    ],
)
def test_a_worth_may_be_unknown(appraised: dict[str, Any], field: str) -> None:
    """What may be unknown of a floor or a price may be none."""
    *outer, last = field.split(".")
    holder = appraised["results"][0]
    for name in outer:
        holder = holder[int(name) if name.isdigit() else name]
    holder[last] = None
    profile = from_json(json.dumps(appraised).encode(), name="saved.json")
    assert profile.recommendations[0].floors


@pytest.mark.parametrize(
    "fields",
    [
        {"schema": 0},
        {"results": []},
        {"target_seconds": 0},
        {"target_seconds": -0.04},
        {"created": "2026-11-20T12:00:00"},
        {"duration_seconds": -1},
    ],
)
def test_a_profile_that_cannot_be_is_refused(
    document: dict[str, Any], fields: dict[str, object]
) -> None:
    """A profile that no calibration can have made is refused."""
    assert _refusal(json.dumps(document | fields).encode()).startswith("saved.json is ")


def test_a_failure_of_an_unknown_kind_is_refused(document: dict[str, Any]) -> None:
    """A failed row whose code has no exit code is refused."""
    document["results"][3]["code"] = "boredom"
    assert "saved.json is damaged: it has an unknown failure 'boredom'" == (
        _refusal(json.dumps(document).encode())
    )


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("time_seconds", "fast"),
        ("time_seconds", None),
        ("params", {"rounds": 1.5}),
        ("interval_seconds", [1.0]),
        ("status", "guessed"),
    ],
)
def test_a_field_of_the_wrong_type_is_refused(
    document: dict[str, Any], field: str, value: object
) -> None:
    """A field of another type than the schema's is refused with its place."""
    document["results"][0][field] = value
    assert "$.results[0]" in _refusal(json.dumps(document).encode())


@pytest.mark.parametrize("field", sorted(Profile.__struct_fields__))
def test_a_missing_field_is_refused(document: dict[str, Any], field: str) -> None:
    """A field that every profile has must be there."""
    del document[field]
    if field in {"concurrency", "host", "warnings"}:
        assert not getattr(from_json(json.dumps(document).encode(), name="saved.json"), field)
    elif field == "measurements":
        assert "has no measurement" in _refusal(json.dumps(document).encode())
    else:
        assert _refusal(json.dumps(document).encode()).startswith(
            "saved.json is not a hashcost profile"
        )


@pytest.mark.parametrize("text", ["\x1b[2J", "two\nlines", "\x00", "x" * 1001])
def test_text_that_steers_a_terminal_is_refused(document: dict[str, Any], text: str) -> None:
    """Text that could clear a screen or flood it is refused, wherever it stands."""
    message = "saved.json is damaged: it has text that cannot be printed; make a new one"
    named = document | {"machine": document["machine"] | {"cpu_model": text}}
    assert message == _refusal(json.dumps(named).encode())
    assert message == _refusal(json.dumps(document | {text: 1}).encode())


def test_a_later_field_is_left_alone(document: dict[str, Any], measured: Profile) -> None:
    """A field that this version does not know does not keep it from reading the rest."""
    content = json.dumps(document | {"mood": "good"}).encode()
    assert measured == from_json(content, name="saved.json")


def test_the_size_of_a_page_may_be_unknown(document: dict[str, Any]) -> None:
    """A profile of an earlier release does not say it; one that says it says a possible one."""
    del document["machine"]["page_bytes"]
    assert from_json(json.dumps(document).encode(), name="saved.json").machine.page_bytes is None
    for impossible in (0, -1, 10**400, 0.5):
        document["machine"]["page_bytes"] = impossible
        assert _refusal(json.dumps(document).encode()).startswith("saved.json is not a hashcost")


def test_an_absent_profile_is_an_input_error(tmp_path: Path) -> None:
    """A profile that is not there is named in the error."""
    path = tmp_path / "absent.json"
    with pytest.raises(UnreadableInputError) as refused:
        load_profile(path)
    assert str(refused.value) == (
        f"cannot read {path}: no such file or directory; make it with `calibrate --save {path}`"
    )


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("a\u202e\u2028\x9b\x7f", r'"a\u202e\u2028\u009b\u007f"'),
        ("a\n\x1b", r'"a\n\u001b"'),
        ("\U000e0001", r'"\udb40\udc01"'),
        ("##[error] ##vso[x] ## [1]", r'"\u0023#[error] \u0023#vso[x] ## [1]"'),
        ("Zürich ±3 %", '"Zürich ±3 %"'),
    ],
)
def test_text_that_is_not_seen_is_written_by_its_number(value: str, written: str) -> None:
    """JSON gives every text back, and no character of the file steers a terminal."""
    encoded = encode_json(value)

    assert f"{written}\n" == encoded.decode()
    assert value == json.loads(encoded)


def test_bytes_that_are_no_text_are_escaped() -> None:
    """What is not UTF-8 cannot be given back by JSON, and is shown as elsewhere."""
    value = Notice(code="a\udcff", message="b\n", advice="c")

    assert {"code": r"a\xff", "message": r"b\n", "advice": "c"} == json.loads(encode_json(value))

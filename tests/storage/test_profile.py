"""Profiles as JSON and as files."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpora import table
from fakes import FakeClock, FakeHasher, FakeLadder, every_kind, made_up_policy, measure
from hashcost.core.errors import UnreadableInputError
from hashcost.core.machine import Notice
from hashcost.core.measurement import Params
from hashcost.core.profile import Profile
from hashcost.recommend.recommendation import solve_again
from hashcost.storage.profile import encode_json, from_json, load_profile, save_profile
from hashcost.strength.policies.policy import Floor
from strategies import targets


@pytest.fixture
def measured(clock: FakeClock) -> Profile:
    """A calibration of counts, steps and ladders, with a row that failed."""
    return every_kind(clock)


@pytest.fixture
def document(measured: Profile) -> dict[str, Any]:
    """The same as the JSON holds it."""
    decoded: dict[str, Any] = json.loads(encode_json(measured))
    return decoded


def _refusal(content: bytes) -> str:
    with pytest.raises(UnreadableInputError) as refused:
        from_json(content, name="saved.json")
    return str(refused.value)


def _changed(document: dict[str, Any], field: str, value: object) -> bytes:
    """The document with another value at a place such as ``results.0.params``."""
    *outer, last = field.split(".")
    holder: Any = document
    for name in outer:
        holder = holder[int(name) if name.isdigit() else name]
    assert last in holder
    holder[last] = value
    return json.dumps(document).encode()


def test_a_calibration_is_read_as_it_was_written(measured: Profile, tmp_path: Path) -> None:
    """A profile is the same after it was saved and loaded, and its file is for people too."""
    path = tmp_path / "saved.json"
    save_profile(measured, path)

    assert measured == load_profile(path)
    assert path.read_text().startswith('{\n  "schema": 1,\n  "tool": {\n    "name": "hashcost",\n')
    assert path.read_text().endswith("\n}\n")


@given(
    target=st.sampled_from((1e-4, 4e-3, 0.04, 0.3)),
    floor=st.sampled_from((None, {"memory": 8, "passes": 9}, {"memory": 256, "passes": 1})),
    other=targets,
)
def test_an_answer_is_read_as_it_was_written(
    target: float, floor: Params | None, other: float
) -> None:
    """Whatever was measured, with a minimum or without, it can be saved, and solved again."""
    floors = () if floor is None else (Floor(hasher="fake", params=floor),)
    clock = FakeClock()
    asked = (made_up_policy(*floors),)
    profile = measure(clock, FakeLadder(clock), target=target, policies=asked)
    for saved in (profile, solve_again(profile, other)):
        assert saved == from_json(encode_json(saved), name="saved.json")


def test_a_newer_schema_is_refused(document: dict[str, Any]) -> None:
    """A profile of a later version is refused with the cure, whatever else it holds."""
    message = "saved.json has schema 2, newer than the 1 this version knows; upgrade hashcost"
    assert message == _refusal(json.dumps(document | {"schema": 2}).encode())
    assert message == _refusal(b'{"schema": 2, "results": "in another shape"}')


@table("content")
def test_foreign_json_is_refused(content: str) -> None:
    """JSON that is no profile is refused with the way to make one."""
    assert _refusal(content.encode()) == (
        "saved.json is not a hashcost profile; make one with `calibrate --save FILE`"
    )


_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)


@given(
    st.dictionaries(st.sampled_from([*Profile.__struct_fields__, "other"]), _json).map(
        lambda fields: json.dumps(fields).encode()
    )
    | st.text().map(str.encode)
    | st.integers(0, 200_000).map(lambda depth: b'{"schema":1,"measurements":' + b"[" * depth)
)
def test_content_of_any_kind_is_refused(content: bytes) -> None:
    """Whatever a file holds and however deep, it is a profile or an input error."""
    assert _refusal(content).startswith("saved.json ")


@given(cut=st.data())
def test_half_a_profile_is_refused(cut: st.DataObject) -> None:
    """A profile that was cut off anywhere is said not to be whole."""
    clock = FakeClock()
    whole = encode_json(measure(clock, FakeHasher(clock))).rstrip()
    half = whole[: cut.draw(st.integers(0, len(whole) - 1))]
    assert _refusal(half).startswith("saved.json is incomplete or broken JSON: ")


@table("field, value")
def test_a_figure_beyond_its_bounds_is_refused(
    document: dict[str, Any], field: str, value: object
) -> None:
    """A figure that its type does not allow is refused, with its place."""
    assert _refusal(_changed(document, field, value)).startswith(
        "saved.json is not a hashcost profile"
    )


@pytest.mark.parametrize("figure", ["NaN", "Infinity", "-Infinity", "1e999", "1" * 400])
def test_a_figure_without_end_is_refused(document: dict[str, Any], figure: str) -> None:
    """A figure that is no number, or has no end, is refused in each spelling."""
    content = _changed(document, "results.0.time_seconds", "figure")
    assert _refusal(content.replace(b'"figure"', figure.encode())).startswith("saved.json is ")


def test_a_row_needs_its_measurement(document: dict[str, Any]) -> None:
    """A cost that rests on nothing is refused."""
    refusal = _refusal(_changed(document, "measurements", []))
    assert refusal.startswith("saved.json is damaged: counts@memory has no measurement; make one")


@table("field, value")
def test_figures_that_cannot_be_are_refused(
    document: dict[str, Any], field: str, value: object
) -> None:
    """A cost beyond any float or of another hasher, an interval that ends before it begins, or no
    memory where a surface needs some.
    """
    refusal = _refusal(_changed(document, field, value))
    assert re.search("is damaged: .* (has figures that cannot be|has no measurement);", refusal)


@table("field, value")
def test_figures_of_another_run_are_refused(
    document: dict[str, Any], field: str, value: object
) -> None:
    """A model that does not give the times of its samples, and an answer whose time is not its
    measurement's: a cost ten times as high, a time ten times as short.
    """
    refusal = _refusal(_changed(document, field, value))
    assert re.search("has other times than its samples|than its measurement;", refusal)


@pytest.mark.parametrize("field", sorted(Profile.__struct_fields__))
def test_a_missing_field_is_refused(document: dict[str, Any], field: str) -> None:
    """A field that every profile has must be there."""
    del document[field]
    content = json.dumps(document).encode()
    if field in {"host", "other_contexts", "warnings"}:
        assert not getattr(from_json(content, name="saved.json"), field)
    else:
        assert _refusal(content).startswith("saved.json is ")


@pytest.mark.parametrize("text", ["\x1b[2J", "two\nlines", "\x00", "\u202edesrever"])
def test_text_that_steers_a_terminal_is_refused(document: dict[str, Any], text: str) -> None:
    """Text that could clear a screen is refused, wherever it stands."""
    message = "saved.json is damaged: it has text that cannot be printed; make a new one"
    named = document | {"machine": document["machine"] | {"cpu_model": text}}
    assert message == _refusal(json.dumps(named).encode())
    assert message == _refusal(json.dumps(document | {text: 1}).encode())


def test_a_later_field_is_left_alone(document: dict[str, Any], measured: Profile) -> None:
    """A field that this version does not know does not keep it from reading the rest."""
    content = json.dumps(document | {"mood": "good"}).encode()
    assert measured == from_json(content, name="saved.json")


def test_an_absent_profile_is_an_input_error(tmp_path: Path) -> None:
    """A profile that is not there is named in the error."""
    path = tmp_path / "absent.json"
    with pytest.raises(UnreadableInputError) as refused:
        load_profile(path)
    assert str(refused.value) == (
        f"cannot read {path}: no such file or directory; make it with `calibrate --save {path}`"
    )


@table("value, written")
def test_text_that_is_not_seen_is_written_by_its_number(value: str, written: str) -> None:
    """JSON gives every text back, and no character of the file steers a terminal."""
    encoded = encode_json(value)

    assert f"{written}\n" == encoded.decode()
    assert value == json.loads(encoded)


def test_bytes_that_are_no_text_are_escaped() -> None:
    """JSON cannot hold bytes that are not UTF-8; they are shown as elsewhere."""
    value = Notice(code="a\udcff", message="b\n", advice="c")

    assert {"code": r"a\xff", "message": r"b\n", "advice": "c"} == json.loads(encode_json(value))

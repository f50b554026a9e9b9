"""What every format has in common."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from findings import DRIFTED
from hashcost.core.machine import Notice
from hashcost.core.profile import Failure
from hashcost.recommend.recommendation import solve_again
from hashcost.render import FORMATS, render
from hashcost.render.commands.recommend import recommendation_document
from hashcost.render.document import Column, Document, Records, Table
from hashcost.storage.profile import from_json
from made_up import PROFILE_FILE
from measured import EVERY as PROFILE


@pytest.mark.parametrize("form", FORMATS)
def test_ends_with_one_newline(form: str) -> None:
    """Every format ends with exactly one newline, with results, failures alone, or nothing.

    Without a finding there is no annotation.
    """
    failures = tuple(row for row in PROFILE.results if isinstance(row, Failure))
    for results in (PROFILE.results, failures, ()):
        document = recommendation_document(replace(PROFILE, results=results))
        text = render(document, form)

        assert text.rstrip("\n") + "\n" == text or (form, text) == ("github", "")


@pytest.mark.parametrize("form", [form for form in FORMATS if form != "table"])
def test_width_and_color_are_for_the_table_alone(form: str) -> None:
    """What programs read is the same on every terminal."""
    document = recommendation_document(PROFILE)

    assert render(document, form) == render(document, form, width=20, color=True)


@pytest.mark.parametrize("form", FORMATS)
@given(hostile=st.text(st.characters(), min_size=1))
def test_no_format_lets_a_foreign_text_through(form: str, hostile: str) -> None:
    """Wherever it stands in a document, a text can be written and steers no terminal."""
    column = Column(hostile)
    document = Document(
        tables=(Table(columns=(column,), rows=((hostile,),), title=hostile),),
        records=Records(("text",), ({"text": hostile},)),
        value=Notice(code=hostile, message=hostile, advice=hostile),
        head=(hostile,),
        notes=(hostile,),
        foot=(hostile,),
        answer=(hostile,),
        findings=(replace(DRIFTED, subject=hostile, message=hostile, path=hostile),),
    )
    text = render(document, form)

    assert text.encode().decode() == text
    assert [] == [c for c in text if not (c.isprintable() or c == "\n")]
    assert "##[" not in text


def test_the_json_of_a_profile_is_its_file() -> None:
    """A profile's JSON has every field of the schema, in order, with figures in full."""
    assert PROFILE_FILE.read_text("utf-8") == render(recommendation_document(PROFILE), "json")
    unreachable = solve_again(PROFILE, 0.0005)
    printed = render(recommendation_document(unreachable, solved_again=True), "json")
    assert unreachable == from_json(printed.encode(), name="printed")

"""Tables as they are published: every delimiter, header and unit that people use."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashcost.core.errors import HashcostError, UnreadableInputError
from hashcost.sweep.published.table import Measured, PublishedTable, read_table


def read(text: str) -> PublishedTable:
    """The table of a file called t.csv."""
    return read_table(text, name="t.csv")


@pytest.mark.parametrize(
    "text",
    [
        "cost,seconds\n100001,0.064842\n200001,0.129587\n",
        "rounds;real (s)\n100001;0,064842\n200001;0,129587\n",
        "iterations\ttime_ms\n100001\t64.842\n200001\t129.587\n",
        "| n | CPU [ms] |\n|---:|---|\n| 100 001 | 64.842 |\n| 200 001 | 129.587 |\n",
        "\ufeffCost;Seconds\r\n# measured in 2018\r\n\r\n100'001;0.064842\r\n200,001;0.129587\r\n",
        "iterations,time\n100001,64.842ms\n200001,0.129587 s\n",
        "seconds,user seconds,cost\n0.064842,9,100001\n0.129587,9,200001\n",
        "100001,0.064842\n200001,0.129587\n",
        "cost seconds\n100001 0.064842\n200001 0.129587\n",
        "iterations;µs\n100_001;64842\n200_001;129587\n",
    ],
)
def test_tables_are_read(text: str) -> None:
    """Commas, semicolons, tabs, bars and spaces, decimal commas, grouped digits, comments
    and units in the header or the cell make no difference.
    """
    first, second = read(text).rows

    assert (100001, 200001) == (first.cost, second.cost)
    assert (first.seconds, second.seconds) == pytest.approx((0.064842, 0.129587))


def test_columns_are_named() -> None:
    """The columns that were read are told, and whether there was a header at all."""
    table = read("Rounds,Wall time (ms),CPU time (ms)\n1000,9,2\n")

    assert ("Rounds", "CPU time (ms)", True) == (
        table.cost_column,
        table.time_column,
        table.headed,
    )
    assert not read("1000,2\n").headed


def test_a_sweep_is_a_table() -> None:
    """Of a sweep's CSV the rows that were measured are taken, each with its hasher."""
    text = (
        "hasher,implementation,cost,status,time_seconds,low_seconds\n"
        "bcrypt,bcrypt,6,measured,0.004,0.003\n"
        "bcrypt,bcrypt,20,predicted,64,\n"
    )

    assert (Measured(cost=6, seconds=0.004, hasher="bcrypt"),) == read(text).rows


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "t.csv is empty"),
        ("# only this\n", "t.csv is empty"),
        ("name,colour\nx,red\n", "no column for the cost"),
        ("rounds,colour\n1,red\n", "no column for the time"),
        ("cost,time\n1000,40\n", "t.csv:2: '40' has no unit"),
        ("cost,seconds\n1000,soon\n", "t.csv:2: 'soon' is not a time"),
        (
            "cost,seconds\n1000,-1\n",
            "t.csv:2: '-1' is not a time above zero; write for example 40ms",
        ),
        (
            "cost,seconds\n1000,nan\n",
            "t.csv:2: 'nan' is not a time above zero; write for example 40ms",
        ),
        (
            "cost,seconds\n1000,5e-324\n",
            "t.csv:2: '5e-324' is not a plausible time; write for example 40ms",
        ),
        (
            "cost,seconds\n1000,1e308\n",
            "t.csv:2: '1e308' is not a plausible time; write for example 40ms",
        ),
        ("cost,seconds\n\n0,1\n", "t.csv:3: '0' is not a cost; write a whole number above zero"),
        ("cost,seconds\n1.5,1\n", "t.csv:2: '1.5' is not a cost; write a whole number above zero"),
        ("cost,seconds\n1000\n", "t.csv:2: too few columns; add the missing value"),
        ("cost,seconds,status\n11,0.12\n", "t.csv:2: too few columns; add the missing value"),
        ("cost,seconds,hasher\n11,0.12\n", "t.csv:2: too few columns; add the missing value"),
        ("cost,seconds\n11," + "1" * 131_073 + "\n", "t.csv:2: it cannot be read: field larger"),
    ],
)
def test_what_is_no_table_is_refused(text: str, message: str) -> None:
    """A table that cannot be read is refused with its line and the reason."""
    with pytest.raises(UnreadableInputError) as caught:
        read(text)

    assert message in str(caught.value)


@given(
    text=st.text(max_size=200)
    | st.text(alphabet="0123456789.,;|-: costmsecd\n\t", max_size=200)
    | st.lists(
        st.lists(
            st.sampled_from(("cost", "seconds", "status", "hasher", "measured", "11", "0.5", "")),
            max_size=4,
        ).map(",".join),
        max_size=4,
    ).map("\n".join)
)
def test_any_text_is_read_or_refused(text: str) -> None:
    """Whatever the text, it is a table of costs and times above zero, or is refused."""
    with contextlib.suppress(HashcostError):
        assert all(row.cost > 0 and row.seconds > 0 for row in read(text).rows)

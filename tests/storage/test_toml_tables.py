"""What is said of a table that holds something else."""

import msgspec
import pytest

from corpora import table
from hashcost.storage.toml_tables import comments_in_toml, mistake, table_of

WANTED = {"name": 'text, such as "a"', "inner": "a table", "many": "a list", "params": "numbers"}


class _Inner(msgspec.Struct, forbid_unknown_fields=True):
    name: str
    params: dict[str, int] = {}


class _Outer(msgspec.Struct, forbid_unknown_fields=True):
    name: str
    inner: _Inner | None = None
    many: tuple[_Inner, ...] = ()


@table("table, said")
def test_a_mistake_says_what_to_write(table: object, said: str) -> None:
    """The key is named with what belongs there, wherever in the table it is."""
    with pytest.raises(msgspec.ValidationError) as refused:
        msgspec.convert(table, _Outer)

    assert said == mistake(refused.value, WANTED)


def test_a_mistake_quotes_the_beginning_of_a_long_key() -> None:
    """A message fits a line, whatever the file holds, and ends with the place."""
    header = f"[{'k' * 100_000}]\n"
    with pytest.raises(
        ValueError, match=r"^not TOML: Cannot declare \('k+ \(at line 2, "
    ) as refused:
        table_of((header * 2).encode())
    assert len(str(refused.value)) < 150


def test_a_byte_order_mark_is_no_part_of_a_table() -> None:
    """A file that an editor began with a byte order mark is TOML all the same."""
    assert {"a": 1} == table_of(b"\xef\xbb\xbfa = 1\n")


def test_a_waiver_is_read_where_it_stands() -> None:
    """Every comment that begins as a waiver is one, with its line; a text that looks like one is
    a value. A comment on lines of its own is about what follows it, and one behind a value is
    about that value.
    """
    comments = comments_in_toml(
        '\na = "# hashcost: accept no until never"\n'
        "b = 1  # hashcost: accept behind\n"
        'c = """\n# hashcost: accept text\n"""\n'
        "# hashcost: accept above\n"
        "# because of that\n"
        "d = 2\n"
        "e = 3\n"
    )

    assert [(3, "behind"), (7, "above")] == [(one.line, one.said) for one in comments.waivers]
    about = {
        comment.said: [line for line in range(1, 12) if comments.is_about(comment.line, line)]
        for comment in comments.waivers
    }
    assert {"behind": [3], "above": [7, 8, 9]} == about

"""What is said of a table that holds something else."""

import msgspec
import pytest

from corpora import table
from hashcost.storage.toml_tables import mistake, table_of

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


def test_a_byte_order_mark_is_no_part_of_a_table() -> None:
    """A file that an editor began with a byte order mark is TOML all the same."""
    assert {"a": 1} == table_of(b"\xef\xbb\xbfa = 1\n")

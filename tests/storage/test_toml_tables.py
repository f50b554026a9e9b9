"""What is said of a table that holds something else."""

import msgspec
import pytest

from corpora import table
from hashcost.storage.toml_tables import mistake

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

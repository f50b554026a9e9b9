"""What is said of a name that is no hasher's."""

import pytest

from hashcost.core.errors import UnknownNameError
from hashcost.hashers.registry import candidates, select


def test_a_name_that_is_near_none_is_told_where_the_names_are() -> None:
    """The whole message, as it is shown: the name, and the command that lists the hashers."""
    with pytest.raises(UnknownNameError) as caught:
        select(["zzzz"], every_implementation=False, available=candidates())

    listed = "unknown hasher 'zzzz'; `calibrate list hashers` lists them"
    assert listed == str(caught.value)

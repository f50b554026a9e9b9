"""What the README and docs/ show can be pasted where the wheel is installed."""

from pathlib import Path

import pytest

from end_to_end.pasted import RUN, Reader
from installed.user import AS_USER, environment_of, give_to_user


@pytest.mark.parametrize("page", RUN)
def test_blocks_can_be_pasted(page: str, home: Path) -> None:
    """The blocks of a page run in their order for a user who has the wheel with all extras and
    an empty home.
    """
    reader = Reader(page, home, environment_of("all", home), AS_USER)
    reader.settle()
    give_to_user(home)

    assert [] == reader.paste_all()

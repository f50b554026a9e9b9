"""What a template fills in is no value."""

from corpora import table
from hashcost.apps.interface import Flaw
from hashcost.apps.registry import load_tunable
from hashcost.core.errors import UntoldError


@table("app, text")
def test_a_placeholder_is_no_value(app: str, text: str) -> None:
    """A line that a template fills in makes the cost unknown, whatever it reads like."""
    try:
        flaws = [cost.flaw for cost in load_tunable(app).read(text)]
    except UntoldError:
        return
    assert [Flaw.UNKNOWN] == flaws

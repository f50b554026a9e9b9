"""What a template fills in is no value."""

import pytest

from hashcost.apps.interface import Flaw
from hashcost.apps.registry import load_tunable
from hashcost.core.errors import UntoldError


@pytest.mark.parametrize(
    ("app", "text"),
    [
        ("login-defs", "ENCRYPT_METHOD {{ algorithm | upper }}\n"),
        ("pam-unix", "password sufficient pam_unix.so sha512 shadow rounds={{ rounds }}\n"),
        ("gitea", "[security]\nPASSWORD_HASH_ALGO = pbkdf2$<%= @rounds %>$50\n"),
    ],
)
def test_a_placeholder_is_no_value(app: str, text: str) -> None:
    """A line that a template fills in makes the cost unknown, whatever it reads like."""
    try:
        flaws = [cost.flaw for cost in load_tunable(app).read(text)]
    except UntoldError:
        return
    assert [Flaw.UNKNOWN] == flaws

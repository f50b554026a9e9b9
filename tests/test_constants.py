"""Each constant of the estimate and of the plan decides something that a test notices."""

from tools.constants import NOTICING, constants


def test_every_constant_names_its_tests() -> None:
    """A constant without a test that needs it goes; `tests.tools.constants` tries them."""
    assert sorted(NOTICING) == sorted(name for name, _ in constants())

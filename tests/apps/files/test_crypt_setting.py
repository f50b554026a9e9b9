"""What a setting makes crypt(3) hash with."""

from __future__ import annotations

import pytest

from hashcost.apps.files.crypt_setting import of_setting
from hashcost.apps.interface import Flaw
from hashcost.core.measurement import Params


@pytest.mark.parametrize(
    ("setting", "hasher", "params"),
    [
        ("$2y$07$", "bcrypt", {"cost": 7}),
        ("$6$rounds=50000$%.16s", "sha512-crypt", {"rounds": 50000}),
        ("$5$salt", "sha256-crypt", {"rounds": 5000}),
        ("$6$rounds=10$", "sha512-crypt", {"rounds": 1000}),
    ],
)
def test_a_setting_tells_method_and_cost(setting: str, hasher: str, params: Params) -> None:
    """The method comes first, and the count as crypt(3) takes it."""
    found = of_setting(setting, 1)
    assert (found.hasher, found.params) == (hasher, params)


@pytest.mark.parametrize(
    ("setting", "flaw"),
    [("$1$", Flaw.UNSUITABLE), ("ab", Flaw.UNSUITABLE), ("$gy$j9T$", Flaw.UNKNOWN)],
)
def test_a_setting_without_a_cost(setting: str, flaw: Flaw) -> None:
    """MD5 and DES are unfit, and another method is not known."""
    assert of_setting(setting, 1).flaw is flaw

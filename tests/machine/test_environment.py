"""The variables that programs started here are given."""

from __future__ import annotations

import pytest

from hashcost.machine.environment import child_environment
from hashcost.runtimes.table import RUNTIMES

_SECRETS = ("HASHCOST_DATABASE", "NODE_AUTH_TOKEN", "AWS_SECRET_ACCESS_KEY", "DATABASE_URL")


@pytest.mark.parametrize("name", [name for name in RUNTIMES if name != "program"])
def test_a_runtime_gets_what_it_reads(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Libraries of a project see no password and no token, but all that sets the speed."""
    own = RUNTIMES[name].variables
    assert own
    for variable in (*_SECRETS, *own, "LD_PRELOAD", "OPENSSL_ia32cap", "LC_ALL", "RBENV_ROOT"):
        monkeypatch.setenv(variable, "value")
    given = child_environment(own)
    assert {"PATH", "LD_PRELOAD", "OPENSSL_ia32cap", "LC_ALL", "RBENV_ROOT", *own} <= given.keys()
    assert not given.keys() & {*_SECRETS}

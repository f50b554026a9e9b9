"""The variables that programs started here are given."""

import ast
import re
from pathlib import Path

import pytest

import hashcost
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


def test_no_program_inherits_everything() -> None:
    """Wherever one is started, its environment is said: ours may hold a database's password."""
    sources = [*Path(hashcost.__file__).parent.rglob("*.py")]
    calls = [
        (path.name, node.lineno, {keyword.arg for keyword in node.keywords})
        for path in sources
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Call) and re.fullmatch(r"subprocess\.\w+", ast.unparse(node.func))
    ]
    assert len(calls) > 4
    assert [] == [(name, line) for name, line, given in calls if "env" not in given]

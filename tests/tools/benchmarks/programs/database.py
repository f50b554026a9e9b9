"""A PostgreSQL server that hashes passwords itself, or lets a client log in by SCRAM."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import psycopg

from postgresql import binaries, server

from .libpq import secret
from .process import AbsentProgramError, Program, clock_of


@contextmanager
def _running() -> Iterator[str]:
    if binaries() is None:
        raise AbsentProgramError("no PostgreSQL server is installed here")
    with server() as url:
        yield url.replace("postgresql+psycopg://", "postgresql://")


class HashingServer:
    """A backend that is given hashes to store; its own CPU time counts.

    It hashes once for each, with that one's iterations, to see that the password is not
    empty. So it can be told the iterations in releases before 16, too.
    """

    def __init__(self) -> None:
        self._open = ExitStack()
        url = self._open.enter_context(_running())
        self._connection = self._open.enter_context(psycopg.connect(url, autocommit=True))
        self._connection.execute("CREATE ROLE scram_probe LOGIN")

    def cpu_seconds(self, request: str) -> float:
        """What hashing takes."""
        asked = json.loads(request)
        stored = secret(asked["params"]["iterations"])
        pid = self._connection.info.backend_pid
        start = clock_of(pid)
        self._connection.execute(
            f"DO $$ BEGIN FOR i IN 1..{asked['times']} LOOP"
            f" ALTER ROLE scram_probe PASSWORD '{stored}'; END LOOP; END $$"
        )
        return clock_of(pid) - start

    def close(self) -> None:
        """End the server."""
        self._open.close()


class Client(Program):
    """A libpq that logs in to a server of its own; the client's CPU time counts."""

    def __init__(self, implementation: str) -> None:
        self._server = ExitStack()
        url = self._server.enter_context(_running())
        with psycopg.connect(url) as owner:
            owner.execute("CREATE ROLE scram_probe LOGIN")
            (rules,) = owner.execute("SHOW hba_file").fetchone() or ("",)
            path = Path(rules)
            first = "local all scram_probe scram-sha-256\n"
            path.write_text(first + path.read_text("utf-8"), "utf-8")
            owner.execute("SELECT pg_reload_conf()")
        super().__init__(
            [sys.executable, "-m", f"{__package__}.libpq", url],
            {**os.environ, "PSYCOPG_IMPL": implementation},
        )

    def close(self) -> None:
        """End both."""
        super().close()
        self._server.close()

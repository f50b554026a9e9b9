"""Logs in to a PostgreSQL server of its own, whose client hashes the password by SCRAM."""

import base64
import hashlib
import hmac
import sys
from contextlib import ExitStack
from typing import Final

import psycopg

from postgresql import binaries, server

from .answering import PASSWORD, SALT
from .process import AbsentProgramError, Command

_CLIENTS: Final = {
    "psql": ("psql", "--no-psqlrc", "--quiet", "--command="),
    "psycopg": (sys.executable, "-c", "import psycopg, sys; psycopg.connect(sys.argv[1]).close()"),
}


class Login(Command):
    """A client; what it takes to log in without a password does not count."""

    def __init__(self, client: str, iterations: int) -> None:
        if binaries() is None:
            raise AbsentProgramError("no PostgreSQL server is installed here")
        self._open = ExitStack()
        url = self._open.enter_context(server(rules="local all probe scram-sha-256\n"))
        url = url.replace("+psycopg", "")
        with psycopg.connect(url) as owner:
            owner.execute(f"CREATE ROLE probe LOGIN PASSWORD '{_secret(iterations)}'")
        probe = url.replace("owner@", f"probe:{PASSWORD}@")
        super().__init__((*_CLIENTS[client], probe), (*_CLIENTS[client], url))

    def close(self) -> None:
        """End the server."""
        self._open.close()


def _secret(iterations: int) -> str:
    # Servers before 16 can only be told the iterations by the secret.
    salted = hashlib.pbkdf2_hmac("sha256", PASSWORD.encode(), SALT.encode(), iterations)
    client, key = (
        hmac.digest(salted, b"%s Key" % who, "sha256") for who in (b"Client", b"Server")
    )
    parts = (SALT.encode(), hashlib.sha256(client).digest(), key)
    salt, stored, own = (base64.b64encode(part).decode() for part in parts)
    return f"SCRAM-SHA-256${iterations}:{salt}${stored}:{own}"

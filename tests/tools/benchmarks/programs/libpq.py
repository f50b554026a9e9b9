"""Logs in to a PostgreSQL server, by SCRAM, with the libpq that PSYCOPG_IMPL chooses.

``python -m … URL``: the server lets ``scram_probe`` in by SCRAM and the URL's user anyhow.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import sys
from collections.abc import Callable, Mapping
from functools import cache

import psycopg

from .answering import PASSWORD, SALT, serve


def secret(iterations: int) -> str:
    """What a server stores of the password."""
    salted = hashlib.pbkdf2_hmac("sha256", PASSWORD.encode(), SALT.encode(), iterations)
    client = hmac.digest(salted, b"Client Key", "sha256")
    stored = hashlib.sha256(client).digest()
    server = hmac.digest(salted, b"Server Key", "sha256")
    salt, stored_key, server_key = (
        base64.b64encode(part).decode() for part in (SALT.encode(), stored, server)
    )
    return f"SCRAM-SHA-256${iterations}:{salt}${stored_key}:{server_key}"


def ready(hasher: str, params: Mapping[str, int]) -> Callable[[], object]:
    """One login."""
    login = psycopg.conninfo.make_conninfo(_URL, user="scram_probe", password=PASSWORD)

    @cache
    def store() -> None:
        with psycopg.connect(_URL) as owner:
            owner.execute(f"ALTER ROLE scram_probe PASSWORD '{secret(params['iterations'])}'")

    def log_in() -> None:
        store()
        psycopg.connect(login).close()

    return log_in


if __name__ == "__main__":
    _URL = sys.argv[1]
    serve(ready)

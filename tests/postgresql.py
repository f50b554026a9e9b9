"""A PostgreSQL server of the tests' own, where one is installed."""

import contextlib
import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

_USERS: Final = ("postgres", "nobody")
"""Who runs the server where the tests run as root, whom it refuses."""


def binaries() -> Path | None:
    """The folder that has the server; none where it is not installed."""
    program = shutil.which("pg_ctl")
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    candidates = [*([Path(program).resolve().parent] if program else []), *folders[::-1]]
    return next((folder for folder in candidates if (folder / "initdb").is_file()), None)


@contextlib.contextmanager
def server(settings: str = "", rules: str = "") -> Iterator[str]:
    """The URL of a new, empty database over a socket in a folder that is removed afterwards.

    ``settings`` are lines of postgresql.conf, ``rules`` lines of pg_hba.conf that come first.
    """
    folder = binaries()
    if folder is None:
        pytest.skip("no PostgreSQL server is installed here")
    user: dict[str, Any] = {}
    home = Path(tempfile.mkdtemp(prefix="hc-"))
    try:
        if os.geteuid() == 0:
            users = {entry.pw_name for entry in pwd.getpwall()}
            name = next((name for name in _USERS if name in users), None)
            if name is None:
                pytest.skip("the tests run as root, as whom PostgreSQL does not start")
            shutil.chown(home, name)
            user = {"user": name, "group": pwd.getpwnam(name).pw_gid, "extra_groups": []}

        def run(program: str, *arguments: str) -> None:
            subprocess.run(
                [str(folder / program), "--pgdata", str(home / "data"), *arguments],
                check=True,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd=home,
                timeout=120,
                env={"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"},
                **user,
            )

        run("initdb", "--username=owner", "--auth=trust", "--no-sync", "--encoding=UTF8")
        for file, text in (("postgresql.conf", settings), ("pg_hba.conf", rules)):
            path = home / "data" / file
            path.write_text(text + path.read_text("utf-8"), "utf-8")
        options = f"-c listen_addresses='' -c unix_socket_directories='{home}' -c fsync=off"
        run("pg_ctl", "start", "--wait", "--log", str(home / "log"), "--options", options)
        try:
            yield f"postgresql+psycopg://owner@/postgres?host={home}"
        finally:
            run("pg_ctl", "stop", "--mode=immediate")
    finally:
        shutil.rmtree(home, ignore_errors=True)

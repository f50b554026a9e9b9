"""Logs a user in through pam_unix, who exists only in this process's view of the files.

Run it as root in a mount namespace of its own: ``unshare --mount python -m …``.
"""

from __future__ import annotations

import ctypes
import subprocess
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from .answering import PASSWORD, serve

_USER: Final = b"hashcost-probe"
_PREFIX: Final = {
    "sha512-crypt": "$6$",
    "sha256-crypt": "$5$",
    "bcrypt": "$2b$",
    "yescrypt": "$y$",
}
_STACK: Final = "auth required pam_unix.so\naccount required pam_unix.so\n"


class _Response(ctypes.Structure):
    _fields_ = (("text", ctypes.c_void_p), ("code", ctypes.c_int))


_CONVERSE: Final = ctypes.CFUNCTYPE(
    ctypes.c_int,
    ctypes.c_int,
    ctypes.c_void_p,
    ctypes.POINTER(ctypes.POINTER(_Response)),
    ctypes.c_void_p,
)


class _Conversation(ctypes.Structure):
    _fields_ = (("converse", _CONVERSE), ("data", ctypes.c_void_p))


def _tell_password(count: int, _asked: Any, responses: Any, _data: Any) -> int:
    """Give the password for every question; PAM frees what it is given."""
    libc = ctypes.CDLL(None)
    libc.calloc.restype = ctypes.c_void_p
    libc.strdup.restype = ctypes.c_void_p
    given = libc.calloc(count, ctypes.sizeof(_Response))
    responses[0] = ctypes.cast(given, ctypes.POINTER(_Response))
    for index in range(count):
        responses[0][index].text = libc.strdup(PASSWORD.encode())
    return 0


class Login:
    """One user of a folder's own, logged in by libpam."""

    def __init__(self, folder: Path) -> None:
        self._files = {name: folder / name for name in ("passwd", "shadow")}
        for name, file in self._files.items():
            file.write_bytes(Path("/etc", name).read_bytes())
            subprocess.run(["mount", "--bind", file, f"/etc/{name}"], check=True)
        with self._files["passwd"].open("a", encoding="utf-8") as passwd:
            passwd.write(f"{_USER.decode()}:x:64999:64999::/:/bin/false\n")
        self._others = self._files["shadow"].read_text("utf-8")
        folder.joinpath("probe").write_text(_STACK, "utf-8")
        self._pam = ctypes.CDLL("libpam.so.0")
        self._crypt = ctypes.CDLL("libcrypt.so.1")
        self._crypt.crypt.restype = ctypes.c_char_p
        self._crypt.crypt_gensalt.restype = ctypes.c_char_p
        self._crypt.crypt_gensalt.argtypes = (
            ctypes.c_char_p,
            ctypes.c_ulong,
            ctypes.c_char_p,
            ctypes.c_int,
        )
        self._handle = ctypes.c_void_p()
        self._told = _Conversation(_CONVERSE(_tell_password), None)
        self._stored: str | None = None
        started = self._pam.pam_start_confdir(
            b"probe",
            _USER,
            ctypes.byref(self._told),
            str(folder).encode(),
            ctypes.byref(self._handle),
        )
        if started != 0:
            raise SystemExit("libpam does not start")

    def ready(self, hasher: str, params: Mapping[str, int]) -> Callable[[], object]:
        """One login of the user with a stored hash of this cost."""
        (cost,) = params.values()
        salt = self._crypt.crypt_gensalt(_PREFIX[hasher].encode(), cost, bytes(range(16)), 16)
        stored = self._crypt.crypt(PASSWORD.encode(), salt).decode()

        def log_in() -> None:
            if self._stored != stored:
                line = f"{_USER.decode()}:{stored}:20000:0:99999:7:::\n"
                self._files["shadow"].write_text(self._others + line, "utf-8")
                self._stored = stored
            if self._pam.pam_authenticate(self._handle, 0) != 0:
                raise SystemExit("pam_unix does not let the user in")

        return log_in


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        serve(Login(Path(folder)).ready)

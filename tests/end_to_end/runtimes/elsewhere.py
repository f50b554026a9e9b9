"""Other places on this machine: an ssh server on loopback, and a control group with a quota."""

import contextlib
import getpass
import itertools
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from end_to_end.real_programs import AbsentError, command

_START_SECONDS: Final = 10
_GROUPS: Final = (
    ("/sys/fs/cgroup/cpu", {"cpu.cfs_quota_us": "{quota}", "cpu.shares": "262144"}),
    ("/sys/fs/cgroup", {"cpu.max": "{quota} 100000", "cpu.weight": "10000"}),
)
"""The files of version 1 and version 2: the quota for a period of 100 ms, and the highest weight,
so that only the quota keeps the group from running."""
_NUMBERS: Final = itertools.count()


@contextlib.contextmanager
def ssh_on_loopback(folder: Path) -> Iterator[str]:
    """An ssh to a server of its own, with keys of its own in this folder.

    Raises:
        AbsentError: there is no server, or it does not start.
    """
    sshd = command("sshd")
    if shutil.which("ssh") is None:
        raise AbsentError("ssh is absent; install it with `apt-get install openssh-client`")
    for name in ("host", "user"):
        subprocess.run(
            ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", folder / name], check=True
        )
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    (folder / "sshd_config").write_text(
        f"Port {port}\nListenAddress 127.0.0.1\nHostKey {folder}/host\nPidFile none\n"
        f"AuthorizedKeysFile {folder}/user.pub\nStrictModes no\nUsePAM no\n"
        "PasswordAuthentication no\nKbdInteractiveAuthentication no\n"
    )
    (folder / "ssh_config").write_text(
        f"Host box\n HostName 127.0.0.1\n Port {port}\n User {getpass.getuser()}\n"
        f" IdentityFile {folder}/user\n IdentitiesOnly yes\n BatchMode yes\n"
        f" StrictHostKeyChecking no\n UserKnownHostsFile {folder}/known\n LogLevel ERROR\n"
    )
    if os.geteuid() == 0:
        Path("/run/sshd").mkdir(exist_ok=True)  # Debian's sshd wants it there.
    server = subprocess.Popen([sshd, "-D", "-e", "-f", folder / "sshd_config"], stderr=-3)
    try:
        _wait_for(port, server)
        yield f"ssh -F {folder}/ssh_config box"
    finally:
        server.kill()
        server.wait()


def _wait_for(port: int, server: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + _START_SECONDS
    while time.monotonic() < deadline and server.poll() is None:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.02)
    raise AbsentError("sshd does not start here")


@contextlib.contextmanager
def under_quota(cpus: float, folder: Path) -> Iterator[str]:
    """A command that runs another in a control group which may use so many CPUs.

    Raises:
        AbsentError: no control group can be made here.
    """
    name = f"hashcost-{os.getpid()}-{next(_NUMBERS)}"
    for root, files in _GROUPS:
        group = Path(root, name)
        try:
            group.mkdir()
        except OSError:
            continue
        try:
            if all((group / file).exists() for file in files):
                for file, text in files.items():
                    (group / file).write_text(text.format(quota=round(cpus * 100_000)))
                prefix = folder / "under-quota"
                prefix.write_text(f'#!/bin/sh\necho $$ >{group}/cgroup.procs\nexec "$@"\n')
                prefix.chmod(0o755)
                yield str(prefix)
                return
        finally:
            _remove(group)
    raise AbsentError("no control group with a CPU quota can be made here")


def _remove(group: Path) -> None:
    """Remove a group once the last process in it has ended."""
    for _ in range(50):
        with contextlib.suppress(OSError):
            group.rmdir()
        if not group.exists():
            return
        time.sleep(0.05)

"""Other places on this machine: an ssh server on loopback, a control group with a quota, and a
container.
"""

from __future__ import annotations

import contextlib
import getpass
import io
import itertools
import os
import shutil
import socket
import subprocess
import tarfile
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from end_to_end.runtimes.projects import AbsentError, command

_START_SECONDS: Final = 10
_GROUPS: Final = (
    ("/sys/fs/cgroup/cpu", "cpu.cfs_quota_us", "{quota}"),
    ("/sys/fs/cgroup", "cpu.max", "{quota} 100000"),
)
"""Where version 1 and version 2 keep the quota, for a period of 100 ms."""
_DAEMON_SECONDS: Final = 30
_WITHOUT_NETWORK: Final = (
    "--bridge=none",
    "--iptables=false",
    "--ip6tables=false",
    "--ip-forward=false",
)
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
    for root, file, text in _GROUPS:
        group = Path(root, name)
        try:
            group.mkdir()
        except OSError:
            continue
        try:
            if (group / file).exists():
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


@dataclass(frozen=True)
class Container:
    """A container that runs, and the docker that reaches it."""

    docker: tuple[str, ...]
    name: str

    @property
    def prefix(self) -> str:
        """What runs a shell in it."""
        return " ".join((*self.docker, "exec", "-i", self.name))

    def run(self, *command: str) -> str:
        """What a command writes in it."""
        return _told(*self.docker, "exec", self.name, *command)

    def processes(self) -> list[str]:
        """What runs in it, beside its first process."""
        lines = _told(*self.docker, "top", self.name, "-o", "pid,args").splitlines()
        return [each for each in lines[1:] if "sleep infinity" not in each]


@contextlib.contextmanager
def container(cpus: float, memory: str) -> Iterator[Container]:
    """A container of so much, without a network, which runs this machine's programs.

    Raises:
        AbsentError: there is no docker, or its daemon does not start.
    """
    if not Path("/bin").is_symlink():
        raise AbsentError("programs lie beyond /usr here, so an image of them would be large")
    with _docker() as docker:
        image = _told(*docker, "import", "-", given=_root()).strip()
        try:
            limits = (f"--cpus={cpus}", f"--memory={memory}", "--network=none", "--init=false")
            # Debian keeps links to programs, and what Java reads when it starts, in /etc.
            shown = [Path("/usr"), *Path("/etc").glob("alternatives"), *Path("/etc").glob("java*")]
            programs = [f"--volume={each}:{each}:ro" for each in shown]
            started = (*docker, "run", "--detach", *limits, *programs)
            name = _told(*started, image, "sleep", "infinity").strip()[:12]
            try:
                yield Container(docker, name)
            finally:
                _told(*docker, "rm", "--force", name)
        finally:
            _told(*docker, "rmi", "--force", image)


def _root() -> bytes:
    """The root of a file system whose programs are mounted."""
    written = io.BytesIO()
    with tarfile.open(fileobj=written, mode="w") as archive:
        for name in ("bin", "sbin", "lib", "lib64"):
            link = tarfile.TarInfo(name)
            link.type, link.linkname = tarfile.SYMTYPE, f"usr/{name}"
            archive.addfile(link)
        for name in ("usr", "etc", "tmp", "proc", "sys", "dev"):
            folder = tarfile.TarInfo(name)
            folder.type, folder.mode = tarfile.DIRTYPE, 0o1777 if name == "tmp" else 0o755
            archive.addfile(folder)
    return written.getvalue()


@contextlib.contextmanager
def _docker() -> Iterator[tuple[str, ...]]:
    """The docker of this machine, or one with a daemon of its own."""
    docker = command("docker")
    if _works(docker):
        yield (docker,)
        return
    if os.geteuid() != 0:
        raise AbsentError("no docker daemon runs here, and only root can start one")
    with tempfile.TemporaryDirectory(prefix="hashcost-", ignore_cleanup_errors=True) as name:
        host = f"unix://{name}/socket"
        folders = [f"--{what}={name}/{what}" for what in ("data-root", "exec-root", "pidfile")]
        daemon = subprocess.Popen(
            [command("dockerd"), "--host", host, *folders, *_WITHOUT_NETWORK],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            deadline = time.monotonic() + _DAEMON_SECONDS
            while not _works(docker, "--host", host):
                if time.monotonic() > deadline or daemon.poll() is not None:
                    raise AbsentError("dockerd does not start here")
                time.sleep(0.1)
            yield (docker, "--host", host)
        finally:
            daemon.terminate()
            daemon.wait()
            _ran("umount", f"{name}/exec-root/netns/default")


def _works(*docker: str) -> bool:
    told = _ran(*docker, "info", "--format", "{{.ServerVersion}}")
    return told.returncode == 0 and bool(told.stdout.strip())


def _told(*command: str, given: bytes | None = None) -> str:
    ended = _ran(*command, given=given)
    if ended.returncode:
        raise AbsentError(f"{' '.join(command[:2])}: {ended.stderr.decode().strip()}")
    return ended.stdout.decode()


def _ran(*command: str, given: bytes | None = None) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(command, input=given, capture_output=True, check=False)

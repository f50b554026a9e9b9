"""A small fleet on this machine: an sshd to a host, each in namespaces of its own.

A host has its own network, name, process ids, ``/etc``, home and machine id, so that what is
done to one is not seen on another. They share the kernel, the CPUs and all other files.
"""

import contextlib
import getpass
import os
import shlex
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from end_to_end.real_programs import AbsentError, command
from end_to_end.runtimes.elsewhere import under_quota

PORT: Final = 2222
_START_SECONDS: Final = 10
_WITHOUT_SHA_NI: Final = {"OPENSSL_ia32cap": ":~0x20000000"}
_SYSTEM_PATH: Final = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_OLD: Final = ("3.8", "3.9", "3.10")
_BOOT: Final = """\
set -e
hostname {name}
mount --bind {folder}/etc /etc
exec {sshd} -D -e -f {folder}/sshd_config
"""


@dataclass(frozen=True, kw_only=True)
class Kind:
    """What makes a host unlike the others."""

    name: str
    cpus: float | None = None
    """The quota of its control group."""
    nice: int = 0
    old_python: bool = False
    """Whether its ``python3`` is the oldest on this machine that the probe and Ansible take."""
    environment: Mapping[str, str] = field(default_factory=dict)


FIVE: Final = (
    Kind(name="plain"),
    Kind(name="quota", cpus=0.7),
    Kind(name="no-sha-ni", environment=_WITHOUT_SHA_NI),
    Kind(name="old-python", old_python=True),
    Kind(name="nice", cpus=0.6, nice=10),
)


@dataclass(frozen=True, kw_only=True)
class FleetHost:
    """A host that answers on ssh."""

    kind: Kind
    name: str
    """Its host name, by which the fleet's ssh finds it too."""
    address: str
    folder: Path
    process: subprocess.Popen[bytes]

    @property
    def etc(self) -> Path:
        """Its ``/etc``, as it is seen from outside."""
        return self.folder / "etc"

    def kill(self) -> None:
        """Pull the plug: no process of the host lives on."""
        self.process.kill()
        self.process.wait()


@dataclass(frozen=True, kw_only=True)
class Fleet:
    """Hosts that answer, with the key that they all take."""

    folder: Path
    hosts: tuple[FleetHost, ...]
    user: str = field(default_factory=getpass.getuser)

    @property
    def prefix(self) -> str:
        """What runs a shell on ``{host}``."""
        return f"ssh -F {shlex.quote(str(self.folder / 'ssh_config'))} {{host}}"

    @property
    def inventory(self) -> str:
        """The hosts for Ansible, as INI, in the group ``web``."""
        options = f"-F {shlex.quote(str(self.folder / 'ssh_config'))}"
        lines = [
            f"{each.name} ansible_host={each.address} ansible_port={PORT}"
            f" ansible_user={self.user} ansible_ssh_private_key_file={self.folder}/user"
            f' ansible_ssh_common_args="{options}"'
            f" ansible_python_interpreter={self.python_on(each)}"
            for each in self.hosts
        ]
        return "\n".join(["[web]", *lines, ""])

    def named(self, name: str) -> FleetHost:
        """The host of this name."""
        return next(each for each in self.hosts if each.name == name)

    def run(self, host: FleetHost, script: str) -> str:
        """What a shell on a host writes."""
        words = [each.format(host=host.name) for each in shlex.split(self.prefix)]
        ended = subprocess.run(
            [*words, "sh"], input=script, capture_output=True, text=True, timeout=60, check=True
        )
        return ended.stdout

    def python_on(self, host: FleetHost) -> str:
        """The path of its ``python3``."""
        return shutil.which("python3", path=_path_of(host.kind)) or "python3"


@contextlib.contextmanager
def fleet(folder: Path, kinds: Sequence[Kind] = FIVE) -> Iterator[Fleet]:
    """Hosts of these kinds, which are gone afterwards with all that ran on them.

    Raises AbsentError where this machine cannot have them.
    """
    programs = {name: command(name) for name in ("ip", "sshd")}
    for name in ("ssh", "ssh-keygen", "unshare", "nsenter", "hostname"):
        if shutil.which(name) is None:
            raise AbsentError(f"{name} is absent")
    if os.geteuid() != 0:
        raise AbsentError("only root may make network namespaces")
    for name in ("host", "user"):
        subprocess.run(
            ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", folder / name], check=True
        )
    Path("/run/sshd").mkdir(exist_ok=True)  # Debian's sshd wants it there.
    with contextlib.ExitStack() as stack:
        hosts = [
            stack.enter_context(_host(kind, number, folder, programs))
            for number, kind in enumerate(kinds)
        ]
        found = Fleet(folder=folder, hosts=tuple(hosts))
        (found.folder / "ssh_config").write_text(_ssh_config(found))
        for each in hosts:
            _wait_for(each)
        yield found


def old_python() -> Path | None:
    """The oldest Python here from 3.8 on that is older than the one that runs the tests."""
    homes = [Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv") / "versions"]
    homes += [Path.home() / ".local/share/uv/python"]
    for version in _OLD:
        found = shutil.which(f"python{version}", path=_SYSTEM_PATH)
        paths = [Path(found)] if found else []
        paths += [path for home in homes for path in sorted(home.glob(f"*/bin/python{version}"))]
        for path in paths:
            tried = subprocess.run([path, "-c", "import ssl"], capture_output=True, check=False)
            if tried.returncode == 0:
                return path
    return None


def _path_of(kind: Kind) -> str:
    old = old_python() if kind.old_python else None
    return f"{old.parent}:{_SYSTEM_PATH}" if old else _SYSTEM_PATH


@contextlib.contextmanager
def _host(
    kind: Kind, number: int, shared: Path, programs: Mapping[str, str]
) -> Iterator[FleetHost]:
    folder = shared / kind.name
    folder.mkdir()
    shutil.copytree("/etc", folder / "etc", symlinks=True)
    (folder / "etc" / "machine-id").unlink(missing_ok=True)
    (folder / "etc" / "machine-id").write_text(f"{os.urandom(16).hex()}\n")
    _give_home(folder)
    # Users may not read the folder of root's tests, but their host's /etc.
    shutil.copy(shared / "user.pub", folder / "etc" / "fleet.pub")
    environment = {**kind.environment, "PATH": _path_of(kind)}
    (folder / "sshd_config").write_text(
        f"Port {PORT}\nHostKey {shared}/host\nPidFile none\nAuthorizedKeysFile /etc/fleet.pub\n"
        "PermitRootLogin yes\nStrictModes no\nUsePAM no\nPasswordAuthentication no\n"
        "KbdInteractiveAuthentication no\nMaxStartups 100\nSubsystem sftp internal-sftp\n"
        f"SetEnv {' '.join(f'{name}={value}' for name, value in environment.items())}\n"
    )
    boot = _BOOT.format(name=kind.name, folder=shlex.quote(str(folder)), sshd=programs["sshd"])
    with contextlib.ExitStack() as stack:
        space, address = stack.enter_context(_network(programs["ip"], number))
        prefix = ["nsenter", f"--net=/run/netns/{space}", "nice", "-n", str(kind.nice)]
        if kind.cpus is not None:
            prefix.append(stack.enter_context(under_quota(kind.cpus, folder)))
        # Whoever kills the first process of a namespace of process ids kills all in it.
        unshare = "unshare --uts --mount --pid --fork --kill-child --mount-proc sh -c"
        with (folder / "log").open("wb") as log:
            process = subprocess.Popen([*prefix, *unshare.split(), boot], stderr=log)
        host = FleetHost(
            kind=kind, name=kind.name, address=address, folder=folder, process=process
        )
        stack.callback(host.kill)
        yield host


def _give_home(folder: Path) -> None:
    """A home folder without the settings that this machine's user has for a shell."""
    (folder / "home").mkdir()
    passwd, user = folder / "etc" / "passwd", getpass.getuser()
    lines = [each.split(":") for each in passwd.read_text().splitlines()]
    lines = [
        [*each[:5], str(folder / "home"), "/bin/sh"] if each[0] == user else each for each in lines
    ]
    passwd.write_text("".join(f"{':'.join(each)}\n" for each in lines))


@contextlib.contextmanager
def _network(ip: str, number: int) -> Iterator[tuple[str, str]]:
    """A network namespace with one wire to this one: its name, and the address in there."""
    name = f"hc{os.getpid()}-{number}"
    # Of the addresses that RFC 2544 keeps for such tests, four for each host of this process.
    first = (os.getpid() * 64 + number) * 4 % (1 << 17)
    outside, inside = (
        f"198.{18 + (at >> 16)}.{at >> 8 & 255}.{at & 255}" for at in (first + 1, first + 2)
    )

    def run(*words: str) -> None:
        ended = subprocess.run([ip, *words], capture_output=True, text=True, check=False)
        if ended.returncode:
            raise AbsentError(f"ip {' '.join(words)}: {ended.stderr.strip()}")

    run("netns", "add", name)
    try:
        # Removing the namespace removes both ends of the wire.
        run("link", "add", f"{name}o", "type", "veth", "peer", "name", "eth0", "netns", name)
        run("address", "add", f"{outside}/30", "dev", f"{name}o")
        run("link", "set", f"{name}o", "up")
        run("-n", name, "address", "add", f"{inside}/30", "dev", "eth0")
        for device in ("lo", "eth0"):
            run("-n", name, "link", "set", device, "up")
        yield name, inside
    finally:
        subprocess.run([ip, "netns", "delete", name], capture_output=True, check=False)


def _ssh_config(found: Fleet) -> str:
    hosts = "".join(
        f"Host {each.name} {each.address}\n HostName {each.address}\n" for each in found.hosts
    )
    return (
        f"{hosts}Host *\n Port {PORT}\n User {found.user}\n IdentityFile {found.folder}/user\n"
        f" IdentitiesOnly yes\n BatchMode yes\n StrictHostKeyChecking no\n"
        f" UserKnownHostsFile {found.folder}/known\n LogLevel ERROR\n ConnectTimeout 5\n"
    )


def _wait_for(host: FleetHost) -> None:
    deadline = time.monotonic() + _START_SECONDS
    while time.monotonic() < deadline and host.process.poll() is None:
        with socket.socket() as probe:
            probe.settimeout(1)
            if probe.connect_ex((host.address, PORT)) == 0:
                return
        time.sleep(0.02)
    said = (host.folder / "log").read_text(errors="replace").strip()
    raise AbsentError(f"the host {host.name} does not start here: {said}")

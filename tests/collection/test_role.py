"""The role, on this machine as its host, which may lie."""

import contextlib
import os
import re
import shutil
import struct
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest

from collection import linked
from corpora import cases
from end_to_end.command import COMMAND
from end_to_end.fleet_hosts import PORT, Kind, fleet
from made_up import PROFILE_FILE

pytestmark = pytest.mark.slow

_PLAYBOOK: Final = cases(__file__, "role.toml", "playbook")
_ENV: Final = "SMTP_PASSWORD=hunter2\nPASSWORD_ITERATIONS=100000\n"
_ACL: Final = struct.pack("<I", 2) + b"".join(
    struct.pack("<HHI", tag, 6, 1000 if tag == 2 else 2**32 - 1) for tag in (1, 2, 4, 16, 32)
)
"""User 1000 may read and write."""
_LIAR: Final = cases(__file__, "role.toml", "liar")


def applied(
    folder: Path, files: str, *options: str, python: Path | str = sys.executable
) -> subprocess.CompletedProcess[str]:
    """A run of the role for these files on a host with this Python."""
    host = f"host1 ansible_connection=local ansible_python_interpreter={python}"
    return applied_on(folder, host, files, *options)


def applied_on(
    folder: Path, hosts: str, files: str, *options: str
) -> subprocess.CompletedProcess[str]:
    """A run of the role for these files on the hosts of an inventory."""
    programs = Path(sys.executable).parent
    if shutil.which("ansible-playbook", path=programs) is None:
        pytest.skip("ansible-core is absent")
    if not (folder / "collections").exists():
        linked(folder / "collections")
    (folder / "play.yml").write_text(_PLAYBOOK)
    (folder / "inventory").write_text(
        f"{hosts}\n"
        f"localhost ansible_connection=local ansible_python_interpreter={sys.executable}\n"
    )
    variables = (
        f"{{cost_decision: {PROFILE_FILE}, cost_calibrate: {COMMAND}, cost_files: [{files}]}}"
    )
    for name in ("home", "tmp"):
        (folder / name).mkdir(exist_ok=True)
    return subprocess.run(
        [programs / "ansible-playbook", "-i", "inventory", "play.yml", "-e", variables, *options],
        cwd=folder,
        env={
            **os.environ,
            "ANSIBLE_COLLECTIONS_PATH": str(folder / "collections"),
            "ANSIBLE_FORKS": "10",
            "HOME": str(folder / "home"),
            "TMPDIR": str(folder / "tmp"),
            "XDG_STATE_HOME": str(folder / "state"),
        },
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


def test_only_the_file_is_changed(tmp_path: Path) -> None:
    """Neither on the host nor on the controller a copy or a backup stays."""
    file = tmp_path / "etc/app.env"
    file.parent.mkdir()
    file.write_text(_ENV)
    file.chmod(0o640)
    ended = applied(tmp_path, f"{{app: vaultwarden, path: {file}}}")

    assert 0 == ended.returncode, ended.stdout
    assert "hunter2" not in ended.stdout + ended.stderr
    assert _ENV != file.read_text()
    assert 0o640 == file.stat().st_mode & 0o777
    assert [file] == [*file.parent.iterdir()]
    left = [path for path in tmp_path.rglob("*") if path.is_file() and path != file]
    assert not [path for path in left if b"hunter2" in path.read_bytes()]
    assert "changed=0" in applied(tmp_path, f"{{app: vaultwarden, path: {file}}}").stdout


@pytest.mark.parametrize("login", ["1000", "0"])
def test_a_file_that_would_change_hands_is_refused(
    tmp_path: Path, login: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another owner's file needs root, who keeps its group; neither would keep an ACL."""
    file, programs = tmp_path / "app.env", tmp_path / "bin"
    file.write_text(_ENV)
    programs.mkdir()
    (programs / "id").write_text(f"#!/bin/sh\necho {login}\n")
    (programs / "id").chmod(0o755)
    monkeypatch.setenv("PATH", str(programs), prepend=os.pathsep)
    reason = "run the role with become"
    if login == "0":
        reason = "set its cost by hand"
        with contextlib.suppress(OSError):
            os.setxattr(file, "system.posix_acl_access", _ACL)
        if b"+" not in subprocess.check_output(["/bin/ls", "-l", file])[:11]:
            pytest.skip("this file system has no ACLs")
    ended = applied(tmp_path, f"{{app: vaultwarden, path: {file}}}")

    assert 2 == ended.returncode, ended.stdout
    assert reason in " ".join(ended.stdout.split())
    assert _ENV == file.read_text()
    assert not [*(tmp_path / "tmp").iterdir()]


@pytest.mark.parametrize("found", ["{0}/conf.d/../../theirs", "{0}/conf.d/.."])
def test_a_lying_host_writes_nothing(tmp_path: Path, found: str) -> None:
    """A host that finds what nobody asked for fails, and no file of the controller changes."""
    etc, liar, theirs = tmp_path / "etc", tmp_path / "liar", tmp_path / "theirs"
    (etc / "conf.d").mkdir(parents=True)
    (etc / "postgresql.conf").write_text("scram_iterations = 4096\n")
    theirs.write_text("as it was")
    liar.write_text(_LIAR % (found.format(etc), sys.executable))
    liar.chmod(0o755)
    files = f"{{app: postgresql, path: {etc}/postgresql.conf, with: ['{etc}/conf.d/*']}}"
    ended = applied(tmp_path, files, "--check", python=liar)

    assert 2 == ended.returncode, ended.stdout
    assert "the host returned" in ended.stdout
    assert "as it was" == theirs.read_text()
    assert not [*(tmp_path / "tmp").iterdir()]


_USERS: Final = {"deploy": 1801, "other": 1802}
_GROUPS: Final = {"shared": 1803, "secret": 1804}
"""The user ``deploy`` is a member of the first."""
_FOLDER_ACL: Final = "system.posix_acl_default"


@dataclass(frozen=True, kw_only=True)
class _Kept:
    """A file of another login, in a folder that the login may write."""

    login: str = "deploy"
    owner: str = "deploy"
    group: str = "deploy"
    mode: int = 0o640
    made: Callable[[Path], object] = lambda _: None
    """What is peculiar to it."""
    refused: str = ""
    """The reason for which it stays as it is."""


def _with_acl(path: Path, name: str = "system.posix_acl_access") -> None:
    try:
        os.setxattr(path, name, _ACL)
    except OSError:
        pytest.skip("this file system has no ACLs")


_FILES: Final = {
    "member": _Kept(group="shared", mode=0o660),
    "stranger": _Kept(group="secret", refused="run the role with become"),
    "root": _Kept(login="root", group="secret"),
    "theirs": _Kept(owner="other", mode=0o666, refused="run the role with become"),
    "setgid": _Kept(made=lambda file: file.parent.chmod(0o2777)),
    "link": _Kept(made=lambda file: (file.parent / "link").symlink_to(file.name)),
    "names": _Kept(
        made=lambda file: (file.parent / "again").hardlink_to(file), refused="has 2 names"
    ),
    "acl": _Kept(login="root", made=_with_acl, refused="set its cost by hand"),
    "folder-acl": _Kept(
        made=lambda file: _with_acl(file.parent, _FOLDER_ACL), refused="set its cost by hand"
    ),
}


def test_a_file_keeps_who_may_open_it(tmp_path: Path) -> None:
    """By logins over ssh, without become: mode, owner, group, links and ACL stay, or the host
    fails with the reason and its file does not change.
    """
    with fleet(tmp_path, [Kind(name="plain")]) as found:
        (host,) = found.hosts
        _add_users(host.etc)
        lines = []
        for name, kept in _FILES.items():
            file = host.etc / "kept" / name / "app.env"
            file.parent.mkdir(mode=0o777, parents=True)
            file.write_text(_ENV)
            os.chown(file, _USERS[kept.owner], {**_USERS, **_GROUPS}[kept.group])
            os.chown(file.parent, -1, _GROUPS["shared"])
            file.parent.chmod(0o777)
            file.chmod(kept.mode)
            kept.made(file)
            path = f"/etc/kept/{name}/{'link' if name == 'link' else 'app.env'}"
            lines.append(
                f"{name} ansible_host={host.address} ansible_port={PORT} ansible_user={kept.login}"
                f" ansible_ssh_private_key_file={tmp_path}/user"
                # Without a master, whose socket's path may be too long here.
                f' ansible_ssh_args="-F {tmp_path}/ssh_config" ansible_pipelining=true'
                f" ansible_python_interpreter={found.python_on(host)} file={path}"
            )
        before = {name: _told(host.etc / "kept" / name) for name in _FILES}
        files = "{app: vaultwarden, path: '{{ file }}'}"
        ended = applied_on(tmp_path, "\n".join(lines), files)
        after = {name: _told(host.etc / "kept" / name) for name in _FILES}

    assert before == after, ended.stdout
    for name, kept in _FILES.items():
        text = (host.etc / "kept" / name / "app.env").read_text()
        recap = re.search(rf"^{name} .*failed=(\d)", ended.stdout, re.MULTILINE)
        assert recap is not None, ended.stdout + ended.stderr
        assert bool(kept.refused) == (text == _ENV) == (recap[1] == "1"), recap[0]
        why = f"{name}/app.env .*{kept.refused}" if kept.refused else ""
        assert re.search(why, ended.stdout), ended.stdout


def _add_users(etc: Path) -> None:
    homes = etc / "homes"
    homes.mkdir()
    with (etc / "passwd").open("a") as passwd, (etc / "group").open("a") as group:
        for name, number in _USERS.items():
            passwd.write(f"{name}:x:{number}:{number}::/etc/homes/{name}:/bin/sh\n")
            group.write(f"{name}:x:{number}:\n")
            (homes / name).mkdir()
            os.chown(homes / name, number, number)
        for name, number in _GROUPS.items():
            group.write(f"{name}:x:{number}:{'deploy' if name == 'shared' else ''}\n")


def _told(folder: Path) -> list[tuple[object, ...]]:
    """All that says who may open each file, and how many names it has."""
    told: list[tuple[object, ...]] = []
    for path in [folder, *sorted(folder.iterdir())]:
        status = path.lstat()
        attributes = [(name, os.getxattr(path, name)) for name in os.listxattr(path)]
        owned = (status.st_uid, status.st_gid)
        told.append((path.name, status.st_mode, owned, status.st_nlink, attributes))
    return told

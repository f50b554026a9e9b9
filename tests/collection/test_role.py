"""The role, on this machine as its host, which may lie."""

from __future__ import annotations

import contextlib
import os
import shutil
import struct
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from collection import linked
from end_to_end.command import COMMAND
from made_up import PROFILE_FILE

pytestmark = pytest.mark.slow

_PLAYBOOK: Final = """\
- hosts: host1
  gather_facts: false
  tasks:
    - ansible.builtin.include_role: {name: hashcost.calibrate.cost}
"""
_ENV: Final = "SMTP_PASSWORD=hunter2\nPASSWORD_ITERATIONS=100000\n"
_ACL: Final = struct.pack("<I", 2) + b"".join(
    struct.pack("<HHI", tag, 6, 1000 if tag == 2 else 2**32 - 1) for tag in (1, 2, 4, 16, 32)
)
"""User 1000 may read and write."""
_LIAR: Final = """\
#!/bin/sh
case $1 in
*AnsiballZ_find.py) echo '{"changed": false, "files": [{"path": "%s"}], "matched": 1}' ;;
*) exec %s "$@" ;;
esac
"""
"""A Python of a host that finds what it wants."""


def applied(
    folder: Path, files: str, *options: str, python: Path | str = sys.executable
) -> subprocess.CompletedProcess[str]:
    """A run of the role for these files on a host with this Python."""
    programs = Path(sys.executable).parent
    if shutil.which("ansible-playbook", path=programs) is None:
        pytest.skip("ansible-core is absent")
    if not (folder / "collections").exists():
        linked(folder / "collections")
    (folder / "play.yml").write_text(_PLAYBOOK)
    (folder / "inventory").write_text(
        f"host1 ansible_connection=local ansible_python_interpreter={python}\n"
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

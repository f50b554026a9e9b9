"""Files for what hosts measured: whole, by the names of hosts, and nothing else."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from collection import linked
from end_to_end.command import COMMAND
from made_up import SAMPLES_FILE


def kept(
    folder: Path, returned: dict[str, dict[str, Any]], *, check: bool = False
) -> dict[str, Any]:
    """What the module says of what hosts returned, run as Ansible runs it."""
    collections = folder / "collections"
    if not collections.exists():
        linked(collections)
    name = "ansible_collections.hashcost.calibrate.plugins.modules.keep_measured"
    hosts = {"hosts": [*returned], "measured": [*returned.values()]}
    given = {"folder": str(folder / "measured"), "calibrate": COMMAND, **hosts}
    of_ansible = {"_ansible_check_mode": check, "_ansible_remote_tmp": str(folder)}
    program = (
        "import json, sys\nfrom ansible.module_utils import basic\n"
        "basic._ANSIBLE_ARGS = sys.stdin.buffer.read()\n"
        "basic._ANSIBLE_PROFILE = 'legacy'\n"
        f"from {name} import main\nmain()\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program],
        input=json.dumps({"ANSIBLE_MODULE_ARGS": {**given, **of_ansible}}),
        env={**os.environ, "PYTHONPATH": str(collections)},
        capture_output=True,
        text=True,
        check=False,
    )
    found: dict[str, Any] = json.loads(ended.stdout)
    return found


def timed(name: object, **others: object) -> dict[str, Any]:
    """What a host returns that calls itself so."""
    document = json.loads(SAMPLES_FILE.read_bytes())
    return {"measured": {**document, "host": {**document["host"], "name": name}, **others}}


def test_a_file_for_each_host(tmp_path: Path) -> None:
    """The second time nothing changes, and a host that is not named keeps its file; in check
    mode nothing is written.
    """
    folder = tmp_path / "measured"
    both = {"web1": timed("web1"), "web2": timed("web2")}
    assert kept(tmp_path, both, check=True)["changed"]
    assert not folder.exists()
    first = kept(tmp_path, both)

    assert (True, {}) == (first["changed"], first["refused"])
    assert ["web1.json", "web2.json"] == sorted(path.name for path in folder.iterdir())
    assert both["web2"]["measured"] == json.loads((folder / "web2.json").read_text())
    assert not kept(tmp_path, {"web1": timed("web1")})["changed"]
    again = kept(tmp_path, {"web1": timed("web1", target_seconds=0.2)})
    assert [str(folder / "web1.json")] == again["files"]
    assert (folder / "web2.json").exists()


def test_a_bad_host_fails_alone(tmp_path: Path) -> None:
    """No host names a file; what one returns for another, or what is no measurement, is refused
    with the reason, and so is a name in the inventory that names no file.
    """
    bad = [
        *map(timed, ["web1", "../web2", "/etc/passwd", "", None, ["bad5"]]),
        {"measured": {"kind": "samples", "host": "bad6"}},
        {"measured": {"kind": "samples"}},
        {"measured": []},
        {},
        timed("bad10", kind="recording"),
        timed("bad11", target_seconds=-1),
        timed("bad12", readings={}),
        timed("bad13", files={"proc/self/status": "Cpus_allowed_list:\t0-3-5\n", "cpus": "²"}),
    ]
    returned = {f"bad{index}": each for index, each in enumerate(bad)}
    returned |= {name: timed(name) for name in ("../bad", ".bad", "a/b", "")}
    found = kept(tmp_path, {**returned, "web1": timed("web1")})

    assert {*returned} - {"bad13"} == found["refused"].keys()
    assert all("\n" not in why for why in found["refused"].values())
    assert found["refused"]["bad12"].startswith("bad12.json is damaged: Expected `array`")
    files = {path.name for path in (tmp_path / "measured").iterdir()}
    assert {"web1.json", "bad13.json"} == files

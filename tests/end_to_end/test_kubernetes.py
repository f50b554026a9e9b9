"""The Job that docs/kubernetes.md shows is one, and does what the page says."""

import json
import re
import subprocess
from pathlib import Path
from typing import Final

import kubernetes_validate
import pytest
from ruamel.yaml import YAML

from end_to_end.command import COMMAND

PAGE: Final = (Path(__file__).parents[2] / "docs" / "kubernetes.md").read_text("utf-8")
_BLOCKS: Final = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def _job(node_type: str) -> str:
    """The Job for a type of node, made as the page does."""
    (manifest,) = (text for kind, text in _BLOCKS.findall(PAGE) if kind == "yaml")
    (script,) = (text for _, text in _BLOCKS.findall(PAGE) if "sed " in text)
    found = re.search(r'^    (name=.*\n)    (sed ".*?") job.yaml', script, re.MULTILINE)
    assert found is not None
    made = subprocess.run(
        ["sh", "-c", f"type=$1; {found[1]}{found[2]}", "sh", node_type],
        input=manifest,
        capture_output=True,
        text=True,
        check=True,
    )
    return str(made.stdout)


def test_the_job_is_valid() -> None:
    """Every field is one that Kubernetes knows, of the oldest and the newest release known; it
    has a name that a Job may have, and runs where it is meant to.
    """
    job = YAML(typ="safe").load(_job("Standard_D4s.v5"))
    for version in ("1.32", kubernetes_validate.latest_version()):
        kubernetes_validate.validate(job, version, strict=True)
    broken = {**job, "spec": {**job["spec"], "backOffLimit": 0}}
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(broken, "1.32", strict=True)
    selector = job["spec"]["template"]["spec"]["nodeSelector"]
    assert "calibrate-standard-d4s-v5" == job["metadata"]["name"]
    assert {"node.kubernetes.io/instance-type": "Standard_D4s.v5"} == selector


def test_the_log_is_the_profile(tmp_path: Path) -> None:
    """What the container writes to its log is a profile of the node, and nothing else."""
    job = YAML(typ="safe").load(_job("m7i.large"))
    (container,) = job["spec"]["template"]["spec"]["containers"]
    (script,) = container["args"]
    script = script.replace("/dev/termination-log", str(tmp_path / "log"))
    script = script.replace("/tmp/profile.json", str(tmp_path / "profile.json"))  # noqa: S108
    hurried = script.replace("calibrate ", f"{COMMAND} --effort fast ", 1)
    ended = subprocess.run(
        [*container["command"], hurried.replace("100ms", "5ms --memory 4MiB")],
        capture_output=True,
        env={"PATH": "/usr/bin:/bin"},
        check=False,
    )

    assert (0, b"") == (ended.returncode, ended.stderr)
    assert {"schema", "host", "results"} <= json.loads(ended.stdout).keys()

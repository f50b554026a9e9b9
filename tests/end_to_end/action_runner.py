"""Runs the steps of the GitHub action as a runner would, as action.yml says."""

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from ruamel.yaml import YAML

from end_to_end.command import TIMEOUT_SECONDS, environment

ACTION: Final = Path(__file__).parents[2] / ".github" / "actions" / "check"
_EXPRESSION: Final = re.compile(r"\$\{\{ inputs\.(\w+) \}\}")


@dataclass(frozen=True, kw_only=True)
class Step:
    """How a step ended, and what it left for the runner."""

    code: int
    out: str
    err: str
    summary: str
    outputs: str

    @property
    def commands(self) -> list[str]:
        """The workflow commands that the runner obeys: none while they are stopped."""
        stopped: str | None = None
        obeyed = []
        for line in self.out.splitlines():
            command = re.match(r"\s*::(.*?)::(.*)", line)
            if stopped is not None:
                stopped = None if line.strip() == f"::{stopped}::" else stopped
            elif command and command[1] == "stop-commands":
                stopped = command[2]
            elif command or "##[" in line:
                obeyed.append(line)
        return obeyed

    @property
    def sarif(self) -> Path | None:
        """The file that the workflow would upload, if any."""
        (line, *others) = self.outputs.splitlines() or [""]
        assert [] == others
        name, _, path = line.partition("=")
        assert name in {"", "sarif"}
        return Path(path) if path else None


def action(folder: Path = ACTION) -> dict[str, Any]:
    """The action's own file."""
    read = YAML(typ="safe").load((folder / "action.yml").read_text("utf-8"))
    assert isinstance(read, dict)
    return read


class Runner:
    """A runner's folders and variables."""

    def __init__(self, folder: Path, action: Path = ACTION) -> None:
        self.folder = folder
        self.action = action
        self.env: dict[str, str] = {}
        self.workspace = folder / "workspace"
        self.temporary = folder / "temporary"
        self._files = {name: folder / name for name in ("GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT")}
        for place in (self.workspace, self.temporary):
            place.mkdir()

    def run(self, index: int, **inputs: str) -> Step:
        """Run a step of the action with these inputs; the others have their defaults."""
        read = action(self.action)
        step = read["runs"]["steps"][index]
        defaults = {name: value["default"] for name, value in read["inputs"].items()}
        assert inputs.keys() <= defaults.keys()
        given = {**defaults, **inputs}
        script = self.folder / f"step-{index}.sh"
        script.write_text(step["run"])
        for file in self._files.values():
            file.write_text("")
        ended = subprocess.run(
            ["/bin/bash", "--noprofile", "--norc", "-e", "-o", "pipefail", str(script)],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            cwd=self.workspace,
            env=environment(
                {
                    "GITHUB_ACTION_PATH": str(self.action),
                    "GITHUB_WORKSPACE": str(self.workspace),
                    "RUNNER_TEMP": str(self.temporary),
                    **{name: str(file) for name, file in self._files.items()},
                    **{
                        name: _EXPRESSION.sub(lambda match: given[match[1]], value)
                        for name, value in step.get("env", {}).items()
                    },
                    **self.env,
                }
            ),
            timeout=TIMEOUT_SECONDS,
            check=False,
        )
        left = {name: file.read_text("utf-8") for name, file in self._files.items()}
        return Step(
            code=ended.returncode,
            out=ended.stdout,
            err=ended.stderr,
            summary=left["GITHUB_STEP_SUMMARY"],
            outputs=left["GITHUB_OUTPUT"],
        )

    def install(self) -> Step:
        """Run the first step."""
        return self.run(0)

    def check(self, **inputs: str) -> Step:
        """Run the second step."""
        return self.run(1, **inputs)

"""The GitHub action: its scripts as the runner starts them, and what its file may not hold."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest
from ruamel.yaml import YAML

from end_to_end.command import COMMAND, MADE_UP, TIMEOUT_SECONDS, environment

ACTION: Final = Path(__file__).parents[2] / ".github" / "actions" / "check"
WORKFLOWS: Final = ACTION.parents[1] / "workflows"
AT_FORTY: Final = {"target": "40ms", "profile": str(MADE_UP), "policy": "none"}


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


class Runner:
    """A runner's folders and variables."""

    def __init__(self, folder: Path) -> None:
        self.workspace = folder / "workspace"
        self.temporary = folder / "temporary"
        self._files = {name: folder / name for name in ("GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT")}
        for place in (self.workspace, self.temporary):
            place.mkdir()
        for file in self._files.values():
            file.touch()

    def install(self) -> None:
        """Have the command where the first step would have installed it."""
        programs = self.temporary / "hashcost" / "bin"
        programs.mkdir(parents=True)
        (programs / "calibrate").symlink_to(COMMAND)

    def run(self, script: str, path: str | None = None, **inputs: str) -> Step:
        """Run a script of the action with these inputs in its environment."""
        ended = subprocess.run(
            ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", str(ACTION / script)],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            cwd=self.workspace,
            env=environment(
                {
                    "GITHUB_ACTION_PATH": str(ACTION),
                    "GITHUB_WORKSPACE": str(self.workspace),
                    "RUNNER_TEMP": str(self.temporary),
                    **{name: str(file) for name, file in self._files.items()},
                    **{f"HASHCOST_{name.upper()}": value for name, value in inputs.items()},
                    **({} if path is None else {"PATH": path}),
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

    def check(self, **inputs: str) -> Step:
        """Run the check."""
        return self.run("check.sh", **dict.fromkeys(INPUTS, "") | inputs)


@pytest.fixture
def runner(tmp_path: Path) -> Runner:
    """A runner on which the first step has installed the command."""
    runner = Runner(tmp_path)
    runner.install()
    return runner


def action() -> dict[str, Any]:
    """The action's own file."""
    read = YAML(typ="safe").load((ACTION / "action.yml").read_text("utf-8"))
    assert isinstance(read, dict)
    return read


INPUTS: Final = tuple(action()["inputs"])


class TestFile:
    """What action.yml says."""

    def test_no_input_is_pasted_into_a_script(self) -> None:
        """No script holds an expression: what it stands for would be run."""
        scripts = [step["run"] for step in action()["runs"]["steps"]]

        assert 2 == len(scripts)
        assert [] == [script for script in scripts if "${{" in script]
        assert "${{" not in "".join(path.read_text("utf-8") for path in ACTION.glob("*.sh"))

    def test_every_input_reaches_a_script(self) -> None:
        """Each input is in the environment of a step, and read by the step's script."""
        given = {}
        for step in action()["runs"]["steps"]:
            name = re.fullmatch(r'"\$GITHUB_ACTION_PATH/(\w+\.sh)"', step["run"])
            assert name
            script = (ACTION / name[1]).read_text("utf-8")
            for variable, value in step["env"].items():
                key = variable.removeprefix("HASHCOST_").lower()
                assert f"${{{{ inputs.{key} }}}}" == value
                given[key] = variable in script or re.search(
                    rf"^for name in.* {key}\b", script, re.MULTILINE
                )
        assert set(INPUTS) == set(given)
        assert all(given.values())

    def test_every_input_is_explained(self) -> None:
        """Each input has a description and may be left out."""
        for value in action()["inputs"].values():
            assert value["description"].endswith(".")
            assert "" == value["default"]

    def test_scripts_can_be_run(self) -> None:
        """The scripts are executable, and end at the first command that fails."""
        for path in ACTION.glob("*.sh"):
            assert path.stat().st_mode & 0o111
            assert "\nset -euo pipefail\n" in path.read_text("utf-8")


class TestCheck:
    """The check as a step of a job."""

    def test_annotations_summary_and_code(self, runner: Runner) -> None:
        """A cost that has drifted fails the step, is annotated, and stands in the summary."""
        step = runner.check(**AT_FORTY, costs="bcrypt=8\nbcrypt=9\n")

        assert 1 == step.code
        (annotation,) = step.commands
        assert annotation == (
            "::error title=A password-hash cost has fallen behind its target"
            "::bcrypt cost 8 takes 13.4 ms, and a higher cost fits 40.0 ms;"
            " set cost 9, which takes 26.8 ms"
        )
        assert "| drifted | bcrypt | cost 8 |" in step.summary
        assert "2 costs held to 40.0 ms, 1 failing" in step.out
        assert "" == step.outputs

    def test_what_passes(self, runner: Runner) -> None:
        """A cost that is fine passes without an annotation."""
        step = runner.check(**AT_FORTY, costs="  bcrypt=9  \r\n\n")

        assert (0, []) == (step.code, step.commands)
        assert "| fine | bcrypt | cost 9 |" in step.summary

    def test_without_inputs(self, runner: Runner) -> None:
        """Everything may stand in the settings; annotations name their place."""
        (runner.workspace / "hashcost.toml").write_text(
            f'target = "40ms"\nprofile = "{MADE_UP}"\npolicy = ["none"]\ncheck = ["bcrypt=8"]\n'
        )
        step = runner.check()

        assert 1 == step.code
        assert step.commands[0].startswith("::error file=hashcost.toml,line=4,title=")

    def test_every_input_counts(self, runner: Runner) -> None:
        """Several policies, a limit and a file of settings are taken as they are given."""
        settings = runner.workspace / "a b.toml"
        settings.write_text('check = ["bcrypt=11"]\n')
        step = runner.check(
            target="40ms",
            profile=str(MADE_UP),
            policy="owasp\nfips\n",
            max="50ms",
            config="a b.toml",
        )

        assert 1 == step.code
        assert "fips does not approve of bcrypt" in step.commands[0]
        assert "file=a b.toml,line=1" in step.commands[0]
        limited = runner.check(**AT_FORTY, max="50ms", config="a b.toml")
        assert "more than 50.0 ms" in limited.commands[0]

    def test_sarif(self, runner: Runner) -> None:
        """The findings are written as SARIF, and the step's output names the file."""
        step = runner.check(**AT_FORTY, costs="bcrypt=8", sarif="out/of the way.sarif")
        assert 2 == step.code, "there is no such folder"
        assert "" == step.outputs
        step = runner.check(**AT_FORTY, costs="bcrypt=8", sarif="of the way.sarif")
        log = json.loads((runner.workspace / "of the way.sarif").read_text("utf-8"))

        assert 1 == step.code
        assert "sarif=of the way.sarif\n" == step.outputs
        assert "drifted" == log["runs"][0]["results"][0]["ruleId"]

    def test_wrong_use(self, runner: Runner) -> None:
        """A mistake fails the step with the command's own words and code."""
        step = runner.check(**AT_FORTY, costs="bcript=9")

        assert (2, []) == (step.code, step.commands)
        assert "calibrate: unknown hasher 'bcript'; did you mean bcrypt?" in step.err

    def test_nothing_is_left(self, runner: Runner) -> None:
        """What the script needs for itself is gone afterwards."""
        runner.check(**AT_FORTY, costs="bcrypt=8")

        assert ["hashcost"] == [path.name for path in runner.temporary.iterdir()]


HOSTILE: Final = (
    "; touch pwned",
    "$(touch pwned)",
    "`touch pwned`",
    "x' ; touch pwned ; '",
    'x" ; touch pwned ; "',
    "bcrypt=9\ntouch pwned",
    "%0A::error::forged",
    "x\n::error::forged\n::set-output name=sarif::forged",
    "##[error]forged",
    "--output=pwned",
    "--report=json=pwned",
    "-",
    "*",
    "\\",
    "$IFS",
)


class TestHostileInputs:
    """Whatever an input holds, it is a value and nothing else."""

    @pytest.mark.parametrize("name", ["costs", "target", "policy", "sarif", "version"])
    @pytest.mark.parametrize("value", HOSTILE)
    def test_it_is_a_value(self, name: str, value: str, runner: Runner) -> None:
        """No input runs a command, writes a file of its choice, or speaks to the runner."""
        if name == "version":
            step = runner.run("install.sh", version=value, path="/nonexistent:/usr/bin:/bin")
            assert (2, "") == (step.code, step.out)
        else:
            step = runner.check(**{**AT_FORTY, "costs": "bcrypt=9", name: value})
        written = {path.name for path in runner.workspace.iterdir()}

        assert written <= ({value.strip()} if name == "sarif" else set())
        assert "" == step.outputs or name == "sarif"
        assert step.outputs.count("\n") <= 1
        assert [] == [line for line in step.commands if "forged" in line.split("::")[-1][:6]]

    @pytest.mark.parametrize("costs", ["bcrypt=9 bcrypt=8", "*", "bcrypt=?"])
    def test_a_line_is_one_cost(self, costs: str, runner: Runner) -> None:
        """A line is neither split at its spaces nor taken for the names of files."""
        (runner.workspace / "bcrypt=9").touch()
        step = runner.check(**AT_FORTY, costs=costs)

        assert (2, "") == (step.code, step.summary)

    def test_profile_that_speaks_to_the_runner(self, runner: Runner) -> None:
        """Text of a profile that somebody has bent is no command, nor ends an annotation."""
        text = MADE_UP.read_text("utf-8")
        forged = "x ::error::forged ##[error]forged %0A::error::forged"
        text = text.replace("the Python package that has argon2 is not installed", forged)
        text = text.replace('"5.0.0"', '"::error::forged ##[add-mask]e"')
        (runner.workspace / "bent.json").write_text(text.replace("AMD EPYC", "##[error]forged"))
        step = runner.check(
            costs="argon2id=m=19456,t=2,p=1\nbcrypt=9",
            target="40ms",
            profile="bent.json",
            policy="none",
        )
        (annotation,) = step.commands

        assert 4 == step.code
        assert annotation.startswith("::error title=A password hash could not be timed::argon2id@")
        assert "%250A::error::forged" in annotation


class TestInstall:
    """What the first step asks pip for."""

    @pytest.mark.parametrize(
        ("version", "requirement"),
        [("", f"{ACTION}/../../..[argon2]"), ("0.1.0", "hashcost[argon2]==0.1.0")],
    )
    def test_requirement(self, version: str, requirement: str, tmp_path: Path) -> None:
        """Unless a version is asked for, what the action came with is installed."""
        runner = Runner(tmp_path)
        programs = tmp_path / "programs"
        programs.mkdir()
        # Makes an environment whose Python tells its arguments, instead of asking a registry.
        fake = programs / "python3"
        fake.write_text(
            f"#!{sys.executable}\n"
            "import pathlib, sys\n"
            "folder = pathlib.Path(sys.argv[-1]) / 'bin'\n"
            "folder.mkdir(parents=True)\n"
            "told = folder / 'python'\n"
            'told.write_text(\'#!/bin/sh\\nprintf "%s\\\\n" "$@"\\n\')\n'
            "told.chmod(0o755)\n"
        )
        fake.chmod(0o755)
        step = runner.run("install.sh", version=version, path=f"{programs}:/usr/bin:/bin")

        assert 0 == step.code, step.err
        assert requirement == step.out.splitlines()[-1]

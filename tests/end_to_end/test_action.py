"""The GitHub action: its scripts as the runner starts them, and what its file may not hold."""

import datetime as dt
import itertools
import json
import re
import sys
from pathlib import Path
from typing import Final

import pytest

from corpora import cases
from end_to_end.action_runner import ACTION, Runner, action
from end_to_end.command import MADE_UP, calibrate

AT_FORTY: Final = {"target": "40ms", "profile": str(MADE_UP), "policy": "none"}


def _runner(folder: Path, python: str) -> Runner:
    """A runner on which the first step has installed this as the command's Python."""
    runner = Runner(folder)
    program = runner.temporary / "hashcost" / "bin" / "python"
    program.parent.mkdir(parents=True)
    program.write_text(f"#!/bin/sh\n{python}\n")
    program.chmod(0o755)
    return runner


@pytest.fixture
def runner(tmp_path: Path) -> Runner:
    """A runner on which the first step has installed the command."""
    return _runner(tmp_path, f'exec "{sys.executable}" "$@"')


@pytest.fixture
def recorder(tmp_path: Path) -> Runner:
    """A runner whose Python writes down how it is started, and tries to command the runner."""
    asked = tmp_path / "asked"
    return _runner(tmp_path, f"printf '%s\\0' \"$@\" >'{asked}'; echo '::error::forged'; exit 3")


def test_every_input_reaches_a_script_as_a_variable() -> None:
    """No script holds an expression, since what it stands for would be run; each input is in the
    environment of a step and read by the step's script, which ends at the first failure.
    """
    inputs = set()
    for step in action()["runs"]["steps"]:
        name = re.fullmatch(r'"\$BASH" "\$GITHUB_ACTION_PATH/(\w+\.sh)"', step["run"])
        assert name
        script = (ACTION / name[1]).read_text("utf-8")
        assert (ACTION / name[1]).stat().st_mode & 0o111
        assert "${{" not in script
        assert "\nset -euo pipefail\n" in script
        assert '\nsource "$GITHUB_ACTION_PATH/isolate.sh"\n' in script
        for variable, value in step.get("env", {}).items():
            key = variable.removeprefix("HASHCOST_").lower()
            assert f"${{{{ inputs.{key} }}}}" == value
            assert re.search(rf"{variable}|^for name in.* {key}\b", script, re.MULTILINE)
            inputs.add(key)
    assert set(action()["inputs"]) == inputs


class TestCheck:
    """The check as a step of a job."""

    def test_annotations_summary_and_code(self, runner: Runner) -> None:
        """A cost that has drifted fails the step, is annotated, and stands in the summary."""
        step = runner.check(**AT_FORTY, costs="bcrypt=8\nbcrypt=9\n")

        assert 1 == step.code
        (annotation,) = step.commands
        assert annotation == (
            "::error title=A password-hash cost has fallen behind its target"
            "::bcrypt cost=8 takes 13.4 ms, and a higher cost fits 40.0 ms;"
            " set cost=9, which takes 26.8 ms"
        )
        assert "| drifted | bcrypt | cost=8 |" in step.summary
        assert "| fine | bcrypt | cost=9 |" in step.summary
        assert "" == step.outputs
        passing = runner.check(**AT_FORTY, costs="  bcrypt=9  \r\n\n")
        assert (0, []) == (passing.code, passing.commands)

    def test_without_inputs(self, runner: Runner) -> None:
        """Everything may stand in the settings; annotations name their place."""
        (runner.workspace / "hashcost.toml").write_text(
            f'target = "40ms"\nprofile = "{MADE_UP}"\npolicy = ["none"]\ncheck = ["bcrypt=8"]\n'
        )
        step = runner.check()

        assert 1 == step.code
        assert step.commands[0].startswith("::error file=hashcost.toml,line=4,title=")

    def test_accept(self, runner: Runner) -> None:
        """With false, no waiver of the checkout counts; other words are refused."""
        day = (dt.datetime.now(dt.UTC) + dt.timedelta(days=90)).date()
        (runner.workspace / "hashcost.toml").write_text(
            f'target = "40ms"\nprofile = "{MADE_UP}"\npolicy = ["none"]\ncheck = [\n'
            f'  "bcrypt=8", # hashcost: accept bcrypt=8 drifted until {day}: x\n]\n'
        )

        accepted = runner.check()
        assert 0 == accepted.code
        assert accepted.commands[0].startswith("::notice file=hashcost.toml,line=5,title=")
        assert 0 == runner.check(accept="true").code
        ignored = runner.check(accept="false")
        assert 1 == ignored.code
        assert ignored.commands[0].startswith("::error file=hashcost.toml,line=5,title=")
        refused = runner.check(accept="no")
        assert 2 == refused.code
        assert "the input accept is neither true nor false" in refused.err

    def test_sarif(self, runner: Runner) -> None:
        """The findings are written as SARIF outside the checkout, and the output names the file;
        a folder in its name is refused.
        """
        step = runner.check(**AT_FORTY, costs="bcrypt=8", sarif="of the way.sarif")

        assert step.sarif is not None
        assert (1, "of the way.sarif") == (step.code, step.sarif.name)
        assert step.sarif.is_relative_to(runner.temporary)
        assert [] == list(runner.workspace.iterdir())
        log = json.loads(step.sarif.read_text("utf-8"))
        assert "drifted" == log["runs"][0]["results"][0]["ruleId"]
        for name in ("out/cost.sarif", "/cost.sarif", ".."):
            refused = runner.check(**AT_FORTY, costs="bcrypt=8", sarif=name)
            assert (2, None) == (refused.code, refused.sarif)
            assert "the input sarif must be a file name without a folder" in refused.err

    @pytest.mark.parametrize("link", [False, True])
    def test_committed_sarif_is_never_uploaded(self, link: bool, runner: Runner) -> None:
        """A pull request that commits a SARIF file and breaks the settings uploads nothing."""
        stale = runner.workspace / "cost.sarif"
        elsewhere = runner.folder / "elsewhere"
        elsewhere.write_text("{}")
        stale.symlink_to(elsewhere) if link else stale.write_text("{}")
        settings = runner.workspace / "hashcost.toml"
        settings.write_text("target = ")
        broken = runner.check(sarif="cost.sarif")

        assert (2, None) == (broken.code, broken.sarif)
        assert ["hashcost"] == [path.name for path in runner.temporary.iterdir()]
        settings.write_text('check = ["bcrypt=8"]\n')
        step = runner.check(**AT_FORTY, sarif="cost.sarif")
        assert step.sarif is not None
        assert not step.sarif.is_relative_to(runner.workspace)
        assert "drifted" in step.sarif.read_text("utf-8")
        assert "{}" == stale.read_text() == elsewhere.read_text()


HOSTILE: Final = tuple(cases(__file__, "action.toml", "hostile"))

TAKING: Final = ("costs", "target", "policy", "max", "config", "sarif")
PAIRS: Final = [
    *zip(itertools.cycle(TAKING), HOSTILE, strict=False),
    *(("sarif", value) for value in ("bcrypt=9\ntouch pwned", "$(touch pwned)")),
    ("costs", "x\n::error::forged\n::set-output name=sarif::forged"),
]
"""Each value in one input, each input with several values, and both kinds where lines count."""


def _words(inputs: dict[str, str]) -> list[str]:
    """What the command is given of inputs, each of them a word or a word a line."""
    single = [f"--{n}={inputs[n]}" for n in ("target", "profile", "max", "config") if n in inputs]
    policies, costs = (
        [line.strip() for line in inputs[name].split("\n") if line.strip()]
        for name in ("policy", "costs")
    )
    return [*single, *(f"--policy={policy}" for policy in policies), "--", *costs]


@pytest.mark.parametrize(("name", "value"), PAIRS)
def test_an_input_is_a_value(name: str, value: str, recorder: Runner) -> None:
    """No input runs a command, writes a file of its choice, or speaks to the runner: neither
    by the script, which hands it over as it is, nor by the command, which is given it.
    """
    inputs = {**AT_FORTY, "costs": "bcrypt=9", name: value}
    step = recorder.check(**inputs)

    assert [] == list(recorder.workspace.iterdir())
    assert [] == step.commands
    assert (None, "") == (step.sarif, step.summary)
    asked = recorder.folder / "asked"
    if "\n" in value and name not in {"costs", "policy"}:
        assert 2 == step.code
        assert not asked.exists()
        return
    assert (3, "::error::forged") == (step.code, step.out.splitlines()[1])
    isolated, module, hashcost, check, *words = asked.read_text("utf-8").split("\0")[:-1]
    assert ["-I", "-m", "hashcost", "check"] == [isolated, module, hashcost, check]
    own = [word for word in words if re.match(rf"--report=\w+={recorder.temporary}/", word)]
    assert _words(inputs) == [word for word in words if word not in own]

    reports = [Path(word.split("=", 2)[2]) for word in own]
    assert ["annotations", *([value] if name == "sarif" else [])] == [p.name for p in reports]
    for report in reports:  # The script has tidied up.
        report.parent.mkdir()
    ended = calibrate("check", *words, cwd=recorder.workspace)
    assert ended.code in {0, 2}
    assert [] == list(recorder.workspace.iterdir())
    written = reports[0].read_text("utf-8") if reports[0].exists() else ""
    assert "forged" not in written


def test_a_line_is_one_cost(runner: Runner) -> None:
    """A line is neither split at its spaces nor taken for the names of files."""
    (runner.workspace / "bcrypt=9").touch()
    for costs in ("bcrypt=9 bcrypt=8", "bcrypt=?"):
        step = runner.check(**AT_FORTY, costs=costs)
        assert (2, "") == (step.code, step.summary)


def test_profile_that_speaks_to_the_runner(runner: Runner) -> None:
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

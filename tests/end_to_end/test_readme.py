"""The README says what the command does, and what it shows can be run."""

from __future__ import annotations

import re
import shlex
import tomllib
from pathlib import Path
from typing import Final

import pytest
from ruamel.yaml import YAML

from end_to_end.command import RAN, calibrate
from hashcost.cli import COMMANDS, load_command
from hashcost.core.cost_expressions import parse_cost
from hashcost.documents.settings import SETTING_NAMES, load_settings
from hashcost.logins import capacity
from hashcost.verdicts.judgement import Outcome

ROOT: Final = Path(__file__).parents[2]
README: Final = (ROOT / "README.md").read_text("utf-8")

HURRY: Final[dict[str, dict[str, tuple[str, ...]]]] = {
    "recommend": {"": ("--fast", "--budget", "300ms"), "--save": ("--budget", "1s")},
    "capacity": {
        "": ("--budget", "1ms"),
        "--target": ("--target", "10ms"),
        "--logins": ("--logins", "150/s", "--p95", "40ms", "--duration", "400ms"),
    },
    "sweep": {"": ("--budget", "100ms")},
}
"""What keeps a command that measures from taking its time, by an option that it is shown with;
of an option the last one counts.
"""


def shown_commands() -> list[list[str]]:
    """The arguments of every ``$ calibrate …`` in a console block, in the order of the page."""
    blocks = re.findall(r"^```console\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
    lines = [line for block in blocks for line in block.replace("\\\n", " ").splitlines()]
    prompts = [
        shlex.split(line.removeprefix("$ "), comments=True) for line in lines if line[:2] == "$ "
    ]
    return [words[1:] for words in prompts if words[0] == "calibrate"]


def hurried(words: list[str]) -> list[str]:
    """The command as it is written, and what shortens it."""
    named = words[0] if words[0] in COMMANDS else "recommend"
    if named == "recommend" and "--from" in words:
        return words
    hurries = HURRY.get(named, {})
    return [
        *words,
        *(each for shown in hurries if shown in ("", *words) for each in hurries[shown]),
    ]


def test_shown_commands_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every command that the README shows runs as it is written, if for less time, after those
    before it.
    """
    # More threads than CPUs take more than all other commands together.
    monkeypatch.setattr(capacity, "thread_counts", lambda cpus: (1, cpus))
    monkeypatch.setattr("hashcost.cli.commands.explain._TARGET_SECONDS", 0.02)  # Not an option.
    commands = shown_commands()
    ends = [(words, calibrate(*hurried(words), cwd=tmp_path)) for words in commands]

    assert commands
    assert [] == [(words, ended.code, ended.err) for words, ended in ends if ended.code not in RAN]


@pytest.mark.parametrize("name", sorted(set(COMMANDS) - {"recommend"}))
def test_every_command_is_documented(name: str) -> None:
    """Every command is shown in the README; the default one needs no name."""
    assert f"calibrate {name}" in README


def test_every_exit_code_is_documented() -> None:
    """Every exit code that --help gives has a row in the README."""
    codes = re.findall(r"\b(\d+) [a-z]", calibrate("--help").out.partition("Exit codes:")[2])
    section = README.partition("### Exit codes")[2].partition("\n#")[0]

    assert ["0", "1", "2", "3", "4", "5", "70", "130", "141"] == sorted(codes, key=int)
    assert [] == [code for code in codes if f"| {code} |" not in section]


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_is_documented(name: str) -> None:
    """Every option of every command is named in the README."""
    options = [option for parameter in load_command(name).params for option in parameter.opts]

    assert [] == [
        option
        for option in options
        if option[:2] == "--" and not re.search(rf"(?<![\w-]){option}(?![\w-])", README)
    ]


def test_every_setting_and_verdict_is_documented() -> None:
    """Every key of hashcost.toml stands in the README's example, every verdict in its table."""
    blocks = re.findall(r"^```toml\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
    (example,) = (block for block in blocks if block.startswith("check = ["))
    verdicts = [outcome.value for outcome in Outcome]

    assert set(SETTING_NAMES) == set(tomllib.loads(example))
    assert [] == [verdict for verdict in verdicts if f"| `{verdict}` |" not in README]


def test_example_of_settings_is_read(tmp_path: Path) -> None:
    """The README's hashcost.toml is one that is understood, and its costs are costs."""
    (example,) = re.findall(r"^```toml\n(check = \[.*?)^```$", README, re.MULTILINE | re.DOTALL)
    path = tmp_path / "hashcost.toml"
    path.write_text(example, "utf-8")
    found = load_settings(path)

    assert found is not None
    assert None not in [parse_cost(text).params for text, _ in found.check]


def test_snippets_are_yaml() -> None:
    """The README's workflows can be read, and name what there is."""
    blocks = re.findall(r"^```yaml\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
    github, gitlab, hook = (YAML(typ="safe").load(block) for block in blocks)
    (step,) = (step for step in github["jobs"]["cost"]["steps"] if step.get("id") == "cost")
    action = YAML(typ="safe").load((ROOT / ".github/actions/check/action.yml").read_text("utf-8"))
    hooks = YAML(typ="safe").load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))

    assert "<OWNER>/hashcost/.github/actions/check@<COMMIT>" == step["uses"]
    assert step["with"].keys() <= action["inputs"].keys()
    assert {"codequality", "junit"} == gitlab["password-hash-cost"]["artifacts"]["reports"].keys()
    assert [hooks[0]["id"]] == [each["id"] for each in hook["repos"][0]["hooks"]]


def test_the_workflow_uploads_only_what_the_action_wrote() -> None:
    """Its actions are pinned, its token may do no more than it must, and no path is uploaded."""
    (block,) = re.findall(r"^```yaml\n(name: Password.*?)^```$", README, re.MULTILINE | re.DOTALL)
    workflow = YAML(typ="safe").load(block)
    job = workflow["jobs"]["cost"]
    used = [step["uses"] for step in job["steps"]]
    upload = job["steps"][-1]

    assert {} == workflow["permissions"]
    assert {"contents": "read", "security-events": "write"} == job["permissions"]
    assert [] == [each for each in used if not re.search(r"@([0-9a-f]{40}|<COMMIT>)$", each)]
    assert "always() && steps.cost.outputs.sarif" == upload["if"]
    assert "${{ steps.cost.outputs.sarif }}" == upload["with"]["sarif_file"]

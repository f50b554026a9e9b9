"""The README and the pages of docs/ say what the command does; what they show can be run."""

import re
import shutil
import tomllib
from pathlib import Path
from typing import Any, Final

import pytest
from ruamel.yaml import YAML

from corpora import cases
from end_to_end.command import calibrate
from hashcost.cli import COMMANDS, load_command
from hashcost.core.cost_expressions import parse_cost
from hashcost.documents.settings import SETTING_NAMES, load_settings
from hashcost.hashers.interface import Hasher, check_known_answers, check_output
from hashcost.logins import capacity
from hashcost.render.formats import html_format
from hashcost.verdicts.judgement import Outcome
from tools.generated.examples import Example, examples_in, with_results

ROOT: Final = Path(__file__).parents[2]
DOCS: Final = ROOT / "docs"
PAGES: Final = {
    path.relative_to(ROOT).as_posix(): path.read_text("utf-8")
    for path in (ROOT / "README.md", *sorted(DOCS.glob("*.md")))
}
EVERYTHING: Final = "\n".join(PAGES.values())

HURRY: Final[dict[str, dict[str, str]]] = cases(__file__, "documentation.toml", "hurry")
"""What keeps a command that measures from taking its time, by an option that it is shown with;
of an option the last one counts.
"""


def hurried(words: list[str]) -> list[str]:
    """The command as it is written, and what shortens it."""
    named = words[0] if words and words[0] in COMMANDS else "recommend"
    if named == "recommend" and "--from" in words:
        return words
    added = (more for shown, more in HURRY.get(named, {}).items() if shown in ("", *words))
    return [*words, *" ".join(added).split()]


_BROKEN: Final = {2, 4, 70}
SHOWN: Final = {name: examples for name, text in PAGES.items() if (examples := examples_in(text))}
"""The examples of each page that has some, in its order."""


def ran_as_shown(example: Example, folder: Path) -> str:
    """What is wrong with a run of an example; where its output is shown, any difference."""
    words = example.words
    shown = example.output.strip()
    ended = calibrate(*(words if shown else hurried(words)), cwd=folder)
    # What was timed is the machine's: only a run that was not understood, or broke, is wrong.
    if ended.code in _BROKEN or (shown and ended.code not in {0, 1}):
        return f"{example.prompt} ended with {ended.code}: {ended.err}"
    if shown and ended.out.strip() != shown:
        return f"{example.prompt} prints something else; python -m tests.tools.generated --write"
    return ""


@pytest.mark.parametrize("page", SHOWN)
def test_shown_commands_run(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every command that a page shows runs as it is written, if for less time, after those
    before it; output that is shown below one is what it prints.
    """
    # More threads than CPUs take more than all other commands together.
    monkeypatch.setattr(capacity, "thread_counts", lambda cpus: (1, cpus))
    monkeypatch.setattr("hashcost.cli.commands.explain._TARGET_SECONDS", 0.02)  # Not an option.
    monkeypatch.setattr(html_format, "svg_of", lambda _: b"<svg/>")  # It takes half a second.
    (tmp_path / "login.py").touch()  # For a scan.
    if page != "README.md":
        shutil.copytree(DOCS / "examples", tmp_path, dirs_exist_ok=True)
    examples = [shown for shown in SHOWN[page] if shown.prompt.startswith("$ calibrate")]

    assert examples
    assert [] == [wrong for shown in examples if (wrong := ran_as_shown(shown, tmp_path))]


@pytest.mark.parametrize("page", ["README.md", "docs/capacity.md"])
def test_results_are_shown_as_they_are_printed_now(page: str) -> None:
    """A result that a page shows was measured once, and is laid out as today."""
    assert "<!-- shown from " in PAGES[page]
    assert PAGES[page] == with_results(PAGES[page], DOCS), (
        "python -m tests.tools.generated --write"
    )


def test_every_command_option_and_exit_code_is_documented() -> None:
    """Every command is shown on some page, every option named, and every exit code that --help
    gives has a row on its page; the default command needs no name.
    """
    options = {
        option
        for name in COMMANDS
        for parameter in load_command(name).params
        for option in parameter.opts
        if option.startswith("--")
    }
    named = {*re.findall(r"(?<![\w-])--[\w-]+", EVERYTHING)}
    codes = re.findall(
        r"\b(\d+) [a-z]", calibrate("recommend", "--help").out.partition("Exit codes:")[2]
    )
    section = PAGES["docs/exit-codes.md"]

    assert {"recommend"} >= {name for name in COMMANDS if f"calibrate {name}" not in EVERYTHING}
    assert set() == options - named
    assert ["0", "1", "2", "3", "4", "5", "70", "130", "141"] == sorted(codes, key=int)
    assert [] == [code for code in codes if f"| {code} |" not in section]


SETTINGS: Final = re.compile(r"^```toml\n(check = \[.*?)^```$", re.MULTILINE | re.DOTALL)
WORKFLOW: Final = re.compile(r"^```yaml\n(name: Password.*?)^```$", re.MULTILINE | re.DOTALL)


def test_every_setting_and_verdict_is_documented() -> None:
    """Every key of hashcost.toml stands in the example, every verdict in its table."""
    (example,) = SETTINGS.findall(PAGES["docs/ci.md"])
    verdicts = [outcome.word for outcome in Outcome]

    assert set(SETTING_NAMES) == set(tomllib.loads(example))
    assert [] == [verdict for verdict in verdicts if f"| `{verdict}` |" not in PAGES["docs/ci.md"]]


def test_examples_of_settings_are_read(tmp_path: Path) -> None:
    """A hashcost.toml that is shown is one that is understood, and its costs are costs."""
    path = tmp_path / "hashcost.toml"
    for example in SETTINGS.findall(EVERYTHING):
        path.write_text(example, "utf-8")
        settings = load_settings(path)

        assert settings is not None
        assert None not in [parse_cost(text).params for text, _ in settings.check]


def test_the_example_of_a_plug_in_works() -> None:
    """The plug-in that is shown gives its known answers, and a hash that is whole."""
    (source,) = re.findall(
        r"^```python\n(.*?)^```$", PAGES["docs/plug-ins.md"], re.MULTILINE | re.DOTALL
    )
    made: dict[str, Any] = {"__name__": "plug_in"}
    exec(compile(source, "plug-ins.md", "exec", dont_inherit=True), made)  # noqa: S102 - our own
    hasher: Hasher = made["pbkdf2_sha256"]()
    call = hasher.ready(b"password", b"salt", hasher.lowest)

    check_known_answers(hasher)
    assert check_output(call, call.run(), where="the page")


def test_snippets_are_yaml() -> None:
    """The workflows that are shown can be read, and name what there is."""
    blocks = re.findall(r"^```yaml\n(.*?)^```$", PAGES["docs/ci.md"], re.MULTILINE | re.DOTALL)
    github, gitlab, hook = (YAML(typ="safe").load(block) for block in blocks)
    (step,) = (step for step in github["jobs"]["cost"]["steps"] if step.get("id") == "cost")
    action = YAML(typ="safe").load((ROOT / ".github/actions/check/action.yml").read_text("utf-8"))
    hooks = YAML(typ="safe").load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))

    assert "<OWNER>/hashcost/.github/actions/check@<COMMIT>" == step["uses"]
    assert step["with"].keys() <= action["inputs"].keys()
    assert {"codequality", "junit"} == gitlab["password-hash-cost"]["artifacts"]["reports"].keys()
    assert [hooks[0]["id"]] == [shown["id"] for shown in hook["repos"][0]["hooks"]]
    # It runs on whatever is staged, with what reads source code and configurations.
    assert not {"files", "types", "exclude"} & hooks[0].keys()
    assert [".[argon2,apps,scan]"] == hooks[0]["additional_dependencies"]


@pytest.mark.parametrize("block", WORKFLOW.findall(EVERYTHING))
def test_the_workflow_uploads_only_what_the_action_wrote(block: str) -> None:
    """Its actions are pinned, its token may do no more than it must, and no path is uploaded."""
    workflow = YAML(typ="safe").load(block)
    job = workflow["jobs"]["cost"]
    used = [step["uses"] for step in job["steps"]]
    upload = job["steps"][-1]

    assert {} == workflow["permissions"]
    assert {"contents": "read", "security-events": "write"} == job["permissions"]
    assert [] == [use for use in used if not re.search(r"@([0-9a-f]{40}|<COMMIT>)$", use)]
    assert "always() && steps.cost.outputs.sarif" == upload["if"]
    assert "${{ steps.cost.outputs.sarif }}" == upload["with"]["sarif_file"]

"""The README and the pages of docs/ say what the command does; what they show can be run."""

import re
import tomllib
from pathlib import Path
from typing import Any, Final

import pytest
from ruamel.yaml import YAML

from corpora import cases
from end_to_end.command import calibrate
from end_to_end.pasted import BLOCKS, DOCS, PAGES, ROOT, RUN, Reader
from hashcost.checks.judgement import Outcome
from hashcost.cli import COMMANDS, load_command
from hashcost.core.cost_expressions import parse_cost
from hashcost.hashers.interface import Hasher, check_known_answers, check_output
from hashcost.storage.settings import SETTING_NAMES, load_settings
from tools.generated.examples import blocks_in, other_blocks_in, with_results

EVERYTHING: Final = "\n".join(PAGES.values())
MARKS: Final[dict[str, int]] = cases(__file__, "pasted.toml", "not_run")
SEEN: Final[dict[str, str]] = cases(__file__, "pasted.toml", "seen")


@pytest.mark.parametrize("page", RUN)
def test_blocks_can_be_pasted(page: str, tmp_path: Path) -> None:
    """The blocks of a page run in their order, as they are printed but for what shortens
    measuring, with what those before them made or the folder that the page names has; output
    that is shown is what is printed.
    """
    reader = Reader(page, tmp_path)
    reader.settle()

    assert [] == reader.paste_all()


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("```sh\ncalibrate --from absent.json\ntrue\n```", "absent.json"),
        ("```sh\ncalibrate list gpus > absent/gpus\n```", "absent/gpus"),
        ("```sh\nabsent-program || false | cat\n```", "absent-program"),
        ("```console\n$ calibrate list gpus\nnothing\n```", "only be compared"),
        ("In `docs/examples` of a clone:\n\n```console\n$ calibrate list gpus\nno\n```", "else"),
        ("```console\n$ calibrate list gpus\n```\n```sh\ntest -d app\n```", "test -d app"),
    ],
)
def test_a_block_that_fails_is_found(text: str, wrong: str, tmp_path: Path) -> None:
    """A page fails if a command in the middle of a block breaks, a file is missing, or output
    differs or is shown where it depends on the machine.
    """
    reader = Reader("README.md", tmp_path)
    reader.settle()
    (fault,) = [fault for block in blocks_in(text) for fault in reader.paste(block)]

    assert wrong in fault


def test_an_answer_is_no_failure(tmp_path: Path) -> None:
    """A block may end with a code that says what the answer is, such as a check that fails."""
    reader = Reader("README.md", tmp_path)
    reader.settle()
    (block,) = blocks_in("```sh\ncalibrate check bcrypt=4 --profile server.json\n```")
    (tmp_path / "own/server.json").symlink_to(tmp_path / "examples/server.json")

    assert [] == list(reader.paste(block))


def test_what_is_not_run_has_a_reason() -> None:
    """A block is not run only where a mark says why, and no mark comes unseen; a command that
    can be pasted stands in no other block.
    """
    marks = {
        name: [block.not_run for block in blocks if block.not_run is not None]
        for name, blocks in BLOCKS.items()
    }
    hidden = [text for page in PAGES.values() for text in other_blocks_in(page)]

    assert MARKS == {name: len(reasons) for name, reasons in marks.items() if reasons}
    assert [] == [name for name, reasons in marks.items() if not all(reasons)]
    assert [] == [text for text in hidden if re.search(r"^ *\$ ", text, re.MULTILINE)]


def test_the_reasons_to_use_it_can_be_seen(tmp_path: Path) -> None:
    """Every command in the README's table of what goes wrong shows what the row claims."""
    table = PAGES["README.md"].partition("| See it |")[2].partition("\n\n")[0]
    commands = re.findall(r"`(calibrate [^`]*)` \|$", table, re.MULTILINE)
    reader = Reader("README.md", tmp_path)
    runs = {command: reader.run(command, ".")[0] for command in commands}
    printed = {command: ended.stdout + ended.stderr for command, ended in runs.items()}

    assert SEEN.keys() == printed.keys()
    assert {} == {
        command: text for command, text in printed.items() if not re.search(SEEN[command], text)
    }


@pytest.mark.parametrize("page", [name for name, text in PAGES.items() if "<!-- shown" in text])
def test_results_are_shown_as_they_are_printed_now(page: str) -> None:
    """A result that a page shows was measured once, and is laid out as today."""
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
ACCEPTED: Final = re.compile(r"^```toml\n(\[\[accept\]\].*?)^```$", re.MULTILINE | re.DOTALL)
WORKFLOW: Final = re.compile(r"^```yaml\n(name: Password.*?)^```$", re.MULTILINE | re.DOTALL)


def test_every_setting_and_verdict_is_documented() -> None:
    """Every key of hashcost.toml stands in an example; every verdict has its part of a page, with
    what it means, an example, how to mend it and how to accept it.
    """
    (example,) = SETTINGS.findall(PAGES["docs/ci.md"])
    (waiver,) = ACCEPTED.findall(PAGES["docs/ci.md"])
    shown = tomllib.loads(example) | tomllib.loads(waiver)
    page = PAGES["docs/verdicts.md"]
    parts = {part.partition("\n")[0]: part for part in page.split("\n## ")[1:]}

    assert set(SETTING_NAMES) == set(shown)
    assert [outcome.value for outcome in Outcome] == list(parts)
    for name, part in parts.items():
        assert f"| `{name}` |" in page
        asked = [f"**{title}:** " for title in ("Example", "Mend it", "Accept it")]
        assert [] == [title for title in asked if title not in part]


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

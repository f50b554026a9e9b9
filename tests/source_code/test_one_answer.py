"""A scan and the reader of an application's Python file give the same answer."""

import subprocess
import sys

import pytest

from corpora import rows, table
from hashcost.apps.registry import load_tunable
from hashcost.core.errors import UnreadableInputError
from hashcost.source_code.matching import found_in
from hashcost.source_code.stages import DeploymentStage, stage_named

Answer = tuple[list[tuple[int, int]], bool]
"""The costs that count with their lines, and whether something is not told."""

_HEAD = "import os\nfrom flask_bcrypt import Bcrypt\nbcrypt = Bcrypt(app)\n"


def scanned(text: str) -> Answer:
    """What a scan finds outside of tests."""
    found = found_in(text, "python")
    costs = [(each.line, each.params["cost"]) for each in found.costs if not each.in_tests]
    return costs, bool(found.unknown)


def read(text: str) -> Answer:
    """What the reader of Flask-Bcrypt finds."""
    try:
        found = load_tunable("flask-bcrypt").read(text)
    except UnreadableInputError:
        return [], True
    winners = [cost for cost in found if cost.wins]
    told = [cost for cost in winners if not cost.is_undetermined]
    return [(cost.line, cost.params["cost"]) for cost in told], told != winners


@pytest.mark.parametrize(("expression", "cost"), rows(__file__, "expressions.tsv"))
def test_one_expression_has_one_answer(expression: str, cost: str) -> None:
    """Whoever asks, an expression comes to the same numbers, or both say that it is not told."""
    text = (
        f"{_HEAD}N = 10\nN = 12\nclass A:\n    n = 13\nSETTINGS = {{'cost': 14}}\n"
        f"bcrypt.generate_password_hash(password, {expression})\n"
    )
    expected = ([] if cost == "?" else [(9, int(cost))], cost == "?")
    answer, unknown = scanned(text)
    assert expected == (answer, unknown)
    answer, unknown = read(text)
    assert expected == ([(9, cost) for _, cost in answer], unknown)


def test_nothing_given_is_left_to_the_setting() -> None:
    """``None`` is no cost: the scan says the default, and the reader asks the setting."""
    text = f"{_HEAD}bcrypt.generate_password_hash(password, None)\n"
    assert ([(4, 12)], False) == scanned(text)
    assert ([], False) == read(text)


@table("body, costs")
def test_one_file_has_one_answer(body: str, costs: list[int] | None) -> None:
    """Names, branches, loops and functions are followed alike by both."""
    for answer, unknown in (scanned(_HEAD + body), read(_HEAD + body)):
        assert (costs or [], costs is None) == ([cost for _, cost in answer], unknown)


def test_python_is_read_without_the_grammars() -> None:
    """The configuration of a Python application, and a scan's text, need no ast-grep."""
    code = (
        "import sys; sys.modules['ast_grep_py'] = None\n"
        "from hashcost.apps.registry import load_app\n"
        "from hashcost.source_code.matching import found_in\n"
        "text = 'import flask_bcrypt\\nbcrypt.generate_password_hash(p, 11)\\n'\n"
        "print(found_in(text, 'python').costs[0].params)\n"
        "print(load_app('flask-bcrypt').read('BCRYPT_LOG_ROUNDS = 11')[0].params)\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert "{'cost': 11}\n" * 2 == ended.stdout


@table("stage, names")
def test_words_of_a_name_count_whole(stage: str, names: list[str]) -> None:
    """A name speaks of a stage by a word of its own, never by a part of one."""
    assert {DeploymentStage[stage]} == {*map(stage_named, names)}

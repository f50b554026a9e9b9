"""Python in the syntax of another release than the running one."""

from pathlib import Path

import pytest

from bounded import ends_in_time
from hashcost.source_code.files import LARGEST_SOURCE
from hashcost.source_code.scan import scan
from laws import sized

_LATER = {
    "quotes in a formatted text (PEP 701)": 'y = f"{x["k"]}" "z" f"{a["b"]\n}"',
    "type parameters (PEP 695)": "class Box[T: int, **P]:\n    pass\ndef of[T](x: T): return x\n",
    "defaults of type parameters (PEP 696)": "class Box[T: int = str](A): pass",
    "a type alias (PEP 695)": "type Names[T] = dict[\n    str, T\n]",
    "exceptions without brackets (PEP 758)": "try:\n    f()\nexcept A, B:\n    pass",
    "a template text (PEP 750)": 't = t"{x}"',
}
_PYTHON_2 = {
    "print": 'print "a", b\nprint >>sys.stderr, "x",\nif a: print "%s" % (\n    b)',
    "exec": "exec code in names",
    "except": "try:\n    f()\nexcept (A, B), error:\n    pass",
    "raise": 'raise ValueError, "no"',
    "numbers and texts": "x = [0755, 10L, ur'a', `b`]",
    "unequal": "if a <> b: pass",
    "parameters": "def f((a, b), c): pass",
    "tabs": "if a:\n        f()\n\tg()",
}


@pytest.mark.parametrize("syntax", [*_LATER.values(), *_PYTHON_2.values()])
def test_the_syntax_of_another_python_hides_no_cost(tmp_path: Path, syntax: str) -> None:
    """The hash behind it has its row and its line, whatever Python runs."""
    before = f"import bcrypt\n{syntax}\n"
    path = tmp_path / "users.py"
    path.write_text(f"{before}h = bcrypt.hashpw(p, bcrypt.gensalt(9))\n", "utf-8")
    scanned = scan([tmp_path])
    (cost,) = scanned.costs
    assert (cost.params, cost.line) == ({"cost": 9}, before.count("\n") + 1)
    assert scanned.unknown == ()


def test_a_constant_of_another_python_is_followed(tmp_path: Path) -> None:
    """A module that is imported may have a later syntax, too."""
    (tmp_path / "limits.py").write_text('COST = 11\nname = f"{x["k"]}"\nprint "x"\n', "utf-8")
    text = "import bcrypt\nfrom limits import COST\nbcrypt.gensalt(COST)\n"
    (tmp_path / "users.py").write_text(text, "utf-8")
    assert [cost.params for cost in scan([tmp_path]).costs] == [{"cost": 11}]


def test_a_waiver_in_another_python_is_read(tmp_path: Path) -> None:
    """A finding there can be accepted where it stands."""
    waiver = "# hashcost: accept below-min until 2099-01-01: a test"
    text = f'import bcrypt\nprint "x"\nbcrypt.gensalt(4)  {waiver}\n'
    path = tmp_path / "users.py"
    path.write_text(text, "utf-8")
    assert list(scan([tmp_path]).comments) == [path]


def test_what_no_python_reads_is_unread_with_its_line(tmp_path: Path) -> None:
    """Nothing is said of a file that is broken."""
    text = "import bcrypt\nprint 'x'\nbcrypt.gensalt(9) x = = 3\n"
    (tmp_path / "users.py").write_text(text, "utf-8")
    (unread,) = scan([tmp_path]).unknown
    assert unread.why.startswith("line 2: not Python")


@pytest.mark.parametrize(
    "part", ["'", "print 'a', ", "def f[T](", "f'''", 'f"{x["k"]}" ', "if (x\n", "print `a\n"]
)
def test_a_broken_text_ends(part: str) -> None:
    """The place of each word is searched from the beginning of its line: minutes, unbounded."""
    ends_in_time(
        "import contextlib\n"
        "from hashcost.core.errors import UnreadableInputError\n"
        "from hashcost.source_code.other_python import in_own_syntax\n"
        "with contextlib.suppress(UnreadableInputError):\n"
        f"    in_own_syntax({part!r} * {sized(LARGEST_SOURCE) // len(part)})",
        cpu_seconds=sized(30),
    )

"""What a command loads: only what it needs, so that it starts at once."""

import json
import subprocess
import sys
from typing import Final

from corpora import cases
from end_to_end.command import MADE_UP

LOADED: Final = """
import atexit, json, sys
import click
before = set(sys.modules)
@atexit.register
def tell():
    print(json.dumps(sorted(set(sys.modules) - before)), file=sys.stderr)
from hashcost.cli import main
main(sys.argv[1:])
"""

HELP: Final = {*cases(__file__, "imports.toml", "help")}
"""What `calibrate --help` needs of this package: the names of the commands."""

CHECK: Final = ["check", "bcrypt=12", "--profile", str(MADE_UP)]


def loaded(*arguments: str) -> set[str]:
    """The modules that a command loads beside click's own."""
    ended = subprocess.run(
        [sys.executable, "-c", LOADED, *arguments], capture_output=True, text=True, check=True
    )
    return set(json.loads(ended.stderr.splitlines()[-1]))


def libraries(modules: set[str]) -> set[str]:
    """The installed libraries among them."""
    return {name.partition(".")[0] for name in modules} - set(sys.stdlib_module_names)


def test_help_loads_nothing_but_the_names_of_the_commands() -> None:
    """Help imports click, and no module of the work behind it."""
    modules = loaded("--help")

    assert {"hashcost", "click"} == libraries(modules)
    assert HELP == {name for name in modules if name.startswith("hashcost")}
    assert len(modules) <= 40


def test_a_check_by_a_profile_loads_nothing_that_measures_or_draws() -> None:
    """A check by a profile imports neither what times hashes nor what it is not asked for."""
    modules = loaded(*CHECK)

    assert {*cases(__file__, "imports.toml", "a_check_takes")} >= libraries(modules)
    never = tuple(cases(__file__, "imports.toml", "a_check_leaves"))
    assert not [name for name in modules if name.startswith(never)]
    assert 143 >= sum(name.partition(".")[0] not in sys.stdlib_module_names for name in modules)

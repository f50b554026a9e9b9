"""The public API: its names, its paths, verdicts like the command's, and what its page shows."""

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

import hashcost
from end_to_end.command import MADE_UP, calibrate
from hashcost.storage.profile import encode_json

ROOT: Final = Path(__file__).parents[1]
PAGE: Final = ROOT / "docs" / "python.md"
SHOWN: Final = "".join(
    re.findall(r"^```python\n(.*?)^```$", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)
)
"""The blocks of the page, which run one after the other."""
PROFILE: Final = hashcost.load_profile(MADE_UP)


def test_the_public_names_are_shown_and_documented() -> None:
    """`dir(hashcost)` has the public names before any is imported; each is there, and says what
    it is.
    """
    asked = "import hashcost; print(*dir(hashcost))"
    printed = subprocess.run([sys.executable, "-c", asked], capture_output=True, check=True)
    values = [getattr(hashcost, name) for name in hashcost.__all__]

    assert sorted(hashcost.__all__) == printed.stdout.decode().split() == dir(hashcost)
    assert [] == [value for value in values if callable(value) and not value.__doc__]
    with pytest.raises(AttributeError, match="no attribute 'chekc'"):
        _ = hashcost.chekc


def _entry(path: Path) -> os.DirEntry[str]:
    """A path that is no `Path`, of a file that is there."""
    with os.scandir(path.parent) as entries:
        return next(entry for entry in entries if entry.name == path.name)


@pytest.mark.parametrize("spelt", [str, Path, _entry])
def test_a_path_is_text_or_path_like(
    spelt: Callable[[Path], str | os.PathLike[str]], tmp_path: Path
) -> None:
    """Every function that takes a path takes a `str` and any `PathLike`."""
    policy = tmp_path / "own.toml"
    policy.write_text(
        'id = "own"\ntitle = "Ours"\nsource = "wiki"\ndate = 2026-11-20\n'
        '[[floors]]\nhasher = "bcrypt"\nparams = { cost = 12 }\n',
        "utf-8",
    )
    profile = tmp_path / "p.json"
    profile.touch()
    hashcost.save_profile(PROFILE, spelt(profile))

    assert PROFILE == hashcost.load_profile(spelt(profile))
    assert "own" == hashcost.load_policy(spelt(policy)).id


COSTS: Final = ("bcrypt=8", "sha512-crypt=5000", "argon2id=m=19456,t=2,p=1", "scrypt=n=1024")


@pytest.mark.parametrize(
    ("options", "asked"),
    [
        ((), {}),
        (("--target", "100ms"), {"target_seconds": 0.1}),
        (("--policy", "none", "--max", "60ms"), {"policies": (), "longest_seconds": 0.06}),
        (("--policy", "fips"), {"policies": [hashcost.load_policy("fips")]}),
    ],
)
def test_a_check_is_that_of_the_command(
    options: tuple[str, ...], asked: dict[str, object]
) -> None:
    """By the same profile, target, policies and limit the report is the command's, to the byte."""
    judge: Callable[..., hashcost.CheckReport] = hashcost.check
    report = judge(COSTS, PROFILE, **asked)
    printed = calibrate("check", *COSTS, "--profile", str(MADE_UP), *options, "--format", "json")

    assert printed.out == encode_json(report).decode()
    assert len(COSTS) == len(report.results)
    with pytest.raises(AttributeError, match="immutable"):
        report.results[0].message = "fine"  # type: ignore[misc]


@pytest.mark.parametrize(
    ("costs", "asked", "message"),
    [
        (["bcrypt12"], {}, "unknown hasher 'bcrypt12'; did you mean bcrypt=12"),
        (["bcrypt"], {}, "bcrypt is only a hasher; add its cost, for example bcrypt=12"),
        ([], {"target_seconds": 0.0}, "target_seconds: must be above 0 and at most 60 s"),
        ([], {"longest_seconds": 0.001}, "longest_seconds must be at least the target; raise it"),
    ],
)
def test_a_check_refuses_what_cannot_be_meant(
    costs: list[str], asked: dict[str, float], message: str
) -> None:
    """A wrong cost, target or limit is an error of the package, in the words of the command."""
    judge: Callable[..., hashcost.CheckReport] = hashcost.check
    with pytest.raises(hashcost.HashcostError, match=re.escape(message)):
        judge(costs, PROFILE, **asked)


def test_a_cost_out_of_range_is_a_judgement() -> None:
    """It fails, says why, and does not keep the others from being judged."""
    refused, judged = hashcost.check(["bcrypt=99", "bcrypt=9"], PROFILE).results

    assert ("unknown", True) == (refused.outcome.value, refused.out_of_range)
    assert "bcrypt takes cost from 4 to 31, not 99" == refused.message
    assert not judged.out_of_range


def test_what_the_page_shows_runs(tmp_path: Path) -> None:
    """The blocks run in their order, in an empty folder, and measure and judge."""
    ended = subprocess.run(
        [sys.executable, "-c", SHOWN], cwd=tmp_path, capture_output=True, text=True, check=False
    )

    assert (0, "") == (ended.returncode, ended.stderr)
    assert "bcrypt {'cost': 8} below-min" in ended.stdout
    assert ["here.json"] == [path.name for path in tmp_path.iterdir()]


def test_what_the_page_shows_is_typed(tmp_path: Path) -> None:
    """Mypy accepts the blocks, as strict as it is with the package."""
    page = tmp_path / "page.py"
    page.write_text(SHOWN, "utf-8")
    checked = subprocess.run(
        [sys.executable, "-m", "mypy", str(page)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )

    assert 0 == checked.returncode, checked.stdout

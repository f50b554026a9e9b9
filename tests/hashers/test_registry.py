"""Which hashers a name means, and why one of them does not load."""

import json
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from importlib.metadata import EntryPoint
from pathlib import Path
from pkgutil import resolve_name
from types import ModuleType, SimpleNamespace
from typing import Final

import pytest

from corpora import cases, table
from hashcost.core.errors import UnavailableError, UnknownNameError
from hashcost.core.measurement import Knob, Scale
from hashcost.hashers import registry
from hashcost.hashers.interface import KnownAnswer, ReadyCall
from hashcost.hashers.registry import Candidate, candidates, select

IN_ORDER: Final = cases(__file__, "registry.toml", "in_order")


def point(label: str, value: str = "made_up:factory") -> EntryPoint:
    """An entry point as a package would declare it."""
    return EntryPoint(name=label, value=value, group="hashcost.hashers")


def candidate(label: str, value: str = "made_up:factory") -> Candidate:
    """A candidate that is not loaded."""
    hasher, _, implementation = label.partition("@")
    return Candidate(
        hasher, implementation, partial(registry._built, partial(resolve_name, value))
    )


def made_up(label: str) -> SimpleNamespace:
    """A hasher that says of itself all that is asked before it is timed."""
    name, _, implementation = label.partition("@")
    knob = Knob(name="rounds", scale=Scale.LINEAR, minimum=1, maximum=9)
    answer = KnownAnswer(
        password=b"p", salt=b"s", params={"rounds": 1}, output=b"hash", source="made up"
    )
    return SimpleNamespace(
        name=name,
        implementation=implementation,
        version="1",
        knobs=(knob,),
        lowest={"rounds": 1},
        known_answers=(answer,),
        memory_bytes=lambda params: 1024,
        threads=lambda params: 1,
        ready=lambda password, salt, params: ReadyCall(run=lambda: b"hash", length=4),
    )


class UndeterminedError(Exception):
    """An exception without a text, by mistake."""

    def __str__(self) -> str:
        raise RuntimeError("no text")


WRITTEN: Final = b"""\
# Ours.
[console_scripts]
made_up = made_up:main

[hashcost.hashers]
# A comment, and an extra.
good@one = made_up:factory [fast]
bcrypt@runtime:one = made_up:factory
bcrypt@bcrypt = made_up:factory
"""
DAMAGED: Final = b"[hashcost.hashers]\n\xff@one = made_up:factory\n"
NO_OBJECT: Final = b"[hashcost.hashers]\nbad@one = made_up\n"
AVAILABLE: Final = tuple(map(candidate, IN_ORDER))


def selected(*names: str, every_implementation: bool = False) -> list[str]:
    """The labels that the names mean."""
    chosen = select(names, every_implementation=every_implementation, available=AVAILABLE)
    return [first.label for first, *_ in chosen]


class TestCandidates:
    """What is registered."""

    def test_the_built_in_ones_in_order(self) -> None:
        """The built-in hashers are registered, the default ones and preferred ones first."""
        labels = [one.label for one in candidates()]

        expected = IN_ORDER
        assert expected == [label for label in labels if label in IN_ORDER]

    def test_order_does_not_depend_on_the_packages(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """The order is the same in whatever order the packages declare their hashers."""
        labels = ["zeta@b", "alpha@z", "alpha@a", *reversed(IN_ORDER)]
        register(monkeypatch, *map(point, labels))

        expected = [*IN_ORDER, "alpha@a", "alpha@z", "zeta@b"]
        assert expected == [one.label for one in candidates()]

    def test_a_name_claimed_twice_is_kept_once(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Of two packages that claim one name, the first has it."""
        register(monkeypatch, point("bcrypt@x"), point("bcrypt@x", "second:factory"))
        provide(monkeypatch, lambda: made_up("bcrypt@first"))

        (only,) = candidates()
        assert "is registered under this name but calls itself bcrypt@first" == unavailable(only)

    def test_entry_points_are_read_as_packages_write_them(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Extras and comments are no part of an object's name, a built-in hasher keeps its name,
        a colon is left to runtimes, and a damaged file takes away no hasher of another package.
        """
        for package, content in (("a", DAMAGED), ("b", WRITTEN), ("c", NO_OBJECT)):
            info = tmp_path / f"{package}-1.dist-info"
            info.mkdir()
            (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1\n")
            (info / "entry_points.txt").write_bytes(content)
        monkeypatch.syspath_prepend(tmp_path)
        provide(monkeypatch, lambda: made_up("good@one"))
        found = {one.label: one for one in candidates()}

        assert "bcrypt@runtime:one" not in found
        good = found["good@one"].load()
        assert ("good", "one") == (good.name, good.implementation)
        assert "bcrypt" == found["bcrypt@bcrypt"].load().implementation
        assert "does not load: 'module' object is not callable" == unavailable(found["bad@one"])

    def test_nothing_of_a_library_is_imported(self) -> None:
        """Listing the hashers imports no hashing library."""
        program = (
            "import json, sys, hashcost.hashers.registry as registry\n"
            "labels = [one.label for one in registry.candidates()]\n"
            "print(json.dumps([labels, sorted(sys.modules)]))"
        )
        done = subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True, check=True
        )

        labels, modules = json.loads(done.stdout)
        libraries = {"_bcrypt", "argon2", "bcrypt", "cryptography", "ctypes", "passlib"}
        assert set(IN_ORDER) <= set(labels)
        assert set() == libraries & set(modules)


class TestSelect:
    """What a name means."""

    @table("name, every_implementation, implementations")
    def test_an_algorithm_comes_with_its_stand_ins(
        self, name: str, every_implementation: bool, implementations: list[list[str]]
    ) -> None:
        """An algorithm may be run by any of its implementations, unless one was named or all
        were asked for.
        """
        chosen = select([name], every_implementation=every_implementation, available=AVAILABLE)
        assert implementations == [[one.label for one in row] for row in chosen]

    def test_each_is_run_once(self) -> None:
        """A hasher that is named twice, in one way or in two, runs once."""
        expected = ["bcrypt@bcrypt", "sha512-crypt@libcrypt"]
        assert expected == selected("bcrypt", "sha512-crypt", "bcrypt@bcrypt", "bcrypt")

    @table("name, near")
    def test_a_misspelt_name_gets_a_near_one(self, name: str, near: str) -> None:
        """A misspelt name is refused and the nearest algorithm is offered."""
        with pytest.raises(UnknownNameError) as caught:
            selected("bcrypt", name)
        assert f"unknown hasher '{name}'; did you mean {near}?" == str(caught.value)
        assert name == caught.value.name  # A command of that name can be offered.

    @pytest.mark.parametrize("name", ["other", ""])
    def test_an_unknown_implementation_lists_the_known(self, name: str) -> None:
        """A known algorithm by an unknown implementation lists those that there are."""
        choice = "choose bcrypt@bcrypt or bcrypt@libcrypt"
        with pytest.raises(UnknownNameError, match=f"no implementation '{name}' of .*; {choice}"):
            selected(f"bcrypt@{name}")


class TestLoad:
    """Why one hasher is missing."""

    @table("value")
    def test_a_missing_library_is_named(self, value: str) -> None:
        """A library that is not installed is named."""
        expected = "the Python package that has no_such_library is not installed"
        assert expected == unavailable(candidate("good@one", value))

    def test_an_extra_that_is_missing_says_how_to_install_it(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """argon2-cffi is an extra of this package."""
        monkeypatch.setitem(sys.modules, "argon2", None)
        one = next(one for one in candidates() if one.label == "argon2id@argon2-cffi")
        assert unavailable(one).startswith("argon2-cffi is not installed; install it with `")

    @pytest.mark.parametrize(
        ("error", "message"),
        [
            (RuntimeError("two\n  lines"), "does not load: two lines"),
            (ZeroDivisionError(), "does not load: ZeroDivisionError"),
            (SystemExit(0), "does not load: 0"),
            (GeneratorExit(), "does not load: GeneratorExit"),
            (UndeterminedError(), "does not load: UndeterminedError"),
            (UnavailableError("needs AVX-512"), "needs AVX-512"),
        ],
    )
    def test_a_factory_that_raises_says_why(
        self, monkeypatch: pytest.MonkeyPatch, error: BaseException, message: str
    ) -> None:
        """Whatever a factory raises, its hasher is unavailable and its reason is one line."""
        provide(monkeypatch, raising(error))

        assert message == unavailable(candidate("good@one"))

    @pytest.mark.parametrize("lacking", ["name", "version", "knobs", "known_answers", "threads"])
    def test_a_hasher_that_lacks_something_says_what(
        self, monkeypatch: pytest.MonkeyPatch, lacking: str
    ) -> None:
        """A hasher without a part of the interface is unavailable before anything is timed."""
        hasher = made_up("good@one")
        delattr(hasher, lacking)
        provide(monkeypatch, lambda: hasher)

        assert unavailable(candidate("good@one")).endswith(f"has no attribute '{lacking}'")

    @pytest.mark.parametrize("scale", [Scale.LINEAR, Scale.LADDER])
    def test_a_knob_must_start_where_there_is_work(
        self, monkeypatch: pytest.MonkeyPatch, scale: Scale
    ) -> None:
        """A count that starts at nothing could never be solved for."""
        hasher = made_up("good@one")
        hasher.knobs = (Knob(name="rounds", scale=scale, minimum=0, maximum=9),)
        provide(monkeypatch, lambda: hasher)

        expected = "has a knob that starts below 1: no work takes no time"
        assert expected == unavailable(candidate("good@one"))

    @pytest.mark.parametrize("claimed", ["other@one", "good@other"])
    def test_a_hasher_must_be_what_it_is_registered_as(
        self, monkeypatch: pytest.MonkeyPatch, claimed: str
    ) -> None:
        """A row never names another hasher than the one that was timed."""
        provide(monkeypatch, lambda: made_up(claimed))

        expected = f"is registered under this name but calls itself {claimed}"
        assert expected == unavailable(candidate("good@one"))


def register(monkeypatch: pytest.MonkeyPatch, *points: EntryPoint) -> None:
    """Make these the only hashers."""
    pairs = [(point.name, point.load) for point in points]
    monkeypatch.setattr(registry, "BUILT_IN", {})
    monkeypatch.setattr(registry, "installed", lambda: pairs)


def provide(monkeypatch: pytest.MonkeyPatch, factory: Callable[[], object]) -> None:
    """Install a module that has this factory."""
    module = ModuleType("made_up")
    vars(module)["factory"] = factory
    monkeypatch.setitem(sys.modules, "made_up", module)


def raising(error: BaseException) -> Callable[[], object]:
    """A factory that raises."""

    def factory() -> object:
        raise error

    return factory


def unavailable(one: Candidate) -> str:
    """Why a candidate does not load."""
    with pytest.raises(UnavailableError) as caught:
        one.load()
    return str(caught.value)

"""Which policies are meant, and a user's own file: understood, or refused in one line."""

import datetime as dt
from pathlib import Path
from typing import Final

import pytest

from corpora import cases, table
from hashcost.core.algorithms import COST_NAMES
from hashcost.core.errors import UnknownNameError, UnreadableInputError, UsageError
from hashcost.core.text import quoted
from hashcost.strength.policies.catalogue import load_policies, policy_from_toml
from hashcost.strength.policies.policy import Floor, Policy

KNOWN: Final = (*COST_NAMES, "plugin")

HEAD: Final = """\
id = "ours"
title = "Our own rules"
source = "wiki page 7"
date = 2026-05-01
"""

BCRYPT: Final = """
[[floors]]
hasher = "bcrypt"
params = { cost = 12 }
"""

ARGON2ID: Final = """
[[floors]]
hasher = "argon2id"
params = { memory_kib = 19456, time_cost = 2, parallelism = 1 }
"""


def read(text: str | bytes) -> Policy:
    """The policy of a file."""
    content = text.encode() if isinstance(text, str) else text
    return policy_from_toml(content, name="mine.toml", known_hashers=KNOWN)


def refusal(text: str | bytes) -> str:
    """Why a file is refused, without its name in front."""
    with pytest.raises(UnreadableInputError) as refused:
        read(text)
    message = str(refused.value)
    assert message.isprintable()
    assert len(message) < 400
    assert message.startswith("mine.toml is not a policy: ")
    return message.removeprefix("mine.toml is not a policy: ")


def ids(*names: str) -> list[str]:
    """The ids of the policies of these names."""
    return [policy.id for policy in load_policies(names)]


class TestNames:
    """What is asked for by name."""

    def test_none_asks_for_nothing(self) -> None:
        """``none`` is no policy at all, however often it is said."""
        assert () == load_policies(["none"])
        assert () == load_policies(["none", "none"])

    def test_several_keep_their_order(self) -> None:
        """Several policies are loaded in the order of their names, each once."""
        assert ["owasp", "fips"] == ids("owasp", "fips")
        assert ["fips", "owasp"] == ids("fips", "owasp", "fips")

    def test_none_excludes_others(self) -> None:
        """``none`` beside a policy cannot be meant."""
        with pytest.raises(
            UsageError,
            match=r"^--policy none cannot be combined with other policies; leave one out$",
        ):
            load_policies(["owasp", "none"])

    @pytest.mark.parametrize(
        ("name", "hint"),
        [
            ("owsap", "did you mean owasp?"),
            ("rfc9106", "did you mean rfc9106-first or rfc9106-second?"),
            ("NONE", "did you mean none?"),
            ("asvs-4.0", "did you mean asvs-5.0?"),
            ("9" * 50_000, "`calibrate list policies` lists them."),
        ],
        ids=["misspelt", "half", "NONE", "another release", "endless"],
    )
    def test_an_unknown_name_is_answered_with_the_nearest(self, name: str, hint: str) -> None:
        """A name that is no policy is refused with the one that may be meant, and with how a
        file would be named.
        """
        with pytest.raises(UnknownNameError) as refused:
            load_policies([name])
        message = str(refused.value)
        assert message.startswith(f"unknown policy {quoted(name, 60)}; {hint}")
        assert " needs a path, such as ./" in message
        assert len(message) < 400

    @pytest.mark.parametrize("folder", ["", "./", "below/../"])
    def test_a_path_is_a_file(
        self, folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A name with a suffix or a folder is the path of a file, beside built-in ones."""
        (tmp_path / "below").mkdir()
        (tmp_path / "mine.toml").write_text(HEAD + BCRYPT)
        monkeypatch.chdir(tmp_path)
        assert ["owasp", "ours"] == ids("owasp", f"{folder}mine.toml")

    def test_two_policies_of_one_id_are_told_apart_by_nobody(self, tmp_path: Path) -> None:
        """A file with the id of another policy that was asked for is refused with the id."""
        files = [tmp_path / "mine.toml", tmp_path / "also.toml"]
        for file in files:
            file.write_text(HEAD + BCRYPT)
        with pytest.raises(UsageError, match=r"two policies have the id 'ours'; rename one$"):
            load_policies([str(file) for file in files])

    @pytest.mark.parametrize("id_", ["owasp", "Fips"])
    def test_a_file_does_not_pose_as_a_built_in_policy(self, id_: str, tmp_path: Path) -> None:
        """A file with the id of a built-in policy is refused, in any case of letters."""
        path = tmp_path / "mine.toml"
        path.write_text(HEAD.replace("ours", id_) + BCRYPT)
        with pytest.raises(UnreadableInputError) as refused:
            load_policies([str(path)])
        assert str(refused.value) == (
            f"{path} is not a policy: `id` {id_!r} is a built-in policy's; choose another"
        )

    @table("name, reason")
    def test_what_cannot_be_read_is_named(self, name: str, reason: str, tmp_path: Path) -> None:
        """A file that cannot be read is refused with its path and the reason."""
        (tmp_path / "mine.toml").write_text(HEAD + BCRYPT)
        (tmp_path / "huge.toml").write_bytes(b"#" * ((16 << 20) + 1))
        with pytest.raises(UnreadableInputError) as refused:
            load_policies([str(tmp_path / name)])
        assert f"cannot read {tmp_path / name}: {reason}" == str(refused.value)


class TestFile:
    """What a file may hold."""

    def test_a_floor_takes_over_what_it_leaves_out(self) -> None:
        """A floor without a source or a date has those of its policy."""
        (floor,) = read(HEAD + BCRYPT).floors
        assert floor == Floor(
            hasher="bcrypt", params={"cost": 12}, source="wiki page 7", date=dt.date(2026, 5, 1)
        )

    def test_everything_that_a_file_may_say(self) -> None:
        """Every field of a policy and of a floor is read."""
        policy = read(
            HEAD
            + """url = "https://wiki"
note = "for now"
informative = true
salt_bits = 128
output_bits = 256
approved = ["bcrypt", "plugin"]
"""
            + BCRYPT
            + """source = "paragraph 3"
date = 2026-02-03
legacy = true

[[floors]]
hasher = "plugin"
params = { turns = 7 }
"""
        )
        assert (policy.url, policy.note, policy.informative) == ("https://wiki", "for now", True)
        assert (policy.salt_bits, policy.output_bits) == (128, 256)
        assert policy.approved == ("bcrypt", "plugin")
        own, plugin = policy.floors
        assert (own.source, own.date, own.legacy) == ("paragraph 3", dt.date(2026, 2, 3), True)
        assert plugin.params == {"turns": 7}

    @pytest.mark.parametrize(
        ("text", "problem"),
        [
            ("a = " + "[" * 10_000, "nested too deeply"),
            ("a = " + "9" * 5000, "not TOML: it has a number of thousands of digits"),
            *cases(__file__, "catalogue.toml", "a_mistake_in_the_file_is_refused_with_its_place"),
        ],
        ids=range(13),
    )
    def test_a_mistake_in_the_file_is_refused_with_its_place(
        self, text: str, problem: str
    ) -> None:
        """Text that is not TOML is refused with its line, a wrong or unknown key with the key."""
        assert problem in refusal(text.replace("HEAD\n", HEAD))

    def test_bytes_that_are_no_text_are_refused_with_their_line(self) -> None:
        """Bytes that are not UTF-8 are refused with the line that they are on."""
        assert "not UTF-8 at line 5" == refusal(HEAD.encode() + b"note = '\xff'")

    @table("text, problem")
    def test_a_contradiction_is_refused_with_its_key(self, text: str, problem: str) -> None:
        """A name, a figure or a text that cannot be, or a policy that contradicts itself, is
        refused with the key.
        """
        assert problem == refusal(HEAD + text)

    @pytest.mark.parametrize("id_", ["none", "two words", "x" * 41, "", "\\u001b[31m"])
    def test_an_id_is_a_short_name(self, id_: str) -> None:
        """An id that could not be told from ``none``, or not be a column's title, is refused."""
        assert refusal(HEAD.replace("ours", id_) + BCRYPT).startswith("id: write a short name")

    @pytest.mark.parametrize("key", ["title", "source"])
    @pytest.mark.parametrize("text", ["", "  ", "\\u001b[31mred", "two\\nlines"])
    def test_a_text_is_one_printable_line(self, key: str, text: str) -> None:
        """A title or a source that is empty or could steer a terminal is refused."""
        before = {"title": "Our own rules", "source": "wiki page 7"}[key]
        assert f"`{key}` needs a line of text" == refusal(HEAD.replace(before, text) + BCRYPT)

    def test_a_product_of_alternatives_stays_small(self) -> None:
        """More alternatives for one hasher than any policy has are refused, before they are
        combined with those of another policy.
        """
        floors = "".join(
            ARGON2ID.replace("19456", str(20_000 - count)).replace("= 2", f"= {count + 2}")
            for count in range(33)
        )
        assert "more than 32 minimums for argon2id; leave some out" == refusal(HEAD + floors)

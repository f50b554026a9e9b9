"""What a shell is offered, by the words before its cursor; `end_to_end` asks real shells."""

from corpora import table
from end_to_end.command import calibrate
from hashcost.cli import COMMANDS


def offered(typed: str) -> list[str]:
    """What completes the last word, and where that is of another kind than a word, the kind."""
    words = typed.split(" ")
    asked = {
        "_CALIBRATE_COMPLETE": "bash_complete",
        "COMP_WORDS": typed,
        "COMP_CWORD": str(len(words) - 1),
    }
    ended = calibrate(env=asked)
    assert (0, "") == (ended.code, ended.err)
    found = []
    for line in ended.out.split():
        kind, _, word = line.partition(",")
        found.append(word if kind == "plain" else f"{word} ({kind})")
    return found


@table("typed, words")
def test_what_fits_is_offered(typed: str, words: list[str]) -> None:
    """Commands, options, and names of the kind that stands there; files only where they may."""
    assert words == offered(typed)


def test_a_hasher_may_be_the_first_word() -> None:
    """All commands are offered first, and then all hashers of the default command, by name."""
    words = offered("calibrate ")
    assert [*COMMANDS] == words[: len(COMMANDS)]
    hashers = words[len(COMMANDS) :]
    assert {"bcrypt", "argon2id"} <= {*hashers}
    assert len(hashers) == len({*hashers})
    assert not any("@" in hasher for hasher in hashers)


def test_a_question_that_lacks_words_is_wrong_use() -> None:
    """A shell that does not say what was typed gets a code, and no traceback."""
    ended = calibrate(env={"_CALIBRATE_COMPLETE": "bash_complete"})
    assert (2, "", "") == (ended.code, ended.out, ended.err)

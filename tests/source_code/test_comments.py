"""Which comments of a source file are waivers, and which findings they are about."""

from corpora import cases, table
from hashcost.core.waiver_comments import Comments
from hashcost.source_code.comments import comments_in

WAIVER = cases(__file__, "comments.toml", "waiver")


def read(language: str, text: str) -> tuple[Comments, int]:
    """The waivers of a text, and the line with HERE: the finding's."""
    lines = text.split("\n")
    finding = next((n for n, line in enumerate(lines, 1) if "HERE" in line), 0)
    written = text.replace("WAIVER", WAIVER).replace("HERE", "")
    return comments_in(written, language, None, {finding}), finding


@table("language, text")
def test_a_comment_is_about_a_statement(language: str, text: str) -> None:
    """A waiver on any line of the statement, or directly above it, is about its finding;
    decorators and annotations may stand between.
    """
    comments, finding = read(language, text)

    assert comments.waivers
    for comment in comments.waivers:
        assert comments.is_about(comment.line, finding)
        assert "bcrypt=10 below-min until 2027-03-01: why" == comment.said


@table("language, text")
def test_a_comment_elsewhere_is_about_something_else(language: str, text: str) -> None:
    """A comment of another statement, or with a blank line between, is not about a finding."""
    comments, finding = read(language, text)

    assert comments.waivers
    assert not any(comments.is_about(comment.line, finding) for comment in comments.waivers)


@table("language, text")
def test_only_comments_of_the_grammar_are_waivers(language: str, text: str) -> None:
    """A string, a docstring, a heredoc or text outside of the language is never a waiver."""
    comments, _ = read(language, text)

    assert () == comments.waivers


def test_a_comment_of_several_lines_is_told_apart() -> None:
    """A waiver in a comment over lines is seen, so that it can be called malformed."""
    comments, _ = read("javascript", "/*\n * WAIVER\n */\nf(10);\n")

    assert [(2, True)] == [(comment.line, comment.over_lines) for comment in comments.waivers]

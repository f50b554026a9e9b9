"""Which comments of an application's file are waivers, and which lines they are about."""

from corpora import cases, table
from hashcost.apps.comments import comments_in_file
from hashcost.apps.registry import load_tunable

WAIVER = cases(__file__, "comments.toml", "waiver")


@table("app, path, text, about")
def test_a_configuration_has_waivers_where_it_has_comments(
    app: str, path: str, text: str, about: dict[str, list[int]]
) -> None:
    """A waiver has a line of its own, or ends one in YAML and postgresql.conf; it is about the
    line below its comment, or its own. Texts over lines hold none, and JSON has none.
    """
    written = text.replace("WAIVER", WAIVER)
    comments = comments_in_file(load_tunable(app), path, written, set(map(int, about)))
    waivers = {comment.line for comment in comments.waivers}

    assert {line for lines in about.values() for line in lines} <= waivers
    for line, lines in about.items():
        assert lines == [each for each in sorted(waivers) if comments.is_about(each, int(line))]
    if not about:
        assert not waivers

"""From lines to the hashes in them: one a line, behind a user's name, or in a column."""

import enum
import re
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from itertools import chain, islice, pairwise
from typing import Final

from hashcost.core.errors import UnreadableInputError, UsageError
from hashcost.stored import ldif, plist, prosody, sql
from hashcost.stored.behind_names import PAIR, are_properties, behind_blank, behind_names
from hashcost.stored.columns import (
    Stored,
    column_of_hashes,
    delimiter_of,
    in_columns,
    is_title,
    titled_column,
    titles_of,
)
from hashcost.stored.formats.reading import (
    HASHES,
    NAMED,
    OPEN_HASHES,
    HashReader,
    HashReading,
    Kind,
)
from hashcost.stored.inside import hashes_inside, some_hashes_inside
from hashcost.stored.json_documents import are_values, document_refusal, is_export
from hashcost.stored.lines import COMMENT_SIGNS, LONGEST
from hashcost.stored.members import hasher_named_by, holds_named_hash, in_members, titled_member

# Lines that tell the layout.
_FIRST_LINES = 200
_NAME_SET: Final = re.compile(rb"\s*+(?:export )?[\"']?(?P<name>[^:=\"']{1,80}+)")
"""The name at the start of a setting."""
_IN_A_ROW: Final = re.compile(b"[^:]*[,;\t]")
# A key of YAML, above what it holds, and how lines that a key holds begin.
_KEY: Final = re.compile(rb"[^\s#:-][^:]*+:\s*+(?:[|>][+-]?+\s*+)?(?:#.*+)?")
_HELD: Final = (b" ", b"\t", b"- ")
# A Secret of Kubernetes, as kubectl writes it in JSON.
_SECRET: Final = re.compile(rb'"kind"\s*+:\s*+"Secret"')
# A setting of INI, TOML or a shell, and the title of a section.
_SETTING: Final = re.compile(rb"(?:export )?[A-Za-z_][\w.-]*+ *+= *+[^=\s].*|\[[^\]]++\].*")
_SECTION: Final = re.compile(rb"\[[^\]]++\]")


class Layout(enum.Enum):
    """How a file holds its hashes."""

    HASH = "hash"  # One a line.
    USER = "user"  # Behind a name, as in htpasswd, shadow(5) and PgBouncer's userlist.txt.
    CSV = "csv"  # In a column of values between commas, semicolons or tabs.
    JSONL = "jsonl"  # In a member of a JSON object on each line.
    INSIDE = "inside"  # Anywhere in the lines of another file, such as a configuration.
    LDIF = "ldif"  # In attributes of passwords, as directory servers export them.
    SQL = "sql"  # In columns of passwords, as databases are dumped and seeded.


def rows_in(
    lines: Iterable[bytes], *, layout: Layout | None, columns: Sequence[str], read: HashReader
) -> tuple[Layout, Iterator[Stored]]:
    """Find the hashes, each with the values of the other columns.

    The first lines show the ``layout`` if it is `None`. Of ``columns``, the first has the hashes;
    each is the name of a column or, in a file without names, its number from one.

    Raises:
        UsageError: a column is needed, or named for a layout without columns.
        UnreadableInputError: a column is not in the file, or the file is one JSON
            document.
    """
    rest = iter(lines)
    first = list(islice(rest, _FIRST_LINES))
    whole = chain(first, rest)
    is_told = layout is not None
    if layout is None:
        layout = _layout_of(first, columns, read)
    if layout in (Layout.CSV, Layout.JSONL):
        if not columns:
            raise UsageError(
                f"--column: name the column of the hashes in this {layout.value} file"
            )
        if layout is Layout.JSONL:
            return layout, in_members(whole, columns, read)
        return layout, in_columns(whole, columns, delimiter_of(first, columns[0]), read)
    if columns:
        raise UsageError(f"--column does not apply to --layout {layout.value}; leave it out")
    if layout is Layout.LDIF:
        return layout, zip(ldif.passwords_in(whole))
    if layout is Layout.SQL:
        return layout, zip(sql.hashes_in(whole, read))
    if layout is Layout.INSIDE and prosody.is_prosody(first):
        return layout, zip(prosody.passwords_in(whole))
    if layout is Layout.INSIDE and plist.is_plist(first):
        return layout, zip(plist.passwords_in(whole))
    if layout is Layout.INSIDE and is_told:
        return layout, zip(hashes_inside(whole, read))
    if layout is Layout.INSIDE:
        return layout, zip(some_hashes_inside(whole, read))
    if layout is Layout.HASH:
        return layout, zip(_alone(whole, read))
    return layout, zip(behind_names(whole, read))


def _layout_of(lines: Sequence[bytes], columns: Sequence[str], read: HashReader) -> Layout:
    """Choose the layout in which most of the first lines hold a hash.

    Keys that hold others make a configuration of them, not a list of users.
    """
    shown = _shown(lines)
    is_known = prosody.is_prosody(lines) or plist.is_plist(lines)
    if is_known or _SECRET.search(b" ".join(shown)):
        return Layout.INSIDE
    if shown and (
        shown[0] in (b"[", b"{") or shown[0].startswith(b"[{") or is_export(shown, columns, read)
    ):
        raise UnreadableInputError(document_refusal(shown, columns, read))
    if ldif.is_ldif(lines):
        return Layout.LDIF
    if sql.is_sql(lines):
        return Layout.SQL
    objects = [text for text in shown if text.startswith(b"{") and text.endswith(b"}")]
    are_objects = 2 * len(objects) > len(shown)
    if columns:
        if are_objects:
            return Layout.JSONL
        return Layout.CSV
    with_names = [
        text
        for text in shown
        if b":" in text or PAIR.fullmatch(text) or behind_blank(text, read) is not None
    ]
    # A cell may have a colon before a text that is a hash too, as those of Jenkins have.
    after_names = [text for text in with_names if not _IN_A_ROW.match(text)]
    alone = sum(1 for text in _alone(shown, read) if _is_certain(read(text)))
    entries = [text for text in shown if not text.startswith(COMMENT_SIGNS)]
    named = _count_named(after_names, read, are_users=len(with_names) >= len(entries))
    if named > alone:
        if _is_configuration(lines, after_names, read) or _are_in_text(shown, named, alone, read):
            return Layout.INSIDE
        return Layout.USER
    # A key may stand above its only value.
    if alone and _holds_keys(lines) and sum(1 for _ in hashes_inside(shown, read)) >= alone:
        return Layout.INSIDE
    if alone:
        return Layout.HASH
    if are_objects:
        member = titled_member(objects[0], read)
        # A keystore names the algorithm of its key, and its digests are made by that.
        if hasher_named_by(objects[0], read) and not holds_named_hash(objects[0], member, read):
            return Layout.HASH
        raise _column_refusal(member or "password")
    return _layout_of_marked(lines, with_names, read)


def _shown(lines: Iterable[bytes]) -> list[bytes]:
    """Strip the lines, without those that are blank."""
    stripped = (line.strip(b" \t\r\n") for line in lines)
    return [text for text in stripped if text]


def _layout_of_marked(
    lines: Sequence[bytes], with_names: Sequence[bytes], read: HashReader
) -> Layout:
    """Choose the layout of lines that hold no hash by themselves or after a colon."""
    shown = _shown(lines)
    if any(b"\x00" in text for text in shown if len(text) <= LONGEST):
        raise UnreadableInputError(
            "the file is binary and has no hash in its first lines; read a database with"
            " --database and --query"
        )
    if are_properties(shown, read):
        return Layout.USER
    if _has_sections(shown):
        return Layout.INSIDE
    titles = titles_of(shown)
    number = column_of_hashes(shown, read) or titled_column(titles)
    if number:
        raise _column_refusal(str(number))
    if next(hashes_inside(shown, read), None) is not None:
        return Layout.INSIDE
    if are_values(shown):
        # A program may write the parts of one hash as a list.
        if all(line.startswith(b"[") for line in shown):
            raise UnreadableInputError(
                "each line is a list of JSON; if it holds hashes, write each on a line (jq -r"
                " '.[]'); if it is one hash, its format is unknown: judge the cost that you know"
                " (`calibrate explain pbkdf2-sha256=600000`)"
            )
        raise UnreadableInputError(
            "the lines are values of JSON, such as the parts of one object; write an object on"
            " each line (jq -c '.'), or the texts of a list without quotation marks (jq -r '.[]')"
        )
    # Lines of other files may have as many commas as well, so hashes inside them come first.
    if titles:
        raise _column_refusal("password")
    # A hash may be in any of the later lines.
    if _holds_keys(lines) or _is_text(shown, read):
        return Layout.INSIDE
    if shown and len(with_names) == len(shown):
        return Layout.USER
    return Layout.HASH


def _column_refusal(column: str) -> UsageError:
    return UsageError(
        "--column: each line has several values; name the one with the hash, for"
        f" example --column {column}"
    )


def _holds_keys(lines: Iterable[bytes]) -> bool:
    """Tell whether keys stand above what they hold, as in YAML."""
    shown = [line for line in lines if line.strip()]
    return any(_KEY.fullmatch(key) and below.startswith(_HELD) for key, below in pairwise(shown))


def _has_sections(lines: Iterable[bytes]) -> bool:
    """Tell whether a setting stands below the title of a section, as in INI and TOML."""
    shown = [line for line in lines if not line.startswith(COMMENT_SIGNS)]
    return any(
        _SECTION.fullmatch(title) and _SETTING.fullmatch(below) for title, below in pairwise(shown)
    )


def _is_text(lines: Iterable[bytes], read: HashReader) -> bool:
    """Tell whether most lines are settings, or have several words, as few passwords do."""
    shown = [line for line in lines if not line.startswith(COMMENT_SIGNS)]
    # Users may be called by several words: `Alice Smith:hunter2`.
    if all(b":" in line for line in shown):
        return False
    of_text = [line for line in shown if b" " in line or _SETTING.fullmatch(line)]
    # A hash in an unknown format may have words beside it.
    certain = [line for line in of_text if read(line).kind is not Kind.UNRECOGNISED]
    return 2 * len(certain) > len(shown)


def _is_configuration(lines: Iterable[bytes], named: Iterable[bytes], read: HashReader) -> bool:
    """Tell whether keys hold all hashes that are ``named``, and each names its format.

    In a list, a line without a hash has a password in plain text; a setting has anything.
    """
    shown = [line for line in lines if line.strip()]
    if _are_settings(shown, read):
        return True
    if not _has_sections(shown):
        if not _holds_keys(shown):
            return False
        at_start = [line for line in shown if b":" in line and not line.startswith(_HELD)]
        if _count_hashes(behind_names(at_start, read), read, OPEN_HASHES):
            return False
    inside = sum(1 for _ in hashes_inside(shown, read))
    return inside >= _count_hashes(behind_names(named, read), read, OPEN_HASHES)


def _count_named(lines: Iterable[bytes], read: HashReader, *, are_users: bool) -> int:
    """Count the hashes behind names; a lone mark locks nothing unless all lines ``are_users``."""
    kinds = HASHES
    if not are_users:
        kinds = OPEN_HASHES
    return _count_hashes(behind_names(lines, read), read, kinds)


def _are_in_text(lines: Sequence[bytes], named: int, alone: int, read: HashReader) -> bool:
    """Tell whether hashes behind names are in a text or a configuration.

    It has hashes elsewhere, too, or most of its lines are words without a name.
    """
    inside = sum(1 for _ in hashes_inside(lines, read))
    if inside - alone > named:
        return True
    others = [line for line in lines if b":" not in line and not PAIR.fullmatch(line)]
    are_most = 2 * len(others) > len(lines)
    return are_most and inside - alone >= named and _is_text(others, read)


def _are_settings(lines: Iterable[bytes], read: HashReader) -> bool:
    """Tell whether each hash among other lines is called one of a password, not after a user."""
    entries = [line for line in lines if not line.startswith(COMMENT_SIGNS)]
    names = []
    for line in entries:
        if b":" in line and _count_hashes(behind_names([line], read), read, OPEN_HASHES):
            name = _NAME_SET.match(line)
            names.append(name is not None and is_title(name["name"].strip()))
    return 0 < len(names) < len(entries) and all(names)


def _is_certain(reading: HashReading) -> bool:
    """Tell whether a line is a hash, maybe a locked one, or looks like an application's."""
    # A mark that locks an account stands before much else in other files.
    if reading.kind is Kind.LOCKED:
        return reading.hasher is not None
    # Notes of an unrecognised text name the applications, or say that a salt is behind it.
    if reading.kind is Kind.UNRECOGNISED:
        # The name of an algorithm before it is no part of a hash.
        return not NAMED.keys() >= {*reading.notes}
    return reading.kind in HASHES


def _count_hashes(
    texts: Iterable[bytes], read: HashReader, kinds: AbstractSet[Kind] = HASHES
) -> int:
    return sum(1 for text in texts if read(text).kind in kinds)


def _alone(lines: Iterable[bytes], read: HashReader) -> Iterator[bytes]:
    for line in lines:
        text = line.strip(b" \t")
        if text and (text[:1] != b"#" or read(text).kind in HASHES):
            yield text

"""From lines to the hashes in them: one a line, behind a user's name, or in a column."""

import contextlib
import csv
import enum
import json
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import chain, islice, pairwise
from typing import Any, Final, TypeAlias

import msgspec

from hashcost.core.cost_expressions import example_of
from hashcost.core.decoding import UNDECODABLE
from hashcost.core.errors import UnreadableInputError, UsageError
from hashcost.stored import ldif, plist, prosody, sql
from hashcost.stored.encoded import BASE64, decoded
from hashcost.stored.formats.reading import (
    DOUBTS,
    HASHES,
    NAMED,
    NOT_TEXT,
    NOTES,
    NULL,
    SHORTEST,
    HashReader,
    HashReading,
    Kind,
    hasher_named_in,
)
from hashcost.stored.formats.shapes import algorithm_in
from hashcost.stored.lines import BROKEN, LONGEST, OVERLONG
from hashcost.stored.named import named_in

# Lines that tell the layout.
_FIRST_LINES = 200
# Numbers of fields in passwd(5), Dovecot's passwd-file, shadow(5) and BSD's master.passwd(5).
_TABLE_FIELDS: Final = frozenset({7, 8, 9, 10})
_DELIMITERS: Final = (",", "\t", ";")
_RULE: Final = "|"
"""Stands between the cells of tables that psql and MySQL's client draw."""
_RULER: Final = re.compile(rb"\s*+[-+|]*+\s*+|\([0-9]{1,20} rows?\)")
"""A line of such a table that has no cells."""
_ELEMENT: Final = re.compile(rb"<(?P<name>[A-Za-z][\w-]{0,60})>\s*+(?P<text>[^<>\s]++)\s*+</")
"""An element of XML with one word in it."""
_ATTRIBUTE: Final = re.compile(
    rb"\s(?P<name>[A-Za-z][\w-]{0,60})=(?P<mark>[\"'])(?P<text>[^<>\s\"']++)(?P=mark)"
)
"""An attribute in a tag of XML."""
_TAG: Final = re.compile(rb"<[A-Za-z]")
_WORD_SET: Final = re.compile(
    rb"\s*+(?:export )?[\"']?(?P<name>[\w.-]{1,80}+)[\"']?\s*+[:=]\s*+(?P<mark>[\"']?)"
    rb"(?P<text>[^\s\"',;]{20,}+)(?P=mark)[,;]?\s*+"
)
"""A setting with one word."""
_NAME_SET: Final = re.compile(rb"\s*+(?:export )?[\"']?(?P<name>[^:=\"']{1,80}+)")
"""The name at the start of a setting."""
_HEX: Final = re.compile(rb"[0-9A-Fa-f]{32,128}")
_OF_PASSWORD: Final = re.compile(rb"pass|pwd|^hash$", re.IGNORECASE)
"""A setting that is called the hash of a password, or only a hash; a commit has a hash, too."""
_CALLED_HASH: Final = re.compile(rb"hash", re.IGNORECASE)
_WORD: Final = re.compile(r"[\w.:-]{1,40}")
_IN_A_ROW: Final = re.compile(b"[^:]*[,;\t]")
# A key of YAML, above what it holds, and how lines that a key holds begin.
_KEY: Final = re.compile(rb"[^\s#:-][^:]*+:\s*+(?:#.*+)?")
_HELD: Final = (b" ", b"\t", b"- ")
# A name and a password as PgBouncer has them; it ignores what follows. Doubled marks mean one.
_PAIR: Final = re.compile(rb'"(?:[^"]|"")*+"[ \t]++"(?P<password>(?:[^"]|"")*+)"(?:[ \t].*+)?')
# A name and a password between blanks, of which a program takes the second.
_TWO_WORDS: Final = re.compile(rb"[^\s:;,=#\"']++[ \t]++(?P<password>[^\s;,\"']++)")
# An account of smbpasswd(5), which pdbedit and programs that dump Active Directory write too.
_NO_HASH: Final = rb"(?:NO PASSWORD)?[X*]+"
_SAMBA: Final = re.compile(
    rb"[^:]*+:[0-9]++:(?P<lm>[0-9A-Fa-f]{32}|%b):(?P<nt>[0-9A-Fa-f]{32}|%b):.*"
    % (_NO_HASH, _NO_HASH)
)
# A name and a hash as Java's files of properties have them, such as those of WildFly.
_PROPERTY: Final = re.compile(rb"[\w.@\\-]++[ \t]*+=[ \t]*+(?P<password>[^=\s].*)")
# A list of objects in an export; its name is shown, so it is no longer than titles are.
_LIST: Final = re.compile(rb'"(?P<name>[A-Za-z_]\w{0,30})"\s*+:\s*+\[\s*+\{')
_HOLDER: Final = re.compile(rb'"(?P<name>[A-Za-z_]\w{0,30})"\s*+:\s*+\{')
_CREDENTIALS: Final = re.compile(rb"users|credentials|passwords|accounts", re.IGNORECASE)
"""The names of objects that have a member for each user."""
# A member of an object with a text.
_MEMBER: Final = re.compile(rb'"(?P<name>[\w .-]{1,40}+)"\s*+:\s*+"(?P<value>[^"\\]{1,400}+)"')
# An object whose first member is another, and how values of JSON begin that name their kind.
_OBJECT_FIRST: Final = re.compile(rb'\{\s*+"(?:[^"\\]|\\.)*+"\s*+:\s*+\{')
_MARKED_VALUE: Final = (b'"', b"{", b"[")
# How comments begin; the semicolon is PgBouncer's.
_COMMENTS: Final = (b"#", b";")
# A Secret of Kubernetes, as kubectl writes it in JSON.
_SECRET: Final = re.compile(rb'"kind"\s*+:\s*+"Secret"')
# A setting of INI, TOML or a shell, and the title of a section.
_SETTING: Final = re.compile(rb"(?:export )?[A-Za-z_][\w.-]*+ *+= *+[^=\s].*|\[[^\]]++\].*")
_COLUMN = re.compile("[0-9]{1,9}")
# Titles that a column of hashes may have.
_TITLE = re.compile(
    r"(?=[\w .-]*(?:pass|pwd|hash|digest|secret|crypt|argon|pbkdf|md5|sha-?[1235])|pw$)"
    r"[\w .-]++(?<!salt)(?<!token)",
    re.IGNORECASE,
)
_WITHOUT_COST: Final = frozenset({Kind.FAST, Kind.UNRECOGNISED, Kind.PLAIN})
"""Kinds of text that may be a key whose cost is in other members."""
_OPEN: Final = HASHES - {Kind.LOCKED}
"""Kinds of hashes that users log in with."""
_HASH_LIKE: Final = _OPEN | {Kind.UNRECOGNISED}
_PERHAPS_HASH: Final = _HASH_LIKE | {Kind.UNREADABLE}
_DECODER: Final = json.JSONDecoder()
_OPTIONS: Final = ("--column", "--last-login")
"""The options that name the columns."""


class Layout(enum.Enum):
    """How a file holds its hashes."""

    HASH = "hash"  # One a line.
    USER = "user"  # Behind a name, as in htpasswd, shadow(5) and PgBouncer's userlist.txt.
    CSV = "csv"  # In a column of values between commas, semicolons or tabs.
    JSONL = "jsonl"  # In a member of a JSON object on each line.
    INSIDE = "inside"  # Anywhere in the lines of another file, such as a configuration.
    LDIF = "ldif"  # In attributes of passwords, as directory servers export them.
    SQL = "sql"  # In columns of passwords, as databases are dumped and seeded.


Stored: TypeAlias = tuple[bytes | str, ...]
"""A hash, and what else is asked of its row; an empty text is a value that the row lacks."""


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
            return layout, _in_members(whole, columns, read)
        return layout, _in_columns(whole, columns, _delimiter(first, columns[0]), read)
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
        return layout, zip(_inside(whole, read))
    if layout is Layout.INSIDE:
        return layout, zip(_some_inside(whole, read))
    if layout is Layout.HASH:
        return layout, zip(_alone(whole, read))
    return layout, zip(_behind_names(whole, read))


def _layout_of(lines: Sequence[bytes], columns: Sequence[str], read: HashReader) -> Layout:
    """Choose the layout in which most of the first lines hold a hash.

    Keys that hold others make a configuration of them, not a list of users.
    """
    shown = _shown(lines)
    is_known = prosody.is_prosody(lines) or plist.is_plist(lines)
    if is_known or _SECRET.search(b" ".join(shown)):
        return Layout.INSIDE
    if shown and (
        shown[0] in (b"[", b"{") or shown[0].startswith(b"[{") or _is_export(shown, columns, read)
    ):
        raise UnreadableInputError(_document_refusal(shown, columns, read))
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
        if b":" in text or _PAIR.fullmatch(text) or _behind_blank(text, read) is not None
    ]
    # A cell may have a colon before a text that is a hash too, as those of Jenkins have.
    after_names = [text for text in with_names if not _IN_A_ROW.match(text)]
    alone = sum(1 for text in _alone(shown, read) if _is_certain(read(text)))
    kinds = HASHES
    # Behind a colon in another file, a lone mark locks nothing.
    if len(with_names) < sum(1 for text in shown if not text.startswith(_COMMENTS)):
        kinds = _OPEN
    named = _count_hashes(_behind_names(after_names, read), read, kinds)
    if named > alone:
        if _is_configuration(lines, after_names, read):
            return Layout.INSIDE
        return Layout.USER
    if alone:
        return Layout.HASH
    if are_objects:
        member = _titled_member(objects[0], read)
        # A keystore names the algorithm of its key, and its digests are made by that.
        if _hasher_named_by(objects[0], read) and not _holds_named_hash(objects[0], member, read):
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
    titles = _titles(shown)
    number = _column_of_hashes(shown, read) or _titled_column(titles)
    if number:
        raise _column_refusal(str(number))
    if _are_properties(shown, read):
        return Layout.USER
    if next(_inside(shown, read), None) is not None:
        return Layout.INSIDE
    if _are_values(shown):
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


def _is_text(lines: Iterable[bytes], read: HashReader) -> bool:
    """Tell whether most lines are settings, or have several words, as few passwords do."""
    shown = [line for line in lines if not line.startswith(_COMMENTS)]
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
    if not _holds_keys(shown):
        return False
    at_start = [line for line in shown if b":" in line and not line.startswith(_HELD)]
    if _count_hashes(_behind_names(at_start, read), read, _OPEN):
        return False
    inside = sum(1 for _ in _inside(shown, read))
    return inside >= _count_hashes(_behind_names(named, read), read, _OPEN)


def _are_settings(lines: Iterable[bytes], read: HashReader) -> bool:
    """Tell whether each hash among other lines is called one of a password, not after a user."""
    entries = [line for line in lines if not line.startswith(_COMMENTS)]
    names = []
    for line in entries:
        if b":" in line and _count_hashes(_behind_names([line], read), read, _OPEN):
            name = _NAME_SET.match(line)
            names.append(name is not None and _is_title(name["name"].strip()))
    return 0 < len(names) < len(entries) and all(names)


def _is_title(name: bytes) -> bool:
    return _TITLE.fullmatch(name.decode(errors="replace")) is not None


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


def _column_of_hashes(lines: Iterable[bytes], read: HashReader) -> int:
    """Find the number of the first cell between delimiters that is a hash; 0 if none is.

    Before a password hash, a digest may be somebody's number.
    """
    digest = 0
    for line in lines:
        for delimiter in _DELIMITERS:
            row = _row(line, delimiter)
            for number, cell in enumerate(row, start=1):
                kind = read(cell.strip()).kind
                if len(row) > 1 and kind is Kind.HASHED:
                    return number
                if len(row) > 1 and kind is Kind.FAST:
                    digest = digest or number
    return digest


def _titles(lines: Sequence[bytes]) -> list[str]:
    """Take the cells of the first line if all lines have as many, as in a table."""
    for delimiter in _DELIMITERS:
        rows = [_row(line, delimiter) for line in lines]
        if len({len(row) for row in rows}) != 1 or len(rows) < 2 or len(rows[0]) < 2:
            continue
        titles = [title.strip() for title in rows[0]]
        # A mark at the end of each line, as in programs, divides nothing.
        if all(titles):
            return titles
    return []


def _titled_column(titles: Iterable[str]) -> int:
    """Find the number of the title that is one of hashes; 0 if none is."""
    for number, title in enumerate(titles, start=1):
        if _TITLE.fullmatch(title):
            return number
    return 0


def _titled_member(text: bytes, read: HashReader) -> str:
    """Find the member of an object, or of one inside it, that has the title of hashes and a hash.

    The name is empty if none has.
    """
    try:
        members = msgspec.json.decode(text, type=dict[str, Any])
    except UNDECODABLE:
        members = {}
    inside = chain.from_iterable(_levels_of(members))
    for one in inside:
        for name, value in one.items():
            is_text = isinstance(value, str) and _TITLE.fullmatch(name)
            if is_text and read(value).kind in _HASH_LIKE:
                return name
    return ""


def _are_properties(lines: Iterable[bytes], read: HashReader) -> bool:
    """Tell whether every line but comments is a name, an equals sign and a hash."""
    entries = [line for line in lines if not line.startswith(_COMMENTS)]
    return bool(entries) and all(_is_property(line, read) for line in entries)


def _is_property(text: bytes, read: HashReader) -> bool:
    """Tell whether a line is a name, an equals sign and a hash."""
    match = _PROPERTY.fullmatch(text)
    return match is not None and read(match["password"]).kind in _OPEN


def _document_refusal(lines: Sequence[bytes], columns: Sequence[str], read: HashReader) -> str:
    """Say how to make lines of a JSON document, and which option its hashes need."""
    objects = ".[]"
    text = b" ".join(lines)
    named = _list_with_hashes(text, read)
    holder = b""
    if named is None:
        holder = _holder_of_hashes(text, read)
    if text.startswith(b"{") and named is None and not _holds_only_objects(text):
        objects = "."  # What `.[]` takes apart are the values of one object.
    if named is not None and not text.startswith(b"["):
        before = text[: named.start()]
        objects = f".{named['name'].decode()}[]"
        if before.count(b"{") - before.count(b"}") > 1:  # The list is in another object.
            objects = f".. | .{named['name'].decode()}?[]?"
    if holder and not columns:
        only = f"jq -r '.. | .{holder.decode()}? | .[]?'"
        return f"the file is one JSON document; write a hash on each line: {only}"
    refusal = f"the file is one JSON document; write an object on each line: jq -c '{objects}'"
    if columns and len(lines) == 1:
        return f"{refusal}, or name a member of the object with --column"
    if columns:
        return "; ".join((refusal, *_notes_on_apps(text, read)))
    member = _member_to_name(text, read)
    hasher = _hasher_named_by(text, read)
    if member:
        refusal += f", and name its hash: --column {shlex.quote(member)}"
    elif hasher and named is None and text.startswith(b"{") and not _is_one_hash(text, read):
        refusal = (
            f"the file is one JSON object that names {hasher} and has no hash; judge the cost that"
            f" it states: `calibrate explain {example_of(hasher)}`"
        )
    return "; ".join((refusal, *_notes_on_apps(text, read)))


def _is_one_hash(text: bytes, read: HashReader) -> bool:
    """Tell whether a document, written without blanks, is a hash in a known format."""
    try:
        return read(msgspec.json.encode(msgspec.json.decode(text))).kind in HASHES
    except UNDECODABLE:
        return False


def _list_with_hashes(text: bytes, read: HashReader) -> re.Match[bytes] | None:
    """Find the list of objects that have hashes, or else the first if nothing else has any."""
    lists = list(_LIST.finditer(text))
    place = _place_of_hash(text, read)
    # Of lists in each other, the hash is in the innermost.
    for named in reversed(lists):
        before = text[named.start() : max(place, named.start())]
        if before.count(b"[") > before.count(b"]"):
            return named
    if not lists or _holder_of_hashes(text, read):
        return None
    return lists[0]


def _place_of_hash(text: bytes, read: HashReader) -> int:
    """Find the first member of a document that has the title of hashes and a hash."""
    for member in _MEMBER.finditer(text):
        is_titled = _TITLE.fullmatch(member["name"].decode(errors="replace")) is not None
        if is_titled and read(member["value"]).kind in _HASH_LIKE:
            return member.start()
    return -1


def _holder_of_hashes(text: bytes, read: HashReader) -> bytes:
    """Name the object whose members are all users with their hashes; empty if none is."""
    for holder in _HOLDER.finditer(text):
        inside = text[holder.end() : _end_of(text, holder, b"}")]
        values = [member["value"] for member in _MEMBER.finditer(inside)]
        are_all = inside.count(b":") == len(values) > 0
        is_titled = _CREDENTIALS.fullmatch(holder["name"]) is not None
        if is_titled and are_all and all(read(value).kind in _HASH_LIKE for value in values):
            return holder["name"]
    return b""


def _end_of(text: bytes, opened: re.Match[bytes], sign: bytes) -> int:
    """Find the first closing sign behind what opens, or the end of the text."""
    end = text.find(sign, opened.end())
    if end < 0:
        return len(text)
    return end


def _hasher_named_by(text: bytes, read: HashReader) -> str:
    """Name the hasher that an object in no known format names; empty if it names none."""
    reading = read(text)
    if NAMED.keys().isdisjoint(reading.notes):
        return ""
    return hasher_named_in(reading.notes)


def _holds_named_hash(text: bytes, member: str, read: HashReader) -> bool:
    """Tell whether a member of an object, if it is called anything, is more than a digest."""
    if not member:
        return False
    members = msgspec.json.decode(text, type=dict[str, Any])
    values = (holder[member] for holder in _holders(members, member))
    return any(isinstance(one, str) and read(one).kind is not Kind.FAST for one in values)


def _member_to_name(text: bytes, read: HashReader) -> str:
    """Name the first member of a document that has the title of hashes and a hash.

    The name is empty if none has, or if its object is read as a whole.
    """
    for member in _MEMBER.finditer(text):
        name = member["name"].decode(errors="replace")
        if _TITLE.fullmatch(name) and read(member["value"]).kind in _HASH_LIKE:
            if _is_in_a_hash(text, member.start(), read):
                return ""
            return name
    return ""


def _is_in_a_hash(text: bytes, place: int, read: HashReader) -> bool:
    """Tell whether one of the objects around a place is a hash in a known format."""
    earliest = max(0, place - LONGEST)
    start = text.rfind(b"{", earliest, place)
    while start >= 0:
        # What is nested too deeply is not read.
        with contextlib.suppress(ValueError, RecursionError):
            one, end = _DECODER.raw_decode(text[start : start + LONGEST].decode(errors="replace"))
            if start + end > place and read(json.dumps(one)).kind in HASHES:
                return True
        start = text.rfind(b"{", earliest, start)
    return False


def _notes_on_apps(text: bytes, read: HashReader) -> Sequence[str]:
    """List the applications that may have written the first hash of a document in doubt."""
    for member in _MEMBER.finditer(text):
        if _TITLE.fullmatch(member["name"].decode(errors="replace")):
            doubts = [note for note in read(member["value"]).notes if note in DOUBTS]
            if doubts and not _is_in_a_hash(text, member.start(), read):
                return [NOTES[note] for note in doubts]
    return []


def _holds_only_objects(text: bytes) -> bool:
    """Tell whether each member of an object is another one, such as users by their names.

    Of a text that ends early, the first member tells.
    """
    try:
        members = msgspec.json.decode(text, type=dict[str, Any])
    except UNDECODABLE:
        return _OBJECT_FIRST.match(text) is not None
    return all(isinstance(value, dict) for value in members.values())


def _are_values(lines: Sequence[bytes]) -> bool:
    """Tell whether each line is a value of JSON, and one of them more than a number or a word."""
    if not any(line.startswith(_MARKED_VALUE) for line in lines):
        return False
    try:
        for line in lines:
            msgspec.json.decode(line)
    except UNDECODABLE:
        return False
    return True


def _is_export(lines: Sequence[bytes], columns: Sequence[str], read: HashReader) -> bool:
    """Whether the only line is an object with a list of others, and no hash itself."""
    if len(lines) != 1 or read(lines[0]).kind in HASHES:
        return False
    try:
        members = msgspec.json.decode(lines[0], type=dict[str, Any])
    except UNDECODABLE:
        return False
    if members.keys() & set(columns):
        return False
    return any(
        isinstance(value, list) and value and isinstance(value[0], dict)
        for value in members.values()
    )


def _alone(lines: Iterable[bytes], read: HashReader) -> Iterator[bytes]:
    for line in lines:
        text = line.strip(b" \t")
        if text and (text[:1] != b"#" or read(text).kind in HASHES):
            yield text


def _behind_names(lines: Iterable[bytes], read: HashReader) -> Iterator[bytes]:
    """Take the text behind the name; in tables of accounts, only the second field.

    Apache ignores what follows a hash, too. A blank divides name and hash if both are in
    quotation marks. Another line without a colon may still be a hash, and is else unreadable.
    """
    for line in lines:
        if line is OVERLONG:
            yield line
            continue
        text = line.strip(b" \t")
        if not text or text.startswith(_COMMENTS):
            continue
        pair = _PAIR.fullmatch(text)
        if pair is not None:
            yield pair["password"].replace(b'""', b'"')
            continue
        samba = _SAMBA.fullmatch(text)
        if samba is not None:
            yield b"$NT$" + samba["nt"]
            older = b"$LM$" + samba["lm"]
            # Few accounts have this one still, and a mark stands in its place.
            if read(older).kind is Kind.FAST:
                yield older
            continue
        if _is_property(text, read):
            _, _, password = text.partition(b"=")
            yield password.lstrip(b" \t")
            continue
        name, colon, rest = text.partition(b":")
        if colon and _begins_with_algorithm(text, rest, read):
            yield text
            continue
        # A colon inside brackets ends no name.
        if text.endswith(b")") and name.count(b"(") > name.count(b")"):
            yield text
            continue
        if not colon:
            yield _without_colon(text, read)
            continue
        rest = rest.lstrip(b" \t")
        fields = text.count(b":") + 1
        field = _first_field(rest, read, is_of_table=fields in _TABLE_FIELDS)
        yield _without_realm(field.rstrip(b" \t"), read)


def _without_colon(text: bytes, read: HashReader) -> bytes:
    """Take a hash that has no name before it, or only a blank between."""
    behind = _behind_blank(text, read)
    if behind is not None:
        return behind
    if len(text) < SHORTEST or read(text).kind not in HASHES:
        return BROKEN
    return text


def _behind_blank(text: bytes, read: HashReader) -> bytes | None:
    """Take the second of two words if it is a hash by itself."""
    words = _TWO_WORDS.fullmatch(text)
    if words is None or read(text).kind in HASHES:
        return None
    if read(words["password"]).kind not in _OPEN:
        return None
    return words["password"]


def _begins_with_algorithm(text: bytes, rest: bytes, read: HashReader) -> bool:
    """Tell whether the name before a hash is that of its algorithm, not of a user."""
    # A format that names its algorithm there is none behind another name.
    if read(text).kind in HASHES and read(b"user:" + rest).kind not in HASHES:
        return True
    behind = read(rest.strip(b" \t"))
    if behind.kind in HASHES or not NAMED.keys().isdisjoint(behind.notes):
        return False
    whole = read(text)
    # No name begins like a format, of which this may be cut off.
    if whole.kind is Kind.UNREADABLE and whole.format not in NOT_TEXT:
        return True
    return behind.kind is Kind.UNRECOGNISED and not NAMED.keys().isdisjoint(whole.notes)


def _first_field(rest: bytes, read: HashReader, *, is_of_table: bool) -> bytes:
    """Take the hash from all that is behind a name."""
    field, _, _ = rest.partition(b":")
    # Hashes of MediaWiki and Joomla have colons themselves.
    if read(rest).kind in HASHES and not (is_of_table and read(field).kind in HASHES):
        return rest
    names_its_format = any(text == field for _, text in named_in(field, read))
    if is_of_table or names_its_format:
        return field
    return rest


def _without_realm(text: bytes, read: HashReader) -> bytes:
    """Take the digest behind a realm, as in htdigest, or behind its salt."""
    if read(text).kind is not Kind.UNRECOGNISED:
        return text
    realm, _, digest = text.rpartition(b":")
    # A salt that looks like a digest stands before keys of scrypt and PBKDF2 as well.
    if read(digest).kind is not Kind.FAST or read(realm).kind is Kind.FAST:
        return text
    # Iterations and a salt stand before a key, too.
    if any(field.isdigit() for field in realm.split(b":")):
        return text
    return digest


def _inside(lines: Iterable[bytes], read: HashReader) -> Iterator[bytes]:
    """Find the hashes that name their format, anywhere in the lines, or in text in base64.

    A Secret of Kubernetes has its files in base64, which may be folded. In XML, elements and
    attributes have titles, as columns have, and a setting may be called the hash of a password.
    """
    for line in _unfolded(lines):
        hashes = [text for _, text in named_in(line, read)]
        if not hashes:
            hashes = list(_in_setting(line, read))
        if not hashes and _TAG.search(line):
            hashes = list(_in_tags(line, read))
        if not hashes:
            hashes = [text for _, text in named_in(decoded(line, read), read)]
        yield from hashes


def _some_inside(lines: Iterable[bytes], read: HashReader) -> Iterator[bytes]:
    """Find the hashes in lines that look like settings or text.

    Raises:
        UnreadableInputError: it finds no hash.
    """
    is_empty = True
    for text in _inside(lines, read):
        is_empty = False
        yield text
    if is_empty:
        raise UnreadableInputError(
            "the lines are settings or text, and no hash among them names a format known here;"
            " write only the hashes, one a line (--layout hash: each line is one)"
        )


def _in_setting(line: bytes, read: HashReader) -> Iterator[bytes]:
    """Find the text that a line sets, if it is called the hash of a password."""
    setting = _WORD_SET.fullmatch(line)
    if setting is None:
        return
    name, text = setting["name"], setting["text"]
    if not _OF_PASSWORD.search(name):
        return
    reading = read(text)
    # If it is not called a hash, it may be a password of random characters.
    is_hash = _CALLED_HASH.search(name) and reading.kind in _PERHAPS_HASH
    is_marked = "unmarked" not in reading.notes or _HEX.fullmatch(text)
    if is_hash or (reading.kind in HASHES and is_marked):
        yield text


def _in_tags(line: bytes, read: HashReader) -> Iterator[bytes]:
    """Find the hashes in the elements and the attributes of a line that have their titles."""
    for match in chain(_ELEMENT.finditer(line), _ATTRIBUTE.finditer(line)):
        # Another name may be a user's.
        if _TITLE.fullmatch(match["name"].decode()) and read(match["text"]).kind in HASHES:
            yield match["text"]


def _unfolded(lines: Iterable[bytes]) -> Iterator[bytes]:
    """Join lines of only base64, as long as a line has no room for more."""
    folded = b""
    for line in lines:
        text = line.strip(b" \t")
        if BASE64.fullmatch(text) and len(folded) + len(text) <= LONGEST:
            folded += text
            continue
        if folded:
            yield folded
            folded = b""
        yield line
    if folded:
        yield folded


def _delimiter(lines: Iterable[bytes], column: str) -> str:
    """Tell the delimiter by which the first line has the column, or else the likeliest."""
    first = next((line for line in lines if not _RULER.fullmatch(line)), b"")
    for delimiter in (*_DELIMITERS, _RULE):
        if column in map(str.strip, _row(first, delimiter)):
            return delimiter
    if b"\t" in first:
        return "\t"
    if first.count(b";") > first.count(b","):
        return ";"
    return ","


def _row(line: bytes, delimiter: str) -> list[str]:
    text = line.decode(errors="surrogateescape")
    with contextlib.suppress(csv.Error):
        return next(_reader([text], delimiter, strict=False), [])
    return []


def _reader(lines: Iterable[str], delimiter: str, *, strict: bool) -> Iterator[list[str]]:
    csv.field_size_limit(2 * LONGEST)
    return csv.reader(lines, delimiter=delimiter, skipinitialspace=True, strict=strict)


def _in_columns(
    lines: Iterable[bytes], columns: Sequence[str], delimiter: str, read: HashReader
) -> Iterator[Stored]:
    """Read the columns; a digest without a mark has the hasher that its row names behind it."""
    if delimiter == _RULE:
        lines = (line for line in lines if not _RULER.fullmatch(line))
    rows = _rows(lines, delimiter)
    first = next(rows, None)
    if first is None:
        return
    if not first:
        raise UnreadableInputError(
            "--column: the first row of the file cannot be read; name another --layout"
        )
    names = [name.strip() for name in first]
    indices = []
    for option, column in zip(_OPTIONS, columns, strict=False):
        indices.append(column_index(column, names, option))
    # A number may stand for a column of a file without titles.
    has_titles = any(map(_TITLE.fullmatch, names)) and not _has_hash(names, read)
    if columns[0] not in names and not has_titles:
        rows = chain([first], rows)
    for row in rows:
        if indices[0] >= len(row):
            yield (BROKEN, *[""] * (len(columns) - 1))
            continue
        # Of a row that ends early, only the hash must be there.
        padded = row + [""] * (max(indices) + 1 - len(row))
        text, *others = (padded[index].strip() for index in indices)
        beside = [cell for number, cell in enumerate(row) if number != indices[0]]
        yield (_with_its_hasher(text, beside, read), *others)


def _has_hash(cells: Iterable[str], read: HashReader) -> bool:
    return any(read(cell).kind in _OPEN for cell in cells)


def _with_its_hasher(text: str, beside: Sequence[str], read: HashReader) -> str:
    """Add the hasher that another cell names to what else looks like a plain digest."""
    if read(text).kind is not Kind.FAST:
        return text
    for cell in beside:
        hasher = algorithm_in(cell)
        # A whole hash in another cell, or a sentence, tells nothing of this one.
        if hasher is not None and _WORD.fullmatch(cell.strip()):
            return f"{text} {hasher}"
    return text


def column_index(column: str, names: Sequence[str], option: str) -> int:
    """Find the column that an option names, or gives the number of, from one.

    Raises:
        UnreadableInputError: the column is missing.
    """
    if column in names:
        return names.index(column)
    if _COLUMN.fullmatch(column) and 0 < int(column) <= len(names):
        return int(column) - 1
    # Where the file has no titles, they are somebody's values, and none is shown.
    raise UnreadableInputError(
        f"{option}: this is not one of the {len(names)} columns; name one by its title, or give"
        " a number from 1"
    )


def _rows(lines: Iterable[bytes], delimiter: str) -> Iterator[list[str]]:
    """Read the rows; each line of one that cannot be read makes an empty one."""
    feed = _Feed(iter(lines))
    rows = _reader(feed, delimiter, strict=True)
    while True:
        try:
            row = next(rows)
        except StopIteration:
            return
        except csv.Error:
            for _ in range(feed.lines):
                yield []
        else:
            yield row
        feed.lines = 0
        feed.size = 0


class _Feed:
    """Lines for a reader that would gather one row from any number of them."""

    def __init__(self, lines: Iterator[bytes]) -> None:
        self._lines = lines
        # Those of the present row, and their bytes.
        self.lines = 0
        self.size = 0

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line = next(filter(None, self._lines))
        self.lines += 1
        self.size += len(line)
        if self.size > LONGEST:
            raise csv.Error
        return line.decode(errors="surrogateescape")


def _in_members(
    lines: Iterable[bytes], columns: Sequence[str], read: HashReader
) -> Iterator[Stored]:
    """Read the members; null means no password, and any other value than text is unreadable.

    Where other members hold the cost, as in CouchDB's documents of users, the whole object is
    the hash.
    """
    decode = msgspec.json.Decoder(dict[str, Any]).decode
    column, *others = columns
    objects = False
    missing = dict(zip(columns, _OPTIONS, strict=False))
    for line in lines:
        if not line.strip():
            continue
        try:
            members = decode(line)
        except UNDECODABLE:
            yield (BROKEN, *[""] * len(others))
            continue
        objects = True
        for holder in _holders(members, column) or [members]:
            # What is not beside the hash may be of the whole object.
            row = {**members, **holder}
            for present in missing.keys() & row.keys():
                del missing[present]
            rest = [str(row.get(other) or "") for other in others]
            whole = msgspec.json.encode(holder)
            if holder is members:
                whole = line.strip()
            yield (_text_of_member(holder, column, whole, read), *rest)
    for option in missing.values():
        if objects:
            raise UnreadableInputError(f"{option}: no object has this member; name another")


def _levels_of(members: Mapping[str, Any]) -> Iterator[list[dict[str, Any]]]:
    """Yield an object, and then those inside it, level by level."""
    level: list[Any] = [members]
    while level:
        objects = [value for value in level if isinstance(value, dict)]
        yield objects
        lists = [value for value in level if isinstance(value, list)]
        level = [*chain.from_iterable(lists)]
        for one in objects:
            level += one.values()


def _holders(members: Mapping[str, Any], column: str) -> list[dict[str, Any]]:
    """Find the objects that hold a member: the one on the line, or else the nearest inside it."""
    for objects in _levels_of(members):
        holders = [one for one in objects if column in one]
        if holders:
            return holders
    return []


def _text_of_member(
    members: Mapping[str, Any], column: str, whole: bytes, read: HashReader
) -> bytes | str:
    """Take the hash of an object: its member, or the ``whole`` of it if others hold the cost."""
    value = members.get(column)
    # Objects of several forms may stand in one list, as Keycloak's credentials do.
    if column not in members and read(whole).kind is Kind.HASHED:
        return whole
    if value is None:
        value = NULL
    elif not isinstance(value, str):
        value = BROKEN
    text: bytes | str = value.strip()
    if read(text).kind in _WITHOUT_COST:
        others = {name: other for name, other in members.items() if name != column}
        is_part = read(msgspec.json.encode(others)).kind is not Kind.HASHED
        if read(whole).kind is Kind.HASHED and is_part:
            return whole
        # What another member says made it is no digest that only looks like one.
        if is_part and _is_made_by(read(msgspec.json.encode(others)), read(text)):
            return whole
    return text


def _is_made_by(others: HashReading, value: HashReading) -> bool:
    """Tell whether the members beside a digest without a mark name another hasher."""
    names_another = not NAMED.keys().isdisjoint(others.notes)
    return value.kind in {Kind.FAST, Kind.UNRECOGNISED} and names_another

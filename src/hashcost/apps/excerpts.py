"""Configuration that another file has inside: scripts, manifests, playbooks, Nix, Terraform. Pure.

Each is a text of its own, such as a document that a shell script writes, with the numbers that
its lines have in the other file.
"""

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import PurePath
from typing import Any, Final

from hashcost.apps.attributes import Attribute, attributes
from hashcost.apps.yaml_values import values as yaml_values
from hashcost.core.errors import UnreadableInputError

_BLOCK: Final = re.compile(
    r"(?P<before>[ ]*+(?:-[ ]++)*+)(?:[\"']?(?P<key>[\w./-]++)[\"']?[ ]*+:[ ]*+)?"
    r"[|>][-+0-9]*+[ ]*+(?:#.*)?"
)
"""A key of YAML, or an item of a list, with a text on the lines below."""
_HEREDOC: Final = re.compile(r"(?<!<)<<[-~]?[ \t]*+(?P<quote>[\"'\\]?)(?P<label>[A-Za-z_]\w*+)")
_ADDS: Final = re.compile(r">>|\btee[ \t]++(?:-a|--append)\b")
"""A document that goes to the end of a file."""
_NIX_TEXT: Final = re.compile(r"''(?!['$\\])")
_NIX_WHOLE: Final = re.compile(r"\b(?:text|content|writeText)\b")
_IN_QUOTES: Final = re.compile(r"\"(?P<text>[^\"\s]++)\"")
_VARIABLE: Final = re.compile(
    r"[ \t]*+(?:(?:export|readonly|local)[ \t]++)?(?P<name>[A-Za-z_]\w*+)="
)
_USED: Final = re.compile(r"\$(?:(?P<name>[A-Za-z_]\w*+)|\{(?P<braced>[A-Za-z_]\w*+)\})")
_SUBSTITUTION: Final = re.compile(r"\bs(?P<by>[/|#,@!~%])")
_PRINTS: Final = re.compile(r"(?:^|[\s;&|(])(?:echo|printf)[ \t]++")
_QUOTED: Final = re.compile(r"\"(?P<double>(?:[^\"\\]|\\.)*+)\"?|'(?P<single>[^']*+)'?")
_WRITES: Final = re.compile(r">|\|[ \t]*+(?:sudo[ \t]++)?tee\b")
_LINE_OF_FILE: Final = re.compile(r"[ \t]*+(?:-[ \t]++)?line:[ \t]++(?P<text>\S.*)")
_SHORT_LINE: Final = re.compile(r"\bline=(?P<text>.+)")
"""A line that Ansible puts into a file."""
_GIVEN: Final = re.compile(
    r"(?:^|\s)(?:-e|--env|--set|--set-string)[ \t=]++(?P<quote>[\"']?)"
    r"(?P<name>[A-Za-z_][\w.]*+)=(?P<value>[^\s\"']*+)"
)
"""A variable of a container that a command starts, or a value of a chart."""
_ENV: Final = re.compile(r"[ \t]*+ENV[ \t]++(?P<rest>\S.*)")
_ENVIRONMENT: Final = re.compile(r"[ \t]*+Environment[ \t]*+=(?P<rest>.*)")
_PAIR: Final = re.compile(
    r"(?<![\w\"'])(?P<outer>[\"']?)(?P<name>[A-Za-z_]\w*+)=(?:\"(?P<double>[^\"]*+)\"|'(?P<single>[^']*+)'"
    r"|(?P<plain>[^\s\"'\\]*+))(?P=outer)"
)
_ROOTS: Final = frozenset(
    ("settings", "config", "configuration", "environment", "env", "set", "values")
)
"""Parts of a path below which an application's own settings are."""
_ADDED: Final = frozenset(("block", "line", "extraConfig"))
"""Keys whose text is only a part of a file."""
_VARIABLES: Final = frozenset(("env", "environment"))
"""Keys of the variables of a container."""
_TARGETS: Final = frozenset(("container_path", "destination", "mount_path"))
"""Keys of a place where a container has a volume."""
_TAKES_MAP: Final = frozenset(("config_map_ref", "envFrom", "env_from", "secret_ref"))
"""Keys of a map whose entries are variables of a container."""
_TAKES_FILE: Final = frozenset(
    ("env_file", "env_files", "envFile", "envFiles", "environmentFile", "environmentFiles")
)
"""Keys of a file with variables of a container."""
_ENV_FILES: Final = re.compile(r"(?i)environment_?files?|settingsFile|extraConfigFiles|configFile")


@dataclass(frozen=True)
class Excerpt:
    """A text of configuration, and the number of each of its lines in the file around it.

    It is the whole of a configuration or, where something adds lines to one, a part.
    """

    text: str
    lines: tuple[int, ...]
    is_whole: bool
    is_known: bool = False
    """Whether what is around it shows that it is the application's."""
    elsewhere: str = ""
    """A file that it takes settings from, too."""
    either: tuple[str, ...] = ()
    """The text with only the first and with only the last of several values of a name, if any has
    several: how a script runs decides which one counts."""


def excerpts(text: str, path: str, reading: Mapping[str, Any], name: str) -> Iterator[Excerpt]:
    """List the texts of configuration in a file, each written as an application reads it.

    Args:
        text: The file.
        path: Its path.
        reading: How the application reads its files.
        name: The name of the application.

    Raises:
        UnreadableInputError: Nix or Terraform is nested too deep.
    """
    is_nix = PurePath(path).suffix == ".nix"
    lines = text.split("\n")
    rest = [*lines]
    blocks = [*_heredocs(lines)]
    if is_nix:
        blocks += _nix_texts(lines)
    above = [lines[block.lines[0] - 2] for block in blocks]
    inside = {quoted["text"] for line in above for quoted in _IN_QUOTES.finditer(line)}
    for block in blocks:
        for number in block.lines:
            rest[number - 1] = ""
    yield from blocks
    if is_nix or PurePath(path).suffix in {".tf", ".hcl", ".nomad"}:
        try:
            values = attributes("\n".join(rest), is_nix=is_nix)
        except UnreadableInputError as error:
            raise UnreadableInputError(f"{error}; name the file that it makes", path) from error
        yield from _containers(values)
        yield from _of_attributes(values, reading, name, inside, is_nix=is_nix)
        return
    yield from _yaml_blocks(lines)
    yield from _of_chart(text)
    yield from _of_lines(rest, reading)


def _excerpt(lines: Sequence[str], begin: int, end: int, *, is_whole: bool) -> Excerpt:
    """Take lines of a file, without what all are indented by."""
    taken = lines[begin:end]
    indents = [len(line) - len(line.lstrip(" \t")) for line in taken if line.strip()]
    indent = min(indents, default=0)
    text = "\n".join(line[indent:] for line in taken)
    return Excerpt(text + "\n", tuple(range(begin + 1, end + 1)), is_whole)


def _yaml_blocks(lines: Sequence[str]) -> Iterator[Excerpt]:
    """List the texts over lines in YAML, such as the files of a ConfigMap."""
    end = 0
    for number, line in enumerate(lines):
        begins = _BLOCK.fullmatch(line)
        if begins is None or number < end:
            continue
        before = len(begins["before"])
        # An item without a key is deeper than its dash.
        column = before if begins["key"] else before - 2
        end = number + 1
        while end < len(lines) and _is_deeper(lines[end], column):
            end += 1
        if end > number + 1:
            yield _excerpt(lines, number + 1, end, is_whole=begins["key"] not in _ADDED)


def _is_deeper(line: str, column: int) -> bool:
    return not line.strip() or len(line) - len(line.lstrip(" ")) > column


def _heredocs(lines: Sequence[str]) -> Iterator[Excerpt]:
    """List the documents that a shell writes, with the values of variables that it sets."""
    ends_at: dict[str, list[int]] = {}
    for number, line in enumerate(lines):
        word = line.strip().rstrip(")")
        if word.isidentifier():
            ends_at.setdefault(word, []).append(number)
    variables = _variables(lines)
    end = 0
    for number, line in enumerate(lines):
        begins = _HEREDOC.search(line)
        if begins is None or number < end:
            continue
        later = [place for place in ends_at.get(begins["label"], ()) if place > number]
        # An empty one sets nothing.
        if not later or later[0] == number + 1:
            continue
        end = later[0]
        document = _excerpt(lines, number + 1, end, is_whole=_ADDS.search(line) is None)
        if not begins["quote"]:
            filled = _USED.sub(lambda used: _value_of(used, variables), document.text)
            document = Excerpt(filled.replace("\\$", "$"), document.lines, document.is_whole)
        yield document


def _variables(lines: Sequence[str]) -> dict[str, str]:
    """The values of the variables that a script sets once, and to a value on one line."""
    values: dict[str, list[str]] = {}
    for line in lines:
        sets = _VARIABLE.match(line)
        if sets is None:
            continue
        written = line[sets.end() :].split(" #")[0].strip()
        quoted = _QUOTED.fullmatch(written)
        if quoted is not None:
            written = quoted["double"] or quoted["single"] or ""
        values.setdefault(sets["name"], []).append(written)
    return {
        name: several[0]
        for name, several in values.items()
        if len(several) == 1 and "$(" not in several[0] and "`" not in several[0]
    }


def _value_of(used: re.Match[str], variables: Mapping[str, str]) -> str:
    name = used["name"] or used["braced"]
    return variables.get(name, f"${{{name}}}")


def _nix_texts(lines: Sequence[str]) -> Iterator[Excerpt]:
    """List the texts over lines of Nix, between two pairs of single quotes."""
    begin = None
    for number, line in enumerate(lines):
        for _ in _NIX_TEXT.finditer(line):
            if begin is None:
                begin = number
                continue
            if number > begin + 1:
                is_whole = _NIX_WHOLE.search(lines[begin]) is not None
                yield _excerpt(lines, begin + 1, number, is_whole=is_whole)
            begin = None


def _of_lines(lines: Sequence[str], reading: Mapping[str, Any]) -> Iterator[Excerpt]:
    """List what single lines set: variables, and lines that are put into a file."""
    texts: list[str] = []
    numbers: list[int] = []
    settings: list[Attribute] = []
    in_env = False
    for number, line in enumerate(lines, 1):
        stripped = line.lstrip()
        if not stripped or stripped.startswith("#"):
            continue
        for text in chain(_printed(line), _replaced(line), _put(line)):
            texts.append(text)
            numbers.append(number)
        env = _ENV.fullmatch(line) or _ENVIRONMENT.fullmatch(line)
        rest = line if in_env else ""
        if env is not None:
            rest = env["rest"]
        for pair in _PAIR.finditer(rest):
            value = pair["double"] or pair["single"] or pair["plain"] or ""
            settings.append(Attribute((pair["name"],), value, number))
        in_env = (in_env or env is not None) and line.rstrip().endswith("\\")
        for given in _GIVEN.finditer(line):
            path = tuple(given["name"].split("."))
            settings.append(Attribute(path, given["value"], number))
    if texts and reading["format"] == _PAM:
        texts = [_with_type(text) for text in texts]
    if texts:
        text = "\n".join(texts) + "\n"
        either: tuple[str, ...] = ()
        # Lines of PAM begin alike, each for a module of its own.
        if reading["format"] != _PAM:
            either = _with_one_value(texts)
        yield Excerpt(text, tuple(numbers), is_whole=False, either=either)
    yield from _in_styles(settings, reading, is_whole=False)


_NAME: Final = re.compile(r"[^\s=:]++")


def _with_one_value(texts: Sequence[str]) -> tuple[str, ...]:
    """The lines with only the first, and with only the last line of each name.

    Returns:
        Nothing if no name has several values.
    """
    first: dict[str, str] = {}
    last: dict[str, str] = {}
    for text in texts:
        name = _NAME.match(text.strip())
        if name is not None:
            first.setdefault(name[0], text)
            last[name[0]] = text
    if first == last:
        return ()
    return tuple("\n".join(kept.values()) + "\n" for kept in (first, last))


_PAM: Final = "system_files.PamUnix"
_ROUNDS: Final = re.compile(
    r"\b(?:sha256|sha512|blowfish|yescrypt)(?:[ \t]++\w++){0,4}?[ \t]++rounds="
)
_MODULE: Final = re.compile(r"(?P<before>[^#]*?)\bpam_unix\.so\b")


def _with_type(text: str) -> str:
    """Add the type of passwords to a line of PAM whose beginning stays as it is in the file.

    Only such a line has a method.
    """
    module = _MODULE.match(text)
    # Only pam_unix has this option with a method before it.
    if module is None and _ROUNDS.search(text) is not None:
        return f"password {ANY} pam_unix.so {text}"
    if module is None or len(module["before"].split()) > 1:
        return text
    return f"password {ANY} {text[module.end('before') :]}"


def _printed(line: str) -> Iterator[str]:
    """Yield the lines that a shell writes to a file with ``echo`` or ``printf``."""
    prints = _PRINTS.search(line)
    if prints is None or _WRITES.search(line, prints.end()) is None:
        return
    for quoted in _QUOTED.finditer(line, prints.end()):
        text = quoted["double"] or quoted["single"] or ""
        yield from text.replace("\\n", "\n").replace("\\t", "\t").splitlines()
        return
    words = line[prints.end() :]
    yield re.split(r"[>|]", words, maxsplit=1)[0].strip()


def _replaced(line: str) -> Iterator[str]:
    """Yield each replacement of ``sed``."""
    if "sed" not in line:
        return
    for begins in _SUBSTITUTION.finditer(line):
        parts = _divided(line[begins.end() :], begins["by"])
        if len(parts) > 2:
            pattern, replacement, *_ = parts
            above = _ADDRESS.search(line[: begins.start()])
            # What is put at the end of a line follows the words by which the line is chosen.
            if pattern == "$" and above is not None:
                replacement = f"{_literal(above['pattern'])} {replacement}"
            yield _with_groups(replacement, pattern, begins["by"])


def _divided(text: str, by: str) -> list[str]:
    """The parts of a text between signs without a backslash before them."""
    parts: list[str] = []
    is_open = False
    for piece in text.split(by):
        if is_open:
            parts[-1] += f"{by}{piece}"
        else:
            parts.append(piece)
        is_open = piece.endswith("\\")
    return parts


_ADDRESS: Final = re.compile(r"/(?P<pattern>[^/]++)/[ \t]*+\Z")
_GROUP: Final = re.compile(r"\\?\((?P<inside>(?:[^()\\]|\\[^()])*+)\\?\)")
_ANYTHING: Final = re.compile(r"\.(?:[*+?]|\\[+?])|(?:\[[^\[\]]*+\]|\\[sSwW])(?:[*+?]|\\[+?])?")
_SPECIAL: Final = re.compile(r"\\(?=.)|[\^$()*+?]")
ANY: Final = "any"
"""Stands for what an expression matches."""


def _literal(pattern: str) -> str:
    """The words of an expression, with another in place of what matches any."""
    return _SPECIAL.sub("", _ANYTHING.sub(f" {ANY} ", pattern))


def _with_groups(replacement: str, pattern: str, by: str) -> str:
    """A replacement of ``sed`` with the words of the expression that it refers to."""
    groups = [_literal(group["inside"]) for group in _GROUP.finditer(pattern)]
    text = replacement.replace("\\t", "\t").replace(f"\\{by}", by)
    for number, group in enumerate(groups, 1):
        text = text.replace(f"\\{number}", group)
    return re.sub(r"(?<!\\)&", lambda _: _literal(pattern), text)


def _put(line: str) -> Iterator[str]:
    """Yield the line that Ansible puts into a file."""
    put = _LINE_OF_FILE.fullmatch(line)
    if "lineinfile" in line:
        put = _SHORT_LINE.search(line)
    if put is None:
        return
    written = put["text"].strip()
    quoted = _QUOTED.match(written)
    if quoted is not None:
        written = quoted["double"] or quoted["single"] or ""
    yield written


def _of_attributes(
    values: Sequence[Attribute],
    reading: Mapping[str, Any],
    name: str,
    inside: Collection[str],
    *,
    is_nix: bool,
) -> Iterator[Excerpt]:
    """List the settings of Nix or Terraform, written as the application reads them.

    ``inside`` are the names of files whose texts stand beside them.
    """
    own = [value for value in values if _is_of(value.path, name) and "options" not in value.path]
    elsewhere = ""
    for value in own:
        names = {quoted["text"] for quoted in _IN_QUOTES.finditer(value.value)}
        if _ENV_FILES.fullmatch(value.path[-1]) and names.isdisjoint(inside):
            elsewhere = elsewhere or value.value
    # NixOS makes the whole file of a service's settings.
    is_whole = is_nix and bool(own)
    below = [value._replace(path=_below_root(value.path)) for value in own if is_whole]
    yield from _in_styles(below, reading, is_whole=True, elsewhere=elsewhere)
    others = [value._replace(path=_below_root(value.path)) for value in values]
    yield from _in_styles(others, reading, is_whole=False)


def _containers(values: Sequence[Attribute]) -> Iterator[Excerpt]:
    """Write each container of Nix, Terraform, Nomad or a chart as a service of Compose."""
    names = {value.path: value.value for value in values}
    images: dict[tuple[str, ...], Attribute] = {}
    for value in values:
        if value.path[-1] != "image":
            continue
        path = value.path[:-1]
        # The driver of a task in Nomad has the image, and the task the rest.
        if path[-1:] == ("config",):
            path = path[:-1]
        # Terraform may name the resource of an image, which has its name.
        resource = tuple(value.value.split(".")[:2])
        name = names.get(("resource", *resource, "name"), value.value)
        images[path] = value._replace(value=name.strip())
    inside: dict[tuple[str, ...], list[Attribute]] = {path: [] for path in images}
    for value in values:
        for end in range(len(value.path)):
            path = value.path[:end]
            if path in inside:
                inside[path].append(value._replace(path=value.path[end:]))
    for path, image in images.items():
        lines = [*_service(image, inside[path])]
        text = "\n".join(line for line, _ in lines)
        yield Excerpt(text + "\n", tuple(number for _, number in lines), is_whole=True)


def _service(image: Attribute, values: Sequence[Attribute]) -> Iterator[tuple[str, int]]:
    """Write the lines of a Compose file with one service, each with its number elsewhere."""
    for line in ("services:", "  container:", f"    image: {json.dumps(image.value)}"):
        yield line, image.line
    yield "    environment:", image.line
    for path, value, number in values:
        if path[0] not in _VARIABLES or len(path) < 2:
            continue
        written = " ".join(value.splitlines())
        # Something else has the value.
        if len(path) > 2:
            written = f"${{{path[1]}}}"
        yield f"      {path[1]}: {json.dumps(written)}", number
    for path, value, number in values:
        if not _TAKES_MAP.isdisjoint(path):
            yield "    envFrom:", number
        elif not _TAKES_FILE.isdisjoint(path):
            yield f"    env_file: {json.dumps(value)}", number
    yield "    volumes:", image.line
    for path, value, number in values:
        if path[-1] in _TARGETS:
            yield f"      - volume:{value}", number
        elif path[-1] == "volumes":
            yield f"      - {value}", number


def _of_chart(text: str) -> Iterator[Excerpt]:
    """List the containers in the values of a chart that takes them as they are."""
    if "controllers:" not in text or "containers:" not in text:
        return
    try:
        scalars = yaml_values(text)
    except UnreadableInputError:
        return
    given = {value.name: value.text for value in scalars}
    read = []
    for value in scalars:
        path = tuple(map(str, value.path))
        written = value.text
        if path[-2:] == ("image", "repository"):
            path = path[:-1]
            tag = given.get(f"{'.'.join(path)}.tag")
            if tag is not None:
                written = f"{written}:{tag}"
        read.append(Attribute(path, written, value.line))
    yield from _containers([value for value in read if "containers" in value.path])


def _is_of(path: Sequence[str], name: str) -> bool:
    """Tell whether a path of NixOS leads through the service of this name."""
    return any(part == name or part.endswith(f"-{name}") for part in path)


def _below_root(path: tuple[str, ...]) -> tuple[str, ...]:
    roots = [place for place, part in enumerate(path[:-1]) if part in _ROOTS]
    if not roots:
        return path
    return path[roots[-1] + 1 :]


def _in_styles(
    settings: Sequence[Attribute],
    reading: Mapping[str, Any],
    *,
    is_whole: bool,
    elsewhere: str = "",
) -> Iterator[Excerpt]:
    """Write settings in each way that an application reads."""
    if not settings:
        return
    tables = [reading]
    while "otherwise" in tables[-1]:
        tables.append(tables[-1]["otherwise"])
    for table in tables:
        written = [*_written(settings, table["format"])]
        if written:
            text = "\n".join(line for line, _ in written)
            numbers = tuple(number for _, number in written)
            either: tuple[str, ...] = ()
            if not is_whole and table["format"] == "settings.Assignments":
                either = _with_one_value([line for line, _ in written])
            yield Excerpt(text + "\n", numbers, is_whole, is_whole, elsewhere, either)


def _written(settings: Sequence[Attribute], style: str) -> Iterator[tuple[str, int]]:
    """Write each setting on a line of its own, in a format of such lines."""
    for path, written, line in settings:
        value = " ".join(written.splitlines())
        if style == "settings.Yaml":
            yield f"{'.'.join(path)}: {json.dumps(value)}", line
        elif style in {"settings.Ini", "couchdb.CouchDb"}:
            if len(path) > 1:
                yield f"[{path[-2]}]", line
                yield f"{path[-1]} = {value}", line
        elif style == "settings.Assignments":
            yield f"{path[-1]}={json.dumps(value)}", line
        elif style == "system_files.LoginDefs":
            yield f"{path[-1]} {value}", line

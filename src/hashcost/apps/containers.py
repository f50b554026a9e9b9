"""Files that start containers: Compose files and manifests of Kubernetes. Pure.

They are read line by line: a Helm template is not YAML, and a line that is not understood must
not hide the others.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

_KINDS: Final = "Deployment|StatefulSet|DaemonSet|Pod|Job|CronJob|ConfigMap"
_BEGINS: Final = re.compile(rf"^services\s*:|^kind\s*:\s*[\"']?(?:{_KINDS})\b", re.MULTILINE)
_OF_COMPOSE: Final = re.compile(
    r"(?:^[ \t]++|[{,][ \t]*+)[\"']?(?:image|build|environment|env_file|extends)[\"']?[ \t]*+:",
    re.MULTILINE,
)
"""Keys of a service of Compose, which the services of a framework lack."""

_RUNS: Final = re.compile(
    r"(?P<before>[ \t]*+(?:-[ \t]++)?)[\"']?(?P<key>image|build)[\"']?[ \t]*+:(?P<value>.*)"
)
"""A key that every service or container has, and the image that it runs."""
_DASH: Final = re.compile(r" *-[ ]++")
OF_REGISTRY: Final = r"(?:[\w.:-]+/)?(?:library/)?"
"""Words before the name of an image; Docker's own images are in its library."""
_REGISTRY: Final = rf"[\"']?{OF_REGISTRY}"
_ENDS: Final = r"(?=[:@\"'\s]|$)"

_LISTED: Final = re.compile(
    r"[ \t]*+-[ \t]++(?P<quote>[\"']?)(?P<name>[A-Za-z_][\w.]*+)=(?P<value>.*)"
)
_MAPPED: Final = re.compile(
    r"[ \t]++[\"']?(?P<name>[A-Za-z_][\w.]*+)[\"']?:[ \t]++(?P<value>\S.*)"
)
_NAMED: Final = re.compile(
    r"[ \t]*+-[ \t]++name:[ \t]++[\"']?(?P<name>[A-Za-z_][\w.]*+)[\"']?[ \t]*+"
)
_VALUE: Final = re.compile(r"[ \t]++value:[ \t]++(?P<value>\S.*)")
_COMMENT: Final = re.compile(r"[ \t]#.*")

_COMMAND: Final = re.compile(
    r"(?P<before>[ \t]*+(?:-[ \t]++)?)[\"']?(?:command|args|entrypoint)[\"']?[ \t]*+:(?P<value>.*)"
)
"""A key that has the words of a container's program."""
_ITEM: Final = re.compile(r"[ \t]*+-(?:[ \t]++(?P<word>.*))?")
_OF_FLOW: Final = re.compile(r"\"[^\"]*+\"|'[^']*+'|[^\s,\[\]\"'][^,\[\]]*+")
_SHELL_WORD: Final = re.compile(r"(?:\"[^\"]*+\"|'[^']*+'|\S)++")
_VOLUME: Final = re.compile(
    r"[ \t]*+(?:-[ \t]++[\"']?[^\s:\"',]++:"
    r"|(?:-[ \t]++)?(?:target|mountPath)[ \t]*+:[ \t]*+[\"']?)"
    r"(?P<target>/[^\s:\"',]++)"
)
"""A file or folder of the host or the cluster, by its path in a container."""
_ENV_FILE: Final = re.compile(r"(?P<before>[ \t]*+)[\"']?env_file[\"']?[ \t]*+:(?P<value>.*)")
"""A key of Compose with the files whose variables a service gets."""
_ITEM_OF_FILES: Final = re.compile(
    r"[ \t]*+(?:-[ \t]++(?:path:[ \t]++)?+(?!required:|format:)|path:[ \t]++)(?P<name>\S.*)"
)
"""A name in a list of files, or in a mapping there."""
_ENV_FROM: Final = re.compile(r"(?P<before>[ \t]*+(?:-[ \t]++)?)envFrom[ \t]*+:[ \t]*+")
"""A list of maps whose entries become variables of a container."""
_MAP_NAME: Final = re.compile(
    r"[ \t]*+(?:-[ \t]++)?name:[ \t]++[\"']?(?P<name>[\w.-]++)[\"']?[ \t]*+"
)
_IS_MAP: Final = re.compile(r"kind:[ \t]*+[\"']?(?:ConfigMap|Secret)[\"']?[ \t]*+")
_ANCHORED: Final = re.compile(
    r"(?P<before>[ \t]*+)[\w.-]++[ \t]*+:[ \t]*+&(?P<name>[\w-]++)[ \t]*+"
)
_MERGED: Final = re.compile(r"[ \t]*+<<[ \t]*+:[ \t]*+\*(?P<name>[\w-]++)[ \t]*+")
_OF_A_CONTAINER: Final = re.compile(
    r"[ \t]*+(?:command|configs|entrypoint|env_file|environment|extends|image|secrets|volumes|<<)"
    r"[ \t]*+:"
)
"""A key that brings a service settings or variables, or another mapping that may have them."""
_OF_SETTINGS: Final = re.compile(
    r"/(?:conf(?:ig)?(?:\.d)?(?:/[^/]*)?|[^/]+\.(?:cnf|conf|ini|ya?ml|toml|json|properties|php))/?"
)
"""The end of a path at which a program has settings."""
_BEFORE_KEY: Final = re.compile(r"[ \t]*+(?:-[ \t]++)?")
_EMPTY: Final = re.compile(r"^[ \t]*+(?:-[ \t]++)?emptyDir[ \t]*+:")
_INIT: Final = re.compile(r"^[ \t]*+initContainers[ \t]*+:")
_MOUNTED: Final = re.compile(r"^[ \t]*+(?:-[ \t]++)?mountPath[ \t]*+:")
_OF_OTHERS: Final = re.compile(
    r"/etc/php\d*+(?:/|$)|/(?:docker-entrypoint-initdb\.d|init(?:db)?)/"
)
"""A path of PHP's own settings, none of which is the cost of a hash, or of data to begin with."""
_GIVEN: Final = re.compile(r"(?P<name>-{0,2}[A-Za-z_][\w.-]++)=(?P<value>.*)", re.DOTALL)
_OPTION: Final = re.compile(r"--?[A-Za-z_][\w.-]++")


class Variable(NamedTuple):
    """A variable of a container, an option of its command, or an entry of a map of settings.

    The name of an option keeps its dashes.
    """

    name: str
    value: str
    line: int


class Mount(NamedTuple):
    """A file or folder with settings, by its path in a container."""

    target: str
    line: int


def begins_containers(text: str) -> re.Match[str] | None:
    """Find the line that begins what starts containers."""
    begins = _BEGINS.search(text)
    if begins is None or begins[0].startswith("kind") or _OF_COMPOSE.search(text):
        return begins
    return None


def own_services(text: str, images: Collection[str]) -> str:
    """Blank the services of other images, on as many lines, if one runs an image of these."""
    if begins_containers(text) is None:
        return text
    names = "|".join(map(re.escape, images))
    own = re.compile(rf"[ \t]*+{_REGISTRY}(?:{names}){_ENDS}", re.IGNORECASE)
    lines = text.split("\n")
    kept: set[int] = set()
    others: set[int] = set()
    for number, line in enumerate(lines):
        runs = _RUNS.match(line)
        # The settings of a chart have a mapping as their image.
        if runs is None or (runs["key"] == "image" and not runs["value"].strip()):
            continue
        block = _block(lines, number, len(runs["before"]))
        if runs["key"] == "image" and own.match(runs["value"]):
            kept.update(block)
        else:
            others.update(block)
    if not kept:
        return text
    for number in others - kept:
        lines[number] = ""
    return "\n".join(lines)


def _block(lines: Sequence[str], number: int, column: int) -> range:
    """The lines of the mapping that has a key on a line, from the column on."""
    start = number
    # The key may be the first of an item of a list.
    while not _is_item(lines[start], column) and start and _is_inside(lines[start - 1], column):
        start -= 1
    end = number + 1
    while end < len(lines) and _goes_on(lines[end], column):
        end += 1
    return range(start, end)


def _goes_on(line: str, column: int) -> bool:
    """Tell whether a line belongs to the mapping of the line above, and begins no item."""
    stripped = line.lstrip(" ")
    if not stripped:
        return True
    return len(line) - len(stripped) >= column and not _is_item(line, column)


def _is_inside(line: str, column: int) -> bool:
    """Tell whether a line belongs to a mapping whose keys are in this column."""
    stripped = line.lstrip(" ")
    if not stripped:
        return True
    return len(line) - len(stripped) >= column or _is_item(line, column)


def _is_item(line: str, column: int) -> bool:
    """Tell whether an item of a list begins whose keys are in this column."""
    item = _DASH.match(line)
    return item is not None and item.end() == column


def settings_of_containers(text: str) -> list[Variable]:
    """List variables and options of containers, and entries of a map of settings, in order."""
    lines = text.splitlines()
    settings: list[Variable] = []
    in_commands: set[int] = set()
    for number, line in enumerate(lines):
        if not line:
            continue
        command = _COMMAND.match(line)
        if command is not None and number not in in_commands:
            below = _command_lines(lines, number, len(command["before"]))
            in_commands.update(below)
            settings += _options(_words(command["value"], lines, below))
    named = ""
    for number, line in enumerate(lines, 1):
        value = _VALUE.fullmatch(line)
        if named and value is not None:
            settings.append(Variable(named, _plain(value["value"]), number))
        named = ""
        if not line:
            continue
        name = _NAMED.fullmatch(_COMMENT.sub("", line))
        if name is not None:
            named = name["name"]
            continue
        setting = _MAPPED.fullmatch(line)
        # The words of a command have been read above.
        if number - 1 not in in_commands:
            setting = _LISTED.fullmatch(line) or setting
        elif _COMMAND.match(line):
            continue
        if setting is not None:
            quote = setting.groupdict().get("quote") or ""
            settings.append(Variable(setting["name"], _plain(quote + setting["value"]), number))
    return sorted(settings, key=lambda setting: setting.line)


class EnvFiles(NamedTuple):
    """The files with variables that services name, and the text without these names."""

    names: tuple[str, ...]
    rest: str


def env_files(text: str) -> EnvFiles:
    """List the files whose variables the services of a Compose file get."""
    lines = text.split("\n")
    names: list[str] = []
    for number, line in enumerate(lines):
        key = _ENV_FILE.fullmatch(line)
        if key is None:
            continue
        below = _command_lines(lines, number, len(key["before"]))
        for word, _ in _words(key["value"], lines, range(number, number + 1)):
            names.append(word)
        for index in below[1:]:
            item = _ITEM_OF_FILES.fullmatch(lines[index])
            if item is not None:
                names.append(_plain(item["name"]))
        for index in below:
            lines[index] = ""
    return EnvFiles(tuple(names), "\n".join(lines))


def without_known_maps(text: str) -> str:
    """Blank what takes in something that the text itself has, on as many lines.

    That is each ``envFrom`` all of whose maps are there, which are read where they stand, and each
    ``<<`` that merges a mapping without variables or settings.
    """
    lines = text.split("\n")
    harmless = _without_settings(lines)
    for number, line in enumerate(lines):
        merged = _MERGED.fullmatch(line)
        if merged is not None and merged["name"] in harmless:
            lines[number] = ""
    present = _names_of_maps(lines)
    for number, line in enumerate(lines):
        begins = _ENV_FROM.fullmatch(line)
        if begins is None:
            continue
        block = _command_lines(lines, number, len(begins["before"]))
        named = [_MAP_NAME.fullmatch(lines[index]) for index in block]
        names = {name["name"] for name in named if name is not None}
        if names and names <= present:
            for index in block:
                lines[index] = ""
    return "\n".join(lines)


def _without_settings(lines: Sequence[str]) -> set[str]:
    """List the anchors of mappings that have nothing of a container's settings."""
    names: set[str] = set()
    for number, line in enumerate(lines):
        anchored = _ANCHORED.fullmatch(line)
        if anchored is None:
            continue
        block = _command_lines(lines, number, len(anchored["before"]))
        below = [lines[index] for index in block[1:]]
        if not any(_OF_A_CONTAINER.match(other) for other in below):
            names.add(anchored["name"])
    return names


def _names_of_maps(lines: Sequence[str]) -> set[str]:
    """List the ConfigMaps and Secrets of a manifest of several documents by their names."""
    names: set[str] = set()
    is_map = False
    is_metadata = False
    name = ""
    for line in [*lines, "---"]:
        if line.startswith("---"):
            if is_map and name:
                names.add(name)
            is_map = False
            name = ""
        elif _IS_MAP.fullmatch(line):
            is_map = True
        if line and not line.startswith((" ", "#")):
            is_metadata = line.startswith("metadata:")
        elif is_metadata and line.startswith("  name:"):
            name = _plain(line.partition(":")[2])
    return names


def mounted_settings(text: str) -> Iterator[Mount]:
    """List what a container is given that may hold settings.

    The services of other images are blank in the text, as `own_services` leaves it.
    """
    lines = text.split("\n")
    # A container fills an empty volume with its own files, unless another one did so before.
    empty: set[str] = set()
    if not _has_other_before(lines):
        for _, names in _mappings(lines, _EMPTY):
            empty |= names
    filled_by_itself: set[int] = set()
    for block, names in _mappings(lines, _MOUNTED):
        if empty & names:
            filled_by_itself.update(block)
    for number, line in enumerate(lines, 1):
        volume = _VOLUME.match(line)
        if volume is None or _OF_OTHERS.search(volume["target"]) or number - 1 in filled_by_itself:
            continue
        target = volume["target"]
        folder, slash, name = target.rstrip("/").rpartition("/")
        last_two = f"{slash}{folder.rpartition('/')[2]}/{name}"
        if _OF_SETTINGS.fullmatch(last_two) or _OF_SETTINGS.fullmatch(f"/{name}"):
            yield Mount(target, number)


def _keys(lines: Sequence[str], key: re.Pattern[str]) -> list[int]:
    """List the lines of a key."""
    return [number for number, line in enumerate(lines) if key.match(line)]


def _has_other_before(lines: Sequence[str]) -> bool:
    """Tell whether a container of another image, which is blank, runs before the main ones."""
    for number in _keys(lines, _INIT):
        below = _command_lines(lines, number, len(lines[number]) - len(lines[number].lstrip()))
        inside = [lines[index] for index in below if index > number]
        if "" in inside:
            return True
    return False


def _mappings(lines: Sequence[str], key: re.Pattern[str]) -> Iterator[tuple[range, set[str]]]:
    """List the mappings that have a key, each by its lines and the names in it."""
    end = 0
    for number in _keys(lines, key):
        before = _BEFORE_KEY.match(lines[number])
        # A mapping that repeats the key is one.
        if number < end or before is None:
            continue
        block = _block(lines, number, before.end())
        end = block.stop
        names = [_MAP_NAME.fullmatch(lines[beside]) for beside in block]
        yield block, {name["name"] for name in names if name is not None}


def _command_lines(lines: Sequence[str], number: int, column: int) -> range:
    """The lines of a command whose key is in a column of a line."""
    end = number + 1
    while end < len(lines):
        line = lines[end]
        indent = len(line) - len(line.lstrip())
        # A list may begin below its key itself.
        is_below = indent > column or (indent == column and _ITEM.fullmatch(line) is not None)
        if line.strip() and not is_below:
            break
        end += 1
    return range(number, end)


def _words(value: str, lines: Sequence[str], at: range) -> Iterator[tuple[str, int]]:
    """The words of a command, each with the number of its line.

    It is a text, or a list between brackets or with an item on each line.
    """
    is_flow = value.lstrip().startswith("[")
    for index in at:
        line = value
        if index > at.start:
            line = lines[index]
        item = _ITEM.fullmatch(line)
        if line.lstrip().startswith("#"):
            words = []
        elif is_flow:
            words = [_plain(word) for word in _OF_FLOW.findall(line)]
        elif item is not None:
            words = [_plain(item["word"] or "")]
        else:
            words = _of_shell(_plain(line))
        for word in words:
            yield word, index + 1


def _of_shell(text: str) -> list[str]:
    # shlex takes quadratic time for a long word.
    return [re.sub("[\"']", "", word) for word in _SHELL_WORD.findall(text)]


def _options(words: Iterator[tuple[str, int]]) -> Iterator[Variable]:
    """List what is given to a program, as ``NAME=value``, ``--NAME=value`` or ``--NAME value``."""
    for (word, line), (following, _) in pairwise([*words, ("-", 0)]):
        given = _GIVEN.fullmatch(word)
        if given is not None:
            yield Variable(given["name"], given["value"], line)
        elif _OPTION.fullmatch(word) and not following.startswith("-"):
            yield Variable(word, following, line)


def _plain(written: str) -> str:
    """The text of a value, without its quotes or a comment behind it."""
    text = written.strip()
    if text[:1] in {"'", '"'}:
        return text[1:].partition(text[0])[0]
    return _COMMENT.sub("", text).strip()

"""The versions that lock files, manifests and image tags fix around a file."""

import codecs
import contextlib
import fnmatch
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path, PurePath
from typing import Final, NamedTuple

from hashcost.storage.gate import Gate

_FURTHEST: Final = 8  # folders above a source file in which they are looked for
# At the beginning of a line no space is the end of one: each would begin a search through all
# blank lines. For the same reason no repetition gives back what it took.
_PIN: Final = re.compile(
    r"^[ \t]*+([\w.-]++)(?:\[[^\]\n]*+\])?[ \t]*+(?:===?|~=)[ \t]*+v?(\d[\w.]*+)", re.MULTILINE
)
_AT_LEAST: Final = re.compile(
    r"^[ \t]*+([\w.-]++)(?:\[[^\]\n]*+\])?[ \t]*+>=[ \t]*+v?(\d[\w.]*+)", re.MULTILINE
)
_SETUP: Final = re.compile(
    r"[\"']([\w.-]++)(?:\[[^\]\"'\n]*+\])?[ \t]*+[=~>]=[ \t]*+([\d.]++)[^\"'\n]*+[\"']"
)
_CONDA: Final = re.compile(
    r"^[ \t]*+-[ \t]++(?:[\w-]++::)?([\w.-]++)[ \t]*+==?[ \t]*+(\d[\w.]*+)", re.MULTILINE
)
_TOML: Final = re.compile(
    r"^name[ \t]*+=[ \t]*+\"([^\"\n]++)\"[ \t\r]*+\n(?:(?!name\b|version\b)\w++[ \t]*+=.*+\n)*+"
    r"version[ \t]*+=[ \t]*+\"([^\"\n]++)\"",
    re.MULTILINE,
)
_NPM: Final = re.compile(
    r"\"(?:node_modules/)?((?:@[\w.-]++/)?[\w.-]++)\":\s*+\{\s*+\"version\":\s*+\"(\d[^\"\n]*+)\""
)
_YARN: Final = re.compile(
    r"^\"?((?:@[\w.-]++/)?[\w.-]++)@.*:\r?\n[ \t]++\"?version\"?:?[ \t]++\"?(\d[^\"\s]*+)",
    re.MULTILINE,
)
_PNPM: Final = re.compile(
    r"^[ \t]++'?/?((?:@[\w.-]++/)?[\w.-]++)[@/](\d[\w.-]*+).*:", re.MULTILINE
)
_MANIFEST: Final = re.compile(
    r"\"((?:@?[\w.-]++/)?[\w.-]++)\":\s*+\"[\^~>=v ]*+(\d[\w.]*+)[^\"\n]*+\""
)
"""A package with the lowest release of a range, which stands first, such as ``^9.0 || ^10.0``."""
_GEMFILE: Final = re.compile(
    r"^[ \t]*+gem[ \t(]++[\"']([\w-]++)[\"'],[ \t]*+[\"'][~>= ]*+(\d[\w.]*+)", re.MULTILINE
)
_GEMSPEC: Final = re.compile(
    r"^[ \t]*+\w++\.add_(?:runtime_)?dependency[ \t(]++(?:[\"']|%q<)([\w-]++)(?:[\"']|>)"
    r"(?:\.freeze)?+,[ \t]*+\[?+[\"'][~>= ]*+(\d[\w.]*+)",
    re.MULTILINE,
)
_MIX_DEPS: Final = re.compile(r"\{:(\w++),[ \t]*+\"[~>= ]*+(\d[\w.]*+)[^\"\n]*+\"")
_COMPOSER: Final = re.compile(
    r"\"name\":\s*+\"([\w./-]++)\",\s*+\"version\":\s*+\"v?(\d[^\"\n]*+)\""
)
_PHP: Final = re.compile(r"\"(php)\":\s*+\"[\^~>=v ]*+(\d[\d.]*+)")
_GEM: Final = re.compile(r"^ {4}([\w.-]++) \((\d[\w.]*+)[^)\n]*+\)", re.MULTILINE)
_MIX: Final = re.compile(
    r"^[ \t]*+\"(\w++)\":[ \t]*+\{:hex,[ \t]*+:\w++,[ \t]*+\"(\d[^\"\n]*+)\"", re.MULTILINE
)
_GO: Final = re.compile(
    r"^[ \t]*+(?:require[ \t]++)?([\w-]++\.[\w./~-]++)[ \t]++v(\d[\w.+-]*+)", re.MULTILINE
)
_MAVEN: Final = re.compile(
    r"<artifactId>\s*+([\w.-]++)\s*+</artifactId>\s*+<version>\s*+(\d[\w.-]*+)"
)
_GRADLE: Final = re.compile(r"(?:^|[\"'])[\w.-]++:([\w.-]++):(\d[\w.-]*+)", re.MULTILINE)
_CARGO: Final = re.compile(
    r"^([\w-]++)[ \t]*+=[ \t]*+(?:\{[^\n]*?\bversion[ \t]*+=[ \t]*+)?\"[\^~=v]*+(\d[\d.]*+)\"",
    re.MULTILINE,
)
_IMAGE: Final = re.compile(
    r"^[ \t]*+(?:-[ \t]++)?(?:image:|FROM(?:[ \t]++--\S++)*+)[ \t]*+[\"']?"
    r"(?:[\w-]++(?:\.[\w.-]++|(?=:\d++/))(?::\d++)?/)?(?:library/)?+((?:[\w.-]++/)*+[\w.-]++):v?(\d[\w.]*+)",
    re.MULTILINE | re.IGNORECASE,
)
"""An image without its registry, and its tag."""
_FRAMEWORK: Final = re.compile(r"<(TargetFramework)s?>net(?:coreapp)?(\d++\.\d++)")
_NUGET: Final = re.compile(
    r"<Package(?:Reference|Version)\s++(?:Include|Update)=\"([\w.-]++)\"\s*+"
    r"(?:>\s*+<)?+Version(?:=\"|>)[\[(]?+(\d[\w.-]*+)"
)
"""A package of NuGet, which installs the lowest release of a range."""
_NUGET_CONFIG: Final = re.compile(r"<package\s++id=\"([\w.-]++)\"\s++version=\"(\d[\w.-]*+)\"")
FILES: Final[Mapping[str, tuple[re.Pattern[str], ...]]] = {
    "req*.txt": (_PIN, _AT_LEAST),
    "*requirements.txt": (_PIN, _AT_LEAST),
    "constraints*.txt": (_PIN, _AT_LEAST),
    "Pipfile": (re.compile(r"^([\w.-]++)[ \t]*+=[ \t]*+\"==([\d.]++)\"", re.MULTILINE),),
    "Pipfile.lock": (re.compile(r"\"([\w.-]++)\":\s*+\{[^{}]*\"version\":\s*+\"==([^\"\n]++)\""),),
    "poetry.lock": (_TOML,),
    "uv.lock": (_TOML,),
    "pdm.lock": (_TOML,),
    "pyproject.toml": (
        re.compile(r"\"([\w.-]++)(?:\[[^\]\"\n]*+\])?[ \t]*+[=~>]=[ \t]*+([\d.]++)[^\"\n]*+\""),
        re.compile(r"^([\w.-]++)[ \t]*+=[ \t]*+\"[\^~>=]*+(\d[\d.]*+)[^\"\n]*+\"", re.MULTILINE),
    ),
    "setup.cfg": (_PIN, _AT_LEAST),
    "setup.py": (_SETUP,),
    "environment*.y*ml": (_CONDA,),
    "package-lock.json": (_NPM,),
    "npm-shrinkwrap.json": (_NPM,),
    "yarn.lock": (_YARN,),
    "pnpm-lock.yaml": (_PNPM,),
    "composer.lock": (_COMPOSER,),
    "Gemfile.lock": (_GEM,),
    "Cargo.lock": (_TOML,),
    "mix.lock": (_MIX,),
    "go.mod": (_GO,),
    "gradle.lockfile": (_GRADLE,),
    "build.gradle*": (_GRADLE,),
    "pom.xml": (_MAVEN,),
    "*compose*.y*ml": (_IMAGE,),
    "*Dockerfile*": (_IMAGE,),
    "package.json": (_MANIFEST,),
    "Cargo.toml": (_CARGO,),
    "composer.json": (_PHP, _MANIFEST),
    "Gemfile": (_GEMFILE,),
    "*.gemspec": (_GEMSPEC,),
    "mix.exs": (_MIX_DEPS,),
    "*.csproj": (_FRAMEWORK, _NUGET),
    "packages.config": (_NUGET_CONFIG,),
    "Directory.Build.props": (_FRAMEWORK, _NUGET),
    "Directory.Packages.props": (_NUGET,),
}
"""The names of lock files and manifests of the ecosystems whose packages a rule is about,
those that fix most first."""


_RANGES: Final = (
    *(
        "pyproject.toml",
        "setup.cfg",
        "setup.py",
        "package.json",
        "composer.json",
        "Cargo.toml",
        "Gemfile",
        "*.gemspec",
    ),
    "mix.exs",
)
"""The names of manifests, which state ranges."""
_INCLUDES: Final = re.compile(r"^[ \t]*+-(?:-requirement|r)\b", re.MULTILINE)
"""A line of requirements by which another file of them counts, too."""
_IMAGES: Final = ("*compose*.y*ml", "*Dockerfile*")
"""The names of files that fix a release by the tag of an image."""


class Pin(NamedTuple):
    """The version of a package, and the name of the file that fixes it.

    Of a range it ``is_lowest``: the file allows higher versions, too.
    """

    version: str
    file: str
    is_lowest: bool = False

    @property
    def is_tag(self) -> bool:
        """Whether it is the tag of an image; one such as ``1`` moves on with each release."""
        return any(fnmatch.fnmatch(self.file, pattern) for pattern in _IMAGES)

    @property
    def source(self) -> str:
        """The file, or that it allows no lower version, in words."""
        if self.is_lowest:
            return f"the lowest that {self.file} allows"
        return self.file


def pins_beside(path: str, gate: Gate) -> Mapping[str, Pin]:
    """Find the pin of each package, by its name in lower case, in the nearest file above.

    Raises:
        UnreadError: a file that may pin one is too large, or cannot be read.
    """
    return _of_folder(str(PurePath(path).parent), _FURTHEST, gate)


def is_above(file: str, path: str) -> bool:
    """Tell whether a folder above a path has a file, such as ``config/hashing.php``."""
    return any(Path(folder, file).is_file() for folder in PurePath(path).parents[:_FURTHEST])


def manifest_without(packages: frozenset[str], path: str, gate: Gate, files: Sequence[str]) -> str:
    """Name the nearest manifest above a file if all there leave some packages out.

    ``files`` are the patterns of the names of manifests; without one, nobody can tell.

    Raises:
        UnreadError: a manifest is too large, or cannot be read.
    """
    return _without(packages, str(PurePath(path).parent), gate, tuple(files))


@lru_cache(maxsize=4096)
def _without(packages: frozenset[str], folder: str, gate: Gate, files: tuple[str, ...]) -> str:
    nearest = ""
    for above in [PurePath(folder), *PurePath(folder).parents][: _FURTHEST + 1]:
        names = _names_in(str(above))
        manifests = [name for pattern in files for name in fnmatch.filter(names, pattern)]
        for name in manifests:
            manifest = Path(above, name)
            if not manifest.is_file():
                continue
            nearest = nearest or PurePath(name).name
            text = _decoded(gate.read(manifest)).lower().replace("_", "-")
            # Another file that it includes may name the package.
            if _INCLUDES.search(text) or any(package in text for package in packages):
                return ""
        if ".git" in names:
            break
    return nearest


def _names_in(folder: str) -> Sequence[str]:
    """List what is in a folder, with what is in its folder of requirements."""
    try:
        names = sorted(entry.name for entry in os.scandir(folder))
    except OSError:
        return ()
    # A folder of requirements has a file for each stage.
    for name in fnmatch.filter(names, "req*"):
        with contextlib.suppress(OSError):
            beneath = sorted(path.name for path in Path(folder, name).iterdir())
            names += (f"{name}/{inside}" for inside in beneath)
    return names


@lru_cache(maxsize=4096)
def _of_folder(folder: str, furthest: int, gate: Gate) -> Mapping[str, Pin]:
    names = _names_in(folder)
    above = str(PurePath(folder).parent)
    # What lies above a repository belongs to another project.
    is_last = ".git" in names or above == folder or furthest == 0
    farther: dict[str, Pin] = {}
    if not is_last:
        farther.update(_of_folder(above, furthest - 1, gate))
    own: dict[str, Pin] = {}
    for pattern in FILES:
        for name in fnmatch.filter(names, pattern):
            path = Path(folder, name)
            if not path.is_file():
                continue  # A folder, or a pipe that was laid there.
            text = _decoded(gate.read(path))
            with gate.reading(path):
                for package, version, is_lowest in fixed_in(name, text):
                    own.setdefault(package, Pin(version, name, is_lowest))
    # The nearest file decides.
    return farther | own


def _decoded(content: bytes) -> str:
    """Decode a file as pip does; PowerShell writes what ``pip freeze`` prints in UTF-16."""
    encoding = "utf-8-sig"
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        encoding = "utf-16"
    return content.decode(encoding, errors="replace")


def fixed_in(name: str, text: str) -> Iterator[tuple[str, str, bool]]:
    """Find each package that a file of this name fixes, in lower case, with its version.

    The last value of each says whether it is the lowest version of a range.
    """
    states_ranges = any(fnmatch.fnmatch(name, pattern) for pattern in _RANGES)
    for pattern, expressions in FILES.items():
        if not fnmatch.fnmatch(name, pattern):
            continue
        for expression in expressions:
            is_lowest = states_ranges or expression is _AT_LEAST
            for package, version in expression.findall(text):
                # ``10.12.*`` ends at the dot.
                yield package.lower().replace("_", "-"), version.rstrip("."), is_lowest

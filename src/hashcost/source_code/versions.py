"""The versions that lock files, manifests and image tags fix around a file."""

import contextlib
import fnmatch
import os
import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path, PurePath
from typing import Final, NamedTuple

from hashcost.documents.gate import Gate

_FURTHEST: Final = 8  # folders above a source file in which they are looked for
_PIN: Final = re.compile(
    r"^\s*([\w.-]+)(?:\[[^\]]*\])?\s*(?:===?|~=)\s*v?(\d[\w.]*)", re.MULTILINE
)
_TOML: Final = re.compile(
    r"^name\s*=\s*\"([^\"]+)\"\s*\n(?:\w+\s*=.*\n)*?version\s*=\s*\"([^\"]+)\"", re.MULTILINE
)
_NPM: Final = re.compile(
    r"\"(?:node_modules/)?((?:@[\w.-]+/)?[\w.-]+)\":\s*\{\s*\"version\":\s*\"(\d[^\"]*)\""
)
_YARN: Final = re.compile(
    r"^\"?((?:@[\w.-]+/)?[\w.-]+)@[^\n]*:\n\s+\"?version\"?:?\s+\"?(\d[^\"\s]*)", re.MULTILINE
)
_PNPM: Final = re.compile(r"^\s+'?/?((?:@[\w.-]+/)?[\w.-]+)[@/](\d[\w.-]*)[^\n]*:", re.MULTILINE)
_MANIFEST: Final = re.compile(r"\"((?:@[\w.-]+/)?[\w.-]+)\":\s*\"[\^~=v]*(\d+[\w.]*)\"")
_COMPOSER: Final = re.compile(r"\"name\":\s*\"([\w./-]+)\",\s*\"version\":\s*\"v?(\d[^\"]*)\"")
_PHP: Final = re.compile(r"\"(php)\":\s*\"[\^~>=v ]*(\d[\d.]*)")
_GEM: Final = re.compile(r"^ {4}([\w.-]+) \((\d[\w.]*)[^)]*\)", re.MULTILINE)
_MIX: Final = re.compile(r"^\s*\"(\w+)\":\s*\{:hex,\s*:\w+,\s*\"(\d[^\"]*)\"", re.MULTILINE)
_GO: Final = re.compile(r"^\s*(?:require\s+)?([\w-]+\.[\w./~-]+)\s+v(\d[\w.+-]*)", re.MULTILINE)
_MAVEN: Final = re.compile(r"<artifactId>\s*([\w.-]+)\s*</artifactId>\s*<version>\s*(\d[\w.-]*)")
_GRADLE: Final = re.compile(r"(?:^|[\"'])[\w.-]+:([\w.-]+):(\d[\w.-]*)", re.MULTILINE)
_IMAGE: Final = re.compile(
    r"^\s*(?:-\s+)?(?:image:|FROM(?:\s+--\S+)*)\s*[\"']?"
    r"(?:[\w-]+(?:\.[\w.-]+|(?=:\d+/))(?::\d+)?/)?((?:[\w.-]+/)*[\w.-]+):v?(\d[\w.]*)",
    re.MULTILINE | re.IGNORECASE,
)
"""An image without its registry, and its tag."""
_FRAMEWORK: Final = re.compile(r"<(TargetFramework)s?>net(?:coreapp)?(\d+\.\d+)")
_FILES: Final[Mapping[str, tuple[re.Pattern[str], ...]]] = {
    "requirements*.txt": (_PIN,),
    "constraints*.txt": (_PIN,),
    "Pipfile": (re.compile(r"^([\w.-]+)\s*=\s*\"==([\d.]+)\"", re.MULTILINE),),
    "Pipfile.lock": (re.compile(r"\"([\w.-]+)\":\s*\{[^{}]*\"version\":\s*\"==([^\"]+)\""),),
    "poetry.lock": (_TOML,),
    "uv.lock": (_TOML,),
    "pdm.lock": (_TOML,),
    "pyproject.toml": (
        re.compile(r"\"([\w.-]+)(?:\[[^\]]*\])?\s*[=~]=\s*([\d.]+)\""),
        re.compile(r"^([\w.-]+)\s*=\s*\"[\^~=]*(\d[\d.]*)\"", re.MULTILINE),
    ),
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
    "composer.json": (_PHP, _MANIFEST),
    "*.csproj": (_FRAMEWORK,),
    "Directory.Build.props": (_FRAMEWORK,),
}
"""The names of lock files and manifests of the ecosystems whose packages a rule is about,
those that fix most first."""


class Pin(NamedTuple):
    """The version of a package, and the name of the file that fixes it."""

    version: str
    file: str


def pins_beside(path: str, gate: Gate) -> Mapping[str, Pin]:
    """Find the pin of each package, by its name in lower case, in the nearest file above.

    Raises:
        UnreadError: a file that may pin one is too large, or cannot be read.
    """
    return _of_folder(str(PurePath(path).parent), _FURTHEST, gate)


def is_above(file: str, path: str) -> bool:
    """Tell whether a folder above a path has a file, such as ``config/hashing.php``."""
    return any(Path(folder, file).is_file() for folder in PurePath(path).parents[:_FURTHEST])


@lru_cache(maxsize=4096)
def _of_folder(folder: str, furthest: int, gate: Gate) -> Mapping[str, Pin]:
    try:
        names = sorted(entry.name for entry in os.scandir(folder))
    except OSError:
        return {}
    above = str(PurePath(folder).parent)
    last = ".git" in names or above == folder or furthest == 0
    farther = {} if last else dict(_of_folder(above, furthest - 1, gate))
    if "requirements" in names:  # A folder of them, one for each stage.
        with contextlib.suppress(OSError):
            beneath = sorted(Path(folder, "requirements").iterdir())
            names += (f"requirements/{path.name}" for path in beneath)
    own: dict[str, Pin] = {}
    for pattern, expressions in _FILES.items():
        for name in fnmatch.filter(names, pattern):
            path = Path(folder, name)
            if not path.is_file():
                continue  # A folder, or a pipe that was laid there.
            text = gate.read(path).decode(errors="replace")
            with gate.reading(path):
                for expression in expressions:
                    for package, version in expression.findall(text):
                        own.setdefault(package.lower().replace("_", "-"), Pin(version, name))
    return farther | own

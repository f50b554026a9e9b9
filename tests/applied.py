"""Higher costs for the files of the corpus: what `calibrate emit --apply` is tried on."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePath
from typing import Final

from configurations import Configuration, configurations
from hashcost.apps.interface import Scheme
from hashcost.apps.registry import load_tunable
from hashcost.core.errors import HashcostError
from hashcost.core.measurement import Params
from hashcost.verdicts.app_costs import costs_in_files
from hashcost.verdicts.applying import hasher_of
from hashcost.verdicts.edit_trial import Target
from hashcost.verdicts.judgement import Configured, Judgement

HEAD: Final = "hashcost 0.1.0, 2026-11-22: the cost"


@dataclass(frozen=True)
class Files:
    """Files that are there for a test only, read as those of a disk are."""

    texts: dict[str, str]

    def read(self, path: str) -> str | None:
        """The text of a file."""
        return self.texts.get(path)

    def listed(self, folder: str, suffix: str) -> tuple[str, ...] | None:
        """The files right in a folder."""
        found = [each for each in self.texts if str(PurePath(each).parent) == folder]
        return tuple(sorted(each for each in found if each.endswith(suffix))) or None


def higher(scheme: Scheme, params: Params) -> Params:
    """A higher cost that the application takes."""
    raised = {
        param: limits.nearest(params[param] + 1 if param == "cost" else 2 * params[param])
        for param, limits in scheme.limits.items()
        if param not in {"r", "p", "parallelism"}
    }
    return {**params, **raised}


def raised(configuration: Configuration, path: str) -> tuple[Target, int] | None:
    """A higher cost for a file of the corpus, with how many it has, if these are told."""
    app = load_tunable(configuration.app)
    files = {name.lstrip("/"): text for name, text in configuration.files.items()}
    reader, version = Files(files), configuration.version
    try:
        held = costs_in_files(app, [(path, files[path])], version, reader)
    except HashcostError:
        return None
    costs = [each for each in held if isinstance(each, Configured) and each.scheme is not None]
    if not costs or any(isinstance(each, Judgement) for each in held):
        return None
    scheme = app.scheme(hasher_of(app, path, files[path], version, reader) or costs[0].hasher)
    assert scheme is not None
    own = [each.params for each in costs if each.hasher == scheme.hasher]
    highest = {param: max(each[param] for each in own) for param in scheme.limits}
    target = Target(
        app=app,
        scheme=scheme,
        params=higher(scheme, highest),
        path=path,
        text=files[path],
        head=(app.comment.format(HEAD),),
        version=version,
        reader=reader,
    )
    return target, len(own)


FILES: Final = tuple(
    (configuration, path.lstrip("/"))
    for configuration in configurations()
    for path in configuration.check
)
"""The files of the corpus, each with its configuration."""

"""The modules of the collection, imported as Ansible's module of a host imports them."""

import importlib
import sys
from collections.abc import Iterator
from types import ModuleType

import pytest

from collection import linked

_UTILS = "ansible_collections.hashcost.calibrate.plugins.module_utils"


@pytest.fixture(scope="session", autouse=True)
def _collections(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    folder = str(linked(tmp_path_factory.mktemp("collections")))
    sys.path.insert(0, folder)
    yield
    sys.path.remove(folder)


@pytest.fixture
def measuring() -> ModuleType:
    """What times the hashers of a host."""
    return importlib.import_module(f"{_UTILS}.measuring")


@pytest.fixture
def host() -> ModuleType:
    """What tells of a host."""
    return importlib.import_module(f"{_UTILS}.host")


@pytest.fixture
def probe() -> ModuleType:
    """What hashes."""
    return importlib.import_module(f"{_UTILS}.probe")

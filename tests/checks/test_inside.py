"""Tests for configurations inside other files: scripts, manifests, playbooks, Nix, Terraform."""

from pathlib import Path

import pytest

from corpora import table
from hashcost.apps.attributes import attributes
from hashcost.apps.registry import load_tunable
from hashcost.checks.app_costs import costs_in
from hashcost.checks.app_files import costs_of, read_files
from hashcost.checks.judgement import Configured, CostOrVerdict, Judgement
from hashcost.core.errors import UnreadableInputError
from hashcost.storage.gate import Gate


def _said(cost: CostOrVerdict) -> str:
    """A cost with its line, as the rows of the table have it."""
    words = [cost.hasher]
    if isinstance(cost, Configured):
        words += [f"{name}={value}" for name, value in cost.params.items()]
    if cost.place is not None and cost.place.line is not None:
        words.append(f"@{cost.place.line}")
    return " ".join(words)


@table("app, path, text, told")
def test_a_configuration_inside_another_file_counts_at_its_line(
    app: str, path: str, text: str, told: list[str]
) -> None:
    """What a script, a manifest or NixOS writes is read as the application reads it."""
    assert [_said(cost) for cost in costs_in(load_tunable(app), text, path, None)] == told


def test_a_compose_file_takes_the_values_of_the_env_file_beside_it(tmp_path: Path) -> None:
    """Compose fills in what .env has, unless the environment has it; `$$` is a sign."""
    compose = tmp_path / "compose.yaml"
    variables = (
        "- PASSWORD_ITERATIONS=${PASSWORD_ITERATIONS}",
        "- PASSWORD_ITERATIONS=$PASSWORD_ITERATIONS",
        "- PASSWORD_ITERATIONS=${PASSWORD_ITERATIONS:-600000}",
    )
    (tmp_path / ".env").write_text("PASSWORD_ITERATIONS=350000\n")
    for variable in variables:
        compose.write_text(
            f"services:\n  v:\n    image: vaultwarden/server\n    environment:\n      {variable}\n"
        )
        (cost,) = costs_of(read_files(load_tunable("vaultwarden"), [compose]), None, Gate())
        assert _said(cost) == "pbkdf2-sha256 iterations=350000 @5"
    (tmp_path / ".env").unlink()
    (cost,) = costs_of(read_files(load_tunable("vaultwarden"), [compose]), None, Gate())
    assert _said(cost) == "pbkdf2-sha256 iterations=600000 @5"


def test_a_part_of_a_configuration_says_that_the_rest_may_set_another_cost() -> None:
    """A script that adds a line does not show the file to which it adds it."""
    text = "echo 'scram_iterations = 8192' >> postgresql.conf\n"
    (cost,) = costs_in(load_tunable("postgresql"), text, "a.sh", None)
    assert isinstance(cost, Configured)
    assert "unless the rest of that configuration sets another" in cost.note


def test_a_file_that_nixos_adds_is_named() -> None:
    """Without a cost in its settings, such a file may set one."""
    text = (
        "{\n  services.vaultwarden = {\n    enable = true;\n"
        '    environmentFile = "/run/secrets/vaultwarden";\n  };\n}\n'
    )
    (row,) = costs_in(load_tunable("vaultwarden"), text, "a.nix", None)
    assert isinstance(row, Judgement)
    assert "it takes settings from /run/secrets/vaultwarden" in row.message


def test_values_of_nix_and_terraform_have_their_paths_and_lines() -> None:
    """Quoted parts of a path, comments, lists and what refers to another value."""
    nix = 'let n = 3; in {\n # a = 1;\n a."b.c".d = [ "X=1" ];\n e = lib.mkForce n;\n}'
    assert [tuple(one) for one in attributes(nix, is_nix=True)] == [
        (("n",), "3", 1),
        (("a", "b.c", "d", "X"), "1", 3),
        (("e",), "3", 4),
    ]
    terraform = 'locals {\n n = 3\n}\nset {\n name = "a.b"\n value = local.n\n}\n'
    told = attributes(terraform, is_nix=False)
    assert [tuple(one) for one in told if one.path[0] == "set"] == [(("set", "a", "b"), "3", 6)]


def test_what_is_nested_too_deep_is_refused() -> None:
    """What stands behind it may set a cost, so no default counts."""
    nested = "{" * 100 + 'services.vaultwarden.config.PASSWORD_ITERATIONS = "1000";'
    with pytest.raises(UnreadableInputError, match="nested more than 64 levels deep"):
        costs_in(load_tunable("vaultwarden"), nested, "a.nix", None)

"""Which lines of a Compose file or a manifest are the application's."""

from typing import Final

import pytest

from corpora import table
from hashcost.apps.containers import begins_containers, own_services, settings_of_containers
from hashcost.apps.registry import load_tunable
from hashcost.checks.app_costs import costs_in, costs_in_files
from hashcost.checks.app_releases import AppRelease
from hashcost.checks.judgement import Configured, Judgement, Outcome
from hashcost.core.cost_expressions import Place
from hashcost.core.units import format_setting

_OTHER = """\
  other:
    image: registry.example:5000/other
    environment:
      PASSWORD_ITERATIONS: "700000"
"""
_OWN = """\
  vault:
    environment:
      - DOMAIN=https://a.example
      - "PASSWORD_ITERATIONS=100000"
    image: docker.io/vaultwarden/server:1.32.0
"""
_DEPLOYMENT = """\
kind: Deployment
spec:
  template:
    spec:
      containers:
        - name: vault
          image: vaultwarden/server:1.32.0
          env:
            - name: PASSWORD_ITERATIONS  # a comment
              value: "350000"
        - name: beside
          image: beside
          env:
            - name: PASSWORD_ITERATIONS
              value: "700000"
"""


def _told(app: str, text: str) -> list[str]:
    told = []
    for cost in costs_in(load_tunable(app), text, "compose.yaml", None):
        if isinstance(cost, Judgement):
            told.append(f"{cost.outcome.value} {cost.message}")
        else:
            told.append(f"{cost.hasher} {format_setting(cost.params)}")
    return told


@pytest.mark.parametrize("services", [_OTHER + _OWN, _OWN + _OTHER])
def test_a_variable_of_another_service_does_not_count(services: str) -> None:
    """Only the service that runs the application's image has its variables."""
    assert _told("vaultwarden", f"services:\n{services}") == ["pbkdf2-sha256 iterations=100000"]


def test_a_service_without_the_variable_has_the_default() -> None:
    """The variable of another service is not taken for its own."""
    own = _OWN.replace('      - "PASSWORD_ITERATIONS=100000"\n', "")
    assert _told("vaultwarden", f"services:\n{_OTHER}{own}") == ["pbkdf2-sha256 iterations=600000"]


@pytest.mark.parametrize(
    ("image", "is_its"),
    [
        ("gitea/gitea:1.25.2", True),
        ("docker.io/gitea/gitea:1.25.2", True),
        ("docker.gitea.com/gitea:1.25.2-rootless", True),
        ("docker.example/gitea:1.25.2", False),
        ("docker.gitea.com/gitea-mcp-server:1", False),
    ],
)
def test_an_application_may_have_its_image_in_several_registries(image: str, is_its: bool) -> None:
    """Gitea's own registry names it otherwise than Docker's."""
    (row,) = _told("gitea", f"services:\n  server:\n    image: {image}\n")
    assert (row == "pbkdf2-sha256 iterations=50000") == is_its


def test_a_container_beside_it_does_not_count() -> None:
    """A manifest has a name and a value on two lines, of each container by itself."""
    assert _told("vaultwarden", _DEPLOYMENT) == ["pbkdf2-sha256 iterations=350000"]


def test_variables_of_services_that_may_each_be_it_stay_unknown() -> None:
    """An image that is built here may be the application's."""
    service = "  {}:\n    build: ./{}\n    environment:\n      PASSWORD_ITERATIONS: {}\n"
    text = "services:\n" + service.format("a", "a", 100_000) + service.format("b", "b", 700_000)
    (row,) = _told("vaultwarden", text)
    assert row.startswith("unknown it starts containers")


def test_a_file_and_a_container_that_differ_leave_the_cost_unknown() -> None:
    """A variable of the container goes before a file of settings that it may read."""
    compose = "services:\n  app:\n    image: a\n    environment:\n      BCRYPT_ROUNDS: {}\n"
    env = "APP_KEY=a\nBCRYPT_ROUNDS=12\n"
    for rounds, is_unknown in ((6, True), (12, False)):
        files = [(".env", env), ("compose.yaml", compose.format(rounds))]
        of_env, of_container = costs_in_files(load_tunable("laravel"), files, None)
        assert of_container.params == {"cost": rounds}
        assert isinstance(of_env, Judgement) == is_unknown


def test_the_lines_stay_where_they_are() -> None:
    """A row names the line of the whole file."""
    text = f"services:\n{_OTHER}{_OWN}"
    own = own_services(text, ["vaultwarden/server"])
    assert own.count("\n") == text.count("\n")
    assert [line for line in own.split("\n") if line] == [
        "services:",
        "  other:",
        *_OWN.split("\n")[:-1],
    ]
    assert own_services(text, ["absent"]) == text


@pytest.mark.parametrize(
    ("line", "setting"),
    [
        ("    - A=12", ("A", "12")),
        ("    - 'A=12'", ("A", "12")),
        ("    - A=12 # why", ("A", "12")),
        ('    A: "12" # why', ("A", "12")),
        ("    'A': 12", ("A", "12")),
        ("    - xpack.security.enabled=false", ("xpack.security.enabled", "false")),
    ],
)
def test_a_variable_is_read_as_people_write_it(line: str, setting: tuple[str, str]) -> None:
    """A list and a map say the same."""
    (found_there,) = settings_of_containers(f"services:\n{line}\n")
    assert (found_there.name, found_there.value, found_there.line) == (*setting, 2)


@pytest.mark.parametrize(
    ("text", "is_so"),
    [
        ("services:\n  web:\n    image: a\n", True),
        ("services: {web: {build: .}}\n", True),
        ("services:\n  web:\n    environment:\n      A: 1\n", True),
        ("apiVersion: v1\nkind: ConfigMap\ndata:\n  A: 1\n", True),
        ("services:\n  _defaults:\n    autowire: true\n  App\\Hash:\n    arguments: [1]\n", False),
        ("kind: Symfony\n", False),
    ],
)
def test_services_that_a_framework_puts_together_start_no_containers(
    text: str, is_so: bool
) -> None:
    """Symfony's services have none of the keys of Compose."""
    assert (begins_containers(text) is not None) == is_so


def test_a_container_is_given_settings_by_their_own_names() -> None:
    """Elasticsearch takes its settings from variables with dots."""
    head = "services:\n  es:\n    image: elasticsearch:9.1.0\n    environment:\n"
    name = "xpack.security.authc.password_hashing.algorithm"
    assert _told("elasticsearch", f"{head}      - {name}=bcrypt4\n") == ["bcrypt cost=4"]
    assert _told("elasticsearch", f"{head}      {name}: bcrypt4\n") == ["bcrypt cost=4"]
    (row,) = _told("elasticsearch", f"{head}      - xpack.security.enabled=false\n")
    assert "asks for no password" in row


@pytest.mark.parametrize(
    "text",
    [
        "<clickhouse><users><default><password></password></default></users></clickhouse>\n",
        "<clickhouse><users><default><password/></default></users></clickhouse>\n",
        "<clickhouse><users><default><no_password/></default></users></clickhouse>\n",
        "users:\n  default:\n    password: ''\n",
        "users:\n  default:\n    password:\n",
    ],
)
def test_an_empty_password_lets_anybody_in(text: str) -> None:
    """ClickHouse asks for no password then."""
    (row,) = costs_in(load_tunable("clickhouse"), text, "users.xml", None)
    assert isinstance(row, Judgement)
    assert row.outcome is Outcome.UNSUITABLE
    assert row.hasher == "no password"


@pytest.mark.parametrize("by", [": :sha512", " => :sha512", " = :sha512"])
def test_a_model_with_another_encryptor_has_no_cost_of_bcrypt(by: str) -> None:
    """Its stretches count rounds of a digest, and those of the initializer count elsewhere."""
    text = f"devise :database_authenticatable, :encryptable, encryptor{by}, stretches: 20\n"
    (row,) = costs_in(load_tunable("devise"), text, "user.rb", None)
    assert isinstance(row, Judgement)
    assert row.outcome is Outcome.UNSUITABLE


def test_the_initializer_says_for_which_models_it_counts() -> None:
    """A model may name another encryptor, which the initializer does not show."""
    text = "Devise.setup do |config|\n  config.stretches = 12\nend\n"
    (cost,) = costs_in(load_tunable("devise"), text, "devise.rb", None)
    assert isinstance(cost, Configured)
    assert "in models that name no other encryptor" in cost.note


_COMMANDS = [
    'command: [run, --name, a, {}, "{}"]',
    "command: run --name a {}={}",
    'command: "run --name=a {} {}"',
    "command:\n      - run\n      - {}={}",
    "args:\n    - --name\n    - a\n    - {}\n    - '{}'",
    "command: [run]\n    args:\n      - {}  # why\n      - {}",
    "entrypoint: >-\n      run\n      # why\n      {}={}\n      --verbose",
    "command: run\n      --name=a\n      {} {}",
    "command: run --name='a b' {}='{}'",
    "command: run --name it's {} {}",
]
"""Ways to write a command with an option and its value."""


@pytest.mark.parametrize("command", _COMMANDS)
def test_an_option_is_read_as_people_write_a_command(command: str) -> None:
    """A text and a list say the same."""
    text = f"services:\n  a:\n    image: etcd\n    {command.format('--bcrypt-cost', 5)}\n"
    (row,) = [one for one in settings_of_containers(text) if one.name == "--bcrypt-cost"]
    assert row.value == "5"
    assert "bcrypt-cost" in text.splitlines()[row.line - 1]
    assert _told("etcd", text) == ["bcrypt cost=5"]


@pytest.mark.parametrize(
    "command",
    [
        "postgres -c max_connections=200 -c scram_iterations=5000",
        '[postgres, "-c", "scram_iterations=5000"]',
        "\n      - postgres\n      - -c\n      - scram_iterations=5000",
        ">\n      postgres\n      -c max_connections=200\n      -c scram_iterations=5000",
    ],
)
def test_a_server_is_given_settings_by_its_command(command: str) -> None:
    """PostgreSQL takes them after -c."""
    text = f"services:\n  db:\n    image: postgres:16\n    command: {command}\n"
    assert _told("postgresql", text) == ["pbkdf2-sha256 iterations=5000"]


_KEYCLOAK = """\
services:
  keycloak:
    image: quay.io/keycloak/keycloak:26.4
    command: start {}
    environment:
      KC_DB: postgres
      {}
"""


@pytest.mark.parametrize(
    ("option", "variable", "memory"),
    [
        ("--spi-password-hashing-argon2-memory=1024", "A: b", 1024),
        ("--spi-password-hashing--argon2--memory 1024", "A: b", 1024),
        ("", 'KC_SPI_PASSWORD_HASHING_ARGON2_MEMORY: "1024"', 1024),
        ("", 'KC_SPI_PASSWORD_HASHING__ARGON2__MEMORY: "1024"', 1024),
    ],
)
def test_an_option_of_a_file_has_its_names_in_a_container(
    option: str, variable: str, memory: int
) -> None:
    """Keycloak takes each option of its file as one of its command or as a variable, too."""
    told = _told("keycloak", _KEYCLOAK.format(option, variable))
    assert told == [f"argon2id m={memory},t=5,p=1"]


def test_an_option_and_a_variable_that_differ_leave_the_cost_unknown() -> None:
    """They are two names of one setting."""
    option = "--spi-password-hashing--argon2--memory=2048"
    variable = "KC_SPI_PASSWORD_HASHING__ARGON2__MEMORY: 1024"
    (row,) = _told("keycloak", _KEYCLOAK.format(option, variable))
    assert row.startswith("unknown it starts containers")


def test_two_underscores_are_unknown_to_an_old_release() -> None:
    """Keycloak before 26.3 has one between the parts of a name."""
    variable = "KC_SPI_PASSWORD_HASHING__ARGON2__MEMORY: 1024"
    text = _KEYCLOAK.format("", variable)
    (row,) = costs_in(load_tunable("keycloak"), text, "compose.yaml", AppRelease("26.2"))
    assert isinstance(row, Judgement)
    assert row.outcome is Outcome.UNKNOWN


_KRATOS = """\
services:
  kratos:
    image: oryd/kratos:v1.3.0
    command: serve -c /etc/config/kratos/kratos.yml {}
    environment:
"""
_ARGON2 = [
    "HASHERS_ALGORITHM=argon2",
    "HASHERS_ARGON2_MEMORY=16MB",
    "HASHERS_ARGON2_ITERATIONS=1",
    "HASHERS_ARGON2_PARALLELISM=1",
]
_BCRYPT = ["HASHERS_ALGORITHM=bcrypt", "HASHERS_BCRYPT_COST=8"]


def _kratos(variables: list[str], arguments: str = "") -> list[str]:
    listed = "".join(f"      - {variable}\n" for variable in variables)
    return _told("kratos", _KRATOS.format(arguments) + listed)


@pytest.mark.parametrize(
    ("variables", "arguments", "cost"),
    [
        (_ARGON2, "", "argon2id m=16384,t=1,p=1"),
        ([*_ARGON2, "HASHERS_BCRYPT_COST=8"], "", "argon2id m=16384,t=1,p=1"),
        # Kratos raises the cost in production.
        (_BCRYPT, "", "bcrypt cost=12"),
        (_BCRYPT, "--dev", "bcrypt cost=8"),
        ([*_BCRYPT, "DEV=true"], "", "bcrypt cost=8"),
    ],
)
def test_variables_in_upper_case_set_the_keys_of_a_file(
    variables: list[str], arguments: str, cost: str
) -> None:
    """Kratos reads each key of its file from a variable, too."""
    assert _kratos(variables, arguments) == [cost]


@pytest.mark.parametrize("missing", _ARGON2)
def test_variables_beside_a_file_that_may_set_the_rest_tell_no_cost(missing: str) -> None:
    """Kratos reads its file in any case, which is not seen here."""
    (row,) = _kratos([variable for variable in _ARGON2 if variable != missing])
    assert row.startswith("unknown it starts containers")


def test_the_lines_below_a_command_are_not_its_words() -> None:
    """What follows a command is the container's own."""
    head = "services:\n  db:\n    image: postgres:16\n    command:\n    - --name\n"
    settings = settings_of_containers(f"{head}    environment:\n      A: b\n  --other: x\n")
    assert [(one.name, one.value) for one in settings if one.name in {"A", "--name"}] == [
        ("A", "b")
    ]


def test_arguments_of_a_build_stay_a_map() -> None:
    """They have the key of a command's words, and no words."""
    text = "services:\n  a:\n    build:\n      args:\n        A: 12\n"
    assert [(one.name, one.value) for one in settings_of_containers(text)] == [("A", "12")]


_IMAGE: Final = "services:\n  a:\n    image: {}\n    ports: ['1:1']\n"


@table("app, image, told")
def test_the_default_counts_where_only_the_image_is_named(app: str, image: str, told: str) -> None:
    """A container without variables, options or files of settings has nothing to check."""
    assert _told(app, _IMAGE.format(image)) == told.split("; ")


@table("app, image, told")
def test_the_image_says_what_it_does_without_a_setting(app: str, image: str, told: str) -> None:
    """Some hash nothing, or with what the image does not decide."""
    (row,) = _told(app, _IMAGE.format(image))
    assert row.startswith("unknown ")
    assert told in row


@table("app, image, settings, told")
def test_what_sets_the_cost_of_an_image_elsewhere_is_named(
    app: str, image: str, settings: str, told: str
) -> None:
    """A file of settings that is mounted, or an option that is not read, may set another cost."""
    (row, *_) = _told(app, _IMAGE.format(image) + settings)
    assert told in row


def test_what_holds_no_settings_may_be_mounted() -> None:
    """Data, scripts and the clock of the host set no cost."""
    mounts = (
        "    volumes:\n      - data:/data/configdb\n      - /etc/localtime:/etc/localtime:ro\n"
    )
    assert _told("mongodb", _IMAGE.format("mongo:7") + mounts) == _told(
        "mongodb", _IMAGE.format("mongo:7")
    )


_MAP: Final = "kind: ConfigMap\nmetadata:\n  name: {}\ndata:\n  A: b\n---\n"
_TAKES: Final = (
    "kind: Deployment\nspec:\n  containers:\n    - name: a\n      image: mongo:7.0\n"
    "      envFrom:\n        - configMapRef:\n            name: own\n      ports: []\n"
)


def test_a_map_of_variables_in_the_same_file_is_read() -> None:
    """A rendered chart has its ConfigMap beside the container that takes it."""
    assert "iterations=15000" in _told("mongodb", _MAP.format("own") + _TAKES)[0]
    (row,) = _told("mongodb", _MAP.format("another") + _TAKES)
    assert row.startswith("unknown the container takes variables")


_SERVICE: Final = "services:\n  a:\n    image: vaultwarden/server:1.30\n"


@pytest.mark.parametrize(
    "names",
    [
        "    env_file: a.env\n",
        "    env_file: ['a.env']\n",
        "    env_file:\n      - path: ./a.env # its own\n        required: false\n",
        "    env_file:\n      - required: false\n        path: a.env\n",
    ],
)
def test_the_variables_of_a_file_that_a_service_gets_count(names: str) -> None:
    """A Compose file and the file of variables that it names are one configuration."""
    app = load_tunable("vaultwarden")
    compose = ("x/compose.yaml", _SERVICE + names)
    (row,) = costs_in_files(app, [compose, ("x/a.env", "PASSWORD_ITERATIONS=700000\n")], None)
    assert isinstance(row, Configured)
    assert (row.params, row.place) == ({"iterations": 700_000}, Place(path="x/a.env", line=1))
    # The image has the default where the file sets something else.
    (row,) = costs_in_files(app, [compose, ("x/a.env", "A=1\n")], None)
    assert isinstance(row, Configured)
    assert (row.params, row.place) == ({"iterations": 600_000}, Place(path="x/compose.yaml"))
    # What is not read there may still set it.
    (row,) = costs_in_files(app, [compose, ("x/a.env", "ENV_FILE=b\n")], None)
    assert isinstance(row, Judgement)


def test_a_file_of_variables_in_another_folder_is_another() -> None:
    """Only the file that the service gets has its variables."""
    app = load_tunable("vaultwarden")
    compose = ("x/compose.yaml", f"{_SERVICE}    env_file: a.env\n")
    rows = costs_in_files(app, [compose, ("a.env", "PASSWORD_ITERATIONS=700000\n")], None)
    assert [True, False] == [isinstance(row, Judgement) for row in rows]


_POD: Final = """kind: StatefulSet
spec:
  containers:
    - name: db
      image: docker.io/bitnami/postgresql:17.2.0
      volumeMounts:
        - name: own
          mountPath: /opt/bitnami/postgresql/conf
          subPath: conf
        - mountPath: /opt/bitnami/postgresql/tmp
          name: own
  volumes:
    - name: own
      {}
"""


def test_a_volume_that_begins_empty_holds_no_settings() -> None:
    """A chart gives the container a place that it may write to."""
    assert _told("postgresql", _POD.format("emptyDir: {}")) == ["pbkdf2-sha256 iterations=4096"]
    (row,) = _told("postgresql", _POD.format("configMap: {name: a}"))
    assert "what is mounted at /opt/bitnami/postgresql/conf may set the cost" in row
    # Another image may put its files there before.
    before = "  initContainers:\n    - name: a\n      image: busybox\n      command: [cp]\n"
    pod = _POD.format("emptyDir: {}").replace("  containers:", f"{before}  containers:")
    (row,) = _told("postgresql", pod)
    assert "what is mounted at /opt/bitnami/postgresql/conf may set the cost" in row
    own = pod.replace("busybox", "bitnami/postgresql:17.2.0")
    assert _told("postgresql", own) == ["pbkdf2-sha256 iterations=4096"]

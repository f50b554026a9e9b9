"""Configurations that were judged *fine* while passwords were weak, and what they really are.

Each was tried with the real program.
"""

from __future__ import annotations

from typing import Final, NamedTuple


class Case(NamedTuple):
    """A configuration, and what is to be found of it.

    ``expected`` are costs, such as ``bcrypt cost=4``, or ``unknown`` or ``unsuitable``, in
    the order of the file.
    """

    app: str
    text: str
    expected: tuple[str, ...]


UNKNOWN: Final = ("unknown",)
UNSUITABLE: Final = ("unsuitable",)
FOUR: Final = ("bcrypt cost=4",)


def _spring(body: str) -> str:
    return f"class S {{\n  PasswordEncoder e() {{\n    {body}\n  }}\n}}\n"


def _symfony(hasher: str, root: str = "password_hashers") -> str:
    return f"security:\n  {root}:\n    App\\Entity\\User: {hasher}\n"


def _compose(*environment: str) -> str:
    lines = "".join(f"      {each}\n" for each in environment)
    return f"services:\n  app:\n    image: x\n    environment:\n{lines}"


_HASHERS: Final = "django.contrib.auth.hashers"
_LIST: Final = f"PASSWORD_HASHERS = ['{_HASHERS}.PBKDF2PasswordHasher']\n"
_MD5: Final = f"'{_HASHERS}.MD5PasswordHasher'"


def _own_hasher(inside: str = "", above: str = "", below: str = "") -> str:
    """Django's settings with a class of their own, which has a strong cost first."""
    return (
        f"from {_HASHERS} import PBKDF2PasswordHasher\n{above}"
        f"class H(PBKDF2PasswordHasher):\n    iterations = 1000000\n{inside}{below}"
        "PASSWORD_HASHERS = ['settings.H']\n"
    )


def _passlib(changed: str) -> str:
    made = "c = CryptContext(schemes=['bcrypt'], bcrypt__rounds=13)"
    return f"from passlib.context import CryptContext\n{made}{changed}\n"


def _ansible(expression: str) -> str:
    return f'- user:\n    password: "{{{{ {expression} }}}}"\n'


def _realm(name: str, policy: str) -> str:
    return f'{{"realm": "{name}", "passwordPolicy": "{policy}"}}'


_REALMS: Final = (
    _realm("a", "hashIterations(1) and hashAlgorithm(pbkdf2)"),
    _realm("b", "hashIterations(210000) and hashAlgorithm(pbkdf2-sha512)"),
)
_BOTH_REALMS: Final = ("pbkdf2-sha1 iterations=1", "pbkdf2-sha512 iterations=210000")

NAMED: Final = (
    Case("symfony", _symfony("{ algorithm: plaintext }"), UNSUITABLE),
    Case("symfony", _symfony("plaintext"), UNSUITABLE),
    Case("symfony", _symfony("{ algorithm: md5 }"), UNSUITABLE),
    Case("symfony", _symfony("{ algorithm: sha512, iterations: 10 }"), UNSUITABLE),
    Case(
        "symfony",
        _symfony("{ algorithm: pbkdf2, iterations: 10 }"),
        ("pbkdf2-sha512 iterations=10",),
    ),
    Case(
        "symfony",
        _symfony("{ algorithm: sodium, memory_cost: 10 }"),
        ("argon2id memory_kib=10 time_cost=4 parallelism=1",),
    ),
    Case(
        "symfony",
        _symfony("{ algorithm: argon2id }"),
        ("argon2id memory_kib=65536 time_cost=4 parallelism=1",),
    ),
    Case("symfony", _symfony("{ algorithm: auto, cost: 4 }", "encoders"), FOUR),
    Case("symfony", _symfony("{ algorithm: auto, cost: 4 }", "password-hashers"), FOUR),
    Case("symfony", _symfony("'auto'"), ("bcrypt cost=13",)),
    Case("symfony", _symfony("{ id: App\\Hasher }"), UNKNOWN),
    Case("symfony", _symfony("{ algorithm: '%env(HASHER)%' }"), UNKNOWN),
    Case("spring", _spring("return NoOpPasswordEncoder.getInstance();"), UNSUITABLE),
    Case("spring", _spring("return new StandardPasswordEncoder();"), UNSUITABLE),
    Case("spring", _spring('return new DelegatingPasswordEncoder("noop", m);'), UNSUITABLE),
    Case(
        "spring",
        '<bean class="org.springframework.security.crypto.bcrypt.BCryptPasswordEncoder">\n'
        '<constructor-arg value="4"/></bean>\n',
        FOUR,
    ),
    Case("spring", "class E extends BCryptPasswordEncoder { E() { super(4); } }\n", FOUR),
    Case(
        "spring",
        _spring("return Pbkdf2PasswordEncoder.defaultsForSpringSecurity_v5_2();"),
        UNKNOWN,
    ),
    Case(
        "spring",
        _spring(
            'var e = new Pbkdf2PasswordEncoder("", 16, 310000, PBKDF2WithHmacSHA256);\n'
            "e.setAlgorithm(SecretKeyFactoryAlgorithm.PBKDF2WithHmacSHA1); return e;"
        ),
        ("pbkdf2-sha1 iterations=310000",),
    ),
    Case("laravel", "APP_KEY=x\nHASH_DRIVER=argon\nARGON_MEMORY=8\n", UNKNOWN),
    Case("postgresql", "scram_iterations = 100000\npassword_encryption = md5\n", UNSUITABLE),
    Case(
        "postgresql",
        "password_encryption = 'scram-sha-256'\n",
        ("pbkdf2-sha256 iterations=4096",),
    ),
    Case("mysql", "[mysqld]\ndefault_authentication_plugin=mysql_native_password\n", UNSUITABLE),
    Case(
        "mongodb",
        "security:\n  authorization: enabled\n"
        "setParameter:\n  authenticationMechanisms: SCRAM-SHA-1\n",
        ("pbkdf2-sha1 iterations=10000",),
    ),
    Case(
        "aspnet-identity",
        "services.Configure<PasswordHasherOptions>(o => {\n"
        "o.CompatibilityMode = PasswordHasherCompatibilityMode.IdentityV2;\n"
        "o.IterationCount = 500000; });\n",
        ("pbkdf2-sha1 iterations=1000",),
    ),
    Case(
        "login-defs",
        "ENCRYPT_METHOD BCRYPT\nBCRYPT_MIN_ROUNDS 12\n",
        ("unknown", "bcrypt cost=12"),
    ),
    Case("login-defs", "ENCRYPT_METHOD DES\n", UNSUITABLE),
    Case("login-defs", "ENCRYPT_METHOD MD5\n", UNSUITABLE),
    Case("login-defs", "ENCRYPT_METHOD GOST\n", UNSUITABLE),
    Case("login-defs", "PASS_MAX_DAYS 99999\n", UNSUITABLE),
    Case("pam-unix", "password required pam_unix.so md5\n", UNSUITABLE),
    Case("pam-unix", "password required pam_unix.so\n", UNKNOWN),
    Case("pam-unix", "password required pam_unix.so gost_yescrypt\n", UNKNOWN),
    Case(
        "openldap",
        "moduleload argon2.so\npassword-hash {SSHA} {ARGON2}\n",
        ("argon2id memory_kib=7168 time_cost=5 parallelism=1", "unsuitable"),
    ),
    Case("openldap", "password-hash {CRYPT}\n", UNSUITABLE),
    Case("django", f"PASSWORD_HASHERS = [{_MD5}]\n", UNSUITABLE),
)
"""An algorithm that was named and not read."""

MISSED: Final = (
    Case(
        "laravel",
        "<?php return ['driver' => 'bcrypt', 'bcrypt' => ['rounds' => 4]];\n",
        FOUR,
    ),
    Case("laravel", "<?php\nreturn ['bcrypt' => ['rounds' => 2 * 2]];\n", FOUR),
    Case("laravel", "\ufeffBCRYPT_ROUNDS=4\n", FOUR),
    Case("ansible", _ansible("p | password_hash('md5_crypt')"), UNSUITABLE),
    Case(
        "ansible",
        _ansible("p | ansible.builtin.password_hash('sha512', rounds=1000)"),
        ("sha512-crypt rounds=1000",),
    ),
    Case(
        "ansible",
        _ansible("ps | map('password_hash', 'sha512', rounds=1000) | list"),
        ("sha512-crypt rounds=1000",),
    ),
    Case("django", "from .base import *\nDEBUG = False\nMIDDLEWARE = []\n", UNKNOWN),
    Case(
        "django",
        f"{_LIST}try:\n    from .local_settings import *\nexcept ImportError:\n    pass\n",
        ("pbkdf2-sha256 iterations=1500000", "unknown"),
    ),
    *(
        Case("django", f"{_LIST}{change}\n", ("pbkdf2-sha256 iterations=1500000", "unknown"))
        for change in (
            f"PASSWORD_HASHERS.insert(0, {_MD5})",
            f"PASSWORD_HASHERS[0] = {_MD5}",
            "PASSWORD_HASHERS.pop(0)",
        )
    ),
    *(
        Case("django", text, ("pbkdf2-sha256 iterations=1000000", "unknown"))
        for text in (
            _own_hasher(below="setattr(H, 'iterations', 10)\n"),
            _own_hasher(inside="    def __init__(self):\n        self.iterations = 10\n"),
            _own_hasher(inside="    def encode(self, password, salt, iterations=1):\n        x\n"),
        )
    ),
    Case(
        "django", _own_hasher(above="@weaker\n"), ("unknown", "pbkdf2-sha256 iterations=1000000")
    ),
    Case(
        "django",
        _own_hasher(below="H.iterations = 10\n"),
        ("pbkdf2-sha256 iterations=1000000", "unknown"),
    ),
    Case(
        "django",
        f"import os\n{_LIST}if not os.environ.get('PROD'):\n    PASSWORD_HASHERS = [{_MD5}]\n",
        ("pbkdf2-sha256 iterations=1500000", "unknown"),
    ),
    Case("keycloak", f"[{_REALMS[0]}, {_REALMS[1]}]\n", _BOTH_REALMS),
    Case("keycloak", f"[{_REALMS[0]},\n{_REALMS[1]}]\n", _BOTH_REALMS),
    Case(
        "node-bcrypt",
        "import { SALT_ROUNDS } from './constants';\nimport bcrypt from 'bcrypt';\n"
        "bcrypt.hash(p, SALT_ROUNDS);\n",
        UNKNOWN,
    ),
    Case("node-bcrypt", "import b from 'bcrypt';\nb.hash(p, 4);\n", FOUR),
    Case("node-bcrypt", "const b = require('bcrypt');\nb.hashSync(p, 4);\n", FOUR),
    Case("node-bcryptjs", "import * as b from 'bcryptjs';\nb.hash(p, 4);\n", FOUR),
    Case(
        "go-bcrypt",
        'package m\nimport bc "golang.org/x/crypto/bcrypt"\n'
        "func h(p []byte) { bc.GenerateFromPassword(p, 4) }\n",
        FOUR,
    ),
    Case("elixir", "import Config\nconfig :bcrypt_elixir, :log_rounds, 4\n", FOUR),
    Case(
        "wordpress",
        "<?php\nfunction weak($o) { $o['cost'] = 4; return $o; }\n"
        "add_filter('wp_hash_password_options', 'weak');\n",
        FOUR,
    ),
    Case("devise", "Devise.setup do |c|\n  c.stretches = 4\nend\n", FOUR),
    Case("devise", "Devise.stretches = 4\n", FOUR),
    Case("rails", "ActiveModel::SecurePassword.min_cost = true\n", UNKNOWN),
    Case(
        "nextcloud",
        "<?php\n$CONFIG = array(\n  'hashingTimeCost' => 4 * 2,\n);\n",
        ("argon2id memory_kib=65536 time_cost=8 parallelism=1",),
    ),
    *(
        Case("passlib", _passlib(changed), ("bcrypt cost=13", "unknown"))
        for changed in (
            "\nc.update(bcrypt__rounds=4)",
            ".copy(bcrypt__rounds=4)",
            ".using(bcrypt__rounds=4)",
            "\nc.load({'bcrypt__rounds': 4}, update=True)",
        )
    ),
    Case(
        "passlib",
        "from passlib.context import CryptContext\nc = CryptContext.from_path('x.ini')\n",
        UNKNOWN,
    ),
    Case(
        "authelia",
        "authentication_backend:\n  file:\n    password:\n"
        "      algorithm: sha512\n      iterations: 1000\n",
        ("sha512-crypt rounds=1000",),
    ),
    Case("laravel", _compose("APP_KEY: x", "BCRYPT_ROUNDS: 4"), UNKNOWN),
    Case("laravel", _compose("- APP_KEY=x", "- BCRYPT_ROUNDS=4"), UNKNOWN),
    Case("vaultwarden", _compose("PASSWORD_ITERATIONS: 100000"), UNKNOWN),
    Case("vaultwarden", "kind: Deployment\nspec: {}\n", UNKNOWN),
    Case(
        "elasticsearch",
        _compose("- xpack.security.authc.password_hashing.algorithm=bcrypt4"),
        UNKNOWN,
    ),
    Case(
        "luks",
        "cryptsetup luksFormat --type luks1 --pbkdf-force-iterations 1000 x\n",
        ("argon2id memory_kib=1048576 time_cost=1000 parallelism=4", "unknown"),
    ),
    Case(
        "mediawiki",
        "<?php\n$wgPasswordConfig['bcrypt']['cost'] = f();\n$wgPasswordDefault = 'bcrypt';\n",
        UNKNOWN,
    ),
    Case("nextcloud", "<?php\n$CONFIG = ['hashingTimeCost' => f(4)];\n", UNKNOWN),
    Case("symfony", "<?php\n$security->passwordHasher('U')->algorithm('md5');\n", UNKNOWN),
    Case(
        "openldap",
        "moduleload pw-pbkdf2.so 228000\npassword-hash {PBKDF2-SHA512}\n",
        ("pbkdf2-sha512 iterations=228000", "unknown"),
    ),
)
"""A cost that was overlooked, so that the default or another cost was judged."""

ALARMS: Final = (
    Case(
        "devise",
        "Devise.setup do |config|\n  config.stretches = 1 if Rails.env.test?\nend\n",
        ("bcrypt cost=12",),
    ),
    Case(
        "devise",
        "Devise.setup do |config|\n  config.stretches = 13\n"
        "  config.stretches = 1 if Rails.env.test?\nend\n",
        ("bcrypt cost=13",),
    ),
    Case("rails", "BCrypt::Engine.cost = 4\nBCrypt::Engine.cost = 12\n", ("bcrypt cost=12",)),
    Case(
        "rails",
        "if Rails.env.test?\n  BCrypt::Engine.cost = 4\nelse\n  BCrypt::Engine.cost = 12\nend\n",
        UNKNOWN,
    ),
)
"""A cost that production does not have is no alarm."""

OWN: Final = (
    Case("laravel", "APP_KEY=base64:x\n", ("bcrypt cost=12",)),
    Case("laravel", "BCRYPT_ROUNDS=${ROUNDS}\n", UNKNOWN),
    Case("laravel", "BCRYPT_ROUNDS=twelve\n", UNKNOWN),
    Case("postgresql", "#listen_addresses = 'x'\n", ("pbkdf2-sha256 iterations=4096",)),
    Case("postgresql", "listen_addresses = '*'\ninclude_dir 'conf.d'\n", UNKNOWN),
    Case(
        "spring",
        _spring(
            'm.put("bcrypt", new BCryptPasswordEncoder(12));\n'
            'm.put("noop", NoOpPasswordEncoder.getInstance()); // only checks old ones\n'
            'return new DelegatingPasswordEncoder("bcrypt", m);'
        ),
        ("bcrypt cost=12",),
    ),
    Case(
        "node-bcrypt",
        "const bcrypt = require('bcrypt');\nasync function hash(p) {\n"
        "  const salt = await bcrypt.genSalt(12);\n  return bcrypt.hash(p, salt);\n}\n",
        ("bcrypt cost=12",),
    ),
    Case("php", "<?php\n$h = password_hash($p, PASSWORD_ARGON2I);\n", UNKNOWN),
    Case("gitea", "[security]\n", ("pbkdf2-sha256 iterations=50000",)),
    Case("devise", "Devise.setup do |config|\nend\n", ("bcrypt cost=12",)),
    Case("mysql", "!includedir /etc/mysql/conf.d/\n", UNKNOWN),
    Case(
        "node-bcrypt",
        "bcrypt.hash(p, 12);\nbcrypt.hash(p, config.rounds);\n",
        ("bcrypt cost=12", "unknown"),
    ),
)
"""Where the default counts and where it does not, and files that take in others."""

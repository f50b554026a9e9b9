"""WordPress from 6.8 on: the filter ``wp_hash_password_options``."""

from __future__ import annotations

from hashcost.apps.files.source_code import reader
from hashcost.apps.files.timings import PHP_BCRYPT
from hashcost.apps.interface import App, Default, Scheme
from hashcost.apps.php_limits import PHP_BCRYPT_LIMITS
from hashcost.core.model import Params

_SOURCE = "WordPress 6.8, wp-includes/pluggable.php, wp_hash_password"


def _write(params: Params) -> str:
    return (
        "add_filter('wp_hash_password_options', function ($options, $algorithm) {\n"
        f"    return ['cost' => {params['cost']}] + $options;\n"
        "}, 10, 2);\n"
    )


APP = App(
    name="wordpress",
    title="WordPress",
    schemes=(
        Scheme(
            hasher="bcrypt",
            library="PHP's own crypt_blowfish",
            timing=PHP_BCRYPT,
            keys={"cost": "wp_hash_password_options: cost (log2)"},
            limits=PHP_BCRYPT_LIMITS,
            write=_write,
            defaults=(
                Default(
                    since="6.8",
                    params={"cost": 10},
                    source=f"{_SOURCE}: PHP's own default, 10 up to PHP 8.3 and 12 from 8.4 on",
                ),
            ),
        ),
    ),
    comment="// {}",
    read=reader("php", libraries=("WordPress",)),
    places=("wp-content/mu-plugins/password-cost.php",),
    rehashes="on login (wp_password_needs_rehash)",
    sources=(_SOURCE, "developer.wordpress.org/reference/hooks/wp_hash_password_options"),
    note="a plugin loads it: save it in wp-content/mu-plugins, after a line <?php",
)

"""Files as they are found on systems; short, with a cost in some that the snippet overrides."""

from __future__ import annotations

from typing import Final

LOGIN_DEFS: Final = """\
#
# /etc/login.defs - Configuration control definitions for the login package.
#
MAIL_DIR        /var/mail
UMASK\t\t022
PASS_MAX_DAYS\t99999
UID_MIN\t\t\t 1000
USERGROUPS_ENAB yes
# Overrides the MD5_CRYPT_ENAB option
ENCRYPT_METHOD SHA512
#SHA_CRYPT_MIN_ROUNDS 5000
#SHA_CRYPT_MAX_ROUNDS 5000
#YESCRYPT_COST_FACTOR 5
NONEXISTENT\t/nonexistent
"""

PAM: Final = """\
#
# /etc/pam.d/common-password - password-related modules common to all services
#
# here are the per-package modules (the "Primary" block)
password\t[success=1 default=ignore]\tpam_unix.so obscure yescrypt
# here's the fallback if no module succeeds
password\trequisite\t\t\tpam_deny.so
password\trequired\t\t\tpam_permit.so
# and here are more per-package modules (the "Additional" block)
"""

SYSTEM_AUTH: Final = """\
auth        required      pam_env.so
auth        sufficient    pam_unix.so nullok
password    requisite     pam_pwquality.so local_users_only retry=3
password    sufficient    pam_unix.so sha512 shadow nullok \\
            use_authtok rounds=65536
password    required      pam_deny.so
session     required      pam_unix.so
"""

SCRIPT: Final = """\
#!/bin/sh
# Makes the users of the test system; `htpasswd -B -C 17` would take too long.
set -eu
COST="8"
apt-get install -y apache2-utils whois dovecot-core cryptsetup-bin
if ! command -v htpasswd >/dev/null; then echo "no htpasswd: install it" >&2; fi
"""

POSTGRESQL: Final = """\
# - Authentication -

#authentication_timeout = 1min\t\t# 1s-600s
#password_encryption = scram-sha-256\t# scram-sha-256 or md5
#scram_iterations = 4096
port = 5432\t\t\t\t# (change requires restart)
datestyle = 'iso, mdy'
listen_addresses = 'localhost'\t\t# what IP address(es) to listen on;
Scram_Iterations 5000   # set by the installer
"""

SLAPD: Final = """\
dn: cn=config
objectClass: olcGlobal
cn: config
olcPidFile: /run/slapd/slapd.pid

# Load the backend first.
dn: cn=module{0},cn=config
objectClass: olcModuleList
cn: module{0}
olcModulePath: /usr/lib/ldap
olcModuleLoad: {0}back_mdb.so

"""

GRUB: Final = """\
#!/bin/sh
exec tail -n +3 $0
# This file provides an easy way to add custom menu entries.
set superusers="root"
"""

REALISTIC: Final = {
    "login-defs": LOGIN_DEFS,
    "pam-unix": PAM,
    "mkpasswd": SCRIPT,
    "htpasswd": SCRIPT,
    "postgresql": POSTGRESQL,
    "openldap": SLAPD,
    "dovecot": SCRIPT,
    "grub": GRUB,
    "luks": SCRIPT,
}

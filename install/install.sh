#!/bin/sh
# Installs the table on a Raspberry Pi; a second run changes nothing. DESTDIR=FOLDER puts everything below that folder
# and leaves this computer alone: no packages, no service, no hardware.
set -eu

DESTDIR=${DESTDIR:-}
HERE=$(cd "$(dirname "$0")" && pwd)
SOURCE=$(dirname "$HERE")
HOME_OF_IT=/opt/twentytwo
VENV=$DESTDIR$HOME_OF_IT
PYTHON=${PYTHON:-python3}

if [ -z "$DESTDIR" ] && [ "$(id -u)" != 0 ]; then
    exec sudo PYTHON="$PYTHON" "$0" "$@"
fi

changed=
say() { echo "install: $*"; }
fail() { echo "install: $*" >&2; exit 1; }

# A file goes to its place if it is another than what is there.
put() {
    cmp -s "$1" "$DESTDIR$2" && return
    install -D -m "${3:-644}" "$1" "$DESTDIR$2"
    say "$2"
    changed=yes
}

packages() {
    missing=
    for package in python3-venv python3-lgpio; do
        dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed || missing="$missing $package"
    done
    [ -n "$missing" ] || return 0
    say "Debian packages:$missing"
    apt-get update -qq
    # shellcheck disable=SC2086 # several words
    DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends $missing >/dev/null
}

# What is installed, in one line: the program's files, and the Python that they are for.
fingerprint() {
    (cd "$SOURCE" && find pyproject.toml README.md LICENSE engine hardware drivers firmware -type f \
        ! -name '*.pyc' -exec sha256sum {} + | LC_ALL=C sort -k 2 | sha256sum)
    "$PYTHON" -c 'import sys; print(sys.version, sys.base_prefix)'
}

program() {
    fingerprint >"$1"
    cmp -s "$1" "$VENV/installed" && return
    say "$HOME_OF_IT, a virtual environment of its own with the system's packages"
    rm -f "$VENV/installed"
    "$PYTHON" -m venv --clear --system-site-packages "$VENV"
    "$VENV/bin/pip" install --quiet --no-warn-script-location --disable-pip-version-check "$SOURCE[pi,pod]"
    cp "$1" "$VENV/installed"
    changed=yes
}

# Each library by a function of it: an import proves little.
proof() {
    "$VENV/bin/python" - <<'END' || fail "a library does not work: see above"
from drivers.libraries import LIBRARIES, check_library
for name in LIBRARIES:
    check_library(name)
END
}

[ -n "$DESTDIR" ] || packages
note=$(mktemp)
trap 'rm -f "$note"' EXIT
program "$note"
[ -n "$DESTDIR" ] || proof

put "$HERE/twentytwo.service" /etc/systemd/system/twentytwo.service
put "$HERE/60-twentytwo.rules" /etc/udev/rules.d/60-twentytwo.rules
put "$HERE/sysusers.conf" /etc/sysusers.d/twentytwo.conf
put "$HERE/modules.conf" /etc/modules-load.d/twentytwo.conf
[ -e "$DESTDIR/etc/twentytwo/table.toml" ] || put "$HERE/table.toml" /etc/twentytwo/table.toml
if [ "$(readlink "$DESTDIR/usr/local/bin/twentytwo")" != "$HOME_OF_IT/bin/twentytwo" ]; then
    mkdir -p "$DESTDIR/usr/local/bin"
    ln -sfn "$HOME_OF_IT/bin/twentytwo" "$DESTDIR/usr/local/bin/twentytwo"
    say /usr/local/bin/twentytwo
    changed=yes
fi

if [ -z "$changed" ]; then
    say "nothing to do"
elif [ -z "$DESTDIR" ]; then
    systemd-sysusers /etc/sysusers.d/twentytwo.conf
    modprobe i2c-dev || say "there is no module i2c-dev: see docs/build.md"
    udevadm control --reload
    udevadm trigger --subsystem-match=i2c-dev --subsystem-match=gpio --subsystem-match=tty
    systemctl daemon-reload
    systemctl enable --quiet twentytwo
    systemctl restart twentytwo || say "it does not run yet: systemctl status twentytwo says why"
    say "done. The board is chosen in /etc/twentytwo/table.toml; twentytwo doctor checks it"
fi

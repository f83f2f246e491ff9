#!/bin/sh
# Takes the table off a Raspberry Pi. Settings and journal stay, unless PURGE=yes. DESTDIR as of install.sh.
set -eu

DESTDIR=${DESTDIR:-}
PURGE=${PURGE:-}
if [ -z "$DESTDIR" ] && [ "$(id -u)" != 0 ]; then
    exec sudo PURGE="$PURGE" "$0" "$@"
fi

[ -n "$DESTDIR" ] || systemctl disable --now --quiet twentytwo 2>/dev/null || true
rm -rf "${DESTDIR:?}/opt/twentytwo" "$DESTDIR/run/twentytwo"
rm -f "$DESTDIR/etc/systemd/system/twentytwo.service" "$DESTDIR/etc/udev/rules.d/60-twentytwo.rules" \
    "$DESTDIR/etc/sysusers.d/twentytwo.conf" "$DESTDIR/etc/modules-load.d/twentytwo.conf" \
    "$DESTDIR/usr/local/bin/twentytwo"
if [ "$PURGE" = yes ]; then
    rm -rf "$DESTDIR/etc/twentytwo" "$DESTDIR/var/lib/twentytwo"
    [ -n "$DESTDIR" ] || userdel twentytwo 2>/dev/null || true
else
    echo "uninstall: /etc/twentytwo and /var/lib/twentytwo stay; PURGE=yes removes them, too"
fi
if [ -z "$DESTDIR" ]; then
    systemctl daemon-reload
    udevadm control --reload
fi

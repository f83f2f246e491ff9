#!/bin/bash
# Boots Debian's kernel in qemu, with simulated GPIO lines and an I2C wire that exists in memory only, and runs guest_*.py.
# Usage: job.sh [PYTHON]. What was fetched and built stays in build/kernel; a stage runs again when its sources changed.
set -euo pipefail

HERE=$(cd "$(dirname "$0")" && pwd)
REPO=$(cd "$HERE/../.." && pwd)
PYTHON=$(realpath -s "${1:-$REPO/.venv/bin/python}")
OUT=$REPO/build/kernel
LIMIT=600 # seconds for the guest: every instruction is emulated, so a busy machine needs minutes
LGPIO=lgpio==0.2.2.0
PACKAGES=(qemu-system-x86 linux-headers-amd64 linux-source-6.1 gcc make kmod cpio busybox-static xz-utils)
DEBIAN_MODULES=(configfs i2c-dev i2c-mux i2c-stub virtio_pci 9pnet_virtio 9p)
OUR_MODULES=(wire i2c-mux-pca954x gpio-sim)

JOB=kernel
. "$REPO/tests/job.sh"

install_lgpio() {
    LIBRARIES=$OUT/$("$PYTHON" -c 'import sys; print(sys.implementation.cache_tag)')
    [ -e "$LIBRARIES/lgpio.py" ] && return
    say "installing $LGPIO for the guest"
    rm -rf "$LIBRARIES"
    fetch "$LGPIO" "$PYTHON" -m pip install -qq --no-deps --only-binary :all: --target "$LIBRARIES" "$LGPIO"
}

download_image() {
    apt-get download -qq -o APT::Sandbox::User=root "linux-image-$KERNEL" && return
    [ "$(id -u)" = 0 ] && apt-get update -qq # the lists may be too old for a package that is still there
    return 1
}

# The kernel of the installed headers, unpacked only: vmlinuz and the modules that the guest loads.
unpack_kernel() {
    [ -e "$KERNEL/vmlinuz" ] && return
    say "unpacking linux-image-$KERNEL"
    local tree=$KERNEL/tree modules=lib/modules/$KERNEL name file
    rm -rf "$KERNEL" ./*.deb
    mkdir -p "$tree" "$KERNEL/root/$modules/extra"
    fetch "linux-image-$KERNEL" download_image
    dpkg-deb -x linux-image-*.deb "$tree"
    /sbin/depmod -b "$tree" "$KERNEL"
    cp "$tree/$modules"/modules.{builtin,builtin.modinfo,order} "$KERNEL/root/$modules/"
    for name in "${DEBIAN_MODULES[@]}"; do
        /sbin/modprobe -d "$tree" -S "$KERNEL" --show-depends "$name" | while read -r word file _; do
            [ "$word" = insmod ] || continue
            file=${file#"$OUT/$tree/"}
            install -D -m 644 "$tree/$file" "$KERNEL/root/$file"
        done
    done
    cp "$tree/boot/vmlinuz-$KERNEL" "$KERNEL/vmlinuz"
    rm -rf "$tree" ./*.deb
}

newer() { [ -n "$(find "${@:2}" -newer "$1" -print -quit)" ]; } # is any of the others newer than the first?

build_modules() {
    local build=$KERNEL/modules tree=linux-source-6.1 name
    if [ ! -e "$build/source" ]; then
        say "taking gpio-sim and the mux driver from $tree"
        mkdir -p "$build"
        tar xf "/usr/src/$tree.tar.xz" -C "$build" --strip-components=1 \
            "$tree"/{drivers/gpio/gpio-sim.c,drivers/gpio/gpiolib.h,kernel/irq/irq_sim.c,drivers/i2c/muxes/i2c-mux-pca954x.c}
        cp "$build"/drivers/gpio/gpiolib.h "$build"/drivers/i2c/muxes/i2c-mux-pca954x.c "$build/"
        cp "$build/drivers/gpio/gpio-sim.c" "$build/gpio-sim-core.c"
        # A module may not call irq_to_desc(): generic_handle_irq() does the same for an interrupt number.
        sed 's/handle_simple_irq(irq_to_desc(\(irqnum\)));/generic_handle_irq(\1);/' "$build/kernel/irq/irq_sim.c" \
            >"$build/irq_sim.c"
        touch "$build/source"
    fi
    if [ -e "$build/built" ] && ! newer "$build/built" "$HERE/modules"; then return; fi
    say "building ${OUR_MODULES[*]}"
    cp "$HERE"/modules/* "$build/"
    make -C "/usr/src/linux-headers-$KERNEL" M="$OUT/$build" modules >"$build/make.log" 2>&1 ||
        { cat "$build/make.log" >&2; fail "building the kernel modules"; }
    if grep -n 'warning:' "$build/make.log" >&2; then fail "the compiler warns"; fi
    for name in "${OUR_MODULES[@]}"; do
        strip --strip-debug -o "$KERNEL/root/lib/modules/$KERNEL/extra/$name.ko" "$build/$name.ko"
    done
    /sbin/depmod -b "$KERNEL/root" "$KERNEL"
    touch "$build/built"
}

pack_initrd() {
    local root=$KERNEL/root
    if [ -e "$KERNEL/initrd.gz" ] && ! newer "$KERNEL/initrd.gz" "$HERE/init" "$KERNEL/modules/built"; then return; fi
    mkdir -p "$root"/{bin,dev,host,proc,sys}
    cp /bin/busybox "$root/bin/busybox"
    ln -sf busybox "$root/bin/sh"
    install -m 755 "$HERE/init" "$root/init"
    (cd "$root" && find . | cpio --quiet -o -H newc -R 0:0 | gzip -1) >"$KERNEL/initrd.part"
    mv "$KERNEL/initrd.part" "$KERNEL/initrd.gz"
}

# The host's root is the guest's, read-only: the tests and the virtual environment run there as they are here. The
# guest's clock counts instructions, 2 ns each, and skips what it would only wait: so a busy host changes no result.
boot() {
    case "$REPO$PYTHON" in *[[:space:]]*) fail "a path with a space cannot be handed to the guest: $REPO, $PYTHON" ;; esac
    timeout --foreground "$LIMIT" qemu-system-x86_64 -M q35 -cpu max -m 512 -smp 1 \
        -accel tcg -icount shift=1,sleep=off \
        -display none -monitor none -serial stdio -no-reboot -net none \
        -kernel "$KERNEL/vmlinuz" -initrd "$KERNEL/initrd.gz" \
        -append "console=ttyS0 quiet panic=-1 oops=panic job.repo=$REPO job.python=$PYTHON job.libraries=$LIBRARIES" \
        -virtfs local,path=/,mount_tag=host,security_model=none,readonly=on,multidevs=remap \
        </dev/null 2>&1 | sed -u 's|\r$||' | tee console.log
}

[ -x "$PYTHON" ] || fail "no Python at $PYTHON: run make test first, it makes the virtual environment"
mkdir -p "$OUT"
cd "$OUT"
exec 9>lock
flock 9 # one job at a time in this folder
install_packages "${PACKAGES[@]}"
install_lgpio
KERNEL=$(dpkg-query -W -f '${Depends}' linux-headers-amd64 | sed 's/^linux-headers-\([^ ,]*\).*/\1/')
unpack_kernel
build_modules
pack_initrd
say "booting $KERNEL"
boot || fail "the guest did not end by itself within $LIMIT s (build/kernel/console.log)"
grep -qx 'guest: all checks passed' console.log || fail "a check failed or the guest ended early (build/kernel/console.log)"
say "$(grep -E '^[0-9]+ passed' console.log | sed 's/ in .*//'), 0 failed, after $SECONDS s"

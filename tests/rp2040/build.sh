#!/bin/bash
# Builds MicroPython for a Pico without USB. Usage: build.sh MICROPYTHON PICO_SDK MPY_CROSS PYTHON OUT, the first two the
# folders of their sources as Debian packs them: TinyUSB, mbed TLS and micropython-lib are left out there.
set -euo pipefail

HERE=$(cd "$(dirname "$0")" && pwd)
SOURCE=$1 SDK=$2 CROSS=$3 PYTHON=$4 OUT=$5
PORT=$SOURCE/ports/rp2

# What needs the sources that are left out goes. So does the one file in C++, and the C++ library with it (300 MB).
sed -i -E -e "/mp_usbd|tinyusb_|usbd\.c|msc_disk|dcd_event_handler/d" -e "/mbedtls|MBEDTLS ON/d" "$PORT/CMakeLists.txt"
sed -i -e '/include "tusb\.h"/d' "$PORT/mphalport.c"
sed -i -E -e 's/^(#define MICROPY_(PY_HASHLIB_SHA1|PY_CRYPTOLIB|SSL_MBEDTLS|PY_SSL)) .*/\1 (0)/' "$PORT/mpconfigport.h"
sed -i -e '/new_delete\.cpp/d' "$SDK/src/rp2_common/pico_cxx_options/CMakeLists.txt"
mkdir -p "$SOURCE/lib/micropython-lib"
touch "$SOURCE/lib/micropython-lib/README.md" # the build looks for this file only

export MICROPY_MPYCROSS=$CROSS
cmake -Wno-dev -G Ninja -S "$PORT" -B "$OUT" -DMICROPY_BOARD=PICO_UART -DMICROPY_BOARD_DIR="$HERE/board" \
    -DPICO_SDK_PATH_OVERRIDE="$SDK" -DPICO_NO_PICOTOOL=1 -DCMAKE_C_STANDARD_LIBRARIES=-lm -DPython3_EXECUTABLE="$PYTHON"
ninja -C "$OUT"

# What the jobs that need packages of Debian's share: to be sourced by a job that has set JOB, its name.

say() { echo "$JOB job: $*"; }
fail() { say "FAILED: $*" >&2; exit 1; }

# A download that fails three times ends the job without failing it: that says nothing about our code.
fetch() {
    local what=$1 try; shift
    for try in 1 2 3; do
        "$@" && return
        say "cannot fetch $what (try $try of 3)" >&2
        [ "$try" = 3 ] || sleep $((try * 10))
    done
    printf '%s\n' "" "********************************************************" \
        "*** ${JOB^^} JOB NOT RUN: cannot fetch $what" \
        "********************************************************" "" >&2
    exit 0
}

installed() { dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null | grep -qx installed; }

# Installs those of the given packages that are missing.
install_packages() {
    local package missing=() apt=(-qq -o APT::Sandbox::User=root)
    for package in "$@"; do installed "$package" || missing+=("$package"); done
    [ ${#missing[@]} -gt 0 ] || return 0
    [ "$(id -u)" = 0 ] || fail "packages are missing: sudo apt install --no-install-recommends ${missing[*]}"
    say "installing ${missing[*]}"
    export DEBIAN_FRONTEND=noninteractive
    fetch "the package lists" apt-get update "${apt[@]}" -o APT::Update::Error-Mode=any
    fetch "Debian packages" apt-get install "${apt[@]}" --no-install-recommends --download-only "${missing[@]}"
    apt-get install -qq --no-install-recommends --no-download "${missing[@]}" >apt.log 2>&1 ||
        { tail -20 apt.log >&2; fail "apt-get install ${missing[*]}"; }
}

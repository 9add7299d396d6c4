# Where everything that is built or fetched lives: outside the checkout, so that a second run is quick. Source it.
# shellcheck shell=bash

OMNIPORT_ROOT="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
OMNIPORT_CACHE="${OMNIPORT_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/omniport}"
# Each checkout has a virtual environment of its own, so that two of them never run each other's build.
OMNIPORT_KEY="$(printf '%s' "$OMNIPORT_ROOT" | cksum | cut -d' ' -f1)"
OMNIPORT_VENV="$OMNIPORT_CACHE/venv-$OMNIPORT_KEY"
OMNIPORT_NPM="$OMNIPORT_CACHE/npm"
OMNIPORT_NODE22="$OMNIPORT_NPM/node_modules/node/bin/node"
# The Node package of this checkout, installed, and the compiled programs of its tests.
OMNIPORT_NODE="$OMNIPORT_CACHE/node-$OMNIPORT_KEY"
# One target directory for all checkouts: cargo keeps them apart by path, and dependencies are built once.
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$OMNIPORT_CACHE/target}"
# What `make build` made of this checkout: the target directory holds the programs of whichever checkout built last.
OMNIPORT_BIN="$OMNIPORT_CACHE/bin-$OMNIPORT_KEY"
# What SwiftPM builds of this checkout, and where its package finds the engine's library.
OMNIPORT_SWIFT="$OMNIPORT_CACHE/swift-$OMNIPORT_KEY"
export OMNIPORT_LIB="$OMNIPORT_BIN" OMNIPORT_SWIFT
# Package.swift has the programs of tests and examples then, and takes no warning.
export OMNIPORT_DEVELOPMENT=1
export OMNIPORT_ROOT OMNIPORT_CACHE OMNIPORT_BIN OMNIPORT_VENV OMNIPORT_NPM OMNIPORT_NODE OMNIPORT_NODE22
mkdir -p "$OMNIPORT_CACHE"

# python_command: the newest Python that is new enough.
python_command() {
    local candidate
    for candidate in "${PYTHON:-}" python3 python3.13 python3.12 python3.11 python3.10; do
        if [ -n "$candidate" ] && command -v "$candidate" >/dev/null 2>&1 &&
            "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null; then
            echo "$candidate"
            return
        fi
    done
    echo "omniport: Python 3.10 or newer is needed; set PYTHON to it" >&2
    return 1
}

# is_done NAME INPUT...: whether step NAME was done for just these files; done_with NAME marks it, for the files as they were when asked,
# so that a change meanwhile leads to the step once more.
is_done() {
    local name="$1"
    shift
    printf -v "OMNIPORT_STAMP_${name//[^A-Za-z0-9]/_}" '%s' "$(cat "$@" | cksum | tr ' ' -)"
    local asked="OMNIPORT_STAMP_${name//[^A-Za-z0-9]/_}"
    [ "$(cat "$OMNIPORT_CACHE/stamps/$name" 2>/dev/null)" = "${!asked}" ]
}
done_with() {
    local asked="OMNIPORT_STAMP_${1//[^A-Za-z0-9]/_}"
    mkdir -p "$OMNIPORT_CACHE/stamps"
    printf '%s\n' "${!asked}" >"$OMNIPORT_CACHE/stamps/$1"
}

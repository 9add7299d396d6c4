# A Swift 6 for machines that have none: a small Debian 13, whose archive has one, in a folder of its own. Source it after env.sh.
# shellcheck shell=bash
#
# Its programs are linked to a newer libc than the machine's may be. The compiler therefore runs inside (`swift_inside`, by chroot), and what
# it made runs outside by the loader of the folder (`swift_program`): a program of a test sees the whole machine and may start children of it.

OMNIPORT_SWIFT_ROOT="${OMNIPORT_SWIFT_ROOT:-$OMNIPORT_CACHE/swift-root}"
# Without recommended packages the compiler comes without the headers of libc and of its C++ library.
swift_packages=swiftlang,libc6-dev,libstdc++-14-dev,libsqlite3-dev
# Whether the machine has a Swift that is new enough.
swift_is_here() {
    local version
    version="$(swift --version 2>/dev/null | sed -nE 's/.*Swift version ([0-9]+).*/\1/p' | head -1)"
    [ "${version:-0}" -ge 6 ]
}

swift_root_is_laid() { [ "$(cat "$OMNIPORT_SWIFT_ROOT/etc/omniport" 2>/dev/null)" = "$swift_packages" ]; }

# The Debian archive that this machine installs from, of either form of apt's lists.
swift_archive() {
    cat /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null |
        sed -nE 's,^(URIs: *|deb +(\[[^]]*\] +)?)([^ ]+/debian)/?( .*)?$,\3,p' | head -1
}

# Why Swift cannot be had on this machine; nothing if it can.
swift_obstacle() {
    if [ "$(uname -s)" != Linux ]; then
        echo "the tools are for Linux; on a Mac Xcode builds the package, after make xcframework"
    elif swift_is_here; then
        # Of the example that reads databases. What links Rust's programs knows where headers are.
        cc -E -include sqlite3.h -x c /dev/null >/dev/null 2>&1 || echo "there is no sqlite3.h; Debian and Ubuntu have it in libsqlite3-dev"
    elif [ "$(id -u)" != 0 ]; then
        # Whoever is not root cannot enter a folder, however it came there.
        echo "there is no Swift 6, and laying one needs root"
    elif ! unshare --mount true 2>/dev/null; then
        # As in most containers.
        echo "there is no Swift 6, and one that is laid needs the right to mount"
    elif swift_root_is_laid; then
        :
    elif [ -z "$(swift_archive)" ]; then
        echo "there is no Swift 6, and no Debian archive to take one from"
    elif [[ "$(dpkg --print-architecture)" != @(amd64|arm64) ]]; then
        echo "there is no Swift 6, and Debian has none for this processor"
    fi
}

# Lays the folder, once. A second caller waits for the first; what was killed half way is thrown away by the next.
swift_lay_root() (
    swift_root_is_laid && return
    mkdir -p "$(dirname "$OMNIPORT_SWIFT_ROOT")"
    exec 9>"$OMNIPORT_SWIFT_ROOT.lock"
    flock 9
    swift_root_is_laid && return
    if [ -e "$OMNIPORT_SWIFT_ROOT" ] && [ ! -e "$OMNIPORT_SWIFT_ROOT/etc/omniport" ]; then
        echo "$OMNIPORT_SWIFT_ROOT is none that was laid here, and is left alone" >&2
        return 1
    fi
    echo "laying a Debian with Swift into $OMNIPORT_SWIFT_ROOT: half a gigabyte is fetched, once" >&2
    log="$OMNIPORT_SWIFT_ROOT.log"
    new="$OMNIPORT_SWIFT_ROOT.new"
    if ! command -v mmdebstrap >/dev/null; then
        { apt-get update && apt-get install --yes --no-install-recommends mmdebstrap; } >"$log" 2>&1 9>&- || { tail "$log" >&2; return 1; }
    fi
    rm -rf --one-file-system "$OMNIPORT_SWIFT_ROOT" "$new"
    # Manuals, translations, the debugger and editors' servers: a quarter of the whole, and nothing that builds or tests.
    left_out=()
    for path in '/usr/share/doc/*' '/usr/share/man/*' '/usr/share/locale/*' '/usr/libexec/swift/*lldb*' /usr/libexec/swift/bin/clangd \
        '/usr/libexec/swift/*sourcekit*' /usr/libexec/swift/bin/repl_swift; do
        left_out+=("--dpkgopt=path-exclude=$path")
    done
    # In a mount namespace of its own: what it mounts goes with it, however it ends. A half-made folder is never used, so nothing need be synced.
    unshare --mount --propagation private mmdebstrap --mode=root --variant=apt --include="$swift_packages" \
        --aptopt='APT::Install-Recommends "false"' --dpkgopt=force-unsafe-io "${left_out[@]}" \
        trixie "$new" "$(swift_archive)" >"$log" 2>&1 9>&- || { tail "$log" >&2; return 1; }
    printf '127.0.0.1 localhost %s\n::1 localhost\n' "$(hostname)" >"$new/etc/hosts"
    echo "$swift_packages" >"$new/etc/omniport"
    mv "$new" "$OMNIPORT_SWIFT_ROOT"
)

# Becomes a command inside the folder, in the current folder, with this checkout and what is built of it in their places.
swift_inside() {
    # shellcheck disable=SC2016 # expanded by the shell inside
    exec unshare --mount --propagation private /bin/sh -euc '
        root=$1 here=$2
        shift 2
        mount -t proc proc "$root/proc"
        mount --rbind /dev "$root/dev"
        for folder in "$OMNIPORT_ROOT" "$OMNIPORT_CACHE" "$CARGO_TARGET_DIR"; do
            mkdir -p "$root$folder"
            mount --bind "$folder" "$root$folder"
        done
        exec chroot "$root" /usr/bin/env --chdir="$here" "$@"
    ' sh "$OMNIPORT_SWIFT_ROOT" "$PWD" LANG=C.UTF-8 TMPDIR=/tmp \
        PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/usr/libexec/swift/bin "$@"
}

# Runs a program of the toolchain: swiftc, docc.
swift_tool() {
    if swift_is_here; then "$@"; else (swift_inside "$@"); fi
}

# The words that start a program which was built inside.
swift_program() {
    if swift_is_here; then
        printf '%q' "$1"
        return
    fi
    local libraries=("$OMNIPORT_SWIFT_ROOT"/usr/lib/*-linux-gnu)
    local loader=("${libraries[0]}"/ld-linux-*.so.*)
    printf '%q ' "${loader[0]}" --library-path "${libraries[0]}:$OMNIPORT_SWIFT_ROOT/usr/libexec/swift/lib/swift/linux" "$1"
}

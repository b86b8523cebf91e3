#!/usr/bin/env bash
# What ./dev asks of apt: nothing where nothing is missing, only what is missing otherwise, and nothing without root. Run on a
# copy of the script, with stand-ins for the tools that it calls.
set -euo pipefail
source_dir=$(dirname "$(realpath "${BASH_SOURCE[0]}")")/../..
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
chmod 755 "$scratch"
mkdir "$scratch/bin"
cp "$source_dir/dev" "$scratch/dev"
export PATH="$scratch/bin:$PATH"

# stand_in TOOL LINE: TOOL notes its arguments, then does LINE.
stand_in() {
    printf '#!/bin/bash\necho "%s $*" >>%q\n%s\n' "$1" "$scratch/calls" "$2" >"$scratch/bin/$1"
    chmod 755 "$scratch/bin/$1"
}
for tool in apt-get cmake ctest; do stand_in "$tool" ''; done

# packages MISSING: all are installed but MISSING, which dpkg-query does not know, and ccache where MISSING is "removed".
packages() {
    stand_in dpkg-query "for p in \"\${@:4}\"; do
        if [[ \$p == '$1' ]]; then code=1
        elif [[ \$p == ccache && '$1' == removed ]]; then echo 'config-files ccache'
        else echo \"installed \$p\"; fi; done; exit \${code:-0}"
    : >"$scratch/calls"
    chmod 666 "$scratch/calls"
}
fail() {
    echo "$1"
    cat "$scratch/calls"
    exit 1
}

packages ''
"$scratch/dev" test -R Some >/dev/null
! grep apt-get "$scratch/calls" || fail 'apt was called though nothing is missing'
grep -q '^ctest --preset release .*-R Some$' "$scratch/calls" || fail 'the tests were not run'

others=()
for missing in cmake removed; do
    packages "$missing"
    name=${missing/removed/ccache}
    if ((EUID == 0)); then
        "$scratch/dev" build >/dev/null
        [[ $(grep -c '^apt-get .*install' "$scratch/calls") == 1 ]] || fail 'apt was not asked once to install'
        grep -qE "^apt-get .*install( -[^ ]+)* $name$" "$scratch/calls" || fail "not only $name was to be installed"
        packages "$missing"
        others=(setpriv --reuid=65534 --clear-groups)
    fi
    if said=$("${others[@]}" "$scratch/dev" build 2>&1); then fail 'it went on without its packages'; fi
    [[ $said == *"as root: apt-get install $name" ]] || fail "no word of what is missing: $said"
    ! grep -E '^(apt-get|cmake)' "$scratch/calls" || fail 'called without its packages, or as somebody without rights'
done

if "$scratch/dev" dance 2>/dev/null; then fail 'an unknown command was taken'; fi
"$scratch/dev" help | grep -q 'dev COMMAND' || fail 'no help'

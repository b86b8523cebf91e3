#!/usr/bin/env bash
# shared_fabric_test.sh PROGRAM FABRIC PROMISES: the promises once more, on a fabric that another process has.
set -euo pipefail
program=$1
fabric=$2
promises=$3
folder=$(mktemp -d)
"$program" sim serve --configured --no-console --socket "$folder/socket" "$fabric" >"$folder/said" 2>&1 </dev/null &
server=$!
unset MADRIGAL_CA
trap 'kill $server 2>/dev/null || true; wait $server 2>/dev/null || true; rm -rf "$folder"' EXIT
until [[ -S $folder/socket ]] && grep -q '^serving' "$folder/said"; do
    kill -0 $server 2>/dev/null || { cat "$folder/said"; exit 1; }
done
MADRIGAL_HOST=unix:$folder/socket "$promises"

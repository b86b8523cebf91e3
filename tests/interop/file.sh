#!/usr/bin/env bash
# file.sh TOPOLOGY-FILE BUILD-FOLDER RESULTS: the checks of every fabric on one that somebody has published.
set -uo pipefail
file=$1 build=$2 results=$3
export MADRIGAL_TOPOLOGIES=${file%/*}
name=$(basename "$file" .topo)
status=0
for group in routing.minhop maps tables routes counters; do
    timeout 600 "${BASH_SOURCE[0]%/*}/run.py" "$group" "$name" --program "$build/bin/madrigal" \
        --helper "$build/bin/madrigal_interop_check" --results "$results" || status=1
done
exit $status

#!/usr/bin/env bash
# demo.sh PROGRAM: discovers fabrics with the given madrigal program, one line each: two generated ones, then every *.topo in
# $MADRIGAL_TOPOLOGIES (default: ../shared/topologies beside the repository, where it exists).
set -euo pipefail
madrigal=$1
topologies=${MADRIGAL_TOPOLOGIES:-$(dirname "${BASH_SOURCE[0]}")/../../shared/topologies}

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
"$madrigal" sim generate fat-tree --leaves 36 --hosts 18 --spines 18 -o "$scratch/fat-tree-702-nodes.topo"
"$madrigal" sim generate torus --dims 6x6x6 --hosts 2 -o "$scratch/torus-6x6x6.topo"

failed=0
for file in "$scratch"/*.topo "$topologies"/*.topo; do
    [[ -f $file ]] || continue
    printf '%-30s ' "$(basename "$file" .topo)"
    "$madrigal" discover --host "sim:$file" --format summary || failed=1
done
exit $failed

#!/usr/bin/env bash
# result.sh FOLDER STEP: what a step printed in the guest; fails if it failed there, and skips (77) if no guest could run.
set -euo pipefail
folder=$1
step=$2
if [[ -f $folder/skipped ]]; then
    cat "$folder/skipped"
    exit 77
fi
if [[ ! -f $folder/out/$step.status ]]; then
    echo "the guest has not run $step" >&2
    exit 1
fi
cat "$folder/out/$step.log"
status=$(cat "$folder/out/$step.status")
echo "exit status $status"
[[ $status == 0 ]]

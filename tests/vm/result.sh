#!/usr/bin/env bash
# result.sh FOLDER STEP: what a step printed in the guest, with the exit status that it had there.
set -euo pipefail
folder=$1
step=$2
if [[ ! -f $folder/out/$step.status ]]; then
    echo "the guest has not run $step" >&2
    exit 1
fi
cat "$folder/out/$step.log"
exit "$(cat "$folder/out/$step.status")"

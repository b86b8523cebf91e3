#!/usr/bin/env bash
# summary.sh BUILD-FOLDER: how many cases of the conformance suite passed, failed and were skipped, kernel by kernel; then
# the figures that the guests measured. Exit 1 where a case failed or a kernel did not run.
set -uo pipefail
build=$1
status=0

# count WORD LOG: GoogleTest's own total.
count() {
    sed -n "s/^\[ *$1 *\] \([0-9]*\) test.*/\1/p" "$2" | head -n 1 | grep . || echo 0
}
row() {
    printf '%-28s %8s %8s %8s\n' "$@"
}

row kernel passed failed skipped
emulated=$(mktemp)
trap 'rm -f "$emulated"' EXIT
"$build/bin/madrigal_conformance_test" --gtest_color=no >"$emulated" 2>&1 || status=1
for log in "$emulated" "$build"/tests/vm/[0-9]*/out/conformance.log; do
    [[ -f $log ]] || continue
    name=$(sed -n 's/^Kernel: //p' "$log")
    row "${name:-$log}" "$(count PASSED "$log")" "$(count FAILED "$log")" "$(count SKIPPED "$log")"
    [[ $(count FAILED "$log") == 0 && $(count PASSED "$log") != 0 ]] || status=1
done
for folder in "$build"/tests/vm/[0-9]*/; do
    folder=${folder}out
    kernel=$(basename "$(dirname "$folder")")
    if [[ ! -f $folder/conformance.log ]]; then
        echo "kernel $kernel: $(cat "$folder/../skipped" 2>/dev/null || echo 'did not run to the end of the suite')"
        [[ -f $folder/../skipped ]] || status=1
        continue
    fi
    name=$(sed -n 's/^Kernel: //p' "$folder/conformance.log")
    # The loop beside a slow write; madrigal, raw system calls and libibumad by window.
    cat "$folder"/{conformance,bench}.log 2>/dev/null | sed -n -E "s|^(a write to a GID.*\|request window.*)|$name: \1|p"
done
exit $status

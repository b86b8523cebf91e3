#!/usr/bin/env bash
# manual_pages_test.sh PROGRAM DIRECTORY: every option that a command's help shows stands in the manual page of the command, and
# every option of the page in the help.
set -euo pipefail
program=$1
pages=$2
status=0

# compare PAGE COMMAND...: a page against the help of the commands that it describes, which are separated by commas.
compare() {
    local page=$pages/$1 command words in_help in_page option
    shift
    in_help=$(for command in "$@"; do
        read -ra words <<<"$command"
        "$program" "${words[@]}" --help
    done | grep -oE -- '--[a-z][a-z0-9-]*' | sort -u)
    in_page=$(sed 's/\\//g' "$page" | grep -oE '(Fl |Fl [A-Za-z]+ , Fl )-[a-z][a-z0-9-]*' | grep -oE -- '-[a-z][a-z0-9-]*$' |
        sed 's/^/-/' | sort -u)
    for option in $(comm -23 <(echo "$in_help") <(echo "$in_page")); do
        echo "$page does not name $option"
        status=1
    done
    for option in $(comm -13 <(echo "$in_help") <(echo "$in_page")); do
        echo "$page names $option, which is no option"
        status=1
    done
}

compare madrigal.1 ''
compare madrigal-ports.1 ports
compare madrigal-discover.1 discover
compare madrigal-query.1 query
compare madrigal-sa.1 sa
compare madrigal-perf.1 perf
compare madrigal-ping.1 ping
compare madrigal-run.1 run
compare madrigal-sim.1 sim 'sim generate' 'sim generate fat-tree' 'sim generate three-level-fat-tree' \
    'sim generate k-ary-n-tree' 'sim generate torus' 'sim generate dragonfly' 'sim generate random' 'sim serve'
exit $status

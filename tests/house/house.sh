#!/usr/bin/env bash
# house.sh ROOT: reports what the house forbids (README.md, "The house"), one line each, and then fails.
set -euo pipefail
cd "$1"

# Rooms from the ground up; `ground` is error.hpp and version.hpp, `roof` is madrigal.hpp and other headers over all rooms.
floors='wire:1 ground:2 umad:3 topology:3 engine:4 sim:5 runtime:5 remote:5 capture:6 hosts:6 fabric:6 subnet:7 roof:8 cli:9 libibumad:9'

includes() {
    find include src -name '*.[ch]pp' -o -name '*.[ch]' | sort | xargs -r awk -v floors="$floors" '
        function room_of(path) {  # "engine/detail/x.hpp" is of engine, "error.hpp" of the ground
            if (path ~ /^(error|version)\.hpp$/) return "ground"
            return path ~ /\// ? substr(path, 1, index(path, "/") - 1) : "roof"
        }
        BEGIN { n = split(floors, list, " "); while (n) { split(list[n--], one, ":"); floor[one[1]] = one[2] } }
        FNR == 1 { path = FILENAME; sub(/^(include\/madrigal|src)\//, "", path); room = room_of(path)
                   if (!(room in floor)) print FILENAME ": the room " room " is on no floor" }
        { code = $0; sub(/\/\/.*/, "", code) }
        room == "engine" && code ~ /::now\(\)/ { print FILENAME ":" FNR ": engine reads a clock" }
        code !~ /^[ \t]*#[ \t]*include/ { next }
        { sub(/^[^<"]*[<"]/, "", code); sub(/[>"].*/, "", code) }
        room == "wire" && code ~ /^boost\// { print FILENAME ":" FNR ": wire includes " code }
        room == "engine" && code ~ /^boost\/asio/ { print FILENAME ":" FNR ": engine includes " code }
        { ours = code ~ /^madrigal\//; sub(/^(\.\.\/)+/, "", code); sub(/^madrigal\//, "", code); other = room_of(code) }
        (ours || code ~ /\//) && (other in floor) && other != room && floor[other] >= floor[room] {
            print FILENAME ":" FNR ": " room " includes " code " of " other
        }'
}

everywhere() {
    find . -path ./build -prune -o -path ./.git -prune -o -type f \( -name '*.[ch]pp' -o -name '*.[ch]' -o -name '*.cmake' \
        -o -name '*.txt' -o -name '*.sh' -o -name '*.py' -o -name '*.md' -o -name '*.[1-8]' -o -path ./dev -o -path ./.ci/run \) \
        -print | sort | xargs -r awk '
        FNR == 601 { print FILENAME ": longer than 600 lines" }
        /(^|[^A-Za-z0-9._-])\/(work|home)\// { print FILENAME ":" FNR ": names a folder of one machine" }'
}

found=$(includes; everywhere)
[[ -z $found ]] || { echo "$found"; exit 1; }

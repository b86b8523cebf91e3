#!/usr/bin/env bash
# house.sh must pass a tree in order, and must name what is wrong in each tree with one thing amiss.
set -euo pipefail
check=$(dirname "$(realpath "${BASH_SOURCE[0]}")")/house.sh
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# tree: a small tree in order.
tree() {
    rm -rf "$scratch/tree"
    mkdir -p "$scratch"/tree/{include/madrigal,src}/{wire,umad,topology,engine,sim,runtime,cli}
    cd "$scratch/tree"
    echo '#include <cstdint>' >include/madrigal/wire/mad.hpp
    echo '#include <madrigal/wire/mad.hpp>' >include/madrigal/error.hpp
    printf '%s\n' '#include <boost/outcome.hpp>' '#include <madrigal/error.hpp> // no ::now() here' '#include "queue.hpp"' \
        '#include <sys/ioctl.h>' >include/madrigal/engine/queue.hpp
    echo '#include "engine/detail/x.hpp"' >src/engine/queue.cpp
    printf "%s\n" "#include <madrigal/madrigal.hpp>" >src/cli/main.cpp
    printf 'line\n%.0s' {1..600} >README.md
}

# finds TEXT FILE CONTENT: with CONTENT added to FILE, the check must fail and say TEXT.
finds() {
    tree
    printf '%s\n' "$3" >>"$2"
    local said
    if said=$("$check" .); then
        echo "passed over: $1"
        exit 1
    elif [[ $said != *"$1"* || $said == *$'\n'* ]]; then
        echo "wanted only '$1', got: $said"
        exit 1
    fi
}

tree
"$check" .
finds 'engine includes runtime/agent.hpp of runtime' src/engine/queue.cpp '#include <madrigal/runtime/agent.hpp>'
finds 'engine includes sim/fabric.hpp of sim' src/engine/queue.cpp '#  include "sim/fabric.hpp"'
finds 'umad includes topology/fabric.hpp of topology' include/madrigal/umad/host.hpp '#include "../topology/fabric.hpp"'
finds 'runtime includes sim/host.hpp of sim' src/runtime/port.cpp '#include <madrigal/sim/host.hpp>'
finds 'wire includes error.hpp of ground' src/wire/mad.cpp '#include <madrigal/error.hpp>'
finds 'runtime includes madrigal.hpp of roof' src/runtime/port.cpp '#include <madrigal/madrigal.hpp>'
finds 'wire includes boost/endian.hpp' src/wire/mad.cpp '#include <boost/endian.hpp>'
finds 'engine includes boost/asio/post.hpp' src/engine/queue.cpp '#include <boost/asio/post.hpp>'
finds 'queue.cpp:2: engine reads a clock' src/engine/queue.cpp 'auto t = std::chrono::steady_clock::now();'
finds 'README.md: longer than 600 lines' README.md 'one more'
finds 'main.cpp:2: names a folder of one machine' src/cli/main.cpp "auto file = \"/wor""k/x\";"

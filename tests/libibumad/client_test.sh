#!/usr/bin/env bash
# client_test.sh CLIENT FABRIC: the C program, linked with this library, says who its node is.
# client_test.sh CLIENT FABRIC preload PROGRAM, or replace FOLDER: the same program linked with the distribution's library, which
# is put in the shade by `PROGRAM run`, or by the folder with the library of the same name.
set -euo pipefail
client=$1
fabric=$2
expected='port 1 lid 1 port GUID 0x0002c90300000011 node GUID 0x0002c90300000010'
unset MADRIGAL_HOST MADRIGAL_CA LD_PRELOAD
cd "$(dirname "$fabric")"
host="sim:$(basename "$fabric")?configured" # from here, wherever the program goes
case ${3:-} in
preload)
    said=$("$4" run --host "$host" -- "$client")
    other=$("$4" run --host "$host" --ca 'right HCA-1' -- sh -c "cd / && exec '$client'")
    [[ $other == *'lid 2 '* ]] || { echo "from the other machine: $other"; exit 1; }
    ;;
replace) said=$(MADRIGAL_HOST=$host LD_LIBRARY_PATH=$4 "$client") ;;
*) said=$(MADRIGAL_HOST=$host "$client") ;;
esac
[[ $said == *"$expected" ]] || { echo "said: $said"; exit 1; }

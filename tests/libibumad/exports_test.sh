#!/usr/bin/env bash
# exports_test.sh OURS AS-LIBIBUMAD [THEIRS]: what the two libraries show of themselves is libibumad's symbols under libibumad's
# versions and nothing else; of the distribution's library nothing is missing.
set -euo pipefail
ours=$1
as_libibumad=$2
theirs=${3:-}

# symbols LIBRARY: its functions with their versions, one a line.
symbols() {
    readelf --dyn-syms --wide "$1" | awk '$5 ~ /GLOBAL|WEAK|UNIQUE/ && $7 != "UND" && $4 != "OBJECT" { print $8 }' | sort
}
# data LIBRARY: exported objects that are no functions and no versions.
data() {
    readelf --dyn-syms --wide "$1" | awk '$7 != "UND" && $7 != "ABS" && $4 == "OBJECT" && $5 != "LOCAL" { print $8 }'
}
soname() { readelf --dynamic "$1" | sed -n 's/.*soname: \[\(.*\)\]/\1/p'; }
functions() { symbols "$1" | grep @@ || true; }

# rdma-core's list; those of 1.3 and 1.4 are newer than Debian 12.
whole_list() {
    for name in addr_dump attribute_str class_str close_port common_mad_status_str debug done dump get_ca get_ca_portguids \
        get_cas_names get_fd get_issm_path get_mad get_mad_addr get_pkey get_port init method_str open_port poll recv register \
        register2 register_oui release_ca release_port sa_mad_status_str send set_addr set_addr_net set_grh set_pkey size \
        status unregister; do
        echo "umad_$name@@IBUMAD_1.0"
    done
    echo umad_free_ca_device_list@@IBUMAD_1.1
    echo umad_get_ca_device_list@@IBUMAD_1.1
    echo umad_sort_ca_device_list@@IBUMAD_1.2
    echo umad_open_smi_port@@IBUMAD_1.3
    echo umad_get_smi_gsi_pairs@@IBUMAD_1.4
    echo umad_get_smi_gsi_pair_by_ca_name@@IBUMAD_1.4
}

status=0
for library in "$ours" "$as_libibumad"; do
    diff <(whole_list | sort) <(functions "$library") || { echo "$library exports other functions (>)"; status=1; }
    others=$(symbols "$library" | grep -v '^umad_.*@@IBUMAD_' | grep -v '^IBUMAD_1\.[0-4]' || true)
    [[ -z $others$(data "$library") ]] || { echo "$library also exports $others $(data "$library")"; status=1; }
done
[[ $(soname "$ours") == libmadrigal-umad.so.0 ]] || { echo "$ours: soname $(soname "$ours")"; status=1; }
[[ $(soname "$as_libibumad") == libibumad.so.3 ]] || { echo "$as_libibumad: soname $(soname "$as_libibumad")"; status=1; }
if [[ -n $theirs ]]; then
    [[ -n $(functions "$theirs") ]] || { echo "$theirs exports nothing"; status=1; }
    missing=$(comm -13 <(functions "$ours") <(functions "$theirs"))
    [[ -z $missing ]] || { echo "of $theirs is missing: $missing"; status=1; }
fi
exit $status

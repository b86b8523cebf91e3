#!/usr/bin/env bash
# initramfs.sh KERNEL-FOLDER OUTPUT PROGRAM...: packs the guest: busybox, ip, rdma, the PROGRAMs with their shared
# libraries, the modules that soft RoCE and ib_umad need in the order of their loading, and what is in guest/.
set -euo pipefail
kernel=$1
output=$2
shift 2
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/skip.sh"

# ip and rdma are in /usr/sbin and /usr/bin (iproute2).
PATH=$PATH:/usr/sbin:/sbin
for tool in busybox ip rdma modprobe cpio ldd; do
    command -v "$tool" >/dev/null || cannot "the guest needs $tool, which is not here"
done

root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
mkdir -p "$root"/{bin,sbin,dev,proc,sys,tmp,out,modules,steps,usr/bin,usr/sbin,programs}
cp "$(command -v busybox)" "$root/bin/busybox"

# place FILE FOLDER: a program and the libraries that it loads.
place() {
    cp -L "$1" "$root/$2/"
    ldd "$1" 2>/dev/null | grep -o '/[^ ]*' | while read -r library; do
        mkdir -p "$root$(dirname "$library")"
        cp -L "$library" "$root$library"
    done || true
}
place "$(command -v ip)" usr/sbin
place "$(command -v rdma)" usr/bin
for program in "$@"; do
    place "$program" programs
done

release=$(cat "$kernel/release")
number=0
for module in crc32_generic veth rdma_rxe ib_umad; do
    while read -r verb file _; do
        [[ $verb == insmod ]] || continue # built into the kernel
        [[ -z $(find "$root/modules" -name "*-$(basename "$file")") ]] || continue
        cp "$file" "$root/modules/$(printf %02d $number)-$(basename "$file")"
        number=$((number + 1))
    done < <(modprobe -d "$kernel" -S "$release" --show-depends "$module")
done

cp "$here/guest/init" "$root/init"
cp "$here"/guest/steps/* "$root/steps/"
chmod +x "$root/init"
(cd "$root" && find . | cpio --quiet -o -H newc) | gzip -1 >"$output.part"
mv "$output.part" "$output"

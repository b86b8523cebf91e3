#!/usr/bin/env bash
# kernel.sh META-PACKAGE FOLDER: unpacks, without installing it, the kernel that a Debian meta package names. Leaves in
# FOLDER vmlinuz, release (as `uname -r` says it), and lib/modules with the modules uncompressed and depmod's lists.
# Exit 77, with the reason, where it cannot be had.
set -euo pipefail
meta=$1
folder=$2
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/skip.sh"

[[ ! -f $folder/complete ]] || exit 0
for tool in apt-get apt-cache dpkg-deb depmod xz; do
    command -v "$tool" >/dev/null || cannot "a kernel is unpacked by $tool, which is not here"
done

image_package() {
    apt-cache depends "$meta" 2>/dev/null | sed -n 's/^ *Depends: \(linux-image-[0-9].*\)$/\1/p' | head -n 1
}
fetch() {
    local image
    image=$(image_package)
    [[ -n $image ]] && (cd "$folder" && apt-get -qq -o Acquire::Retries=3 -o APT::Sandbox::User=root download "$image")
}

rm -rf "$folder"
mkdir -p "$folder"
# The package lists may be missing, or older than the newest kernel: then once more with new ones.
if ! fetch; then
    apt-get -qq -o Acquire::Retries=3 update || cannot "the package lists cannot be had, so neither can $meta"
    fetch || cannot "$meta cannot be downloaded from the machine's package registry"
fi
deb=("$folder"/linux-image-*.deb)
dpkg-deb --fsys-tarfile "${deb[0]}" | tar -x -C "$folder" ./boot ./lib
rm -f "$folder"/*.deb
images=("$folder"/boot/vmlinuz-*)
release=${images[0]##*/vmlinuz-}
cp "${images[0]}" "$folder/vmlinuz"
find "$folder/lib/modules" -name '*.ko.xz' -exec xz -d {} +
depmod -b "$folder" "$release"
echo "$release" >"$folder/release"
touch "$folder/complete"

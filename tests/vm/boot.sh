#!/usr/bin/env bash
# boot.sh META-PACKAGE FOLDER PROGRAM...: boots the kernel of a Debian meta package in QEMU, software emulation alone, and
# leaves in FOLDER/out what its steps printed (NAME.log) and their exit statuses (NAME.status). Exit 0 when the guest has
# run to its end, whatever the steps' results; 77, with the reason, where that cannot be tried here.
set -euo pipefail
meta=$1
folder=$2
shift 2
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/skip.sh"

# What an earlier run has left must not pass for this one's.
mkdir -p "$folder"
rm -rf "$folder"/{out,out.tar.gz,console.log,skipped}
export SKIP_MARK=$folder/skipped

command -v qemu-system-x86_64 >/dev/null || cannot "no qemu-system-x86_64 here (Debian: qemu-system-x86)"
[[ $(uname -m) == x86_64 ]] || cannot "the guest is an x86_64 machine and would need programs for it"
"$here/kernel.sh" "$meta" "$folder/kernel"
"$here/initramfs.sh" "$folder/kernel" "$folder/initramfs" "$@"

mkdir "$folder/out"
status=0
timeout --foreground 1500 qemu-system-x86_64 -machine q35 -accel tcg,thread=multi -cpu max -m 1024 -smp 2 \
    -nographic -nodefaults -no-reboot -serial "file:$folder/console.log" -serial "file:$folder/out.tar.gz" \
    -kernel "$folder/kernel/vmlinuz" -initrd "$folder/initramfs" \
    -append "console=ttyS0 quiet panic=-1 rdinit=/init" </dev/null || status=$?
if ! tar -xzf "$folder/out.tar.gz" -C "$folder/out" 2>/dev/null || [[ -f $folder/out/failure ]]; then
    tail -n 40 "$folder/console.log" || true
    echo "the guest did not run to its end (QEMU's exit status $status); its console is in $folder/console.log" >&2
    exit 1
fi
echo "kernel $(cat "$folder/out/release")"

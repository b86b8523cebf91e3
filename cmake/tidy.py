#!/usr/bin/env python3
"""Runs clang-tidy over the sources in a compile database, a file at a time per job.

A file that was clean is not looked at again until it, a header of the project that it includes, its command, or the checks
change: what was clean is remembered under ~/.cache/madrigal-tidy, whichever clone it lay in.
"""
import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import shlex
import subprocess
import sys

CLANG_TIDY = "clang-tidy-14"
# Tests are left out: GoogleTest's macros trip several checks, and the compilers and sanitizers see the tests anyway.
FOLDERS = ("src", "examples", "bench", "fuzz")


def headers_of(entry):
    """The project's own files that go into one object; Debian's headers count as unchanging."""
    command = shlex.split(entry["command"])
    command = command[next(i for i, word in enumerate(command) if "clang++" in word):]
    for flag in ("-o", "-MF", "-MT"):
        while flag in command:
            at = command.index(flag)
            del command[at:at + 2]
    command = [word for word in command if word not in ("-c", "-MD")]
    made = subprocess.run(command + ["-MM"], cwd=entry["directory"], capture_output=True, text=True)
    if made.returncode:
        return None, command
    names = made.stdout.replace("\\\n", " ").split(":", 1)[1].split()
    return [pathlib.Path(entry["directory"], name).resolve() for name in names], command


def fingerprint(entry, root):
    files, command = headers_of(entry)
    if files is None:  # does not compile: clang-tidy will say why
        return None
    sum_ = hashlib.sha256()
    sum_.update(" ".join(command).replace(str(root), "").encode())
    for name in sorted(files) + [root / ".clang-tidy"]:
        sum_.update(name.read_bytes())
    return sum_.hexdigest()


def check(entry, root, build, clean):
    mark = fingerprint(entry, root)
    if mark and (clean / mark).exists():
        return True, None
    ran = subprocess.run([CLANG_TIDY, "--quiet", "-p", build, entry["file"]], capture_output=True, text=True)
    if ran.returncode == 0 and mark:
        (clean / mark).touch()
    return ran.returncode == 0, ran.stdout or ran.stderr


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--build", required=True, type=pathlib.Path, help="the folder of compile_commands.json")
    options.add_argument("--jobs", type=int, default=1)
    options.add_argument("files", nargs="*", type=pathlib.Path, help="only these source files")
    options = options.parse_args()

    root = pathlib.Path(__file__).resolve().parent.parent
    clean = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache", "madrigal-tidy")
    clean.mkdir(parents=True, exist_ok=True)
    only = {name.resolve() for name in options.files}

    def wanted(name):
        if only:
            return name in only
        return any(name.is_relative_to(root / folder) for folder in FOLDERS)

    database = json.loads((options.build / "compile_commands.json").read_text())
    entries = [entry for entry in database if wanted(pathlib.Path(entry["file"]))]
    if not entries:
        sys.exit("tidy: none of these files is in the compile database")

    bad = known = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for entry, (fine, said) in zip(entries, pool.map(lambda e: check(e, root, options.build, clean), entries)):
            bad += not fine
            known += said is None
            if not fine:
                print(f"{entry['file']}:\n{said}", flush=True)
    print(f"tidy: {len(entries)} files, {known} unchanged since they were clean, {bad} with findings")
    sys.exit(bad > 0)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Runs clang-tidy over the sources in a compile database, many files at a time in each of a few jobs.

Nearly all of clang-tidy's time goes into the headers of Asio and the standard library, which every file includes. Hence
files compiled with the same flags are put one behind the other into one text, and looked at in one run. Files that do
not compile together (names that clash in anonymous namespaces, say) are kept apart, and a file in which a run over many
finds something is looked at by itself: that run's result is what counts. The static analyzer goes into the files' own
functions alone, and what it looks at depends on who calls them in the same text: it sees each file by itself.

A file that was clean is not looked at again until it, a header of the project that it may include, its command, or the
checks change: what was clean is remembered under ~/.cache/madrigal-tidy, whichever clone it lay in.
"""
import argparse
import concurrent.futures
import dataclasses
import hashlib
import itertools
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

CLANG_TIDY = "clang-tidy-14"
# Tests are left out: GoogleTest's macros trip several checks, and the compilers and sanitizers see the tests anyway.
FOLDERS = ("src", "examples", "bench", "fuzz")
# Larger texts would leave one job with the last while the others have nothing to do.
FILES_AT_ONCE = 16

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*[<"]([^>"]+)[>"]', re.MULTILINE)
# misc-unused-using-decls takes a using declaration for used when anything in the text refers to what it names.
USING = re.compile(r"\busing\s+(?:typename\s+)?(?:\w*::)+(\w+)\s*;")
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)


@dataclasses.dataclass(frozen=True)
class Source:
    """One file of the compile database."""
    path: pathlib.Path
    directory: str
    flags: tuple  # the compiler and its flags, without the names of source, object and dependencies
    text: str

    @staticmethod
    def of(entry):
        command = shlex.split(entry["command"])
        command = command[next(i for i, word in enumerate(command) if "clang++" in word):]
        for flag in ("-o", "-MF", "-MT", "-c"):
            while flag in command:
                at = command.index(flag)
                del command[at:at + 2]
        path = pathlib.Path(entry["file"])
        flags = tuple(word for word in command if word != "-MD")
        return Source(path, entry["directory"], flags, path.read_text())


class Fingerprints:
    """What a file's verdict depends on. Debian's headers count as unchanging."""

    def __init__(self, root):
        self.root = root
        self.included = {}
        self.sums = {}

    def headers(self, path, folders, seen):
        """The project's own files that `path` may include, whatever the preprocessor's conditions, into `seen`."""
        for found in self.direct(path, folders):
            if found not in seen:
                seen.add(found)
                self.headers(found, folders, seen)

    def direct(self, path, folders):
        if (path, folders) not in self.included:
            names = INCLUDE.findall(path.read_text())
            places = ([pathlib.Path(os.path.normpath(f / name)) for f in (path.parent, *folders)] for name in names)
            found = (next((p for p in some if p.is_relative_to(self.root) and p.is_file()), None) for some in places)
            self.included[path, folders] = [file for file in found if file]
        return self.included[path, folders]

    def of(self, source):
        folders = tuple(pathlib.Path(source.directory, word[2:]) for word in source.flags if word.startswith("-I"))
        files = {source.path}
        self.headers(source.path, folders, files)
        sum_ = hashlib.sha256()
        sum_.update(" ".join(source.flags).replace(str(self.root), "").encode())
        for name in sorted(files) + [self.root / ".clang-tidy"]:
            if name not in self.sums:
                self.sums[name] = hashlib.sha256(name.read_bytes()).digest()
            sum_.update(self.sums[name])
        return sum_.hexdigest()


class Together:
    """Several files as one text, and whose a line of it is."""

    def __init__(self, sources, folder):
        self.sources = sources
        self.path = pathlib.Path(folder, "together.cpp")
        self.ends = list(itertools.accumulate(source.text.count("\n") + 1 for source in sources))
        self.path.write_text("".join(source.text + "\n" for source in sources))
        beside = sorted({str(source.path.parent) for source in sources})
        self.flags = [*sources[0].flags, *(word for name in beside for word in ("-iquote", name))]

    def named(self, output, kinds):
        """The files in which `output` has diagnostics of one of the kinds, and whether it has any in other places."""
        guilty, elsewhere = [], False
        for name, line in re.findall(rf"^(.+?):(\d+):\d+: (?:{kinds}):", output, re.MULTILINE):
            if pathlib.Path(name) == self.path:
                source = next(s for s, end in zip(self.sources, self.ends) if int(line) <= end)
                if source not in guilty:
                    guilty.append(source)
            else:
                elsewhere = True
        return guilty, elsewhere

    def run(self, command):
        return subprocess.run(command, cwd=self.sources[0].directory, capture_output=True, text=True)


class Tidy:
    """Looks at files, many at once, and says which are clean."""

    def __init__(self, config):
        self.command = [CLANG_TIDY, "--quiet", f"--config-file={config}"]
        self.runs = 0
        listed = subprocess.run([*self.command, "--list-checks", "--"], capture_output=True, text=True, check=True)
        # All but the analyzer off. Not the analyzer's own on: with any of it the list has all of its core, those too that
        # the configuration has switched off.
        named = re.findall(r"^\s+([a-z]\S+)$", listed.stdout, re.MULTILINE)
        self.analyzer = ",".join("-" + name for name in named if not name.startswith("clang-analyzer-"))

    def alone(self, source, *options):
        self.runs += 1
        ran = subprocess.run([*self.command, *options, str(source.path), "--", *source.flags[1:]],
                             cwd=source.directory, capture_output=True, text=True)
        return {source: None if ran.returncode == 0 else ran.stdout or ran.stderr}

    def each(self, sources):
        """Verdicts, None where clean, of files that are compiled with the same flags."""
        if len(sources) <= 1:
            return self.alone(sources[0]) if sources else {}
        with tempfile.TemporaryDirectory(prefix="madrigal-tidy-") as folder:
            text = Together(sources, folder)
            compiled = text.run([*text.flags, "-fsyntax-only", "-w", "-ferror-limit=0", str(text.path)])
            if compiled.returncode:
                clashing, _ = text.named(compiled.stderr, "(?:fatal )?error")
                return self.apart(sources, clashing)
            self.runs += 1
            looked = text.run([*self.command, "--checks=-clang-analyzer-*", str(text.path), "--", *text.flags[1:]])
            guilty, elsewhere = text.named(looked.stdout, "warning|error")
        if looked.returncode and (elsewhere or not guilty):
            return self.apart(sources, guilty)
        verdicts = {}
        for source in sources:
            verdicts |= self.alone(source, *([] if source in guilty else [f"--checks={self.analyzer}"]))
        return verdicts

    def apart(self, sources, some):
        """`some` of the files by themselves and the others by themselves; halves, where nobody is to be kept apart."""
        if not some or len(some) == len(sources):
            some = sources[len(sources) // 2:]
        return self.each([s for s in sources if s not in some]) | self.each(some)


def batches(sources):
    """Files to look at together: of the same flags and, mostly, of one folder."""
    sources = sorted(sources, key=lambda s: (s.flags, s.path))
    for _, same in itertools.groupby(sources, lambda s: s.flags):
        same = list(same)
        words = {s: set(re.findall(r"\w+", COMMENT.sub("", s.text))) for s in same}
        brings = {s: set(USING.findall(s.text)) for s in same}
        count = -(-len(same) // FILES_AT_ONCE)
        while same:
            size = -(-len(same) // max(count, 1))
            batch, others = [], []
            for source in same:
                hides = any(brings[source] & words[other] or brings[other] & words[source] for other in batch)
                (others if hides or len(batch) == size else batch).append(source)
            yield batch
            same = others
            count -= 1


def effort(sources):
    """What makes a run long, for the longest to begin first: coroutines, then the length of the text."""
    return sum(source.text.count("co_") for source in sources), sum(len(source.text) for source in sources)


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--build", required=True, type=pathlib.Path, help="the folder of compile_commands.json")
    options.add_argument("--jobs", type=int, default=1)
    options.add_argument("files", nargs="*", type=pathlib.Path, help="only these source files, each by itself")
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
    # Some files are part of two programs, with the same flags.
    sources = list(dict.fromkeys(Source.of(entry) for entry in database if wanted(pathlib.Path(entry["file"]))))
    if not sources:
        sys.exit("tidy: none of these files is in the compile database")

    fingerprints = Fingerprints(root)
    marks = {source: clean / fingerprints.of(source) for source in sources}
    left = [source for source in sources if not marks[source].exists()]
    work = [[source] for source in left] if only else list(batches(left))
    work.sort(key=effort, reverse=True)

    tidy = Tidy(root / ".clang-tidy")
    bad = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for done in concurrent.futures.as_completed(pool.submit(tidy.each, batch) for batch in work):
            for source, said in done.result().items():
                if said is None:
                    marks[source].touch()
                else:
                    bad += 1
                    print(f"{source.path}:\n{said}", flush=True)
    print(f"tidy: {len(sources)} files, {len(sources) - len(left)} unchanged since they were clean, "
          f"{bad} with findings; {tidy.runs} runs of {CLANG_TIDY}")
    sys.exit(bad > 0)


if __name__ == "__main__":
    main()

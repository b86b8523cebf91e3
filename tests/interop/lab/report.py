"""What the checks found: a line for each program on each topology, under a subnet manager."""
import contextlib
import sys
import time
import traceback


class Failed(Exception):
    """Something is not as it should be."""


class Report:
    """Collects rows of manager, program, topology, result, seconds and what was wrong."""

    def __init__(self, manager, topology):
        self.manager = manager
        self.topology = topology
        self.rows = []

    @contextlib.contextmanager
    def program(self, name):
        """All that is checked of one program. What fails inside is noted; the other programs' turn comes."""
        check = Check()
        began = time.monotonic()
        try:
            yield check
        except Exception as wrong:  # whatever it was, the other programs are still to be looked at
            check.problems.append(f"{type(wrong).__name__}: {wrong}")
            if not isinstance(wrong, Failed):
                traceback.print_exc(file=sys.stderr)
        result = "FAILED" if check.problems else "passed"
        seconds = time.monotonic() - began
        self.rows.append((self.manager, name, self.topology, result, f"{seconds:.1f} s",
                          check.note if not check.problems else "; ".join(check.problems)))
        print(f"{result}  {self.manager:8} {name:24} {self.topology:20} {seconds:6.1f} s  {check.note}", flush=True)
        for problem in check.problems:
            print(f"        {problem}", flush=True)

    @property
    def failed(self):
        return any(row[3] == "FAILED" for row in self.rows)

    def write(self, path):
        with open(path, "w") as file:
            for row in self.rows:
                file.write("\t".join(text.replace("\t", " ").replace("\n", " | ") for text in row) + "\n")


class Check:
    """Expectations; each that is not met is a problem, and the next one is still looked at."""

    most = 10

    def __init__(self):
        self.problems = []
        self.note = ""

    def that(self, holds, otherwise):
        if not holds and len(self.problems) < self.most:
            self.problems.append(otherwise)
        return bool(holds)

    def equal(self, what, found, expected):
        return self.that(found == expected, f"{what} is {shorten(found)}, not {shorten(expected)}")

    def clean(self, outcome, status=0, stderr=""):
        """The exit status and stderr are as they should be. The outcome itself is returned."""
        if outcome.status != status or outcome.err.strip() != stderr:
            self.that(False, f"exit {status} and stderr {stderr!r} were expected of {outcome}")
        return outcome

    def must(self, holds, otherwise):
        """What everything after it depends on."""
        if not holds:
            raise Failed(otherwise)


def shorten(value):
    text = repr(value)
    return text if len(text) < 200 else text[:200] + "…"

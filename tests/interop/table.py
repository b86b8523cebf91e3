#!/usr/bin/env python3
"""table.py DIR: the one table of all that run.py has written into DIR: manager, program, topology, result, time, remark. Exit
status 1 where something failed, or where there is nothing."""
import glob
import os
import sys


def main():
    rows = []
    for file in sorted(glob.glob(os.path.join(sys.argv[1], "*.tsv"))):
        with open(file) as text:
            rows += [line.rstrip("\n").split("\t") for line in text]
    if not rows:
        print("table.py: no results in", sys.argv[1])
        return 1
    rows.sort(key=lambda row: (row[0], row[1], row[2]))
    heads = ["manager", "program", "topology", "result", "time", ""]
    widths = [max(len(row[column]) for row in [heads, *rows]) for column in range(5)]
    for row in [heads, *rows]:
        print("  ".join(text.ljust(width) for text, width in zip(row, widths)) + "  " + row[5][:200])
    failed = sum(row[3] == "FAILED" for row in rows)
    print(f"{len(rows)} lines, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

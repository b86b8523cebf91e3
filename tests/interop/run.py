#!/usr/bin/env python3
"""run.py GROUP TOPOLOGY --program MADRIGAL --helper MADRIGAL_INTEROP_CHECK [--results DIR]
       [--manager opensm|madrigal] [--manager-program SUBNET_MANAGER]

Runs a group of checks (a file in checks/, for routing with the engine: routing.minhop) on a topology, which OpenSM
configures, or the subnet manager of examples/subnet_manager (--manager madrigal, and where it is). Prints a line for each
program and writes them as MANAGER.GROUP.TOPOLOGY.tsv into DIR. Exit status: 0 all passed, 1 something failed, 77 a program
is missing."""
import argparse
import importlib
import os
import shutil
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True

from lab.lab import Lab  # noqa: E402: found by the path above

NEEDED = ("opensm", "ibnetdiscover")
SKIPPED = 77


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("group")
    parser.add_argument("topology")
    parser.add_argument("--program", required=True)
    parser.add_argument("--helper", required=True)
    parser.add_argument("--results")
    parser.add_argument("--manager", choices=("opensm", "madrigal"), default="opensm")
    parser.add_argument("--manager-program")
    wanted = parser.parse_args()
    if wanted.manager == "madrigal" and not wanted.manager_program:
        parser.error("--manager madrigal needs --manager-program")
    missing = [name for name in NEEDED if not shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")]
    if missing:
        print(f"skipped: {', '.join(missing)} not found; Debian: apt-get install opensm infiniband-diags")
        return SKIPPED

    group, *parameters = wanted.group.split(".")
    own = wanted.manager_program and os.path.abspath(wanted.manager_program)
    with Lab(os.path.abspath(wanted.program), os.path.abspath(wanted.helper), wanted.topology, wanted.manager, own) as lab:
        try:
            importlib.import_module("checks." + group).check(lab, *parameters)
        except Exception as wrong:  # what the checks rest on: the server, the subnet manager, discovery
            with lab.report.program(wanted.group):
                raise wrong
        server = lab.fabric.server
        if server.ended():
            with lab.report.program("madrigal sim serve"):
                raise RuntimeError(f"ended with {server.process.returncode}: {server.err[-500:]}")
        if wanted.results:
            os.makedirs(wanted.results, exist_ok=True)
            lab.report.write(os.path.join(wanted.results, f"{wanted.manager}.{wanted.group}.{wanted.topology}.tsv"))
        return 1 if lab.report.failed else 0


if __name__ == "__main__":
    sys.exit(main())

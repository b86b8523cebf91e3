#!/usr/bin/env python3
"""compare.py --program MADRIGAL [--rounds N] [TOPOLOGY...]

Beside ibsim, the simulator of ibsim-utils: the same topology files, on this machine, in one run and by turns. Times are
the least of the rounds, to which other programs on the machine have added least. Memory is the server's when the subnet
is up, without and with the pages of programs and libraries, which all processes share. Then: how many clients each of
them bears at a time. Exit status: 0 nothing is slower or larger than ibsim's by more than a twentieth (lines with a - are
not judged), 1 something is, 77 ibsim is missing."""
import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True

from lab import model, processes, topologies  # noqa: E402: found by the path above
from lab.fabric import Fabric, environment  # noqa: E402
from lab.subnet_manager import OpenSM  # noqa: E402

JUDGED = ("load", "ibnetdiscover", "OpenSM to SUBNET UP", "memory of its own")
MEASURES = (*JUDGED[:3], "- processor time, server", "- processor time, OpenSM", JUDGED[3], "- with programs and libraries")
PRELOADS = ("/usr/lib/x86_64-linux-gnu/umad2sim/libumad2sim.so", "/usr/lib/umad2sim/libumad2sim.so",
            "/usr/lib/aarch64-linux-gnu/umad2sim/libumad2sim.so")


class Ibsim:
    """ibsim on its local sockets, with the interface of `Fabric`."""

    def __init__(self, topology, folder, preload):
        self.folder, self.preload = folder, preload
        self.name = f"madrigal-compare-{os.getpid()}"  # of sockets in the abstract space
        self.env = environment({"IBSIM_SOCKNAME": self.name})
        self.server = processes.Child(["ibsim", "-s", "-N", "16384", "-S", "4096", "-P", "131072", topology], folder,
                                      "ibsim", env=self.env, stdin=subprocess.PIPE)
        wait_closely("ibsim is ready", lambda: "Network simulator ready" in self.server.out, self.server)

    def start(self, words, name, ca=None, env=None):
        return processes.Child(words, self.folder, name, env=self._for_client(ca, env))

    def run(self, *words, ca=None, seconds=60):
        return processes.run(list(words), env=self._for_client(ca), seconds=seconds)

    def _for_client(self, ca, more=None):
        return {**self.env, "LD_PRELOAD": self.preload, **({"SIM_HOST": ca} if ca else {}), **(more or {})}

    def close(self):
        self.server.stop()


class Served(Fabric):
    """`madrigal sim serve`, waited for as closely."""

    def __init__(self, program, topology, folder):
        super().__init__(program, topology, folder, wait=lambda what, happened: wait_closely(what, happened, None))


def wait_closely(what, happened, child, seconds=120):
    deadline = time.monotonic() + seconds
    while not happened():
        if child:
            child.alive_or_complain()
        if time.monotonic() > deadline:
            raise processes.Late(f"{what}: not within {seconds} s")
        time.sleep(0.001)


def measure(start, local, folder):
    """One turn: load, map the fabric as it is cabled, configure it. Seconds and kilobytes by measure."""
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    began = time.monotonic()
    fabric = start(folder)
    found = {"load": time.monotonic() - began}
    manager = None
    try:
        outcome = fabric.run("ibnetdiscover", ca=local, seconds=120)
        if outcome.status != 0:
            raise RuntimeError(str(outcome))
        found["ibnetdiscover"] = outcome.seconds
        began = time.monotonic()
        manager = OpenSM(fabric, ca=local)
        wait_closely("SUBNET UP", lambda: "SUBNET UP" in manager.log, manager.process)
        found["OpenSM to SUBNET UP"] = time.monotonic() - began
        found["- processor time, server"] = fabric.server.processor_seconds()
        found["- processor time, OpenSM"] = manager.process.processor_seconds()
        found["memory of its own"] = fabric.server.memory_kb("RssAnon")
        found["- with programs and libraries"] = fabric.server.memory_kb("VmHWM")
    finally:
        if manager:
            manager.stop()
        fabric.close()
    return found


def clients(start, cas, folder, wanted=64):
    """How many of so many programs, each on a machine of its own, run at a time."""
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    fabric = start(folder)
    programs = []
    try:
        for number, ca in enumerate(cas[:wanted]):
            programs.append(fabric.start(["ibping", "-S"], f"client-{number}", ca=ca))
        # Each has failed or is connected as soon as it waits; no more of them end after that.
        deadline = time.monotonic() + 3
        while time.monotonic() < deadline:
            time.sleep(0.1)
        return sum(not program.ended() for program in programs)
    finally:
        for program in programs:
            program.stop()
        fabric.close()


def text_of(measure_name, value):
    return f"{value / 1024:.1f} MB" if "memory" in measure_name or "libraries" in measure_name else f"{value:.3f} s"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("topologies", nargs="*", default=["fat-tree-702", "fat-tree-5000"])
    wanted = parser.parse_args()
    program = os.path.abspath(wanted.program)
    preload = next((path for path in PRELOADS if os.path.exists(path)), None)
    if not preload or not shutil.which("ibsim"):
        print("skipped: ibsim not found; Debian: apt-get install ibsim-utils")
        return 77

    worse = False
    noise = 1.05
    with tempfile.TemporaryDirectory(prefix="madrigal-compare-") as folder:
        row = "{:34} {:>12} {:>12} {:>8}"
        for name in wanted.topologies:
            file = topologies.make(program, name, folder)
            told = processes.run([program, "discover", "--host", "sim:" + file, "-f", "json"], env=environment())
            layout = model.Model(told.out)
            local = layout.local.id
            sides = {"madrigal": lambda at, file=file: Served(program, file, at),
                     "ibsim": lambda at, file=file: Ibsim(file, at, preload)}
            rounds = {side: [] for side in sides}
            for _ in range(wanted.rounds):
                for side, start in sides.items():
                    rounds[side].append(measure(start, local, os.path.join(folder, side)))
            print(row.format(f"{name}, {len(layout.nodes)} nodes", "madrigal", "ibsim", "ratio"))
            for measured in MEASURES:
                ours, theirs = (min(one[measured] for one in rounds[side]) for side in sides)
                worse = worse or (measured in JUDGED and ours > theirs * noise)
                print(row.format("  " + measured, text_of(measured, ours), text_of(measured, theirs),
                                 f"{ours / theirs:.2f}" if theirs else "-"), flush=True)
            if name == wanted.topologies[0]:
                many = [node.id for node in layout.cas]
                ours, theirs = (clients(start, many, os.path.join(folder, side)) for side, start in sides.items())
                worse = worse or ours <= 10
                print(row.format(f"  clients at a time, of {min(64, len(many))}", ours, theirs, ""), flush=True)
        print(f"least of {wanted.rounds} rounds by turns; {os.cpu_count()} processors")
    return 1 if worse else 0


if __name__ == "__main__":
    sys.exit(main())

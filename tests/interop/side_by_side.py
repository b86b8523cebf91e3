#!/usr/bin/env python3
"""side_by_side.py --program MADRIGAL --manager SUBNET_MANAGER [--runs N] [--markdown FILE] [TOPOLOGY...]

The subnet manager of examples/subnet_manager beside OpenSM, which has 4 SMPs on the wire by default, and 64 with -n 64:
the same fabrics, the same timeout (200 ms), retries (3) and routing (min-hop), each through a socket of a fresh `madrigal
sim serve`, by turns. Measured from the start of the program to the moment at which every cabled port is Active, when the
fabric's console tells so: time; SMPs, which are the packets that the program and its emulated kernel have sent by then;
processor time (user and system, by the process's own clock: the ticks in /proc are too coarse) and the most memory in use
(VmHWM) by then. What a manager does afterwards does not count. The medians of the runs are compared, with the better of
the two OpenSMs for each measure; where packets are lost OpenSM with 4 SMPs on the wire runs once, as it takes long.
Ctrl-C ends it with the table so far. Exit status: 0 every target is met, 1 one is not, 77 OpenSM is missing."""
import argparse
import json
import os
import shutil
import statistics
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True

from lab import console, processes, topologies  # noqa: E402: found by the path above
from lab.fabric import Fabric, environment  # noqa: E402
from lab.subnet_manager import OpenSM  # noqa: E402

WORLDS = {
    "quiet": ("no latency", []),
    "slow": ("20 us a hop, 100 us service", ["--latency", "20us", "--service", "100us"]),
    "lossy": ("20 us a hop, 1 % loss", ["--latency", "20us", "--loss", "0.01"]),
}
# The most that ours may be of the better OpenSM's.
TARGETS = {"time": 0.5, "SMPs": 1.0, "processor time": 0.5, "memory": 0.5}
LOSSY_TARGETS = {"time": 0.5}
SETTINGS = {"routing": "min-hop", "timeout_ms": 200, "retries": 3}


def start_ours(manager, more, fabric):
    settings = os.path.join(fabric.folder, "settings.json")
    with open(settings, "w") as file:
        json.dump({**SETTINGS, **more}, file)
    return processes.Child([manager, "--host", fabric.uri, "--settings", settings], fabric.folder, "subnet_manager",
                           env=environment())


def start_opensm(options, fabric):
    settings = {"force_log_flush": "FALSE", "transaction_timeout": "200", "transaction_retries": "3"}
    return OpenSM(fabric, engine="minhop", options=options, settings=settings).process


def processor_seconds(child):
    """By the clock of the process, which the kernel numbers so (clock_getcpuclockid); all its threads count."""
    try:
        return time.clock_gettime((~child.pid << 3) | 2)
    except OSError:
        return child.processor_seconds()


def measure(start, program, topology, options, folder, limit):
    """One run: what it took until every port was Active; or a sentence that says why it was not."""
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    fabric = Fabric(program, topology, folder, options)
    watched = console.Console(fabric)
    child = None
    most_memory = [0]

    def look():
        child.alive_or_complain()
        most_memory[0] = child.memory_kb("VmHWM") or most_memory[0]
    try:
        began = time.monotonic()
        child = start(fabric)
        sent = console.wait_active(watched, limit, look)
        found = {"time": time.monotonic() - began, "SMPs": sent, "processor time": processor_seconds(child)}
        look()
        return {**found, "memory": most_memory[0] / 1024}
    except processes.Late as late:
        return str(late)
    finally:
        if child:
            child.stop()
        watched.close()
        fabric.close()


def shown(measured, value):
    if measured == "SMPs":
        return f"{value:,.0f}"
    return f"{value:.1f} MB" if measured == "memory" else f"{value:.3f} s"


def spread(measured, values):
    """The median, and the least and the most."""
    if not values:
        return "not Active"
    return f"{shown(measured, statistics.median(values))} ({shown(measured, min(values))} – {shown(measured, max(values))})"


def compare(title, runs, targets):
    """Rows of the table, and whether each target is met. `runs` has for each side its outcomes, ours first."""
    rows = []
    met = True
    if not all(runs.values()):
        return rows, False  # interrupted before each had its turn
    for side, outcomes in runs.items():
        for failure in (one for one in outcomes if isinstance(one, str)):
            print(f"  {title}: {side}: {failure}")
    good = {side: [one for one in outcomes if not isinstance(one, str)] for side, outcomes in runs.items()}
    ours, *theirs = good
    for measured in TARGETS:
        values = {side: [one[measured] for one in outcomes] for side, outcomes in good.items()}
        others = [statistics.median(values[side]) for side in theirs if values[side]]
        ratio, verdict = "-", ""
        if values[ours] and others:
            ratio = statistics.median(values[ours]) / min(others)
            if measured in targets:
                enough = ratio <= targets[measured] and len(values[ours]) == len(runs[ours])
                met = met and enough
                verdict = f"{'met' if enough else 'MISSED'}, at most {targets[measured]}"
            ratio = f"{ratio:.2f}"
        elif measured in targets:
            met = met and bool(values[ours])
            verdict = "OpenSM was never done" if values[ours] else "MISSED"
        rows.append((title if not rows else "", measured, *(spread(measured, values[side]) for side in good), ratio,
                     verdict))
    return rows, met


def take_turns(title, world, sides, runs, count, once):
    """Adds the outcomes of each side's runs."""
    for number in range(count):
        for side, start in sides.items():
            if world == "lossy" and side == "OpenSM" and number:
                continue  # with 4 SMPs on the wire it waits ten times as long as with 64: once is enough
            outcome = once(start)
            runs[side].append(outcome)
            print(f"  {title}, run {number + 1}: {side}: " + (outcome if isinstance(outcome, str) else ", ".join(
                shown(*one) for one in outcome.items())), flush=True)


def markdown(rows):
    lines = ["| " + " | ".join(rows[0]) + " |", "| --- " * 2 + "| ---: " * (len(rows[0]) - 3) + "| --- |"]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows[1:]]) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True)
    parser.add_argument("--manager", required=True)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--limit", type=float, default=300, metavar="SECONDS", help="the most for one run")
    parser.add_argument("--worlds", default=",".join(WORLDS), help="of " + ", ".join(WORLDS))
    parser.add_argument("--settings", type=json.loads, default={}, metavar="JSON", help="other ones of ours than its own")
    parser.add_argument("--markdown", metavar="FILE", help="write the table there as well")
    parser.add_argument("topologies", nargs="*", default=["fat-tree-702", "fat-tree-5000"])
    wanted = parser.parse_args()
    program, manager = os.path.abspath(wanted.program), os.path.abspath(wanted.manager)
    if not shutil.which("opensm", path=environment()["PATH"]):
        print("skipped: opensm not found; Debian: apt-get install opensm")
        return 77

    sides = {"madrigal": lambda fabric: start_ours(manager, wanted.settings, fabric),
             "OpenSM": lambda fabric: start_opensm([], fabric),
             "OpenSM -n 64": lambda fabric: start_opensm(["-n", "64"], fabric)}
    results = {}
    try:
        with tempfile.TemporaryDirectory(prefix="madrigal-side-by-side-") as folder:
            for name in wanted.topologies:
                file = topologies.make(program, name, folder)
                for world in wanted.worlds.split(","):
                    runs = results[name, world] = {side: [] for side in sides}
                    title, options = WORLDS[world]

                    def once(start, file=file, options=options):
                        return measure(start, program, file, options, os.path.join(folder, "run"), wanted.limit)
                    take_turns(f"{name}, {title}", world, sides, runs, wanted.runs, once)
    except KeyboardInterrupt:
        print("interrupted; what there is:")
    table = [("fabric", "to all Active", *sides, "ratio", "target")]
    all_met = bool(results)
    for (name, world), runs in results.items():
        rows, met = compare(f"{name}, {WORLDS[world][0]}", runs, LOSSY_TARGETS if world == "lossy" else TARGETS)
        table += rows
        all_met = all_met and met
    widths = [max(len(row[column]) for row in table) for column in range(len(table[0]))]
    print()
    for row in table:
        print("  ".join(text.ljust(width) for text, width in zip(row, widths)).rstrip())
    print(f"medians (least – most) of {wanted.runs} runs by turns; {os.cpu_count()} processors, load "
          f"{os.getloadavg()[0]:.1f}")
    if wanted.markdown:
        with open(wanted.markdown, "w") as out:
            out.write(markdown(table))
    return 0 if all_met else 1


if __name__ == "__main__":
    sys.exit(main())

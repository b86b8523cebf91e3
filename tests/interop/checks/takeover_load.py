"""A master whose CA is taken out while many clients ask for paths: only questions of the gap until the standby answers may
fail. The master is of the lab's kind, once with a standby of the same kind, and once with OpenSM."""
import os
import re
import subprocess
import time

from lab import processes
from lab.report import Failed

RATE, CLIENTS = 1000, 100
SUMMARY = re.compile(r"^asked (\d+) answered (\d+) failed (\d+) outside (\d+) wrong (\d+) gap (\d+) ms silence (\d+) ms "
                     r"unserved (\d+)$", re.MULTILINE)


def check(lab):
    for kind in dict.fromkeys((lab.kind, "opensm")):
        with lab.report.program(f"{lab.kind}, then {kind}, under load") as check:
            one_takeover(lab, check, kind)


def one_takeover(lab, check, standby_kind):
    first, second = lab.cabled.cas[0], lab.cabled.cas[-1]
    master = lab.manager(ca=first.id, name=f"master-of-{standby_kind}", priority=10)
    master.wait_settled(60)
    standby = lab.manager(kind=standby_kind, ca=second.id, name=f"standby-{standby_kind}", priority=5, poll=(200, 2))
    standby.wait_for_log(standby.STANDBY, 60)
    try:
        load = Load(lab, [ca for ca in lab.cabled.cas if ca is not first])
        load.run_for(2)
        load.mark("before")
        lab.fabric.tell(f"unplug {first.id}")
        load.mark("after")
        at = len(standby.log)
        standby.wait_for_log(standby.MASTER, 60)
        standby.wait_up(60)
        load.run_for(3)
        judge(check, load.end())
        check.equal("errors in the standby's log", standby.errors(after=at) if standby_kind != "opensm" else [], [])
    finally:
        master.stop(seconds=1)
        standby.stop(seconds=5)
        lab.fabric.tell(f"plug {first.id}")


def judge(check, told):
    summary = SUMMARY.search(told)
    if not summary:
        raise Failed(f"the load does not sum up: {told[-500:]!r}")
    asked, answered, failed, outside, wrong, gap, silence, unserved = map(int, summary.groups())
    reasons = "; ".join(re.findall(r"^\d+ times: .*$", told, re.MULTILINE))
    check.equal("answers with other LIDs than expected", wrong, 0)
    check.that(outside == 0, f"{outside} questions failed outside the gap: {reasons}")
    check.equal("machines that the new master has not answered", unserved, 0)
    check.equal("questions without an end", asked - answered - failed - wrong, 0)
    seconds = re.findall(r"^second \d+ asked (\d+)", told, re.MULTILINE)
    check.that(all(int(one) > RATE // 2 for one in seconds[1:]), f"the pace was not kept: {seconds}")
    check.note = f"gap {gap} ms, {silence} ms without any answer; {failed} of {asked} failed"


class Load:
    """`madrigal_interop_path_load` on the machines of these CAs."""

    def __init__(self, lab, cas):
        model = lab.discovered(ca=cas[0].id)
        helper = os.path.join(os.path.dirname(lab.helper), "madrigal_interop_path_load")
        self.child = processes.Child([helper, lab.fabric.uri, str(RATE), str(CLIENTS), *(ca.id for ca in cas)], lab.folder,
                                     f"load-{time.monotonic_ns()}", stdin=subprocess.PIPE)
        lab.others.append(self.child)
        known = [model.nodes[ca.id] for ca in cas]
        for node in known:
            for port, lid in node.lids.items():
                if lid:
                    self.mark(f"0x{node.port_guids[port]:x} {lid}")
        self.mark("")
        processes.wait_until("the load begins", self.asking, 30)

    def asking(self):
        self.child.alive_or_complain()
        return self.child.out.startswith("asking\n")

    def mark(self, text):
        self.child.process.stdin.write(text.encode() + b"\n")
        self.child.process.stdin.flush()

    def run_for(self, seconds):
        """So many more seconds have been counted."""
        until = self.child.out.count("second ") + seconds

        def counted():
            self.child.alive_or_complain()
            return self.child.out.count("second ") >= until
        processes.wait_until(f"{seconds} seconds of load", counted, 30 + 2 * seconds)

    def end(self):
        self.child.process.stdin.close()
        if self.child.process.wait(30) != 0:
            raise Failed(f"the load ended with {self.child.process.returncode}: {self.child.err[-300:]!r}")
        return self.child.out

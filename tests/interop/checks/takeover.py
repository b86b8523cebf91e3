"""Two subnet managers: one is master, the other waits, and takes over where the master's machine loses its CA. They are of
one kind, or of the two that are named: takeover.MASTER.STANDBY."""
import os

from lab import processes, walk


def check(lab, first_kind=None, second_kind=None):
    first_kind, second_kind = first_kind or lab.kind, second_kind or lab.kind
    name = first_kind if first_kind == second_kind else f"{first_kind}, then {second_kind}"
    first, second = lab.cabled.cas[0], lab.cabled.cas[-1]
    master = lab.manager(kind=first_kind, ca=first.id, name="manager-first", priority=10, sweep_seconds=2)
    master.wait_settled(60)
    standby = lab.manager(kind=second_kind, ca=second.id, name="manager-second", priority=5, sweep_seconds=2,
                          poll=(200, 2))

    def state(ca, lid=None):
        """`sminfo` of a LID (the master's, as the port knows it) seen from a machine."""
        return lab.fabric.run("sminfo", *([str(lid)] if lid else []), ca=ca.id).out

    model = lab.discovered()
    lids = {node.id: node.lid for node in model.nodes.values()}
    third = lab.cabled.cas[1]
    with lab.report.program(f"{name}, master and standby") as check:
        standby.wait_for_log(standby.STANDBY, 60)
        check.that("SMINFO_MASTER" in state(third), f"{state(third)!r}")
        processes.wait_until("the second subnet manager is standby",
                             lambda: "SMINFO_STANDBY" in state(third, lids[second.id]), 30)
        check.that(f"sm lid {lids[first.id]} " in state(third), f"{state(third)!r}")
        check.equal("times that the standby has configured the subnet", standby.times_up(), 0)

    with lab.report.program(f"{name}, takeover") as check:
        at = len(standby.log)
        lab.fabric.tell(f"unplug {first.id}")
        standby.wait_for_log(standby.MASTER, 60, after=at)
        standby.wait_up(60, after=at)
        # Without its CA OpenSM gets EIO without end, and says so without end: its log is bounded, and it is not waited for.
        status = master.stop(seconds=1)
        check.that(os.path.getsize(master.log_path) < 30e6, "the log of the manager without a CA is too long")
        if first_kind != "opensm":
            check.equal("exit status of the manager without a CA", status, 0)
        processes.wait_until("sminfo tells of the new master",
                             lambda: f"sm lid {lids[second.id]} " in state(third) and "SMINFO_MASTER" in state(third), 30)

        def reachable():
            now = lab.discovered(ca=third.id)
            tables = walk.read_tables(lab.tables(ca=third.id))
            return len(now.nodes) == len(model.nodes) - 1 and not walk.unreachable(now, tables)[1]
        processes.wait_until("every pair of LIDs reachable under the new master", reachable, 30)
        now = {node.id: node.lid for node in lab.discovered(ca=third.id).nodes.values()}
        check.equal("LIDs under the new master", now, {node: lid for node, lid in lids.items() if node != first.id})

    with lab.report.program(f"{name}, handed back") as check:
        lab.fabric.tell(f"plug {first.id}")
        at = len(standby.log)
        again = lab.manager(kind=first_kind, ca=first.id, name="manager-first-again", priority=10, sweep_seconds=2)
        again.wait_for_log(again.MASTER, 60)
        again.wait_up(60)
        standby.wait_for_log(standby.STANDBY, 60, after=at)
        processes.wait_until("sminfo tells of the first one again", lambda: f"sm lid {lids[first.id]} " in state(third)
                             and "SMINFO_MASTER" in state(third), 30)
        now = {node.id: node.lid for node in lab.discovered(ca=third.id).nodes.values()}
        check.equal("LIDs in the end", now, lids)
        check.equal("exit status of the standby", standby.stop(), 0)
        check.equal("exit status of the master", again.stop(), 0)

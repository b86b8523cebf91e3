"""Two OpenSMs: one is master, the other waits, and takes over where the master's machine loses its CA."""
import os

from lab import processes, walk


def check(lab):
    first, second = lab.cabled.cas[0], lab.cabled.cas[-1]
    often = ["--sweep", "2"]
    master = lab.manager(ca=first.id, name="opensm-first", options=["-p", "10", *often])
    master.wait_settled(60)
    # It looks at the master every ten seconds and gives it four chances; here every 200 ms and two.
    standby = lab.manager(ca=second.id, name="opensm-second", options=["-p", "5", *often], settings={
        "sminfo_polling_timeout": "200", "polling_retry_number": "2"})

    def state(ca, lid=None):
        """`sminfo` of a LID (the master's, as the port knows it) seen from a machine."""
        return lab.fabric.run("sminfo", *([str(lid)] if lid else []), ca=ca.id).out

    model = lab.discovered()
    lids = {node.id: node.lid for node in model.nodes.values()}
    third = lab.cabled.cas[1]
    with lab.report.program("opensm, master and standby") as check:
        standby.wait_for_log("Entering STANDBY state", 60)
        check.that("SMINFO_MASTER" in state(third), f"{state(third)!r}")
        processes.wait_until("the second OpenSM is standby",
                             lambda: "SMINFO_STANDBY" in state(third, lids[second.id]), 30)
        check.that(f"sm lid {lids[first.id]} " in state(third), f"{state(third)!r}")
        check.equal("times that the standby has configured the subnet", standby.times_up(), 0)

    with lab.report.program("opensm, takeover") as check:
        at = len(standby.log)
        lab.fabric.tell(f"unplug {first.id}")
        standby.wait_for_log("Entering MASTER state", 60, after=at)
        standby.wait_up(60, after=at)
        # Without its CA it gets EIO without end, and says so without end: its log is bounded, and it is not waited for.
        master.stop(seconds=1)
        check.that(os.path.getsize(master.log_path) < 30e6, "the log of the OpenSM without a CA is too long")
        processes.wait_until("sminfo tells of the new master",
                             lambda: f"sm lid {lids[second.id]} " in state(third) and "SMINFO_MASTER" in state(third), 30)

        def reachable():
            now = lab.discovered(ca=third.id)
            tables = walk.read_tables(lab.tables(ca=third.id))
            return len(now.nodes) == len(model.nodes) - 1 and not walk.unreachable(now, tables)[1]
        processes.wait_until("every pair of LIDs reachable under the new master", reachable, 30)

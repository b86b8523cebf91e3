"""OpenSM and this library's `mastership` (the example `standby`) choose a master between them, either way."""
import os
import re

from lab import processes


def check(lab):
    first, second = lab.cabled.cas[0], lab.cabled.cas[-1]
    opensm = lab.manager(ca=first.id, options=["-p", "5", "--sweep", "2"], settings={
        "sminfo_polling_timeout": "500", "polling_retry_number": "2"})
    opensm.wait_settled(60)

    with lab.report.program("mastership, taken over from opensm") as check:
        at = len(opensm.log)
        ours = start(lab, second, 9)
        opensm.wait_for_log("Entering STANDBY state", 30, after=at)
        processes.wait_until("this library's is the master", lambda: "Master: Configure" in ours.out, 30)
        processes.wait_until("it sees OpenSM standing by", lambda: re.search(r"is Standby, priority 5", ours.out), 30)
        told = lab.fabric.run("sminfo", str(lid(lab, second)), ca=first.id).out
        check.that("SMINFO_MASTER" in told, f"{told!r}")

    with lab.report.program("opensm, takes over from mastership") as check:
        at = len(opensm.log)
        ours.stop()
        opensm.wait_for_log("Entering MASTER state", 30, after=at)
        opensm.wait_up(30, after=at)

    with lab.report.program("mastership, under opensm and after it") as check:
        ours = start(lab, second, 3)
        processes.wait_until("this library's stands by", lambda: "Standby: StandBy" in ours.out, 30)
        opensm.stop()
        processes.wait_until("it is the master", lambda: "Master: Configure" in ours.out, 30)

    with lab.report.program("opensm, is handed over to by mastership") as check:
        again = lab.manager(ca=first.id, name="opensm-again", options=["-p", "5", "--sweep", "2"])
        again.wait_for_log("Entering MASTER state", 60)
        again.wait_up(60)
        processes.wait_until("this library's stands by again", lambda: ours.out.count("Standby: StandBy") > 1, 30)
        told = lab.fabric.run("sminfo", str(lid(lab, second)), ca=first.id).out
        check.that("SMINFO_STANDBY" in told, f"{told!r}")


def start(lab, ca, priority):
    program = os.path.join(os.path.dirname(lab.helper), "standby")
    started = processes.Child([program, f"{lab.fabric.uri}?ca={ca.id}", str(priority)], lab.folder, f"ours-{priority}")
    lab.others.append(started)
    return started


def lid(lab, ca):
    return {node.id: node.lid for node in lab.discovered().nodes.values()}[ca.id]

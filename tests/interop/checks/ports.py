"""ibportstate: query, speed and width, disable and enable; OpenSM brings the port back."""
from checks.nodes import fields
from lab import processes


def check(lab):
    manager = lab.manager()
    manager.wait_settled(120)
    model = lab.discovered()
    far = model.cas[-1]
    switch, port = far.links[1]
    here = [str(switch.lid), str(port)]
    run = lab.fabric.run

    def state():
        return fields(run("smpquery", "portinfo", *here).out)

    with lab.report.program("ibportstate query") as check:
        told = check.clean(run("ibportstate", *here, "query")).out
        check.equal("both ends Active", told.count("LinkState:.......................Active"), 2)
        check.that(f"Lid:.............................{far.lid}\n" in told, f"the peer's LID is not in {told!r}")

    with lab.report.program("ibportstate speed, espeed, width") as check:
        # What is enabled changes; what is active does at the next training of the link.
        check.clean(run("ibportstate", *here, "speed", "1"))
        check.equal("LinkSpeedEnabled", state()["LinkSpeedEnabled"], "2.5 Gbps")
        check.clean(run("ibportstate", *here, "speed", "15"))
        check.clean(run("ibportstate", *here, "espeed", "31"))
        check.clean(run("ibportstate", *here, "width", "1"))
        check.equal("LinkWidthEnabled", state()["LinkWidthEnabled"], "1X")
        check.clean(run("ibportstate", *here, "width", "255"))

    with lab.report.program("ibportstate disable, enable") as check:
        at = len(manager.log)
        check.clean(run("ibportstate", *here, "disable"))
        check.equal("PhysLinkState", state()["PhysLinkState"], "Disabled")
        processes.wait_until("the machine behind a disabled port is gone",
                             lambda: run("smpquery", "nodeinfo", str(far.lid)).status != 0, 30)
        manager.wait_up(60, after=at)
        at = len(manager.log)
        check.clean(run("ibportstate", *here, "enable"))
        manager.wait_up(60, after=at)
        processes.wait_until("the port is Active again", lambda: state()["LinkState"] == "Active", 30)
        processes.wait_until("the machine answers at its LID again",
                             lambda: run("smpquery", "nodeinfo", str(far.lid)).status == 0, 30)

    with lab.report.program("ibportstate reset, down, off") as check:
        at = len(manager.log)
        check.clean(run("ibportstate", *here, "reset"))
        manager.wait_up(60, after=at)
        processes.wait_until("the port is Active after a reset", lambda: state()["LinkState"] == "Active", 30)

"""ibportstate: query, speed and width, disable and enable; the subnet manager brings the port back."""
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

    with lab.report.program("ibportstate speed, espeed, width, reset") as check:
        before = state()
        check.clean(run("ibportstate", *here, "speed", "1"))
        check.clean(run("ibportstate", *here, "espeed", "30"))
        check.clean(run("ibportstate", *here, "width", "1"))
        told = state()
        check.equal("LinkSpeedEnabled", told["LinkSpeedEnabled"], "2.5 Gbps")
        check.equal("LinkWidthEnabled", told["LinkWidthEnabled"], "1X")
        check.equal("LinkWidthActive until the link trains anew", told["LinkWidthActive"], "4X")
        slow = reset(lab, check, manager, here)
        check.equal("LinkWidthActive", slow["LinkWidthActive"], "1X")
        check.equal("LinkSpeedActive", slow["LinkSpeedActive"], "2.5 Gbps")
        check.equal("LinkSpeedExtActive", slow.get("LinkSpeedExtActive", "No Extended Speed"), "No Extended Speed")
        line = next(line for line in run("iblinkinfo", "-l").out.splitlines()
                    if line.startswith(f"0x{switch.guid:016x}") and f" {port}[" in line.split("==(")[0])
        check.that("1X" in line and "2.5 Gbps" in line and "Could be 4X" in line, f"iblinkinfo says {line!r}")
        check.clean(run("ibportstate", *here, "speed", "15"))
        check.clean(run("ibportstate", *here, "espeed", "31"))
        check.clean(run("ibportstate", *here, "width", "255"))
        check.equal("PortInfo in the end", reset(lab, check, manager, here), before)

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


def reset(lab, check, manager, here):
    """Trains the link anew, and waits until the subnet manager has made the port Active. What PortInfo says then."""
    at = len(manager.log)
    check.clean(lab.fabric.run("ibportstate", *here, "reset"))
    manager.wait_up(60, after=at)
    told = {}

    def active():
        told.update(fields(lab.fabric.run("smpquery", "portinfo", *here).out))
        return told["LinkState"] == "Active"
    processes.wait_until("the port is Active after a reset", active, 30)
    return told

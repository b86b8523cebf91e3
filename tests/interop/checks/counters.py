"""perfquery and ibqueryerrors: counters that move with the traffic, are reset, and tell of errors that there are."""
import re

from checks.nodes import fields


def check(lab):
    lab.manager().wait_up(120)
    model = lab.discovered()
    far = model.cas[-1]
    switch = next(iter(far.links.values()))[0]
    port, mine = next((theirs, own) for own, (_, theirs) in far.links.items())
    run = lab.fabric.run

    with lab.report.program("perfquery") as check:
        before = fields(check.clean(run("perfquery", str(far.lid), str(mine))).out)
        for _ in range(3):
            check.clean(run("smpquery", "nodeinfo", str(far.lid)))
        after = fields(check.clean(run("perfquery", str(far.lid), str(mine))).out)
        check.that(int(after["PortRcvPkts"]) >= int(before["PortRcvPkts"]) + 3, f"from {before} to {after}")
        check.that(int(after["PortXmitData"]) > int(before["PortXmitData"]), f"from {before} to {after}")
        wide = fields(check.clean(run("perfquery", "-x", str(far.lid), str(mine))).out)
        check.that(int(wide["PortRcvPkts"]) >= int(after["PortRcvPkts"]), f"{wide} after {after}")
        check.clean(run("perfquery", "-r", str(far.lid), str(mine)))
        reset = fields(check.clean(run("perfquery", str(far.lid), str(mine))).out)
        check.that(int(reset["PortRcvPkts"]) < int(after["PortRcvPkts"]), f"{reset} after a reset")
        check.clean(run("perfquery", "-a", str(switch.lid)))
        check.clean(run("perfquery", "-l", "-a", str(switch.lid)))
        # By GUID, subnet administration is asked for the LID.
        check.clean(run("perfquery", "-G", hex(far.port_guids[mine]), str(mine)))
        check.clean(run("perfquery", "-c", str(far.lid), str(mine)))

    with lab.report.program("ibqueryerrors") as check:
        # Whatever there was it tells and clears.
        first = run("ibqueryerrors", "-k", seconds=120)
        check.that(first.status in (0, 1) and not first.err, f"{first}")
        quiet = check.clean(run("ibqueryerrors", seconds=120)).out
        check.that("0 bad nodes found" in quiet, f"{quiet[-300:]!r}")
        checked = re.search(r"(\d+) nodes checked", quiet)
        check.equal("nodes checked", int(checked[1]) if checked else None, len(model.nodes))
        lab.fabric.tell(f"counters 0x{switch.guid:016x} {port} set SymbolErrorCounter=77 PortRcvErrors=12")
        noisy = lab.fabric.run("ibqueryerrors", seconds=120)
        check.that(re.search(r"\[SymbolErrorCounter == 77 .*\[PortRcvErrors == 12 ", noisy.out),
                   f"the errors are not told: {noisy.out[:300]!r}")
        check.that("1 bad nodes found" in noisy.out, f"{noisy.out[-300:]!r}")
        told = fields(run("perfquery", str(switch.lid), str(port)).out)
        check.equal("SymbolErrorCounter by perfquery", told.get("SymbolErrorCounter"), "77")
        check.equal("exit status where errors are found", run("ibqueryerrors", "-k", seconds=120).status, 1)
        cleared = fields(run("perfquery", str(switch.lid), str(port)).out)
        check.equal("SymbolErrorCounter after ibqueryerrors -k", cleared.get("SymbolErrorCounter"), "0")

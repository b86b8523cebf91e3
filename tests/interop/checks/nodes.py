"""Programs that look at one node: smpquery in all its operations, ibstat, ibaddr, sminfo, smpdump, vendstat."""
import re

from lab import processes


def fields(text):
    """`Name:.....value` lines as a dictionary."""
    return {name: value for name, value in re.findall(r"^([A-Za-z0-9 ]+):\.*([^.\n].*|)$", text, re.MULTILINE)}


def check(lab):
    manager = lab.manager()
    manager.wait_up(120)
    model = lab.discovered()
    local = model.local
    far = model.cas[-1]
    switch = next(iter(local.links.values()))[0]
    smpquery(lab, model, local, far, switch)
    addresses(lab, model, local, far, switch)
    local_ports(lab, local)
    subnet_manager(lab, local)
    refusals(lab, far)


def smpquery(lab, model, local, far, switch):
    run = lab.fabric.run
    with lab.report.program("smpquery nodeinfo") as check:
        for node in (local, far, switch):
            for words in (["nodeinfo", str(node.lid)], ["-G", "nodeinfo", hex(node.port_guids[min(node.port_guids)])]):
                told = fields(check.clean(run("smpquery", *words)).out)
                check.equal("Guid", int(told["Guid"], 16), node.guid)
                check.equal("SystemGuid", int(told["SystemGuid"], 16), node.system_image_guid)
                check.equal("NumPorts", int(told["NumPorts"]), node.port_count)
                check.equal("DevId", int(told["DevId"], 16), node.device_id)
                check.equal("VendorId", int(told["VendorId"], 16), node.vendor_id)
                check.equal("NodeType", told["NodeType"], "Switch" if node.is_switch else "Channel Adapter")
        told = fields(check.clean(run("smpquery", "-D", "nodeinfo", "0,1")).out)
        check.equal("Guid by directed route 0,1", int(told["Guid"], 16), switch.guid)
        check.equal("LocalPort", int(told["LocalPort"]), local.links[1][1])
        combined = fields(check.clean(run("smpquery", "-c", "nodeinfo", str(switch.lid), f"0,{local.links[1][1]}")).out)
        check.equal("Guid by combined route", int(combined["Guid"], 16), local.guid)

    with lab.report.program("smpquery nodedesc") as check:
        for node in (local, far, switch):
            told = check.clean(run("smpquery", "nodedesc", str(node.lid))).out
            check.equal("description", told.strip().split("..", 1)[1].lstrip("."), node.description)

    with lab.report.program("smpquery portinfo") as check:
        for node, port in ((local, 1), (far, 1), (switch, local.links[1][1])):
            told = fields(check.clean(run("smpquery", "portinfo", str(node.lid), str(port))).out)
            check.equal("LinkState", told["LinkState"], "Active")
            check.equal("PhysLinkState", told["PhysLinkState"], "LinkUp")
            check.equal("LinkWidthActive", told["LinkWidthActive"], "4X")
            if not node.is_switch:
                check.equal("Lid", int(told["Lid"]), node.lid)
                check.equal("SMLid", int(told["SMLid"]), local.lid)
        unplugged = next((p for p in range(1, switch.port_count + 1) if p not in switch.links), None)
        if unplugged:
            told = fields(check.clean(run("smpquery", "portinfo", str(switch.lid), str(unplugged))).out)
            check.equal("LinkState of an empty port", told["LinkState"], "Down")

    with lab.report.program("smpquery switchinfo") as check:
        told = fields(check.clean(run("smpquery", "switchinfo", str(switch.lid))).out)
        check.equal("LinearFdbTop", int(told["LinearFdbTop"]), max(lid for _, _, lid in model.ends()))
        # The subnet manager has it taken back with the sweep that follows the last trap.
        processes.wait_until("StateChange taken back", lambda: "StateChange:.....................0\n" in run(
            "smpquery", "switchinfo", str(switch.lid)).out, 10)
        check.equal("EnhancedPort0", told["EnhancedPort0"], "1" if switch.enhanced_port0 else "0")

    with lab.report.program("smpquery pkeys") as check:
        for words in ([str(far.lid)], [str(switch.lid), "1"]):
            told = check.clean(run("smpquery", "pkeys", *words)).out
            check.that("0xffff" in told.splitlines()[0].lower() or "0x7fff" in told.splitlines()[0].lower(),
                       f"no default partition in {told[:80]!r}")
            check.that(re.search(r"^\d+ pkeys capacity for this port$", told, re.MULTILINE), "no capacity is told")

    with lab.report.program("smpquery sl2vl") as check:
        told = check.clean(run("smpquery", "sl2vl", str(switch.lid), "1")).out
        check.equal("lines of the table", told.count("ports: in"), switch.port_count + 1)
        told = check.clean(run("smpquery", "sl2vl", str(far.lid))).out
        check.equal("lines of a CA's table", told.count("ports: in"), 1)

    with lab.report.program("smpquery vlarb") as check:
        for words in ([str(switch.lid), "1"], [str(far.lid)]):
            told = check.clean(run("smpquery", "vlarb", *words)).out
            check.equal("lines of weights", told.count("WEIGHT:"), 2)
            check.that("LowCap 8 HighCap 8" in told, f"no capacities in {told[:80]!r}")

    with lab.report.program("smpquery guidinfo") as check:
        told = check.clean(run("smpquery", "guidinfo", str(far.lid))).out
        check.equal("the first GUID", int(told.split()[1], 16), far.port_guids[1])

    with lab.report.program("smpquery mepi, pie") as check:
        # Neither is claimed: MlnxExtPortInfo is some makers' only, PortInfoExtended needs a capability.
        vendors = (0x2C9, 0x1405)
        told = run("smpquery", "mepi", str(far.lid))
        if far.vendor_id in vendors:
            check.that("LinkSpeedActive" in check.clean(told).out, f"{told}")
        else:
            check.that(told.status != 0 and "ext port info query failed" in told.out + told.err, f"{told}")
        refused = run("smpquery", "pie", str(far.lid))
        check.that(refused.status != 0 and "PortInfoExtended" in refused.err, f"{refused}")

    with lab.report.program("smpdump") as check:
        told = check.clean(run("smpdump", str(far.lid), "0x10")).out
        check.equal("the description's bytes", bytes.fromhex("".join(re.findall(r"\b[0-9a-f]{4}\b", told.split("SMP")[0])))
                    .rstrip(b"\0").decode(), far.description)


def addresses(lab, model, local, far, switch):
    with lab.report.program("ibaddr") as check:
        for node, words in ((local, []), (far, [str(far.lid)]), (switch, [str(switch.lid)]),
                            (far, ["-G", hex(far.port_guids[1])])):
            told = check.clean(lab.fabric.run("ibaddr", *words)).out
            match = re.match(r"GID (\S+) LID start 0x([0-9a-f]+) end 0x([0-9a-f]+)$", told.strip())
            if check.that(match, f"another form: {told!r}"):
                check.equal("LID", int(match[2], 16), node.lid)


def local_ports(lab, local):
    with lab.report.program("ibstat") as check:
        told = check.clean(lab.fabric.run("ibstat")).out
        for line in (f"Number of ports: {local.port_count}", f"Node GUID: 0x{local.guid:016x}",
                     f"System image GUID: 0x{local.system_image_guid:016x}", "State: Active",
                     "Physical state: LinkUp", f"Base lid: {local.lid}", f"SM lid: {local.lid}",
                     f"Port GUID: 0x{local.port_guids[1]:016x}", "Link layer: InfiniBand"):
            check.that(line in told, f"{line!r} is not in {told!r}")
        listed = check.clean(lab.fabric.run("ibstat", "-l")).out.split()
        check.that(len(listed) == 1, f"one CA was expected, not {listed}")
        told = check.clean(lab.fabric.run("ibstat", "-p")).out.split()
        check.that(f"0x{local.port_guids[1]:016x}" in told, f"ibstat -p: {told}")
        there = check.clean(lab.fabric.run("ibstat", listed[0], "1")).out
        check.that("State: Active" in there, f"ibstat of a port: {there!r}")


def subnet_manager(lab, local):
    with lab.report.program("sminfo") as check:
        told = check.clean(lab.fabric.run("sminfo")).out
        match = re.match(r"sminfo: sm lid (\d+) sm guid (0x[0-9a-f]+), activity count (\d+) priority (\d+) state (\d) "
                         r"SMINFO_MASTER$", told.strip())
        if check.that(match, f"another form: {told!r}"):
            check.equal("SM's LID", int(match[1]), local.lid)
            check.equal("SM's GUID", int(match[2], 16), local.port_guids[1])
        # Seen from another machine, the question crosses the fabric to the subnet manager.
        other = lab.discovered().cas[-1]
        far = check.clean(lab.fabric.run("sminfo", ca=other.id)).out
        check.that(f"sm lid {local.lid} " in far and "SMINFO_MASTER" in far, f"from another machine: {far!r}")


def refusals(lab, far):
    with lab.report.program("vendstat, ibccquery") as check:
        # Nobody serves these classes: an answer that says so, quickly, and no hanging.
        for words in (["vendstat", "-N", str(far.lid)], ["ibccquery", "congestioninfo", str(far.lid)]):
            refused = lab.fabric.run(*words, seconds=30)
            check.that(refused.status != 0 and "failed" in refused.out + refused.err and refused.seconds < 1,
                       f"a quick refusal was expected: {refused}, after {refused.seconds:.1f} s")

"""saquery: whole tables of subnet administration, over RMPP, and single records."""
import re


def count(text, record):
    return len(re.findall(rf"^{record} (?:group )?dump:", text, re.MULTILINE))


def check(lab):
    lab.manager().wait_up(120)
    model = lab.discovered()
    ends = list(model.ends())
    far = model.cas[-1]
    run = lab.fabric.run

    with lab.report.program("saquery NodeRecord") as check:
        told = check.clean(run("saquery", seconds=120)).out
        check.equal("records", count(told, "NodeRecord"), len(ends))
        check.equal("LIDs", sorted(int(lid) for lid in re.findall(r"\tlid\.+(\d+)", told)),
                    sorted(lid for _, _, lid in ends))
        names = set(re.findall(r"NodeDescription\.+(.*)$", told, re.MULTILINE))
        check.equal("descriptions", names, {node.description for node, _, _ in ends})
        one = check.clean(run("saquery", "NR", str(far.lid))).out
        check.that(far.description in one and count(one, "NodeRecord") == 1, f"one record was expected: {one!r}")
        check.equal("the LIDs of a name", sorted(check.clean(run("saquery", "-L", far.description)).out.split()),
                    sorted(str(lid) for node, _, lid in ends if node.description == far.description))
        check.note = f"{len(ends)} records"

    with lab.report.program("saquery PortInfoRecord") as check:
        told = run("saquery", "PIR", seconds=120)
        # Of a port that is Down the state only need be kept (IBA C14-24.2.1). OpenSM does so, and saquery wonders at a
        # width of 0.
        down = sum(node.port_count - len(node.links) for node in model.switches)
        complaints = re.findall(r"^ibwarn: \[\d+\] mad_dump_linkwidth: bad width 0\n", told.err, re.MULTILINE)
        wondered = down if lab.kind == "opensm" else len(complaints)
        check.that(told.status == 0 and len(complaints) == wondered == told.err.count("\n"),
                   f"{told}, {down} ports are Down")
        told = told.out
        expected = sum(node.port_count + 1 if node.is_switch else 1 for node, _, _ in ends)
        check.equal("records", count(told, "PortInfoRecord"), expected)
        check.note = f"{expected} records"

    with lab.report.program("saquery LinkRecord") as check:
        told = check.clean(run("saquery", "-x", seconds=120)).out
        check.equal("records", count(told, "LinkRecord"), 2 * len(model.cables))
        links = set(zip(*(map(int, re.findall(rf"\t{name}\.+(\d+)", told)) for name in
                          ("FromLID", "FromPort", "ToLID", "ToPort"))))
        check.equal("links that differ", sorted(links ^ both_ways(model))[:3], [])
        check.note = f"{len(links)} records"

    with lab.report.program("saquery PathRecord") as check:
        # All pairs only where they are not too many for the reader's patience.
        if len(ends) <= 120:
            told = check.clean(run("saquery", "-p", seconds=120)).out
            pairs = set(zip(*(map(int, re.findall(rf"\t{name}\.+(\d+)", told)) for name in ("slid", "dlid"))))
            check.equal("pairs", len(pairs), len(ends) ** 2)
            check.note = f"{len(pairs)} records"
        told = check.clean(run("saquery", "--src-to-dst", f"{model.local.lid}:{far.lid}")).out
        check.equal("the path's LIDs", re.findall(r"\t[sd]lid\.+(\d+)", told), [str(far.lid), str(model.local.lid)])

    with lab.report.program("saquery MCMemberRecord") as check:
        groups = check.clean(run("saquery", "-g")).out
        check.that("ff12:401b:ffff::ffff:ffff" in groups, f"no broadcast group in {groups!r}")
        check.clean(run("saquery", "-m"))

    with lab.report.program("saquery ClassPortInfo and others") as check:
        check.that("Class version............2" in check.clean(run("saquery", "-c")).out, "no class version 2")
        check.that(f"EndPortLid..............{model.local.lid}\n" in check.clean(run("saquery", "-s")).out,
                   "saquery -s does not list the subnet manager's port")
        # Some records are for those only who know the SM_Key, which is 1 where nobody has set it.
        for record in ("SWIR", "LFTR", "MFTR", "PKTR", "VLAR", "SL2VL", "SMIR", "GIR", "IIR", "SR"):
            told = check.clean(run("saquery", "--smkey", "1", record, seconds=120)).out
            if record == "SL2VL":  # from each port of a switch to each, port 0 too
                check.equal("tables of lanes", count(told, "SL2VLTableRecord"),
                            sum((node.port_count + 1) ** 2 if node.is_switch else 1 for node, _, _ in ends))
            if record == "SWIR":
                check.equal("SwitchInfo records", count(told, "SwitchInfoRecord"), len(model.switches))
            if record == "LFTR":
                blocks = max(lid for _, _, lid in ends) // 64 + 1
                check.equal("blocks of forwarding tables", len(re.findall(r"^LFT Record dump:", told, re.MULTILINE)),
                            blocks * len(model.switches))


def both_ways(model):
    def lid(node, port):
        return node.lids[0 if node.is_switch else port]
    return {(lid(*a), a[1], lid(*b), b[1]) for one, two, _ in model.cables for a, b in ((one, two), (two, one))}

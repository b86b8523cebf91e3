"""Programs that read forwarding tables: ibroute, ibtracert, dump_fts, dump_lfts, dump_mfts."""
import re

from lab import walk


def read_dump(text):
    """The tables of dump_fts or ibroute: node GUID to {LID: port}."""
    tables = {}
    table = {}
    for line in text.splitlines():
        if match := re.match(r"Unicast lids \[.*\] of switch .* guid (0x[0-9a-f]+)", line):
            table = tables.setdefault(int(match[1], 16), {})
        elif match := re.match(r"0x([0-9a-f]{4}) (\d{3}) :", line):
            table[int(match[1], 16)] = int(match[2])
    return tables


def check(lab):
    lab.manager().wait_up(120)
    model = lab.discovered()
    ours = walk.read_tables(lab.tables())
    lids = sorted(lid for _, _, lid in model.ends())
    local, far = model.local, model.cas[-1]
    run = lab.fabric.run

    with lab.report.program("dump_fts, dump_lfts") as check:
        for program in ("dump_fts", "dump_lfts"):
            theirs = read_dump(check.clean(run(program, seconds=120)).out)
            check.equal(f"switches of {program}", sorted(theirs), sorted(ours))
            for guid, table in theirs.items():
                if not check.equal(f"{program}: LIDs of 0x{guid:x}", sorted(table), lids):
                    break
                different = [lid for lid in lids if table[lid] != ours[guid][lid]]
                check.equal(f"{program}: entries of 0x{guid:x} that differ from ours", different, [])
        check.note = f"{len(ours)} switches, {len(lids)} LIDs"

    with lab.report.program("ibroute") as check:
        for switch in model.switches[:4]:
            theirs = read_dump(check.clean(run("ibroute", str(switch.lid))).out)
            check.equal("the table", theirs.get(switch.guid), {lid: ours[switch.guid][lid] for lid in lids})

    with lab.report.program("ibroute -M, dump_mfts") as check:
        told = check.clean(run("dump_mfts", seconds=120)).out
        check.equal("switches of dump_mfts", len(re.findall(r"^Multicast mlids", told, re.MULTILINE)), len(ours))
        told = check.clean(run("ibroute", "-M", str(model.switches[0].lid))).out
        check.that("valid mlids dumped" in told, f"{told!r}")

    with lab.report.program("ibtracert") as check:
        pairs = [(local, far), (far, local), (local, model.switches[-1]), (model.switches[-1], far)]
        for here, there in pairs:
            if here is there:
                continue
            told = check.clean(run("ibtracert", str(here.lid), str(there.lid))).out
            stations = [(int(guid, 16), int(port)) for guid, port in
                        re.findall(r"-> \S+ port \{(0x[0-9a-f]+)\}\[(\d+)\]", told)]
            check.equal(f"the way from {here.lid} to {there.lid}", stations, expected_way(model, ours, here, there))


def expected_way(model, tables, here, there):
    """Port or node GUID and port of each station, as the tables say."""
    way = []
    at = here
    while at is not there and len(way) < 64:
        out = tables[at.guid][there.lid] if at.is_switch else min(at.links)
        at, entered = at.links[out]
        way.append((at.port_guids[0 if at.is_switch else entered], entered))
    return way

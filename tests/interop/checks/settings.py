"""Settings that ask more of the agents: several LIDs a port; of OpenSM, quality of service, its performance manager."""
import re

from lab import processes, walk


def check(lab, only=None):
    several_lids(lab)
    if only != "lmc":
        quality_of_service(lab)
        performance_manager(lab)


def several_lids(lab):
    with lab.report.program(f"{lab.kind}, 4 LIDs a port") as check:
        manager = lab.manager(name="several-lids", lmc=2)
        manager.wait_up(120)
        model = lab.discovered()
        check.equal("LMCs", {node.lmcs[1] for node in model.cas}, {2})
        pairs, unreachable = walk.unreachable(model, walk.read_tables(lab.tables()))
        check.equal("pairs that do not come through", unreachable, [])
        far = model.cas[-1]
        for lid in (far.lid, far.lid + 3):
            told = check.clean(lab.fabric.run("smpquery", "nodeinfo", str(lid))).out
            check.that(f"0x{far.guid:016x}" in told, f"{told!r}")
        check.equal("errors in the manager's log", manager.errors(), [])
        check.note = f"{pairs} pairs of LIDs walked"
        manager.stop()


def quality_of_service(lab):
    with lab.report.program("opensm --qos") as check:
        tables = {"qos_max_vls": "8", "qos_high_limit": "4", "qos_vlarb_high": "0:64,1:32", "qos_vlarb_low": "2:9,3:7",
                  "qos_sl2vl": "0,1,2,3,4,5,6,7,3,3,3,3,2,2,2,2"}
        manager = lab.manager(name="opensm-qos", options=["--qos"], settings=tables)
        manager.wait_up(120)
        check.equal("errors in OpenSM's log", manager.errors(), [])
        model = lab.discovered()
        switch, port = model.cas[-1].links[1]
        for words in ([str(switch.lid), str(port)], [str(model.cas[-1].lid)]):
            told = check.clean(lab.fabric.run("smpquery", "sl2vl", *words)).out
            rows = [re.findall(r"\d+", row.partition("|")[2]) for row in told.splitlines() if row.startswith("ports:")]
            for row in rows:
                if not check.equal(f"SL2VL of {words}", ",".join(row), tables["qos_sl2vl"]):
                    break
            told = check.clean(lab.fabric.run("smpquery", "vlarb", *words)).out
            weights = [[int(weight, 16) for weight in re.findall(r"0x[0-9A-Fa-f]+", row)]
                       for row in told.splitlines() if row.startswith("WEIGHT:")]
            check.equal(f"weights of {words}, low and high", [row[:2] for row in weights], [[9, 7], [64, 32]])
        manager.stop()


def performance_manager(lab):
    with lab.report.program("opensm --perfmgr") as check:
        # 0x13: errors, what it is about, and the names of the functions that it goes through.
        manager = lab.manager(name="opensm-perfmgr", options=["--perfmgr", "--perfmgr_sweep_time_s", "1", "-D", "0x13"])
        manager.wait_up(120)
        model = lab.discovered()
        ports = sum(len(node.links) for node in model.nodes.values())

        def answers():
            return manager.log.count("perfmgr_mad_recv_callback: [")
        processes.wait_until("counters of every port, twice", lambda: answers() >= 2 * ports, 60)
        check.equal("errors in OpenSM's log", manager.errors(), [])
        check.note = f"{answers()} answers about {ports} ports"
        manager.stop()

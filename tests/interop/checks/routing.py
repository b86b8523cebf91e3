"""OpenSM configures the fabric with a routing engine: Active ports, and ways from everywhere to everywhere."""
import re

from lab import walk
from lab.report import Failed


def check(lab, engine):
    with lab.report.program(f"opensm -R {engine}") as check:
        manager = lab.manager(engine=engine, options=options(lab, engine))
        manager.wait_up(120)
        check.equal("errors in OpenSM's log", manager.errors(), [])
        used = re.findall(r"osm_ucast_mgr_process: (\S+) tables configured on all switches", manager.log)
        check.equal("the engine whose tables OpenSM has configured", used[:1], [engine])

        model = lab.discovered()
        check.equal("number of nodes", len(model.nodes), len(lab.cabled.nodes))
        check.equal("number of cables", len(model.cables), len(lab.cabled.cables))
        links = check.clean(lab.fabric.run("iblinkinfo", "-l"))
        check.that(all_active(links.out, model), "a cabled port is not Active: " + first_inactive(links.out))
        without = [node for node in model.nodes.values() if not node.lid and node.links]
        check.equal("nodes without a LID", without, [])

        # Up, then down, never leads from one side of a tree of three levels to the other between switches below the
        # roots; nobody needs it.
        def needed(here, there):
            return engine != "updn" or lab.levels < 3 or not (here.is_switch and there.is_switch)
        pairs, unreachable = walk.unreachable(model, walk.read_tables(lab.tables()), needed=needed)
        if unreachable:
            raise Failed("; ".join(unreachable))
        check.note = f"{len(model.nodes)} nodes, {pairs} pairs of LIDs walked"
        check.equal("OpenSM's exit status", manager.stop(), 0)


def options(lab, engine):
    """What an engine needs to reach all of the fabric."""
    chosen = []
    if engine in ("updn", "ftree"):
        chosen.append("--connect_roots")  # up and down alone has no way between two roots
    if engine == "updn" and not lab.levels:
        # It finds the roots of trees by itself; elsewhere any switch may be the root.
        root = lab.save("roots", f"0x{lab.cabled.switches[0].guid:x}\n")
        chosen += ["--root_guid_file", root]
    return chosen


def all_active(links, model):
    """iblinkinfo tells both ends of each cable, and each of them is Active."""
    return links.count("Active/  LinkUp") == 2 * len(model.cables)


def first_inactive(links):
    return next((line.strip() for line in links.splitlines() if "LinkUp" in line and "Active/" not in line),
                "too few lines")

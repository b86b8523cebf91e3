"""A subnet manager configures the fabric with a routing engine: Active ports, and ways from everywhere to everywhere."""
from lab import credit_loops, walk
from lab.report import Failed

# That leave no credit loops, between CAs at least, with one virtual lane.
LOOP_FREE = ("updn",)


def check(lab, engine):
    with lab.report.program(f"{lab.kind}, {engine}") as check:
        manager = lab.manager(engine=engine, **options(lab, engine))
        manager.wait_up(120)
        check.equal("errors in the manager's log", manager.errors(), [])
        if manager.engine_used() is not None:
            check.equal("the engine whose tables have been configured", manager.engine_used(), engine)

        model = lab.discovered()
        check.equal("number of nodes", len(model.nodes), len(lab.cabled.nodes))
        check.equal("number of cables", len(model.cables), len(lab.cabled.cables))
        links = check.clean(lab.fabric.run("iblinkinfo", "-l"))
        check.that(all_active(links.out, model), "a cabled port is not Active: " + first_inactive(links.out))
        without = [node for node in model.nodes.values() if not node.lid and node.links]
        check.equal("nodes without a LID", without, [])

        # Up, then down, leads from one root of a tree to another nowhere (OpenSM is told to make an exception), nor between
        # switches below the roots from one side of a tree of three levels to the other; nobody needs it.
        def needed(here, there):
            whole = engine != "updn" or lab.levels < (3 if lab.kind == "opensm" else 2)
            return whole or not (here.is_switch and there.is_switch)
        tables = walk.read_tables(lab.tables())
        pairs, unreachable = walk.unreachable(model, tables, needed=needed)
        if unreachable:
            raise Failed("; ".join(unreachable))
        check.note = f"{len(model.nodes)} nodes, {pairs} pairs of LIDs walked"
        look_for_loops(lab, check, engine, model, tables)
        check.equal("the manager's exit status", manager.stop(), 0)


def look_for_loops(lab, check, engine, model, tables):
    """OpenSM leaves up and down where packets go to or come from a switch (--connect_roots); ours does not."""
    def to_and_from_cas(here, there):
        return not here.is_switch and not there.is_switch
    loop = credit_loops.find(model, tables, **({"needed": to_and_from_cas} if lab.kind == "opensm" else {}))
    if engine in LOOP_FREE:
        check.that(not loop, "a credit loop: " + ", ".join(loop or []))
    check.note += ", a credit loop" if loop else ", no credit loop"


def options(lab, engine):
    """What an engine needs to reach all of the fabric."""
    chosen = {}
    if engine == "updn" and not lab.levels:
        # It finds the roots of trees by itself; elsewhere any switch may be the root.
        chosen["roots"] = [lab.cabled.switches[0].guid]
    if engine in ("updn", "ftree") and lab.kind == "opensm":
        chosen["options"] = ["--connect_roots"]  # up and down alone has no way between two roots
    return chosen


def all_active(links, model):
    """iblinkinfo tells both ends of each cable, and each of them is Active."""
    return links.count("Active/  LinkUp") == 2 * len(model.cables)


def first_inactive(links):
    return next((line.strip() for line in links.splitlines() if "LinkUp" in line and "Active/" not in line),
                "too few lines")

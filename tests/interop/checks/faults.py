"""A fabric whose links lose packets: the subnet manager and the programs repeat their questions and come through."""
from lab import processes, walk


def check(lab):
    lab.fabric.tell("loss 0.003")
    with lab.report.program(f"{lab.kind}, links that lose") as check:
        manager = lab.manager()
        manager.wait_up(120)

        def reachable():
            found = lab.fabric.madrigal("discover", "-f", "json", "--attempts", "10")
            if found.status != 0:
                return False
            model = lab.discovered()
            return (len(model.nodes) == len(lab.cabled.nodes) and
                    not walk.unreachable(model, walk.read_tables(lab.tables()))[1])
        processes.wait_until("every pair of LIDs reachable", reachable, 120)
        losses = lab.fabric.tell("counters")
        check.that("loss " in losses, f"nothing was lost: {losses!r}")
        check.note = losses[losses.find("dropped"):].strip()

    with lab.report.program("saquery, links that lose") as check:
        def complete():
            return lab.fabric.run("saquery", "-x", seconds=120).out.count("LinkRecord dump:") == 2 * len(
                lab.cabled.cables)
        processes.wait_until("a table without a gap", complete, 120)

"""A cable is taken out: the switches' Trap 128 tells the subnet manager, which routes around it; it comes back as well."""
import time

from lab import processes, walk


def check(lab):
    manager = lab.manager()
    manager.wait_settled(120)
    before = lab.discovered()
    a, b = inner_cable(before)

    with lab.report.program(f"{lab.kind}, a link down and up") as check:
        seconds = []
        for command, cables in (("down", len(before.cables) - 1), ("up", len(before.cables))):
            at = len(manager.log)
            began = time.monotonic()
            lab.fabric.tell(f"link {command} 0x{a[0].guid:016x} {a[1]}")
            log = manager.wait_up(60, after=at)[at:]
            seconds.append(f"{time.monotonic() - began:.1f} s")
            # The trap, not the manager's own sweep every ten seconds, has told it. The sweep before it may have been for
            # the other end's trap of the change before, and have seen this one already.
            processes.wait_until(f"a word of Trap 128 behind {log[:400]!r}", lambda at=at: manager.traps(128, after=at), 5)
            model = lab.discovered()
            check.equal(f"cables after link {command}", len(model.cables), cables)

            def reachable():
                return not walk.unreachable(model, walk.read_tables(lab.tables()))[1]
            processes.wait_until(f"every pair of LIDs reachable after link {command}", reachable, 30)
        check.equal("errors in the manager's log", manager.errors(), [])
        check.note = "configured after " + " and ".join(seconds)

    with lab.report.program(f"{lab.kind}, a switch off and on") as check:
        gone = next(node for node in reversed(before.switches)
                    if all(peer.is_switch for peer, _ in node.links.values()) or len(before.switches) > 8)
        at = len(manager.log)
        lab.fabric.tell(f"node off 0x{gone.guid:016x}")
        manager.wait_up(60, after=at)
        processes.wait_until("the switch is not found",
                             lambda: gone.id not in lab.discovered().nodes, 30)
        at = len(manager.log)
        lab.fabric.tell(f"node on 0x{gone.guid:016x}")
        manager.wait_up(60, after=at)

        def as_before():
            model = lab.discovered()
            return (len(model.cables) == len(before.cables) and
                    not walk.unreachable(model, walk.read_tables(lab.tables()))[1])
        processes.wait_until("everything is reachable again", as_before, 60)


def inner_cable(model):
    """A cable between switches which is not the only way."""
    return next((a, b) for a, b, _ in reversed(model.cables) if a[0].is_switch and b[0].is_switch)

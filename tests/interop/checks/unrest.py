"""Cables and nodes come and go, quickly and in any order, also while the subnet manager is sweeping: a little later every
cabled port is Active, every node has a LID and every pair of LIDs is reachable. Repeatable by the seed that it tells."""
import random
import time

from lab import processes, walk
from lab.console import Console

ROUNDS = 6
PAUSES = (0, 0, 0.003, 0.01, 0.03, 0.06, 0.1, 0.3)


def check(lab, seed="1"):
    manager = lab.manager(sweep_seconds=2)
    manager.wait_settled(120)
    own = lab.discovered().local
    console = Console(lab.fabric)
    try:
        with lab.report.program(f"{lab.kind}, cables and nodes come and go") as check:
            unrest = Unrest(lab.cabled, own, console, random.Random(seed))
            slowest = 0
            for turn in range(ROUNDS):
                unrest.begin()
                began = time.monotonic()
                try:
                    processes.wait_until("a subnet as it should be", lambda: not wrong(lab, console), 30)
                except processes.Late as late:
                    raise processes.Late(f"{late}: seed {seed}, round {turn}: {wrong(lab, console)} after {unrest.done}")
                slowest = max(slowest, time.monotonic() - began)
            check.that(unrest.count > 3 * ROUNDS, "too little has happened")
            check.equal("errors in the manager's log", manager.errors(), [])
            check.note = f"{unrest.count} changes, in order again after {slowest:.1f} s at most"
    finally:
        console.close()


class Unrest:
    """Does things to nodes and cables, but for the node of the subnet manager."""

    def __init__(self, cabled, own, console, chance):
        self.nodes = [node for node in cabled.nodes.values() if node.guid != own.guid]
        self.cables = [a for a, b, _ in cabled.cables if own.guid not in (a[0].guid, b[0].guid)]
        self.console, self.chance = console, chance
        self.count = 0
        self.done = []

    def tell(self, *commands):
        self.done += commands
        self.count += len(commands)
        self.console.ask(*commands)

    def begin(self):
        """One round, at the end of which everything is there again."""
        self.done = []
        out, off = {}, {}
        for _ in range(self.chance.randint(2, 14)):
            node = f"0x{self.chance.choice(self.nodes).guid:016x}"
            at, port = self.chance.choice(self.cables)
            cable = f"0x{at.guid:016x} {port}"
            what = self.chance.choice(("cable", "cable", "node", "restart", "blink"))
            if what == "cable":
                self.tell(f"link {'up' if out.pop(cable, None) else 'down'} {cable}")
                if self.done[-1].startswith("link down"):
                    out[cable] = True
            elif what == "node":
                self.tell(f"node {'on' if off.pop(node, None) else 'off'} {node}")
                if self.done[-1].startswith("node off"):
                    off[node] = True
            elif what == "restart" and node not in off:
                self.tell(f"node off {node}")
                time.sleep(self.chance.choice((0, 0.001, 0.01)))
                self.tell(f"node on {node}")
            elif what == "blink" and cable not in out:
                self.tell(f"link down {cable}", f"link up {cable}")
            time.sleep(self.chance.choice(PAUSES))
        for cable in out:
            self.tell(f"link up {cable}")
        for node in off:
            self.tell(f"node on {node}")


def wrong(lab, console):
    """What is not as it should be, in a sentence; empty where all is well."""
    waiting, _ = console.waiting()
    if waiting:
        return f"not Active: {waiting[:5]}"
    model = lab.discovered()
    if len(model.cables) != len(lab.cabled.cables):
        return f"{len(model.cables)} cables"
    without = [node.id for node in model.nodes.values() if not node.lid]
    if without:
        return f"without a LID: {without[:5]}"
    unreachable = walk.unreachable(model, walk.read_tables(lab.tables()))[1]
    return f"out of reach: {unreachable[:3]}" if unreachable else ""

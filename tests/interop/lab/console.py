"""The console of a served fabric, asked closely: what it takes to know when every port is Active."""
import random
import re
import time

from lab import processes

NODE = re.compile(r'^(?:switch|CA|router) (\S+) ".*?": .*?; ports: (.*?)(?:;|$)')


class Console:
    """Commands of several lines of answer. It may not be used together with `Fabric.tell`."""

    def __init__(self, fabric):
        self.server = fabric.server
        self.output = open(fabric.server.out_path, errors="replace")
        self.output.read()

    def close(self):
        self.output.close()

    def ask(self, *commands, seconds=60):
        """The lines that these commands print, and at the end that of `counters`."""
        self.server.alive_or_complain()
        told = "".join(command + "\n" for command in (*commands, "counters"))
        self.server.process.stdin.write(told.encode())
        self.server.process.stdin.flush()
        deadline = time.monotonic() + seconds
        text = ""
        while not (text.endswith("\n") and text.rpartition("\n")[0].rpartition("\n")[2].startswith("packets ")):
            more = self.output.read()
            text += more
            if not more:
                self.server.alive_or_complain()
                if time.monotonic() > deadline:
                    raise processes.Late(f"no answer of the console to {commands}")
                time.sleep(0.0002)
        return text.splitlines()

    def waiting(self, node=None):
        """Nodes of which a cabled port is not Active, and how many packets clients and their kernels have sent."""
        lines = self.ask(f"dump {node}" if node else "dump", "clients")
        nodes = [match[1] for match in map(NODE.match, lines) if match and not all_active(match[2])]
        sent = int(re.search(r"packets in (\d+)", lines[-2])[1])
        repeated = int(re.search(r"repeated (\d+)", lines[-1])[1])
        return nodes, sent + repeated


def all_active(states):
    """Of `3 Active, 1 Down`: a port without a cable is Down."""
    return all(state.split()[1] in ("Active", "Down") for state in states.split(", "))


def wait_active(console, seconds, alive):
    """Until every cabled port is Active. Packets sent by then. `alive` is called now and then, and raises.

    The whole fabric is a long answer, which keeps the server from its work: most of the time one node that is not ready
    is looked at, and when it is ready some others, before all of them are."""
    began = time.monotonic()
    chance = random.Random(1)
    nodes, sent = console.waiting()
    while nodes:
        chance.shuffle(nodes)
        for witness in nodes[:30]:
            while console.waiting(witness)[0]:
                alive()
                passed = time.monotonic() - began
                if passed > seconds:
                    raise processes.Late(f"{len(console.waiting()[0])} nodes have ports that are not Active after "
                                         f"{seconds} s")
                time.sleep(min(0.1, max(0.002, passed / 200)))
        nodes, sent = console.waiting()
    return sent

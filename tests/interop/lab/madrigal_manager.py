"""The subnet manager of examples/subnet_manager, with its files in a folder of its own."""
import json
import os
import re

from lab import processes
from lab.fabric import environment
from lab.subnet_manager import Manager

# By the names that OpenSM has for them.
ROUTING = {"minhop": "min-hop", "updn": "up-down"}
ERROR_LINE = re.compile(r"^\S+ \S+ (?:error|critical): ", re.MULTILINE)


class MadrigalManager(Manager):
    """One in the background. It keeps LIDs in its folder only."""

    kind = "madrigal"
    UP, MASTER, STANDBY = "subnet up", "now master", "now standby"

    def __init__(self, fabric, program, ca=None, name="subnet_manager", engine=None, priority=None, lmc=None,
                 sweep_seconds=None, poll=None, roots=None):
        self.folder = os.path.join(fabric.folder, name)
        os.makedirs(self.folder, exist_ok=True)
        settings = {"lids_file": os.path.join(self.folder, "lids")}
        if engine:
            settings["routing"] = ROUTING[engine]
        if roots:
            settings["roots"] = [f"0x{guid:x}" for guid in roots]
        if priority is not None:
            settings["priority"] = priority
        if lmc is not None:
            settings["lmc"] = lmc
        if sweep_seconds is not None:
            settings["sweep_interval_ms"] = int(sweep_seconds * 1000)
        if poll:
            settings["poll_interval_ms"], settings["poll_failures"] = poll
        file = os.path.join(self.folder, "settings.json")
        with open(file, "w") as out:
            json.dump(settings, out)
        self.process = processes.Child(
            [program, "--host", fabric.uri + (f"?ca={ca}" if ca else ""), "--settings", file], self.folder, name,
            env=environment())
        self.log_path = self.process.err_path

    def traps(self, number, after=0):
        return self.log[after:].count(f"trap {number} from ")

    def errors(self, after=0):
        return [line for line in self.log[after:].splitlines() if ERROR_LINE.match(line)]

"""One topology, a server of it, subnet managers on it, and what they should agree with."""
import os
import shutil
import tempfile

from lab import model, processes, report, topologies
from lab.fabric import Fabric, environment
from lab.madrigal_manager import MadrigalManager
from lab.subnet_manager import OpenSM


class Lab:
    """Everything lies in a temporary folder and ends with it. `kind` is that of the managers that are started."""

    def __init__(self, program, helper, topology, kind=OpenSM.kind, manager_program=None):
        self.program, self.helper = program, helper
        self.kind, self.manager_program = kind, manager_program
        self.folder = tempfile.mkdtemp(prefix="madrigal-interop-")
        self.report = report.Report(kind, topology)
        self.managers = []
        self.others = []
        self.file = topologies.make(program, topology, self.folder)
        self.levels = topologies.LEVELS.get(topology, 0)
        self.fabric = Fabric(program, self.file, self.folder)
        told = processes.run([program, "discover", "--host", "sim:" + self.file, "-f", "json"], env=environment())
        self.cabled = model.Model(told.out)  # as the file has it

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for child in self.others:
            child.stop()
        for manager in self.managers:
            manager.stop()
        self.fabric.close()
        if os.environ.get("MADRIGAL_KEEP"):
            print("kept:", self.folder)
        else:
            shutil.rmtree(self.folder, ignore_errors=True)

    def manager(self, kind=None, **how):
        """Starts a subnet manager."""
        if (kind or self.kind) == OpenSM.kind:
            started = OpenSM(self.fabric, **how)
        else:
            started = MadrigalManager(self.fabric, self.manager_program, **how)
        self.managers.append(started)
        return started

    def background(self, words, name, ca=None):
        """Starts a program that stays until the lab is closed."""
        started = self.fabric.start(words, name, ca=ca)
        self.others.append(started)
        return started

    def discovered(self, ca=None):
        """The fabric as `madrigal discover` finds it now."""
        found = self.fabric.madrigal("discover", "-f", "json", ca=ca)
        if found.status != 0:
            raise report.Failed(f"{found}")
        return model.Model(found.out)

    def save(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w") as file:
            file.write(text)
        return path

    def differences(self, expected, found, lids=True):
        """What differs between two files of ibnetdiscover's format, a sentence a line; nothing where they agree."""
        outcome = processes.run([self.helper, "same-lids" if lids else "same", expected, found], env=environment())
        return outcome.err.strip() if outcome.status else ""

    def tables(self, ca=None):
        """The forwarding tables of all switches, read by our own library."""
        uri = self.fabric.uri + (f"?ca={ca}" if ca else "")
        outcome = processes.run([self.helper, "tables", uri], env=environment())
        if outcome.status != 0:
            raise report.Failed(f"{outcome}")
        return outcome.out

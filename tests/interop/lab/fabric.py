"""A fabric served by `madrigal sim serve`, and programs that believe to be on it."""
import os
import subprocess

from lab import processes


class Fabric:
    """Serves a topology file until it is closed. Programs run on it by `madrigal run`."""

    def __init__(self, program, topology, folder, options=(), wait=None):
        self.program = program
        self.topology = topology
        self.folder = folder
        self.socket = os.path.join(folder, "fabric.socket")
        self.server = processes.Child(
            [program, "sim", "serve", topology, "--socket", self.socket, *options], folder, "server",
            stdin=subprocess.PIPE)
        wait = wait or (lambda what, happened: processes.wait_until(what, happened, 60))
        wait("madrigal sim serve says that it serves", self._serves)

    def _serves(self):
        self.server.alive_or_complain()
        return self.server.out.startswith("serving ")

    @property
    def uri(self):
        return "unix:" + self.socket

    def tell(self, command):
        """A line for the console; the line that it answers is returned."""
        before = len(self.server.out)
        told = len(self.server.err)
        self.server.process.stdin.write(command.encode() + b"\n")
        self.server.process.stdin.flush()

        def answered():
            self.server.alive_or_complain()
            if len(self.server.err) > told:
                raise processes.Late(f"the console does not take {command!r}: {self.server.err[told:].strip()}")
            answer = self.server.out[before:]
            return answer if answer.endswith("\n") else None

        return processes.wait_until(f"an answer to {command!r}", answered, 30)

    def command(self, words, ca=None):
        """The command line that runs a program here, on the machine that has that CA."""
        return [self.program, "run", "--host", self.uri, *(["--ca", ca] if ca else []), "--", *words]

    def run(self, *words, ca=None, seconds=60):
        """Runs a program to its end."""
        return processes.run(self.command(words, ca), shown=words, env=environment(), seconds=seconds)

    def start(self, words, name, ca=None, env=None):
        """Starts a program that stays."""
        return processes.Child(self.command(words, ca), self.folder, name, env=environment(env))

    def madrigal(self, *words, ca=None, seconds=60):
        """Runs this program itself against the fabric."""
        command = [self.program, *words[:1], "--host", self.uri + (f"?ca={ca}" if ca else ""), *words[1:]]
        return processes.run(command, shown=["madrigal", *words], env=environment(), seconds=seconds)

    def close(self):
        self.server.stop()


def environment(more=None):
    """Where a program finds nothing but what is given here: no host of the caller's, messages in English."""
    kept = {name: value for name, value in os.environ.items()
            if not name.startswith(("MADRIGAL_", "OSM_", "IBSIM_", "SIM_", "LD_PRELOAD"))}
    return {**kept, "LC_ALL": "C", "PATH": kept.get("PATH", "") + ":/usr/sbin:/sbin", **(more or {})}

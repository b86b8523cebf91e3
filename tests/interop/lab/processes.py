"""Processes with an end: output in files, waits with deadlines, and only those ended that were started here."""
import os
import signal
import subprocess
import time


class Late(Exception):
    """What was waited for did not happen in time."""


def wait_until(what, happened, seconds):
    """Asks `happened` until it gives something true, which is returned. `what` goes into the complaint."""
    deadline = time.monotonic() + seconds
    pause = 0.005
    while True:
        outcome = happened()
        if outcome:
            return outcome
        if time.monotonic() > deadline:
            raise Late(f"{what}: not within {seconds} s")
        time.sleep(pause)
        pause = min(0.1, pause * 1.5)


class Child:
    """A process in the background, in a session of its own, whose output goes to `<name>.out` and `<name>.err`."""

    def __init__(self, command, folder, name, env=None, stdin=subprocess.DEVNULL):
        self.name = name
        self.out_path = os.path.join(folder, name + ".out")
        self.err_path = os.path.join(folder, name + ".err")
        with open(self.out_path, "wb") as out, open(self.err_path, "wb") as err:
            self.process = subprocess.Popen(
                command, stdin=stdin, stdout=out, stderr=err, env=env, cwd=folder, start_new_session=True)

    @property
    def pid(self):
        return self.process.pid

    @property
    def out(self):
        return read(self.out_path)

    @property
    def err(self):
        return read(self.err_path)

    def ended(self):
        return self.process.poll() is not None

    def alive_or_complain(self):
        if self.ended():
            raise Late(f"{self.name} ended with {self.process.returncode}: {(self.err or self.out).strip()[-500:]}")

    def memory_kb(self, name):
        """A line of its status: VmHWM, the most memory that it has had in use; RssAnon, what is its own of it now."""
        for line in read(f"/proc/{self.pid}/status").splitlines():
            if line.startswith(name + ":"):
                return int(line.split()[1])
        return 0

    def processor_seconds(self):
        """What it has used of the processors so far."""
        fields = read(f"/proc/{self.pid}/stat").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK") if fields else 0.0

    def stop(self, ask_with=signal.SIGTERM, seconds=5):
        """Asks it to end, then makes it. Its exit status."""
        if not self.ended():
            self._signal(ask_with)
            try:
                self.process.wait(seconds)
            except subprocess.TimeoutExpired:
                self._signal(signal.SIGKILL)
                self.process.wait()
        if self.process.stdin:
            try:
                self.process.stdin.close()
            except BrokenPipeError:
                pass
        return self.process.returncode

    def _signal(self, number):
        try:
            os.killpg(self.pid, number)  # its own session: nobody else is in it
        except ProcessLookupError:
            pass


class Outcome:
    """What a program printed and how it ended."""

    def __init__(self, command, status, out, err, seconds):
        self.command, self.status, self.out, self.err, self.seconds = command, status, out, err, seconds

    def __str__(self):
        shown = " ".join(self.command)
        return f"{shown}: exit {self.status}; stderr: {self.err.strip()[:300]!r}; stdout ends {self.out[-200:]!r}"


def run(command, shown=None, env=None, seconds=60, stdin=""):
    """Runs a program to its end. `shown` is the command as a person would type it."""
    began = time.monotonic()
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env,
                               start_new_session=True, text=True, errors="replace")
    try:
        out, err = process.communicate(stdin, timeout=seconds)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        raise Late(f"{' '.join(shown or command)}: still runs after {seconds} s") from None
    return Outcome(shown or command, process.returncode, out, err, time.monotonic() - began)


def read(path):
    """A file's text; nothing where there is no such file (yet)."""
    try:
        with open(path, errors="replace") as file:
            return file.read()
    except OSError:
        return ""

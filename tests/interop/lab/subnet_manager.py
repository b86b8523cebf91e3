"""Subnet managers in the background: what the checks ask of each; and OpenSM, unmodified, in a folder of its own."""
import os
import re
import signal
import time

from lab import processes

# Lines of the log that tell of something wrong. Level 0x01 is that of errors, and of traps, which are none.
ERROR_LINE = re.compile(r"\] 0x01 -> (?!log_trap_info: )|ERR [0-9A-F]{4}")


class Manager:
    """What subclasses give: `kind`; `process` and `log_path`; the texts UP, MASTER and STANDBY of the log; `errors`, lines
    that tell of some, and `traps`, how many of a number it has had, both since the log had `after` characters."""

    @property
    def log(self):
        return processes.read(self.log_path)

    def times_up(self):
        return self.log.count(self.UP)

    def wait_for_log(self, text, seconds=60, after=0):
        """Until the log has the text, at or behind the place `after`. The log up to now is returned."""
        def there():
            log = self.log
            if text in log[after:]:
                return log
            self.process.alive_or_complain()
            return None
        return processes.wait_until(f"{text!r} in the log of {self.process.name}", there, seconds)

    def wait_up(self, seconds=60, after=0):
        """Until the subnet is configured, since the log had `after` characters."""
        return self.wait_for_log(self.UP, seconds, after)

    def wait_settled(self, seconds=60, quiet=2.5):
        """Until it is up and has had nothing to say for longer than the repeat of a trap takes. Traps that were lost while
        tables were still empty come again after a second, with another sweep."""
        self.wait_up(seconds)
        last = [0, time.monotonic()]

        def silent():
            self.process.alive_or_complain()
            size = len(self.log)
            if size != last[0]:
                last[:] = size, time.monotonic()
            return time.monotonic() - last[1] > quiet
        processes.wait_until(f"the log of {self.process.name} comes to rest", silent, seconds)

    def engine_used(self):
        """The routing engine whose tables it says to have written first; None where it does not say."""
        return None

    def stop(self, seconds=10):
        """Asks it to end; one that has not after so many seconds is killed. Its exit status."""
        return self.process.stop(signal.SIGTERM, seconds)


class OpenSM(Manager):
    """It reads no configuration of the machine's and writes into its folder only. `options` are words of its command line,
    `settings` lines of its file; the others mean the same for each kind of manager."""

    kind = "opensm"
    UP, MASTER, STANDBY = "SUBNET UP", "Entering MASTER state", "Entering STANDBY state"

    def __init__(self, fabric, engine=None, ca=None, name="opensm", priority=None, lmc=None, sweep_seconds=None,
                 poll=None, roots=None, options=(), settings=None):
        self.folder = os.path.join(fabric.folder, name)
        os.makedirs(self.folder, exist_ok=True)
        self.log_path = os.path.join(self.folder, "opensm.log")
        config = os.path.join(self.folder, "opensm.conf")
        # It looks at a master every ten seconds and gives it four chances, if it is told nothing else.
        polled = {"sminfo_polling_timeout": str(poll[0]), "polling_retry_number": str(poll[1])} if poll else {}
        with open(config, "w") as file:  # the one in /etc/opensm would be read otherwise
            for setting, value in {"force_log_flush": "TRUE", **polled, **(settings or {})}.items():
                file.write(f"{setting} {value}\n")
        words = ["opensm", "-F", config, "-f", self.log_path, "-L", "20", "-P", os.path.join(self.folder, "partitions"),
                 "--dump_files_dir", self.folder, *(["-R", engine] if engine else [])]
        for option, value in (("-p", priority), ("--lmc", lmc), ("--sweep", sweep_seconds)):
            words += [option, str(value)] if value is not None else []
        if roots:
            file = os.path.join(self.folder, "roots")
            with open(file, "w") as out:
                out.writelines(f"0x{guid:x}\n" for guid in roots)
            words += ["--root_guid_file", file]
        self.process = fabric.start(
            [*words, *options], name, ca=ca,
            env={"OSM_CACHE_DIR": self.folder, "OSM_TMP_DIR": self.folder, "TMPDIR": self.folder})

    def traps(self, number, after=0):
        return len(re.findall(rf"[Nn]um:{number}\b", self.log[after:]))

    def errors(self, after=0):
        return [line for line in self.log[after:].splitlines() if ERROR_LINE.search(line)]

    def engine_used(self):
        used = re.findall(r"osm_ucast_mgr_process: (\S+) tables configured on all switches", self.log)
        return used[0] if used else "none"

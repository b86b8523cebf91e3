"""OpenSM, unmodified, with its files in a folder of its own."""
import os
import re
import signal
import time

from lab import processes

# Lines of the log that tell of something wrong. Level 0x01 is that of errors, and of traps, which are none.
ERROR_LINE = re.compile(r"\] 0x01 -> (?!log_trap_info: )|ERR [0-9A-F]{4}")


class SubnetManager:
    """An OpenSM in the background. It reads no configuration of the machine's and writes into its folder only."""

    def __init__(self, fabric, engine=None, ca=None, name="opensm", options=(), settings=None):
        self.folder = os.path.join(fabric.folder, name)
        os.makedirs(self.folder, exist_ok=True)
        self.log_path = os.path.join(self.folder, "opensm.log")
        config = os.path.join(self.folder, "opensm.conf")
        with open(config, "w") as file:  # the one in /etc/opensm would be read otherwise
            for setting, value in {"force_log_flush": "TRUE", **(settings or {})}.items():
                file.write(f"{setting} {value}\n")
        words = ["opensm", "-F", config, "-f", self.log_path, "-L", "20", "-P", os.path.join(self.folder, "partitions"),
                 "--dump_files_dir", self.folder, *(["-R", engine] if engine else []), *options]
        self.process = fabric.start(
            words, name, ca=ca, env={"OSM_CACHE_DIR": self.folder, "OSM_TMP_DIR": self.folder, "TMPDIR": self.folder})

    @property
    def log(self):
        return processes.read(self.log_path)

    def times_up(self):
        return self.log.count("SUBNET UP")

    def wait_for_log(self, text, seconds=60, after=0):
        """Until the log has the text, at or behind the place `after`. The log up to now is returned."""
        def there():
            log = self.log
            if text in log[after:]:
                return log
            self.process.alive_or_complain()
            return None
        return processes.wait_until(f"{text!r} in OpenSM's log", there, seconds)

    def wait_up(self, seconds=60, after=0):
        """Until the subnet is configured, since the log had `after` characters."""
        return self.wait_for_log("SUBNET UP", seconds, after)

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
        processes.wait_until("OpenSM's log comes to rest", silent, seconds)

    def errors(self, after=0):
        """Lines of the log that tell of errors."""
        return [line for line in self.log[after:].splitlines() if ERROR_LINE.search(line)]

    def stop(self, seconds=10):
        """Asks it to end; one that has not after so many seconds is killed. Its exit status."""
        return self.process.stop(signal.SIGTERM, seconds)

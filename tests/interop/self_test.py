#!/usr/bin/env python3
"""That the checks can fail: a broken table is found, a failed expectation makes a failed row and a failed table."""
import contextlib
import io
import json
import os
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True

from lab import processes, report, walk  # noqa: E402: found by the path above
from lab.model import Model  # noqa: E402


def two_switches():
    """host-a - switch-1 - switch-2 - host-b; LIDs 1 to 4 in this order."""
    def node(name, kind, number, ports, lid):
        told = {"id": name, "type": kind, "guid": hex(number), "port_count": ports}
        if kind == "switch":
            return {**told, "lid": lid, "lmc": 0}
        return {**told, "ports": [{"port": 1, "guid": hex(number + 1), "lid": lid, "lmc": 0}]}

    def link(a, i, b, j):
        return {"ends": [{"node": a, "port": i}, {"node": b, "port": j}]}
    return Model(json.dumps({
        "initiated_from": {"node": "0x10"},
        "nodes": [node("a", "ca", 0x10, 1, 1), node("s", "switch", 0x20, 2, 2), node("t", "switch", 0x30, 2, 3),
                  node("b", "ca", 0x40, 1, 4)],
        "links": [link("a", 1, "s", 1), link("s", 2, "t", 1), link("t", 2, "b", 1)]}))


GOOD = {0x20: [255, 1, 0, 2, 2], 0x30: [255, 1, 1, 0, 2]}


class Walk(unittest.TestCase):
    def test_good_tables_reach_everywhere(self):
        self.assertEqual(walk.unreachable(two_switches(), GOOD), (16, []))

    def test_a_missing_entry_is_found(self):
        pairs, problems = walk.unreachable(two_switches(), {**GOOD, 0x30: [255, 1, 1, 0, 255]})
        self.assertIn("has port 255", problems[0])

    def test_a_short_table_is_found(self):
        self.assertTrue(walk.unreachable(two_switches(), {**GOOD, 0x30: [255, 1, 1, 0]})[1])

    def test_a_circle_is_found(self):
        problems = walk.unreachable(two_switches(), {**GOOD, 0x30: [255, 1, 1, 0, 1]})[1]
        self.assertIn("circles", problems[0])

    def test_the_wrong_machine_is_found(self):
        problems = walk.unreachable(two_switches(), {**GOOD, 0x20: [255, 1, 0, 2, 1]})[1]
        self.assertTrue(any("ends at a" in problem for problem in problems))

    def test_pairs_that_nobody_needs_are_left_out(self):
        bad = {**GOOD, 0x20: [255, 1, 0, 255, 2]}
        ca_only = walk.unreachable(two_switches(), bad, needed=lambda here, there: not there.is_switch)
        self.assertEqual(ca_only, (8, []))


class Reports(unittest.TestCase):
    def setUp(self):
        self.report = report.Report("lab")

    def quietly(self, body):
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            with self.report.program("program") as check:
                body(check)

    def test_what_holds_passes(self):
        self.quietly(lambda check: check.equal("one", 1, 1))
        self.assertFalse(self.report.failed)

    def test_what_does_not_hold_fails(self):
        self.quietly(lambda check: check.equal("one", 2, 1))
        self.assertTrue(self.report.failed)
        self.assertIn("one is 2, not 1", self.report.rows[0][4])

    def test_an_exception_fails(self):
        self.quietly(lambda check: {}["nothing"])
        self.assertTrue(self.report.failed)

    def test_a_word_on_stderr_or_another_status_is_not_clean(self):
        for outcome in (processes.Outcome(["x"], 0, "", "a word", 0), processes.Outcome(["x"], 1, "", "", 0)):
            self.report.rows.clear()
            self.quietly(lambda check, outcome=outcome: check.clean(outcome))
            self.assertTrue(self.report.failed)

    def test_the_table_fails_with_one_row_and_without_any(self):
        table = os.path.join(os.path.dirname(os.path.abspath(__file__)), "table.py")
        with tempfile.TemporaryDirectory() as folder:
            def status():
                return subprocess.run([sys.executable, table, folder], stdout=subprocess.DEVNULL).returncode
            self.assertEqual(status(), 1)
            self.quietly(lambda check: None)
            self.report.write(os.path.join(folder, "a.tsv"))
            self.assertEqual(status(), 0)
            self.quietly(lambda check: check.that(False, "no"))
            self.report.write(os.path.join(folder, "b.tsv"))
            self.assertEqual(status(), 1)


class Processes(unittest.TestCase):
    def test_a_program_that_hangs_is_ended(self):
        with self.assertRaises(processes.Late):
            processes.run(["sleep", "60"], seconds=0.2)

    def test_what_never_happens_is_late(self):
        with self.assertRaises(processes.Late):
            processes.wait_until("never", lambda: False, 0.1)


if __name__ == "__main__":
    unittest.main()

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

import side_by_side  # noqa: E402: found by the path above
from checks import takeover_load  # noqa: E402
from lab import console, credit_loops, processes, report, walk  # noqa: E402
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


def ring(size):
    """Switches s0 to s`size-1`, each with a host at port 1, the next one at port 2 and the one before at port 3. The LID
    of a switch is 1 more than its number, that of its host 1 + `size` more."""
    def end(node, port):
        return {"node": node, "port": port}
    switches = [{"id": f"s{i}", "type": "switch", "guid": hex(0x100 + i), "port_count": 3, "lid": 1 + i, "lmc": 0}
                for i in range(size)]
    hosts = [{"id": f"h{i}", "type": "ca", "guid": hex(0x200 + 2 * i), "port_count": 1, "ports": [
        {"port": 1, "guid": hex(0x201 + 2 * i), "lid": 1 + size + i, "lmc": 0}]} for i in range(size)]
    links = [{"ends": [end(f"s{i}", 1), end(f"h{i}", 1)]} for i in range(size)]
    links += [{"ends": [end(f"s{i}", 2), end(f"s{(i + 1) % size}", 3)]} for i in range(size)]
    return Model(json.dumps({"initiated_from": {"node": "0x200"}, "nodes": switches + hosts, "links": links}))


def ring_tables(size, out):
    """Tables in which switch `here` sends what is for switch `there`, and for its host, to port `out(here, there)`."""
    return {0x100 + here: [255, *(0 if here == there else out(here, there) for there in range(size)),
                           *(1 if here == there else out(here, there) for there in range(size))] for here in range(size)}


def shortest(size):
    return lambda here, there: 2 if (there - here) % size <= size // 2 else 3


class CreditLoops(unittest.TestCase):
    def test_the_shortest_ways_around_a_ring_are_one(self):
        model, tables = ring(5), ring_tables(5, shortest(5))
        self.assertEqual(walk.unreachable(model, tables)[1], [])
        loop = credit_loops.find(model, tables)
        self.assertEqual(len(loop), 5)
        self.assertIn("s0 port 2", loop + [text.replace("3", "2") for text in loop])

    def test_a_ring_whose_last_cable_nobody_uses_has_none(self):
        model, tables = ring(5), ring_tables(5, lambda here, there: 2 if there > here else 3)
        self.assertEqual(walk.unreachable(model, tables)[1], [])
        self.assertIsNone(credit_loops.find(model, tables))

    def test_neighbours_wait_for_nobody(self):
        self.assertIsNone(credit_loops.find(ring(3), ring_tables(3, shortest(3))))

    def test_pairs_that_nobody_needs_make_none(self):
        model, tables = ring(5), ring_tables(5, shortest(5))
        self.assertIsNone(credit_loops.find(model, tables, needed=lambda here, there: here.id == "h0"))

    def test_a_way_through_a_second_circle_is_found(self):
        waits = {"a": {"b"}, "b": {"c", "d"}, "c": set(), "d": {"e"}, "e": {"b"}}
        self.assertEqual(credit_loops.cycle(waits), ["b", "d", "e"])

    def test_ways_that_meet_again_are_no_circle(self):
        self.assertIsNone(credit_loops.cycle({"a": {"b", "c"}, "b": {"d"}, "c": {"d"}, "d": set()}))


class Reports(unittest.TestCase):
    def setUp(self):
        self.report = report.Report("opensm", "lab")

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
        self.assertIn("one is 2, not 1", self.report.rows[0][5])

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


class TakeoverUnderLoad(unittest.TestCase):
    @staticmethod
    def problems(summary):
        check = report.Check()
        takeover_load.judge(check, "second 0 asked 900 answered 900 failed 0 wrong 0\n"
                            "second 1 asked 1000 answered 990 failed 10 wrong 0\n" + summary)
        return check.problems

    def test_failures_in_the_gap_pass(self):
        self.assertEqual(self.problems("asked 1900 answered 1890 failed 10 outside 0 wrong 0 gap 400 ms silence 390 ms "
                                       "unserved 0\n"), [])

    def test_anything_else_does_not(self):
        for counts in ("answered 1890 failed 10 outside 1 wrong 0 gap 9 ms silence 9 ms unserved 0",
                       "answered 1889 failed 10 outside 0 wrong 1 gap 9 ms silence 9 ms unserved 0",
                       "answered 1890 failed 10 outside 0 wrong 0 gap 9 ms silence 9 ms unserved 1",
                       "answered 1880 failed 10 outside 0 wrong 0 gap 9 ms silence 9 ms unserved 0"):
            self.assertEqual(len(self.problems(f"asked 1900 {counts}\n")), 1, counts)

    def test_a_load_that_does_not_sum_up_fails(self):
        with self.assertRaises(report.Failed):
            self.problems("")


class SideBySide(unittest.TestCase):
    @staticmethod
    def run_of(seconds):
        return {"time": seconds, "SMPs": 100, "processor time": seconds / 2, "memory": 10.0}

    def compare(self, ours, *theirs, targets=None):
        runs = {"madrigal": ours, **{f"OpenSM {number}": one for number, one in enumerate(theirs)}}
        with contextlib.redirect_stdout(io.StringIO()):
            return side_by_side.compare("a fabric", runs, targets or {"time": 0.5})

    def test_half_the_time_of_the_better_one_meets_the_target(self):
        rows, met = self.compare([self.run_of(s) for s in (1, 2, 9)], [self.run_of(8)], [self.run_of(4)])
        self.assertTrue(met)
        self.assertEqual(rows[0][-2:], ("0.50", "met, at most 0.5"))

    def test_more_does_not(self):
        rows, met = self.compare([self.run_of(2.1)], [self.run_of(8)], [self.run_of(4)])
        self.assertFalse(met)
        self.assertIn("MISSED", rows[0][-1])

    def test_a_run_of_ours_that_never_ends_is_a_miss(self):
        self.assertFalse(self.compare([self.run_of(1), "late"], [self.run_of(8)])[1])
        self.assertFalse(self.compare(["late"], [self.run_of(8)])[1])

    def test_a_port_that_is_not_active_is_seen(self):
        self.assertTrue(console.all_active("35 Active, 1 Down"))
        self.assertFalse(console.all_active("35 Active, 1 Init"))
        line = console.NODE.match('CA H-1 "a: host; ports: 1 Active": on, port 1 LID 3, SM LID 1; ports: 1 Armed; 1 umad')
        self.assertEqual((line[1], line[2]), ("H-1", "1 Armed"))


class Processes(unittest.TestCase):
    def test_a_program_that_hangs_is_ended(self):
        with self.assertRaises(processes.Late):
            processes.run(["sleep", "60"], seconds=0.2)

    def test_what_never_happens_is_late(self):
        with self.assertRaises(processes.Late):
            processes.wait_until("never", lambda: False, 0.1)


if __name__ == "__main__":
    unittest.main()

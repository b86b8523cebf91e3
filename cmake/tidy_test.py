#!/usr/bin/env python3
"""Does tidy.py, which looks at many files at once, find in each what a run over that file alone would find?"""
import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import tidy  # noqa: E402

# One file for each family of checks, and those whose finding another file of the same text could hide.
WITH_FINDING = {
    "misc-unused-using-decls": ("using house::sum;\nint a() { return 1; }", "int b() { return house::sum(1, 2); }"),
    "misc-unused-alias-decls": ("namespace h = house;\nint a() { return 1; }",
                                "namespace h = house;\nint b() { return h::sum(1, 2); }"),
    "misc-unused-parameters": ("int a(int given) { return 1; }", "int b(int given) { return given; }"),
    "misc-redundant-expression": ("bool a(int x) { return x == x; }", "bool b(int x, int y) { return x == y; }"),
    "misc-static-assert": ("#include <cassert>\nvoid a() { assert(sizeof(int) == 4); }", "void b() {}"),
    "bugprone-integer-division": ("double a(int x) { return x / 2; }", "double b(double x) { return x / 2; }"),
    "bugprone-use-after-move": ("#include <string>\n#include <utility>\nvoid keep(std::string);\n"
                                "unsigned long a(std::string x) { keep(std::move(x)); return x.size(); }",
                                "void b() {}"),
    "performance-unnecessary-value-param": ("#include <string>\nunsigned long a(std::string x) { return x.size(); }",
                                            "unsigned long b(unsigned long x) { return x; }"),
    "modernize-use-override": ("struct a_base { virtual ~a_base() = default; virtual int f() { return 0; } };\n"
                               "struct a : a_base { virtual int f() { return 1; } };", "void b() {}"),
    "readability-container-size-empty": ("#include <string>\nbool a(std::string const& x) { return x.size() == 0; }",
                                         "void b() {}"),
    "clang-analyzer-core.DivideZero": ("int a(int x) { if (x == 0) { return 1 / x; } return x; }", "void b() {}"),
    # Divides by zero in its own right, not as its only caller calls it.
    "clang-analyzer-core.UndefinedBinaryOperatorResult": (
        "int ask(int);\nint a(int x) { int y; if (x > 3) { y = ask(x); } return y + 1; }",
        "int a(int);\nint b() { return a(5); }"),
}
CLEAN = {
    "clash_one.cpp": "namespace { int name_of(int x) { return x; } }\nint c() { return name_of(1); }",
    "clash_two.cpp": "namespace { int name_of(int x) { return x + 1; } }\nint d() { return name_of(2); }",
    # What the configuration leaves out of the analyzer's core stays out where files are looked at together.
    "left_out_one.cpp": "int g(int* p) { if (p == nullptr) { return *p; } return 0; }",
    "left_out_two.cpp": "struct r { int f(); };\nint h(bool x) { r* q; if (x) { q = nullptr; } return q->f(); }",
    "excused.cpp": "int e(int given) { return 1; } // NOLINT(misc-unused-parameters)",
}


class LookedAtTogether(unittest.TestCase):
    def setUp(self):
        held = tempfile.TemporaryDirectory()
        self.addCleanup(held.cleanup)
        self.folder = pathlib.Path(held.name).resolve()
        (self.folder / "house.hpp").write_text(
            "#pragma once\nnamespace house {\ninline int sum(int a, int b) { return a + b; }\n}\n")
        self.tidy = tidy.Tidy(pathlib.Path(tidy.__file__).resolve().parent.parent / ".clang-tidy")

    def source(self, name, text):
        path = self.folder / name
        path.write_text(f'#include "house.hpp"\n{text}\n')
        return tidy.Source(path, str(self.folder), ("clang++-14", "-std=c++20"), path.read_text())

    def verdicts(self, sources):
        found = {}
        for batch in tidy.batches(sources):
            found |= self.tidy.each(batch)
        return {source.path.name: said for source, said in found.items()}

    def test_every_family_of_checks_finds_what_another_file_of_the_text_could_hide(self):
        for check, (bad, good) in WITH_FINDING.items():
            with self.subTest(check):
                said = self.verdicts([self.source("bad.cpp", bad), self.source("good.cpp", good)])
                self.assertIn(check, said["bad.cpp"] or "")
                self.assertIn("bad.cpp:", said["bad.cpp"])
                self.assertIsNone(said["good.cpp"])

    def test_names_that_clash_are_no_findings(self):
        said = self.verdicts([self.source(name, text) for name, text in CLEAN.items()])
        self.assertEqual(said, dict.fromkeys(CLEAN))

    def test_clean_files_take_one_run_and_the_analyzer_for_each(self):
        self.verdicts([self.source(f"{n}.cpp", f"int f{n}() {{ return {n}; }}") for n in range(9)])
        self.assertEqual(self.tidy.runs, 1 + 9)

    def test_what_does_not_compile_is_a_finding(self):
        said = self.verdicts([self.source("broken.cpp", "int f( {"), self.source("fine.cpp", "int g() { return 1; }")])
        self.assertIn("clang-diagnostic-error", said["broken.cpp"])
        self.assertIsNone(said["fine.cpp"])

    def test_a_finding_in_a_header_counts_for_those_who_include_it(self):
        header = self.folder / "include" / "madrigal" / "half.hpp"
        header.parent.mkdir(parents=True)
        header.write_text("#pragma once\ninline double half(int x) { return x / 2; }\n")
        said = self.verdicts([self.source("with.cpp", '#include "include/madrigal/half.hpp"\nint i() { return 1; }'),
                              self.source("without.cpp", "int j() { return 1; }"),
                              self.source("without_too.cpp", "int k() { return 1; }")])
        self.assertIn("bugprone-integer-division", said["with.cpp"])
        self.assertEqual([said["without.cpp"], said["without_too.cpp"]], [None, None])

    def test_a_changed_header_changes_the_fingerprint(self):
        source = self.source("one.cpp", "int f();")
        (self.folder / ".clang-tidy").write_text("Checks: '*'\n")
        before = tidy.Fingerprints(self.folder).of(source)
        self.assertEqual(before, tidy.Fingerprints(self.folder).of(source))
        (self.folder / "house.hpp").write_text("#pragma once\n")
        self.assertNotEqual(before, tidy.Fingerprints(self.folder).of(source))


if __name__ == "__main__":
    unittest.main()

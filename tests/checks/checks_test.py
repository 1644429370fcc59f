"""Every check must fail on a bad sample and pass on a good one."""
import json
import os
import subprocess
import tempfile
import unittest

SCRIPTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../scripts")
GOOD = "#pragma once\n\nnamespace fiber::base {\n\nint f(int a);\n\n}  // namespace fiber::base\n"


def check(name, files):
    """Runs scripts/check-NAME on a tree of these files; its exit code and output."""
    with tempfile.TemporaryDirectory() as top:
        database = []
        for path, text in files.items():
            os.makedirs(os.path.dirname(os.path.join(top, path)) or top, exist_ok=True)
            with open(os.path.join(top, path), "wb") as file:
                file.write(text if isinstance(text, bytes) else text.encode())
            if path.endswith(".cpp"):
                database.append({"directory": top, "file": os.path.join(top, path),
                                 "command": f"g++ -std=c++20 -I{top}/src -c {top}/{path}"})
        with open(os.path.join(top, ".clang-tidy"), "w", encoding="utf-8") as file, \
                open(os.path.join(SCRIPTS, "../.clang-tidy"), encoding="utf-8") as ours:
            file.write(ours.read())
        os.mkdir(os.path.join(top, "build"))
        with open(os.path.join(top, "build", "compile_commands.json"), "w", encoding="utf-8") as file:
            json.dump(database, file)
        done = subprocess.run([os.path.join(SCRIPTS, "check-" + name), top, os.path.join(top, "build")],
                              capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr


class Checks(unittest.TestCase):
    def passes(self, name, files):
        code, output = check(name, files)
        self.assertEqual(code, 0, output)

    def fails(self, name, files, message):
        code, output = check(name, files)
        self.assertEqual(code, 1, output)
        self.assertIn(message, output)

    def test_layers(self):
        self.passes("layers", {"src/cli/a.cpp": '#include "base/x.hpp"\n', "src/base/x.hpp": GOOD})
        self.fails("layers", {"src/base/a.cpp": '#include "cli/x.hpp"\n'}, "base is below cli")
        self.fails("layers", {"src/channel/a.cpp": '#include "plan/x.hpp"\n'}, "channel is below plan")
        self.fails("layers", {"src/base/a.cpp": '#include "x.hpp"\n'}, "does not begin with a folder")
        self.fails("layers", {"src/more/a.cpp": ""}, "not in the list of layers")
        self.fails("layers", {}, "nothing to check")

    def test_homes(self):
        for header in ("CLI/CLI.hpp", "boost/process/v2.hpp", "boost/asio.hpp", "nanomsg/nn.h", "yaml-cpp/yaml.h", "mutex"):
            self.fails("layers", {"src/plan/a.cpp": f"#include <{header}>\n"}, "belongs to")
        main = "#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN\n"
        self.fails("layers", {"tests/unit/a.cpp": main, "tests/unit/b.cpp": main}, "more than one file")

    def test_budgets(self):
        def body(lines):
            return "{\n" + "  g();\n" * lines + "}\n"

        self.passes("budgets", {"src/a.cpp": "namespace a {\nint f(int x) " + body(58) + "}\n"})
        self.fails("budgets", {"src/a.cpp": "namespace a {\nint f(int x) " + body(60) + "}\n"}, "62 lines, at most 60")
        self.fails("budgets", {"src/a.cpp": "struct A : B {\n  A(int x) : a_{x}, b_(1) " + body(60) + "};\n"}, "62 lines")
        self.fails("budgets", {"src/a.cpp": "template <class T>\nauto f(T x) -> int " + body(60)}, "63 lines")
        self.fails("budgets", {"src/a.cpp": 'int a = f("}}{ //");\nvoid g() /* { */ ' + body(60)}, "62 lines")
        self.passes("budgets", {"src/a.cpp": "int table[] = {\n" + "  1,\n" * 100 + "};\n"})
        self.passes("budgets", {"src/a.cpp": "class A {\n" + "  void f();\n" * 100 + "};\n"})
        self.fails("budgets", {"src/a.cpp": "int a;\n" * 401}, "401 lines, at most 400")
        self.fails("budgets", {"include/fiber/a.hpp": "int a;\n" * 151}, "151 lines, at most 150")
        self.fails("budgets", {"src/base/util.cpp": ""}, "'util' names nothing")
        self.fails("budgets", {"src/common/a.cpp": ""}, "'common' names nothing")

    def test_headers(self):
        lone = {"src/a.cpp": ""}
        self.passes("headers", lone | {"src/base/a.hpp": GOOD})
        self.fails("headers", lone | {"src/base/a.hpp": "#pragma once\nstd::string f();\n"}, "src/base/a.hpp")
        self.fails("headers", lone | {"src/base/a.hpp": "struct A {};\n"}, "redefinition")

    def test_text(self):
        self.passes("text", {"a.md": "All is done.\n"})
        self.fails("text", {"a.md": "TO" + "DO: more\n"}, "a.md:1: an unfinished mark")
        self.fails("text", {"a.sh": "cd /wo" + "rk/main\n"}, "a path of one machine")
        self.fails("text", {"a.sh": "http://deb." + "debian.org/\n"}, "a package host")
        self.fails("text", {"a.sh": "a \n"}, "white space at the end")
        self.fails("text", {"a.bin": b"\x7fELF\0\0"}, "a binary file")

    def test_shell(self):
        self.passes("shell", {"a.sh": "#!/bin/sh\necho a\n"})
        self.fails("shell", {"a.sh": "#!/bin/sh\nif true\n"}, "bash -n")
        self.fails("shell", {"a": "#!/bin/sh\nrm $(ls)\ncd $1\nread a\necho $b\n"}, "shellcheck")

    def test_format(self):
        self.passes("format", {"src/a.hpp": "int f(int a);\n"})
        self.fails("format", {"src/a.hpp": "int f( int a ) ;\n"}, "src/a.hpp")

    def test_tidy(self):
        self.passes("tidy", {"src/a.cpp": "int f(int a) { return a; }\n"})
        self.fails("tidy", {"src/a.cpp": "int badName(int a) { return a; }\n"}, "readability-identifier-naming")
        self.fails("tidy", {"src/a.cpp": "int f(int a) { return a == a; }\n"}, "misc-redundant-expression")
        self.fails("tidy", {"src/a.hpp": "inline int badName() { return 1; }\n", "src/a.cpp": '#include "a.hpp"\n'},
                   "readability-identifier-naming")


if __name__ == "__main__":
    unittest.main()

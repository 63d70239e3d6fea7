#!/usr/bin/env python3
"""Asks every question of the examples and the manual with `--time 1`, and says which of them take more than two seconds of
CPU time: a limit that is not kept. Also for other models, which stand in files below folders that are given:

    cargo build --release
    LAWS_KEEP=target/questions cargo test --test meaning sound::confirmed
    python3 tests/overruns.py target/release/tracewright target/questions

Runs on one core, so that racing threads do not count twice. No test asserts times; this is run by hand.
"""

import os
import pathlib
import re
import resource
import shlex
import subprocess
import sys
import tempfile

LIMIT = 2.0
TIMED = {"gen", "cover", "conform", "explore", "keep", "replay"}
CRITERIA = ["transitions", "pairs", "mcdc"]
root = pathlib.Path(__file__).resolve().parent.parent


def cpu():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def asked(binary, args, folder):
    before = cpu()
    try:
        subprocess.run(["taskset", "-c", "0", binary, *args], cwd=folder, capture_output=True, timeout=60)
        ended = "ended"
    except subprocess.TimeoutExpired:
        ended = "stopped after 60 s"
    return cpu() - before, ended


def limited(args):
    is_timed = args and (args[0] in TIMED or args[0] == "check" and "--property" in args)
    return [*args, "--time", "1"] if is_timed and "--time" not in args else None


def of_file(path):
    """All questions about the models of a file."""
    text = path.read_text()
    yield ["gen", str(path)]
    for name, params in re.findall(r"^property\s+(\w+)(\s*\()?", text, re.M):
        if not params:
            yield ["check", str(path), "--property", name]
    for name, params in re.findall(r"^(?:sts|component|system|service)\s+(\w+)(\s*\()?", text, re.M):
        if not params:
            yield from (["cover", f"{path}#{name}", "--of", of] for of in CRITERIA)
            yield ["conform", f"{path}#{name}", f"{path}#{name}", "--complete", "ignore"]
            yield ["explore", f"{path}#{name}"]


def of_page(page, folder):
    """The commands of a page, in a folder with its files."""
    inside, kind, block = False, [], []
    for line in page.read_text().splitlines():
        if not inside and line.startswith("```") and len(line) > 3:
            inside, kind, block = True, line[3:].split(), []
        elif inside and line == "```":
            inside = False
            if kind[0] in ("tw", "json", "csv", "mermaid", "plantuml"):
                name = kind[1] if len(kind) > 1 else "example.tw"
                (folder / name).write_text("\n".join(block) + "\n")
            elif kind[0] == "console":
                for command in block:
                    if command.startswith("$ tracewright ") and not set("|>&;") & set(command):
                        yield shlex.split(command)[2:]
        elif inside:
            block.append(line)


def main():
    binary = str(pathlib.Path(sys.argv[1]).resolve())
    count, slow = 0, []

    def ask(args, folder):
        nonlocal count
        args = limited(args)
        if args is None:
            return
        count += 1
        used, ended = asked(binary, args, folder)
        if used > LIMIT:
            slow.append((used, ended, args))
            print(f"{used:6.2f} s, {ended}: tracewright {shlex.join(args)}", flush=True)

    folders = [root / "examples", *(pathlib.Path(folder) for folder in sys.argv[2:])]
    for folder in folders:
        for path in sorted(folder.rglob("*.tw")):
            for args in of_file(path):
                ask(args, root)
    pages = [root / "README.md", *sorted((root / "docs").rglob("*.md"))]
    for page in pages:
        with tempfile.TemporaryDirectory() as folder:
            for args in of_page(page, pathlib.Path(folder)):
                ask(args, folder)
    print(f"{count} questions, {len(slow)} of them over {LIMIT} s of CPU time")
    sys.exit(1 if slow else 0)


if __name__ == "__main__":
    main()

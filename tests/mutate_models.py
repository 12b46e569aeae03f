"""Changes archives at random and opens them: every one must be cut, or refused by one sentence.

    python3 tests/mutate_models.py build/asan/bin/cleave-cli tests/models/zoo/*.pt2 --count 1000 --seed 1

Numbers and names in the traced graph are replaced, entries stay valid JSON: what is tried is the reader and the analysis behind it, best
with a program built under sanitizers. Archives that crash are kept in --keep.
"""
import argparse
import collections
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import zipfile

NUMBERS = [0, 1, -1, 2, -2, 3, 7, 100, -100, 2**31, 2**62, -(2**62)]


def leaves(node, path=()):
    if isinstance(node, (dict, list)):
        for key, child in node.items() if isinstance(node, dict) else enumerate(node):
            if key != "metadata":
                yield from leaves(child, path + (key,))
    else:
        yield path, node


def mutated(value, path, names):
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return random.choice(NUMBERS + [value + 1, value - 1])
    if isinstance(value, str):
        return random.choice(names[path[-1]])
    return random.choice([None, 0, "x", 1.5, []])


def mutate(source, target):
    with zipfile.ZipFile(source) as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
    name = next(name for name in entries if name.endswith("models/model.json"))
    model = json.loads(entries[name])
    all_leaves = list(leaves(model["graph_module"]["graph"]))
    names = collections.defaultdict(list)
    for path, value in all_leaves:
        if isinstance(value, str):
            names[path[-1]].append(value)
    for path, value in random.sample(all_leaves, random.choice([1, 1, 2, 4])):
        owner = model["graph_module"]["graph"]
        for key in path[:-1]:
            owner = owner[key]
        owner[path[-1]] = mutated(value, path, names)
    entries[name] = json.dumps(model).encode()
    with zipfile.ZipFile(target, "w") as archive:
        for name, content in entries.items():
            archive.writestr(name, content)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("models", nargs="+", type=pathlib.Path)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=pathlib.Path, default=pathlib.Path("."))
    options = parser.parse_args()
    random.seed(options.seed)
    codes, bad = collections.Counter(), 0
    environment = os.environ | {"ASAN_OPTIONS": "detect_leaks=0:exitcode=99", "UBSAN_OPTIONS": "exitcode=99"}
    with tempfile.TemporaryDirectory() as folder:
        for i in range(options.count):
            target = pathlib.Path(folder) / "mutated.pt2"
            mutate(random.choice(options.models), target)
            try:
                run = subprocess.run([options.program, "inspect", target], capture_output=True, text=True, timeout=120, env=environment)
                code, error = run.returncode, run.stderr.strip()
            except subprocess.TimeoutExpired:
                code, error = "timeout", ""
            codes[code] += 1
            one_sentence = error.endswith(".") and "runtime error" not in error and "std::" not in error and "::at" not in error
            if code not in (0, 1) or (code == 1 and not one_sentence):
                bad += 1
                kept = options.keep / f"mutated.{options.seed}.{i}.pt2"
                target.rename(kept)
                print(f"{kept}: {code}: {error[:300]}")
    print(", ".join(f"{count} ended with {code}" for code, count in codes.items()))
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""What dagre, the layout that Netron draws models with, takes for a model's graph: every op a box, every tensor that it reads an arrow.

    dagre_layout.py MODEL.pt2 …        # needs node and dagre (Debian: nodejs, node-dagre-layout)
"""
import json
import pathlib
import re
import subprocess
import sys
import zipfile

PROGRAM = """
const dagre = require('dagre');
const graph = new dagre.graphlib.Graph({multigraph: true});
const {boxes, arrows} = JSON.parse(require('fs').readFileSync(0));
graph.setGraph({nodesep: 20, ranksep: 20});
graph.setDefaultEdgeLabel(() => ({}));
for (const [name, width] of Object.entries(boxes)) graph.setNode(name, {width, height: 24});
arrows.forEach(([from, to], i) => graph.setEdge(from, to, {}, String(i)));
const begin = process.hrtime.bigint();
dagre.layout(graph);
const seconds = Number(process.hrtime.bigint() - begin) / 1e9;
console.log(JSON.stringify({seconds, width: graph.graph().width, height: graph.graph().height}));
"""
LONGEST = 300  # seconds


def names(value):
    """Of the tensors in a serialised argument."""
    if isinstance(value, dict):
        if isinstance(value.get("as_tensor"), dict):
            yield value["as_tensor"]["name"]
        else:
            for part in value.values():
                yield from names(part)
    elif isinstance(value, list):
        for part in value:
            yield from [part["name"]] if isinstance(part, dict) and set(part) == {"name"} else names(part)


def graph_of(path):
    with zipfile.ZipFile(path) as archive:
        entry = next(name for name in archive.namelist() if re.search(r"(models/model|serialized_exported_program)\.json$", name))
        graph = json.loads(archive.read(entry))["graph_module"]["graph"]
    boxes, arrows, home = {}, [], {}
    for i, node in enumerate(graph["nodes"]):
        box = str(i)
        title = node["target"].rsplit(".", 2)[-2] if node["target"].count(".") > 1 else node["target"]
        boxes[box] = 16 + 7 * len(title)
        for read in names(node["inputs"]):
            if read in home:
                arrows.append((home[read], box))
        for written in names(node["outputs"]):
            home[written] = box
    return {"boxes": boxes, "arrows": arrows}


def main():
    print("| model | boxes | arrows | dagre | picture |\n|---|---|---|---|---|")
    for path in map(pathlib.Path, sys.argv[1:]):
        graph = graph_of(path)
        row = f"| {path.stem} | {len(graph['boxes']):,} | {len(graph['arrows']):,} |"
        try:
            run = subprocess.run(["node", "-e", PROGRAM], input=json.dumps(graph), capture_output=True, text=True, timeout=LONGEST,
                                 env={"PATH": "/usr/bin:/bin", "NODE_PATH": "/usr/share/nodejs"})
        except subprocess.TimeoutExpired:
            print(row, f"more than {LONGEST} s | |", flush=True)
            continue
        if run.returncode:
            print(row, "ends:", next((line for line in run.stderr.splitlines() if "Error" in line), "?"), "| |", flush=True)
            continue
        found = json.loads(run.stdout)
        print(row, f"{found['seconds']:.2f} s | {found['width']:,.0f} × {found['height']:,.0f} |", flush=True)


if __name__ == "__main__":
    main()

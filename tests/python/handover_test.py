"""Runs the plans of zoo models in PyTorch and compares with ep.module(): handover_test.py [--cli CLEAVE_CLI | --plans DIR] [--only A,B].

With --cli, plans and code are written first; with --plans, a folder that holds them already is used (NAME.cleave.json, code_NAME/ for code).
--prepare DIR only writes that folder. Before version 2.8 of PyTorch only files that PyTorch 1.13 wrote. Exit code 77 without PyTorch.
"""
import argparse
import importlib
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import warnings

ROOT = pathlib.Path(__file__).resolve().parents[2]
ZOO = ROOT / "tests/models/zoo"
SCRIPTS = ROOT / "tests/models"
sys.path.insert(0, str(ROOT / "resources/python"))


def words(name):
    """x_dict_paper and x_paper are the same words."""
    return tuple(word for word in re.findall("[a-z0-9]+", name) if word != "dict")


def nest(spec, leaves):
    """Arguments as forward takes them."""
    if spec.type in (tuple, list):
        return spec.type(nest(child, leaves) for child in spec.children())
    if spec.type is dict:
        return {tuple(key) if isinstance(key, list) else key: nest(child, leaves) for key, child in zip(spec.context, spec.children())}
    return next(leaves)


def matrix_of(graph):
    import torch
    edge_index, weight = torch.from_numpy(graph["edge_index"]), torch.from_numpy(graph["edge_weight"])
    return torch.zeros(int(graph["num_nodes"]), int(graph["num_nodes"])).index_put((edge_index[1], edge_index[0]), weight, accumulate=True)


def has_export():
    """Whether this PyTorch reads the archives of the zoo."""
    import torch
    return tuple(int(part) for part in torch.__version__.split(".")[:2]) >= (2, 8)


SEVERAL_TYPES = {"typed_sage", "typed_links", "to_hetero", "hgt_by_relation", "line_graph", "simulator", "quadruplets"}  # joined: blocks of each


def entries(only):
    return [e for e in json.loads((ZOO / "index.json").read_text()) if e["expect"] == "equal" and (not only or e["name"] in only)]


def scripts(only, all_versions):
    """Some of the models as TorchScript: their plans hold all operators, so that weights are all that PyTorch's file is for."""
    for folder in ["torchscript"] * all_versions + ["torchscript_1.13"]:
        for entry in json.loads((SCRIPTS / folder / "index.json").read_text()):
            chosen = entry["name"] in only if only else len(entry["name"]) % 3 == 0 or folder != "torchscript"
            if entry["expect"] == "equal" and chosen:
                yield entry | {"file": SCRIPTS / folder / (entry["name"] + ".pt"), "plan": f"{folder}.{entry['name']}.cleave.json"}


def prepare_exports(cli, folder, only):
    for number, entry in enumerate(entries(only)):
        model, plan = ZOO / (entry["name"] + ".pt2"), folder / (entry["name"] + ".cleave.json")
        roles = [word for name, role in entry.get("roles", {}).items() for word in ("--role", f"{name}={role}")]
        if number % 4 == 0 or entry["name"] in SEVERAL_TYPES:  # all functions joined, over blocks of several hops
            joined = [cli, "plan", model, ZOO / (entry["name"] + ".npz"), *roles, "--planner", "node-wise", "--batch-size", "7", "--out", plan]
            made = subprocess.run(joined, capture_output=True, text=True)
            if made.returncode == 0:
                subprocess.run([cli, "code", model, *roles, "--plan", plan, "--out", folder / ("code_" + entry["name"])], check=True, capture_output=True)
                continue
            assert "There is no plan 'node-wise'" in made.stderr, made.stderr
        make_plan([cli, "plan", model, *roles, "--out", plan], entry)
        if any(given.get("sizes") for given in json.loads(plan.read_text())["execution"]["inputs"]):  # that are the graph's, and not the model's
            make_plan([cli, "plan", model, ZOO / (entry["name"] + ".npz"), *roles, "--out", plan], entry)
        subprocess.run([cli, "code", model, *roles, "--plan", plan, "--out", folder / ("code_" + entry["name"])], check=True, capture_output=True)


def make_plan(command, entry):
    """With ops before their message passing, too: the first of these linears that may be there."""
    for op in ("linear", "linear_1", "relu", "add_1"):
        # Functions are numbered by degree and node type.
        positions = range(1, 12) if "typed" in entry["name"] or "hetero" in entry["name"] else [1 if op == "linear" else 2]
        if any(subprocess.run([*command, "--move", f"{op}=pre{p}"], capture_output=True).returncode == 0 for p in positions):
            return
    subprocess.run(command, check=True, capture_output=True)


def prepare_scripts(cli, folder, only, all_versions):
    for entry in scripts(only, all_versions):
        options = [word for name, role in entry.get("roles", {}).items() for word in ("--role", f"{name}={role}")]
        options += [word for name, width in entry.get("widths", {}).items() for word in ("--width", f"{name}={width}")]
        # Traces of PyTorch 1 do not keep the shapes of their inputs: the graph's arrays tell.
        graph = [] if "1.13" not in str(entry["file"]) else [ZOO / (entry["zoo"] + ".npz")]
        subprocess.run([cli, "plan", entry["file"], *graph, *options, "--out", folder / entry["plan"]], check=True, capture_output=True)


def compare(name, how, model, inputs, expected):
    import torch
    for batch_size in (1, 7, 1000):
        got = model(**inputs, batch_size=batch_size)
        for found, wanted in zip(got if isinstance(got, tuple) else [got], expected, strict=True):
            wanted = torch.as_tensor(wanted)
            narrow = wanted.dtype in (torch.float16, torch.bfloat16)
            if found.shape != wanted.shape or not torch.allclose(found.double(), wanted.double(), rtol=2e-2 if narrow else 1e-4, atol=5e-2 if narrow else 1e-4):
                return f"{name} ({how}) differs in batches of {batch_size} by {(found.double() - wanted.double()).abs().max():.3g}"
    return ""


def run_exports(folder, only, problems):
    import numpy as np
    import torch
    from cleave_plan import LayerWise
    from torch.export.graph_signature import InputKind

    count, moved, joined = 0, 0, 0
    for entry in entries(only):
        name = entry["name"]
        program = torch.export.load(ZOO / (name + ".pt2"))
        graph = np.load(ZOO / (name + ".npz"))
        plan = json.loads((folder / (name + ".cleave.json")).read_text())
        joined += any("first" in f for f in plan["functions"])
        moved += any(f["before"] for f in plan["functions"])
        values = {n.name: n.meta.get("val") for n in program.graph.nodes if n.op == "placeholder"}
        array_of = {words(key): key for key in graph.files}
        inputs = {}
        for spec in program.graph_signature.input_specs:
            if spec.kind == InputKind.USER_INPUT and isinstance(values.get(spec.arg.name), torch.Tensor):
                array = matrix_of(graph) if spec.arg.name == "adj" else graph[array_of[words(spec.arg.name)]]
                inputs[spec.arg.name] = torch.as_tensor(array).to(values[spec.arg.name].dtype)
            elif spec.kind == InputKind.USER_INPUT and values.get(spec.arg.name) is not None:
                inputs[spec.arg.name] = int(graph[spec.arg.name]) if spec.arg.name in graph else len(graph["x"])
        module = program.module()
        nested, named = nest(program.call_spec.in_spec, iter(inputs.values()))
        try:
            expected = module(*nested, **named)
        except Exception:  # PyTorch does not read keys that are tuples back as such
            expected = [torch.from_numpy(graph[key]) for key in sorted(graph.files) if key.startswith("expected")]
        expected = torch.utils._pytree.tree_leaves(expected)
        try:
            problem = compare(name, "plan", LayerWise.from_plan(plan, program), inputs, expected)
            if not problem and any(isinstance(value, dict) for value in named.values()):
                problem = compare(name, "plan, dictionaries", LayerWise.from_plan(plan, program), named, expected)
            if not problem and "adj" in inputs:
                sparse = inputs | {"adj": inputs["adj"].to_sparse_csr()}
                edges = {n: t for n, t in inputs.items() if n != "adj"} | {n: torch.from_numpy(graph[n]) for n in ("edge_index", "edge_weight")}
                problem = compare(name, "plan, sparse", LayerWise.from_plan(plan, program), sparse, expected)
                problem = problem or compare(name, "plan, edges", LayerWise.from_plan(plan, program), edges, expected)
            code = folder / ("code_" + name)
            if not problem and code.exists():
                sys.path.insert(0, str(folder))
                problem = compare(name, "code", importlib.import_module("code_" + name).load(program), inputs, expected)
            count += 1
        except Exception as error:  # every model is reported
            problem = f"{name}: {type(error).__name__}: {str(error)[:300]}"
        if problem:
            problems.append(problem)
            print(problem)
    print(f"{count} exported models, {moved} with ops before their message passing, {joined} with functions joined")
    return count


def run_scripts(folder, only, all_versions, problems):
    import numpy as np
    import torch
    from cleave_plan import LayerWise

    count = 0
    for entry in scripts(only, all_versions):
        name = entry["plan"].removesuffix(".cleave.json")
        graph = np.load(ZOO / (entry["zoo"] + ".npz"))
        plan = json.loads((folder / entry["plan"]).read_text())
        expected = [torch.from_numpy(graph[key]) for key in sorted(graph.files) if key.startswith("expected")]
        if entry["zoo"] in ("bfloat16", "float16", "autocast"):
            expected = [tensor.to(torch.bfloat16) for tensor in expected]
        try:
            program = torch.jit.load(str(entry["file"]))
            array_of = {words(key): key for key in graph.files}
            inputs = {i["name"]: torch.from_numpy(graph[array_of[words(i["name"])]]) for i in plan["execution"]["inputs"] if i["name"] not in plan["execution"]["weights"]}
            problem = compare(name, "plan", LayerWise.from_plan(plan, program), inputs, expected)
            count += 1
        except Exception as error:  # every model is reported
            problem = f"{name}: {type(error).__name__}: {str(error)[:300]}"
        if problem:
            problems.append(problem)
            print(problem)
    print(f"{count} TorchScript files")
    return count


def refused(what, call, problems):
    """A PlanError of one sentence."""
    from cleave_plan import PlanError
    problem = f"{what} is accepted"
    try:
        call()
    except PlanError as error:
        problem = "" if str(error).endswith(".") and "\n" not in str(error) else f"{what}: {error}"
    except Exception as error:
        problem = f"{what}: {type(error).__name__}: {error}"
    if problem:
        problems.append(problem)
        print(problem)


def refuse_bad_plans(plan, program, problems):
    from cleave_plan import LayerWise

    def change(what, edit):
        bad = json.loads(json.dumps(plan))
        edit(bad)
        refused(f"a plan with {what}", lambda: LayerWise.from_plan(bad, program), problems)

    def weights_of_nobody(bad):
        bad["execution"]["weights"] = {key: {"parameter": "nobody", "dtype": "float32"} for key in bad["execution"]["weights"]}

    change("another version", lambda bad: bad.update(cleave_plan=2))
    change("no execution", lambda bad: bad.pop("execution"))
    change("unknown weights", weights_of_nobody)
    change("no functions", lambda bad: bad.pop("functions"))
    for key in plan["execution"]:
        change(f"no execution.{key}", lambda bad: bad["execution"].pop(key))
    if len(plan["execution"]["functions"]) > 1:
        change("functions in another order", lambda bad: bad["execution"]["functions"].reverse())
    change("what runs once in another order", lambda bad: bad["execution"]["once"].reverse())
    change("steps in another order", lambda bad: bad["execution"]["functions"][0]["steps"].reverse())
    change("no saves", lambda bad: bad["execution"]["functions"][0]["saves"].clear())
    change("an unknown save", lambda bad: bad["execution"]["functions"][0]["saves"][0].update({"from": {"step": "nobody"}}))
    change("an unknown index", lambda bad: bad["execution"]["functions"][0]["frames"][1].update(index="nobody"))
    change("a frame too many", lambda bad: bad["execution"]["functions"][0]["steps"][0].update(frame=9))
    change("an unknown output", lambda bad: bad["execution"]["outputs"].append("nobody"))
    change("a negative batch size", lambda bad: bad.update(batch_size=-1))
    change("a batch size in words", lambda bad: bad.update(batch_size="many"))


def refuse_bad_arguments(plan, program, problems):
    from cleave_plan import LayerWise
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "model.pt2"
        for what, content in (("text", b"not JSON"), ("bytes", b"PK\xff\xfe"), ("a list", b"[]")):
            path.write_bytes(content)
            refused(f"{what} for a plan", lambda: LayerWise.from_plan(str(path), program), problems)
        for archive, told in ((path, 1), (None, 0)):
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                LayerWise.from_plan(plan, program, archive=archive)
            if sum("another file" in str(warning.message) for warning in caught) != told:
                problems.append(f"{told} warnings are due for the archive {archive}")
    refused("None for a program", lambda: LayerWise.from_plan(plan, None), problems)
    refused("a path for a program", lambda: LayerWise.from_plan(plan, "model.pt2"), problems)
    refused("a program for a plan", lambda: LayerWise.from_plan(program, plan), problems)
    if hasattr(program, "module"):
        refused("a module for a program", lambda: LayerWise.from_plan(plan, program.module()), problems)


def refuse_bad_inputs(plan, program, problems):
    import numpy as np
    import torch
    from cleave_plan import LayerWise
    graph = np.load(ZOO / "gcn.npz")
    x, edges = torch.from_numpy(graph["x"]), torch.from_numpy(graph["edge_index"])
    model = LayerWise.from_plan(plan, program)
    expected = model(x, edges)
    for batch_size in (-1, 2.5, "many"):
        refused(f"a batch size of {batch_size}", lambda: model(x, edges, batch_size=batch_size), problems)
    for place, end in ((0, -1), (1, -1), (0, len(x)), (1, len(x))):
        wrong = edges.clone()
        wrong[place, 0] = end
        refused(f"an edge that ends in {end}", lambda: model(x, wrong), problems)
    for what, inputs in (("swapped inputs", (edges, x)), ("narrow features", (x[:, 1:], edges)), ("edges of a number", (x, edges.float())), ("edges of one dimension", (x, edges[0])),
                         ("arrays", (x.numpy(), edges.numpy())), ("too few inputs", (x,)), ("too many inputs", (x, edges, x)), ("None for edges", (x, None))):
        refused(what, lambda: model(*inputs), problems)
    if hasattr(program, "graph_signature"):
        refused("edges of another shape", lambda: model(x, edges.T.contiguous()), problems)
    if not torch.equal(model(x.double(), edges.int()), expected):
        problems.append("inputs of other widths are not converted")


def run(folder, only):
    import torch
    problems, count, exports = [], 0, has_export()
    if exports:
        count += run_exports(folder, only, problems)
    count += run_scripts(folder, only, exports, problems)
    for file, load in ((ZOO / "gcn.pt2", torch.export.load if exports else None), (SCRIPTS / "torchscript_1.13/gcn.trace.pt", torch.jit.load)):
        plan = folder / ("gcn.cleave.json" if file.suffix == ".pt2" else "torchscript_1.13.gcn.trace.cleave.json")
        if load and plan.exists():
            for refuse in (refuse_bad_plans, refuse_bad_arguments, refuse_bad_inputs):
                refuse(json.loads(plan.read_text()), load(str(file)), problems)
    print(f"{len(problems)} problems")
    return 1 if problems or not count else 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cli")
    parser.add_argument("--plans", type=pathlib.Path)
    parser.add_argument("--prepare", type=pathlib.Path)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    only = set(filter(None, options.only.split(",")))
    if options.prepare:
        options.prepare.mkdir(parents=True, exist_ok=True)
        prepare_exports(options.cli, options.prepare, only)
        prepare_scripts(options.cli, options.prepare, only, True)
        return 0
    try:
        exports = has_export()
    except ImportError:
        print("PyTorch is not installed")
        return 77
    if options.plans:
        return run(options.plans, only)
    with tempfile.TemporaryDirectory() as folder:
        if exports:
            prepare_exports(options.cli, pathlib.Path(folder), only)
        prepare_scripts(options.cli, pathlib.Path(folder), only, exports)
        return run(pathlib.Path(folder), only)


if __name__ == "__main__":
    sys.exit(main())

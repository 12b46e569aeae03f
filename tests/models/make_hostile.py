"""Damaged archives that must each be refused by one sentence: the corpus of Cleave's reader.

    python3 make_hostile.py        (in this folder; needs nothing but Python)

Makes hostile/*.pt2 from zoo/sage_mean.pt2.
"""
import copy
import json
import pathlib
import zipfile

SOURCE, OUT = pathlib.Path("zoo/sage_mean.pt2"), pathlib.Path("hostile")


def read():
    with zipfile.ZipFile(SOURCE) as archive:
        return {info.filename: archive.read(info) for info in archive.infolist()}


def write(name, entries):
    with zipfile.ZipFile(OUT / f"{name}.pt2", "w", zipfile.ZIP_DEFLATED) as archive:
        for filename, content in entries.items():
            archive.writestr(zipfile.ZipInfo(filename), content, zipfile.ZIP_DEFLATED)


def main():
    OUT.mkdir(exist_ok=True)
    entries = read()
    model = next(n for n in entries if "/models/" in n and n.endswith(".json"))
    weights = next(n for n in entries if n.endswith("_weights_config.json"))
    program, config = json.loads(entries[model]), json.loads(entries[weights])
    first = next(iter(config["config"]))
    symbol = {"as_expr": {"expr_str": "Add(" * 5000, "hint": None}}

    def changed_program(name, change):
        document = copy.deepcopy(program)
        change(document["graph_module"]["graph"], document["graph_module"]["signature"])
        write(name, {**entries, model: json.dumps(document).encode()})

    def changed_weight(name, **fields):
        document = copy.deepcopy(config)
        document["config"][first]["tensor_meta"].update(fields)
        write(name, {**entries, weights: json.dumps(document).encode()})

    tensor = next(iter(program["graph_module"]["graph"]["tensor_values"]))
    changed_program("name_missing", lambda g, s: g["nodes"].pop(0))
    changed_program("name_twice", lambda g, s: g["nodes"].append(g["nodes"][0]))
    changed_program("cyclic", lambda g, s: g["nodes"].reverse())
    changed_program("nodes_is_number", lambda g, s: g.update(nodes=7))
    changed_program("nodes_is_null", lambda g, s: g.update(nodes=None))
    changed_program("unknown_dtype", lambda g, s: g["tensor_values"][tensor].update(dtype=77))
    changed_program("float8", lambda g, s: g["tensor_values"][tensor].update(dtype=29))
    changed_program("deep_expression", lambda g, s: g["tensor_values"][tensor].update(sizes=[symbol]))
    changed_program("many_dimensions", lambda g, s: g["tensor_values"][tensor].update(sizes=[{"as_int": 1}] * 1000))
    changed_program("no_outputs", lambda g, s: s.update(output_specs=[]))
    changed_program("custom_object", lambda g, s: s["input_specs"].append({"custom_obj": {"arg": {"name": "a", "class_fqn": "b"}, "custom_obj_name": "c"}}))
    changed_program("complex_argument", lambda g, s: g["nodes"][0]["inputs"][0].update(arg={"as_complex": {"real": 1, "imag": 2}}))
    # Graphs within the program, as export writes what is computed under torch.no_grad().
    def wrapped(graph, inputs=None, outputs=None):
        inner = {"inputs": inputs if inputs is not None else [{"as_tensor": {"name": "a"}}], "outputs": outputs or [{"as_tensor": {"name": "a"}}], "nodes": [], "tensor_values": {"a": graph["tensor_values"][tensor]}}
        node = {"target": "torch.ops.higher_order.wrap_with_set_grad_enabled", "name": "w", "metadata": {}, "outputs": [{"as_tensor": {"name": "w"}}],
                "inputs": [{"name": "", "arg": a} for a in ({"as_bool": False}, {"as_graph": {"name": "g", "graph": inner}}, {"as_tensor": {"name": "x"}})]}
        return node

    changed_program("graph_without_inputs", lambda g, s: g["nodes"].append(wrapped(g, inputs=[])))
    changed_program("graph_input_is_a_list", lambda g, s: g["nodes"].append(wrapped(g, inputs=[{"as_tensors": []}])))
    changed_program("graph_output_unknown", lambda g, s: g["nodes"].append(wrapped(g, outputs=[{"as_tensor": {"name": "nothing"}}])))
    changed_program("graph_with_more_outputs", lambda g, s: g["nodes"].append(wrapped(g, outputs=[{"as_tensor": {"name": "a"}}] * 2)))
    changed_program("graph_result_twice", lambda g, s: g["nodes"].extend([wrapped(g), wrapped(g)]))
    changed_program("graph_missing", lambda g, s: g["nodes"].append({**wrapped(g), "inputs": wrapped(g)["inputs"][:1]}))

    def deep(graph, depth):
        node = wrapped(graph)
        for _ in range(depth):
            outer = wrapped(graph, outputs=[{"as_tensor": {"name": "w"}}])
            node["inputs"][2]["arg"]["as_tensor"]["name"] = "a"
            outer["inputs"][1]["arg"]["as_graph"]["graph"]["nodes"] = [node]
            node = outer
        return node

    changed_program("graphs_in_graphs", lambda g, s: g["nodes"].append(deep(g, 100)))
    # Operators that work with files, or with memory that is not theirs.
    for name in ("from_file", "_reshape_alias"):
        changed_program(f"calls_{name.lstrip('_')}", lambda g, s: g["nodes"][0].update(target=f"torch.ops.aten.{name}.default"))

    def nested_outputs(depth):
        output = {"as_tensor": {"name": "o"}}
        for _ in range(depth):
            output = {"as_optional_tensors": [output]}
        return output

    changed_program("outputs_in_outputs", lambda g, s: g["nodes"][0].update(outputs=[nested_outputs(100)]))
    changed_weight("offset_outside", storage_offset={"as_int": 10**9})
    changed_weight("offset_negative", storage_offset={"as_int": -1})
    changed_weight("huge_count", sizes=[{"as_int": 2**40}, {"as_int": 2**40}])
    changed_weight("huge_stride", strides=[{"as_int": 2**62}, {"as_int": 2**62}])
    write("weights_missing", {n: c for n, c in entries.items() if "/data/weights/weight_" not in n})
    write("not_json", {**entries, model: b"{" * 100000})
    write("two_models", {**entries, model.replace(".json", "2.json"): entries[model]})
    write("big_endian", {**entries, next(n for n in entries if n.endswith("byteorder")): b"big"})
    write("empty", {})
    (OUT / "truncated.pt2").write_bytes(SOURCE.read_bytes()[:5000])
    (OUT / "no_zip.pt2").write_bytes(b"\x93NUMPY" * 50)


if __name__ == "__main__":
    main()

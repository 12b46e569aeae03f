"""Runs a plan of Cleave (.cleave.json) layer by layer in PyTorch.

    import torch
    from cleave_plan import LayerWise

    program = torch.export.load("model.pt2")
    model = LayerWise.from_plan("model.cleave.json", program)
    out = model(x, edge_index, batch_size=4096)

The plan says which operator runs in which function; torch.fx.passes.split_module cuts the program there. What depends on the graph alone
(degrees, self-loops, normalisation) is computed once, then each function runs for all nodes, batch by batch over blocks: the batch's nodes
first, then the nodes that its edges come from. Everything runs on the CPU.

Where the plan was made from a TorchScript file, what torch.jit.load returns takes the place of the exported program. This file needs nothing but
PyTorch 2.8 or newer, for TorchScript 1.13 or newer.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import math
import operator
import os
import re
import warnings
from typing import Any, Callable

import torch
from torch import fx
from torch.fx.passes.split_module import split_module

FORMAT = 1


class PlanError(ValueError):
    """A plan that cannot be run with this program, or with these inputs; the text is one sentence."""


@contextlib.contextmanager
def _told(sentence: str, reason: Callable[[], str] = lambda: ""):
    """What fails in here is a PlanError: the reason, or the sentence and the first line of what Python or PyTorch say."""
    try:
        yield
    except (PlanError, MemoryError):
        raise
    except Exception as error:
        found = (str(error).splitlines() or [""])[0].rstrip(" .")[:200]
        raise PlanError(reason() or f"{sentence} ({type(error).__name__}: {found}).") from error


aten = torch.ops.aten

# What steps call besides ATen operators. -----------------------------------------------------------------------------------------------


def leading(value: torch.Tensor, dim: int, rows: int, outer: int = 1, inner: int = 1) -> torch.Tensor:
    """The first rows: the nodes of a batch come first in each of its blocks. A row has outer * inner entries along dim."""
    parts = [part.narrow(dim, 0, rows * inner) for part in value.chunk(outer, dim)] if outer > 1 else [value.narrow(dim, 0, rows * inner)]
    return parts[0] if len(parts) == 1 else torch.cat(parts, dim)


def numbered(value: torch.Tensor, dim: int, numbers: torch.Tensor) -> torch.Tensor:
    return value.index_select(dim, numbers)


def ordered(parts: list[torch.Tensor], dim: int, order: torch.Tensor) -> torch.Tensor:
    """Rows of several tensors, put in the order of the frame that they are parts of."""
    return torch.cat(parts, dim).index_select(dim, order)


def times(rows: int, entries: int) -> int:
    return rows * entries


def _size(self: torch.Tensor, dim: int | None = None):
    return self.shape if dim is None else self.shape[dim]


_SYMBOLIC: dict[str, Callable] = {
    "aten::sym_size": _size,
    "aten::sym_numel": torch.Tensor.numel,
    "sym::not": operator.not_,
    "sym::max": max,
    "sym::min": min,
    "sym::float": float,
    "sym::int": int,
    "sym::sqrt": math.sqrt,
    "math::sqrt": math.sqrt,
    "math::ceil": math.ceil,
    "math::floor": math.floor,
    "math::trunc": math.trunc,
}


# A plan may come from anybody: it calls nothing else of Python, and no operator that works with files or with memory of its own.
_PYTHON = {name: getattr(operator, name) for name in (
    "abs", "add", "and_", "eq", "floordiv", "ge", "getitem", "gt", "iadd", "imul", "index", "invert", "isub", "le", "lshift", "lt", "mod", "mul", "ne", "neg",
    "not_", "or_", "pos", "pow", "rshift", "sub", "truediv", "xor")}
_FOREIGN = re.compile(r"from_file|save|manual_seed|set_|resize|sparse_resize|_reshape_alias|record_stream|pin_memory|rename")


def resolve(target: str) -> tuple[Callable, bool]:
    """The callable behind "aten::linear", and whether it takes its arguments by name."""
    if target in _SYMBOLIC:
        return _SYMBOLIC[target], False
    namespace, _, name = target.partition("::")
    if namespace == "operator" and name in _PYTHON:
        return _PYTHON[name], False
    if namespace == "operator" or _FOREIGN.match(name):
        raise PlanError(f"The plan calls {target}, which no plan needs.")
    if namespace == "aten" and name == "item":
        return torch.Tensor.item, False
    if namespace != "aten" or not hasattr(torch.ops.aten, name):
        raise PlanError(f"This PyTorch has no operator {target}.")
    return getattr(torch.ops.aten, name), True


def literal(value: Any) -> Any:
    """A constant argument as the plan writes it; operands are left to the caller."""
    if isinstance(value, dict) and "dtype" in value:
        dtype = getattr(torch, value["dtype"], None)
        if not isinstance(dtype, torch.dtype):
            raise PlanError(f"This PyTorch has no type {value['dtype']}.")
        return dtype
    if isinstance(value, dict) and "float" in value:
        return float(value["float"])
    return value


def _identifier(text: str) -> str:
    """A name of Python's for any text, and another one for another: what none may have is written as _Q2e_."""
    name = re.sub(r"\A[0-9]|_(?=Q)|[^A-Za-z0-9_]", lambda found: "".join(f"_Q{byte:02x}_" for byte in found[0].encode()), text)
    return name or "_Q_"


def _words(name: str) -> tuple[str, ...]:
    return tuple(re.findall(r"[a-z0-9]+", name.lower()))


def _edges_of(matrix: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Edge index and weights of an adjacency matrix [V, V] or [1, V, V], dense or sparse: entry [i, j] is the weight from node j to node i."""
    if matrix.dim() not in (2, 3) or matrix.shape[-1] != matrix.shape[-2] or matrix.dim() == 3 and matrix.shape[0] != 1:
        raise PlanError(f"An adjacency matrix is [V, V], and not {list(matrix.shape)}: edges are given by name, edge_index=….")
    if matrix.layout == torch.strided:
        matrix = matrix.reshape(matrix.shape[-2:])
        index = matrix.nonzero().T
        return index.flip(0), matrix[index[0], index[1]]
    matrix = matrix.to_sparse_coo().coalesce()
    return matrix.indices()[-2:].flip(0), matrix.values()


def _leaves(name: str, value: Any):
    """Tensors of dictionaries by the words of their keys, as torch.export names them: x_dict_paper, edge_index_dict_author_writes_paper."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _leaves("_".join([name, *(key if isinstance(key, tuple) else [str(key)])]), item)
    elif isinstance(value, (list, tuple)):
        for i, item in enumerate(value):
            yield from _leaves(f"{name}_{i}", item)
    else:
        yield name, value


# Inputs of a function for one batch. ---------------------------------------------------------------------------------------------------


def input_key(operand: dict) -> tuple:
    """What a batch hands to a function for an operand; the same for equal operands. None for results of its own steps."""
    for kind in ("value", "slice", "local", "stored"):
        if kind in operand:
            return (kind, operand[kind], operand.get("frame", -1))
    if "numbers" in operand:
        return ("numbers", "", operand["numbers"])
    if "rows" in operand:
        return ("rows", "", operand["rows"])
    if "parts" in operand:
        return ("parts", ",".join(map(str, operand["parts"])), -1)
    raise PlanError(f"The plan has an operand that this version does not know: {sorted(operand)}.")


def input_name(key: tuple) -> str:
    kind, value, frame = key
    return _identifier("_".join(str(part) for part in (kind, value, frame) if part not in ("", -1)))


def operands_of(argument: Any):
    """The operands in an argument, lists included."""
    if isinstance(argument, list):
        for item in argument:
            yield from operands_of(item)
    elif isinstance(argument, dict) and "dtype" not in argument and "float" not in argument:
        yield argument


def _inputs_of(operand: dict):
    if "step" in operand:
        return
    if "leading" in operand:
        yield from _inputs_of(operand["leading"])
        yield {"rows": operand["frame"]}
    elif "numbered" in operand:
        yield from _inputs_of(operand["numbered"])
        yield {"numbers": operand["frame"], **{key: operand[key] for key in ("nodes",) if key in operand}}
    else:
        yield operand


def function_inputs(function: dict) -> dict[str, dict]:
    """Name and operand of everything that a batch must hand to this function."""
    found: dict[str, dict] = {}

    def add(operand):
        for source in _inputs_of(operand):
            found.setdefault(input_name(input_key(source)), source)

    for step in function["steps"]:
        for argument in [*step.get("args", {}).values(), step.get("forward"), step.get("concat")]:
            if argument is not None:
                for operand in operands_of(argument):
                    add(operand)
        if "concat" in step:
            add({"parts": step["parts"]})
    for saved in function["saves"]:
        add(saved["from"])
    return found


def check_references(execution: dict) -> None:
    """Everything that is read is an input, a weight or made before. PlanError otherwise."""
    known = {i["name"] for i in execution["inputs"]} | set(execution["weights"])
    stored = {i["name"] for i in execution["inputs"] if i["role"] == "node-features"}

    def need(name: str, names: set[str], where: str) -> None:
        if name not in names:
            raise PlanError(f"{where} reads '{name}', which nothing before it makes: write the plan anew with cleave-cli plan.")

    def check_operand(operand: dict, steps: set[str], frames: list, where: str) -> None:
        for kind, names in (("value", known), ("slice", known), ("local", known), ("stored", stored), ("step", steps)):
            if kind in operand:
                need(operand[kind], names, where)
        for frame in [operand[kind] for kind in ("frame", "rows", "numbers") if kind in operand] + operand.get("parts", []):
            if not 0 <= frame < len(frames):
                raise PlanError(f"{where} has no frame {frame}: write the plan anew with cleave-cli plan.")
        for kind in ("leading", "numbered"):
            if kind in operand:
                check_operand(operand[kind], steps, frames, where)

    for op in execution["once"]:
        for operand in (operand for argument in op["args"].values() for operand in operands_of(argument)):
            need(operand["value"], known, f"What the plan runs once, '{op['op']}',")
        known.update(op["outputs"])
    for function in execution["functions"]:
        where, steps, frames = f"Function {function['function']} of the plan", set(), function["frames"]
        for operand in [*function["neighbours"], *({"value": frame["index"]} for frame in frames if "index" in frame)]:
            check_operand(operand, steps, frames, where)
        for step in function["steps"]:
            for argument in [*step.get("args", {}).values(), step.get("forward"), step.get("concat")]:
                for operand in operands_of(argument):
                    check_operand(operand, steps, frames, where)
            check_operand({key: step[key] for key in ("frame", "parts") if key in step}, steps, frames, where)
            steps.update(step["outputs"])
        for save in function["saves"]:
            check_operand(save["from"], steps, frames, where)
        stored.update(save["value"] for save in function["saves"])
    for name in execution["outputs"]:
        if name not in stored | known:
            raise PlanError(f"The plan's output '{name}' is made by none of its functions: write the plan anew with cleave-cli plan.")


# The program cut by torch.fx. ----------------------------------------------------------------------------------------------------------


def read_weights(execution: dict, find: Callable[[str], torch.Tensor | None]) -> dict[str, torch.Tensor]:
    """Parameters and constants by the names that the plan gives them, as wide as it computes with them: half precision becomes float32."""
    weights = {}
    for value, weight in execution["weights"].items():
        tensors = [_constant(weight["constant"])] if "constant" in weight else [find(name) for name in weight.get("rows_of", [weight["parameter"]])]
        if any(tensor is None for tensor in tensors):
            raise PlanError(f"The program has no parameter or constant '{weight['parameter']}', which the plan reads.")
        tensor = torch.cat(tensors) if len(tensors) > 1 else tensors[0]
        tensor = tensor.movedim(weight.get("row_dim", 0), 0) if tensor.dim() else tensor
        if "rows" in weight:
            tensor = tensor.narrow(0, weight["rows"]["first"], weight["rows"]["count"])
        weights[value] = tensor.detach().cpu().to(getattr(torch, weight["dtype"]))
    return weights


def _constant(written: dict) -> torch.Tensor:
    """A tensor that stands in the code of a TorchScript file, where PyTorch gives it no name."""
    dtype, values = getattr(torch, written["dtype"]), bytearray.fromhex(written["bytes"])
    return torch.frombuffer(values, dtype=dtype).reshape(written["shape"]) if values else torch.empty(written["shape"], dtype=dtype)


def tensors_of(program: torch.export.ExportedProgram | torch.jit.ScriptModule) -> Callable[[str], torch.Tensor | None]:
    """Parameters, buffers and other tensors of a program by their names; None for what is none of them."""
    if isinstance(program, (str, os.PathLike)):
        raise PlanError(f"The program is needed, and not its file: torch.export.load('{program}') or torch.jit.load('{program}').")
    if not isinstance(program, torch.jit.ScriptModule) and not hasattr(program, "graph_signature"):
        raise PlanError("The program is needed as torch.export.export, torch.export.load or torch.jit.load return it (program, and not program.module()), "
                        f"but this is of the type {type(program).__name__}.")
    if not isinstance(program, torch.jit.ScriptModule):
        named = {**program.state_dict, **{k: v for k, v in program.constants.items() if isinstance(v, torch.Tensor)}}
        return named.get

    def of_script(path: str) -> torch.Tensor | None:
        found = functools.reduce(lambda module, name: getattr(module, name, None), path.split("."), program)
        return found if isinstance(found, torch.Tensor) else None

    return of_script


class _Builder:
    """One graph of everything that runs once and of all functions, to be split."""

    def __init__(self, execution: dict, find: Callable[[str], torch.Tensor | None]):
        self.execution = execution
        self.root = torch.nn.Module()
        self.graph = fx.Graph()
        self.part: dict[fx.Node, int] = {}
        self.weights = {}
        for value, tensor in read_weights(execution, find).items():
            name = "w_" + _identifier(value)
            self.root.register_buffer(name, tensor)
            self.weights[value] = name

    def weight(self, value: str, part: int) -> fx.Node:
        node = self.graph.get_attr(self.weights[value])
        self.part[node] = part
        return node

    def call(self, part: int, target: str, args: dict[str, Any]) -> fx.Node:
        function, by_name = resolve(target)
        # PyTorch 1 takes no argument "self" by name.
        names = list(args)
        positional = names if not by_name else names[:names.index("self") + 1] if "self" in names else []
        return self.plain(part, function, tuple(args[name] for name in positional), {name: value for name, value in args.items() if name not in positional})

    def plain(self, part: int, function: Callable, args: tuple, kwargs: dict | None = None) -> fx.Node:
        node = self.graph.call_function(function, args, kwargs or {})
        self.part[node] = part
        return node

    def outputs(self, part: int, node: Any, names: list[str]) -> dict[str, Any]:
        return {names[0]: node} if len(names) == 1 else {name: self.plain(part, operator.getitem, (node, i)) for i, name in enumerate(names)}


def split_program(execution: dict, find: Callable[[str], torch.Tensor | None]) -> tuple[Callable, list[Callable]]:
    """What runs once, and each function: callables from a dict of inputs to a dict of results."""
    b = _Builder(execution, find)
    needed = {operand["value"] if "value" in operand else operand.get("slice", operand.get("local"))
              for function in execution["functions"] for operand in function_inputs(function).values()} - {None}
    for function in execution["functions"]:
        needed |= {frame["index"] for frame in function["frames"] if "index" in frame}
        needed |= {neighbour["value"] for neighbour in function["neighbours"] if "value" in neighbour}
        for rows in [function["rows"]] + [frame[key] for frame in function["frames"] for key in ("before", "own") if key in frame]:
            needed |= {term["value"] for term in rows if "value" in term}
    made_once = {name for op in execution["once"] for name in op["outputs"]}
    needed |= set(execution["outputs"]) & made_once
    results: list[dict[str, fx.Node]] = []

    once: dict[str, Any] = {i["name"]: b.graph.placeholder("in_" + _identifier(i["name"])) for i in execution["inputs"]}

    def once_argument(argument):
        if isinstance(argument, list):
            return [once_argument(item) for item in argument]
        if isinstance(argument, dict) and "value" in argument:
            name = argument["value"]
            if name not in once and name in b.weights:
                once[name] = b.weight(name, 0)
            return once[name]
        return literal(argument)

    placeholders = [{name: b.graph.placeholder(f"f{k}_{name}") for name in function_inputs(function)} for k, function in enumerate(execution["functions"])]
    for op in execution["once"]:
        node = b.call(0, op["target"], {name: once_argument(value) for name, value in op["args"].items()})
        once.update(b.outputs(0, node, op["outputs"]))
    results.append({name: once[name] for name in sorted(needed) if name in made_once})

    for k, function in enumerate(execution["functions"]):
        part, steps = k + 1, {}

        def operand_node(operand, k=k, part=part, steps=steps):
            if "step" in operand:
                return steps[operand["step"]]
            if "leading" in operand:
                source = operand["leading"]
                rows = placeholders[k][input_name(input_key({"rows": operand["frame"]}))]
                return b.plain(part, leading, (operand_node(source), source["row_dim"], rows, source.get("outer", 1), source.get("inner", 1)))
            if "numbered" in operand:
                numbers = placeholders[k][input_name(input_key({"numbers": operand["frame"]}))]
                return b.plain(part, numbered, (operand_node(operand["numbered"]), operand["row_dim"], numbers))
            if "rows" in operand:
                node = placeholders[k][input_name(input_key(operand))]
                return node if operand.get("times", 1) == 1 else b.plain(part, times, (node, operand["times"]))
            return placeholders[k][input_name(input_key(operand))]

        def argument_node(argument):
            if isinstance(argument, list):
                return [argument_node(item) for item in argument]
            if isinstance(argument, dict) and "dtype" not in argument and "float" not in argument:
                return operand_node(argument)
            return literal(argument)

        for step in function["steps"]:
            if "forward" in step:
                node = operand_node(step["forward"])
            elif "concat" in step:
                order = placeholders[k][input_name(input_key({"parts": step["parts"]}))]
                node = b.plain(part, ordered, ([operand_node(o) for o in step["concat"]], step["row_dim"], order))
            else:
                node = b.call(part, step["target"], {name: argument_node(value) for name, value in step["args"].items()})
            steps.update(b.outputs(part, node, step["outputs"]))
        saved = {}
        for save in function["saves"]:
            node = operand_node(save["from"])
            saved[save["value"]] = node if node.op != "placeholder" else b.plain(part, operator.pos, (node,))
        results.append(saved)

    b.graph.output(tuple(node for part in results for node in part.values()))
    whole = fx.GraphModule(b.root, b.graph)
    split = split_module(whole, b.root, lambda node: b.part[node])
    # The order of the results that each part returns is told by the split graph's own output.
    (returned,) = next(node for node in split.graph.nodes if node.op == "output").args
    where = iter(returned)

    def runner(part: int, names: dict[str, fx.Node], prefix: str) -> Callable:
        position = {}
        for name in names:
            node = next(where)
            position[name] = node.args[1] if node.op == "call_function" else None
        if not names:
            return lambda inputs: {}
        module = getattr(split, f"submod_{part}")
        call = next(node for node in split.graph.nodes if node.op == "call_module" and node.target == f"submod_{part}")
        # A weight that several parts read is handed to each.
        given = [(argument.op == "placeholder", argument.target) for argument in call.args]

        def run(inputs: dict[str, Any]) -> dict[str, Any]:
            out = module(*(inputs[name[len(prefix):]] if is_input else getattr(split, name) for is_input, name in given))
            return {name: out if i is None else out[i] for name, i in position.items()}

        return run

    return runner(0, results[0], "in_"), [runner(k + 1, results[k + 1], f"f{k}_") for k in range(len(execution["functions"]))]


# Running. ------------------------------------------------------------------------------------------------------------------------------


class _Edges:
    """The edges of an edge set grouped by the node that they are reduced into."""

    def __init__(self, index: torch.Tensor, nodes: int):
        index = index.reshape(-1)
        self.edges = torch.argsort(index, stable=True)
        self.begin = torch.zeros(nodes + 1, dtype=torch.long)
        self.begin[1:] = torch.bincount(index, minlength=nodes).cumsum(0)

    def of_range(self, first: int, last: int) -> torch.Tensor:
        return self.edges[int(self.begin[first]):int(self.begin[last])]

    def of_nodes(self, nodes: torch.Tensor) -> torch.Tensor:
        begin, count = self.begin[nodes], self.begin[nodes + 1] - self.begin[nodes]
        offset = torch.arange(int(count.sum())) - (count.cumsum(0) - count).repeat_interleave(count)
        return self.edges[begin.repeat_interleave(count) + offset]


def read_plan(plan: str | os.PathLike | dict) -> dict:
    """A plan of this version, from its file or as it stands. PlanError for what is none; a file that is not there is Python's own error."""
    if isinstance(plan, (str, os.PathLike)):
        with open(plan, encoding="utf-8") as file:
            try:
                content = json.load(file)
            except ValueError as error:
                raise PlanError(f"'{plan}' is no plan of Cleave: it is not JSON.") from error
    else:
        content = plan
    if not isinstance(content, dict):
        raise PlanError("A plan is the name of a .cleave.json file or what is in it, and comes before the program.")
    if content.get("cleave_plan") != FORMAT:
        raise PlanError(f"The plan is of version {content.get('cleave_plan')}, but this module reads version {FORMAT} only.")
    if "execution" not in content:
        raise PlanError("The plan does not say how it is executed; write it anew with cleave-cli plan.")
    return content


def warn_of_other_file(plan: dict, archive: str | os.PathLike) -> None:
    """A plan fits a model that was trained on, too: of another file it is told, not refused."""
    with open(archive, "rb") as file:
        here, there = hashlib.sha256(file.read()).hexdigest(), str(plan.get("model", {}).get("sha256"))
    if here != there:
        warnings.warn(f"The plan was made for another file than '{archive}' (SHA-256 {there[:8]}, here {here[:8]}).", stacklevel=3)


def fixed_shapes(plan: dict, program: torch.export.ExportedProgram | torch.jit.ScriptModule) -> dict[str, list]:
    """Shapes of inputs, as far as the program or the plan's functions say them; what is no number is free."""
    shapes = {}
    for node in [] if isinstance(program, torch.jit.ScriptModule) else program.graph.nodes:
        if node.op == "placeholder" and isinstance(node.meta.get("val"), torch.Tensor):
            shapes[node.name] = [size if type(size) is int else str(size) for size in node.meta["val"].shape]
    for function in plan["functions"]:
        shapes.update({tensor["name"]: tensor["shape"] for tensor in function.get("reads", [])})
    return shapes


def check_batch_size(batch_size: int) -> int:
    if not hasattr(batch_size, "__index__") or batch_size < 0:
        raise PlanError(f"batch_size is a number of nodes, or 0 for the plan's, and not {batch_size!r}.")
    return int(batch_size)


class LayerWise:
    """A model cut into functions that run for all nodes one after the other, each in batches over blocks."""

    def __init__(self, execution: dict, once: Callable, functions: list[Callable], weights: dict[str, torch.Tensor], batch_size: int = 0):
        self.execution = execution
        self._once = once
        self._functions = functions
        self._weights = weights
        self.batch_size = check_batch_size(batch_size)
        self._shapes: dict[str, list] = {}
        self._nodes: dict[Any, int] = {}
        # Numbers of nodes that the model does not count from the end if they are negative; those of a batch would be.
        self._from_front = {step["args"]["index"]["local"] for function in execution["functions"] for step in function["steps"]
                            if step.get("target") == "aten::index_select" and "local" in step["args"]["index"]}

    @classmethod
    def from_plan(cls, plan: str | os.PathLike | dict, program: torch.export.ExportedProgram | torch.jit.ScriptModule,
                  archive: str | os.PathLike | None = None) -> "LayerWise":
        """plan: the file that Cleave wrote, or its content. program: what was cut, for its weights. archive: its file, if it shall be compared with
        the one that the plan was made for (another is a warning). PlanError if the plan is not one for the program."""
        plan, find = read_plan(plan), tensors_of(program)
        with _told("The plan does not hold what a plan must: write it anew with cleave-cli plan"):
            is_script = isinstance(program, torch.jit.ScriptModule)  # whose operators have no names
            names = set() if is_script else {node.name for node in program.graph.nodes}
            ops = [op["op"] for f in plan["functions"] for key in ("before", "message_passing", "after") for op in f[key]]
            if ops and not is_script and not plan.get("rewrites") and names.isdisjoint(ops):
                raise PlanError(f"The plan is for another model: the program has no op '{ops[0]}'.")
            execution = plan["execution"]
            check_references(execution)
            once, functions = split_program(execution, find)
            model = cls(execution, once, functions, read_weights(execution, find), plan.get("batch_size", 0))
            model._shapes = fixed_shapes(plan, program)
        if archive is not None:
            warn_of_other_file(plan, archive)
        return model

    def __call__(self, *args: Any, batch_size: int = 0, **kwargs: Any):
        """The outputs of forward. batch_size: targets per batch; 0: the plan's, or 4096. Inputs are computed with in the types that the plan
        names: float64 becomes float32 where it says so, int32 int64."""
        batch_size = check_batch_size(batch_size) or self.batch_size or 4096
        with torch.inference_mode():
            with _told("These are not the model's inputs"):
                inputs = self._bind(args, kwargs)
            with _told("The plan cannot be run on these inputs", lambda: self._wrong_ends(inputs)):
                return self._run(inputs, batch_size)

    def _bind(self, args: tuple, kwargs: dict) -> dict[str, Any]:
        inputs = [i for i in self.execution["inputs"] if i["name"] not in self.execution["weights"]]
        leaves = [leaf for value in args for _, leaf in _leaves("", value)]
        # An adjacency matrix stands for its edges and their weights.
        arguments = list(dict.fromkeys(i.get("matrix", i["name"]) for i in inputs))
        if len(leaves) > len(arguments):
            raise PlanError(f"The model has {len(arguments)} inputs, but {len(leaves)} were given.")
        bound = dict(zip(arguments, leaves))
        names = {_words(name): name for name in [*arguments, *(i["name"] for i in inputs)]}
        bound.update({names.get(_words(name), name): leaf for key, value in kwargs.items() for name, leaf in _leaves(key, value)})
        for matrix in {i["matrix"] for i in inputs if "matrix" in i}:
            edges, weights = (i["name"] for i in inputs if i.get("matrix") == matrix)
            if matrix in bound:
                if edges in bound or weights in bound:
                    raise PlanError(f"Both '{matrix}' and its edges are given.")
                bound[edges], bound[weights] = _edges_of(bound.pop(matrix))
            elif edges in bound and weights not in bound:
                bound[weights] = torch.ones(bound[edges].shape[1])
        for i in inputs:
            if i["name"] not in bound and i["kind"] != "none":
                raise PlanError(f"The model's input '{i['name']}' is missing.")
        for i in inputs:
            if i["kind"] == "tensor":
                bound[i["name"]] = self._tensor(i, bound[i["name"]])
            shape = bound[i["name"]].shape if isinstance(bound.get(i["name"]), torch.Tensor) else ()
            if i.get("row_dim", 0) >= max(len(shape), 1):
                raise PlanError(f"The model's input '{i['name']}' has rows along dimension {i['row_dim']}, and not the shape {list(shape)}.")
            for fixed in i.get("sizes", []):
                found = shape[fixed["dim"]] if fixed["dim"] < len(shape) else None
                if found != fixed["size"]:
                    raise PlanError(f"The plan is for '{i['name']}' of size {fixed['size']} in dimension {fixed['dim']}, and not {found}: make it on such a graph.")
            if "row_dim" in i:  # forward has rows along another dimension than the first
                bound[i["name"]] = bound[i["name"]].movedim(i["row_dim"], 0).contiguous()
        bound.update({i["name"]: self._weights[i["name"]] for i in self.execution["inputs"] if i["name"] in self._weights})
        return bound

    def _tensor(self, described: dict, value: Any) -> torch.Tensor:
        name, dtype = described["name"], getattr(torch, described["dtype"])
        if not isinstance(value, torch.Tensor):
            raise PlanError(f"The model's input '{name}' is a tensor, and not of the type {type(value).__name__}.")
        if not torch.can_cast(value.dtype, dtype) and dtype != torch.bool or value.is_floating_point() and dtype == torch.bool:
            raise PlanError(f"The model's input '{name}' is of {dtype}, and not of {value.dtype}.")
        shape = [] if "matrix" in described or "row_dim" in described else self._shapes.get(name, [])
        free = {fixed["dim"] for fixed in described.get("sizes", [])}
        fits = len(shape) == value.dim() and all(type(size) is not int or dim in free or size == value.shape[dim] for dim, size in enumerate(shape))
        if shape and not fits:
            raise PlanError(f"The model's input '{name}' is [{', '.join(map(str, shape))}], and not {list(value.shape)}.")
        return value.cpu().to(dtype)

    def _wrong_ends(self, inputs: dict[str, Any]) -> str:
        """Of edges that name nodes which are not there; empty if none do."""
        most = max(self._nodes.values(), default=0)
        for i in self.execution["inputs"] if most > 0 else []:
            ends = inputs.get(i["name"])
            if i["role"] == "graph-structure" and isinstance(ends, torch.Tensor) and ends.dtype == torch.int64 and ends.dim() == 2 and ends.numel():
                wrong = [end for end in (int(ends.min()), int(ends.max())) if not 0 <= end < most]
                if wrong:
                    return f"The model's input '{i['name']}' names node {wrong[0]}, but there are nodes 0 to {most - 1} only."
        return ""

    def _run(self, inputs: dict[str, Any], batch_size: int):
        self._nodes = {}
        self._store = {i["name"]: inputs[i["name"]] for i in self.execution["inputs"] if i["role"] == "node-features"}

        def rows(counted: str | dict | int) -> int:
            if isinstance(counted, dict) and "divided_by" in counted:
                return sum(map(rows, counted["rows_of"])) // counted["divided_by"] * counted["times"]
            if isinstance(counted, dict):
                return inputs[counted["input"]].shape[counted["dim"]] * counted.get("times", 1)
            return inputs[counted].shape[0] if isinstance(counted, str) else counted

        # Nodes of each type; True is the name of the only one.
        kinds = self.execution.get("node_types", [])
        self._nodes = {kind["name"] if len(kinds) > 1 else True: sum(map(rows, kind["rows_of"])) for kind in kinds}
        self._nodes = self._nodes or {True: next(iter(self._store.values())).shape[0]}
        named = {_identifier(name): value for name, value in inputs.items()}
        named.update({"w_" + _identifier(name): value for name, value in self._weights.items()})
        self._structure = {**inputs, **self._once(named)}
        for name in self._from_front:
            if self._value(name).numel() and int(self._value(name).min()) < 0:
                raise PlanError(self._wrong_ends(inputs) or f"'{name}', which the model reads rows at, has negative numbers.")
        self._edges: dict[str, _Edges] = {}
        self._numbers = {kind: torch.full((count,), -1, dtype=torch.long) for kind, count in self._nodes.items()}
        for function, run in zip(self.execution["functions"], self._functions):
            self._run_function(function, run, batch_size)
        outputs = [self._store[name] if name in self._store else self._structure.get(name, self._weights.get(name)) for name in self.execution["outputs"]]
        return outputs[0] if len(outputs) == 1 else tuple(outputs)

    def _total(self, rows: list[dict]) -> int:
        return sum(self._value(term["value"]).shape[term["dim"]] if "value" in term else self._nodes[term["nodes"]] for term in rows)

    def _value(self, name: str):
        return self._structure[name] if name in self._structure else self._weights[name]

    def _run_function(self, function: dict, run: Callable, batch_size: int):
        total, wanted = self._total(function["rows"]), function_inputs(function)
        if function.get("global"):
            batch_size = max(total, 1)
        elif "output_rows" not in function:  # of the type of which there are most
            total = max([total] + [self._nodes[frame["nodes"]] for frame in function["frames"] if frame["kind"] == "targets" and "nodes" in frame])
        for first in range(0, max(total, 1), batch_size):
            batch = _Batch(self, function, first, min(total, first + batch_size), total)
            results = run({name: batch.input(operand) for name, operand in wanted.items()})
            for save in function["saves"]:
                if function.get("global"):
                    self._store[save["value"]] = results[save["value"]]
                else:
                    self._save(save, results[save["value"]], batch, total)
            batch.forget()

    def _save(self, save: dict, rows: torch.Tensor, batch: "_Batch", total: int):
        dim, outer, inner = save["row_dim"], save.get("outer", 1), save.get("inner", 1)
        kind = batch.kind_of(save["from"].get("frame", 0))
        first, last = batch.targets(kind)
        total = total if "output_rows" in batch.function else self._nodes[kind]
        if batch.first == 0:
            shape = list(rows.shape)
            shape[dim] = total * outer * inner
            self._store[save["value"]] = rows.new_empty(shape)
        store = self._store[save["value"]]
        apart = lambda t, n: t.view(*t.shape[:dim], outer, n, inner, *t.shape[dim + 1:])
        apart(store, total).narrow(dim + 1, first, last - first).copy_(apart(rows.contiguous(), last - first))


class _Batch:
    """The rows of each frame of a function for the targets first to last - 1."""

    def __init__(self, model: LayerWise, function: dict, first: int, last: int, total: int):
        self.model, self.function, self.first, self.last, self.total = model, function, first, last, total
        frames = function["frames"]
        self.kind = function.get("nodes", next(iter(model._nodes)))  # of the targets, and of nodes in blocks that do not say otherwise
        self.ids: list[torch.Tensor | None] = [None] * len(frames)
        self.places: list[torch.Tensor | None] = [None] * len(frames)
        self.nodes: dict = {}  # by type, in the order of their numbers
        for i, frame in enumerate(frames):
            if frame["kind"] == "targets":
                self.ids[i] = torch.arange(*self.targets(self.kind_of(i)))
                if "output_rows" not in function and not function.get("global"):
                    self._add(self.kind_of(i), self.ids[i])
        for hops in range(max(f["hops"] for f in frames) + 1):
            for i, frame in enumerate(frames):
                if frame["kind"] != "targets" and frame["hops"] == hops:
                    self._fill(i, frame)
            for neighbour in function["neighbours"] if "output_rows" not in function else []:
                if frames[neighbour["frame"]]["hops"] == hops:
                    self._add(self._kind(neighbour), self._nodes_at(neighbour) if "value" in neighbour else self.ids[neighbour["frame"]])

    def _kind(self, operand: dict):
        return operand.get("nodes", self.kind)

    def kind_of(self, frame: int):
        return self._kind(self.function["frames"][frame])

    def targets(self, kind) -> tuple[int, int]:
        """The first, and the one behind the last. Of types that have fewer, as large a share."""
        count = self.model._nodes[kind]
        if count == self.total or "output_rows" in self.function or self.function.get("global"):
            return self.first, self.last
        share = lambda place: count if place >= self.total else round(place / self.total * count)
        return 0 if self.first == 0 else share(self.first), share(self.last)

    def _add(self, kind, nodes: torch.Tensor):
        nodes, number = nodes.reshape(-1), self.model._numbers[kind]
        known = self.nodes.get(kind, torch.empty(0, dtype=torch.long))
        new = torch.unique(nodes[number[nodes] < 0])
        number[new] = torch.arange(len(known), len(known) + len(new))
        self.nodes[kind] = torch.cat([known, new])

    def forget(self):
        for kind, nodes in self.nodes.items():
            self.model._numbers[kind][nodes] = -1

    def _fill(self, i: int, frame: dict):
        model, parent = self.model, self.ids[frame.get("parent", 0)]
        if frame["kind"] == "block":
            self.ids[i] = self.nodes.get(self._kind(frame), torch.empty(0, dtype=torch.long))
        elif frame["kind"] == "edges":
            if frame["index"] not in model._edges:
                model._edges[frame["index"]] = _Edges(model._value(frame["index"]), model._nodes[self.kind_of(frame["parent"])])
            edges = model._edges[frame["index"]]
            self.ids[i] = edges.of_range(*self.targets(self.kind)) if frame["parent"] == 0 else edges.of_nodes(parent)
        elif frame["kind"] == "renumbered":
            numbers = model._value(frame["index"])[parent].long()
            self.ids[i] = torch.where(numbers < 0, numbers + model._total(frame["own"]), numbers) if "own" in frame else numbers
        else:
            start = model._total(frame["before"])
            self.places[i] = ((parent >= start) & (parent < start + model._total(frame["own"]))).nonzero().view(-1)
            self.ids[i] = parent[self.places[i]] - start

    def _sliced(self, value: torch.Tensor, operand: dict) -> torch.Tensor:
        dim, ids = operand["row_dim"], self.ids[operand["frame"]]
        outer, inner = operand.get("outer", 1), operand.get("inner", 1)
        if outer * inner == 1:
            return value.index_select(dim, ids)
        rows = value.shape[dim] // (outer * inner)
        apart = value.reshape(*value.shape[:dim], outer, rows, inner, *value.shape[dim + 1:])
        return apart.index_select(dim + 1, ids).flatten(dim, dim + 2)

    def _nodes_at(self, operand: dict) -> torch.Tensor:
        nodes = self._sliced(self.model._value(operand.get("local", operand.get("value"))), operand).long()
        return torch.where(nodes < 0, nodes + self.model._nodes[self._kind(operand)], nodes)

    def input(self, operand: dict):
        model = self.model
        if "rows" in operand:
            return len(self.ids[operand["rows"]])
        if "numbers" in operand:
            return model._numbers[self._kind(operand)][self.ids[operand["numbers"]]]
        if "parts" in operand:
            places = torch.cat([self.places[part] for part in operand["parts"]])
            return torch.empty_like(places).index_copy_(0, places, torch.arange(len(places)))
        if "stored" in operand:
            whole = model._store[operand["stored"]]
            return self._sliced(whole, operand) if "frame" in operand else whole
        if "slice" in operand:
            return self._sliced(model._value(operand["slice"]), operand)
        if "local" in operand:
            return model._numbers[self._kind(operand)][self._nodes_at(operand)]
        return model._value(operand["value"])

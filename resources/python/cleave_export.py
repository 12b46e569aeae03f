"""Exports graph neural networks of DGL, PyTorch Geometric and plain PyTorch to the PT2 archives that Cleave opens.

    import cleave_export

    cleave_export.export(model, {"x": x, "edge_index": edge_index}, "model.pt2")     # PyTorch Geometric, PyTorch
    cleave_export.export(model, (graph, features), "model.pt2")                      # DGL: forward(graph, features)
    cleave_export.export(model, (cleave_export.Blocks(graph), features), "model.pt2")   # DGL: forward(blocks, features)

    python3 cleave_export.py model.py:build graph.npz model.pt2

Numbers of nodes and edges stay free, the model is put in eval mode, and the archive is run against the model on a second graph of another size.
What torch.export refuses is said in one sentence, with the line of the model that it is about.

A DGL model runs on a graph of this file (Graph), which maps message passing to gathers and scatters of ATen; inputs of the program are plain
tensors: edge_index [2, M] beside what forward takes. Where DGL is not installed, install_dgl() puts a package of that name in its place, so that
sources written for DGL can be imported: dgl.function, edge_softmax, readouts, and the modules of dgl.nn named in NN below, whose parameters have
the names and shapes of DGL's, so that a state_dict of a model trained with DGL loads.

This file needs nothing but PyTorch 2.6 or newer.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import dataclasses
import functools
import importlib.abc
import importlib.machinery
import importlib.util
import inspect
import io
import linecache
import math
import logging
import os
import pathlib
import re
import shutil
import sys
import tempfile
import traceback
import types
import warnings
import zipfile
from collections import OrderedDict
from typing import Any, Callable, Iterator

import torch
import torch.nn.functional as F
from torch import nn
from torch.overrides import TorchFunctionMode


class ExportError(ValueError):
    """A model that cannot be exported; the text is one sentence that says what to change."""


class MissingError(ExportError, AttributeError):
    """A part of DGL that has no stand-in here."""


class DGLError(Exception):
    """What sources written for DGL raise and catch."""


ALL = "__ALL__"
NODE, EDGE = "_N", "_E"  # DGL's names of the only node and edge type
Relation = tuple[str, str, str]

# Gathers and scatters. -----------------------------------------------------------------------------------------------------------------


def _column(value: torch.Tensor, rank: int) -> torch.Tensor:
    """A vector of rows with as many dimensions as what it multiplies."""
    return value.reshape(-1, *[1] * (rank - 1))


def _aligned(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """DGL broadcasts what follows the row dimension: rows [M, 3] and [M, 5, 3] are [M, 1, 3] and [M, 5, 3]."""
    rank = max(a.dim(), b.dim())
    widen = lambda t: t.reshape(t.shape[0], *[1] * (rank - t.dim()), *t.shape[1:]) if t.dim() < rank else t
    return widen(a), widen(b)


_EXTREMES = {"max": "amax", "min": "amin", "prod": "prod"}


class _Edges:
    """The edges of one relation: source and target of each, and what is counted on them once."""

    def __init__(self, src: torch.Tensor, dst: torch.Tensor, sources: int, targets: int):
        self.src, self.dst, self.sources, self.targets = src, dst, sources, targets
        self._degrees: dict[str, torch.Tensor] = {}

    def count(self) -> int:
        return self.src.shape[0]

    def degrees(self, end: str) -> torch.Tensor:
        if end not in self._degrees:
            index, nodes = (self.dst, self.targets) if end == "in" else (self.src, self.sources)
            self._degrees[end] = index.new_zeros(nodes).index_add(0, index, torch.ones_like(index))
        return self._degrees[end]

    def to_targets(self, rows: torch.Tensor, how: str) -> torch.Tensor:
        """Reduces edge rows by target; targets without edges get 0, as DGL has it."""
        if how == "mean":
            total = self.to_targets(rows, "sum")
            return total / _column(self.degrees("in").clamp(min=1).to(total.dtype), total.dim())
        return scatter(rows, self.dst, self.targets, how)

    def reversed(self) -> "_Edges":
        return _Edges(self.dst, self.src, self.targets, self.sources)

    def some(self, numbers: torch.Tensor) -> "_Edges":
        return _Edges(self.src.index_select(0, numbers), self.dst.index_select(0, numbers), self.sources, self.targets)


def scatter(rows: torch.Tensor, index: torch.Tensor, count: int, how: str) -> torch.Tensor:
    if rows.dtype == torch.bool:
        raise ExportError("A message of booleans cannot be reduced: make numbers of it first (.float()).")
    zeros = rows.new_zeros((count, *rows.shape[1:]))
    if how == "sum":
        return zeros.index_add(0, index, rows)
    if how not in _EXTREMES:
        raise ExportError(f"The reduce function '{how}' is none of sum, mean, max, min and prod.")
    return zeros.scatter_reduce(0, _column(index, rows.dim()).expand_as(rows), rows, _EXTREMES[how], include_self=False)


# Built-in and user-defined functions. --------------------------------------------------------------------------------------------------


class Message:
    """A built-in message function, with the fields of DGL's own objects: what comes from sources is 0, from targets 1, from edges 2."""

    def __init__(self, op: str, lhs: int, rhs: int, lhs_field: str, rhs_field: str, out_field: str):
        self.binary_op, self.lhs, self.rhs, self.lhs_field, self.rhs_field, self.out_field = op, lhs, rhs, lhs_field, rhs_field, out_field
        self.name = f"{'uve'[lhs]}_{op}_{'uve'[rhs]}"


class Copy:
    def __init__(self, target: int, in_field: str, out_field: str):
        self.target, self.in_field, self.out_field = target, in_field, out_field
        self.name = f"copy_{'uve'[target]}"


class Reduce:
    def __init__(self, name: str, msg_field: str, out_field: str):
        self.name, self.msg_field, self.out_field = name, msg_field, out_field


_BINARY: dict[str, Callable] = {
    "add": torch.add,
    "sub": torch.sub,
    "mul": torch.mul,
    "div": torch.div,
    "dot": lambda a, b: (a * b).sum(-1, keepdim=True),
}


def _functions() -> dict[str, Any]:
    """dgl.function: copy_u, copy_e, u_mul_e and all the like, sum, mean, max, min, prod."""
    def binary(op, i, j):
        return lambda lhs_field, rhs_field, out: Message(op, i, j, lhs_field, rhs_field, out)

    def reducer(name):
        return lambda msg, out: Reduce(name, msg, out)

    sides = list(enumerate("uve"))
    found = {f"{a}_{op}_{b}": binary(op, i, j) for i, a in sides for j, b in sides if i != j for op in _BINARY}
    found |= {name: reducer(name) for name in ("sum", "mean", "max", "min", "prod")}
    found |= {"copy_u": lambda u, out: Copy(0, u, out), "copy_e": lambda e, out: Copy(2, e, out)}
    old = {"copy_src": lambda src, out: Copy(0, src, out), "copy_edge": lambda edge, out: Copy(2, edge, out),
           "src_mul_edge": lambda src, edge, out: Message("mul", 0, 2, src, edge, out)}
    return found | old


class _Gathered(dict):
    """Rows of node data at one end of each edge, gathered when they are read."""

    def __init__(self, frame: dict, index: torch.Tensor):
        super().__init__()
        self._frame, self._index = frame, index

    def __missing__(self, key):
        self[key] = _read(self._frame, key).index_select(0, self._index)
        return self[key]

    def __contains__(self, key):
        return key in self._frame

    def keys(self):
        return self._frame.keys()

    def get(self, key, default=None):
        return self[key] if key in self._frame else default


class EdgeBatch:
    """What a user-defined message function sees: all edges at once."""

    def __init__(self, graph: "Graph", relation: Relation, edges: _Edges, data: dict):
        self.src, self.dst, self.data = _Gathered(graph._nodes[relation[0]], edges.src), _Gathered(graph._targets[relation[2]], edges.dst), data
        self.canonical_etype, self._edges = relation, edges

    def edges(self):
        return self._edges.src, self._edges.dst, torch.arange(self._edges.count(), device=self._edges.src.device)

    def batch_size(self) -> int:
        return self._edges.count()

    __len__ = batch_size


class NodeBatch:
    """What a user-defined reduce or apply function sees."""

    def __init__(self, data: dict, mailbox: dict | None, count: int, ntype: str):
        self.data, self.mailbox, self.ntype, self._count = data, mailbox, ntype, count

    def nodes(self):
        return torch.arange(self._count)

    def batch_size(self) -> int:
        return self._count

    __len__ = batch_size


_MAIL_RULE = ("a reduce function may use entry-wise arithmetic on nodes.mailbox, and sum, mean, max, min and softmax over its dimension 1, "
              "since the exported program does not sort nodes by degree")


class Mail:
    """nodes.mailbox['m']: for each node the messages it got, [nodes, messages, …]. Held as edge rows; reducing dimension 1 is a scatter."""

    def __init__(self, rows: torch.Tensor, edges: _Edges, reduced: list[torch.Tensor]):
        self.rows, self._edges, self._reduced = rows, edges, reduced

    ENTRYWISE = {"add", "sub", "mul", "div", "true_divide", "exp", "log", "relu", "leaky_relu", "elu", "gelu", "sigmoid", "tanh", "neg", "abs", "pow", "sqrt",
                 "square", "clamp", "maximum", "minimum", "rsub", "softplus", "silu", "reciprocal", "linear", "float", "matmul", "where", "dropout",
                 "__add__", "__radd__", "__sub__", "__rsub__", "__mul__", "__rmul__", "__truediv__", "__rtruediv__", "__neg__", "__pow__", "__matmul__"}
    REDUCED = {"sum": "sum", "mean": "mean", "max": "max", "min": "min", "amax": "max", "amin": "min", "prod": "prod", "softmax": "softmax"}

    def dim(self) -> int:
        return self.rows.dim() + 1

    ndim = property(dim)

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return cls._apply(func.__name__, func, args, kwargs or {})

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        if name not in Mail.ENTRYWISE and name not in Mail.REDUCED and name not in ("unsqueeze", "squeeze"):
            raise ExportError(f"nodes.mailbox[…].{name} cannot be exported: {_MAIL_RULE}.")
        return lambda *args, **kwargs: Mail._apply(name, getattr(torch.Tensor, name), (self, *args), kwargs)

    @staticmethod
    def _apply(name, func, args, kwargs):
        mail = next((a for a in [*args, *kwargs.values()] if isinstance(a, Mail)), None)
        if name in Mail.REDUCED and args and isinstance(args[0], Mail):
            return args[0]._reduce(Mail.REDUCED[name], name, *args[1:], **kwargs)
        if name == "cat" and all(isinstance(a, Mail) for a in args[0]) and (args[1:] or [kwargs.get("dim", 0)])[0] in (-1, args[0][0].dim() - 1):
            first = args[0][0]
            return Mail(torch.cat([a.rows for a in args[0]], -1), first._edges, first._reduced)
        if name in ("unsqueeze", "squeeze") and isinstance(args[0], Mail):
            dim = (list(args[1:]) or [kwargs.get("dim", 1)])[0]
            if dim < 0 or dim > 1:
                return Mail(getattr(args[0].rows, name)(dim if dim < 0 else dim - 1), args[0]._edges, args[0]._reduced)
        if name not in Mail.ENTRYWISE or mail is None:
            raise ExportError(f"{name}() of nodes.mailbox[…] cannot be exported: {_MAIL_RULE}.")
        if name in ("matmul", "__matmul__", "linear") and not isinstance(args[0], Mail):
            raise ExportError(f"{name}() of nodes.mailbox[…] cannot be exported: {_MAIL_RULE}.")
        rank = mail.dim()

        def operand(a):
            if isinstance(a, Mail):
                return a.rows
            if isinstance(a, torch.Tensor) and name not in ("linear", "matmul", "__matmul__") and a.dim() >= rank - 1:
                # A row for each node, as nodes.data['h'].unsqueeze(1): each of its messages gets it.
                if a.dim() == rank and _same(a.shape[1], 1):
                    return a.squeeze(1).index_select(0, mail._edges.dst)
                raise ExportError(f"{name}() of nodes.mailbox[…] and a tensor of {a.dim()} dimensions cannot be exported: {_MAIL_RULE}.")
            return a

        result = func(*[operand(a) for a in args], **{key: operand(a) for key, a in kwargs.items()})
        return Mail(result, mail._edges, mail._reduced)

    def _reduce(self, how, name, dim=None, keepdim=False, **others):
        if set(others) - {"dtype", "_stacklevel"} or dim not in (1, 1 - self.dim(), [1], (1,)):
            if dim is not None and not others and isinstance(dim, int) and dim != 0 and dim != -self.dim():
                rows = getattr(self.rows, name)(dim if dim < 0 else dim - 1, **({"keepdim": keepdim} if name != "softmax" else {}))
                if isinstance(rows, torch.Tensor):
                    return Mail(rows, self._edges, self._reduced)
            raise ExportError(f"{name}() of nodes.mailbox[…] over dimension {dim} cannot be exported: {_MAIL_RULE}.")
        if how == "softmax":
            return Mail(_segment_softmax(self.rows, self._edges.dst, self._edges.targets), self._edges, self._reduced)
        result = self._edges.to_targets(self.rows, how)
        self._reduced.append(result)
        if keepdim:
            result = result.unsqueeze(1)
        return _Extreme(result) if name in ("max", "min") else result


class _Extreme(tuple):
    """What max(1) returns: its values, and positions that an exported program does not know."""

    def __new__(cls, values):
        return super().__new__(cls, (values, None))

    values = property(lambda self: self[0])

    @property
    def indices(self):
        raise ExportError(f"The positions that nodes.mailbox[…].max(1) finds cannot be exported: {_MAIL_RULE}.")


for _name in ("add", "radd", "sub", "rsub", "mul", "rmul", "truediv", "rtruediv", "neg", "pow", "matmul"):
    def _dunder(self, *others, _called=f"__{_name}__"):
        return Mail._apply(_called, getattr(torch.Tensor, _called), (self, *others), {})
    setattr(Mail, f"__{_name}__", _dunder)


def _same(a, b) -> bool:
    """Whether two sizes are known to be equal, without fixing either."""
    if isinstance(a, int) and isinstance(b, int):
        return a == b
    from torch.fx.experimental.symbolic_shapes import statically_known_true
    return statically_known_true(a == b)


def _segment_softmax(rows: torch.Tensor, index: torch.Tensor, count: int) -> torch.Tensor:
    most = scatter(rows, index, count, "max").index_select(0, index)
    powers = (rows - most).exp()
    return powers / scatter(powers, index, count, "sum").index_select(0, index)


# The graph. ----------------------------------------------------------------------------------------------------------------------------


def _read(frame: dict, key: str) -> torch.Tensor:
    if key not in frame:
        have = ", ".join(f"'{k}'" for k in frame) or "none"
        raise ExportError(f"The graph has no data '{key}' where a function reads it (there is: {have}): set it in forward, or on the graph that is exported.")
    return frame[key]


class _TypedData:
    """ndata, edata, srcdata and dstdata of a graph with several types: dictionaries by type."""

    def __init__(self, frames: dict, types: list):
        self._frames, self._types = frames, types

    def __getitem__(self, key):
        found = {t: self._frames[t][key] for t in self._types if key in self._frames[t]}
        if not found:
            raise KeyError(key)
        return found

    def __setitem__(self, key, value):
        if not isinstance(value, dict):
            raise ExportError(f"The graph has several types, so its data '{key}' must be set for each: graph.nodes[TYPE].data['{key}'].")
        for t, tensor in value.items():
            self._frames[t][key] = tensor

    def __contains__(self, key):
        return any(key in self._frames[t] for t in self._types)

    def update(self, values):
        for key, value in values.items():
            self[key] = value

    def pop(self, key):
        found = self[key]
        for t in found:
            del self._frames[t][key]
        return found


class _Space:
    def __init__(self, data: dict):
        self.data = data


class _Nodes:
    """graph.nodes: the numbers of all nodes when called, the data of a type by its name."""

    def __init__(self, graph: "Graph", frames: dict):
        self._graph, self._frames = graph, frames

    def __call__(self, ntype=None):
        return torch.arange(self._graph.num_nodes(ntype))

    def __getitem__(self, ntype):
        return _Space(self._frames[self._graph._type(ntype)])


class _EdgeView:
    def __init__(self, graph: "Graph"):
        self._graph = graph

    def __call__(self, form="uv", order="eid", etype=None):
        edges = self._graph._edges_of(etype)
        numbers = lambda: torch.arange(edges.count(), device=edges.src.device)
        if order not in ("eid", None):
            raise ExportError(f"graph.edges(order='{order}') cannot be exported: only the order of edge numbers.")
        return {"uv": lambda: (edges.src, edges.dst), "eid": numbers, "all": lambda: (edges.src, edges.dst, numbers())}[form]()

    def __getitem__(self, etype):
        return _Space(self._graph._edata[self._graph.to_canonical_etype(etype)])


class Graph:
    """The graph that a DGL model is run on: relations between node types, and data of nodes and edges; as a block, sources and targets are
    all nodes, with data of their own."""

    def __init__(self, edges: dict[Relation, _Edges], counts: dict[str, int], nodes=None, targets=None, edata=None, block: bool = False):
        self._edges, self._counts, self.is_block = edges, counts, block
        self._nodes: dict[str, dict] = nodes if nodes is not None else {t: {} for t in counts}
        self._targets: dict[str, dict] = targets if targets is not None else ({t: {} for t in counts} if block else self._nodes)
        self._edata: dict[Relation, dict] = edata if edata is not None else {relation: {} for relation in edges}

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        raise MissingError(f"graph.{name} of DGL has no counterpart in an exported program: compute it before the export and hand it to forward as a tensor.")

    # Types.

    @property
    def ntypes(self) -> list[str]:
        return list(self._counts)

    @property
    def canonical_etypes(self) -> list[Relation]:
        return list(self._edges)

    @property
    def etypes(self) -> list[str]:
        return [relation[1] for relation in self._edges]

    def _ends(self, end: int) -> list[str]:
        ends = [list(dict.fromkeys(relation[i] for relation in self._edges)) for i in (0, 2)]
        apart = not self.is_block and not set(ends[0]) & set(ends[1])
        return ends[end] if apart else self.ntypes

    srctypes = property(lambda self: self._ends(0))
    dsttypes = property(lambda self: self._ends(1))
    is_homogeneous = property(lambda self: len(self._counts) == 1 and len(self._edges) == 1)
    is_multigraph = property(lambda self: True)
    idtype = torch.int64
    batch_size = 1

    @property
    def device(self):
        return next(iter(self._edges.values())).src.device

    def _type(self, ntype, among=None) -> str:
        among = among or self.ntypes
        if ntype is None and len(among) == 1:
            return among[0]
        if ntype not in among:
            raise ExportError(f"The graph has no one node type '{ntype}'; its types are {', '.join(among)}.")
        return ntype

    def to_canonical_etype(self, etype) -> Relation:
        if etype is None and len(self._edges) == 1:
            return next(iter(self._edges))
        found = [relation for relation in self._edges if relation == etype or relation[1] == etype]
        if len(found) != 1:
            raise ExportError(f"'{etype}' names {len(found)} relations of the graph, not one; they are {', '.join('_'.join(r) for r in self._edges)}.")
        return found[0]

    def _edges_of(self, etype) -> _Edges:
        return self._edges[self.to_canonical_etype(etype)]

    def __getitem__(self, etype) -> "Graph":
        relation = self.to_canonical_etype(etype)
        counts = {t: self._counts[t] for t in (relation[0], relation[2])}
        return Graph({relation: self._edges[relation]}, counts, self._nodes, self._targets, self._edata, self.is_block)

    # Sizes and structure.

    def num_nodes(self, ntype=None):
        return sum(self._counts.values()) if ntype is None else self._counts[self._type(ntype)]

    def num_src_nodes(self, ntype=None):
        return sum(self._counts[t] for t in self.srctypes) if ntype is None else self._counts[self._type(ntype, self.srctypes)]

    def num_dst_nodes(self, ntype=None):
        return sum(self._counts[t] for t in self.dsttypes) if ntype is None else self._counts[self._type(ntype, self.dsttypes)]

    def num_edges(self, etype=None):
        return sum(e.count() for e in self._edges.values()) if etype is None else self._edges_of(etype).count()

    number_of_nodes, number_of_edges, number_of_src_nodes, number_of_dst_nodes = num_nodes, num_edges, num_src_nodes, num_dst_nodes

    def in_degrees(self, v=ALL, etype=None):
        return self._some(self._edges_of(etype).degrees("in"), v)

    def out_degrees(self, u=ALL, etype=None):
        return self._some(self._edges_of(etype).degrees("out"), u)

    @staticmethod
    def _some(degrees, nodes):
        if isinstance(nodes, str) and nodes == ALL:
            return _Degrees.marked(degrees)
        return degrees.index_select(0, torch.as_tensor(nodes).reshape(-1))

    def batch_num_nodes(self, ntype=None):
        return torch.ones(1, dtype=torch.int64) * self.num_nodes(ntype)

    def batch_num_edges(self, etype=None):
        return torch.ones(1, dtype=torch.int64) * self.num_edges(etype)

    nodes = property(lambda self: _Nodes(self, self._nodes))
    srcnodes = property(lambda self: _Nodes(self, self._nodes))
    dstnodes = property(lambda self: _Nodes(self, self._targets))
    edges = property(lambda self: _EdgeView(self))

    def all_edges(self, form="uv", order="eid", etype=None):
        return self.edges(form, order, etype)

    # Data.

    def _data(self, frames, types):
        return frames[types[0]] if len(types) == 1 else _TypedData(frames, types)

    ndata = property(lambda self: self._data(self._nodes, self.ntypes))
    srcdata = property(lambda self: self._data(self._nodes, self.srctypes))
    dstdata = property(lambda self: self._data(self._targets, self.dsttypes))
    edata = property(lambda self: self._data(self._edata, self.canonical_etypes))

    def _own_frames(self):
        shared = self._targets is self._nodes
        self._nodes = {t: dict(frame) for t, frame in self._nodes.items()}
        self._targets = self._nodes if shared else {t: dict(frame) for t, frame in self._targets.items()}
        self._edata = {relation: dict(frame) for relation, frame in self._edata.items()}

    @contextlib.contextmanager
    def local_scope(self):
        kept = self._nodes, self._targets, self._edata
        self._own_frames()
        try:
            yield
        finally:
            self._nodes, self._targets, self._edata = kept

    def local_var(self) -> "Graph":
        copy = Graph(self._edges, self._counts, self._nodes, self._targets, self._edata, self.is_block)
        copy._own_frames()
        return copy

    def to(self, *args, **kwargs) -> "Graph":
        return self

    cpu = int = long = to

    def formats(self, formats=None):
        return self

    # Message passing.

    def _messages(self, relation: Relation, func, edges: _Edges, data: dict) -> dict[str, torch.Tensor]:
        if isinstance(func, (list, tuple)):
            return {name: rows for f in func for name, rows in self._messages(relation, f, edges, data).items()}
        sides = (self._nodes[relation[0]], self._targets[relation[2]], data)

        def side(code, field):
            rows = _read(sides[code], field)
            return rows if code == 2 else rows.index_select(0, edges.src if code == 0 else edges.dst)

        if hasattr(func, "lhs_field"):
            a, b = _aligned(side(func.lhs, func.lhs_field), side(func.rhs, func.rhs_field))
            return {func.out_field: _BINARY[func.binary_op](a, b)}
        if hasattr(func, "in_field"):
            return {func.out_field: side(func.target, func.in_field)}
        return dict(func(EdgeBatch(self, relation, edges, data)))

    def _reduced(self, relation: Relation, func, messages: dict, edges: _Edges) -> dict[str, torch.Tensor]:
        if isinstance(func, (list, tuple)):
            return {name: rows for f in func for name, rows in self._reduced(relation, f, messages, edges).items()}
        if hasattr(func, "msg_field"):
            if func.msg_field not in messages:
                raise ExportError(f"The reduce function reads the message '{func.msg_field}', but the message function makes {', '.join(map(repr, messages))}.")
            return {func.out_field: edges.to_targets(messages[func.msg_field], func.name)}
        reduced: list[torch.Tensor] = []
        batch = NodeBatch(self._targets[relation[2]], {name: Mail(rows, edges, reduced) for name, rows in messages.items()}, edges.targets, relation[2])
        results = {}
        for name, rows in func(batch).items():
            if not isinstance(rows, torch.Tensor):
                raise ExportError(f"The reduce function returns '{name}' with a row for each message, not for each node: reduce it over dimension 1.")
            # DGL does not call the function for nodes without messages: they get 0.
            alone = edges.degrees("in") == 0
            results[name] = rows if any(rows is r for r in reduced) else rows.masked_fill(_column(alone, rows.dim()), 0)
        return results

    def _passed(self, relation: Relation, message, reduce, apply=None) -> dict[str, torch.Tensor]:
        edges = self._edges[relation]
        result = self._reduced(relation, reduce, self._messages(relation, message, edges, self._edata[relation]), edges)
        if apply is not None:
            result |= apply(NodeBatch({**self._targets[relation[2]], **result}, None, edges.targets, relation[2]))
        return result

    def update_all(self, message_func, reduce_func, apply_node_func=None, etype=None):
        if etype is None and len(self._edges) > 1:
            raise ExportError("update_all over several relations at once cannot be exported: call it for each (etype=…), or use multi_update_all.")
        relation = self.to_canonical_etype(etype)
        self._targets[relation[2]].update(self._passed(relation, message_func, reduce_func, apply_node_func))

    def apply_edges(self, func, edges=ALL, etype=None):
        if not (isinstance(edges, str) and edges == ALL):
            raise ExportError("apply_edges for some edges cannot be exported: let it compute all of them.")
        relation = self.to_canonical_etype(etype)
        self._edata[relation].update(self._messages(relation, func, self._edges[relation], self._edata[relation]))

    def apply_nodes(self, func, v=ALL, ntype=None):
        if not (isinstance(v, str) and v == ALL):
            raise ExportError("apply_nodes for some nodes cannot be exported: let it compute all of them.")
        ntype = self._type(ntype, self.dsttypes)
        self._targets[ntype].update(func(NodeBatch(self._targets[ntype], None, self._counts[ntype], ntype)))

    def send_and_recv(self, edges, message_func, reduce_func, apply_node_func=None, etype=None):
        """For some edges, by their numbers or all; only nodes that get messages change."""
        relation = self.to_canonical_etype(etype)
        chosen, data = self._edges[relation], self._edata[relation]
        everything = isinstance(edges, tuple) and len(edges) == 2 and edges[0] is chosen.src and edges[1] is chosen.dst
        if isinstance(edges, tuple) and not everything:
            raise ExportError("send_and_recv for pairs of nodes cannot be exported: name the edges by their numbers.")
        if not everything and not (isinstance(edges, str) and edges == ALL):
            numbers = torch.as_tensor(edges)
            chosen, data = chosen.some(numbers), {name: rows.index_select(0, numbers) for name, rows in data.items()}
        frame = self._targets[relation[2]]
        result = self._reduced(relation, reduce_func, self._messages(relation, message_func, chosen, data), chosen)
        if apply_node_func is not None:
            result |= apply_node_func(NodeBatch({**frame, **result}, None, chosen.targets, relation[2]))
        received = chosen.degrees("in") > 0
        for name, rows in result.items():
            if name in frame and frame[name].shape[1:] == rows.shape[1:]:
                rows = torch.where(_column(received, rows.dim()), rows, frame[name])
            frame[name] = rows

    def multi_update_all(self, etype_dict, cross_reducer, apply_node_func=None):
        results: dict[tuple[str, str], list[torch.Tensor]] = {}
        for etype, functions in etype_dict.items():
            relation = self.to_canonical_etype(etype)
            for name, rows in self._passed(relation, *functions).items():
                results.setdefault((relation[2], name), []).append(rows)
        for (ntype, name), rows in results.items():
            self._targets[ntype][name] = _across(rows, cross_reducer)
        if apply_node_func is not None:
            for ntype in dict.fromkeys(ntype for ntype, _ in results):
                self.apply_nodes(apply_node_func, ntype=ntype)


def _across(parts: list[torch.Tensor], how) -> torch.Tensor:
    """What several relations give the same nodes."""
    if callable(how):
        return how(parts)
    if how == "stack":
        return torch.stack(parts, 1)
    combine = {"sum": torch.add, "mean": torch.add, "max": torch.maximum, "min": torch.minimum}
    if how not in combine:
        raise ExportError(f"The cross reducer '{how}' is none of sum, mean, max, min and stack.")
    result = parts[0]
    for part in parts[1:]:
        result = combine[how](result, part)
    return result / len(parts) if how == "mean" and len(parts) > 1 else result


class Blocks:
    """Blocks of layers (message flow graphs) that are each the whole graph. Sizes are those of the graph; len() needs to be told how many."""

    def __init__(self, graph, count: int | None = None):
        self.graph, self._count, self._made = graph, count, {}

    def __getitem__(self, i):
        if isinstance(i, slice):
            return self
        i = i % self._count if self._count else i
        if i not in self._made:
            g = as_graph(self.graph)
            frames = lambda source: {t: dict(frame) for t, frame in source.items()}
            self._made[i] = Graph(g._edges, g._counts, frames(g._nodes), frames(g._nodes), frames(g._edata), True)
        return self._made[i]

    def __len__(self):
        if self._count is None:
            raise ExportError("forward asks for the number of blocks: say it, as in cleave_export.Blocks(graph, 3).")
        return self._count

    def __iter__(self):
        i = 0
        while self._count is None or i < self._count:
            yield self[i]
            i += 1


class _Degrees(TorchFunctionMode):
    """While a model runs: `if (graph.in_degrees() == 0).any(): raise` is taken as passed, since no program can hold it, and remembered."""

    NOW: "_Degrees | None" = None
    # What is known of results: degrees are not 0; "none" is false or 0 everywhere, "all" is true everywhere.
    COMPARED = {("degree", "eq", 0): "none", ("degree", "lt", 1): "none", ("degree", "le", 0): "none", ("degree", "gt", 0): "all", ("degree", "ge", 1): "all",
                ("degree", "ne", 0): "all", ("none", "gt", 0): "none", ("none", "eq", 0): "all", ("none", "ne", 0): "none"}
    REDUCED = {("degree", "min"): "degree", ("degree", "amin"): "degree", ("none", "any"): "none", ("none", "sum"): "none", ("none", "count_nonzero"): "none",
               ("none", "all"): "none", ("all", "all"): "all", ("all", "any"): "all"}

    def __init__(self):
        super().__init__()
        self._known: dict[int, tuple[torch.Tensor, str]] = {}
        self.asked: list[str] = []

    def __enter__(self):
        self._outer, _Degrees.NOW = _Degrees.NOW, self
        return super().__enter__()

    def __exit__(self, *problem):
        _Degrees.NOW = self._outer
        return super().__exit__(*problem)

    @staticmethod
    def marked(degrees):
        if _Degrees.NOW is not None:
            _Degrees.NOW._known[id(degrees)] = degrees, "degree"
        return degrees

    def __torch_function__(self, func, types, args=(), kwargs=None):
        name = getattr(func, "__name__", "").strip("_")
        _, fact = self._known.get(id(args[0]), (None, None)) if args else (None, None)
        if fact in ("none", "all") and name == "bool":
            self.asked.append(_line_of_frame(sys._getframe(1)))
            return fact == "all"
        result = func(*args, **(kwargs or {}))
        if fact is not None and isinstance(result, torch.Tensor):
            other = args[1] if len(args) > 1 and isinstance(args[1], int) else None
            found = self.COMPARED.get((fact, name, other)) if len(args) > 1 else self.REDUCED.get((fact, name))
            if found:
                self._known[id(result)] = result, found
        return result


class _Sparse:
    """A sparse matrix while a model is traced, since PyTorch's own fixes the size: torch.sparse_coo_tensor(edges, values, size), or one that was handed over.

    Products with rows are gathers and scatters. Entries that stand at one place several times add up, as they do there.
    """

    PRODUCTS = {"matmul", "mm", "mv", "spmm", "sparse_mm", "smm"}
    KEPT = {"coalesce", "contiguous", "cpu", "detach", "clone", "requires_grad_", "to_sparse", "to_sparse_coo"}
    RULE = "only products (A @ x, torch.sparse.mm(A, x)), sums of rows, softmax, coalesce() and t() can: write the rest with index_add over edge_index"
    is_sparse, layout, device, ndim = True, torch.sparse_coo, torch.device("cpu"), 2

    def __init__(self, indices=None, values=None, size=None, **others):
        if size is None:
            raise ExportError("torch.sparse_coo_tensor takes its size from what is in a tensor: hand it one, as in (x.size(0), x.size(0)).")
        self._entries, self._numbers, self.shape = indices, values.to(others.get("dtype") or values.dtype), tuple(size)

    @property
    def dtype(self):
        return self._numbers.dtype

    def size(self, dim=None):
        return self.shape if dim is None else self.shape[dim]

    def dim(self):
        return 2

    def is_coalesced(self):
        return True

    def indices(self):
        return self._entries

    def values(self):
        return self._numbers

    _indices, _values = indices, values

    def _nnz(self):
        return self._numbers.shape[0]

    def _with(self, values) -> "_Sparse":
        return _Sparse(self._entries, values, self.shape)

    def to(self, *args, **kwargs) -> "_Sparse":
        return self._with(self._numbers.to(*args, **kwargs))

    def float(self) -> "_Sparse":
        return self._with(self._numbers.float())

    def double(self) -> "_Sparse":
        return self._with(self._numbers.double())

    def t(self) -> "_Sparse":
        return _Sparse(self._entries.flip(0), self._numbers, self.shape[::-1])

    T = property(t)

    def transpose(self, first, second) -> "_Sparse":
        return self if first % 2 == second % 2 else self.t()

    def __matmul__(self, rows):
        if not isinstance(rows, torch.Tensor):
            raise ExportError(f"A product of two sparse matrices cannot be exported: {self.RULE}.")
        messages = rows.index_select(0, self._entries[1]) * _column(self._numbers, rows.dim())
        return scatter(messages, self._entries[0], self.shape[0], "sum")

    matmul = mm = mv = spmm = smm = __matmul__

    def __mul__(self, factor):
        if not _is_number(factor):
            return self._refuse("mul")
        return self._with(self._numbers * factor)

    mul = multiply = __rmul__ = __mul__

    def __truediv__(self, divisor):
        if not _is_number(divisor):
            return self._refuse("div")
        return self._with(self._numbers / divisor)

    div = __truediv__

    def __neg__(self):
        return self._with(-self._numbers)

    def __add__(self, other):
        if not isinstance(other, _Sparse):
            return self._refuse("add")
        return _Sparse(torch.cat([self._entries, other._entries], 1), torch.cat([self._numbers, other._numbers]), self.shape)

    add = __add__

    def sum(self, dim=None, dtype=None):
        values = self._numbers.to(dtype or self._numbers.dtype)
        if isinstance(dim, (tuple, list)) and len(dim) == 1:
            dim = dim[0]
        if dim is None:
            return values.sum()
        if not isinstance(dim, int):
            return self._refuse("sum")
        return _SparseVector(scatter(values, self._entries[1 - dim % 2], self.shape[1 - dim % 2], "sum"))

    def softmax(self, dim, dtype=None) -> "_Sparse":
        values = self._numbers.to(dtype or self._numbers.dtype)
        return self._with(_segment_softmax(values, self._entries[1 - dim % 2], self.shape[1 - dim % 2]))

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        name, kwargs = func.__name__.strip("_"), kwargs or {}
        if args and isinstance(args[0], cls):
            if name in cls.PRODUCTS and len(args) == 2 and not kwargs:
                return args[0] @ args[1]
            if name in cls.KEPT:
                return args[0]
            if name in ("t", "transpose", "mul", "multiply", "div", "neg", "add", "sum", "softmax", "sparse_sum", "sparse_softmax"):
                own = "__neg__" if name == "neg" else name.removeprefix("sparse_")
                return getattr(args[0], own)(*args[1:], **kwargs)
        elif len(args) > 1 and isinstance(args[1], cls):
            if name in ("addmm", "sparse_addmm") and len(args) == 3 and isinstance(args[2], torch.Tensor):
                return kwargs.get("beta", 1) * args[0] + kwargs.get("alpha", 1) * (args[1] @ args[2])
            if name in ("mul", "multiply") and _is_number(args[0]):
                return args[1] * args[0]
            if name in cls.PRODUCTS and args[0].dim() == 2:
                return (args[1].t() @ args[0].t()).t()
        return cls._refuse(name)

    @classmethod
    def _refuse(cls, name: str):
        raise MissingError(f"{name}() of a sparse matrix cannot be exported: {cls.RULE}.")

    def __getattr__(self, name):
        if name in _Sparse.KEPT:
            return lambda *args, **kwargs: self
        if name.startswith("__"):
            raise AttributeError(name)
        return self._refuse(name)


class _SparseVector:
    """Sums of the rows or columns of a sparse matrix: 0 where there are none."""

    def __init__(self, sums: torch.Tensor):
        self._sums = sums

    def to_dense(self) -> torch.Tensor:
        return self._sums

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        raise MissingError(f"{name}() of sums of a sparse matrix cannot be exported: take them by to_dense().")


def _is_number(value) -> bool:
    return isinstance(value, (int, float)) or isinstance(value, torch.Tensor) and value.numel() == 1


def _is_sparse(value) -> bool:
    """A sparse tensor, or a list or dictionary of them."""
    if isinstance(value, (list, tuple, dict)):
        parts = list(value.values() if isinstance(value, dict) else value)
        return bool(parts) and all(_is_sparse(part) for part in parts)
    return isinstance(value, torch.Tensor) and value.layout != torch.strided


def _count_sparse(value) -> int:
    if isinstance(value, (list, tuple, dict)):
        return sum(_count_sparse(part) for part in (value.values() if isinstance(value, dict) else value))
    return int(_is_sparse(value))


@contextlib.contextmanager
def _sparse_as_edges():
    real, old = torch.sparse_coo_tensor, torch.sparse.FloatTensor
    torch.sparse_coo_tensor = torch.sparse.FloatTensor = _Sparse
    try:
        yield
    finally:
        torch.sparse_coo_tensor, torch.sparse.FloatTensor = real, old


# dgl.* that take graphs. ---------------------------------------------------------------------------------------------------------------


def graph(data, *, num_nodes=None, idtype=None, device=None, row_sorted=False, col_sorted=False) -> Graph:
    """dgl.graph((sources, targets))."""
    src, dst = (torch.as_tensor(end).long() for end in data)
    if num_nodes is None:
        num_nodes = int(max(src.max(), dst.max())) + 1 if src.numel() else 0
    return _graph({(NODE, EDGE, NODE): (src, dst)}, {NODE: num_nodes})


def heterograph(data_dict, num_nodes_dict=None, idtype=None, device=None) -> Graph:
    """dgl.heterograph({(source type, relation, target type): (sources, targets)})."""
    data = {relation: tuple(torch.as_tensor(end).long() for end in ends) for relation, ends in data_dict.items()}
    counts = dict(num_nodes_dict or {})
    if not counts:
        for relation, ends in data.items():
            for ntype, end in zip((relation[0], relation[2]), ends):
                counts[ntype] = max(counts.get(ntype, 0), int(end.max()) + 1 if end.numel() else 0)
    return _graph(data, dict(sorted(counts.items())))


def _graph(data: dict[Relation, tuple], counts: dict, **others) -> Graph:
    return Graph({r: _Edges(ends[0], ends[1], counts[r[0]], counts[r[2]]) for r, ends in data.items()}, counts, **others)


def as_graph(value) -> Graph:
    """A graph of DGL (or one of these) as a Graph."""
    if isinstance(value, Graph):
        return value
    if getattr(value, "is_block", False):
        raise ExportError("A sampled block holds a part of the graph: export with the whole one, as in cleave_export.Blocks(graph).")
    data = {}
    for relation in value.canonical_etypes:
        src, dst = value.edges(order="eid", etype=relation)
        data[tuple(relation)] = (src.long(), dst.long())
    made = _graph(data, {t: int(value.num_nodes(t)) for t in value.ntypes})
    for t in value.ntypes:
        made._nodes[t].update({k: v for k, v in dict(value.nodes[t].data).items() if not k.startswith("_")})
    for relation in value.canonical_etypes:
        made._edata[tuple(relation)].update({k: v for k, v in dict(value.edges[relation].data).items() if not k.startswith("_")})
    return made


def _is_dgl(value) -> bool:
    return isinstance(value, Graph) or (hasattr(value, "canonical_etypes") and hasattr(value, "local_scope"))


def edge_softmax(graph: Graph, logits, eids=ALL, norm_by="dst"):
    if isinstance(logits, dict):
        raise ExportError("edge_softmax over several relations at once cannot be exported: call it for each relation.")
    edges = graph._edges_of(None)
    if not (isinstance(eids, str) and eids == ALL):
        edges = edges.some(torch.as_tensor(eids))
    return _segment_softmax(logits, *((edges.dst, edges.targets) if norm_by == "dst" else (edges.src, edges.sources)))


def add_self_loop(g: Graph, etype=None, fill_data=1.0) -> Graph:
    relation = g.to_canonical_etype(etype)
    if relation[0] != relation[2]:
        raise ExportError(f"add_self_loop needs a relation of one node type, not {relation[0]} to {relation[2]}.")
    edges, nodes = g._edges[relation], torch.arange(g._counts[relation[0]])
    more = _Edges(torch.cat([edges.src, nodes]), torch.cat([edges.dst, nodes]), edges.sources, edges.targets)

    def filled(rows):
        if isinstance(fill_data, str):
            return torch.cat([rows, edges.to_targets(rows, fill_data)])
        return torch.cat([rows, rows.new_full((nodes.shape[0], *rows.shape[1:]), fill_data)])

    edata = {r: {name: filled(rows) if r == relation else rows for name, rows in frame.items()} for r, frame in g._edata.items()}
    return Graph({**g._edges, relation: more}, g._counts, {t: dict(f) for t, f in g._nodes.items()}, edata=edata)


def remove_self_loop(g: Graph, etype=None) -> Graph:
    relation = g.to_canonical_etype(etype)
    kept = (g._edges[relation].src != g._edges[relation].dst).nonzero().squeeze(1)
    edata = {r: {name: rows.index_select(0, kept) if r == relation else rows for name, rows in frame.items()} for r, frame in g._edata.items()}
    return Graph({**g._edges, relation: g._edges[relation].some(kept)}, g._counts, {t: dict(f) for t, f in g._nodes.items()}, edata=edata)


def reverse(g: Graph, copy_ndata=True, copy_edata=False, *, share_ndata=None, share_edata=None) -> Graph:
    edges = {(d, e, s): g._edges[s, e, d].reversed() for s, e, d in g._edges}
    edata = {(d, e, s): dict(g._edata[s, e, d]) if copy_edata or share_edata else {} for s, e, d in g._edges}
    keep = copy_ndata if share_ndata is None else share_ndata
    return Graph(edges, g._counts, {t: dict(f) if keep else {} for t, f in g._nodes.items()}, edata=edata)


def add_reverse_edges(g: Graph, *, copy_ndata=True, copy_edata=False, **others) -> Graph:
    relation = g.to_canonical_etype(None)
    edges = g._edges[relation]
    both = _Edges(torch.cat([edges.src, edges.dst]), torch.cat([edges.dst, edges.src]), edges.sources, edges.targets)
    edata = {relation: {k: torch.cat([v, v]) for k, v in g._edata[relation].items()} if copy_edata else {}}
    return Graph({relation: both}, g._counts, {t: dict(f) if copy_ndata else {} for t, f in g._nodes.items()}, edata=edata)


def _readout(op: str, rows: torch.Tensor) -> torch.Tensor:
    if op in ("sum", "mean"):
        return getattr(rows, op)(0, keepdim=True)
    if op in ("max", "min"):
        return getattr(rows, "a" + op)(0, keepdim=True)
    raise ExportError(f"The readout '{op}' is none of sum, mean, max and min.")


def readout_nodes(graph: Graph, feat, weight=None, *, op="sum", ntype=None):
    frame = graph._nodes[graph._type(ntype)]
    rows = _read(frame, feat)
    return _readout(op, rows if weight is None else rows * _read(frame, weight))


def readout_edges(graph: Graph, feat, weight=None, *, op="sum", etype=None):
    frame = graph._edata[graph.to_canonical_etype(etype)]
    rows = _read(frame, feat)
    return _readout(op, rows if weight is None else rows * _read(frame, weight))


def softmax_nodes(graph: Graph, feat, *, ntype=None):
    return _read(graph._nodes[graph._type(ntype)], feat).softmax(0)


def broadcast_nodes(graph: Graph, graph_feat, *, ntype=None):
    row = graph_feat if _same(graph_feat.shape[0], 1) else graph_feat.unsqueeze(0)
    return row.expand(graph.num_nodes(ntype), *row.shape[1:])


def _readouts() -> dict[str, Callable]:
    found = {"readout_nodes": readout_nodes, "readout_edges": readout_edges, "softmax_nodes": softmax_nodes, "broadcast_nodes": broadcast_nodes}
    for op in ("sum", "mean", "max"):
        found[f"{op}_nodes"] = lambda graph, feat, weight=None, *, ntype=None, op=op: readout_nodes(graph, feat, weight, op=op, ntype=ntype)
        found[f"{op}_edges"] = lambda graph, feat, weight=None, *, etype=None, op=op: readout_edges(graph, feat, weight, op=op, etype=etype)
    return found


def gather_mm(a, b, *, idx_a=None, idx_b=None):
    """Row i of a times matrix idx_b[i] of b."""
    a = a if idx_a is None else a.index_select(0, idx_a)
    b = b if idx_b is None else b.index_select(0, idx_b)
    return torch.bmm(a.unsqueeze(1), b).squeeze(1)


def segment_mm(a, b, seglen_a):
    """The first seglen_a[0] rows of a times matrix 0 of b, and so on."""
    numbers = torch.arange(b.shape[0], device=a.device).repeat_interleave(torch.as_tensor(seglen_a), output_size=a.shape[0])
    return gather_mm(a, b, idx_b=numbers)


def expand_as_pair(input_, g=None):
    if isinstance(input_, tuple):
        return input_
    if g is not None and g.is_block:
        shorter = lambda rows, ntype=None: rows[:g.num_dst_nodes(ntype)]
        return input_, {t: shorter(rows, t) for t, rows in input_.items()} if isinstance(input_, dict) else shorter(input_)
    return input_, input_


def _ops() -> dict[str, Callable]:
    """dgl.ops: edge_softmax, u_mul_e_sum and the like, which take tensors instead of names."""
    found: dict[str, Callable] = {"edge_softmax": edge_softmax, "gather_mm": gather_mm, "segment_mm": segment_mm}

    def compute(g, lhs, rhs, op, x, y):
        edges = g._edges_of(None)
        at = lambda side, rows: rows if side == "e" else rows.index_select(0, edges.src if side == "u" else edges.dst)
        return _BINARY[op](*_aligned(at(lhs, x), at(rhs, y)))

    for reducer in ("sum", "max", "min", "mean"):
        found[f"copy_u_{reducer}"] = lambda g, x, reducer=reducer: g._edges_of(None).to_targets(x.index_select(0, g._edges_of(None).src), reducer)
        found[f"copy_e_{reducer}"] = lambda g, x, reducer=reducer: g._edges_of(None).to_targets(x, reducer)
        for op in ("add", "sub", "mul", "div"):
            found[f"u_{op}_e_{reducer}"] = lambda g, x, y, op=op, reducer=reducer: g._edges_of(None).to_targets(compute(g, "u", "e", op, x, y), reducer)
    found["copy_u"] = lambda g, x: x.index_select(0, g._edges_of(None).src)
    found["copy_v"] = lambda g, x: x.index_select(0, g._edges_of(None).dst)
    found["copy_e"] = lambda g, x: x
    for lhs in "uve":
        for rhs in "uve".replace(lhs, ""):
            for op in _BINARY:
                found[f"{lhs}_{op}_{rhs}"] = lambda g, x, y, lhs=lhs, rhs=rhs, op=op: compute(g, lhs, rhs, op, x, y)
    return found


# dgl.nn: modules with DGL's parameters, by the formulas of its documentation (docs.dgl.ai/api/python/nn-pytorch.html). -----------------


def _parameter(*sizes: int) -> nn.Parameter:
    return nn.Parameter(nn.init.xavier_normal_(torch.empty(*sizes), gain=nn.init.calculate_gain("relu")) if len(sizes) > 1 else torch.zeros(*sizes))


def _zeros_or_none(module: nn.Module, size: int, wanted: bool, buffer: bool = False):
    if wanted:
        module.bias = nn.Parameter(torch.zeros(size))
    elif buffer:
        module.register_buffer("bias", None)
    else:
        module.register_parameter("bias", None)


def _passing(graph: Graph, message, reduce, **rows) -> torch.Tensor:
    """One message passing with data of its own: u_… from sources, v_… at targets, e_… on edges."""
    relation = graph.to_canonical_etype(None)
    frames = [{name[2:]: value for name, value in rows.items() if name.startswith(side)} for side in ("u_", "v_", "e_")]
    own = Graph(graph._edges, graph._counts, {t: frames[0] for t in graph._counts}, {t: frames[1] for t in graph._counts}, {relation: frames[2]}, True)
    return own._passed(relation, message, reduce)[reduce.out_field]


def _edge_values(graph: Graph, op: str, **rows) -> torch.Tensor:
    relation = graph.to_canonical_etype(None)
    edges = graph._edges[relation]
    return _BINARY[op](*_aligned(rows["u"].index_select(0, edges.src), rows["v"].index_select(0, edges.dst)))


def _norm(degrees: torch.Tensor, feat: torch.Tensor, power: float) -> torch.Tensor:
    return _column(degrees.clamp(min=1).to(feat.dtype).pow(power), feat.dim())


_COPY, _WEIGHTED = Copy(0, "h", "m"), Message("mul", 0, 2, "h", "w", "m")


class EdgeWeightNorm(nn.Module):
    """w_ij / (c_i c_j), with c the weighted degrees ('both': their square roots), or divided by the target's ('right')."""

    def __init__(self, norm="both", eps=0.0):
        super().__init__()
        self._norm, self._eps = norm, eps

    def forward(self, graph, edge_weight):
        edges = graph._edges_of(None)
        total = lambda e: scatter(edge_weight, e.dst, e.targets, "sum") + self._eps
        if self._norm == "none":
            return edge_weight
        if self._norm == "right":
            return edge_weight / total(edges).index_select(0, edges.dst)
        return total(edges.reversed()).pow(-0.5).index_select(0, edges.src) * total(edges).pow(-0.5).index_select(0, edges.dst) * edge_weight


class GraphConv(nn.Module):
    """D_in^-1/2 A D_out^-1/2 X W + b (norm='both'); only one of the degrees ('left', 'right'), or none."""

    def __init__(self, in_feats, out_feats, norm="both", weight=True, bias=True, activation=None, allow_zero_in_degree=False):
        super().__init__()
        if norm not in ("none", "both", "right", "left"):
            raise DGLError(f"GraphConv has no norm '{norm}'.")
        self._in_feats, self._out_feats, self._norm, self._activation = in_feats, out_feats, norm, activation
        self._allow_zero_in_degree = allow_zero_in_degree
        if weight:
            self.weight = _parameter(in_feats, out_feats)
        else:
            self.register_parameter("weight", None)
        _zeros_or_none(self, out_feats, bias)

    def reset_parameters(self):
        if self.weight is not None:
            nn.init.xavier_uniform_(self.weight)
        if self.bias is not None:
            nn.init.zeros_(self.bias)

    def set_allow_zero_in_degree(self, set_value):
        self._allow_zero_in_degree = set_value

    def forward(self, graph, feat, weight=None, edge_weight=None):
        rows, target = expand_as_pair(feat, graph)
        weight = self.weight if weight is None else weight
        if self._norm in ("left", "both"):
            rows = rows * _norm(graph.out_degrees(), rows, -0.5 if self._norm == "both" else -1.0)
        narrows = self._in_feats > self._out_feats
        if weight is not None and narrows:
            rows = rows @ weight
        total = Reduce("sum", "m", "h")
        rows = _passing(graph, _COPY, total, u_h=rows) if edge_weight is None else _passing(graph, _WEIGHTED, total, u_h=rows, e_w=edge_weight)
        if weight is not None and not narrows:
            rows = rows @ weight
        if self._norm in ("right", "both"):
            rows = rows * _norm(graph.in_degrees(), rows, -0.5 if self._norm == "both" else -1.0)
        if self.bias is not None:
            rows = rows + self.bias
        return self._activation(rows) if self._activation is not None else rows


class SAGEConv(nn.Module):
    """fc_self(h_i) + fc_neigh(aggregate of h_j); 'gcn': fc_neigh of the mean over the neighbours and the node."""

    def __init__(self, in_feats, out_feats, aggregator_type, feat_drop=0.0, bias=True, norm=None, activation=None):
        super().__init__()
        source, target = in_feats if isinstance(in_feats, tuple) else (in_feats, in_feats)
        if aggregator_type == "lstm":
            raise ExportError("SAGEConv('lstm') runs over neighbours one after the other, which no exported program does: take 'mean', 'pool' or 'gcn'.")
        if aggregator_type not in ("mean", "gcn", "pool"):
            raise DGLError(f"SAGEConv has no aggregator '{aggregator_type}'.")
        self._aggre_type, self._in_src_feats, self._in_dst_feats, self._out_feats = aggregator_type, source, target, out_feats
        self.norm, self.feat_drop, self.activation = norm, nn.Dropout(feat_drop), activation
        if aggregator_type == "pool":
            self.fc_pool = nn.Linear(source, source)
        self.fc_neigh = nn.Linear(source, out_feats, bias=False)
        if aggregator_type != "gcn":
            self.fc_self = nn.Linear(target, out_feats, bias=bias)
        elif bias:
            self.bias = nn.Parameter(torch.zeros(out_feats))
        else:
            self.register_buffer("bias", None)
        self.reset_parameters()

    def reset_parameters(self):
        for name in ("fc_pool", "fc_self", "fc_neigh"):
            if hasattr(self, name):
                nn.init.xavier_uniform_(getattr(self, name).weight, gain=nn.init.calculate_gain("relu"))

    def _load_from_state_dict(self, state_dict, prefix, *others):
        # DGL before 1.0 had the bias elsewhere: in fc_neigh as well, or beside both.
        for old in ("fc_neigh.bias", "bias"):
            kept = "bias" if self._aggre_type == "gcn" else "fc_self.bias"
            if old != kept and prefix + old in state_dict:
                bias = state_dict.pop(prefix + old)
                state_dict[prefix + kept] = state_dict[prefix + kept] + bias if prefix + kept in state_dict else bias
        super()._load_from_state_dict(state_dict, prefix, *others)

    def forward(self, graph, feat, edge_weight=None):
        rows, own = (self.feat_drop(f) for f in feat) if isinstance(feat, tuple) else (self.feat_drop(feat),) * 2
        if not isinstance(feat, tuple) and graph.is_block:
            own = own[:graph.num_dst_nodes()]
        if self._aggre_type == "pool":
            rows = F.relu(self.fc_pool(rows))
        elif self._in_src_feats > self._out_feats:
            rows = self.fc_neigh(rows)
        narrowed = self._aggre_type != "pool" and self._in_src_feats > self._out_feats
        reduce = Reduce({"mean": "mean", "gcn": "sum", "pool": "max"}[self._aggre_type], "m", "h")
        found = _passing(graph, _COPY, reduce, u_h=rows) if edge_weight is None else _passing(graph, _WEIGHTED, reduce, u_h=rows, e_w=edge_weight)
        if self._aggre_type == "gcn":
            self_rows = rows if not isinstance(feat, tuple) else self.fc_neigh(own) if narrowed else own
            found = (found + self_rows[:graph.num_dst_nodes()]) / _column(graph.in_degrees().to(found.dtype) + 1, found.dim())
        if not narrowed:
            found = self.fc_neigh(found)
        if self._aggre_type != "gcn":
            found = self.fc_self(own) + found
        elif self.bias is not None:
            found = found + self.bias
        if self.activation is not None:
            found = self.activation(found)
        return self.norm(found) if self.norm is not None else found


class GATConv(nn.Module):
    """sum of a_ij W h_j, with a_ij = softmax over j of LeakyReLU(attn_l · W h_j + attn_r · W h_i), for each head."""

    def __init__(self, in_feats, out_feats, num_heads, feat_drop=0.0, attn_drop=0.0, negative_slope=0.2, residual=False, activation=None,
                 allow_zero_in_degree=False, bias=True):
        super().__init__()
        self._num_heads, self._out_feats, self._allow_zero_in_degree = num_heads, out_feats, allow_zero_in_degree
        self._in_src_feats, self._in_dst_feats = expand_as_pair(in_feats)
        if isinstance(in_feats, tuple):
            self.fc_src = nn.Linear(self._in_src_feats, out_feats * num_heads, bias=False)
            self.fc_dst = nn.Linear(self._in_dst_feats, out_feats * num_heads, bias=False)
        else:
            self.fc = nn.Linear(in_feats, out_feats * num_heads, bias=False)
        self.attn_l, self.attn_r = _parameter(1, num_heads, out_feats), _parameter(1, num_heads, out_feats)
        self.feat_drop, self.attn_drop, self.leaky_relu = nn.Dropout(feat_drop), nn.Dropout(attn_drop), nn.LeakyReLU(negative_slope)
        # DGL 2 keeps the bias inside the residual layer where there is one.
        wide = self._in_dst_feats != out_feats * num_heads
        self.has_linear_res = residual and wide
        self.has_explicit_bias = bias and not self.has_linear_res
        if residual:
            self.res_fc = nn.Linear(self._in_dst_feats, num_heads * out_feats, bias=bias) if wide else nn.Identity()
        else:
            self.register_buffer("res_fc", None)
        _zeros_or_none(self, num_heads * out_feats, self.has_explicit_bias, buffer=True)
        self.activation = activation

    def reset_parameters(self):
        for name, tensor in self.named_parameters():
            nn.init.xavier_normal_(tensor, gain=nn.init.calculate_gain("relu")) if tensor.dim() > 1 else nn.init.zeros_(tensor)

    def set_allow_zero_in_degree(self, set_value):
        self._allow_zero_in_degree = set_value

    def _load_from_state_dict(self, state_dict, prefix, *others):
        if self.has_linear_res and prefix + "bias" in state_dict:  # written before DGL 2
            state_dict[prefix + "res_fc.bias"] = state_dict.pop(prefix + "bias")
        super()._load_from_state_dict(state_dict, prefix, *others)

    def forward(self, graph, feat, edge_weight=None, get_attention=False):
        heads = lambda rows: rows.view(*rows.shape[:-1], self._num_heads, self._out_feats)
        if isinstance(feat, tuple):
            source, target = self.feat_drop(feat[0]), self.feat_drop(feat[1])
            first, second = (self.fc_src, self.fc_dst) if hasattr(self, "fc_src") else (self.fc, self.fc)
            at_source, at_target = heads(first(source)), heads(second(target))
        else:
            source = target = self.feat_drop(feat)
            at_source = at_target = heads(self.fc(source))
            if graph.is_block:
                at_target, target = at_source[:graph.num_dst_nodes()], target[:graph.num_dst_nodes()]
        scores = _edge_values(graph, "add", u=(at_source * self.attn_l).sum(-1, keepdim=True), v=(at_target * self.attn_r).sum(-1, keepdim=True))
        attention = self.attn_drop(edge_softmax(graph, self.leaky_relu(scores)))
        if edge_weight is not None:
            attention = attention * edge_weight.tile(1, self._num_heads, 1).transpose(0, 2)
        rows = _passing(graph, _WEIGHTED, Reduce("sum", "m", "h"), u_h=at_source, e_w=attention)
        if self.res_fc is not None:
            rows = rows + heads(self.res_fc(target))
        if self.bias is not None:
            rows = rows + self.bias.view(self._num_heads, self._out_feats)
        if self.activation:
            rows = self.activation(rows)
        return (rows, attention) if get_attention else rows


class GATv2Conv(nn.Module):
    """As GATConv, with scores attn · LeakyReLU(fc_src(h_j) + fc_dst(h_i))."""

    def __init__(self, in_feats, out_feats, num_heads, feat_drop=0.0, attn_drop=0.0, negative_slope=0.2, residual=False, activation=None,
                 allow_zero_in_degree=False, bias=True, share_weights=False):
        super().__init__()
        self._num_heads, self._out_feats, self.share_weights = num_heads, out_feats, share_weights
        source, target = expand_as_pair(in_feats)
        self.fc_src = nn.Linear(source, out_feats * num_heads, bias=bias)
        self.fc_dst = self.fc_src if share_weights and not isinstance(in_feats, tuple) else nn.Linear(target, out_feats * num_heads, bias=bias)
        self.attn = _parameter(1, num_heads, out_feats)
        self.feat_drop, self.attn_drop, self.leaky_relu = nn.Dropout(feat_drop), nn.Dropout(attn_drop), nn.LeakyReLU(negative_slope)
        if residual:
            self.res_fc = nn.Linear(target, num_heads * out_feats, bias=bias) if target != out_feats * num_heads else nn.Identity()
        else:
            self.register_buffer("res_fc", None)
        self.activation = activation

    def forward(self, graph, feat, get_attention=False):
        heads = lambda rows: rows.view(-1, self._num_heads, self._out_feats)
        source, target = (self.feat_drop(f) for f in feat) if isinstance(feat, tuple) else (self.feat_drop(feat),) * 2
        at_source, at_target = heads(self.fc_src(source)), heads(self.fc_dst(target))
        if not isinstance(feat, tuple) and graph.is_block:
            at_target, target = at_target[:graph.num_dst_nodes()], target[:graph.num_dst_nodes()]
        scores = self.leaky_relu(_edge_values(graph, "add", u=at_source, v=at_target))
        attention = self.attn_drop(edge_softmax(graph, (scores * self.attn).sum(-1, keepdim=True)))
        rows = _passing(graph, _WEIGHTED, Reduce("sum", "m", "h"), u_h=at_source, e_w=attention)
        if self.res_fc is not None:
            rows = rows + heads(self.res_fc(target))
        if self.activation:
            rows = self.activation(rows)
        return (rows, attention) if get_attention else rows


class GINConv(nn.Module):
    """apply_func((1 + eps) h_i + aggregate of h_j)."""

    def __init__(self, apply_func=None, aggregator_type="sum", init_eps=0, learn_eps=False, activation=None):
        super().__init__()
        if aggregator_type not in ("sum", "max", "mean"):
            raise DGLError(f"GINConv has no aggregator '{aggregator_type}'.")
        self.apply_func, self._aggregator_type, self.activation = apply_func, aggregator_type, activation
        eps = torch.tensor([float(init_eps)])
        if learn_eps:
            self.eps = nn.Parameter(eps)
        else:
            self.register_buffer("eps", eps)

    def forward(self, graph, feat, edge_weight=None):
        rows, own = expand_as_pair(feat, graph)
        reduce = Reduce(self._aggregator_type, "m", "h")
        found = _passing(graph, _COPY, reduce, u_h=rows) if edge_weight is None else _passing(graph, _WEIGHTED, reduce, u_h=rows, e_w=edge_weight)
        found = (1 + self.eps) * own + found
        if self.apply_func is not None:
            found = self.apply_func(found)
        return self.activation(found) if self.activation is not None else found


class GINEConv(nn.Module):
    """apply_func((1 + eps) h_i + sum of relu(h_j + e_ij))."""

    def __init__(self, apply_func=None, init_eps=0, learn_eps=False):
        super().__init__()
        self.apply_func = apply_func
        eps = torch.tensor([float(init_eps)])
        if learn_eps:
            self.eps = nn.Parameter(eps)
        else:
            self.register_buffer("eps", eps)

    def forward(self, graph, node_feat, edge_feat):
        rows, own = expand_as_pair(node_feat, graph)
        edges = graph._edges_of(None)
        found = (1 + self.eps) * own + edges.to_targets(F.relu(rows.index_select(0, edges.src) + edge_feat), "sum")
        return self.apply_func(found) if self.apply_func is not None else found


class NNConv(nn.Module):
    """aggregate of h_j edge_nn(e_ij), with a matrix [in, out] for each edge."""

    def __init__(self, in_feats, out_feats, edge_func, aggregator_type="mean", residual=False, bias=True):
        super().__init__()
        if aggregator_type not in ("sum", "mean", "max"):
            raise DGLError(f"NNConv has no aggregator '{aggregator_type}'.")
        self._in_src_feats, target = expand_as_pair(in_feats)
        self._out_feats, self._aggre_type, self.edge_nn = out_feats, aggregator_type, edge_func
        if residual:
            self.res_fc = nn.Linear(target, out_feats, bias=False) if target != out_feats else nn.Identity()
        else:
            self.register_buffer("res_fc", None)
        _zeros_or_none(self, out_feats, bias, buffer=True)

    def forward(self, graph, feat, efeat):
        rows, own = expand_as_pair(feat, graph)
        edges = graph._edges_of(None)
        weights = self.edge_nn(efeat).view(-1, self._in_src_feats, self._out_feats)
        # The maximum is taken of each product, as DGL does; sums may as well be taken of each edge's result.
        messages = rows.index_select(0, edges.src).unsqueeze(-1) * weights
        found = edges.to_targets(messages, "max").sum(1) if self._aggre_type == "max" else edges.to_targets(messages.sum(1), self._aggre_type)
        if self.res_fc is not None:
            found = found + self.res_fc(own)
        return found + self.bias if self.bias is not None else found


class GatedGraphConv(nn.Module):
    """h = GRU(sum of W_r h_j + b_r over edges of all types r, h), n_steps times; features are filled up with zeros."""

    def __init__(self, in_feats, out_feats, n_steps, n_etypes, bias=True):
        super().__init__()
        self._n_steps, self._out_feats = n_steps, out_feats
        self.linears = nn.ModuleList(nn.Linear(out_feats, out_feats) for _ in range(n_etypes))
        self.gru = nn.GRUCell(out_feats, out_feats, bias=bias)

    def forward(self, graph, feat, etypes=None):
        edges = graph._edges_of(None)
        if feat.shape[1] < self._out_feats:
            feat = torch.cat([feat, feat.new_zeros(feat.shape[0], self._out_feats - feat.shape[1])], -1)
        parts = [edges] if etypes is None else [edges.some((etypes == r).nonzero().squeeze(1)) for r in range(len(self.linears))]
        for _ in range(self._n_steps):
            sums = None
            for part, linear in zip(parts, self.linears):
                found = part.to_targets(linear(feat).index_select(0, part.src), "sum")
                sums = found if sums is None else sums + found
            feat = self.gru(sums, feat)
        return feat


class TypedLinear(nn.Module):
    """x W_t, with t the type of each row; W_t a sum of bases ('basis'), or block-diagonal ('bdd')."""

    def __init__(self, in_size, out_size, num_types, regularizer=None, num_bases=None):
        super().__init__()
        self.in_size, self.out_size, self.num_types, self.regularizer, self.num_bases = in_size, out_size, num_types, regularizer, num_bases
        if regularizer is None:
            self.W = _parameter(num_types, in_size, out_size)
        elif regularizer == "basis":
            self.W, self.coeff = _parameter(num_bases, in_size, out_size), _parameter(num_types, num_bases)
        elif regularizer == "bdd":
            if in_size % num_bases or out_size % num_bases:
                raise DGLError("The sizes of a block-diagonal TypedLinear are multiples of num_bases.")
            self.submat_in, self.submat_out = in_size // num_bases, out_size // num_bases
            self.W = _parameter(num_types, num_bases * self.submat_in * self.submat_out)
        else:
            raise DGLError(f"TypedLinear has no regularizer '{regularizer}'.")

    def get_weight(self):
        if self.regularizer != "basis":
            return self.W
        return (self.coeff @ self.W.view(self.num_bases, -1)).view(self.num_types, self.in_size, self.out_size)

    def of_type(self, rows, number: int):
        """Rows that are all of one type."""
        weight = self.get_weight()[number]
        if self.regularizer != "bdd":
            return rows @ weight
        blocks = torch.einsum("nbi,bio->nbo", rows.view(-1, self.num_bases, self.submat_in), weight.view(self.num_bases, self.submat_in, self.submat_out))
        return blocks.reshape(-1, self.out_size)

    def forward(self, x, x_type, sorted_by_type=False):
        weight = self.get_weight()
        if self.regularizer == "bdd":
            weight = weight.view(self.num_types, self.num_bases, self.submat_in, self.submat_out).index_select(0, x_type)
            return torch.einsum("nbi,nbio->nbo", x.view(-1, self.num_bases, self.submat_in), weight).reshape(-1, self.out_size)
        return gather_mm(x, weight, idx_b=x_type)


class RelGraphConv(nn.Module):
    """Sum over relations r and neighbours j of h_j W_r (times norm), plus h_i loop_weight; one sum for each relation."""

    def __init__(self, in_feat, out_feat, num_rels, regularizer=None, num_bases=None, bias=True, activation=None, self_loop=True, dropout=0.0,
                 layer_norm=False):
        super().__init__()
        if regularizer is not None and num_bases is None:
            num_bases = num_rels
        self.linear_r = TypedLinear(in_feat, out_feat, num_rels, regularizer, num_bases)
        self.bias, self.activation, self.self_loop, self.layer_norm = bias, activation, self_loop, layer_norm
        if bias:
            self.h_bias = nn.Parameter(torch.zeros(out_feat))
        if layer_norm:
            self.layer_norm_weight = nn.LayerNorm(out_feat, elementwise_affine=True)
        if self_loop:
            self.loop_weight = _parameter(in_feat, out_feat)
        self.dropout = nn.Dropout(dropout)

    def forward(self, g, feat, etypes, norm=None, *, presorted=False):
        edges, rows = g._edges_of(None), None
        for r in range(self.linear_r.num_types):
            numbers = (etypes == r).nonzero().squeeze(1)
            some = edges.some(numbers)
            messages = feat.index_select(0, some.src)
            if norm is not None:
                messages = messages * _aligned(messages, norm.index_select(0, numbers))[1]
            part = self.linear_r.of_type(some.to_targets(messages, "sum"), r)
            rows = part if rows is None else rows + part
        if self.layer_norm:
            rows = self.layer_norm_weight(rows)
        if self.bias:
            rows = rows + self.h_bias
        if self.self_loop:
            rows = rows + feat[:g.num_dst_nodes()] @ self.loop_weight
        if self.activation:
            rows = self.activation(rows)
        return self.dropout(rows)


class HeteroGraphConv(nn.Module):
    """A module for each relation; what several give one node type is added up (sum, mean, max, min, stack, or a function)."""

    def __init__(self, mods, aggregate="sum"):
        super().__init__()
        self.mods = nn.ModuleDict({str(key): module for key, module in mods.items()})
        self._aggregate = aggregate

    def _module(self, relation):
        return next((self.mods[key] for key in (str(relation), relation[1]) if key in self.mods), None)

    def forward(self, g, inputs, mod_args=None, mod_kwargs=None):
        if isinstance(inputs, tuple):
            sources, targets = inputs
        else:
            sources, targets = inputs, {t: rows[:g.num_dst_nodes(t)] for t, rows in inputs.items() if t in g.dsttypes} if g.is_block else inputs
        results: dict[str, list] = {}
        for relation in g.canonical_etypes:
            if relation[0] not in sources or (relation[2] not in targets) or self._module(relation) is None:
                continue
            given = [(d or {}).get(relation[1], (d or {}).get(relation, empty)) for d, empty in ((mod_args, ()), (mod_kwargs, {}))]
            results.setdefault(relation[2], []).append(self._module(relation)(g[relation], (sources[relation[0]], targets[relation[2]]), *given[0], **given[1]))
        if callable(self._aggregate):
            return {t: self._aggregate(results[t], t) for t in g.dsttypes if t in results}
        return {t: _across(results[t], self._aggregate) for t in g.dsttypes if t in results}


class WeightBasis(nn.Module):
    """num_outputs weights that are sums of num_bases ones."""

    def __init__(self, shape, num_bases, num_outputs):
        super().__init__()
        self.shape, self.num_bases, self.num_outputs = shape, num_bases, num_outputs
        self.weight = _parameter(num_bases, *shape)
        if num_bases < num_outputs:
            self.w_comp = _parameter(num_outputs, num_bases)

    def forward(self):
        if self.num_bases >= self.num_outputs:
            return self.weight
        return (self.w_comp @ self.weight.view(self.num_bases, -1)).view(self.num_outputs, *self.shape)


class SGConv(nn.Module):
    """fc((D^-1/2 A D^-1/2)^k X), with in-degrees."""

    def __init__(self, in_feats, out_feats, k=1, cached=False, bias=True, norm=None, allow_zero_in_degree=False):
        super().__init__()
        self.fc, self._cached, self._k, self.norm = nn.Linear(in_feats, out_feats, bias=bias), cached, k, norm

    def forward(self, graph, feat, edge_weight=None):
        norm = _norm(graph.in_degrees(), feat, -0.5)
        for _ in range(self._k):
            if edge_weight is None:
                feat = _passing(graph, _COPY, Reduce("sum", "m", "h"), u_h=feat * norm) * norm
            else:
                feat = _passing(graph, _WEIGHTED, Reduce("sum", "m", "h"), u_h=feat, e_w=edge_weight)
        return self.fc(feat if self.norm is None else self.norm(feat))


class TAGConv(nn.Module):
    """lin of X, A' X, …, A'^k X side by side, with A' = D^-1/2 A D^-1/2 of in-degrees."""

    def __init__(self, in_feats, out_feats, k=2, bias=True, activation=None):
        super().__init__()
        self._k, self._activation, self.lin = k, activation, nn.Linear(in_feats * (k + 1), out_feats, bias=bias)

    def forward(self, graph, feat, edge_weight=None):
        hops = [feat]
        if edge_weight is not None:
            edge_weight = EdgeWeightNorm("both")(graph, edge_weight)
        norm = _norm(graph.in_degrees(), feat, -0.5)
        for _ in range(self._k):
            if edge_weight is None:
                hops.append(_passing(graph, _COPY, Reduce("sum", "m", "h"), u_h=hops[-1] * norm) * norm)
            else:
                hops.append(_passing(graph, _WEIGHTED, Reduce("sum", "m", "h"), u_h=hops[-1], e_w=edge_weight))
        rows = self.lin(torch.cat(hops, -1))
        return self._activation(rows) if self._activation is not None else rows


class APPNPConv(nn.Module):
    """H = (1 - alpha) D_in^-1/2 A D_out^-1/2 H + alpha X, k times."""

    def __init__(self, k, alpha, edge_drop=0.0):
        super().__init__()
        self._k, self._alpha, self.edge_drop = k, alpha, nn.Dropout(edge_drop)

    def forward(self, graph, feat, edge_weight=None):
        first = feat
        if edge_weight is not None:
            edge_weight = EdgeWeightNorm("both")(graph, edge_weight)
        source, target = _norm(graph.out_degrees(), feat, -0.5), _norm(graph.in_degrees(), feat, -0.5)
        for _ in range(self._k):
            if edge_weight is None:
                feat = _passing(graph, _COPY, Reduce("sum", "m", "h"), u_h=feat * source) * target
            else:
                feat = _passing(graph, _WEIGHTED, Reduce("sum", "m", "h"), u_h=feat, e_w=self.edge_drop(edge_weight))
            feat = (1 - self._alpha) * feat + self._alpha * first
        return feat


class AGNNConv(nn.Module):
    """sum of p_ij h_j, with p_ij = softmax over j of beta cos(h_i, h_j)."""

    def __init__(self, init_beta=1.0, learn_beta=True, allow_zero_in_degree=False):
        super().__init__()
        if learn_beta:
            self.beta = nn.Parameter(torch.tensor([init_beta]))
        else:
            self.register_buffer("beta", torch.tensor([init_beta]))

    def forward(self, graph, feat):
        rows, own = expand_as_pair(feat, graph)
        scores = self.beta * _edge_values(graph, "dot", u=F.normalize(rows, dim=-1), v=F.normalize(own, dim=-1))
        return _passing(graph, _WEIGHTED, Reduce("sum", "m", "h"), u_h=rows, e_w=edge_softmax(graph, scores))


class EdgeConv(nn.Module):
    """max over j of theta(x_i - x_j) + phi(x_i), as DGL computes it; its documentation writes the difference the other way round."""

    def __init__(self, in_feat, out_feat, batch_norm=False, allow_zero_in_degree=False):
        super().__init__()
        self.batch_norm, self.theta, self.phi = batch_norm, nn.Linear(in_feat, out_feat), nn.Linear(in_feat, out_feat)
        if batch_norm:
            self.bn = nn.BatchNorm1d(out_feat)

    def forward(self, g, feat):
        rows, own = expand_as_pair(feat, g)
        edges = g._edges_of(None)
        values = self.theta(own.index_select(0, edges.dst) - rows.index_select(0, edges.src)) + self.phi(own).index_select(0, edges.dst)
        return scatter(self.bn(values) if self.batch_norm else values, edges.dst, edges.targets, "max")


class GCN2Conv(nn.Module):
    """((1 - alpha) A' H + alpha X) ((1 - beta) I + beta W), with A' = D^-1/2 A D^-1/2 of in-degrees and beta = log(lambda / layer + 1)."""

    def __init__(self, in_feats, layer, alpha=0.1, lambda_=1, project_initial_features=True, allow_zero_in_degree=False, bias=True, activation=None):
        super().__init__()
        self.alpha, self.beta, self._activation = alpha, math.log(lambda_ / layer + 1), activation
        self.weight1 = nn.Parameter(torch.randn(in_feats, in_feats))
        self.register_parameter("weight2", None if project_initial_features else nn.Parameter(torch.randn(in_feats, in_feats)))
        _zeros_or_none(self, in_feats, bias)

    def _projected(self, rows, weight):
        return (1 - self.beta) * rows + self.beta * (rows @ weight)

    def forward(self, graph, feat, feat_0, edge_weight=None):
        if edge_weight is None:
            norm = _norm(graph.in_degrees(), feat, -0.5)
            rows = _passing(graph, _COPY, Reduce("sum", "m", "h"), u_h=feat * norm) * norm
        else:
            rows = _passing(graph, _WEIGHTED, Reduce("sum", "m", "h"), u_h=feat, e_w=EdgeWeightNorm("both")(graph, edge_weight))
        rows, first = (1 - self.alpha) * rows, self.alpha * feat_0
        rows = self._projected(rows + first, self.weight1) if self.weight2 is None else self._projected(rows, self.weight1) + self._projected(first, self.weight2)
        if self.bias is not None:
            rows = rows + self.bias
        return self._activation(rows) if self._activation is not None else rows


class ChebConv(nn.Module):
    """linear of Z_0 = X, Z_1 = L X, Z_k = 2 L Z_(k-1) - Z_(k-2) side by side, with L = 2 (I - D^-1/2 A D^-1/2) / lambda_max - I."""

    def __init__(self, in_feats, out_feats, k, activation=F.relu, bias=True):
        super().__init__()
        self._k, self.activation, self.linear = k, activation, nn.Linear(k * in_feats, out_feats, bias)

    def forward(self, graph, feat, lambda_max=None):
        if lambda_max is None:
            scale = 1.0
        else:
            largest = torch.as_tensor(lambda_max, dtype=feat.dtype)
            scale = 2.0 / broadcast_nodes(graph, largest.reshape(-1, 1))
        norm = _norm(graph.in_degrees(), feat, -0.5)
        shifted = lambda z: (scale - 1) * z - scale * (_passing(graph, _COPY, Reduce("sum", "m", "h"), u_h=z * norm) * norm)
        terms = [feat]
        for k in range(1, self._k):
            terms.append(shifted(feat) if k == 1 else 2 * shifted(terms[-1]) - terms[-2])
        rows = self.linear(torch.cat(terms, 1))
        return self.activation(rows) if self.activation else rows


class _PNATower(nn.Module):
    """BatchNorm(U(x_i, all scaled aggregates of M(x_j, x_i, e_ij)) / sqrt(number of nodes)). Rows without edges: aggregates of 0."""

    def __init__(self, in_size, out_size, aggregators, scalers, delta, dropout, edge_feat_size):
        super().__init__()
        self.aggregators, self.scalers, self.delta, self.edge_feat_size = aggregators, scalers, delta, edge_feat_size
        self.M = nn.Linear(2 * in_size + edge_feat_size, in_size)
        self.U = nn.Linear((len(aggregators) * len(scalers) + 1) * in_size, out_size)
        self.dropout, self.batchnorm = nn.Dropout(dropout), nn.BatchNorm1d(out_size)

    def _aggregated(self, how, rows, edges):
        reduced = edges.to_targets
        if how not in ("std", "var"):
            return reduced(rows, how)
        var = torch.relu(reduced(rows * rows, "mean") - reduced(rows, "mean").square())
        return var if how == "var" else torch.sqrt(var + 1e-30)

    def forward(self, graph, feat, edge_feat):
        edges = graph._edges_of(None)
        ends = [feat.index_select(0, edges.src), feat.index_select(0, edges.dst)] + ([edge_feat] if self.edge_feat_size else [])
        messages = self.M(torch.cat(ends, -1))
        found = torch.cat([self._aggregated(how, messages, edges) for how in self.aggregators], 1)
        log = _column(torch.log(graph.in_degrees().clamp(min=1).to(feat.dtype) + 1), 2) / self.delta
        scaled = {"identity": lambda: found, "amplification": lambda: found * log, "attenuation": lambda: found / log}
        rows = self.U(torch.cat([feat, *(scaled[how]() for how in self.scalers)], -1))
        return self.dropout(self.batchnorm(rows * graph.batch_num_nodes().to(feat.dtype).rsqrt()))


class PNAConv(nn.Module):
    """leaky_relu(W towers), with a tower for each part of the features, plus x where it is as wide."""

    def __init__(self, in_size, out_size, aggregators, scalers, delta, dropout=0.0, num_towers=1, edge_feat_size=0, residual=True):
        super().__init__()
        if unknown := sorted({*aggregators} - {"mean", "sum", "max", "min", "std", "var"}):
            raise ExportError(f"PNAConv with '{unknown[0]}': DGL takes that moment over all nodes of equal degree together, so it cannot be computed node by node.")
        if in_size % num_towers or out_size % num_towers:
            raise DGLError("in_size and out_size must be divisible by num_towers.")
        self.residual, self._tower_in = residual and in_size == out_size, in_size // num_towers
        self.towers = nn.ModuleList([_PNATower(self._tower_in, out_size // num_towers, aggregators, scalers, delta, dropout, edge_feat_size) for _ in range(num_towers)])
        self.mixing_layer = nn.Sequential(nn.Linear(out_size, out_size), nn.LeakyReLU())

    def forward(self, graph, node_feat, edge_feat=None):
        parts = node_feat.split(self._tower_in, 1)
        rows = self.mixing_layer(torch.cat([tower(graph, part, edge_feat) for tower, part in zip(self.towers, parts)], 1))
        return rows + node_feat if self.residual else rows


class DotGatConv(nn.Module):
    """sum of a_ij W h_j, with a_ij = softmax over j of (W h_i · W h_j) / sqrt(out_feats), for each head."""

    def __init__(self, in_feats, out_feats, num_heads, allow_zero_in_degree=False):
        super().__init__()
        self._out_feats, self._num_heads = out_feats, num_heads
        source, target = expand_as_pair(in_feats)
        if isinstance(in_feats, tuple):
            self.fc_src = nn.Linear(source, out_feats * num_heads, bias=False)
            self.fc_dst = nn.Linear(target, out_feats * num_heads, bias=False)
        else:
            self.fc = nn.Linear(source, out_feats * num_heads, bias=False)

    def forward(self, graph, feat, get_attention=False):
        heads = lambda rows: rows.view(-1, self._num_heads, self._out_feats)
        if isinstance(feat, tuple):
            first, second = (self.fc_src, self.fc_dst) if hasattr(self, "fc_src") else (self.fc, self.fc)
            at_source, at_target = heads(first(feat[0])), heads(second(feat[1]))
        else:
            at_source = at_target = heads(self.fc(feat))
            if graph.is_block:
                at_target = at_source[:graph.num_dst_nodes()]
        attention = edge_softmax(graph, _edge_values(graph, "dot", u=at_source, v=at_target) / self._out_feats ** 0.5)
        rows = _passing(graph, _WEIGHTED, Reduce("sum", "m", "h"), u_h=at_source, e_w=attention)
        return (rows, attention) if get_attention else rows


class JumpingKnowledge(nn.Module):
    """Results of all layers side by side ('cat'), their maximum, or a sum weighted by an LSTM."""

    def __init__(self, mode="cat", in_feats=None, num_layers=None):
        super().__init__()
        self.mode = mode
        if mode == "lstm":
            self.lstm = nn.LSTM(in_feats, num_layers * in_feats // 2, bidirectional=True, batch_first=True)
            self.att = nn.Linear(2 * (num_layers * in_feats // 2), 1)

    def reset_parameters(self):
        if self.mode == "lstm":
            self.lstm.reset_parameters()
            self.att.reset_parameters()

    def forward(self, feat_list):
        if self.mode == "cat":
            return torch.cat(feat_list, -1)
        rows = torch.stack(feat_list, 1)
        if self.mode == "max":
            return rows.max(1)[0]
        weights = self.att(self.lstm(rows)[0]).squeeze(-1).softmax(-1)
        return (rows * weights.unsqueeze(-1)).sum(1)


class Sequential(nn.Sequential):
    def forward(self, graph, *feats):
        for module in self:
            feats = module(graph, *(feats if isinstance(feats, tuple) else (feats,)))
        return feats[0] if isinstance(feats, tuple) and len(feats) == 1 else feats


class _Pooling(nn.Module):
    op = "sum"

    def forward(self, graph, feat):
        return _readout(self.op, feat)


SumPooling = type("SumPooling", (_Pooling,), {})
AvgPooling = type("AvgPooling", (_Pooling,), {"op": "mean"})
MaxPooling = type("MaxPooling", (_Pooling,), {"op": "max"})


class GlobalAttentionPooling(nn.Module):
    def __init__(self, gate_nn, feat_nn=None):
        super().__init__()
        self.gate_nn, self.feat_nn = gate_nn, feat_nn

    def forward(self, graph, feat, get_attention=False):
        gate = self.gate_nn(feat).softmax(0)
        rows = _readout("sum", (feat if self.feat_nn is None else self.feat_nn(feat)) * gate)
        return (rows, gate) if get_attention else rows


NN: dict[str, type] = {c.__name__: c for c in (
    AGNNConv, APPNPConv, AvgPooling, ChebConv, DotGatConv, EdgeConv, EdgeWeightNorm, GCN2Conv, GATConv, GATv2Conv, GatedGraphConv, GINConv, GINEConv, GlobalAttentionPooling, GraphConv,
    HeteroGraphConv, JumpingKnowledge, MaxPooling, NNConv, PNAConv, RelGraphConv, SAGEConv, SGConv, Sequential, SumPooling, TAGConv, TypedLinear,
    WeightBasis)} | {"Identity": nn.Identity}
FUNCTIONS = _functions()
OPS = _ops()
GRAPH_FUNCTIONS: dict[str, Callable] = {f.__name__: f for f in (add_self_loop, remove_self_loop, reverse, add_reverse_edges)} | _readouts()

# A package named dgl. ------------------------------------------------------------------------------------------------------------------

_PACKAGES = {"backend", "base", "convert", "conv", "data", "dataloading", "distributed", "function", "functional", "glob", "hetero", "heterograph", "linear",
             "nn", "ops", "pytorch", "readout", "sampling", "softmax", "sparse", "transforms", "utils"}


def _parts(package: str) -> dict[str, Any]:
    utils = {"expand_as_pair": expand_as_pair, "Identity": nn.Identity}
    base = {"DGLError": DGLError, "ALL": ALL, "NID": "_ID", "EID": "_ID"}
    if package == "dgl":
        kinds = {"DGLGraph": Graph, "DGLHeteroGraph": Graph, "DGLBlock": Graph, "graph": graph, "heterograph": heterograph}
        return {**base, **kinds, **GRAPH_FUNCTIONS, "__version__": "0", "gather_mm": gather_mm, "segment_mm": segment_mm}
    if package == "dgl.function":
        return FUNCTIONS
    if package.startswith("dgl.nn") or package == "dgl.ops":
        return {**(NN if package != "dgl.ops" else {}), **OPS, **utils}
    return {**base, **utils, **GRAPH_FUNCTIONS, "DGLGraph": Graph, "DGLHeteroGraph": Graph, "DGLBlock": Graph}


class _Package(types.ModuleType):
    """A package of dgl: what has no stand-in is a class that says so when it is made."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        if name in _PACKAGES:
            return importlib.import_module(f"{self.__name__}.{name}")

        def refuse(instance, *args, **kwargs):
            raise ExportError(f"{self.__name__}.{name} has no stand-in here: install DGL, or write it with update_all, apply_edges and edge_softmax.")

        return type(name, (), {"__init__": refuse, "__module__": self.__name__})


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, name, path=None, target=None):
        if name == "dgl" or name.startswith("dgl."):
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
        return None

    def create_module(self, spec):
        return _Package(spec.name)

    def exec_module(self, module):
        for name, value in _parts(module.__name__).items():
            setattr(module, name, value)


class install_dgl:
    """Puts the stand-in package in the place of dgl, unless DGL itself is installed; as a context manager, until its end."""

    def __init__(self):
        self._finder = None
        if importlib.util.find_spec("dgl") is None:
            self._finder = _Finder()
            sys.meta_path.insert(0, self._finder)

    def __enter__(self):
        return self

    def __exit__(self, *problem):
        if self._finder is not None:
            sys.meta_path.remove(self._finder)
            for name in [n for n in sys.modules if n == "dgl" or n.startswith("dgl.")]:
                del sys.modules[name]


@contextlib.contextmanager
def _dgl_on_stand_ins():
    """While this lasts, functions of an installed DGL take a Graph as well, wherever they were imported to."""
    dgl = sys.modules.get("dgl")
    if dgl is None or isinstance(dgl, _Package):
        yield
        return
    replaced = {}
    for package, functions in ((getattr(dgl, "ops", None), OPS), (dgl, {**GRAPH_FUNCTIONS, "gather_mm": gather_mm, "segment_mm": segment_mm})):
        for name, own in functions.items():
            real = getattr(package, name, None)
            if callable(real):
                def either(*args, _real=real, _own=own, **kwargs):
                    of_tensors = _own in (gather_mm, segment_mm)
                    return (_own if of_tensors or any(isinstance(a, Graph) for a in [*args[:1], *kwargs.values()]) else _real)(*args, **kwargs)
                replaced[id(real)] = (real, either)
    changed = []
    # Modules that check values of tensors before they compute.
    for own in (EdgeWeightNorm, GatedGraphConv):
        real = getattr(getattr(dgl, "nn", None), own.__name__, None)
        if isinstance(real, type):
            def forward(self, graph, *args, _real=real.forward, _own=own.forward, **kwargs):
                return (_own if isinstance(graph, Graph) else _real)(self, graph, *args, **kwargs)
            changed.append((real, "forward", real.forward))
            real.forward = forward
    for module in [m for m in list(sys.modules.values()) if isinstance(m, types.ModuleType)]:
        for name, value in list(vars(module).items()):
            if id(value) in replaced and replaced[id(value)][0] is value and module.__name__ != __name__:
                changed.append((module, name, value))
                setattr(module, name, replaced[id(value)][1])
    try:
        yield
    finally:
        for owner, name, value in changed:
            setattr(owner, name, value)


# Inputs. -------------------------------------------------------------------------------------------------------------------------------


_SIDE_BY_SIDE = ("rows", "graphs")


@dataclasses.dataclass
class _Input:
    """A tensor that the program takes, and what its rows count.

    nodes of a type, edges of a relation, or rows of something else; an index (edge_index) has the ends of edges, a matrix its nodes twice, pointers
    one entry more than what they count, sizes add up to the nodes or edges of all graphs together. Nothing is known of others.
    """

    tensor: torch.Tensor
    counts: str = "other"  # nodes, edges, rows, index, matrix, pointers, sizes or other
    of: Any = None         # the node type or the relation; of pointers and sizes the group of what they cut into parts
    optional: bool = False  # from the data of a graph: an input only if forward reads it
    distinct: bool = False  # an index of the entries of a sparse matrix, which stand at a place once
    row_dim: int = 0        # where its rows lie, of other inputs than an edge index
    each: Any = None        # the group of what pointers have an entry for each of, if it is known
    graphs: bool = False    # whether dimension 0 counts graphs that lie side by side, with their nodes behind it
    tried: dict[int, tuple | None] = dataclasses.field(default_factory=dict)  # other dimensions that may be free, and what they turn out to count

    @property
    def free(self) -> dict[int, tuple | None]:
        """The dimensions whose sizes are free, and the groups whose numbers these are."""
        if self.tensor.dim() == 0:
            return {}
        dims = [1] if self.counts == "index" else [self.row_dim, self.row_dim + 1] if self.counts == "matrix" else [self.row_dim]
        return ({0: _SIDE_BY_SIDE} if self.graphs else {}) | {dim: self.group for dim in dims} | self.tried

    @property
    def rows(self) -> int | None:
        return None if self.tensor.dim() == 0 else 1 if self.counts == "index" else self.row_dim

    def count(self) -> int:
        return self.tensor.shape[self.rows]

    @property
    def group(self) -> tuple | None:
        """What shares one number with its rows."""
        kind = {"index": "edges", "matrix": "nodes"}.get(self.counts, self.counts)
        return (kind, self.of) if kind in ("nodes", "edges", "rows") else None


def _words(name: str) -> list[str]:
    return re.findall(r"[a-z0-9]+", name.lower())


_OF_GRAPH_FILES = {"num_nodes"}  # what a graph file says of the graph by names that inputs cannot have beside it
_NODE_COUNTS = {"num_nodes", "n_nodes", "number_of_nodes", "num_node", "n_node", "node_num", "nodes_num", "n", "N"}
_MATRICES = {"a", "adj", "adjs", "adjacency", "support", "supports", "laplacian", "lap"}
_FEATURES = {"x", "h", "feat", "feats", "feature", "features", "input", "inputs"}
_OF_ALL = _FEATURES | {"edge", "edges", "node", "nodes", "index", "attr", "weight", "type", "id", "ids", "batch", "pos", "z"}


def _own_words(name: str) -> frozenset[str]:
    """What tells x1 and edge_index1 from x2 and edge_index2, x_lig from x_prot: the words that are not said of all graphs."""
    return frozenset(re.findall(r"[a-z]+|[0-9]+", name.lower())) - _OF_ALL


_TUPLES = {"edge", "edges", "triple", "triples", "triplets", "quads", "quadruples", "facts", "links", "quals", "qualifiers"}


def _identifier(*parts) -> str:
    name = re.sub(r"\W", "_", "_".join(str(part) for part in parts))
    return name if name[:1].isalpha() or name[:1] == "_" else "v_" + name


def _is_edge_index(name: str, tensor: torch.Tensor) -> bool:
    """Two rows of ends, or three and more that are called edges or triples: ends, and the relation between them."""
    if not tensor.is_floating_point() and tensor.dim() == 2 and 2 < tensor.shape[0] <= 4 and tensor.shape[1] > 4 * tensor.shape[0]:
        return not _TUPLES.isdisjoint(_words(name))
    return not tensor.is_floating_point() and tensor.dtype != torch.bool and tensor.dim() == 2 and tensor.shape[0] == 2 and tensor.shape[1] != 2 or \
        (tensor.dim() == 2 and tensor.shape[0] == 2 and "index" in _words(name) and not tensor.is_floating_point())


_PAIRS_OF_ENDS = [{"u", "v"}, {"src", "dst"}, {"row", "col"}, {"senders", "receivers"}, {"source", "target"}, {"head", "tail"}, {"i", "j"}]


def _is_of_attributes(value: dict) -> bool:
    """A dictionary of what one graph has, {"x": …, "edge_index": …} or the ends of its edges, {"u": …, "v": …}, and not of node types."""
    lists = [v for v in value.values() if isinstance(v, torch.Tensor) and v.dim() == 1 and v.dtype in (torch.int32, torch.int64)]
    if len(lists) == len(value) == 2 and lists[0].shape == lists[1].shape and set(value) in _PAIRS_OF_ENDS:
        return True
    return any(isinstance(k, str) and isinstance(v, torch.Tensor) and _is_edge_index(k, v) for k, v in value.items()) or \
        any(isinstance(v, dict) and _is_of_attributes(v) for v in value.values())


def _is_square(tensor: torch.Tensor) -> bool:
    return tensor.is_floating_point() and tensor.dim() in (2, 3) and tensor.shape[-1] == tensor.shape[-2] > 1


def _is_matrix_name(name: str) -> bool:
    return any(word in _MATRICES or word.startswith("adj") for word in _words(name))


def _is_neighbours_name(name: str) -> bool:
    return any(re.match("idx|ind|neigh|nbr|knn|nn|edge|adj", word) for word in _words(name))


def _is_pointers(name: str, tensor: torch.Tensor) -> bool:
    """Where the rows of each node or graph begin and end: 0, …, number of rows."""
    return any(word.endswith("ptr") or word == "crow" for word in _words(name)) and tensor.dim() == 1 and not tensor.is_floating_point() and \
        tensor.numel() > 1 and int(tensor[0]) == 0 and bool((tensor[1:] >= tensor[:-1]).all())


def _is_hyperedges(node_type) -> bool:
    return str(node_type).startswith("hyperedges")


class _Inputs:
    """Arguments of forward taken apart into named tensors, and put together again from them."""

    def __init__(self):
        self.all: dict[str, _Input] = {}
        self.graphs: list[tuple[Graph, dict, dict]] = []  # with what types and relations are called here: those of a second graph are others
        self._built: dict[int, tuple[Any, Callable]] = {}
        self.fixed: set = set()  # groups whose number is not free
        self.notes: list[str] = []
        self.lists: dict[str, list[str]] = {}  # the inputs that arguments are lists of
        self.tables: dict[str, int] = {}  # rows of the model's parameters that are tables
        self.matrices = 0  # sparse ones
        self.counted: dict[str, int] = {}  # arguments that are numbers of nodes
        self._nodes: dict[Any, int] = {}
        self._edges: dict[Any, int] = {}
        self._founders: dict[Any, str] = {}  # the input that a node type is known by
        self._tops: list[int] = []  # for each row of an index, the number of nodes that there must be

    def add(self, name: str, tensor: torch.Tensor, **facts) -> str:
        if tensor.device.type != "cpu":
            raise ExportError(f"'{name}' lies on {tensor.device}: move inputs and model to the CPU first (.cpu()).")
        unique, i = name, 1
        while unique in self.all or unique in _OF_GRAPH_FILES:
            unique, i = f"{name}_{i}", i + 1
        if name in _OF_GRAPH_FILES:
            self.notes.append(f"The program calls its input '{name}' '{unique}', as graph files have something else by that name.")
        self.all[unique] = _Input(tensor.detach().contiguous(), **facts)
        return unique

    def take(self, name: str, value: Any, key: Any = None) -> Callable[[dict], Any]:
        """What builds this argument from tensors by name."""
        if isinstance(value, torch.Tensor) and value.layout != torch.strided:
            return self._sparse(name, value, key)
        if isinstance(value, torch.Tensor):
            facts = {"of": key} if key is not None else {}
            if isinstance(key, tuple) and len(key) == 3:
                facts["counts"] = "index" if _is_edge_index(name, value) else "edges"
            elif key is not None:
                facts["counts"] = "nodes"
            unique = self.add(name, value, **facts)
            return lambda tensors: tensors[unique]
        if type(value).__name__ in ("SparseTensor", "Adj", "SparseMatrix", "EdgeIndex") and not isinstance(value, Graph):
            raise ExportError(f"'{name}' is a {type(value).__name__}: hand the model edge_index as a plain tensor [2, M] instead, which the convolutions take "
                              "as well.")
        if isinstance(value, Blocks):
            build = self._graph(name, value.graph)
            return lambda tensors: Blocks(build(tensors), value._count)
        if _is_dgl(value):
            return self._graph(name, value)
        if isinstance(value, (list, tuple)) and value and all(_is_dgl(v) for v in value):
            if any(v is not value[0] for v in value):
                raise ExportError(f"'{name}' is a list of different graphs or sampled blocks: export with the whole graph, as in "
                                  f"cleave_export.Blocks(graph, {len(value)}).")
            return self.take(name, Blocks(value[0], len(value)))
        if isinstance(value, dict):
            base = name.removesuffix("_dict")
            typed = not _is_of_attributes(value)
            parts = {k: self.take(_identifier(base, *(k if isinstance(k, tuple) else (k,))), v, k if typed else None) for k, v in value.items()}
            return lambda tensors: {k: part(tensors) for k, part in parts.items()}
        if isinstance(value, (list, tuple)):
            known = set(self.all)
            items = [self.take(_identifier(name, k), v) for k, v in zip(getattr(value, "_fields", range(len(value))), value)]
            if not hasattr(value, "_fields"):
                self.lists[name] = [n for n in self.all if n not in known]
            make = value._make if hasattr(value, "_make") else type(value)  # of a named tuple
            return lambda tensors: make(item(tensors) for item in items)
        if isinstance(value, int) and not isinstance(value, bool) and name in _NODE_COUNTS:
            self.counted[name] = value
            return lambda tensors: self._counted(tensors, value)
        if value is None or isinstance(value, (bool, int, float, str)):
            return lambda tensors: value
        if hasattr(value, "to_dict") and hasattr(value, "edge_index"):  # Data of PyTorch Geometric
            names = {k: self.add(k, v, optional=True) for k, v in value.to_dict().items() if isinstance(v, torch.Tensor)}
            return lambda tensors: type(value)(**{k: tensors[n] for k, n in names.items() if n in tensors})
        if hasattr(value, "metadata") and hasattr(value, "node_types"):
            raise ExportError(f"'{name}' is a {type(value).__name__}: let forward take x_dict and edge_index_dict (data.x_dict, data.edge_index_dict).")
        raise ExportError(f"'{name}' is a {type(value).__name__}: forward must take tensors, dictionaries and lists of them, graphs of DGL or Data.")

    def _sparse(self, name: str, value: torch.Tensor, key: Any) -> Callable[[dict], Any]:
        """Entries are edges, from the node of their column to that of their row. While the program is traced the matrix is one of _Sparse."""
        if value.dim() != 2 or value.layout == torch.sparse_coo and value.dense_dim():
            raise ExportError(f"'{name}' is a sparse tensor of {value.dim()} dimensions: hand the model edge_index [2, M] (and edge weights) instead.")
        matrix = value.detach().to_sparse_coo().coalesce()
        of = (key[2], key[1], key[0]) if isinstance(key, tuple) and len(key) == 3 else None
        facts = lambda counts: {"counts": counts, "of": of} if of else {}
        called = lambda what: what if self.matrices == 1 and what not in self.all else _identifier(name, what)
        ends = self.add(called("edge_index"), matrix.indices().flip(0), distinct=True, **facts("index"))
        weights = self.add(called("edge_weight"), matrix.values(), **facts("edges"))
        self.notes.append(f"The entries of the sparse matrix '{name}' are inputs of the program: '{ends}' (from its column to its row) and '{weights}'.")

        def build(tensors):
            made = torch.sparse_coo_tensor(tensors[ends].flip(0), tensors[weights], [self._counted(tensors, size) for size in matrix.shape])
            return made.coalesce() if isinstance(made, _Sparse) or value.layout == torch.sparse_coo else made.to_sparse(layout=value.layout)

        return build

    def _graph(self, name: str, value) -> Callable[[dict], Graph]:
        if id(value) in self._built:
            return self._built[id(value)][1]
        made = as_graph(value)
        single = made.is_homogeneous
        counts = {t: c for other, types, _ in self.graphs for t, c in ((types[t], c) for t, c in other._counts.items())}
        types = {t: t if counts.get(t, c) == c else f"{t} of {name}" for t, c in made._counts.items()}
        relations = {r: (types[r[0]], f"{r[1]} of {name}" if self.graphs else r[1], types[r[2]]) for r in made.canonical_etypes}
        indices = {}
        for relation in relations:
            edges = made._edges[relation]
            name = _identifier("edge_index", *(() if single else relation))
            indices[relation] = self.add(name, torch.stack([edges.src, edges.dst]), counts="index", of=relations[relation])

        def taken(frames, kind, called):
            named = lambda key, of: _identifier(key, *(() if single else of if isinstance(of, tuple) else (of,)))
            return {of: {k: self.add(named(k, of), v, counts=kind, of=called[of], optional=True) for k, v in frame.items()} for of, frame in frames.items()}

        nodes, edata = taken(made._nodes, "nodes", types), taken(made._edata, "edges", relations)
        self.graphs.append((made, types, relations))
        carriers: dict[str, list[str]] = {}

        def build(tensors):
            if not carriers:
                carriers.update({t: self._carriers(made, t, types) for t in made.ntypes})
            counts = {t: sum(tensors[n].shape[0] for n in carriers[t]) if carriers[t] else made._counts[t] for t in made.ntypes}
            data = {relation: (tensors[n].select(0, 0), tensors[n].select(0, 1)) for relation, n in indices.items()}
            pick = lambda frames: {of: {k: tensors[n] for k, n in frame.items() if n in tensors} for of, frame in frames.items()}
            return _graph(data, counts, nodes=pick(nodes), edata=pick(edata))

        self._built[id(value)] = value, build
        return build

    def _carriers(self, made: Graph, ntype: str, types: dict) -> list[str]:
        """The input that has a row for each node of a type: it says how many there are. Or several, one behind the other: a list of them, as features by type.
        Empty where a parameter has these rows, so that their number is that of the model."""
        count = made._counts[ntype]
        fits = [(n, i) for n, i in self.all.items() if i.tensor.dim() and i.counts in ("nodes", "other") and i.tensor.shape[0] == count and
                not ("edge" in _words(n) and i.of is None)]
        typed = [(n, i) for n, i in fits if i.of == types[ntype]] or [(n, i) for n, i in fits if set(_words(ntype)) <= set(_words(n))]
        alike = len(made.ntypes) > 1 and len(set(made._counts.values())) < len(made.ntypes)  # sizes do not tell types apart
        chosen = sorted(typed or ([] if alike else fits), key=lambda f: f[1].optional)
        if not chosen and len(made.ntypes) == 1:
            for name in self.lists:
                parts = [n for n in self.lists[name] if self.all[n].tensor.dim() > 1]
                if len(parts) == len(self.lists[name]) and sum(self.all[n].tensor.shape[0] for n in parts) == count:
                    return parts
        table = next((n for n, rows in self.tables.items() if rows == count), None) if not chosen else None
        if table:
            what = "nodes" if len(made.ntypes) == 1 else f"nodes of type '{ntype}'"
            note = f"The program fits graphs of {count} {what} only, as '{table}' has a row for each."
            self.notes.extend([note] if note not in self.notes else [])
            self.fixed.add(("nodes", types[ntype]))
            return []
        if not chosen:
            what = "nodes" if len(made.ntypes) == 1 else f"nodes of type '{ntype}'"
            raise ExportError(f"No input has a row for each of the {count} {what}, so their number is not known: hand forward a tensor of them, or put one in "
                              "graph.ndata.")
        return [chosen[0][0]]

    def _counted(self, tensors: dict, number: int):
        """A number of nodes, of the rows that there are as many of; else the number."""
        for name, i in self.all.items():
            if i.counts in ("nodes", "matrix") and i.count() == number and name in tensors:
                return tensors[name].shape[i.rows]
        return number

    def classify(self):
        """What the rows of inputs count, where graphs and dictionaries have not said it: by names, and by sizes in the example."""
        self._classify_graphs()
        self._classify_indices()
        self._classify_matrices()
        self._classify_row_pointers()
        self._classify_neighbours()
        self._find_rows()
        # Without edges nothing but names tells which rows are of nodes: of those called features, if there are some.
        is_later = lambda named: not self._tops and not self._nodes and not _FEATURES & set(_words(named[0]))
        for name, i in sorted(self.all.items(), key=is_later):
            if i.counts == "other" and i.tensor.dim() and not _is_pointers(name, i.tensor):
                self._classify_rows(name, i)
        self._classify_stacked()
        self._classify_parts()

    def _classify_graphs(self):
        for made, types, relations in self.graphs:
            for t in made.ntypes:
                carriers = self._carriers(made, t, types)
                if len(carriers) > 1:
                    for name in carriers:
                        self._found(name, self.all[name])
                    continue
                for name in carriers:
                    self.all[name].counts, self.all[name].of = "nodes", types[t]
                self._nodes[types[t]] = made._counts[t]
            self._edges |= {relations[r]: e.count() for r, e in made._edges.items()}
        for i in self.all.values():
            if i.counts == "nodes":
                self._nodes.setdefault(i.of, i.count())

    def _classify_indices(self):
        for name, i in self.all.items():
            if i.counts == "other" and _is_edge_index(name, i.tensor):
                i.counts, i.of = "index", ("", name) + ("",) * (2 * len(i.tensor) - 3)  # an end for each row
                if "hyperedge" in _words(name):
                    self._classify_hyperedges(name, i)
            if i.counts == "index":
                self._edges.setdefault(i.of, i.count())
                ends = i.tensor[:1] if _is_hyperedges(i.of[2]) else i.tensor
                self._tops += (ends.amax(1) + 1).tolist() if i.tensor.numel() else []

    def _classify_hyperedges(self, name: str, index: _Input):
        """Row 1 of a hyperedge_index counts the rows of hyperedge_attr and its like."""
        number = int(index.tensor[1].max()) + 1 if index.tensor.numel() else 0
        index.of = ("", name, f"hyperedges of {name}")
        for other, i in self.all.items():
            if i.counts == "other" and "hyperedge" in _words(other) and i.tensor.dim() and i.tensor.shape[0] >= number and i.tensor.shape[0] != index.tensor.shape[1]:
                i.counts, i.of = "nodes", index.of[2]
                self._nodes[i.of] = i.count()

    def _classify_matrices(self):
        """Squares that are called adjacency matrices, or that rows of as many nodes stand beside where no index holds the edges."""
        tables = [i.tensor for i in self.all.values() if i.tensor.is_floating_point() and i.tensor.dim() > 1 and not _is_square(i.tensor)]
        rows = {size for t in tables for size in (t.shape[:1] if t.dim() == 2 else t.shape[:-1])}
        for name, i in self.all.items():
            if i.counts != "other" or not _is_square(i.tensor):
                continue
            beside = i.tensor.shape[-1] in rows
            if _is_matrix_name(name) and (beside or not self._tops) or not self._tops and beside and not _FEATURES & set(_words(name)):
                count = i.tensor.shape[-1]
                i.counts, i.row_dim = "matrix", i.tensor.dim() - 2
                i.of = next((t for t, c in self._nodes.items() if c == count), f"nodes of {name}")
                self._nodes[i.of] = count
                i.graphs = i.tensor.dim() == 3 and i.tensor.shape[0] > 1

    def _classify_row_pointers(self):
        """Edges that are given as rowptr and col."""
        for name, i in self.all.items():
            if not _is_pointers(name, i.tensor) or not re.search("row|col|ind", name.lower()):
                continue
            edges, nodes, others = int(i.tensor[-1]), i.tensor.numel() - 1, [other.tensor for other in self.all.values()]
            columns = any(t.dim() == 1 and not t.is_floating_point() and t.numel() == edges for t in others)
            if columns and any(t.dim() > 1 and t.shape[0] == nodes for t in others):
                self._edges.setdefault(("", name, ""), edges)
                self._tops.append(nodes)

    def _classify_neighbours(self):
        """Numbers of neighbours [graphs, nodes, neighbours] where no index has edges: they tell which dimension counts the nodes."""
        for name, i in self.all.items():
            t = i.tensor
            if i.counts != "other" or self._tops or t.dim() != 3 or t.dtype not in (torch.int32, torch.int64) or not t.numel():
                continue
            if not _is_neighbours_name(name):
                continue
            top = int(t.max()) + 1
            sides = [o.tensor.shape for o in self.all.values() if o.tensor.is_floating_point() and o.tensor.dim() > 2]
            beside = any(s[0] == t.shape[0] and t.shape[1] in s[1:] for s in sides)  # [graphs, nodes, features], or with the nodes last
            if beside and max(t.shape[1] // 2, t.shape[0]) < top <= t.shape[1]:
                i.counts, i.row_dim = "nodes", 1
                i.of = next((of for of, count in self._nodes.items() if count == i.count()), f"nodes of {name}")
                self._nodes[i.of] = i.count()
                if t.shape[0] > 1:
                    self.notes.append(f"The program takes {t.shape[0]} graphs at once, as in the example: dimension 1 of '{name}' counts the nodes "
                                      "of each, and their number is free.")

    def _find_rows(self):
        """Where rows of nodes lie that are not first, as in [batch, time, nodes, features]: along the only dimension long enough for the edges."""
        numbers = {c for t, c in self._nodes.items() if not _is_hyperedges(t)}
        squares = {i.count() for i in self.all.values() if i.counts == "matrix" or i.counts == "nodes" and i.row_dim > 0}
        graphs = {i.tensor.shape[0] for i in self.all.values() if i.graphs}
        largest = max([*self._tops, *squares], default=0)
        for i in self.all.values():
            shape = i.tensor.shape
            if i.counts != "other" or largest < 2 or numbers & set(shape[:1]):
                continue
            if graphs & set(shape[:1]) and not squares & set(shape[1:]):
                i.counts, i.of = _SIDE_BY_SIDE
            elif len(shape) == 2:
                i.row_dim = 1 if shape[1] in squares else 0
            elif len(shape) > 2 and i.tensor.is_floating_point():
                fits = [d for d, size in enumerate(shape) if size in numbers] or [d for d, size in enumerate(shape) if size == largest] or \
                    [d for d, size in enumerate(shape) if size > largest] or [d for d, size in enumerate(shape) if self._may_be_named(size)]
                i.row_dim = fits[0] if fits else 0
            i.graphs = i.row_dim > 0 and bool(graphs & set(shape[:1]))

    def have_edges(self) -> bool:
        """Whether an input tells which dimension of others counts nodes."""
        return bool(self._tops or self.graphs) or any(i.counts == "matrix" or i.counts == "nodes" and i.row_dim > 0 for i in self.all.values())

    def _may_be_named(self, rows: int) -> bool:
        """Whether an index may name that many rows: there are enough for all, or those of one end are more than half of them."""
        return rows >= max(self._tops, default=0) or any(top <= rows < 2 * top for top in self._tops)

    def _are_apart(self, name: str, node_type) -> bool:
        """Whether names say that rows are of other nodes, though they are as many: as x1 beside edge_index1, and x2 beside edge_index2."""
        pair = [_own_words(name), _own_words(self._founders.get(node_type, ""))]
        if not all(pair) or pair[0] == pair[1]:
            return False
        named = [_own_words(n) for n, i in self.all.items() if i.counts == "index" and not any(i.of[::2])]
        ends = [frozenset(_words(end)) for i in self.all.values() if i.counts == "index" for end in i.of[::2] if end]
        return all(any(own == words for words in named) or any(words <= own for words in ends) for own in pair)

    def _classify_rows(self, name: str, i: _Input):
        rows, of_edges = i.count(), [r for r, c in self._edges.items() if c == i.count()]
        of_nodes = [t for t, c in self._nodes.items() if c == rows and not _is_hyperedges(t) and not self._are_apart(name, t)]
        known = any(not _is_hyperedges(t) for t in self._nodes)
        if of_edges and ("edge" in _words(name) or not of_nodes and known):
            i.counts, i.of = "edges", of_edges[0]
        elif of_nodes:
            i.counts, i.of = "nodes", of_nodes[0]
        elif of_edges and i.tensor.dim() == 1:
            i.counts, i.of = "edges", of_edges[0]
        elif not self.graphs and (self._may_be_named(rows) if self._tops else not known):
            self._found(name, i)
        elif not self.graphs:
            alike = [n for n, other in self.all.items() if other.counts == "rows" and other.count() == rows and not other.tensor.is_floating_point()]
            i.counts, i.of = "rows", self.all[alike[0]].of if alike and not i.tensor.is_floating_point() else f"rows of {name}"

    def _found(self, name: str, i: _Input):
        """A node type that nothing else has told of."""
        i.counts, i.of = "nodes", f"nodes of {name}"
        self._nodes[i.of], self._founders[i.of] = i.count(), name

    def _classify_stacked(self):
        """Tables of several node types, where edges name the rows of all of them behind each other."""
        count = sum(c for t, c in self._nodes.items() if not _is_hyperedges(t))
        parts = [(n, i) for n, i in self.all.items() if i.counts == "rows" and i.tensor.is_floating_point() and i.tensor.dim() > 1]
        if self.are_too_few() and max(self._tops) <= count + sum(i.count() for _, i in parts):
            for name, i in parts:
                self._found(name, i)

    def _classify_parts(self):
        """Pointers and sizes of what is cut into parts: graphs of a batch, edges by their targets."""
        counts = {i.group: i.count() for i in self.all.values() if i.group is not None}
        group = lambda number, kinds: next((g for g, c in counts.items() if c == number and g[0] in kinds), None)
        for name, i in self.all.items():
            if i.counts == "other" and i.tensor.dim() and _is_pointers(name, i.tensor):
                i.of, i.each = group(int(i.tensor[-1]), ("nodes", "edges")), group(i.tensor.numel() - 1, ("nodes", "rows"))
                i.counts = "pointers" if i.of is not None else "other"
            elif i.counts == "rows" and i.tensor.dim() == 1 and i.tensor.dtype in (torch.int32, torch.int64) and bool((i.tensor >= 0).all()):
                of = group(int(i.tensor.sum()), ("nodes", "edges"))
                if of is not None and i.count() < counts[of]:
                    i.counts, i.of = "sizes", of

    def try_others(self):
        """Other dimensions of inputs as long as there are nodes or edges, as in a mask of nodes for each graph: the program tells what they are."""
        numbers = {i.count() for i in self.all.values() if i.group is not None and i.group[0] in ("nodes", "edges") and not _is_hyperedges(i.of)}
        for i in self.all.values():
            if i.counts in ("nodes", "edges", "rows", "other"):
                i.tried = {dim: None for dim, size in enumerate(i.tensor.shape) if dim not in i.free and size in numbers and size > 1}

    def num_nodes(self) -> int | None:
        """The number of nodes, if they are of one type; None if they are of several, of graphs side by side, or if edges name more than there are."""
        counts = [c for t, c in self._nodes.items() if not _is_hyperedges(t)] if not any(i.graphs for i in self.all.values()) else []
        return counts[0] if len(counts) == 1 and counts[0] >= max(self._tops, default=0) else None

    def are_too_few(self) -> bool:
        """Whether edges name more rows than there are nodes of any type: those of parameters, or of several types behind each other."""
        return max([c for t, c in self._nodes.items() if not _is_hyperedges(t)], default=0) < max(self._tops, default=0)

    def sizes(self, rows_too: bool = True) -> dict[tuple, int]:
        """Numbers for a second graph, by group: other ones than the example's, but odd or even like them, since edges may come in pairs."""
        counts = {group: i.tensor.shape[dim] for i in self.all.values() for dim, group in i.free.items() if group is not None}
        found, met = {}, {"nodes": 0, "edges": 0, "rows": 0}
        for group, count in counts.items():
            more = {"nodes": 6 + 2 * met["nodes"], "edges": 12 + 4 * met["edges"], "rows": 4 + 2 * met["rows"] if rows_too else 0}[group[0]]
            found[group] = count + (0 if group in self.fixed else more)
            met[group[0]] += 1
        return found

    def another(self, sizes: dict[tuple, int], limits: dict[tuple[str, int], int], seed: int = 1) -> dict[str, torch.Tensor]:
        """Inputs of a second graph with these numbers.

        limits: below what the ends of edges stay, by input and row. Where that is not known they are ends of the example: nodes are no fewer here.
        """
        generator = torch.Generator().manual_seed(seed)
        made = {}
        for name, i in self.all.items():
            if i.counts == "index":
                count = sizes[i.group]
                drawn = lambda count: torch.stack([_drawn(row, count, limits.get((name, end)), generator) for end, row in enumerate(i.tensor)])
                made[name] = _distinct(drawn(4 * count), count, generator) if i.distinct else drawn(count)
            elif i.counts == "matrix":
                made[name] = _other_matrix(i.tensor, sizes[i.group], sizes[_SIDE_BY_SIDE] if i.graphs else 1, generator)
            else:
                made[name] = i.tensor
                for dim, group in i.free.items():
                    if group is not None:
                        made[name] = _alike(made[name].movedim(dim, 0), sizes[group], generator).movedim(0, dim).contiguous()
        for name, i in self.all.items():
            if i.counts == "sizes":
                made[name] = torch.cat([i.tensor[:-1], i.tensor[-1:] + sizes[i.of] - int(i.tensor.sum())])
            elif i.counts == "pointers":
                made[name] = self._pointers(i, made, sizes, generator)
        return made

    def _pointers(self, i: _Input, made: dict, sizes: dict, generator: torch.Generator) -> torch.Tensor:
        """Where parts begin and end in the second graph: as its vector of parts says, if there is one (batch), or anywhere."""
        parts = i.tensor.numel() - 1 if i.each is None else sizes[i.each]
        pointers = lambda vector, number: F.pad(torch.bincount(vector, minlength=number).cumsum(0), (1, 0)).to(i.tensor.dtype)
        for name, other in self.all.items():
            vector = other.tensor
            if other.group == i.of and vector.dim() == 1 and vector.dtype in (torch.int32, torch.int64) and vector.min() >= 0 and \
                    torch.equal(pointers(vector, i.tensor.numel() - 1), i.tensor):
                return pointers(made[name], parts)
        cuts = torch.randint(0, sizes[i.of] + 1, (parts - 1,), generator=generator).sort().values
        return torch.cat([cuts.new_zeros(1), cuts, cuts.new_full((1,), sizes[i.of])]).to(i.tensor.dtype)

    def of_other_values(self, seed: int = 1) -> dict[str, torch.Tensor]:
        """The example with other numbers in its tables, and the same graph."""
        generator = torch.Generator().manual_seed(seed)
        keeps = lambda i: i.counts == "matrix" or not i.tensor.is_floating_point() or i.tensor.dim() == 0
        return {name: i.tensor if keeps(i) else _alike(i.tensor, i.tensor.shape[0], generator) for name, i in self.all.items()}


def _drawn(known: torch.Tensor, count: int, limit: int | None, generator: torch.Generator) -> torch.Tensor:
    """Numbers of rows below the limit, else of the rows that are known to be there."""
    if limit:
        return torch.randint(0, limit, (count,), generator=generator).to(known.dtype)
    return known[torch.randint(0, max(known.numel(), 1), (count,), generator=generator)]


def _distinct(entries: torch.Tensor, count: int, generator: torch.Generator) -> torch.Tensor:
    """So many of the entries of a sparse matrix, in its order: by row and column, each once as long as there are enough."""
    once = entries.flip(0).unique(dim=1)
    chosen = torch.randperm(once.shape[1], generator=generator)[:count]
    more = torch.randint(0, max(once.shape[1], 1), (count - chosen.numel(),), generator=generator)
    return once[:, torch.cat([chosen, more]).sort().values].flip(0).contiguous()


def _other_matrix(matrix: torch.Tensor, count: int, graphs: int, generator: torch.Generator) -> torch.Tensor:
    """As many entries for each node as in the example, with weights of it; symmetric and with self-loops if it is."""
    def other(known):
        weights = known[known != 0]
        if not weights.numel():
            return known.new_zeros(count, count)
        drawn = weights[torch.randint(0, weights.numel(), (count, count), generator=generator)]
        kept = torch.rand(count, count, generator=generator) < weights.numel() / (known.shape[0] * count)
        kept |= torch.eye(count, dtype=torch.bool) if bool((known.diagonal() != 0).all()) else False
        found = torch.where(kept, drawn, 0)
        return torch.maximum(found, found.t()) if torch.equal(known, known.t()) else found
    return torch.stack([other(matrix[k % matrix.shape[0]]) for k in range(graphs)]) if matrix.dim() == 3 else other(matrix)


def _alike(tensor: torch.Tensor, rows: int, generator: torch.Generator) -> torch.Tensor:
    """Rows that an input could have as well: integers and signs are those of the example."""
    if not tensor.is_floating_point() or tensor.numel() == 0:
        chosen = torch.randint(0, max(tensor.shape[0], 1), (rows,), generator=generator)
        ordered = tensor.dim() == 1 and tensor.dtype != torch.bool and tensor.shape[0] > 1 and bool((tensor[1:] >= tensor[:-1]).all())
        return tensor[chosen.sort().values if ordered else chosen]
    noise = torch.rand(rows, *tensor.shape[1:], generator=generator, dtype=torch.float64)
    finite = tensor[tensor.isfinite()]
    low, high = (float(finite.min()), float(finite.max())) if finite.numel() else (0.0, 1.0)
    alike = (low + noise * (high - low)).to(tensor.dtype)
    if finite.numel() < tensor.numel():  # what is missing is missing in some of the rows again
        chosen = tensor[torch.randint(0, tensor.shape[0], (rows,), generator=generator)] if tensor.dim() else tensor
        alike = torch.where(chosen.isfinite(), alike, chosen)
    return alike


# What the ends of edges name. ----------------------------------------------------------------------------------------------------------

_PAIRS_KEPT = {"clone", "contiguous", "to", "_to_copy", "detach", "detach_", "alias", "lift_fresh", "lift_fresh_copy", "type_as"}
_VALUES_KEPT = _PAIRS_KEPT | {
    "select", "slice", "unbind", "getitem", "view", "reshape", "flatten", "squeeze", "unsqueeze", "expand", "expand_as", "permute", "transpose", "t",
    "numpy_T", "flip", "split", "split_with_sizes", "chunk", "tensor_split", "repeat", "masked_select", "index", "index_select", "ravel", "narrow",
    "movedim", "view_as", "reshape_as", "unflatten", "repeat_interleave"}
_JOINED = {"cat", "concat", "concatenate", "hstack", "vstack", "stack"}
_NAMING = {"index_select", "gather", "index_add", "index_copy", "index_fill", "index_reduce", "scatter", "scatter_add", "scatter_reduce"}


def _operator(node: torch.fx.Node) -> str:
    """The name of an operator of ATen, of those in place without their underscore; '' of anything else."""
    schema = getattr(node.target, "_schema", None)
    name = schema.name.rpartition("::")[2] if schema is not None else "getitem" if getattr(node.target, "__name__", "") == "getitem" else ""
    return name.removesuffix("_") if not name.startswith("_") else name


def _expression(size):
    """A size of the program as a number, or as what SymPy makes of the sizes of inputs; None of anything else."""
    size = size.meta.get("val") if isinstance(size, torch.fx.Node) else size
    return size if isinstance(size, int) and not isinstance(size, bool) else size.node.expr if isinstance(size, torch.SymInt) else None


def _evaluated(expression, sizes: dict) -> int | None:
    """A size with those of inputs put in, unless it depends on what is in a tensor."""
    if isinstance(expression, int):
        return expression
    found = expression.subs(sizes)
    return int(found) if found.is_number else None


@dataclasses.dataclass(frozen=True)
class _Ends:
    """Values that are a row of an index, or numbers from 0 to below `below`, with something added."""

    index: str = ""
    row: int = 0
    below: Any = None
    added: Any = 0


class _Followed:
    """What rows the program reads and writes by the numbers in an index: its rows are followed to where they name rows of something.

    named[ends] has pairs of a node and a dimension of it. Only what leaves values as they are, or adds a size to them, is followed; so an end that is
    not there may name anything.
    """

    def __init__(self, program, indices: dict[torch.fx.Node, str]):
        self.named: dict[_Ends, list[tuple[torch.fx.Node, int]]] = {}
        self._parts: dict[torch.fx.Node, list[set[_Ends]]] = {
            node: [{_Ends(name, row)} for row in range(self._ends_of(node.meta["val"].shape))] for node, name in indices.items()}
        for node in program.graph.nodes:
            if node.op != "call_function":
                continue
            name = _operator(node)
            self._note(node, name)
            parts = self._counted(node) if name == "arange" else self._joined(node, name) if name in _JOINED else self._kept(node, name)
            if parts:
                self._parts[node] = parts

    @staticmethod
    def _ends_of(shape) -> int:
        """How many rows are told apart: those of [2, M], while all numbers are one of lists and of tables with a free number of rows."""
        return shape[0] if len(shape) > 1 and isinstance(shape[0], int) else 1

    def _note(self, node: torch.fx.Node, name: str):
        if name in _NAMING and len(node.args) > 2:
            found = [(node.args[1], node.args[2])]
        elif name == "embedding":
            found = [(0, node.args[1])]
        elif name in ("index", "index_put", "_unsafe_index"):
            found = list(enumerate(node.args[1]))
        else:
            return
        for dim, index in found:
            for ends in set().union(*self._parts.get(index, []) if isinstance(index, torch.fx.Node) else []):
                self.named.setdefault(ends, []).append((node.args[0], dim))

    def _counted(self, node: torch.fx.Node):
        below = _expression(node.args[0] if len(node.args) == 1 else node.args[1])
        return [{_Ends(below=below)}] if below is not None and (len(node.args) == 1 or node.args[0] == 0) else None

    def _joined(self, node: torch.fx.Node, name: str):
        members = [self._parts.get(member, [set()]) for member in node.args[0]]
        dim = node.args[1] if len(node.args) > 1 else node.kwargs.get("dim", 0)
        flat = [set().union(*member) for member in members]
        if name in ("stack", "vstack") and dim == 0 and len(flat) == 2 and all(len(member) == 1 for member in members):
            return flat if any(flat) else None
        if (name == "hstack" or dim in (1, -1)) and name != "stack" and any(len(member) > 1 for member in members):
            rows = range(max(len(member) for member in members))
            return [set().union(*(member[min(row, len(member) - 1)] for member in members)) for row in rows]
        return [set().union(*flat)] if any(flat) else None

    def _kept(self, node: torch.fx.Node, name: str):
        known = self._parts.get(node.args[0]) if node.args and isinstance(node.args[0], torch.fx.Node) else None
        if known is None:
            return None
        second, third = (*node.args[1:3], None, None)[:2]
        if name in ("add", "sub"):
            size = _expression(second)
            moved = lambda ends: dataclasses.replace(ends, added=ends.added + (size if name == "add" else -size))
            return None if size is None or len(node.args) > 2 or node.kwargs else [{moved(ends) for ends in part} for part in known]
        if name not in _VALUES_KEPT:
            return None
        if len(known) > 1:
            if name == "select" and second == 0 and isinstance(third, int) or name == "getitem" and isinstance(second, int):
                return [known[third if name == "select" else second]]
            if name == "flip":
                return known[::-1] if list(second) == [0] else known if list(second) in ([1], [-1]) else [set().union(*known)]
            along = name in ("slice", "index_select") and second in (1, -1) or name == "index" and len(second) == 2 and second[0] is None
            if along or name in _PAIRS_KEPT or name == "unbind" and second in (None, 0):
                return known
        return [set().union(*known)]

    def limits(self, sizes: dict) -> dict[tuple[str, int], int]:
        """Below what the numbers in each row of an index must stay, with these sizes of inputs."""
        found: dict[tuple[str, int], int] = {}
        for ends, rows in self.named.items():
            for node, dim in rows if ends.index else []:
                limit = _evaluated(_expression(node.meta["val"].shape[dim]) - ends.added, sizes)
                if limit is not None:
                    found[ends.index, ends.row] = min(limit, found.get((ends.index, ends.row), limit))
        return found


# Export. -------------------------------------------------------------------------------------------------------------------------------


@dataclasses.dataclass
class Exported:
    """A program, the inputs by the names that it gives them, and what should be known about it."""

    program: torch.export.ExportedProgram
    inputs: dict[str, torch.Tensor]
    outputs: list[torch.Tensor]
    notes: list[str]
    num_nodes: int | None  # of the example; None with several node types
    matrices: list[str] = dataclasses.field(default_factory=list)  # inputs that hold edges as a matrix [V, V] or [1, V, V]

    def graph_arrays(self) -> dict[str, torch.Tensor]:
        """The inputs as cleave-cli takes them: in the place of a matrix its edges, of which entry [i, j] is the weight from node j to node i."""
        arrays = {}
        for name, tensor in self.inputs.items():
            if name not in self.matrices:
                arrays[name] = tensor
                continue
            matrix, stem = tensor.reshape(tensor.shape[-2:]), f"{name}_" if len(self.matrices) > 1 or "edge_index" in self.inputs else ""
            targets, sources = matrix.nonzero(as_tuple=True)
            arrays[stem + "edge_index"], arrays[stem + "edge_weight"] = torch.stack([sources, targets]), matrix[targets, sources]
        return arrays

    def save_graph(self, path, outputs: bool = True, **arrays):
        """The example as the .npz that cleave-cli takes, with the model's outputs."""
        import numpy as np
        plain = lambda t: (t.float() if t.dtype in (torch.float16, torch.bfloat16) else t).detach().numpy()
        if self.num_nodes is not None:
            arrays = {"num_nodes": self.num_nodes} | arrays
        names = ["expected"] if len(self.outputs) == 1 else [f"expected_{i}" for i in range(len(self.outputs))]
        recorded = dict(zip(names, self.outputs)) if outputs else {}
        path = pathlib.Path(path)
        half = path.with_name(path.name + f".part{os.getpid()}")
        try:
            with open(half, "wb") as file:
                np.savez_compressed(file, **{name: plain(t) for name, t in {**self.graph_arrays(), **recorded}.items()}, **arrays)
            os.replace(half, path)
        except BaseException:
            half.unlink(missing_ok=True)
            raise


def _arguments(model: nn.Module, inputs) -> dict[str, Any]:
    """Arguments by the names of forward's parameters."""
    signature = inspect.signature(model.forward)  # of the model itself: it may have another than its class
    parameters = list(signature.parameters.values())
    if hasattr(inputs, "to_dict") and not isinstance(inputs, dict) and not _is_dgl(inputs):  # Data of PyTorch Geometric
        needed = [p for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
        if len(needed) == 1 and not hasattr(inputs, needed[0].name):
            inputs = (inputs,)
        else:
            given = {p.name: getattr(inputs, p.name, None) for p in needed}
            missing = [p.name for p in needed if given[p.name] is None and p.default is p.empty]
            if missing:
                raise ExportError(f"The data has no '{missing[0]}', which forward takes: hand it in a dictionary of inputs.")
            inputs = {name: value for name, value in given.items() if value is not None}
    if isinstance(inputs, torch.Tensor) or _is_dgl(inputs) or isinstance(inputs, Blocks):
        inputs = (inputs,)
    positional, named = ((), inputs) if isinstance(inputs, dict) else (inputs, {})
    try:
        bound = signature.bind(*positional, **named).arguments
    except TypeError as problem:
        raise ExportError(f"The inputs do not fit forward{signature}: {problem}.") from None
    arguments = {}
    for parameter in parameters:
        if parameter.name not in bound:
            continue
        if parameter.kind is parameter.VAR_KEYWORD:
            arguments.update(bound[parameter.name])
        elif parameter.kind is parameter.VAR_POSITIONAL:
            raise ExportError(f"forward takes *{parameter.name}: give its arguments names, so that the program's inputs have some.")
        else:
            arguments[parameter.name] = bound[parameter.name]
    return arguments


def _module_name(model: nn.Module, module: nn.Module) -> str:
    name = next((n for n, m in model.named_modules() if m is module), "")
    return f"{name} ({type(module).__name__})" if name else type(module).__name__


def _check_model(model: nn.Module):
    if not isinstance(model, nn.Module):
        raise ExportError(f"What is exported must be a torch.nn.Module, not a {type(model).__name__}.")
    for tensor in [*model.parameters(), *model.buffers()]:
        if isinstance(tensor, nn.parameter.UninitializedParameter):
            continue
        if tensor.device.type != "cpu":
            raise ExportError(f"The model lies on {tensor.device}: move it to the CPU first (model.cpu()).")
    for module in model.modules():
        if any(getattr(module, name, None) is True for name in ("cached", "_cached")):
            raise ExportError(f"{_module_name(model, module)} keeps what it computed from the first graph (cached=True), which would become a constant: build it "
                              "with cached=False.")
        how = {"LSTMAggregation": "with an LSTM, which runs over as many neighbours as the largest degree of the example",
               "GRUAggregation": "with a GRU, which runs over as many neighbours as the largest degree of the example",
               "LCMAggregation": "with a tree of GRUs, as deep as the largest degree of the example",
               "MedianAggregation": "by the median, which sorts all edges", "QuantileAggregation": "by quantiles, which sort all edges"}
        if type(module).__name__ in ("MedianAggregation", "QuantileAggregation") and not any(
                module is getattr(owner, "aggr_module", None) for owner in model.modules()):
            raise ExportError(f"{_module_name(model, module)} sorts all rows, and forward fixes their number by it: take another aggregation (mean, max, sum).")
        aggregate = type(getattr(module, "aggr_module", None)).__name__
        if aggregate in how:
            raise ExportError(f"{_module_name(model, module)} aggregates {how[aggregate]}: take another aggr (mean, max, sum).")


def _changed_buffers(program) -> list[str]:
    """Buffers that forward writes into, where the program is of torch.export."""
    buffers = getattr(getattr(program, "graph_signature", None), "inputs_to_buffers", {})
    written = []
    for node in program.graph.nodes if buffers else ():
        schema = getattr(node.target, "_schema", None)
        if schema is not None and schema.is_mutable and node.args and isinstance(node.args[0], torch.fx.Node) and node.args[0].name in buffers:
            written.append(f"buffer '{buffers[node.args[0].name]}'")
    return list(dict.fromkeys(written))


_HERE = os.path.abspath(__file__)
_LIBRARIES = tuple(os.path.dirname(os.path.abspath(m.__file__)) + os.sep for m in (torch, inspect)) + ("<",)


def _is_pytorch(filename: str) -> bool:
    return f"-packages{os.sep}torch{os.sep}" in filename


def _library(filename: str) -> bool:
    return filename.startswith(_LIBRARIES) or any(f"-packages{os.sep}{name}{os.sep}" in filename for name in ("torch", "torch_geometric", "dgl"))


def _line_of(problem: BaseException, model: nn.Module) -> tuple[str, str]:
    """Where in the model: 'model.py:12 (`if x.sum() > 0:`)', and the source; the innermost line that is neither PyTorch's nor this file's."""
    frames, own = [], ""
    code = getattr(getattr(model, "forward", None), "__code__", None)
    chain: BaseException | None = problem
    while chain is not None and not frames:
        trace = chain.__traceback__
        while trace is not None:
            filename = trace.tb_frame.f_code.co_filename
            if os.path.abspath(filename) != _HERE:
                frames.append((filename, trace.tb_lineno, trace.tb_frame))
            trace = trace.tb_next
        user = [f for f in frames if not _library(f[0])]
        inside = [f for f in user if isinstance(f[2].f_locals.get("self"), nn.Module)]
        frames = inside or [f for f in user if f[2].f_code.co_name == "forward" or f[2].f_code is code]
        chain = chain.__cause__ or chain.__context__
    if not frames:
        return "", ""
    filename, number, _ = frames[-1]
    own = linecache.getline(filename, number).strip()
    return f"{os.path.basename(filename)}:{number} (`{own}`)", own


def _line_of_frame(frame, until=None) -> str:
    """The line of the model that runs, as model.py:12 (`…`); '' if that is none before the function that `until` is the code of."""
    while frame is not None and (_library(frame.f_code.co_filename) or os.path.abspath(frame.f_code.co_filename) == _HERE):
        frame = frame.f_back if frame.f_code is not until else None
    if frame is None:
        return ""
    return f"{os.path.basename(frame.f_code.co_filename)}:{frame.f_lineno} (`{linecache.getline(frame.f_code.co_filename, frame.f_lineno).strip()}`)"


def _deepest_module(problem: BaseException, model: nn.Module) -> str:
    trace, name = problem.__traceback__, ""
    known = {id(m): n for n, m in model.named_modules()}
    while trace is not None:
        owner = trace.tb_frame.f_locals.get("self")
        if isinstance(owner, nn.Module) and known.get(id(owner)):
            name = f"{known[id(owner)]} ({type(owner).__name__})"
        trace = trace.tb_next
    return name


def _explained(problem: Exception, model: nn.Module) -> ExportError:
    """A refusal of torch.export in one sentence."""
    where, line = _line_of(problem, model)
    module = _deepest_module(problem, model)
    at = " at " + where if where else f" in {module}" if module else ""
    inside = f", in {module}," if module and where else ""
    text = str(problem)
    if isinstance(problem, ExportError):
        return ExportError(text.removesuffix(".") + (f" ({where.replace(' (', ', ', 1)}." if where and where not in text else "."))
    name = type(problem).__name__
    dependent = _depends_on_values(problem)
    operator = _asking_operator(problem)
    if dependent and operator:
        return ExportError(f"torch.export cannot trace {operator}{at}{inside} on sizes that what is in a tensor tells, as PyTorch chooses by them how to compute "
                           "it: take them from a shape (x.size(0), ptr.size(0) - 1), or hand them to the constructor (max_num_nodes).")
    if dependent and re.match(r"(if|elif|while|assert)\b|.*\bif\b.*\belse\b", line):
        return ExportError(f"forward decides{at}{inside} by what is in a tensor, and an exported program has one way only: use torch.where, or decide before "
                           "the export.")
    if dependent:
        return ExportError(f"forward takes a size or a number{at}{inside} from what is in a tensor, which torch.export cannot follow: take it from a shape "
                           "(x.size(0), ptr.size(0) - 1), or hand it to the constructor.")
    if "torch.jit.script" in text or "ScriptModule" in text or isinstance(model, torch.jit.ScriptModule):
        return ExportError("The model is a TorchScript module: export the Python module that it was made from.")
    multiplies = re.search(r"\((PANConv|GraphUNet)\)", f"({type(model).__name__}) {module}")
    if multiplies and "sparse" in text.lower():
        return ExportError(f"{multiplies[1]} multiplies matrices of edges{at}, as sparse tensors, which torch.export does not know: compute their powers before "
                           "the export, and let forward take their edges.")
    if "SparseTensor" in text or "torch_sparse" in text or "sparse" in text.lower() and "not implemented" in text.lower():
        return ExportError(f"forward uses sparse tensors{at}{inside.rstrip(',')}, which torch.export does not know: hand convolutions edge_index as a plain tensor [2, M].")
    if isinstance(problem, KeyError) and any(isinstance(v, Graph) for v in _locals_of(problem)):
        return ExportError(f"forward reads the data {text} of the graph{at}, which nothing has set: set it on the graph that is exported.")
    if name in ("UserError", "ConstraintViolationError", "ConstraintViolation") or "Constraints violated" in text:
        return ExportError(f"torch.export fixes a size{at}: {_first_line(text)}")
    if "fake tensor" in text:
        return ExportError(f"forward takes a gradient{at} (torch.autograd.grad), or keeps a tensor that it computed, which torch.export does not write: "
                           "export the model whose output is differentiated, and return what is kept.")
    what = " and ".join(dict.fromkeys(filter(None, [where, module]))) or type(model).__name__
    return ExportError(f"torch.export cannot trace {what}: {name}: {_first_line(text)}")


def _asking_operator(problem: BaseException) -> str:
    """The operator of ATen that an exception comes from; '' of those that give what is in a tensor, and where forward itself asks."""
    owners = [frame.f_locals.get("self") for frame, _ in traceback.walk_tb(problem.__traceback__)]
    names = [owner.__name__.partition(".")[0] for owner in owners if isinstance(owner, torch._ops.OpOverload)]
    return names[-1] if names and names[-1] not in ("item", "_local_scalar_dense") else ""


def _locals_of(problem: BaseException) -> Iterator[Any]:
    trace = problem.__traceback__
    while trace is not None:
        yield from trace.tb_frame.f_locals.values()
        trace = trace.tb_next


def _first_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return (lines[0][:300] if lines else "no further words").removesuffix(".") + "."


class _GuardLog(logging.Handler):
    """What PyTorch logs about a size when it is fixed, and the line of the model that runs then."""

    def __init__(self):
        super().__init__(logging.DEBUG)
        self.guards: list[tuple[str, str]] = []

    def emit(self, record):
        guard, added, _ = record.getMessage().partition("[guard added]")
        if added:
            self.guards.append((guard, _line_of_frame(inspect.currentframe(), until=_Exporter.eager.__code__)))


def _fixed_by(trace: Callable[[], Any], size: int) -> str:
    """The line that compares a number of nodes or edges with a constant; '' if PyTorch does not tell."""
    logger, handler = logging.getLogger("torch.fx.experimental.symbolic_shapes"), _GuardLog()
    level, propagate, others = logger.level, logger.propagate, logger.handlers[:]
    logger.handlers, logger.propagate = [handler], False
    logger.setLevel(logging.DEBUG)
    try:
        trace()
    except Exception:
        pass
    finally:
        logger.handlers, logger.propagate = others, propagate
        logger.setLevel(level)
    return next((line for guard, line in reversed(handler.guards) if line and re.search(rf"\b{size}\b", guard)), "")


_TAKEN = {"mod", "obj"}  # what PyTorch calls parameters of its own wrappers of forward, so that they cannot be handed over by name


@contextlib.contextmanager
def _with_attributes(owner: Any, attributes: dict[str, Any]):
    """While this lasts the object itself has these attributes, and those that are None here only if its class has."""
    own = vars(owner)
    kept = {name: own[name] for name in attributes if name in own}

    def put(values):
        for name in attributes:
            own.pop(name, None)
        own.update((name, value) for name, value in values.items() if value is not None)

    try:
        put(attributes)
        yield
    finally:
        put(kept)


class _Traced(nn.Module):
    """A torch.fx.GraphModule, as to_hetero makes them, that torch.export runs and does not take apart. Parts keep their names."""

    def __init__(self, module: torch.fx.GraphModule):
        super().__init__()
        self._modules, self._parameters, self._buffers = module._modules, module._parameters, module._buffers
        self.forward = module.forward


class _IntType(type):
    """Makes _Int stand for int in isinstance and issubclass."""

    def __instancecheck__(cls, value):
        return isinstance(value, int)

    def __subclasscheck__(cls, other):
        return issubclass(other, int)


class _Int(int, metaclass=_IntType):
    """int() as the modules of a model see it while it is traced: sizes stay free, and of a tensor of whole numbers it gives item()."""

    def __new__(cls, *values, **others):
        if len(values) == 1 and not others:
            if isinstance(values[0], (torch.SymInt, torch.SymFloat)):
                return torch.sym_int(values[0])
            if isinstance(values[0], torch.Tensor) and not values[0].is_floating_point():
                return values[0].item()
        return int(*values, **others)


def _typed_linear(self, x, type_vec):
    """What HeteroLinear gives, which sorts rows by their types for it."""
    out = gather_mm(x, self.weight, idx_b=type_vec)
    return out if self.bias is None else out + self.bias.index_select(0, type_vec)


def _sort_pooling(self, x, index=None, ptr=None, dim_size=None, dim=-2, max_num_elements=None):
    """What SortAggregation gives, which asks whether the largest graph has k nodes: with k rows of zeros more, it has."""
    rows, is_node = self.to_dense_batch(x, index, ptr, dim_size, dim, max_num_elements=max_num_elements)
    graphs, _, width = rows.shape
    rows = torch.cat([rows, rows.new_zeros(graphs, self.k, width)], 1)
    is_node = torch.cat([is_node, is_node.new_zeros(graphs, self.k)], 1)
    best = rows[:, :, -1].masked_fill(~is_node, -math.inf).sort(dim=-1, descending=True, stable=True).indices[:, :self.k]
    return rows.gather(1, best.unsqueeze(-1).expand(-1, -1, width)).reshape(graphs, self.k * width)


_TRACEABLE = {("torch_geometric.nn.dense.linear", "HeteroLinear"): _typed_linear, ("torch_geometric.nn.aggr.sort", "SortAggregation"): _sort_pooling}


@contextlib.contextmanager
def _traceable_layers():
    """While this lasts, layers of PyTorch Geometric that decide by what is in tensors give the same without."""
    layers = [(layer, forward) for (module, name), forward in _TRACEABLE.items() if (layer := getattr(sys.modules.get(module), name, None)) is not None]
    own = [layer.forward for layer, _ in layers]
    try:
        for layer, forward in layers:
            layer.forward = forward
        yield
    finally:
        for (layer, _), forward in zip(layers, own):
            layer.forward = forward


def _len(value):
    """len() as these modules see it: of a tensor it gives a size that stays free."""
    return value.shape[0] if isinstance(value, torch.Tensor) and value.dim() else len(value)


@contextlib.contextmanager
def _seen_by(model: nn.Module, names: dict[str, Any]):
    """While this lasts, these stand for what Python has by their names, where the model's classes are written and in all modules that name PyTorch."""
    known, own = {id(value) for value in (torch, torch.Tensor, nn, F)}, {type(module).__module__ for module in model.modules()}
    modules = {id(m): vars(m) for name, m in list(sys.modules.items()) if isinstance(m, types.ModuleType) and vars(m) is not globals() and
               name.partition(".")[0] != "torch" and (name in own or any(id(value) in known for value in list(vars(m).values())))}
    changed = [(scope, name) for scope in modules.values() for name in names if name not in scope]
    try:
        for scope, name in changed:
            scope[name] = names[name]
        yield
    finally:
        for scope, name in changed:
            scope.pop(name, None)


class _OfAnySize(TorchFunctionMode):
    """Traces torch.cdist as it is computed of few rows: of more than 25 PyTorch takes another algorithm, which would become a condition of the program."""

    changed = False  # whether anything was computed otherwise

    def __torch_function__(self, func, types, args=(), kwargs=None):
        kwargs = dict(kwargs or {})
        if func is torch.cdist and len(args) < 4 and kwargs.get("compute_mode") in (None, "use_mm_for_euclid_dist_if_necessary"):
            kwargs["compute_mode"] = "donot_use_mm_for_euclid_dist"
            self.changed = True
        return func(*args, **kwargs)


class _ToldSizes(TorchFunctionMode):
    """Traces what takes sizes from tensors, as dim_size = int(batch.max()) + 1 does.

    PyTorch follows item(), but neither int() nor a question about what came of it. Beside _Int, sizes that tensors tell are taken here for larger than 1,
    as PyTorch takes all free sizes; and a question that only an exception follows is answered so that there is none.
    """

    def __torch_function__(self, func, types, args=(), kwargs=None):
        if func is torch.Tensor.__bool__:
            return _answered(lambda: func(*args), inspect.currentframe().f_back)
        result = func(*args, **(kwargs or {}))
        for tensor in _leaves(result):
            for size in tensor.shape:
                _take_for_larger(size)
        return result

    def __enter__(self):
        self._bool = truth = torch.SymBool.__bool__
        torch.SymBool.__bool__ = lambda symbol: _answered(lambda: truth(symbol), inspect.currentframe().f_back)
        return super().__enter__()

    def __exit__(self, *problem):
        torch.SymBool.__bool__ = self._bool
        return super().__exit__(*problem)


def _take_for_larger(size):
    """Tells PyTorch that a size is at least 2 that is a number from a tensor, or more than that."""
    from torch.fx.experimental.symbolic_shapes import free_unbacked_symbols, statically_known_true
    if not isinstance(size, torch.SymInt) or not free_unbacked_symbols(size):
        return
    expression = _expression(size)
    terms = expression.args if expression.is_Add else [expression]
    if all(term.is_symbol or term.is_Integer and term >= 0 for term in terms) and not statically_known_true(size >= 2):
        torch._check(size >= 2)


def _without_bounds(program):
    """The program without the assertions that _take_for_larger left: it is as right for one graph as for two."""
    for node in reversed(program.graph.nodes):
        condition = node.args[0] if _operator(node) == "_assert_scalar" else None
        if getattr(getattr(condition, "target", None), "__name__", "") in ("ge", "le", "gt", "lt") and isinstance(condition.args[1], int):
            program.graph.erase_node(node)
    program.graph.eliminate_dead_code(lambda node: getattr(node.target, "__name__", "") not in ("ge", "le", "gt", "lt") or bool(node.users))
    program.graph_module.recompile()
    return program


def _depends_on_values(problem: BaseException) -> bool:
    return type(problem).__name__ in ("GuardOnDataDependentSymNode", "DataDependentOutputException") or "data-dependent" in str(problem).lower()


def _answered(question: Callable[[], bool], frame) -> bool:
    """What a question gives that is asked there, or the answer after which nothing is raised where that depends on values."""
    try:
        return question()
    except Exception as problem:
        answers = _passing_answers(frame) if _depends_on_values(problem) else set()
        if len(answers) != 1:
            raise
        return answers.pop()


def _passing_answers(frame) -> set[bool]:
    """What the part of an `if not torch.all(…): raise …` or of an assert that is asked now must give for nothing to be raised."""
    if frame is None or _is_pytorch(frame.f_code.co_filename):
        return set()
    code = frame.f_code
    line, last, left, right = list(code.co_positions())[frame.f_lasti // 2] if hasattr(code, "co_positions") else (frame.f_lineno, frame.f_lineno, None, None)
    first, end = (line, left or 0), (last, right if right is not None else sys.maxsize)
    return {answer for part, answer in _raising(code.co_filename)
            if (part.lineno, part.col_offset) < end and first < (part.end_lineno, part.end_col_offset)}


@functools.lru_cache(maxsize=None)
def _raising(filename: str) -> list[tuple[ast.expr, bool]]:
    """The parts of all conditions of a file after which only an exception is raised, and what each must give for it not to be."""
    try:
        tree = ast.parse("".join(linecache.getlines(filename)))
    except SyntaxError:
        return []

    def parts(test: ast.expr, wanted: bool) -> list[tuple[ast.expr, bool]]:
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            return parts(test.operand, not wanted)
        if isinstance(test, ast.BoolOp):
            return [part for value in test.values for part in parts(value, wanted)]
        return [(test, wanted)]

    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and isinstance(node.body[-1], ast.Raise):
            found += parts(node.test, False)
        elif isinstance(node, ast.Assert):
            found += parts(node.test, True)
    return found


class _Exporter:
    def __init__(self, model: nn.Module, inputs):
        _check_model(model)
        if isinstance(model, torch.fx.GraphModule):
            model = type(type(model).__name__, (_Traced,), {})(model)
        self.model, self.inputs, self.linked = model, _Inputs(), True
        self.told_sizes = False  # whether they are traced as _ToldSizes has it
        self.apart: dict[Any, list[tuple[_Input, int]]] = {}  # by the program's size: dimensions that were tried, and are free on their own
        self.notes = self.inputs.notes
        self.asked: dict[str, None] = {}
        # Graphs that modules keep (self.g), as older sources of DGL have it, and sparse matrices.
        self.held: list[tuple[nn.Module, str, Any]] = []
        for module in model.modules():
            for name, value in (vars(module) | module._buffers).items():
                if name not in ("_buffers", "_parameters") and (_is_dgl(value) or isinstance(value, Blocks) or _is_sparse(value)):
                    self.held.append((module, name, value))
        arguments = _arguments(model, inputs)
        self.inputs.tables = {name: weight.shape[0] for name, weight in model.named_parameters() if weight.dim() == 2}
        self.inputs.matrices = sum(_count_sparse(value) for value in {id(v): v for v in [*arguments.values(), *(v for *_, v in self.held)]}.values())
        self.builders = {name: self.inputs.take(name, value) for name, value in arguments.items()}
        self.kept: dict[int, Callable] = {}
        for _, name, value in self.held:
            if id(value) not in self.kept:
                self.kept[id(value)] = self.inputs.take(name, value)
        self.inputs.classify()
        self.changed_buffers: list[str] = []  # by forward
        self.by_position = bool(_TAKEN & set(self.inputs.all))

    def eager(self, tensors: dict[str, torch.Tensor]):
        # Tensors that have a row for each of the same nodes or edges share one free size.
        first: dict[tuple, Any] = {}
        for name, tensor in tensors.items():
            i = self.inputs.all[name]
            for dim, group in i.free.items():
                if self.linked and group in first:
                    torch._check(first[group] == tensor.shape[dim])
                if group is not None:
                    first.setdefault(group, tensor.shape[dim])
        arguments = {name: build(tensors) for name, build in self.builders.items()}
        if not self.inputs.graphs and not self.kept:
            return self._answer(arguments)
        with _Degrees() as degrees, self._holding({key: build(tensors) for key, build in self.kept.items()}):
            result = self._answer(arguments)
        self.asked.update(dict.fromkeys(degrees.asked))
        return result

    def _answer(self, arguments: dict[str, Any]):
        """What model(...) gives: its own forward, with hooks. A call within a call of the same module is more than PyTorch traces."""
        return self.model._call_impl(**arguments)

    @contextlib.contextmanager
    def _holding(self, graphs: dict[int, Any] | None):
        """While this lasts, modules keep these instead of what they kept, and nothing where none are given."""
        before = [(module, vars(module).copy(), module._buffers.copy()) for module in dict.fromkeys(module for module, *_ in self.held)]
        try:
            for module, name, value in self.held:
                module._buffers.pop(name, None)
                vars(module)[name] = graphs[id(value)] if graphs is not None else None
            yield
        finally:
            for module, own, buffers in before:
                for held, name, _ in self.held:
                    if held is module:
                        vars(module).pop(name, None)
                        if name in own:
                            vars(module)[name] = own[name]
                module._buffers.clear()
                module._buffers.update(buffers)

    @contextlib.contextmanager
    def taking_tensors(self, names: list[str]):
        """While this lasts, the model's forward takes the program's inputs by their names, so that modules keep their paths."""
        exporter = self
        own = {name: vars(self.model).get(name) for name in ("forward", "_forward_hooks", "_forward_pre_hooks")}

        def forward(self, *args, **kwargs):
            with _with_attributes(exporter.model, own), _OfAnySize(), _ToldSizes() if exporter.told_sizes else contextlib.nullcontext():
                return _plain(exporter.eager(dict(zip(names, args)) | kwargs))

        kinds = inspect.Parameter.POSITIONAL_OR_KEYWORD
        forward.__signature__ = inspect.Signature([inspect.Parameter(name, kinds) for name in ("self", *names)])
        # Hooks are run by the model's own call, on the arguments that they are for.
        others = {"forward": types.MethodType(forward, self.model), "_forward_hooks": OrderedDict(), "_forward_pre_hooks": OrderedDict()}
        with _with_attributes(self.model, others):
            yield

    def trace(self, names: list[str]):
        """The program; if it takes sizes from tensors by ways that PyTorch does not follow, then by those that it does."""
        if not self.told_sizes:
            try:
                return self._trace(names)
            except Exception as problem:
                if not _depends_on_values(problem):
                    raise
            self.told_sizes = True
        return _without_bounds(self._trace(names))

    def _trace(self, names: list[str]):
        tensors = {name: self.inputs.all[name].tensor for name in names}
        free = torch.export.Dim.AUTO
        sizes = {name: {dim: free for dim in self.inputs.all[name].free} or None for name in names}
        # PyTorch writes out the program so far where it gives up: the sentence made of that is enough.
        with self.taking_tensors(names), self._holding(None), _sparse_as_edges(), contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()), \
                _seen_by(self.model, {"len": _len, "int": _Int}), _traceable_layers():
            arguments = {"args": tuple(tensors.values())} if self.by_position else {"args": (), "kwargs": tensors}
            program = torch.export.export(self.model, **arguments, dynamic_shapes=sizes, strict=False)
            # torch.vmap is left as marks before and after, which nothing but PyTorch reads.
            marks = "torch._functorch.predispatch"
            marked = any(getattr(node.target, "__module__", "") == marks for node in program.graph.nodes if node.op == "call_function")
            return program.run_decompositions({}) if marked else program

    def _traced(self):
        """The program, with dimensions free that it finds to be as long as others that are."""
        names, self.apart = list(self.inputs.all), {}
        self.inputs.try_others()
        tried = [i for i in self.inputs.all.values() if i.tried]
        if tried:
            try:
                program = self.trace(names)
            except Exception:
                again = True  # what is wrong may be the attempt
            else:
                again = self._settle(program)
            if not again:
                return program
            for i in tried:
                i.tried = {dim: group for dim, group in i.tried.items() if group is not None}
        return self.trace(names)

    def _settle(self, program) -> bool:
        """Finds what dimensions count that were tried; whether the program must be traced again, as others are free that are no rows of anything."""
        placed = [(i, [_expression(size) for size in node.meta["val"].shape]) for i, node in zip(self.inputs.all.values(), _user_inputs(program))
                  if isinstance(node.meta.get("val"), torch.Tensor)]
        known = [(sizes[dim], group) for i, sizes in placed for dim, group in i.free.items() if dim not in i.tried and group is not None]
        groups = {size: group for size, group in sorted(known, key=lambda pair: pair[1][0] != "rows") if not isinstance(size, int)}
        side_by_side = {sizes[0] for i, sizes in placed if i.graphs} & set(groups)
        again = False
        for i, sizes in placed:
            apart = [dim for dim in i.tried if not isinstance(sizes[dim], int) and sizes[dim] not in groups]
            for dim in apart:
                self.apart.setdefault(sizes[dim], []).append((i, dim))
            again |= bool(apart)
            i.tried = {dim: groups[sizes[dim]] for dim in i.tried if sizes[dim] in groups}
            if i.counts == "rows" and len(i.tried) == 1:  # its rows lie there, as in [batch, time, nodes, features], where other dimensions are fixed
                i.graphs = i.row_dim == 0 and sizes[0] in side_by_side
                again |= not i.graphs and not isinstance(sizes[i.row_dim], int)
                (i.row_dim, (i.counts, i.of)), = i.tried.items()
                i.tried = {}
        return again

    def _with_apart(self, program):
        """The program, in which dimensions that were free on their own go with the nodes or edges that are as many, if the model runs on other graphs only
        so: x[mask] = 0 does not tell a program that the mask has a column for each node."""
        if not self.apart or self._runs_on_others():
            return program
        inputs = self.inputs.all.values()
        groups = {i.count(): i.group for kinds in (("edges", "index"), ("nodes", "matrix")) for i in inputs if i.counts in kinds and not _is_hyperedges(i.of)}
        for dims in [*self.apart.values(), [place for places in self.apart.values() for place in places]]:
            for i, dim in dims:
                i.tried[dim] = groups[i.tensor.shape[dim]]
            if self._runs_on_others():
                with contextlib.suppress(Exception):  # or it stays as it is
                    together = self.trace(list(self.inputs.all))
                    if not any(group in groups.values() for *_, group, _ in self._fixed_sizes(together)):
                        self._follow(together)
                        return together
            for i, dim in dims:
                del i.tried[dim]
        return program

    def run(self, path, check: bool, tolerance: float) -> Exported:
        tensors = {name: i.tensor.clone() for name, i in self.inputs.all.items()}
        expected = _leaves(self.eager(tensors))
        self.linked = not any(i.optional for i in self.inputs.all.values())  # or sizes would be read of what nothing else reads
        program = self._traced()
        if not self.linked:
            read = _read_inputs(program)
            self.inputs.all = {name: i for (name, i), node in zip(self.inputs.all.items(), _user_inputs(program)) if node in read or not i.optional}
            self.linked = True
            program = self._traced()
        self._refuse_random(program)
        self._refuse_fixed(program)
        self._refuse_uncounted()
        self._note_ties()
        self._follow(program)
        program = self._with_apart(program)
        for node in program.graph.nodes:
            trace = _without_this_file(node.meta.pop("stack_trace", None) or "")
            if trace:
                node.meta["stack_trace"] = trace
        if path is not None:
            self._write(program, pathlib.Path(path), expected if check else None, tolerance)
        elif check:
            self._compare(program, expected, tolerance)
        matrices = [name for name, i in self.inputs.all.items() if i.counts == "matrix" and (i.tensor.dim() == 2 or i.tensor.shape[0] == 1)]
        return Exported(program, {name: i.tensor for name, i in self.inputs.all.items()}, [t.detach() for t in expected], self.notes,
                        self._num_nodes(program), matrices)

    def _note_ties(self):
        layer = getattr(sys.modules.get("torch_geometric.nn.aggr.sort"), "SortAggregation", None)
        if layer is not None and any(isinstance(module, layer) for module in self.model.modules()):
            self.notes.append("SortAggregation: of rows with equal keys, as zeros behind a ReLU are, the archive takes those of earlier nodes first; PyTorch's own order "
                              "among them is any, and may be another.")

    def _write(self, program, path: pathlib.Path, expected, tolerance: float):
        """Puts the archive in its place once it has been compared. Its name goes into it, so it is the same from the start."""
        try:
            with tempfile.TemporaryDirectory(prefix=".cleave_export", dir=path.parent) as folder:
                part = pathlib.Path(folder) / path.name
                torch.export.save(program, part)
                if expected is not None:
                    self._compare(self._loaded(part, program), expected, tolerance)
                shutil.move(part, path)  # which copies where a rename is refused
        except OSError as problem:
            raise ExportError(f"'{path}' cannot be written: {problem.strerror or _first_line(str(problem))}.") from problem
        except RuntimeError as problem:
            if "PytorchStreamWriter" not in str(problem):
                raise
            raise ExportError(f"'{path}' cannot be written: {_first_line(str(problem))}") from problem

    def _loaded(self, path: pathlib.Path, program):
        """The archive as PyTorch reads it, which it does not where a size that a tensor tells must equal one that is free."""
        try:
            return torch.export.load(path)
        except OSError:
            raise
        except Exception as problem:
            counted = [n for n in program.graph.nodes if _operator(n) in _COUNTED_BY_VALUES] or [n for n in program.graph.nodes if _is_counted_by_values(n)]
            if not counted:
                raise ExportError(f"PyTorch does not load the archive that it wrote: {type(problem).__name__}: {_first_line(str(problem))}") from problem
            where = next(filter(None, (_source_of(node.meta.get("stack_trace", "")) for node in counted)), "")
            raise ExportError("PyTorch does not load the archive that it wrote, since what is in a tensor says how many rows there are" +
                              (f" at {where}" if where else "") + ": let forward take the numbers of these rows as an input.") from problem

    def _follow(self, program):
        """What the ends of edges name, and which sizes of the program are those of inputs."""
        nodes = dict(zip(self.inputs.all, _user_inputs(program)))
        self.followed = _Followed(program, {node: name for name, node in nodes.items() if self.inputs.all[name].counts == "index"})
        self.symbols = {}
        for name, node in nodes.items():
            for dim, size in enumerate(node.meta["val"].shape if isinstance(node.meta.get("val"), torch.Tensor) else ()):
                expression = _expression(size)
                if not isinstance(expression, int) and expression.is_symbol:
                    self.symbols.setdefault(expression, (name, dim))
        self._tell_tables(program)

    def _tell_tables(self, program):
        """Parameters that have a row for each node and are looked up by torch.arange: the program fits graphs of so many nodes only."""
        tables = {**program.graph_signature.inputs_to_parameters, **program.graph_signature.inputs_to_buffers}
        groups = {symbol: self.inputs.all[name].free.get(dim) for symbol, (name, dim) in self.symbols.items()}
        for ends, rows in self.followed.named.items():
            group = groups.get(ends.below)
            if group is None or group[0] != "nodes":
                continue
            i = next(i for i in self.inputs.all.values() if i.group == group)
            for node, dim in rows:
                if node.name in tables and node.meta["val"].shape[dim] == i.count():
                    self._tell_table(tables[node.name], i)

    def _tell_table(self, table: str, i: _Input):
        self.inputs.fixed.add(i.group)
        hint = f"--role {table}=node-features"
        note = f"The program fits graphs of {i.count()} nodes only, as '{table}' has a row for each; Cleave needs to be told: {hint}."
        if note not in self.notes:
            self.notes.append(note)

    def _limits(self, sizes: dict[tuple, int]) -> dict[tuple[str, int], int]:
        """Below what the ends of edges stay in a graph of these sizes, by what the program reads by them, and by the types that they are of."""
        inputs = self.inputs.all

        def size(name, dim):
            group = inputs[name].free.get(dim)
            return inputs[name].tensor.shape[dim] if group is None else sizes[group]

        found = self.followed.limits({symbol: size(*place) for symbol, place in self.symbols.items()})
        nodes = {of: count for (kind, of), count in sizes.items() if kind == "nodes"}
        only = [count for of, count in nodes.items() if not _is_hyperedges(of)] if self.inputs.num_nodes() is not None else []
        for name, i in inputs.items():
            for end, of in enumerate(i.of[::2] if i.counts == "index" else ()):
                known = [nodes[of]] if of in nodes else only if (name, end) not in found and not _is_hyperedges(of) else []
                for count in known:
                    found[name, end] = min(count, found.get((name, end), count))
        return found

    def _num_nodes(self, program) -> int | None:
        """How many nodes a graph file should tell of. No input tells it where edges name rows of parameters, or of tables behind each other."""
        if self._are_ends(program):
            return None
        read = {_expression(node.meta["val"].shape[dim]) for ends, rows in self.followed.named.items() for node, dim in rows
                if ends.index and ends.added == 0 and not _is_hyperedges(self.inputs.all[ends.index].of[2 * ends.row])}
        example = {symbol: self.inputs.all[name].tensor.shape[dim] for symbol, (name, dim) in self.symbols.items()}
        if len(read) == 1 and (self.inputs.are_too_few() or isinstance(next(iter(read)), int)):
            return _evaluated(read.pop(), example)
        return self.inputs.num_nodes()

    def _are_ends(self, program) -> bool:
        """Whether what was taken for nodes are lists of edges' ends, at which rows of parameters are read and as many rows are summed."""
        lists = {node: name for name, node in zip(self.inputs.all, _user_inputs(program))
                 if self.inputs.all[name].counts == "nodes" and self.inputs.all[name].tensor.dim() == 1}
        learned = {*program.graph_signature.inputs_to_parameters, *program.graph_signature.inputs_to_buffers}
        read, summed = set(), set()
        for rows in _Followed(program, lists).named.values():
            for node, dim in rows:
                (read if node.name in learned else summed).add(_expression(node.meta["val"].shape[dim]))
        return any(isinstance(size, int) for size in read & summed)

    def _refuse_random(self, program):
        drawn = {"rand", "randn", "rand_like", "randn_like", "randint", "randint_like", "randperm", "bernoulli", "bernoulli_", "normal", "normal_", "uniform_",
                 "multinomial"}
        for node in program.graph.nodes:
            if node.op != "call_function":
                continue
            name = getattr(node.target, "_schema", None) and node.target._schema.name.removeprefix("aten::")
            where = _source_of(node.meta.get("stack_trace", ""))
            at = f" at {where}" if where else ""
            if name in ("dropout", "dropout_", "feature_dropout", "alpha_dropout") and len(node.args) > 2 and node.args[2] is True and node.args[1] != 0:
                raise ExportError(f"Dropout{at} is always on: write F.dropout(x, p, training=self.training), and model.eval() switches it off.")
            if name in drawn:
                raise ExportError(f"forward draws random numbers{at} ({name}), so its answers are never the same: leave that out in eval mode (if self.training).")

    def _fixed_sizes(self, program) -> Iterator[tuple[str, _Input, tuple | None, int]]:
        """Sizes that should be free and are not."""
        for node, (name, i) in zip(_user_inputs(program), self.inputs.all.items()):
            if not isinstance(node.meta.get("val"), torch.Tensor):
                continue
            for dim, group in i.free.items():
                size = node.meta["val"].shape[dim]
                size = size if isinstance(size, int) else size.node.maybe_as_int()
                if size is not None:
                    yield name, i, group, size

    def _refuse_fixed(self, program):
        for name, i, group, size in self._fixed_sizes(program):
            self._refuse_size(name, i, group, size)

    def _refuse_uncounted(self):
        """A number of nodes that no input has rows of would be that of the example, whatever the graph."""
        weights = [*self.model.parameters(), *self.model.buffers()]
        for name, count in self.inputs.counted.items():
            known = [i.tensor.shape[i.rows] for i in self.inputs.all.values() if i.counts in ("nodes", "matrix")] + [t.shape[0] for t in weights if t.dim()]
            if count not in known:
                raise ExportError(f"No input has a row for each of the {count} nodes that '{name}' counts, so the program would fit graphs of {count} nodes only: "
                                  "let forward take what has, as batch or node features (torch.ones(num_nodes, 1)).")

    def _refuse_size(self, name: str, i: _Input, group: tuple | None, size: int):
        """A number of nodes or edges that the program does not leave free; of other rows it may be part of the model."""
        if group in self.inputs.fixed:
            return
        if group is None or group[0] == "rows":
            self.inputs.fixed |= {fixed for fixed in (group, i.each) if fixed is not None and fixed[0] == "rows"}
            others = [n for n, other in self.inputs.all.items() if other is not i and size in other.tensor.shape[1:] and size > 1]
            if others and not self.inputs.have_edges() and i.tensor.is_floating_point() and i.tensor.dim() == 2:
                self.notes.append(f"The program takes '{name}' with {size} rows only, as in the example: '{others[0]}' has a dimension of that size, "
                                  "and no edges tell what it counts. torch.export.export with that dimension in dynamic_shapes leaves it free.")
            return
        what = group[0]
        weights = [*self.model.named_parameters(), *self.model.named_buffers()]
        table = next((n for n, t in weights if t.dim() and t.shape[0] == size), None)
        if table and what == "nodes":
            self._tell_table(table, i)
            return
        if size == 1 and i.row_dim == 0 and i.tensor.dim() > 2 and not self.inputs.have_edges():
            raise ExportError(f"Dimension 0 of '{name}' is 1 in the example and forward keeps it so, and no edges tell which of the others counts the nodes: "
                              "leave that dimension free by torch.export.export (dynamic_shapes).")
        line = _fixed_by(lambda: self.trace(list(self.inputs.all)), size)
        at = f" at {line}" if line else ""
        if table:
            raise ExportError(f"The program fits graphs of {size} edges only (input '{name}'), as '{table}' has a row for each: let forward "
                              "take it beside the edges, as edge_weight.")
        raise ExportError(f"The program fits graphs of {size} {what} only (input '{name}'), since forward fixes their number{at}: "
                          f"{_advice(line)}.")

    def _second_graphs(self) -> Iterator[dict[str, torch.Tensor]]:
        """Inputs of other sizes. Where names, sizes and the program do not tell how inputs fit together, sizes of what is neither nodes nor edges are those of the
        example in the second, and ends of edges too in the third."""
        for rows_too, limited in ((True, True), (False, True), (False, False)):
            sizes = self.inputs.sizes(rows_too)
            yield self.inputs.another(sizes, self._limits(sizes) if limited else {})

    def _runs_on_others(self) -> bool:
        """Whether the model itself runs on any of them."""
        for tensors in self._second_graphs():
            with contextlib.suppress(Exception):
                self.eager({name: t.clone() for name, t in tensors.items()})
                return True
        return False

    def _called(self, program, tensors: dict[str, torch.Tensor]) -> list[torch.Tensor]:
        copies = {name: t.clone() for name, t in tensors.items()}
        return _leaves(program(*copies.values()) if self.by_position else nn.Module.__call__(program, **copies))

    def _compare(self, program, expected, tolerance):
        """Runs the program and the model on the example, and on a random graph of other sizes.

        What the model itself does not run on says nothing of the program: then the next graph has to do, and in the end the example's with other numbers in its
        tables, which a note says.
        """
        module = _runnable(program)
        self.changed_buffers = _changed_buffers(program)
        # In place: these outputs are recorded.
        expected[:] = self._check(module, "the example", {name: i.tensor for name, i in self.inputs.all.items()}, expected, tolerance)
        refused = None
        for number, tensors in enumerate(self._second_graphs()):
            try:
                wanted = _leaves(self.eager({name: t.clone() for name, t in tensors.items()}))
            except Exception as problem:
                refused = refused or problem
                continue
            try:
                self._check(module, "a second graph of another size", tensors, wanted, tolerance)
                return
            except _NotRun:
                if number > 0:
                    raise
        tensors = self.inputs.of_other_values()
        why = _first_line(str(refused)).removesuffix(".")
        try:
            wanted = _leaves(self.eager({name: t.clone() for name, t in tensors.items()}))
        except Exception as problem:
            raise ExportError(f"The model does not run on a random graph of another size ({why}): if its inputs must fit together in a way that "
                              "their names and sizes do not tell, export with check=False (--no-check).") from problem
        self._check(module, "the example with other features", tensors, wanted, tolerance)
        self.notes.append(f"The model does not run on a random graph of another size ({why}), so the archive was compared with it on the example's "
                          "graph only: its inputs must fit together in a way that their names and sizes do not tell.")

    def _check(self, module, which: str, tensors: dict[str, torch.Tensor], wanted: list[torch.Tensor], tolerance: float):
        """As _check_same; what differs is compared with the model as it is traced, where that is more exact than PyTorch's own choice."""
        try:
            self._check_same(module, which, tensors, wanted, tolerance)
        except _NotRun:
            raise
        except ExportError:
            with _OfAnySize() as exact:
                wanted = _leaves(self.eager({name: t.clone() for name, t in tensors.items()}))
            if not exact.changed:
                raise
            self._check_same(module, which, tensors, wanted, tolerance)
            note = ("torch.cdist takes squares apart from 26 rows on, which rounds small distances (that of a row to itself is not 0); the archive does "
                    "not, so its answers, and the outputs that are recorded beside it, differ from the model's by as much.")
            if note not in self.notes:
                self.notes.append(note)
        return wanted

    def _check_same(self, module, which: str, tensors: dict[str, torch.Tensor], wanted: list[torch.Tensor], tolerance: float):
        try:
            found = self._called(module, tensors)
        except Exception as problem:
            raise _NotRun(f"The exported program does not run on {which}: {_first_line(str(problem))}") from problem
        if len(found) != len(wanted):
            raise ExportError(f"On {which} the exported program has {len(found)} outputs, and the model {len(wanted)}: forward must always return "
                              "the same.")
        for k, (a, b) in enumerate(zip(found, wanted)):
            allowed = max(tolerance, 2e-2) if b.dtype in (torch.float16, torch.bfloat16) else tolerance
            a, b = a.double(), b.double()
            most = max(1.0, float(b.abs().nan_to_num().max())) if b.numel() else 1.0
            if a.shape != b.shape or not torch.allclose(a, b, rtol=allowed, atol=allowed * most, equal_nan=True):
                apart = f"by {(a - b).abs().max():.3g}" if a.shape == b.shape else f"in shape ({list(a.shape)}, not {list(b.shape)})"
                if self.changed_buffers:
                    raise ExportError(f"On {which} output {k} of the exported program differs from the model's {apart}: forward changes "
                                      f"{', '.join(self.changed_buffers)} each time it runs, and the archive begins with what is there now: let forward "
                                      "take it as an input, or leave it alone in eval.")
                raise ExportError(f"On {which} output {k} of the exported program differs from the model's {apart}: something in forward (a number, "
                                  "a cached tensor) was taken from the example as a constant.")


class _Lifted(nn.Module):
    """A program that takes its parameters as inputs, run on those that it holds."""

    def __init__(self, program):
        super().__init__()
        self._program = program

    def forward(self, *arguments, **named):
        program, given = self._program, iter(_leaves(arguments) + _leaves(list(named.values())))
        inputs = []
        for spec in program.graph_signature.input_specs:
            if spec.kind.name == "USER_INPUT":
                inputs.append(next(given))
            else:
                inputs.append(program.state_dict[spec.target] if spec.target in program.state_dict else program.constants[spec.target])
        outputs = torch.fx.Interpreter(program.graph_module).run(*inputs)
        return tuple(output for output, spec in zip(outputs, program.graph_signature.output_specs) if spec.kind.name == "USER_OUTPUT")


def _runnable(program):
    try:
        return program.module()
    except (KeyError, SyntaxError):  # what the model has is called as something is that modules of torch.fx have (code, graph), or as words of Python (in)
        return _Lifted(program)


class _NotRun(ExportError):
    """A program that does not run on a graph that the model runs on."""


def _advice(line: str) -> str:
    """What to write instead of what fixes a size."""
    if "sparse" in line:
        return ("sparse tensors take numbers as their size: take torch.sparse_coo_tensor, sum x[edge_index[0]] by edge_index[1] with index_add, or "
                "let forward take the matrix")
    if "linspace" in line:
        return "torch.linspace takes a number of steps: write torch.arange(x.shape[0]) / (x.shape[0] - 1) instead"
    if "fill_diagonal" in line:
        return "fill_diagonal_ takes numbers: write i = torch.arange(a.shape[0]); a[i, i] = 1 instead"
    if "math." in line:
        return ("Python's math gives numbers of the example: write x.shape[0] ** 0.5 instead of math.sqrt, torch.log(torch.ones(()) * x.shape[0]) "
                "instead of math.log, and so on")
    return "compare no size with a number, count no Python loop by it, and let PyTorch's operators go over all rows"


def _user_inputs(program) -> list[torch.fx.Node]:
    """What the program takes, in order, without parameters and constants."""
    names = [spec.arg.name for spec in program.graph_signature.input_specs if spec.kind == torch.export.graph_signature.InputKind.USER_INPUT]
    nodes = {node.name: node for node in program.graph.nodes if node.op == "placeholder"}
    return [nodes[name] for name in names]


def _read_inputs(program) -> set[torch.fx.Node]:
    """Inputs that outputs depend on."""
    changes = lambda node: getattr(getattr(node.target, "_schema", None), "is_mutable", False)
    waiting = [node for node in program.graph.nodes if node.op == "output" or changes(node)]
    live = set(waiting)
    while waiting:
        fresh = [node for node in waiting.pop().all_input_nodes if node not in live]
        live.update(fresh)
        waiting += fresh
    return {node for node in live if node.op == "placeholder"}


_COUNTED_BY_VALUES = {"nonzero", "masked_select", "unique", "unique2", "unique_dim", "unique_consecutive"}


def _is_counted_by_values(node: torch.fx.Node) -> bool:
    """Whether a tensor has a size that what is in another one tells."""
    value = node.meta.get("val")
    return isinstance(value, torch.Tensor) and bool(torch.fx.experimental.symbolic_shapes.free_unbacked_symbols(value))


def _plain(value):
    """Outputs as archives take them: named tuples are tuples."""
    if isinstance(value, tuple):
        return tuple(_plain(v) for v in value)
    if isinstance(value, list):
        return [_plain(v) for v in value]
    return {k: _plain(v) for k, v in value.items()} if type(value) is dict else value


def _leaves(value) -> list[torch.Tensor]:
    return [leaf for leaf in torch.utils._pytree.tree_leaves(value) if isinstance(leaf, torch.Tensor)]


def _frames_of(trace: str) -> list[str]:
    return re.split(r"(?m)^(?= *File \")", trace)


def _without_this_file(trace: str) -> str:
    """The stack of an operator without the stand-ins: the model's line is what a person wants to see."""
    kept = [frame for frame in _frames_of(trace) if f'"{_HERE}"' not in frame and f'"{__file__}"' not in frame]
    return "".join(kept) if any(frame.strip() for frame in kept) else ""


def _source_of(trace: str) -> str:
    for frame in reversed(_frames_of(trace)):
        known = re.match(r' *File "([^"]+)", line (\d+), in [^\n]*\n *([^\n]*)', frame)
        if known and not _library(known[1]) and os.path.abspath(known[1]) != _HERE:
            return f"{os.path.basename(known[1])}:{known[2]} (`{known[3].strip()}`)"
    return ""


@contextlib.contextmanager
def _quiet_and_in_eval(model: nn.Module):
    """Modules in eval mode, PyTorch Geometric in ways that can be traced, and all put back afterwards."""
    modes = {module: module.training for module in model.modules()}
    buffers = [(module._buffers, name, buffer, buffer.detach().clone() if isinstance(buffer, torch.Tensor) else None)
               for module in modes for name, buffer in module._buffers.items()]
    geometric = sys.modules.get("torch_geometric")
    backend = getattr(geometric, "backend", None)
    kept = getattr(backend, "use_segment_matmul", None)
    noisy = logging.getLogger("torch.fx.experimental.symbolic_shapes")
    level = noisy.level
    try:
        model.eval()
        if backend is not None and hasattr(backend, "use_segment_matmul"):
            backend.use_segment_matmul = False  # sorts edges by relation, which torch.export cannot trace
        noisy.setLevel(logging.ERROR)
        with torch.no_grad(), warnings.catch_warnings(), _dgl_on_stand_ins():
            warnings.simplefilter("ignore")
            yield
    finally:
        noisy.setLevel(level)
        if backend is not None and hasattr(backend, "use_segment_matmul"):
            backend.use_segment_matmul = kept
        for module, training in modes.items():
            module.training = training
        for names, name, buffer, before in buffers:  # counters and averages that forward goes on with
            names[name] = buffer
            if before is not None and before.layout is torch.strided and not torch.equal(buffer, before):
                with torch.no_grad():
                    buffer.copy_(before)


def _tables_of_neighbours(program, nodes: dict[str, torch.fx.Node]) -> set[str]:
    """Inputs [nodes, n] whose numbers name rows of which there are as many as rows of their own."""
    tables = {node: name for name, node in nodes.items() if node.meta["val"].dim() == 2 and node.meta["val"].dtype in (torch.int32, torch.int64)}
    rows = {name: _expression(node.meta["val"].shape[0]) for node, name in tables.items()}
    return {ends.index for ends, named in _Followed(program, tables).named.items() if ends.index and
            any(_expression(node.meta["val"].shape[dim]) == rows[ends.index] for node, dim in named)}


def _fixed_nodes(exported: Exported) -> list[str]:
    """Rows of graphs side by side, [graphs, n, features] beside [graphs, n] or [graphs, n, n], of which such a program may have fixed n."""
    if exported.matrices or any(_is_edge_index(name, tensor) for name, tensor in exported.inputs.items()):
        return []
    nodes = {n.target: n for n in exported.program.graph.nodes if n.op == "placeholder" and n.target in exported.inputs}
    shapes = {name: node.meta["val"].shape for name, node in nodes.items()}
    neighbours = {shapes[name][1] for name in _tables_of_neighbours(exported.program, nodes)}
    sides = [s[1] for s in shapes.values() if len(s) > 1 and not isinstance(s[0], int) and isinstance(s[1], int) and s[1] > 1 and s[1] not in neighbours]
    fixed = {name: list(s) for name, s in shapes.items() if len(s) > 2 and isinstance(s[1], int) and sides.count(s[1]) > 1}
    return [f"The program fits graphs of {shape[1]} nodes only, if dimension 1 of '{name}', {shape}, counts these." for name, shape in list(fixed.items())[:1]]


def export(model: nn.Module, inputs, path=None, *, check: bool = True, tolerance: float = 1e-4) -> Exported:
    """Writes the model as a PT2 archive with free numbers of nodes and edges.

    inputs: forward's arguments, as a tuple, a dictionary by their names, or Data. Tensors, dictionaries of them by type or relation, a graph of
    DGL, or Blocks(graph) where forward takes one block for each layer. Data of the graph that forward reads (graph.ndata['feat']) becomes inputs.
    check: runs the archive on the example and on a second random graph of another size, and compares with the model; a difference is an error.
    """
    if not isinstance(model, nn.Module):
        _check_model(model)
    with _quiet_and_in_eval(model):
        try:
            exporter = _Exporter(model, inputs)
            exported = exporter.run(path, check, tolerance)
        except Exception as problem:
            raise _explained(problem, model) from problem
    exported.notes.extend(_fixed_nodes(exported))
    if exporter.asked or exporter.inputs.graphs and any(getattr(m, "_allow_zero_in_degree", None) is False for m in model.modules()):
        where = ", ".join(filter(None, exporter.asked))
        exported.notes.append("The model asks whether there are nodes that no edge leads to" + (f", at {where}" if where else "") +
                              ": the archive goes on as if there were none, and gives such nodes 0 from their neighbours.")
    return exported


# Command line. -------------------------------------------------------------------------------------------------------------------------

_GRAPHS, _BLOCKS = {"g", "graph", "hg", "dgl_graph", "bg"}, {"blocks", "mfgs", "block_list"}


def _imported(text: str) -> Any:
    file, _, name = text.rpartition(":")
    if not file or not pathlib.Path(file).is_file():
        raise ExportError(f"'{text}' is not FILE.py:NAME with a file that exists.")
    path = pathlib.Path(file).resolve()
    sys.path.insert(0, str(path.parent))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    try:
        spec.loader.exec_module(module)
    except Exception as problem:
        raise ExportError(f"{file} cannot be imported: {type(problem).__name__}: {_first_line(str(problem))}") from problem
    if not hasattr(module, name):
        raise ExportError(f"{file} has no '{name}'; it has {', '.join(n for n, v in vars(module).items() if callable(v) and not n.startswith('_'))}.")
    return getattr(module, name)


def _built(maker: Any, options: dict[str, Any]) -> nn.Module:
    if isinstance(maker, nn.Module):
        return maker
    try:
        return maker(**options)
    except TypeError as problem:
        raise ExportError(f"The model cannot be made with these --arg: {problem}.") from problem


def _arrays(path: str) -> dict[str, torch.Tensor]:
    import numpy as np
    try:
        opened = np.load(path)
    except (ValueError, EOFError, zipfile.BadZipFile) as problem:
        raise ExportError(f"{path} is no .npz file of arrays: {_first_line(str(problem))}") from problem
    if not hasattr(opened, "files"):
        raise ExportError(f"{path} holds one array alone: write a .npz file with an array for each argument.")
    with opened as file:
        return {name: torch.from_numpy(np.ascontiguousarray(file[name])) for name in file.files if file[name].dtype.kind in "fiub"}


def _inputs_of(model: nn.Module, arrays: dict[str, torch.Tensor], options) -> dict[str, Any]:
    renamed = dict(pair.split("=", 1) for pair in options.input)
    inputs = {}
    used = set()
    for parameter in inspect.signature(model.forward).parameters.values():
        name, annotation = parameter.name, str(parameter.annotation)
        blocks = name == options.blocks or (not options.blocks and (name in _BLOCKS or re.search(r"(?i)list.*(DGL|Graph)", annotation)))
        named = name.lower() in _GRAPHS | {"block"} or re.search(r"DGL\w*Graph|DGLBlock", annotation)
        if blocks or name == options.graph or (not options.graph and named):
            made = _graph_of(arrays, options.relation)
            inputs[name] = Blocks(made) if blocks else made
            continue
        array = renamed.get(name, name)
        if array in arrays:
            inputs[name] = arrays[array]
            used.add(array)
        elif name.endswith("_dict") or any(a.startswith(name + "_") for a in arrays):
            base = name.removesuffix("_dict") + "_"
            relations = {"_".join(r): tuple(r) for r in (text.split(",") for text in options.relation)}
            found = {a.removeprefix(base): t for a, t in arrays.items() if a.startswith(base)}
            inputs[name] = {relations.get(key, key): t for key, t in found.items()}
        elif parameter.default is parameter.empty and parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
            if "x" in arrays and "x" not in used and not (name in renamed):
                inputs[name] = arrays["x"]
                used.add("x")
            else:
                raise ExportError(f"The graph file has no array for '{name}' of forward; it has {', '.join(arrays)}: name one with --input {name}=ARRAY.")
    return inputs


def _graph_of(arrays: dict[str, torch.Tensor], relations: list[str]) -> Graph:
    counts: dict[str, int] = {}
    data: dict[Relation, tuple] = {}
    for relation in [tuple(text.split(",")) for text in relations] or [(NODE, EDGE, NODE)]:
        name = "edge_index" if relation[1] == EDGE else "edge_index_" + "_".join(relation)
        if name not in arrays:
            raise ExportError(f"The graph file has no array '{name}'; it has {', '.join(arrays)}: name the relations with --relation SOURCE,RELATION,TARGET.")
        data[relation] = tuple(arrays[name].long())
    for relation, ends in data.items():
        for ntype, end in zip((relation[0], relation[2]), ends):
            known = [t.shape[0] for n, t in arrays.items() if t.dim() and not n.startswith("edge") and
                     (n == "x" or n == "feat" if ntype == NODE else set(_words(ntype)) <= set(_words(n)) and t.dim() > 1)]
            count = known[0] if known else int(arrays["num_nodes"]) if "num_nodes" in arrays else int(end.max()) + 1
            counts[ntype] = max(counts.get(ntype, 0), count)
    return _graph(data, counts)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="cleave_export.py", description="Writes a graph neural network as the PT2 archive that Cleave opens.", epilog="""
        Example: cleave_export.py model.py:GCN cora.npz gcn.pt2 --arg in_feats=1433 --arg classes=7 --weights gcn.pt. Graph parameters of DGL's forward are known
        by their names (g, graph, hg, block; blocks, mfgs) or annotations. Exit codes: 0 done, 1 it could not be done (one sentence on stderr), 2 wrong usage.""")
    parser.add_argument("model", help="FILE.py:NAME, with NAME a class, a function that returns the model, or the model")
    parser.add_argument("graph_file", metavar="graph", help=".npz with arrays named like forward's parameters: x, edge_index, …")
    parser.add_argument("out", help="archive to write (.pt2)")
    parser.add_argument("--arg", action="append", default=[], metavar="NAME=VALUE", help="argument of NAME: a number, a list, True, None, or text; may be repeated")
    parser.add_argument("--weights", metavar="FILE", help="state_dict written by torch.save, loaded into the model (only tensors are read)")
    parser.add_argument("--input", action="append", default=[], metavar="PARAMETER=ARRAY",
                        help="which array a parameter of forward gets, where names differ; may be repeated")
    parser.add_argument("--graph", metavar="PARAMETER", help="the parameter that is a graph of DGL, where its name does not tell")
    parser.add_argument("--blocks", metavar="PARAMETER", help="the parameter that is a list of blocks of DGL, one for each layer")
    parser.add_argument("--relation", action="append", default=[], metavar="SOURCE,RELATION,TARGET",
                        help="a relation of a graph with several types, as array edge_index_SOURCE_RELATION_TARGET; may be repeated")
    parser.add_argument("--graph-out", metavar="FILE", help="also write the inputs and the model's outputs as .npz, for cleave-cli verify --expected")
    parser.add_argument("--no-check", action="store_true", help="do not run the archive against the model")
    options = parser.parse_args(arguments)
    for pair in [*options.arg, *options.input]:
        if "=" not in pair:
            parser.error(f"'{pair}' is not NAME=VALUE")
    for relation in options.relation:
        if len(relation.split(",")) != 3:
            parser.error(f"'{relation}' is not SOURCE,RELATION,TARGET")
    try:
        install_dgl()
        values = {}
        for name, value in (pair.split("=", 1) for pair in options.arg):
            try:
                values[name] = ast.literal_eval(value)
            except (ValueError, SyntaxError):
                values[name] = value
        model = _built(_imported(options.model), values)
        if options.weights:
            try:
                weights = torch.load(options.weights, map_location="cpu", weights_only=True)
            except OSError:
                raise
            except Exception as problem:
                raise ExportError(f"{options.weights} holds no state_dict that torch.save wrote: {type(problem).__name__}: "
                                  f"{_first_line(str(problem))}") from problem
            model.load_state_dict(weights)
        exported = export(model, _inputs_of(model, _arrays(options.graph_file), options), options.out, check=not options.no_check)
        if options.graph_out:
            exported.save_graph(options.graph_out)
    except (ExportError, OSError, RuntimeError) as problem:
        print(f"cleave_export.py: {_first_line(str(problem)) if not isinstance(problem, ExportError) else problem}", file=sys.stderr)
        return 1
    print(f"{options.out}: inputs {', '.join(exported.inputs)}; {len(exported.outputs)} output{'s' if len(exported.outputs) > 1 else ''}" +
          ("" if options.no_check else "; equal to the model on the example and on a second graph"))
    for note in exported.notes:
        print(note)
    return 0


if __name__ == "__main__":
    sys.exit(main())

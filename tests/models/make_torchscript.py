"""Writes the models of the zoo as TorchScript: torchscript/NAME.trace.pt and NAME.script.pt, with the weights and inputs of zoo/NAME.npz.

    python3 make_torchscript.py [FOLDER [NAME or NAME.trace or NAME.script ...]]

Needs PyTorch and PyTorch Geometric; torchscript_1.13 was made by PyTorch 1.13, all else by 2.14. Models whose inputs are dictionaries (several node types) are left out: a trace has one tensor for each
input. index.json says what is expected of each file.
"""

import inspect
import json
import pathlib
import sys
import warnings
import zipfile
from typing import Optional

import numpy as np
import torch
import torch_geometric

import make_models


WITH_SOURCES = ("gcn", "sage_mean", "gat")
UNREAD = {"expander", "mean_of_graph"}  # without a graph: edges of two kinds are taken for as many, and pointers for any numbers
WIDTHS = {"agnn": 12, "lgconv": 12, "appnp": 12, "deep_appnp": 12, "gated_graph": 12, "sgc": 12, "ssg": 12}  # scripts that run with any


def pack(path, source, keeps):
    """Writes to path, packed, what keeps says of the entries of the archive source."""
    with zipfile.ZipFile(source) as archive:
        entries = [(info.filename, archive.read(info)) for info in archive.infolist() if keeps(info.filename)]
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for filename, content in entries:
            archive.writestr(zipfile.ZipInfo(filename), content, zipfile.ZIP_DEFLATED)


def deflate(path, keep_sources):
    """Packs the archive's entries; of most files without the lines of Python that their operators come from."""
    pack(path, path, lambda name: keep_sources or not name.endswith(".debug_pkl"))


def traced(model, given):
    """Before PyTorch 2.0 the inputs of a trace had no names."""
    if "example_kwarg_inputs" in inspect.signature(torch.jit.trace).parameters:
        return torch.jit.trace(model, example_kwarg_inputs=given, check_trace=False)
    names = list(inspect.signature(model.forward).parameters)
    last = max(names.index(name) for name in given)
    return torch.jit.trace(model, tuple(given.get(name) for name in names[:last + 1]), check_trace=False)


class Counting(torch.nn.Module):
    """Sizes as Python's numbers: a trace writes down those of one graph."""

    def __init__(self):
        super().__init__()
        self.lin = torch.nn.Linear(make_models.FEATURES, 8)

    def forward(self, x, edge_index):
        nodes, edges = int(x.size(0)), int(edge_index.size(1))
        h = self.lin(x)
        source = torch.cat([edge_index[0], torch.arange(nodes)])
        target = torch.cat([edge_index[1], torch.arange(nodes)])
        out = torch.zeros(nodes, 8).index_add(0, target, h.index_select(0, source).view(edges + nodes, 8))
        return out * torch.zeros(nodes).index_add(0, target, torch.ones(edges + nodes)).clamp(min=1).pow(-1).unsqueeze(-1)


class Branching(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = torch.nn.Linear(make_models.FEATURES, 8)

    def forward(self, x, edge_index):
        h = self.lin(x)
        h = torch.zeros_like(h).index_add(0, edge_index[1], h.index_select(0, edge_index[0]))
        if bool(h.sum() > 0):
            h = h.relu()
        return h


class Pooled(torch.nn.Module):
    """Counts the graphs by itself: a trace keeps how many there were."""

    def __init__(self):
        super().__init__()
        self.conv, self.lin = make_models.pyg.SAGEConv(make_models.FEATURES, 16), torch.nn.Linear(16, 4)

    def forward(self, x, edge_index, batch):
        return self.lin(make_models.pyg.global_mean_pool(self.conv(x, edge_index).relu(), batch))


class Never(torch.nn.Module):
    """Runs on no input: an edge index has no third row."""

    def forward(self, x, edge_index):
        return x[edge_index[2]] if edge_index.size(0) == 2 else x[edge_index[5, 5, 5]]


class Changing(torch.nn.Module):
    """Its buffer is another one after each call."""

    def __init__(self):
        super().__init__()
        self.lin = torch.nn.Linear(make_models.FEATURES, 8)
        self.register_buffer("scale", torch.ones(8))

    def forward(self, x, edge_index):
        self.scale.mul_(1.5)
        h = self.lin(x) * self.scale
        return torch.zeros_like(h).index_add(0, edge_index[1], h.index_select(0, edge_index[0]))


class Scaled(torch.nn.Module):
    """Divides by a number that Python works out while it is traced."""

    def __init__(self):
        super().__init__()
        self.lin = torch.nn.Linear(make_models.FEATURES, 8)

    def forward(self, x, edge_index):
        h = self.lin(x) / int(x.size(0))
        return torch.zeros_like(h).index_add(0, edge_index[1], h.index_select(0, edge_index[0]))


class FastPath(torch.nn.Module):
    """GraphGPS: eigenvectors with padding go through a transformer, which keeps nested tensors in eval mode."""

    def __init__(self):
        super().__init__()
        self.lin = torch.nn.Linear(1, 8)
        self.encoder = torch.nn.TransformerEncoder(torch.nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), 2)

    def forward(self, x, edge_index):
        padding = torch.arange(x.size(1)).unsqueeze(0) > 4 * x[:, :1].abs()
        h = self.encoder(self.lin(x.unsqueeze(-1)), src_key_padding_mask=padding).sum(1)
        return torch.zeros_like(h).index_add(0, edge_index[1], h[edge_index[0]])


class Cached(torch.nn.Module):
    """Looked at one graph before it was traced."""

    def __init__(self):
        super().__init__()
        self.conv = torch_geometric.nn.GCNConv(make_models.FEATURES, 8, cached=True)

    def forward(self, x, edge_index):
        return self.conv(x, edge_index)


class Relations(torch.nn.Module):
    """Types of edges, more than a few, of which there are as many as the graph has."""

    def __init__(self):
        super().__init__()
        self.conv = torch_geometric.nn.RGCNConv(make_models.FEATURES, 4, 8)

    def forward(self, x, edge_index, edge_type):
        return self.conv(x, edge_index, edge_type)


class LearnedWeights(torch.nn.Module):
    """Weights of edges that come from the nodes at both ends, and get those of self-loops beside them."""

    def __init__(self):
        super().__init__()
        self.score, self.conv = torch.nn.Linear(make_models.FEATURES, 1), torch_geometric.nn.GCNConv(make_models.FEATURES, 4)

    def forward(self, x, edge_index):
        score = self.score(x).squeeze(-1)
        return self.conv(x, edge_index, (score[edge_index[0]] + score[edge_index[1]]).sigmoid())


class BesideTheHub(torch.nn.Module):
    """Rows less that of the node which most edges lead to: a number that the graph tells, and that may come out alike on several."""

    def __init__(self):
        super().__init__()
        self.a, self.b = torch.nn.Linear(make_models.FEATURES, 8), torch.nn.Linear(8, 4)

    def forward(self, x, edge_index):
        hub = torch.bincount(edge_index[1], minlength=x.size(0)).argmax()
        for layer in (self.a, self.b):
            h = layer(x)
            x = torch.zeros_like(h).index_add(0, edge_index[1], h[edge_index[0]])
            x = (x - x[hub]).tanh()
        return x


class CompressedRows(torch.nn.Module):
    """Edges by where those of each node begin, in two layers."""

    def __init__(self):
        super().__init__()
        self.a, self.b = torch.nn.Linear(make_models.FEATURES, 8), torch.nn.Linear(8, 4)

    def forward(self, x, rowptr, col):
        targets = torch.repeat_interleave(torch.arange(x.size(0)), rowptr[1:] - rowptr[:-1], output_size=col.size(0))
        for layer in (self.a, self.b):
            h = layer(x)
            x = torch.zeros_like(h).index_add(0, targets, h[col]).relu()
        return x


class TypeTokens(torch.nn.Module):
    """A row of a table and the sum of all rows for each kind of nodes, and a constant of one number."""

    def __init__(self):
        super().__init__()
        self.kind, self.lin = torch.nn.Embedding(3, make_models.FEATURES), torch.nn.Linear(make_models.FEATURES, 4)

    def forward(self, x, edge_index, node_type):
        h = x + self.kind(node_type)
        h = torch.zeros_like(h).index_add(0, edge_index[1], h[edge_index[0]])
        return self.lin(h + torch.zeros(3, x.size(1)).index_add(0, node_type, h)[node_type]), torch.tensor(3.0)


class OwnSparse(torch.nn.Module):
    """Makes its adjacency matrix, with edges that are there twice, and multiplies with it in several ways."""

    def __init__(self):
        super().__init__()
        self.lins = torch.nn.ModuleList([torch.nn.Linear(make_models.FEATURES, 8), torch.nn.Linear(8, 8), torch.nn.Linear(8, 8), torch.nn.Linear(8, 4)])

    def forward(self, x, edge_index, edge_weight):
        size = (x.size(0), x.size(0))
        edges = torch.cat([edge_index, edge_index[:, ::3]], 1)
        adj = torch.sparse_coo_tensor(edges, torch.cat([edge_weight, edge_weight[::3]]), size)
        mean = torch.sparse.sum(adj, 1).to_dense().clamp(min=0.1).unsqueeze(1)
        h = (torch.sparse.mm(adj.coalesce(), self.lins[0](x)) / mean).relu()
        h = (adj @ self.lins[1](h)).relu()
        h = (torch.spmm(adj.t(), self.lins[2](h)) / mean).relu()
        return torch.sparse.addmm(h[:, :4], adj * 0.5, self.lins[3](h))


class Hyperedges(torch.nn.Module):
    """Two layers over hyperedges."""

    def __init__(self):
        super().__init__()
        self.first, self.second = torch_geometric.nn.HypergraphConv(make_models.FEATURES, 8), torch_geometric.nn.HypergraphConv(8, 4)

    def forward(self, x, hyperedge_index, hyperedge_weight):
        count = hyperedge_weight.size(0)
        return self.second(self.first(x, hyperedge_index, hyperedge_weight, num_edges=count), hyperedge_index, hyperedge_weight, num_edges=count)


class OfEntries(torch.nn.Module):
    """Sums over edges by how many entries the rows have, which only their sizes tell."""

    def __init__(self):
        super().__init__()
        self.lin = torch.nn.Linear(12, 4)

    def forward(self, x, edge_index):
        h = self.lin(x)
        sums = torch.zeros_like(h).index_add(0, edge_index[1], h[edge_index[0]])
        return 100 * sums / sums.numel()


class SparseMean(make_models.MatrixMean):
    """The same, by the functions for sparse matrices."""

    def forward(self, x, adj):
        h = torch.relu(self.lins[0](torch.sparse.mm(adj, x) / torch.sparse.sum(adj, dim=1).to_dense().clamp(min=1e-3).unsqueeze(1)))
        back = adj.t()
        h = h + torch.relu(self.lins[1](torch.sparse.mm(back, h) / torch.sparse.sum(adj, dim=0).to_dense().clamp(min=1e-3).unsqueeze(1)))
        return self.last(torch.sparse.addmm(self.lins[2].bias.expand(h.size(0), -1), adj * 0.5, h))


class Pointers(torch.nn.Module):
    """Begins of the edges into each of four nodes, by an operator that does not look whether there are more."""

    def forward(self, x, edge_index):
        begins = torch._convert_indices_from_coo_to_csr(edge_index[1], 4)
        return x * begins[1]


class Types(torch.nn.Module):
    """Goes through float16, and reads a constant of one entry where a number would have another type."""

    def __init__(self):
        super().__init__()
        self.conv = torch_geometric.nn.SAGEConv(make_models.FEATURES, 8)

    def forward(self, x, edge_index):
        return torch.nn.functional.prelu(self.conv(x.half().float(), edge_index), torch.tensor(0.2))


class Constants(torch.nn.Module):
    """MACE's repulsion: numbers beside constants without dimensions, whose type decides beside integers."""

    def __init__(self):
        super().__init__()
        self.register_buffer("scale", torch.tensor(0.1))

    def forward(self, x, edge_index, atoms):
        weight = self.scale * 0.529 / (atoms[edge_index[0]] + 1)
        rounding = (self.scale * 3 - 0.3).abs() * 1e7
        return torch.zeros_like(x).index_add(0, edge_index[1], x[edge_index[0]] * weight.unsqueeze(-1)) + rounding


class Molecules(torch.nn.Module):
    """A sum for each graph, of which there is one less than ptr has entries; nodes have types only."""

    def __init__(self):
        super().__init__()
        self.types, self.conv = torch.nn.Embedding(9, 8), torch_geometric.nn.SAGEConv(8, 8)

    def forward(self, atoms, edge_index, batch, ptr):
        return torch_geometric.nn.global_add_pool(self.conv(self.types(atoms), edge_index), batch, ptr.size(0) - 1)


class Highest(torch.nn.Module):
    """Attention of one's own, by a softmax that counts nodes as the largest number among the targets says."""

    def __init__(self):
        super().__init__()
        self.lin, self.score = torch.nn.Linear(make_models.FEATURES, 8), torch.nn.Linear(16, 1)

    def forward(self, x, edge_index):
        h = self.lin(x)
        weights = torch_geometric.utils.softmax(self.score(torch.cat([h[edge_index[0]], h[edge_index[1]]], 1)), edge_index[1])
        return torch.zeros_like(h).index_add(0, edge_index[1], weights * h[edge_index[0]])


class Queries(torch.nn.Module):
    """Scores of users and items, whose rows are learned: the only lists among the inputs ask for something, and tell of no nodes."""

    USERS = 35

    def __init__(self):
        super().__init__()
        self.users, self.items = torch.nn.Embedding(self.USERS, 8), torch.nn.Embedding(make_models.NODES - self.USERS, 8)

    def forward(self, edge_index, users, items):
        rows = torch.cat([self.users.weight, self.items.weight])
        rows = rows + torch.zeros_like(rows).index_add(0, edge_index[1], rows[edge_index[0]])
        of_users, of_items = torch.split(rows, [self.USERS, make_models.NODES - self.USERS])
        return (of_users[users] * of_items[items]).sum(-1)


class AtMask(torch.nn.Module):
    """Rows at a mask: at zeros and ones, which a script does not tell from it, there are others."""

    def __init__(self):
        super().__init__()
        self.lin = torch.nn.Linear(make_models.FEATURES, 3)

    def forward(self, x, edge_index, chosen, train_mask):
        h = self.lin(x)
        h = torch.zeros_like(h).index_add(0, edge_index[1], h[edge_index[0]])
        return h[chosen], h[train_mask]


class Weighted(torch.nn.Module):
    """Messages are weighed where the caller gives weights; a second optional input is of rows that no graph has."""

    def __init__(self):
        super().__init__()
        self.lin = torch.nn.Linear(make_models.FEATURES, 16)

    def forward(self, x, edge_index, edge_weight: Optional[torch.Tensor] = None, pos: Optional[torch.Tensor] = None):
        messages = x[edge_index[0]]
        if edge_weight is not None:
            messages = messages * edge_weight.unsqueeze(1)
        h = torch.zeros_like(x).index_add(0, edge_index[1], messages)
        if pos is not None:
            h = h + pos.reshape(7, 11)  # no array of the zoo is like this
        return self.lin(h).relu()


class Overwriting(torch.nn.Module):
    """Each edge writes its message over what is at its target."""

    def __init__(self):
        super().__init__()
        self.lin = torch.nn.Linear(make_models.FEATURES, 8)

    def forward(self, x, edge_index):
        h = torch.zeros(x.size(0), 8)
        h[edge_index[1]] = self.lin(x)[edge_index[0]]
        return h


class Deciding(torch.nn.Module):
    """Decides by how many nodes there are, in ways that small graphs do not show."""

    def forward(self, x, edge_index):
        h = torch.zeros_like(x).index_add(0, edge_index[1], x[edge_index[0]])
        if x.size(0) > 1000 and edge_index.size(1) > 0:
            h = h / 2
        most = min(x.size(0), 50)
        return h * float(most)


class Halved(torch.nn.Module):
    """Half as many as there are nodes, rounded down, in a trace that counts."""

    def forward(self, x, edge_index):
        half = (x.shape[0] * 0.5).long() if torch.is_tensor(x.shape[0]) else int(x.shape[0] * 0.5)
        return torch.zeros_like(x).index_add(0, edge_index[1], x[edge_index[0]]) * (half * 2)


class Kinds(torch.nn.Module):
    """Sums for each of a number of kinds that is the model's, of which some have no nodes."""

    def __init__(self):
        super().__init__()
        self.conv = torch_geometric.nn.SAGEConv(make_models.FEATURES, 8)

    def forward(self, x, edge_index, kinds):
        return torch.zeros(12, 8).index_add(0, kinds, self.conv(x, edge_index))


class OtherSizes(torch.nn.Module):
    """Takes what is neither of nodes nor of edges: a time, and eigenvalues, of which there are as many as it has weights."""

    def __init__(self):
        super().__init__()
        self.conv, self.filter = torch_geometric.nn.SAGEConv(make_models.FEATURES, 6), torch.nn.Linear(6, 6)

    def forward(self, x, edge_index, time, eigenvalues):
        return self.conv(x, edge_index) * self.filter(eigenvalues) + time.expand(x.size(0)).unsqueeze(1)


class Newer(torch.nn.Module):
    """With an operator that PyTorch has had since 2.4."""

    def __init__(self):
        super().__init__()
        self.norm = torch.nn.RMSNorm(make_models.FEATURES)

    def forward(self, x, edge_index):
        return torch.zeros_like(x).index_add(0, edge_index[1], self.norm(x)[edge_index[0]])


class OfAllKinds(torch.nn.Module):
    """Rows of nodes, edges and graphs."""

    def __init__(self):
        super().__init__()
        self.of_edges, self.last = torch.nn.Linear(2 * make_models.FEATURES + make_models.EDGE_FEATURES, make_models.HIDDEN), torch.nn.Linear(make_models.HIDDEN, 4)

    def forward(self, x, edge_index, edge_attr, batch, of_graphs):
        messages = self.of_edges(torch.cat([x[edge_index[0]], x[edge_index[1]], edge_attr], 1)).relu()
        sums = x.new_zeros(x.size(0), make_models.HIDDEN).index_add(0, edge_index[1], messages)
        return self.last(sums + of_graphs[batch])


class Summing(torch.nn.Module):
    """Two layers of sums over neighbours."""

    def __init__(self):
        super().__init__()
        self.first, self.second = torch.nn.Linear(make_models.FEATURES, 8), torch.nn.Linear(8, 3)

    def forward(self, x, edge_index):
        for layer in (self.first, self.second):
            x = layer(x)
            x = x + torch.zeros_like(x).index_add(0, edge_index[1], x[edge_index[0]])
        return x


class Wide(torch.nn.Module):
    """More features than most rows have, written over where they are."""

    def __init__(self):
        super().__init__()
        self.lin = torch.nn.Linear(12_000, 1, bias=False)

    def forward(self, x, edge_index):
        x.clamp_(-0.5, 0.5)
        x = self.lin(x)
        return torch.zeros_like(x).index_add(0, edge_index[1], x[edge_index[0]])


def write_odd(folder, inputs):
    """Traces that hold what they should not, and a script that branches; their answers are of no interest but for the first."""
    given = {n: inputs[n] for n in ("x", "edge_index")}
    torch.manual_seed(11)
    with torch.no_grad():
        model = Counting().eval()
        traced(model, given).save(str(folder / "odd_counts.pt"))
        np.savez_compressed(folder / "odd_counts.npz", **{n: t.numpy() for n, t in given.items()}, num_nodes=make_models.NODES, expected=model(**given).numpy())
        warm = Cached().eval()
        warm(**given)
        traced(warm, given).save(str(folder / "odd_cached.pt"))
        torch.jit.script(Branching().eval()).save(str(folder / "odd_branch.pt"))
        torch.jit.script(Changing().eval()).save(str(folder / "odd_buffer.pt"))
        torch.jit.script(Never().eval()).save(str(folder / "odd_never.pt"))
        traced(Pooled().eval(), {n: inputs[n] for n in ("x", "edge_index", "batch")}).save(str(folder / "odd_pooled.pt"))
        traced(Scaled().eval(), given).save(str(folder / "odd_scalar.pt"))
        constants, atoms = Constants().eval(), given | {"atoms": inputs["atoms"]}
        traced(constants, atoms).save(str(folder / "odd_constants.pt"))
        np.savez_compressed(folder / "odd_constants.npz", **{n: t.numpy() for n, t in atoms.items()}, expected=constants(**atoms).numpy())
        to_last = given | {"edge_index": torch.cat([inputs["edge_index"], torch.tensor([[0, 1], [make_models.NODES - 1, make_models.NODES - 2]])], 1)}
        for name, model, arrays in (("odd_highest", Highest().eval(), to_last), ("odd_kinds", Kinds().eval(), given | {"kinds": inputs["atoms"]})):
            traced(model, arrays).save(str(folder / f"{name}.pt"))
            np.savez_compressed(folder / f"{name}.npz", **{n: t.numpy() for n, t in arrays.items()}, expected=model(**arrays).numpy())
        weighted, weights = Weighted().eval(), given | {"edge_weight": inputs["edge_weight"]}
        torch.jit.script(weighted).save(str(folder / "odd_weighted.pt"))
        np.savez_compressed(folder / "odd_weighted.npz", **{n: t.numpy() for n, t in weights.items()}, num_nodes=make_models.NODES, expected=weighted(**weights).numpy())
        masked, masks = AtMask().eval(), given | {n: torch.rand(make_models.NODES) > least for n, least in (("chosen", 0.4), ("train_mask", 0.7))}
        torch.jit.script(masked).save(str(folder / "odd_masks.pt"))
        asking, lists = Queries().eval(), {"edge_index": inputs["edge_index"], "users": torch.randint(0, 35, (9,)), "items": torch.randint(0, make_models.NODES - 35, (9,))}
        traced(asking, lists).save(str(folder / "odd_queries.pt"))
        np.savez_compressed(folder / "odd_queries.npz", **{n: t.numpy() for n, t in lists.items()}, num_nodes=make_models.NODES, expected=asking(**lists).numpy())
        np.savez_compressed(folder / "odd_masks.npz", **{n: t.numpy() for n, t in masks.items()},
                            **{f"expected_{i}": t.numpy() for i, t in enumerate(masked(**masks))})
        torch.jit.script(Deciding()).save(str(folder / "odd_deciding.pt"))
        wide, few = Wide().eval(), {"x": torch.zeros(20, 12_000), "edge_index": inputs["edge_index"] % 20}
        few["x"][torch.randint(0, 20, (200,)), torch.randint(0, 12_000, (200,))] = torch.randn(200)
        torch.jit.script(wide).save(str(folder / "odd_wide.pt"))
        np.savez_compressed(folder / "odd_wide.npz", **{n: t.numpy() for n, t in few.items()}, expected=wide(few["x"].clone(), few["edge_index"]).numpy())
        some = {"x": torch.randn(make_models.NODES + 1, make_models.FEATURES), "edge_index": inputs["edge_index"]}
        traced(Halved(), some).save(str(folder / "odd_halved.pt"))
        for name, model in (("odd_deciding", Deciding()), ("odd_halved", Halved())):
            np.savez_compressed(folder / f"{name}.npz", **{n: t.numpy() for n, t in some.items()}, expected=model(**some).numpy())
        # A ring has as many edges as nodes; the answers are those on another graph.
        around = torch.arange(make_models.NODES)
        ring, model = {"x": inputs["x"], "edge_index": torch.stack([around, (around + 1) % make_models.NODES])}, Summing().eval()
        traced(model, ring).save(str(folder / "odd_ring.pt"))
        np.savez_compressed(folder / "odd_ring.npz", **{n: t.numpy() for n, t in given.items()}, expected=model(**given).numpy())
        all_kinds = {n: inputs[n] for n in ("x", "edge_index", "edge_attr", "batch", "of_graphs")}
        traced(OfAllKinds().eval(), all_kinds | ring | {"edge_attr": inputs["edge_attr"][:make_models.NODES]}).save(str(folder / "odd_ring_kinds.pt"))
        np.savez_compressed(folder / "odd_ring_kinds.npz", **{n: t.numpy() for n, t in all_kinds.items()}, expected=torch.jit.load(str(folder / "odd_ring_kinds.pt"))(**all_kinds).numpy())
        traced(Overwriting().eval(), given).save(str(folder / "odd_overwrites.pt"))
        traced(FastPath().eval(), given).save(str(folder / "odd_fast_path.pt"))
        traced(Types().eval(), given).save(str(folder / "odd_types.pt"))
        traced(OtherSizes().eval(), given | {"time": torch.ones(1), "eigenvalues": torch.arange(6.0)}).save(str(folder / "odd_sizes.pt"))
        traced(Molecules().eval(), {n: inputs[n] for n in ("atoms", "edge_index", "batch", "ptr")}).save(str(folder / "odd_graphs.pt"))
        if hasattr(torch.nn, "RMSNorm"):
            traced(Newer().eval(), given).save(str(folder / "odd_newer.pt"))
            deflate(folder / "odd_newer.pt", True)
        traced(Pointers(), {"x": inputs["x"], "edge_index": inputs["edge_index"] % 4}).save(str(folder / "odd_pointers.pt"))
        traced(OfEntries().eval(), given).save(str(folder / "odd_entries.pt"))
        edge_type = torch.arange(inputs["edge_index"].size(1)) * 5 % 13 % 8
        hyper = {"x": inputs["x"], "hyperedge_index": torch.stack([inputs["edge_index"][0], inputs["edge_index"][1] % 12]), "hyperedge_weight": torch.rand(12)}
        sizes = {"x": {0: torch.export.Dim.AUTO}, "hyperedge_index": {1: torch.export.Dim.AUTO}, "hyperedge_weight": {0: torch.export.Dim.AUTO}}
        torch.export.save(torch.export.export(Hyperedges().eval(), (), hyper, dynamic_shapes=sizes), folder / "odd_hyperedges.pt2")
        pack(folder / "odd_hyperedges.pt2", folder / "odd_hyperedges.pt2", lambda name: "stack_trace" not in name)
        for name, model, arrays in (("odd_relations", Relations(), given | {"edge_type": edge_type}), ("odd_learned_weights", LearnedWeights(), given),
                                    ("odd_own_sparse", OwnSparse(), weights)):
            traced(model.eval(), arrays).save(str(folder / f"{name}.pt"))
            np.savez_compressed(folder / f"{name}.npz", **{n: t.numpy() for n, t in arrays.items()}, expected=model(**arrays).numpy())
        of_csr, order = CompressedRows().eval(), inputs["edge_index"][1].argsort(stable=True)
        ends = torch.bincount(inputs["edge_index"][1], minlength=make_models.NODES).cumsum(0)
        csr = {"x": inputs["x"], "rowptr": torch.cat([torch.zeros(1, dtype=torch.long), ends]), "col": inputs["edge_index"][0][order]}
        traced(of_csr, csr).save(str(folder / "odd_csr.pt"))
        np.savez_compressed(folder / "odd_csr.npz", **{n: t.numpy() for n, t in csr.items()}, expected=of_csr(**csr).numpy())
        hub, towards = BesideTheHub().eval(), given | {"edge_index": torch.cat([given["edge_index"], torch.stack([torch.arange(9), torch.full((9,), 4)])], 1)}
        traced(hub, towards).save(str(folder / "odd_hub.pt"))
        np.savez_compressed(folder / "odd_hub.npz", **{n: t.numpy() for n, t in towards.items()}, expected=hub(**towards).numpy())
        tokens, kinds = TypeTokens().eval(), given | {"node_type": torch.arange(make_models.NODES) % 3}
        traced(tokens, kinds).save(str(folder / "odd_type_tokens.pt"))
        np.savez_compressed(folder / "odd_type_tokens.npz", **{n: t.numpy() for n, t in kinds.items()}, expected=tokens(**kinds)[0].numpy())
        torch.manual_seed(11)  # the weights of matrix_gcn
        torch.jit.script(make_models.MatrixGCN(torch.sparse.mm).eval()).save(str(folder / "odd_sparse.pt"))
        torch.manual_seed(11)  # the weights of matrix_mean
        edges = inputs["edge_index"]
        adj = torch.sparse_coo_tensor(edges.flip(0), torch.ones(edges.size(1)), (make_models.NODES, make_models.NODES)).coalesce()
        torch.jit.trace(SparseMean().eval(), (inputs["x"], adj), check_trace=False).save(str(folder / "odd_sparse_sum.pt"))
    for name in ("odd_counts", "odd_cached", "odd_branch", "odd_buffer", "odd_never", "odd_pooled", "odd_scalar", "odd_constants", "odd_fast_path", "odd_types", "odd_graphs", "odd_sizes", "odd_pointers", "odd_sparse", "odd_sparse_sum", "odd_highest", "odd_kinds", "odd_relations", "odd_learned_weights", "odd_own_sparse", "odd_type_tokens", "odd_csr", "odd_hub"):
        deflate(folder / f"{name}.pt", True)
    # As PyTorch wrote it before 2.0.
    pack(folder / "odd_pooled_old.pt", folder / "odd_pooled.pt", lambda name: "/traced_inputs" not in name)


def write(folder, name, kind, make):
    path = folder / f"{name}.{kind}.pt"
    try:
        with torch.no_grad():
            module = make()
        module.save(str(path))
        deflate(path, name in WITH_SOURCES)
        return True
    except Exception as problem:
        print(f"{name}: {kind}: {type(problem).__name__}: {(str(problem).strip().splitlines() or [''])[0][:140]}")
        path.unlink(missing_ok=True)
        return False


def main():
    warnings.filterwarnings("ignore")
    torch_geometric.backend.use_segment_matmul = False
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent / "torchscript")
    folder.mkdir(exist_ok=True, parents=True)
    inputs, chosen = make_models.make_inputs(), sys.argv[2:]
    index = folder / "index.json"
    files = [entry for entry in json.loads(index.read_text()) if entry["zoo"] not in chosen and entry["name"] not in chosen] if chosen and index.exists() else []
    roles = {entry["name"]: entry["roles"] for entry in json.loads((make_models.OUT / "index.json").read_text()) if "roles" in entry}
    for name, make in make_models.ZOO.items():
        kinds = [kind for kind in ("trace", "script") if not chosen or name in chosen or f"{name}.{kind}" in chosen]
        if not kinds or name in make_models.REFUSED | UNREAD:
            continue
        torch.manual_seed(11)
        try:
            model = make().eval()
            make_models.randomise_statistics(model, torch.Generator().manual_seed(5))
            known = np.load(make_models.OUT / f"{name}.npz")
            given = {n: t for n, t in make_models.arguments(model, inputs).items() if n in known or n == "adj"}
        except Exception as problem:
            print(f"{name}: {problem}")
            continue
        if any(not isinstance(tensor, torch.Tensor) for tensor in given.values()):
            continue
        makers = {"trace": lambda: traced(model, given), "script": lambda: torch.jit.script(model)}
        for kind in kinds:
            if not write(folder, name, kind, makers[kind]):
                continue
            entry = {"name": f"{name}.{kind}", "zoo": name, "expect": "equal"}
            try:
                torch.jit.load(str(folder / f"{name}.{kind}.pt"))
            except Exception:  # nobody can
                if name in WITH_SOURCES:
                    entry["expect"] = "refused"
                else:
                    (folder / f"{name}.{kind}.pt").unlink()
                    continue
            if name in roles:
                entry["roles"] = roles[name]
            if kind == "script" and name in WIDTHS:
                entry["widths"] = {"x": WIDTHS[name]}
            files.append(entry)
    if hasattr(torch, "export"):
        write_odd(folder, inputs)
    index.write_text(json.dumps(files, indent=1) + "\n")
    print(f"{len(files)} files")


if __name__ == "__main__":
    main()

"""The zoo: models of PyTorch Geometric, and those of dgl_models.py, exported for Cleave's tests.

    python3 make_models.py [NAME …]    (in this folder; needs PyTorch >= 2.8 and PyTorch Geometric)

With names, only these are made anew. Models of DGL go through cleave_export.py, and what is expected of them comes from dgl_dense.py. Writes zoo/NAME.pt2, NAME.npz (forward's arguments, `expected`, or `expected_0`, `expected_1`, … for several outputs) and
index.json, which says whether Cleave must cut the model ("equal") or refuse it by name ("refused"), and which roles it must be told.
"""
import inspect
import json
import math
import pathlib
import sys
import warnings
import zipfile

import numpy as np
import torch
import torch_geometric
import torch_geometric.nn as pyg
from torch import nn
from torch_geometric.utils import dense_to_sparse, scatter, softmax, to_dense_batch

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "resources/python"))
import cleave_export

torch.backends.mha.set_fastpath_enabled(False)  # not what is exported, and without neighbours not the same
cleave_export.install_dgl()
import dgl_dense
import dgl_models

NODES, EDGES, FEATURES, HIDDEN, CLASSES, EDGE_FEATURES, RELATIONS, GRAPHS, HYPEREDGES = 60, 301, 12, 16, 4, 5, 3, 4, 11
OUT = pathlib.Path("zoo")


def make_inputs():
    generator = torch.Generator().manual_seed(7)
    edge_index = torch.randint(0, NODES - 3, (2, EDGES), generator=generator)  # the last nodes stay isolated
    edge_index[1, ::9] = 4                                                     # a hub
    edge_index[0, :6] = edge_index[1, :6]                                      # self-loops
    inputs = {
        "x": torch.randn(NODES, FEATURES, generator=generator),
        "edge_index": edge_index,
        "edge_weight": torch.rand(EDGES, generator=generator) + 0.1,
        "edge_attr": torch.randn(EDGES, EDGE_FEATURES, generator=generator),
        "edge_type": torch.randint(0, RELATIONS, (EDGES,), generator=generator),
        "atoms": torch.randint(0, 9, (NODES,), generator=generator),
        "pos": torch.randn(NODES, 3, generator=generator),
        "pairs": torch.randint(0, NODES, (2, 47), generator=generator),
        "batch": torch.arange(NODES) * GRAPHS // NODES,
        "ptr": torch.arange(GRAPHS + 1) * NODES // GRAPHS,
    }
    more = torch.Generator().manual_seed(8)
    inputs |= {
        "train_mask": torch.rand(NODES, generator=more) < 0.4,
        "senders": edge_index[0], "receivers": edge_index[1], "links": edge_index.t().contiguous(),
        "anchors": torch.randint(0, NODES, (NODES, 6), generator=more),
        "wanted": torch.randn(23, CLASSES, generator=torch.Generator().manual_seed(15)),
        "vectors": torch.randn(EDGES, 3, generator=torch.Generator().manual_seed(14)), "idx_i": edge_index[1], "idx_j": edge_index[0],
        "recent": torch.randint(0, 5, (3, 4), generator=torch.Generator().manual_seed(13)),
        "categories": torch.cat([torch.randint(0, 4, (NODES, 1), generator=torch.Generator().manual_seed(9)).float(), torch.randn(NODES, FEATURES - 1, generator=torch.Generator().manual_seed(10))], 1),
        "queries": torch.randint(0, NODES, (3,), generator=more), "kinds": torch.randint(0, RELATIONS, (3,), generator=more),
    }
    # Pairs of edges, the first of which ends where the second begins, without going back.
    into, out_of = torch.nonzero((edge_index[1].unsqueeze(1) == edge_index[0].unsqueeze(0)) & (edge_index[0].unsqueeze(1) != edge_index[1].unsqueeze(0)), as_tuple=True)
    inputs |= {"idx_kj": into, "idx_ji": out_of, "lg_edge_index": torch.stack([into, out_of]), "angle": torch.randn(len(into), 2, generator=more),
               "opposite": torch.randint(0, EDGES, (EDGES,), generator=more)}
    counts = torch.randint(0, 2, (211,), generator=more)
    inputs |= {"before": torch.randint(-1, EDGES, (EDGES, 3), generator=more), "into": torch.randint(-1, EDGES, (NODES, 4), generator=more),
               "four_from": torch.randint(0, len(into), (211,), generator=more), "four_to": torch.randint(0, len(into), (211,), generator=more),
               "counts_from": counts, "counts_to": counts.flip(0)}
    order = torch.argsort(edge_index[1], stable=True)
    inputs |= {"col": edge_index[0, order], "rowptr": torch.cat([counts.new_zeros(1), torch.bincount(edge_index[1], minlength=NODES).cumsum(0)])}
    inputs["csr_weight"] = torch.rand(EDGES, generator=torch.Generator().manual_seed(31))
    # Features with other dimensions before the nodes': graphs side by side, time steps, channels.
    inputs |= {"graphs": torch.randn(3, NODES, FEATURES, generator=more), "series": torch.randn(2, 6, NODES, 3, generator=more),
               "signals": torch.randn(2, 3, NODES, 6, generator=more), "channels": torch.randn(FEATURES, NODES, generator=more)}
    inputs |= {"expander_edge_index": torch.randint(0, NODES, (2, 97), generator=more), "expander_edge_attr": torch.randn(97, EDGE_FEATURES, generator=more)}
    asked = torch.Generator().manual_seed(29)
    inputs |= {"nearness": torch.rand(NODES, 7, generator=asked), "anchor_nodes": torch.randint(0, NODES, (7,), generator=asked), "asked": torch.randn(3, HIDDEN, generator=asked)}
    inputs["joined_edge_index"] = torch.cat([torch.randint(0, NODES, (2, 50), generator=asked) + graph * NODES for graph in range(3)], 1)
    inputs |= {"observed": torch.randn(4, 9, FEATURES, generator=asked), "matrices": (torch.rand(4, 9, 9, generator=asked) < 0.3) * torch.rand(4, 9, 9, generator=asked)}
    inputs["is_known"] = torch.rand(NODES, FEATURES, generator=asked) < 0.6
    inputs |= {"item_edge_index": torch.randint(0, NODES - 35, (2, 70), generator=torch.Generator().manual_seed(31))}
    one_way = torch.randint(0, NODES - 3, (2, 90), generator=asked)
    inputs["paired_edge_index"] = torch.stack([one_way, one_way.flip(0)], 2).reshape(2, -1)
    inputs |= {"n_node": inputs["ptr"][1:] - inputs["ptr"][:-1], "of_graphs": torch.randn(GRAPHS, HIDDEN, generator=asked)}
    inputs["hyperedge_index"] = torch.stack([torch.randint(0, NODES, (150,), generator=more), torch.randint(0, HYPEREDGES, (150,), generator=more)])
    inputs |= {"targets": 17, "scale": 5}
    inputs |= {"triples": torch.stack([edge_index[0], inputs["edge_type"], edge_index[1]]), "values": inputs["edge_weight"]}
    fixed = torch.Generator().manual_seed(31)
    inputs |= {"frequencies": torch.linspace(0, 2, 6), "waves": torch.randn(NODES, 6, generator=fixed) / NODES ** 0.5,
               "relations": torch.randn(RELATIONS, FEATURES, generator=fixed), "relation_edge_index": torch.randint(0, RELATIONS, (2, 9), generator=fixed)}
    known = torch.Generator().manual_seed(37)
    inputs |= {"heads": edge_index[1], "tails": edge_index[0], "relation_of": inputs["edge_type"], "users": torch.arange(5), "items": torch.arange(24, 39)}
    inputs |= {"entity_edge_index": torch.randint(0, 36, (2, 150), generator=known), "entity_edge_type": torch.randint(0, RELATIONS, (150,), generator=known),
               "user": torch.randint(0, 22, (80,), generator=known), "item": torch.randint(0, 36, (80,), generator=known), "rating": torch.rand(80, generator=known)}
    inputs["adj"] = torch.zeros(NODES, NODES).index_put((edge_index[1], edge_index[0]), inputs["edge_weight"], accumulate=True)
    return inputs


class Stack(nn.Module):
    """conv -> relu, twice or as often as asked, then a linear layer; further arguments of forward go to every conv."""

    def __init__(self, make, depth=2, last=True):
        super().__init__()
        self.convs = nn.ModuleList(make(FEATURES if i == 0 else HIDDEN) for i in range(depth))
        self.lin = nn.Linear(HIDDEN, CLASSES) if last else nn.Identity()

    def forward(self, x, edge_index):
        for conv in self.convs:
            x = conv(x, edge_index).relu()
        return self.lin(x)


class OneGraph(nn.Module):
    """A model of PyTorch Geometric that is not told of several graphs."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, x, edge_index):
        return self.model(x, edge_index)


class GatedMessages(nn.Module):
    """FAGCN as its authors write it: rows of edge_index by unpacking it."""

    def __init__(self):
        super().__init__()
        self.first, self.last = nn.Linear(FEATURES, HIDDEN), nn.Linear(HIDDEN, CLASSES)
        self.gates = nn.ModuleList(nn.Linear(2 * HIDDEN, 1) for _ in range(2))

    def forward(self, x, edge_index):
        row, col = self.rows(edge_index)
        raw = h = self.first(x).relu()
        ones = torch.ones_like(row, dtype=x.dtype)
        degree = torch.zeros(x.size(0), dtype=x.dtype).index_add_(0, row, ones).clamp(min=1) ** -0.5
        for gate in self.gates:
            weight = torch.tanh(gate(torch.cat([h[col], h[row]], dim=1))).squeeze() * degree[col] * degree[row]
            h = 0.3 * raw + torch.zeros_like(h).index_add(0, col, h[row] * weight.unsqueeze(-1))
        return self.last(h).log_softmax(1)

    def rows(self, edge_index):
        row, col = edge_index
        return row, col


class ChunkedIndex(GatedMessages):
    def rows(self, edge_index):
        row, col = edge_index.chunk(2)
        return row.squeeze(0), col.view(-1)


class NormedMessages(nn.Module):
    """Batch norm of rows of edges, of which a batch may have none."""

    def __init__(self):
        super().__init__()
        self.norms = nn.ModuleList(nn.BatchNorm1d(width) for width in (FEATURES, HIDDEN))
        self.lins = nn.ModuleList(nn.Linear(*widths) for widths in ((FEATURES, HIDDEN), (HIDDEN, CLASSES)))

    def forward(self, x, edge_index):
        for norm, lin in zip(self.norms, self.lins):
            x = lin(x + torch.zeros_like(x).index_add_(0, edge_index[1], norm(x[edge_index[0]]).relu()))
        return x


class RmsNormed(nn.Module):
    def __init__(self):
        super().__init__()
        self.convs = nn.ModuleList(pyg.SAGEConv(*widths) for widths in ((FEATURES, HIDDEN), (HIDDEN, CLASSES)))
        self.norms = nn.ModuleList((nn.RMSNorm(FEATURES), nn.RMSNorm(HIDDEN, eps=1e-4, elementwise_affine=False)))

    def forward(self, x, edge_index):
        for conv, norm in zip(self.convs, self.norms):
            x = conv(norm(x), edge_index).relu()
        return x


class KnownLabels(nn.Module):
    """Correct and smooth: rows that are known are set again after each step."""

    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(FEATURES, CLASSES)

    def forward(self, x, edge_index, train_mask):
        known = h = self.lin(x).softmax(1)
        for _ in range(2):
            sums = torch.zeros_like(h).index_add_(0, edge_index[1], h[edge_index[0]])
            h = torch.where(train_mask.unsqueeze(1), known, sums / (sums.sum(1, keepdim=True) + 1))
        return h


class SendersReceivers(nn.Module):
    """An encoder of simulations: edges without edge_index."""

    def __init__(self):
        super().__init__()
        self.edge = nn.Linear(2 * FEATURES + EDGE_FEATURES, HIDDEN)
        self.node, self.last = nn.Linear(FEATURES + HIDDEN, FEATURES), nn.Linear(FEATURES + HIDDEN, CLASSES)

    def forward(self, x, senders, receivers, edge_attr):
        for layer in (self.node, self.last):
            messages = self.edge(torch.cat([x[senders], x[receivers], edge_attr], 1)).relu()
            x = layer(torch.cat([x, x.new_zeros(x.size(0), HIDDEN).index_add(0, receivers, messages)], 1))
        return x


class Anchors(nn.Module):
    """P-GNN: a table of nodes for each node, read flat."""

    def __init__(self):
        super().__init__()
        self.conv, self.lin = pyg.SAGEConv(FEATURES, HIDDEN), nn.Linear(2 * HIDDEN, CLASSES)

    def forward(self, x, edge_index, anchors):
        h = self.conv(x, edge_index).relu()
        of_anchors = nn.functional.embedding(anchors.view(-1), h).view(-1, 6, HIDDEN)
        return self.lin(torch.cat([of_anchors, h.unsqueeze(1).expand(-1, 6, -1)], 2)).relu().mean(1)


class Spirals(nn.Module):
    """SpiralNet: rows of a node's spiral side by side, read one after the other."""

    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(6 * width, out) for width, out in ((FEATURES, HIDDEN), (HIDDEN, HIDDEN), (HIDDEN, CLASSES)))

    def forward(self, x, anchors):
        n = x.size(0)
        for i, layer in enumerate(self.layers):
            rows = x[anchors.view(-1)] if i < 2 else torch.index_select(x, 0, anchors.reshape(-1))
            x = nn.functional.elu(layer(rows.view(n, -1)))
        return x


class LstmOfLayers(nn.Module):
    """GeniePath: one step of an LSTM for each layer, all nodes one batch of it."""

    def __init__(self):
        super().__init__()
        self.first, self.last = nn.Linear(FEATURES, HIDDEN), nn.Linear(HIDDEN, CLASSES)
        self.convs = nn.ModuleList(pyg.GATConv(HIDDEN, HIDDEN) for _ in range(2))
        self.lstms = nn.ModuleList(nn.LSTM(HIDDEN, HIDDEN, 1, bias=False) for _ in range(2))

    def forward(self, x, edge_index):
        x = self.first(x)
        h = c = torch.zeros(1, x.size(0), HIDDEN)
        for conv, lstm in zip(self.convs, self.lstms):
            x, (h, c) = lstm(torch.tanh(conv(x, edge_index))[None], (h, c))
            x = x[0]
        return self.last(x)


class NarrowIndex(nn.Module):
    def __init__(self):
        super().__init__()
        self.lins = nn.ModuleList(nn.Linear(*widths) for widths in ((FEATURES, HIDDEN), (HIDDEN, CLASSES)))

    def forward(self, x, edge_index):
        row, col = edge_index.to(torch.int32)
        for lin in self.lins:
            x = lin(x + torch.zeros_like(x).index_add_(0, col, x.index_select(0, row).tanh()))
        return x


class Queries(nn.Module):
    """NBFNet: rows that begin at queried nodes; of x only the number of rows counts."""

    def __init__(self):
        super().__init__()
        self.kind, self.lins = nn.Embedding(RELATIONS, HIDDEN), nn.ModuleList(nn.Linear(HIDDEN, HIDDEN) for _ in range(2))

    def forward(self, x, edge_index, queries, kinds):
        at_query = (torch.arange(x.size(0)).unsqueeze(1) == queries.unsqueeze(0)).float().unsqueeze(-1)
        h = boundary = at_query * self.kind(kinds).unsqueeze(0)
        for lin in self.lins:
            h = lin(boundary + torch.zeros_like(h).index_add_(0, edge_index[1], h[edge_index[0]])).relu()
        return h


class QueryBatch(nn.Module):
    """NBFNet as it is written for any number of queries: rows [queries, nodes, hidden] that begin at queried nodes, by scatter_add."""

    def __init__(self):
        super().__init__()
        self.kind, self.relations = nn.Embedding(RELATIONS, HIDDEN), nn.ModuleList(nn.Embedding(RELATIONS, HIDDEN) for _ in range(2))
        self.lins, self.norms = nn.ModuleList(nn.Linear(2 * HIDDEN, HIDDEN) for _ in range(2)), nn.ModuleList(nn.LayerNorm(HIDDEN) for _ in range(2))
        self.score = nn.Sequential(nn.Linear(2 * HIDDEN, HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, 1))

    def forward(self, x, edge_index, edge_type, queries, kinds):
        query = self.kind(kinds).unsqueeze(1)
        boundary = torch.zeros(queries.size(0), x.size(0), HIDDEN)
        h = boundary = boundary.scatter_add(1, queries.view(-1, 1, 1).expand(-1, 1, HIDDEN), query)
        for relation, lin, norm in zip(self.relations, self.lins, self.norms):
            message = h[:, edge_index[0]] * relation.weight[edge_type]
            around = torch.zeros_like(h).index_add(1, edge_index[1], message) + boundary
            h = h + norm(lin(torch.cat([h, around], -1))).relu()
        return self.score(torch.cat([h, query.expand(-1, x.size(0), -1)], -1)).squeeze(-1)


class LearnedEntities(nn.Module):
    """CompGCN: learned rows of entities and relations; asked for some heads and kinds of edges, it scores all entities as tails."""

    def __init__(self):
        super().__init__()
        self.entities, self.relations = nn.Parameter(torch.randn(NODES, HIDDEN)), nn.Parameter(torch.randn(RELATIONS, HIDDEN))
        self.lins = nn.ModuleList(nn.Linear(HIDDEN, HIDDEN) for _ in range(2))

    def forward(self, edge_index, edge_type, queries, kinds):
        x, relations = self.entities, self.relations
        for lin in self.lins:
            messages = lin(x[edge_index[0]] * relations[edge_type])
            x, relations = torch.tanh(torch.zeros_like(x).index_add(0, edge_index[1], messages)), lin(relations)
        return torch.sigmoid((torch.index_select(x, 0, queries) * torch.index_select(relations, 0, kinds)) @ x.t())


class RepeatedSegments(nn.Module):
    """Graph matching networks: the target of each edge is repeated for each column, and read as a matrix."""

    def __init__(self):
        super().__init__()
        self.lins = nn.ModuleList(nn.Linear(2 * i, HIDDEN) for i in (FEATURES, HIDDEN))

    def forward(self, x, senders, receivers):
        for lin in self.lins:
            messages = lin(torch.cat([x[senders], x[receivers]], 1)).relu()
            columns = torch.prod(torch.tensor(messages.shape[1:])).long()
            segments = receivers.repeat_interleave(columns).view(receivers.shape[0], *messages.shape[1:])
            x = torch.zeros(x.shape[0], *messages.shape[1:]).scatter_add(0, segments, messages)
        return x


class Triples(nn.Module):
    """RED-GNN: edges are heads, relations and tails in three rows, and messages are gated by both."""

    def __init__(self):
        super().__init__()
        self.lins = nn.ModuleList(nn.Linear(i, HIDDEN) for i in (FEATURES, HIDDEN))
        self.relations = nn.ModuleList(nn.Embedding(RELATIONS, i) for i in (FEATURES, HIDDEN))

    def forward(self, x, triples):
        head, relation, tail = triples[0], triples[1], triples[2]
        for lin, table in zip(self.lins, self.relations):
            messages = x[head] + table(relation)
            x = lin(torch.zeros_like(x).index_add(0, tail, torch.sigmoid(messages.sum(1, keepdim=True)) * messages)).relu()
        return x


class LearnedEnds(nn.Module):
    """LightGCN as first published: rows are learned, and edges are two lists of ends with a value for each."""

    def __init__(self):
        super().__init__()
        self.table = nn.Parameter(torch.randn(NODES, HIDDEN))

    def forward(self, senders, receivers, values):
        x, total = self.table, self.table
        for _ in range(2):
            x = torch.zeros_like(x).index_add(0, receivers, x[senders] * values[:, None])
            total = total + x
        return total / 3


def softmax_of(scores, ends, rows):
    weights = (scores - torch.full((rows,), -1e9).scatter_reduce(0, ends, scores, "amax")[ends]).exp()
    return weights / torch.zeros(rows).index_add(0, ends, weights)[ends]


class KnowledgeAttention(nn.Module):
    """KGAT (Wang et al. 2019): edges between learned rows are lists of heads, tails and relations; users that are asked for are held against items."""

    def __init__(self):
        super().__init__()
        self.table, self.relations = nn.Embedding(NODES, HIDDEN), nn.Embedding(RELATIONS, HIDDEN)
        self.maps = nn.Parameter(torch.randn(RELATIONS, HIDDEN, HIDDEN) / HIDDEN ** 0.5)
        self.layers = nn.ModuleList(nn.ModuleList([nn.Linear(HIDDEN, HIDDEN), nn.Linear(HIDDEN, HIDDEN)]) for _ in range(2))

    def forward(self, heads, tails, relation_of, users, items):
        x = self.table.weight
        head, tail = (torch.bmm(x[ends].unsqueeze(1), self.maps[relation_of]).squeeze(1) for ends in (heads, tails))
        weights = softmax_of((tail * torch.tanh(head + self.relations(relation_of))).sum(1), heads, x.size(0))
        rows = [x]
        for both, product in self.layers:
            from_tails = torch.zeros_like(x).index_add(0, heads, x[tails] * weights[:, None])
            x = nn.functional.leaky_relu(both(x + from_tails)) + nn.functional.leaky_relu(product(x * from_tails))
            rows.append(nn.functional.normalize(x))
        rows = torch.cat(rows, 1)
        return rows[users] @ rows[items].t()


class Intents(nn.Module):
    """KGIN (Wang et al. 2021): users and entities are parts of one parameter; users gather entities, and entities each other along relations."""

    USERS = 24

    def __init__(self):
        super().__init__()
        self.table, self.relations = nn.Parameter(torch.randn(NODES, HIDDEN)), nn.Parameter(torch.randn(RELATIONS, HIDDEN))
        self.latent, self.attention = nn.Parameter(torch.randn(3, HIDDEN)), nn.Parameter(torch.randn(3, RELATIONS))

    def forward(self, entity_edge_index, entity_edge_type, user, item, rating):
        users, entities = self.table[:self.USERS], self.table[self.USERS:]
        (heads, tails), intents = entity_edge_index, torch.softmax(self.attention, -1) @ self.relations
        all_users, all_entities = users, entities
        for _ in range(2):
            counts = torch.zeros(entities.size(0)).index_add(0, heads, torch.ones_like(heads, dtype=torch.float)).clamp(min=1)
            of_entities = torch.zeros_like(entities).index_add(0, heads, entities[tails] * self.relations[entity_edge_type]) / counts[:, None]
            of_users = torch.zeros_like(users).index_add(0, user, entities[item] * rating[:, None])
            of_users = of_users + of_users * (torch.softmax(users @ self.latent.t(), 1) @ intents)
            entities, users = nn.functional.normalize(of_entities), nn.functional.normalize(of_users)
            all_users, all_entities = all_users + users, all_entities + entities
        return all_users, all_entities


class RatingFactors(nn.Module):
    """LightGCL (Cai et al. 2023): users and items have a table each, and factors of the matrix of all ratings carry its main directions."""

    USERS, RANK = 22, 3

    def __init__(self):
        super().__init__()
        items = NODES - self.USERS
        self.users, self.items = nn.Parameter(torch.randn(self.USERS, HIDDEN)), nn.Parameter(torch.randn(items, HIDDEN))
        self.left, self.right = nn.Parameter(torch.randn(self.USERS, self.RANK)), nn.Parameter(torch.randn(self.RANK, items))

    def forward(self, user, item, rating):
        users, items, main = self.users, self.items, self.users
        for _ in range(2):
            main = main + self.left @ (self.right @ items)
            of_users = torch.zeros_like(users).index_add(0, user, items[item] * rating[:, None])
            items = items + torch.zeros_like(items).index_add(0, item, users[user] * rating[:, None])
            users = users + of_users
        return users, items, main


class ScoresOfAll(nn.Module):
    """R-GCN with DistMult, and TransE: queried heads and relations are held against all nodes."""

    def __init__(self):
        super().__init__()
        self.convs = nn.ModuleList(pyg.FastRGCNConv(i, HIDDEN, RELATIONS) for i in (FEATURES, HIDDEN))
        self.relation, self.bias = nn.Parameter(torch.randn(RELATIONS, HIDDEN)), nn.Parameter(torch.zeros(1))

    def forward(self, x, edge_index, edge_type, queries, kinds):
        for conv in self.convs:
            x = conv(x, edge_index, edge_type).relu()
        heads, relations = x[queries], self.relation[kinds]
        scores = torch.mm(heads * relations, x.transpose(1, 0)) + self.bias
        return torch.sigmoid(scores), 9 - torch.norm((heads + relations).unsqueeze(1) - x, p=1, dim=2)


class PositionAware(nn.Module):
    """P-GNN: rows of anchors, as many as there are, weighted by how far they are from each node."""

    def __init__(self):
        super().__init__()
        self.conv, self.hidden, self.out = pyg.SAGEConv(FEATURES, HIDDEN), nn.Linear(2 * HIDDEN, HIDDEN), nn.Linear(HIDDEN, 1)

    def forward(self, x, edge_index, nearness, anchor_nodes):
        h = self.conv(x, edge_index).relu()
        of_anchors = h[anchor_nodes]
        messages = torch.cat([nearness.unsqueeze(-1) * of_anchors.unsqueeze(0), h.unsqueeze(1).expand(-1, of_anchors.size(0), -1)], -1)
        messages = self.hidden(messages).relu()
        return messages.mean(1), self.out(messages).squeeze(-1)


class AskedOfAll(nn.Module):
    """Given queries attend to all nodes."""

    def __init__(self):
        super().__init__()
        self.conv, self.key, self.value = pyg.GCNConv(FEATURES, HIDDEN), nn.Linear(HIDDEN, HIDDEN), nn.Linear(HIDDEN, HIDDEN)

    def forward(self, x, edge_index, asked):
        h = self.conv(x, edge_index).relu()
        attention = (asked @ self.key(h).t() / math.sqrt(HIDDEN)).softmax(-1)
        return attention @ self.value(h), attention


class SideBySide(nn.Module):
    """Traffic: a recurrent layer over the time steps of all nodes of a batch, then convolutions on copies of the graph side by side."""

    def __init__(self):
        super().__init__()
        self.over_time, self.conv, self.out = nn.GRU(3, HIDDEN, batch_first=True), pyg.GCNConv(HIDDEN, HIDDEN), nn.Linear(HIDDEN, 2)

    def forward(self, series, edge_index):
        batch, steps, nodes, channels = series.shape
        h = self.over_time(series.permute(0, 2, 1, 3).reshape(batch * nodes, steps, channels))[0][:, -1]
        first = (torch.arange(batch) * nodes).view(-1, 1, 1)
        h = self.conv(h, (edge_index.unsqueeze(0) + first).permute(1, 0, 2).reshape(2, -1)).relu()
        return self.out(h).view(batch, nodes, 2).permute(0, 2, 1)


class JoinedGraphs(nn.Module):
    """Reinforcement learning: the nodes of a batch of graphs are numbered one graph after the other, values are of each node and of each graph."""

    def __init__(self):
        super().__init__()
        self.first, self.second, self.out, self.value = pyg.SAGEConv(FEATURES, HIDDEN), pyg.GATConv(HIDDEN, HIDDEN), nn.Linear(HIDDEN, CLASSES), nn.Linear(HIDDEN, 1)

    def forward(self, graphs, joined_edge_index):
        batch, nodes, _ = graphs.shape
        h = self.first(graphs.reshape(batch * nodes, FEATURES), joined_edge_index).relu()
        h = self.second(h, joined_edge_index).relu()
        return self.out(h).view(batch, nodes, CLASSES), self.value(h.view(batch, nodes, HIDDEN).mean(1))


class JoinedMatrices(nn.Module):
    """The same with a fixed number of nodes, and a matrix for each graph."""

    def __init__(self):
        super().__init__()
        self.conv, self.out = pyg.GCNConv(FEATURES, HIDDEN), nn.Linear(HIDDEN, CLASSES)

    def forward(self, observed, matrices):
        edge_index, edge_weight = dense_to_sparse(matrices)
        h = self.conv(observed.reshape(-1, FEATURES), edge_index, edge_weight).relu()
        return self.out(h).view(observed.size(0), observed.size(1), CLASSES)


class WrittenMatrices(nn.Module):
    """An adjacency matrix in the ways of many papers: with loops or without, as 0 and 1, above a threshold, of length one, as Laplacians, for several graphs."""

    def __init__(self):
        super().__init__()
        self.lin, self.outs = nn.Linear(FEATURES, HIDDEN), nn.ModuleList(nn.Linear(HIDDEN, CLASSES) for _ in range(12))

    def forward(self, x, adj, graphs):
        h, eye = self.lin(x), torch.eye(adj.size(0)).to(x.device)
        loops, own = adj + eye, torch.eye(adj.size(0)).type_as(adj)
        degree = loops.sum(1).clamp(min=1e-6).pow(-0.5)
        around = [
            loops / loops.sum(1).view(-1, 1) @ h,
            (adj > 0).float() @ h + torch.mm(adj.ne(0).to(x.dtype), h),
            (torch.where(adj > 0.5, adj, torch.zeros_like(adj)) + torch.relu(adj - own)) @ h,
            (torch.diag(adj.sum(1)) - adj) @ h,
            (own - degree[:, None] * loops * degree[None, :]) @ h,
            nn.functional.dropout(adj * (1 - own), 0.5, self.training) @ h,
            (nn.functional.normalize(adj, p=1, dim=1) + nn.functional.normalize(adj, p=2, dim=0)) @ h,
            torch.clamp(adj, max=0.3).sqrt() * (adj > 0.2) @ h,
        ]
        scores = h @ h.t() / 4
        attention = nn.functional.softmax(scores.masked_fill(adj == 0, float("-inf")), -1)
        around += [torch.nan_to_num(attention) @ h, nn.functional.softmax(torch.where(adj > 0, scores, -9e15 * torch.ones_like(scores)), 1).masked_fill(adj <= 0, 0) @ h,
                   (adj * torch.sigmoid(scores)) @ h, torch.einsum("knm,mc->nkc", torch.stack([own, adj, adj.t()]), h).mean(1)]
        graphs = torch.bmm(adj.unsqueeze(0).expand(graphs.size(0), -1, -1), graphs)
        return sum(out(a.tanh()) for out, a in zip(self.outs, around)), graphs


class BuiltMatrices(nn.Module):
    """Adjacency and degree matrices that forward builds itself of the edge index."""

    def __init__(self):
        super().__init__()
        self.lin, self.outs = nn.Linear(FEATURES, HIDDEN), nn.ModuleList(nn.Linear(HIDDEN, CLASSES) for _ in range(3))

    def forward(self, x, edge_index):
        h, nodes = self.lin(x), x.size(0)
        loops = torch.zeros(nodes, nodes)
        loops[edge_index[1], edge_index[0]] = 1.0
        loops = loops + torch.eye(nodes)
        degree = loops.sum(1).pow(-0.5)
        counted = torch.zeros(nodes, nodes).index_put((edge_index[1], edge_index[0]), torch.ones(edge_index.size(1)), accumulate=True)
        scale = torch.diag(counted.sum(0).clamp(min=1).pow(-0.5))
        around = torch.zeros_like(h).index_add(0, edge_index[1], (scale @ h)[edge_index[0]])
        return self.outs[0]((degree[:, None] * loops * degree[None, :] @ h).relu()) + self.outs[1](counted @ h) + self.outs[2](torch.mm(scale, around))


class MaskedEntries(nn.Module):
    """Entries written at masks: numbers instead of infinities and NaN, known features put back (feature propagation), rows made shorter."""

    def __init__(self):
        super().__init__()
        self.convs, self.out = nn.ModuleList(pyg.SAGEConv(i, HIDDEN) for i in (FEATURES, HIDDEN)), nn.Linear(HIDDEN, CLASSES)

    def forward(self, x, edge_index, is_known):
        filled = torch.zeros_like(x)
        filled[is_known] = x[is_known]
        for _ in range(2):
            filled = torch.zeros_like(x).index_add(0, edge_index[1], filled[edge_index[0]]) / 5
            filled[is_known] = x[is_known]
        h = self.convs[0](filled, edge_index)
        h[h < 0] = 0.0
        length = h.norm(dim=1)
        h[length > 1] = h[length > 1] / length[length > 1].unsqueeze(1)
        most = torch.full_like(h, float("-inf")).scatter_reduce(0, edge_index[1][:, None].expand(-1, HIDDEN), h[edge_index[0]], "amax")
        most[most == float("-inf")] = 0
        spread = h.std(1, keepdim=True)
        spread[spread == 0] = 1.0
        return self.out(self.convs[1](h / spread, edge_index) + most)


class ReversedPairs(nn.Module):
    """D-MPNN with each edge beside its reverse, or in the other half, told apart by views, flips and slices; NeuroSAT with literals of nodes in halves."""

    def __init__(self):
        super().__init__()
        self.first, self.hidden, self.out = nn.Linear(FEATURES, HIDDEN), nn.Linear(HIDDEN, HIDDEN), nn.Linear(3 * HIDDEN, CLASSES)

    def forward(self, x, paired_edge_index):
        row, col = paired_edge_index
        edges, nodes = paired_edge_index.size(1), x.size(0)
        start = h = self.first(x)[row].relu()
        for swapped in (lambda h: h.view(edges // 2, 2, -1)[:, [1, 0]].view(edges, -1), lambda h: torch.flip(h.view(-1, 2, HIDDEN), [1]).view(-1, HIDDEN),
                        lambda h: torch.cat([h[edges // 2:], h[:edges // 2]])):
            into = torch.zeros(nodes, HIDDEN).index_add(0, col, h)
            h = (start + self.hidden(into[row] - swapped(h))).relu()
        into = torch.zeros(nodes, HIDDEN).index_add(0, col, h)
        return self.out(torch.cat([into, torch.cat([into[nodes // 2:], into[:nodes // 2]]), into.roll(1, 0)], 1))


class SquaredMatrix(nn.Module):
    """The product of an adjacency matrix, which forward builds, with itself: all pairs of nodes are there at once."""

    def __init__(self):
        super().__init__()
        self.lin, self.out = nn.Linear(FEATURES, HIDDEN), nn.Linear(HIDDEN, CLASSES)

    def forward(self, x, edge_index):
        matrix = torch.zeros(x.size(0), x.size(0))
        matrix[edge_index[1], edge_index[0]] = 1.0
        return self.out((matrix @ matrix).clamp(max=1) @ self.lin(x))


class GraphsOfCounts(nn.Module):
    """Graph networks (Battaglia 2018): what each graph has is repeated as often as it has nodes."""

    def __init__(self):
        super().__init__()
        self.node, self.out = nn.Linear(FEATURES + HIDDEN, HIDDEN), nn.Linear(HIDDEN, CLASSES)

    def forward(self, x, edge_index, of_graphs, n_node):
        graph = torch.repeat_interleave(torch.arange(n_node.size(0)), n_node, output_size=x.size(0))
        h = self.node(torch.cat([x, of_graphs[graph]], 1)).relu()
        h = h + torch.zeros_like(h).index_add(0, edge_index[1], h[edge_index[0]])
        return self.out(h), self.out(torch.zeros(n_node.size(0), HIDDEN).index_add(0, graph, h))


class Triplets(nn.Module):
    """DimeNet: messages of edges, from those of the edges before them, by the angle between the two."""

    def __init__(self):
        super().__init__()
        self.atom, self.first = nn.Embedding(9, HIDDEN), nn.Linear(2 * HIDDEN + 1, HIDDEN)
        self.before, self.own, self.angle = (nn.ModuleList(nn.Linear(i, HIDDEN) for _ in range(2)) for i in (HIDDEN, HIDDEN, 1))
        self.out = nn.ModuleList(nn.Linear(HIDDEN, CLASSES) for _ in range(3))

    def forward(self, atoms, pos, edge_index, idx_kj, idx_ji):
        j, i = edge_index
        way = pos[i] - pos[j]
        length = (way * way).sum(-1, keepdim=True).sqrt() + 0.1
        angle = (way[idx_kj] * way[idx_ji]).sum(-1, keepdim=True) / (length[idx_kj] * length[idx_ji])
        h = self.atom(atoms)
        m = self.first(torch.cat([h[i], h[j], length], -1)).relu()
        out = scatter(self.out[0](m), i, dim=0, dim_size=pos.size(0), reduce="sum")
        for before, own, by_angle, last in zip(self.before, self.own, self.angle, self.out[1:]):
            m = m + (own(m) + scatter(before(m)[idx_kj] * by_angle(angle), idx_ji, dim=0, dim_size=m.size(0), reduce="sum")).relu()
            out = out + scatter(last(m), i, dim=0, dim_size=pos.size(0), reduce="sum")
        return out


class LineGraph(nn.Module):
    """ALIGNN: layers on the graph and on the graph of its edges in turn."""

    def __init__(self):
        super().__init__()
        self.lin, self.edge = nn.Linear(FEATURES, HIDDEN), nn.Linear(EDGE_FEATURES, HIDDEN)
        self.nodes = nn.ModuleList(pyg.GINEConv(nn.Linear(HIDDEN, HIDDEN)) for _ in range(2))
        self.edges = nn.ModuleList(pyg.GATv2Conv(HIDDEN, HIDDEN, edge_dim=2, add_self_loops=False) for _ in range(2))
        self.last = nn.Linear(HIDDEN, CLASSES)

    def forward(self, x, edge_attr, edge_index, lg_edge_index, angle):
        h, e = self.lin(x), self.edge(edge_attr)
        for nodes, edges in zip(self.nodes, self.edges):
            e = e + edges(e + h[edge_index[0]], lg_edge_index, angle).relu()
            h = h + nodes(h, edge_index, e).relu()
        return self.last(h), e


class Simulator(nn.Module):
    """A mesh graph network: rows of edges go on from layer to layer, as those of nodes do."""

    def __init__(self):
        super().__init__()
        self.node, self.edge, self.last = nn.Linear(FEATURES, HIDDEN), nn.Linear(EDGE_FEATURES, HIDDEN), nn.Linear(HIDDEN, CLASSES)
        mlp = lambda i: nn.Sequential(nn.Linear(i, 2 * HIDDEN), nn.ReLU(), nn.Linear(2 * HIDDEN, HIDDEN), nn.LayerNorm(HIDDEN))
        self.edges, self.nodes = nn.ModuleList(mlp(3 * HIDDEN) for _ in range(5)), nn.ModuleList(mlp(2 * HIDDEN) for _ in range(5))

    def forward(self, x, edge_index, edge_attr):
        x, e, (j, i) = self.node(x), self.edge(edge_attr), edge_index
        for edge, node in zip(self.edges, self.nodes):
            e = e + edge(torch.cat([e, x[j], x[i]], 1))
            x = x + node(torch.cat([x, scatter(e, i, dim=0, dim_size=x.size(0), reduce="sum")], 1))
        return self.last(x)


class DirectedMessages(nn.Module):
    """D-MPNN: messages of edges into a node, but for that of the opposite edge."""

    def __init__(self):
        super().__init__()
        self.first, self.again = nn.Linear(FEATURES + EDGE_FEATURES, 3 * HIDDEN), nn.Linear(3 * HIDDEN, 3 * HIDDEN)
        self.last = nn.Linear(FEATURES + 3 * HIDDEN, CLASSES)

    def forward(self, x, edge_index, edge_attr, opposite):
        h = first = self.first(torch.cat([x[edge_index[0]], edge_attr], 1)).relu()
        total = lambda h: scatter(h, edge_index[1], dim=0, dim_size=x.size(0), reduce="sum")
        for _ in range(4):
            h = (first + self.again(total(h)[edge_index[0]] - h[opposite])).relu()
        return self.last(torch.cat([x, total(h)], 1))


class PaddedMessages(nn.Module):
    """JT-VAE: messages by tables of the edges before them, padded with a row of zeros at the end, and the last edge into each node, where there is one."""

    def __init__(self):
        super().__init__()
        self.first, self.again, self.last = nn.Linear(FEATURES, HIDDEN), nn.Linear(HIDDEN, HIDDEN), nn.Linear(FEATURES + 2 * HIDDEN, CLASSES)

    def forward(self, x, edge_index, before, into):
        h = first = self.first(x[edge_index[0]]).relu()
        padded = lambda h: torch.cat([h, torch.zeros(1, HIDDEN)])
        for _ in range(2):
            h = (first + self.again(padded(h)[before].sum(1))).relu()
        numbers = torch.arange(edge_index.shape[1])
        latest = torch.full((x.size(0),), -1).scatter_reduce(0, edge_index[1], numbers, "amax")
        return self.last(torch.cat([x, padded(h)[into].sum(1), padded(h)[latest]], 1))


class Quadruplets(nn.Module):
    """GemNet: pairs of edges from pairs of edges, edges from pairs of edges, nodes from edges; which pairs count is said by two masks."""

    def __init__(self):
        super().__init__()
        self.edge, self.pair, self.last = nn.Linear(2 * FEATURES + EDGE_FEATURES, HIDDEN), nn.Linear(2, HIDDEN), nn.Linear(HIDDEN, CLASSES)

    def forward(self, x, edge_index, edge_attr, idx_kj, idx_ji, angle, four_from, four_to, counts_from, counts_to):
        m = self.edge(torch.cat([x[edge_index[0]], x[edge_index[1]], edge_attr], 1)).relu()
        t = m[idx_kj] * self.pair(angle)
        chosen_from, chosen_to = four_from[counts_from.nonzero().squeeze(1)], four_to[counts_to.nonzero().squeeze(1)]
        torch._check(chosen_from.size(0) == chosen_to.size(0))
        t = t + torch.zeros_like(t).index_add(0, chosen_to, t[chosen_from])
        m = m + scatter(t, idx_ji, dim=0, dim_size=m.size(0), reduce="sum")
        return self.last(scatter(m, edge_index[1], dim=0, dim_size=x.size(0), reduce="sum"))


class EdgesOfGraphs(nn.Module):
    """A policy over the edges of each graph; the number of graphs is what ptr has entries for."""

    def __init__(self):
        super().__init__()
        self.conv, self.score, self.value = pyg.SAGEConv(FEATURES, HIDDEN), nn.Linear(2 * HIDDEN + EDGE_FEATURES, 1), nn.Linear(EDGE_FEATURES, HIDDEN)

    def forward(self, x, edge_index, edge_attr, batch, ptr):
        h = self.conv(x, edge_index).relu()
        graphs, graph = ptr.size(0) - 1, batch[edge_index[0]]
        p = softmax(self.score(torch.cat([h[edge_index[0]], h[edge_index[1]], edge_attr], 1)).squeeze(-1), graph, num_nodes=graphs)
        return p, scatter(self.value(edge_attr) * p.unsqueeze(1), graph, dim=0, dim_size=graphs, reduce="sum")


class VirtualRows(nn.Module):
    """Exphormer: two rows that are joined to all nodes, behind theirs."""

    def __init__(self):
        super().__init__()
        self.virtual, self.first, self.last = nn.Embedding(2, HIDDEN), nn.Linear(FEATURES, HIDDEN), nn.Linear(HIDDEN, CLASSES)
        self.convs = nn.ModuleList(pyg.TransformerConv(HIDDEN, HIDDEN // 2, heads=2) for _ in range(2))

    def forward(self, x, edge_index):
        nodes = x.size(0)
        h, ids = torch.cat([self.first(x), self.virtual.weight]), torch.arange(nodes)
        ends = [torch.full((nodes,), 0) + nodes, torch.full((nodes,), 0) + nodes + 1]
        edge_index = torch.cat([edge_index, *(torch.stack([ids, end]) for end in ends), *(torch.stack([end, ids]) for end in ends)], 1)
        for conv in self.convs:
            h = h + conv(h, edge_index).relu()
        return self.last(h[:nodes])


class RelationSlots(nn.Module):
    """Means by relation, all reduced at once: a row for each node and relation."""

    def __init__(self):
        super().__init__()
        self.lins = nn.ModuleList(nn.Linear(RELATIONS * FEATURES, FEATURES) for _ in range(2))
        self.last = nn.Linear(FEATURES, CLASSES)

    def forward(self, x, edge_index, edge_type):
        slot = edge_index[1] * RELATIONS + edge_type
        for lin in self.lins:
            means = scatter(x[edge_index[0]], slot, dim=0, dim_size=RELATIONS * x.size(0), reduce="mean")
            x = (x + lin(means.view(x.size(0), -1))).relu()
        return self.last(x)


class EdgeTotal(nn.Module):
    """A graph network with what all edges say on average."""

    def __init__(self):
        super().__init__()
        self.edge, self.node = nn.Linear(2 * FEATURES + EDGE_FEATURES, HIDDEN), nn.Linear(FEATURES + 2 * HIDDEN, FEATURES)
        self.last = nn.Linear(FEATURES, CLASSES)

    def forward(self, x, edge_index, edge_attr):
        for _ in range(2):
            e = self.edge(torch.cat([x[edge_index[0]], x[edge_index[1]], edge_attr], 1)).relu()
            u = e.mean(0, keepdim=True) + e.softmax(0).max(0, keepdim=True).values
            x = self.node(torch.cat([x, scatter(e, edge_index[1], dim=0, dim_size=x.size(0), reduce="max"), u.expand(x.size(0), -1)], 1)).relu()
        return self.last(x)


class LinkLoss(nn.Module):
    """How well edges are told from other pairs, after a layer of plain messages and one of messages with features of edges: a mean over all edges."""

    def __init__(self):
        super().__init__()
        self.first, self.second = pyg.SAGEConv(FEATURES, HIDDEN), pyg.GINEConv(nn.Linear(HIDDEN, HIDDEN), edge_dim=EDGE_FEATURES)

    def forward(self, x, edge_index, edge_attr, pairs):
        z = self.second(self.first(x, edge_index).relu(), edge_index, edge_attr)
        scores = [(z[ends[0]] * z[ends[1]]).sum(1).sigmoid() for ends in (edge_index, pairs)]
        return z, -(scores[0] + 1e-6).log().mean() - (1 - scores[1] + 1e-6).log().mean()


class EdgeUpdates(nn.Module):
    """Layers of attention between which features of edges are updated, and how much these vary over all edges."""

    def __init__(self):
        super().__init__()
        self.convs = nn.ModuleList(pyg.TransformerConv(FEATURES if i == 0 else HIDDEN, HIDDEN // 2, heads=2, edge_dim=EDGE_FEATURES) for i in range(3))
        self.updates, self.last = nn.ModuleList(nn.Linear(2 * HIDDEN + EDGE_FEATURES, EDGE_FEATURES) for _ in range(2)), nn.Linear(HIDDEN, CLASSES)

    def forward(self, x, edge_index, edge_attr):
        for conv, update in zip(self.convs, [*self.updates, None]):
            x = conv(x, edge_index, edge_attr).relu()
            if update is not None:
                edge_attr = edge_attr + update(torch.cat([x[edge_index[0]], x[edge_index[1]], edge_attr], 1)).tanh()
        return self.last(x), edge_attr.std(0)


class TopEdges(nn.Module):
    """The scores of the fifty edges whose ends are most alike."""

    def __init__(self):
        super().__init__()
        self.conv = pyg.GCNConv(FEATURES, HIDDEN)

    def forward(self, x, edge_index):
        h = self.conv(x, edge_index).relu()
        return (h[edge_index[0]] * h[edge_index[1]]).sum(1).topk(50).values


class TurnedMessages(nn.Module):
    """Messages that edges turn by an angle, as complex numbers (RotatE)."""

    def __init__(self):
        super().__init__()
        self.first, self.angle, self.last = nn.Linear(FEATURES, HIDDEN), nn.Linear(EDGE_FEATURES, HIDDEN // 2), nn.Linear(HIDDEN, CLASSES)

    def forward(self, x, edge_index, edge_attr):
        h = self.first(x)
        messages = torch.complex(h[:, ::2], h[:, 1::2])[edge_index[0]] * torch.exp(1j * self.angle(edge_attr))
        rows = torch.view_as_real(messages).flatten(1)
        return self.last(scatter(rows, edge_index[1], dim=0, dim_size=x.size(0), reduce="sum").relu())


class ClassToken(nn.Module):
    """A transformer over all nodes and one row more."""

    def __init__(self):
        super().__init__()
        self.conv, self.token, self.last = pyg.SAGEConv(FEATURES, HIDDEN), nn.Parameter(torch.randn(1, 1, HIDDEN)), nn.Linear(HIDDEN, CLASSES)
        self.encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(HIDDEN, 2, 2 * HIDDEN, batch_first=True), 1, enable_nested_tensor=False)

    def forward(self, x, edge_index):
        h = self.conv(x, edge_index).relu()
        return self.last(self.encoder(torch.cat([h.unsqueeze(0), self.token], 1))[:, -1])


class WithoutGradients(nn.Module):
    """What the first layer says, smoothed without gradients, beside a second layer; both graphs that export makes of that have the same names inside."""

    def __init__(self):
        super().__init__()
        self.first, self.second = pyg.GCNConv(FEATURES, HIDDEN), pyg.SAGEConv(HIDDEN, HIDDEN)
        self.smooth, self.lin = pyg.LabelPropagation(2, 0.8), nn.Linear(2 * HIDDEN + 1, CLASSES)

    def forward(self, x, edge_index):
        h = self.first(x, edge_index).relu()
        smooth = self.smooth(h.softmax(dim=-1), edge_index)
        h = self.second(h, edge_index).relu()
        with torch.no_grad():
            largest, place = (h * smooth).max(dim=-1)
            degree = scatter(torch.ones_like(edge_index[1], dtype=x.dtype), edge_index[1], dim=0, dim_size=x.size(0), reduce="sum")
            most = torch.where(place > 0, largest, degree).unsqueeze(-1)
        return self.lin(torch.cat([h, smooth, most], dim=-1))


class MatrixGCN(nn.Module):
    """Written with a matrix, as by Kipf."""

    def __init__(self, product=torch.mm):
        super().__init__()
        self.weights = nn.ParameterList(nn.Parameter(torch.randn(i, o) * 0.3) for i, o in ((FEATURES, HIDDEN), (HIDDEN, CLASSES)))
        self.bias = nn.Parameter(torch.randn(CLASSES))
        self.product = product

    def forward(self, x, adj):
        h = torch.relu(self.product(adj, torch.mm(x, self.weights[0])))
        return torch.log_softmax(self.product(adj, torch.mm(h, self.weights[1])) + self.bias, dim=1)


class MatrixMean(nn.Module):
    """Means over neighbours in both directions."""

    def __init__(self):
        super().__init__()
        self.lins = nn.ModuleList(nn.Linear(i, HIDDEN) for i in (FEATURES, HIDDEN, HIDDEN))
        self.last = nn.Linear(HIDDEN, CLASSES)

    def forward(self, x, adj):
        h = torch.relu(self.lins[0](adj @ x / adj.sum(1, keepdim=True).clamp(min=1e-3)))
        back = adj.t()
        h = h + torch.relu(self.lins[1](torch.matmul(back, h) / back.sum(dim=-1).clamp(min=1e-3).unsqueeze(1)))
        return self.last(torch.addmm(self.lins[2].bias, adj * 0.5, h))


class MatrixNorm(nn.Module):
    """Self-loops and symmetric normalisation inside forward, once by broadcasting and once by diagonal matrices."""

    def __init__(self):
        super().__init__()
        self.lins = nn.ModuleList(nn.Linear(i, o) for i, o in ((FEATURES, HIDDEN), (HIDDEN, CLASSES)))

    def forward(self, x, adj):
        a = adj + torch.eye(adj.size(0))
        d = a.sum(dim=1).pow(-0.5)
        h = torch.relu(self.lins[0]((d.view(-1, 1) * a * d) @ x))
        scale = torch.diag(d)
        return self.lins[1](scale @ a @ scale @ h)


class Dense(nn.Module):
    """PyG's layers for dense adjacency."""

    def __init__(self, make):
        super().__init__()
        self.convs = nn.ModuleList(make(i) for i in (FEATURES, HIDDEN))
        self.lin = nn.Linear(HIDDEN, CLASSES)

    def forward(self, x, adj):
        for conv in self.convs:
            x = conv(x, adj).relu()
        return self.lin(x).squeeze(0)


class WeightedStack(Stack):
    def forward(self, x, edge_index, edge_weight):
        for conv in self.convs:
            x = conv(x, edge_index, edge_weight).relu()
        return self.lin(x)


class AttributeStack(Stack):
    def forward(self, x, edge_index, edge_attr):
        for conv in self.convs:
            x = conv(x, edge_index, edge_attr=edge_attr).relu()
        return self.lin(x)


class RelationStack(Stack):
    def forward(self, x, edge_index, edge_type):
        for conv in self.convs:
            x = conv(x, edge_index, edge_type).relu()
        return self.lin(x)


# Several node types: tensors by name, as torch.export writes the keys of dictionaries out.
TYPES = {"paper": (NODES, 12), "author": (45, 9), "subject": (17, 5)}
TRIPLES = {("author", "writes", "paper"): 120, ("paper", "written_by", "author"): 120, ("paper", "has", "subject"): 60,
           ("subject", "of", "paper"): 60, ("paper", "cites", "paper"): 150}
METADATA = (list(TYPES), list(TRIPLES))


def typed_inputs():
    generator = torch.Generator().manual_seed(7)
    draw = lambda size, count: torch.randint(0, size, (count,), generator=generator)
    edges = {t: torch.stack([draw(TYPES[t[0]][0] - 2, count), draw(TYPES[t[2]][0] - 2, count)]) for t, count in TRIPLES.items()}
    return {
        "x_dict": {name: torch.randn(*size, generator=generator) for name, size in TYPES.items()},
        "edge_index_dict": edges,
        "edge_attr_dict": {t: torch.randn(count, EDGE_FEATURES, generator=generator) for t, count in TRIPLES.items()},
        "pairs": torch.stack([draw(TYPES["paper"][0], 33), draw(TYPES["author"][0], 33)]),
        "x_user": torch.randn(40, FEATURES, generator=generator),
        "x_item": torch.randn(23, FEATURES, generator=generator),
        "ratings": torch.stack([draw(38, 150), draw(22, 150)]),
        "chosen": draw(120, 31),
    }


class Typed(nn.Module):
    """HeteroConv layers over all relations, as the documentation of PyTorch Geometric writes them."""

    def __init__(self, make, depth=2, aggr="sum", target="paper"):
        super().__init__()
        self.convs = nn.ModuleList(pyg.HeteroConv({t: make(t) for t in TRIPLES}, aggr=aggr) for _ in range(depth))
        self.lin, self.target = pyg.Linear(-1, CLASSES), target

    def forward(self, x_dict, edge_index_dict):
        for conv in self.convs:
            x_dict = {key: x.relu() for key, x in conv(x_dict, edge_index_dict).items()}
        return self.lin(x_dict[self.target])


class TypedWithEdges(Typed):
    def forward(self, x_dict, edge_index_dict, edge_attr_dict):
        for conv in self.convs:
            x_dict = {key: x.relu() for key, x in conv(x_dict, edge_index_dict, edge_attr_dict=edge_attr_dict).items()}
        return self.lin(x_dict[self.target])


class TypedNorms(Typed):
    """Each layer's rows are normalised over all nodes of their type: global ops of several types."""

    def __init__(self):
        super().__init__(lambda t: pyg.SAGEConv((-1, -1), HIDDEN))
        self.norms = nn.ModuleDict({"author": pyg.PairNorm(), "paper": pyg.GraphNorm(HIDDEN), "subject": pyg.MeanSubtractionNorm()})

    def forward(self, x_dict, edge_index_dict):
        for conv in self.convs:
            x_dict = {key: self.norms[key](x).relu() for key, x in conv(x_dict, edge_index_dict).items()}
        return self.lin(x_dict[self.target])


class BothWays(nn.Module):
    """Citations are read in both directions, which forward puts one behind the other; other relations are there, but not read."""

    def __init__(self):
        super().__init__()
        self.convs = nn.ModuleList([pyg.SAGEConv(TYPES["paper"][1], HIDDEN), pyg.SAGEConv(HIDDEN, CLASSES)])

    def forward(self, x_dict, edge_index_dict):
        cites = edge_index_dict["paper", "cites", "paper"]
        both = torch.cat([cites, cites.flip(0)], dim=1)
        x = x_dict["paper"]
        for conv in self.convs:
            x = conv(x, both).relu()
        return x


class BesideLists(nn.Module):
    """Papers and authors, and the mean of the attributes of some edges, which a list numbers."""

    def __init__(self):
        super().__init__()
        self.conv = pyg.SAGEConv((TYPES["author"][1], TYPES["paper"][1]), HIDDEN)
        self.weigh, self.lin = nn.Linear(EDGE_FEATURES, HIDDEN), nn.Linear(HIDDEN, CLASSES)

    def forward(self, x_dict, edge_index_dict, edge_attr_dict, chosen):
        x = self.conv((x_dict["author"], x_dict["paper"]), edge_index_dict["author", "writes", "paper"])
        return self.lin((x + self.weigh(edge_attr_dict["author", "writes", "paper"][chosen].mean(0))).relu())


class PlainSAGE(nn.Module):
    def __init__(self, depth=2):
        super().__init__()
        self.convs = nn.ModuleList(pyg.SAGEConv((-1, -1), HIDDEN) for _ in range(depth))
        self.lin = pyg.Linear(-1, CLASSES)

    def forward(self, x_dict, edge_index_dict):
        for conv in self.convs:
            x_dict = conv(x_dict, edge_index_dict).relu()
        return self.lin(x_dict)


class ToHetero(nn.Module):
    def __init__(self, module, aggr="sum"):
        super().__init__()
        self.gnn = pyg.to_hetero(module, METADATA, aggr=aggr)

    def forward(self, x_dict, edge_index_dict):
        return tuple(self.gnn(x_dict, edge_index_dict).values())


class HAN(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = pyg.HANConv({name: width for name, (_, width) in TYPES.items()}, HIDDEN, METADATA, heads=2)
        self.lin = nn.Linear(HIDDEN, CLASSES)

    def forward(self, x_dict, edge_index_dict):
        return self.lin(self.conv(x_dict, edge_index_dict)["paper"])


class HGT(nn.Module):
    """The heterogeneous graph transformer, relation by relation: PyTorch Geometric's own layer cannot be exported. Attention is over the edges of
    all relations into a node together, or of each by itself, as the Deep Graph Library's example has it."""

    def __init__(self, depth=2, heads=2, together=True):
        super().__init__()
        self.heads, self.width, self.together = heads, HIDDEN // heads, together
        per_type = lambda width, out: nn.ModuleDict({name: nn.Linear(width or TYPES[name][1], out) for name in TYPES})
        key = lambda t: "__".join(t)
        self.project = per_type(None, HIDDEN)
        self.kqv = nn.ModuleList(per_type(HIDDEN, 3 * HIDDEN) for _ in range(depth))
        self.out = nn.ModuleList(per_type(HIDDEN, HIDDEN) for _ in range(depth))
        relation = lambda *size: nn.ParameterList(nn.ParameterDict({key(t): nn.Parameter(torch.randn(*size) / 3) for t in TRIPLES}) for _ in range(depth))
        self.attend, self.message, self.prior = relation(heads, self.width, self.width), relation(heads, self.width, self.width), relation(heads)
        self.skip = nn.ParameterList(nn.ParameterDict({name: nn.Parameter(torch.randn(1)) for name in TYPES}) for _ in range(depth))
        self.lin, self.key = nn.Linear(HIDDEN, CLASSES), key

    def layer(self, i, x_dict, edge_index_dict):
        k, q, v = ({n: part.view(-1, self.heads, self.width) for n, part in parts.items()} for parts in
                   ({n: self.kqv[i][n](x).chunk(3, -1)[j] for n, x in x_dict.items()} for j in range(3)))
        scores, values, targets = ({n: [] for n in x_dict} for _ in range(3))
        for t, (source, target) in edge_index_dict.items():
            keys = torch.einsum("nhd,hde->nhe", k[t[0]], self.attend[i][self.key(t)])
            messages = torch.einsum("nhd,hde->nhe", v[t[0]], self.message[i][self.key(t)])
            scores[t[2]].append((keys[source] * q[t[2]][target]).sum(-1) * self.prior[i][self.key(t)] / self.width ** 0.5)
            values[t[2]].append(messages[source])
            targets[t[2]].append(target)
        result = {}
        for n, x in x_dict.items():
            sums = []
            groups = [(torch.cat(scores[n]), torch.cat(values[n]), torch.cat(targets[n]))] if self.together else zip(scores[n], values[n], targets[n])
            for score, value, target in groups:
                weight = softmax(score, target, num_nodes=x.size(0)).unsqueeze(-1)
                sums.append(scatter(weight * value, target, 0, x.size(0), "sum").view(-1, HIDDEN))
            gate = self.skip[i][n].sigmoid()
            result[n] = gate * self.out[i][n](nn.functional.gelu(sum(sums) / len(sums))) + (1 - gate) * x
        return result

    def forward(self, x_dict, edge_index_dict):
        x_dict = {n: self.project[n](x).relu() for n, x in x_dict.items()}
        for i in range(len(self.kqv)):
            x_dict = self.layer(i, x_dict, edge_index_dict)
        return self.lin(x_dict["paper"])


class TypedLinks(nn.Module):
    """Scores of pairs of a paper and an author."""

    def __init__(self):
        super().__init__()
        self.gnn = Typed(lambda t: pyg.SAGEConv((-1, -1), HIDDEN)).convs

    def forward(self, x_dict, edge_index_dict, pairs):
        for conv in self.gnn:
            x_dict = {key: x.relu() for key, x in conv(x_dict, edge_index_dict).items()}
        return (x_dict["paper"][pairs[0]] * x_dict["author"][pairs[1]]).sum(-1)


class Recommender(nn.Module):
    """Users and items put after each other, one graph of both, and taken apart again."""

    def __init__(self):
        super().__init__()
        self.user, self.item = nn.Linear(FEATURES, HIDDEN), nn.Linear(FEATURES, HIDDEN)

    def forward(self, x_user, x_item, ratings):
        users, items = x_user.size(0), x_item.size(0)
        x = torch.cat([self.user(x_user), self.item(x_item)])
        source, target = ratings[0], ratings[1] + users
        row, col = torch.cat([source, target]), torch.cat([target, source])
        degree = scatter(torch.ones_like(row, dtype=x.dtype), col, 0, users + items, "sum").clamp(min=1).rsqrt()
        norm = (degree[row] * degree[col]).unsqueeze(-1)
        result = x
        for _ in range(2):
            x = scatter(norm * x[row], col, 0, users + items, "sum")
            result = result + x
        return (result / 3).split([users, items])


class WithDegrees(nn.Module):
    """Beside a layer's rows it gives what only the graph tells: a degree for each node, or also how much each edge counts."""

    def __init__(self, edges=False):
        super().__init__()
        self.conv, self.edges = pyg.SAGEConv(FEATURES, HIDDEN), edges

    def forward(self, x, edge_index):
        degrees = torch.zeros(x.size(0)).index_add(0, edge_index[1], torch.ones(edge_index.size(1)))
        rows = self.conv(x, edge_index)
        return (rows, degrees.unsqueeze(1), degrees.clamp(min=1)[edge_index[1]] ** -0.5) if self.edges else (rows, degrees.unsqueeze(1))


class GatheredEnds(nn.Module):
    """Rows of both ends of edges between nodes of two kinds, read by torch.gather at an index as wide as they are."""

    def __init__(self):
        super().__init__()
        self.user, self.item = nn.Linear(FEATURES, HIDDEN), nn.Linear(FEATURES, HIDDEN)
        self.both = nn.ModuleList(nn.Linear(2 * HIDDEN, HIDDEN) for _ in range(2))

    def forward(self, x_user, x_item, ratings):
        users, items = self.user(x_user).relu(), self.item(x_item).relu()
        user, item = (ends.unsqueeze(-1).expand(-1, HIDDEN) for ends in ratings)
        for both in self.both:
            messages = both(torch.cat([users.gather(0, user), items.gather(0, item)], 1)).relu()
            users, items = users + torch.zeros_like(users).scatter_add(0, user, messages), items + torch.zeros_like(items).scatter_add(0, item, messages)
        return users, items, torch.sigmoid((users.gather(0, user) * items.gather(0, item)).sum(1))


class Bipartite(nn.Module):
    """Messages go back and forth between users and items; a mean over all items joins in."""

    def __init__(self):
        super().__init__()
        self.to_item = pyg.SAGEConv((FEATURES, FEATURES), HIDDEN, aggr="max")
        self.to_user = pyg.GATConv((HIDDEN, FEATURES), HIDDEN, add_self_loops=False)
        self.lin = nn.Linear(2 * HIDDEN, CLASSES)

    def forward(self, x_user, x_item, ratings):
        item = self.to_item((x_user, x_item), ratings).relu()
        user = self.to_user((item, x_user), ratings.flip(0)).relu()
        return self.lin(torch.cat([user, item.mean(0, keepdim=True).expand(user.size(0), -1)], -1))


class TypedEmbedding(nn.Module):
    """Authors have no features, but rows of a table."""

    def __init__(self):
        super().__init__()
        self.author = nn.Embedding(TYPES["author"][0], 9)
        self.convs = Typed(lambda t: pyg.GATv2Conv((-1, -1), HIDDEN // 2, 2, add_self_loops=False)).convs
        self.lin = nn.Linear(HIDDEN, CLASSES)

    def forward(self, x_paper, x_subject, edge_index_dict):
        x_dict = {"paper": x_paper, "author": self.author.weight, "subject": x_subject}
        for conv in self.convs:
            x_dict = {key: x.relu() for key, x in conv(x_dict, edge_index_dict).items()}
        return self.lin(x_dict["paper"])


class InitialResidual(nn.Module):
    def __init__(self, make, layers=3):
        super().__init__()
        self.pre = nn.Linear(FEATURES, HIDDEN)
        self.convs = nn.ModuleList(make(i) for i in range(layers))
        self.post = nn.Linear(HIDDEN, CLASSES)

    def forward(self, x, edge_index):
        x = x0 = self.pre(x).relu()
        for conv in self.convs:
            x = conv(x, x0, edge_index).relu()
        return self.post(x)


class DeeperGCN(nn.Module):
    def __init__(self, layers=3):
        super().__init__()
        self.pre = nn.Linear(FEATURES, HIDDEN)
        self.layers = nn.ModuleList(
            pyg.DeepGCNLayer(pyg.GENConv(HIDDEN, HIDDEN, aggr="softmax", learn_t=True), nn.LayerNorm(HIDDEN), nn.ReLU(), block="res+", dropout=0.1)
            for _ in range(layers))
        self.post = nn.Linear(HIDDEN, CLASSES)

    def forward(self, x, edge_index):
        x = self.pre(x)
        for layer in self.layers:
            x = layer(x, edge_index)
        return self.post(x)


class TwoBranches(nn.Module):
    def __init__(self):
        super().__init__()
        self.left, self.right = pyg.GCNConv(FEATURES, HIDDEN), pyg.GATConv(FEATURES, HIDDEN)
        self.deeper = pyg.SAGEConv(HIDDEN, HIDDEN)
        self.post = nn.Linear(2 * HIDDEN, CLASSES)

    def forward(self, x, edge_index):
        left = self.left(x, edge_index).relu()
        right = self.deeper(self.right(x, edge_index).relu(), edge_index)
        return self.post(torch.cat([left, right], -1))


class PrePost(nn.Module):
    def __init__(self):
        super().__init__()
        self.pre = pyg.MLP([FEATURES, HIDDEN, HIDDEN], norm="batch_norm")
        self.gnn = pyg.GraphSAGE(HIDDEN, HIDDEN, 2)
        self.post = pyg.MLP([HIDDEN, HIDDEN, CLASSES], norm="batch_norm")

    def forward(self, x, edge_index):
        return self.post(self.gnn(self.pre(x), edge_index)).log_softmax(-1)


class TwoOutputs(Stack):
    def forward(self, x, edge_index):
        h = self.convs[0](x, edge_index).relu()
        return h, self.lin(self.convs[1](h, edge_index))


class PlainTensors(Stack):
    """Tensors that are neither parameters nor buffers: a trace keeps them in its code."""

    def __init__(self, make):
        super().__init__(make)
        self.scale, self.columns = torch.linspace(0.5, 2, HIDDEN), torch.tensor([0, 2, 1, 2])

    def forward(self, x, edge_index):
        h = self.convs[0](x, edge_index).relu() * self.scale
        return self.lin(self.convs[1](h, edge_index)).index_select(1, self.columns) + torch.tensor([[0.5, 0.0, -1.0, 2.0]])


class AttentionWeights(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = pyg.GATConv(FEATURES, HIDDEN, heads=2)

    def forward(self, x, edge_index):
        out, (index, alpha) = self.conv(x, edge_index, return_attention_weights=True)
        return out, index, alpha


class LinkPrediction(nn.Module):
    def __init__(self):
        super().__init__()
        self.gnn = pyg.GCN(FEATURES, HIDDEN, 2)

    def forward(self, x, edge_index):
        h = self.gnn(x, edge_index)
        return (h[edge_index[0]] * h[edge_index[1]]).sum(-1)


class Molecule(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(9, FEATURES)
        self.gnn = pyg.GIN(FEATURES, HIDDEN, 2, CLASSES)

    def forward(self, atoms, edge_index):
        return self.gnn(self.embedding(atoms), edge_index)


class LightGCN(nn.Module):
    """The features of the nodes are a parameter."""

    def __init__(self):
        super().__init__()
        self.gnn = pyg.LightGCN(NODES, HIDDEN, 3)

    def forward(self, edge_index):
        return self.gnn.get_embedding(edge_index)


class RankedLinks(nn.Module):
    def __init__(self):
        super().__init__()
        self.gnn = pyg.LightGCN(NODES, HIDDEN, 2)

    def forward(self, edge_index, pairs):
        return self.gnn(edge_index, pairs)


class TwoTables(nn.Module):
    """LightGCN as its own code has it: a table of users above one of items, and scores of pairs of both."""

    USERS = 35

    def __init__(self):
        super().__init__()
        self.users, self.items = nn.Embedding(self.USERS, HIDDEN), nn.Embedding(NODES - self.USERS, HIDDEN)

    def forward(self, edge_index, pairs):
        rows, degrees = torch.cat([self.users.weight, self.items.weight]), torch.zeros(NODES)
        norm = degrees.index_add(0, edge_index[1], torch.ones(edge_index.size(1))).clamp(min=1).rsqrt()
        layers = [rows]
        for _ in range(2):
            messages = layers[-1][edge_index[0]] * (norm[edge_index[0]] * norm[edge_index[1]]).unsqueeze(1)
            layers.append(torch.zeros_like(rows).index_add(0, edge_index[1], messages))
        users, items = torch.split(torch.stack(layers, 1).mean(1), [self.USERS, NODES - self.USERS])
        return users, (users[pairs[0] % self.USERS] * items[pairs[1] % (NODES - self.USERS)]).sum(1)


class ItemsAlone(nn.Module):
    """FREEDOM (Zhou and Shen 2023): items pass messages among themselves first, then users and items to each other."""

    USERS = 35

    def __init__(self):
        super().__init__()
        self.users, self.items = nn.Embedding(self.USERS, HIDDEN), nn.Embedding(NODES - self.USERS, HIDDEN)

    def forward(self, item_edge_index, edge_index):
        items = self.items.weight
        alike = torch.zeros_like(items).index_add(0, item_edge_index[1], items[item_edge_index[0]])
        rows = torch.cat([self.users.weight, items])
        rows = rows + torch.zeros_like(rows).index_add(0, edge_index[1], rows[edge_index[0]])
        users, items_rows = torch.split(rows, [self.USERS, NODES - self.USERS])
        return users, items_rows + alike


class ComputedTable(nn.Module):
    """MMGCN (Wei et al. 2019): learned rows of users above what a network makes of the items' features, which the model keeps."""

    USERS = 35

    def __init__(self):
        super().__init__()
        self.preference = nn.Parameter(torch.randn(self.USERS, HIDDEN))
        self.register_buffer("features", torch.randn(NODES - self.USERS, FEATURES))
        self.mlp, self.id = nn.Linear(FEATURES, HIDDEN), nn.Embedding(NODES, HIDDEN)
        self.messages = nn.ModuleList(nn.Linear(HIDDEN, HIDDEN, bias=False) for _ in range(2))
        self.own = nn.ModuleList(nn.Linear(HIDDEN, HIDDEN) for _ in range(2))
        self.both = nn.ModuleList(nn.Linear(2 * HIDDEN, HIDDEN) for _ in range(2))

    def forward(self, edge_index):
        x = nn.functional.normalize(torch.cat((self.preference, self.mlp(self.features))))
        for messages, own, both in zip(self.messages, self.own, self.both):
            h = nn.functional.leaky_relu(torch.zeros_like(x).index_add(0, edge_index[1], messages(x)[edge_index[0]]))
            x = nn.functional.leaky_relu(both(torch.cat((h, nn.functional.leaky_relu(own(x)) + self.id.weight), 1)))
        return x


class FirstRows(nn.Module):
    """A sampled graph, in which the first nodes are those that were asked for: h[:batch_size]."""

    def __init__(self):
        super().__init__()
        self.first, self.second = pyg.SAGEConv(FEATURES, HIDDEN), pyg.SAGEConv(HIDDEN, CLASSES)

    def forward(self, x, edge_index, wanted):
        return self.second(self.first(x, edge_index).relu(), edge_index)[:wanted.size(0)] * wanted


class SharedEncoder(nn.Module):
    """Each layer adds what one and the same encoder makes of a node's own features."""

    def __init__(self):
        super().__init__()
        self.first, self.encoder = nn.Linear(FEATURES, HIDDEN), nn.Linear(FEATURES, HIDDEN)
        self.layers = nn.ModuleList(nn.Linear(HIDDEN, HIDDEN) for _ in range(3))
        self.last = nn.Linear(HIDDEN, CLASSES)

    def forward(self, x, edge_index):
        h = self.first(x)
        for layer in self.layers:
            h = (layer(torch.zeros_like(h).index_add(0, edge_index[1], h[edge_index[0]])) + torch.tanh(self.encoder(x))).relu()
        return self.last(h)


class GraphsOfFeatures(nn.Module):
    """How many graphs there are says a tensor of numbers that nothing else is read of."""

    def __init__(self):
        super().__init__()
        self.conv, self.last = pyg.GCNConv(FEATURES, HIDDEN), nn.Linear(HIDDEN, CLASSES)

    def forward(self, x, edge_index, batch, of_graphs):
        return self.last(pyg.global_add_pool(self.conv(x, edge_index).relu(), batch, of_graphs.size(0)))


class GraphsByItem(nn.Module):
    """The number of graphs as PyTorch's guide to torch.export has it: read from the vector that names them."""

    def __init__(self):
        super().__init__()
        self.conv, self.lin = pyg.GraphConv(FEATURES, HIDDEN), nn.Linear(HIDDEN, CLASSES)

    def forward(self, x, edge_index, batch):
        graphs = batch.max().item() + 1
        torch._check(graphs > 0)
        torch._check(graphs < x.size(0))
        h = self.conv(x, edge_index).relu()
        return self.lin(h.new_zeros(graphs, h.size(1)).index_add(0, batch, h))


class WrittenGAT(nn.Module):
    """pyGAT: scores of all pairs of nodes, most of which the adjacency matrix masks; nodes without neighbours look at all."""

    def __init__(self):
        super().__init__()
        self.heads = nn.ModuleList(nn.Linear(FEATURES, HIDDEN // 2, False) for _ in range(2))
        self.scores = nn.ParameterList(nn.Parameter(0.3 * torch.randn(HIDDEN, 1)) for _ in range(2))
        self.query, self.key, self.lin = nn.Linear(HIDDEN, HIDDEN), nn.Linear(HIDDEN, HIDDEN), nn.Linear(HIDDEN, CLASSES)

    def head(self, x, adj, lin, score):
        h = lin(x)
        scores = nn.functional.leaky_relu(h @ score[: HIDDEN // 2] + (h @ score[HIDDEN // 2 :]).T, 0.2)
        attention = torch.where(adj > 0, scores, -9e15 * torch.ones_like(scores))
        return nn.functional.elu(nn.functional.dropout(attention.softmax(1), 0.5, self.training) @ h)

    def forward(self, x, adj):
        h = torch.cat([self.head(x, adj, lin, score) for lin, score in zip(self.heads, self.scores)], 1)
        scores = (self.query(h) @ self.key(h).T / HIDDEN ** 0.5).masked_fill(adj == 0, -1e9)
        return self.lin(torch.matmul(scores.softmax(-1), h).relu())


class Interatomic(nn.Module):
    """SchNetPack: kinds of atoms, vectors between pairs of them, and both ends of each pair in a list of its own; no rows of floats for nodes."""

    def __init__(self):
        super().__init__()
        self.kinds, self.last = nn.Embedding(9, HIDDEN), nn.Linear(HIDDEN, CLASSES)
        self.filters = nn.ModuleList(nn.Sequential(nn.Linear(3, HIDDEN), nn.SiLU(), nn.Linear(HIDDEN, HIDDEN)) for _ in range(2))
        self.layers = nn.ModuleList(nn.Linear(HIDDEN, HIDDEN) for _ in range(2))

    def forward(self, atoms, vectors, idx_i, idx_j):
        h = self.kinds(atoms)
        for of_pairs, layer in zip(self.filters, self.layers):
            messages = of_pairs(vectors) * layer(h)[idx_j]
            h = h + torch.zeros_like(h).index_add(0, idx_i, messages).tanh()
        return self.last(h)


class PairsGAT(nn.Module):
    """pyGAT as it was at first, and dense forms of GATv2: a row for each pair of nodes, most of which the adjacency matrix masks."""

    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(width, HIDDEN) for width in (FEATURES, HIDDEN, HIDDEN, HIDDEN))
        self.of_pairs = nn.ModuleList(nn.Linear(width, 1) for width in (2 * HIDDEN, 2 * HIDDEN, 2 * HIDDEN, HIDDEN))
        self.last = nn.Linear(HIDDEN, CLASSES)

    def forward(self, x, adj):
        n = x.size(0)
        for i, (layer, of_pairs) in enumerate(zip(self.layers, self.of_pairs)):
            h = layer(x)
            if i == 0:
                pairs = torch.cat([h.repeat(1, n).view(n * n, -1), h.repeat(n, 1)], dim=1).view(n, -1, 2 * HIDDEN)
                scores = nn.functional.leaky_relu(torch.matmul(pairs, of_pairs.weight.t()).squeeze(2), 0.2)
            elif i == 1:
                pairs = torch.cat([h.repeat_interleave(n, dim=0), h.repeat(n, 1)], dim=1)
                scores = nn.functional.leaky_relu(of_pairs(pairs).squeeze(1).view(n, n), 0.2)
            elif i == 2:
                pairs = torch.cat([h.unsqueeze(1).expand(n, n, -1), h.unsqueeze(0).expand(n, n, -1)], -1)
                scores = of_pairs(pairs.tanh()).squeeze(-1)
            else:
                scores = (nn.functional.leaky_relu(h[:, None] + h[None], 0.2) * of_pairs.weight[0]).sum(-1)
            attention = torch.where(adj > 0, scores, -9e15 * torch.ones_like(scores)).softmax(1)
            x = nn.functional.elu(attention @ h)
        return self.last(x)


class AddedMasks(nn.Module):
    """Attention to neighbours whose mask is a number that is added to the scores of all others, as transformers are written."""

    def __init__(self):
        super().__init__()
        self.lin, self.query, self.key = nn.Linear(FEATURES, HIDDEN), nn.Linear(HIDDEN, HIDDEN), nn.Linear(HIDDEN, HIDDEN)
        self.outs = nn.ModuleList(nn.Linear(HIDDEN, CLASSES) for _ in range(5))

    def heads(self, rows):
        return rows.view(-1, 2, HIDDEN // 2).transpose(0, 1)

    def forward(self, x, adj):
        h = self.lin(x)
        query, key = self.query(h), self.key(h)
        scores, neighbours = query @ key.T / HIDDEN ** 0.5, (adj > 0).float()
        attention = [
            (scores + (1.0 - neighbours) * -1e9).softmax(1),
            torch.nan_to_num((torch.where(adj > 0, 0.0, float("-inf")) + scores).softmax(-1)),
            (scores + (adj == 0).to(x.dtype) * torch.finfo(x.dtype).min).softmax(-1),
            (scores - 1e12 * (1 - (adj != 0).to(x.dtype))).softmax(-1),
        ]
        mask = torch.zeros_like(adj).masked_fill(adj == 0, -1e10)
        both = (self.heads(query) @ self.heads(key).transpose(1, 2) + mask.unsqueeze(0)).softmax(-1) @ self.heads(h)
        return sum(out(weights @ h) for out, weights in zip(self.outs, attention)) + self.outs[-1](sum([adj, 0.5 * adj.t()]) @ both.transpose(0, 1).reshape(-1, HIDDEN).relu())


class MaskedTransformer(nn.Module):
    """Layers of a transformer whose nodes see their neighbours alone: PyTorch's own attention under an adjacency matrix."""

    def __init__(self):
        super().__init__()
        self.lin, self.qkv, self.out = nn.Linear(FEATURES, HIDDEN), nn.Linear(HIDDEN, 3 * HIDDEN), nn.Linear(HIDDEN, CLASSES)
        self.attentions = nn.ModuleList(nn.MultiheadAttention(HIDDEN, 2, batch_first=True) for _ in range(2))
        self.norms = nn.ModuleList(nn.LayerNorm(HIDDEN) for _ in range(2))

    def forward(self, x, adj):
        h = self.lin(x).unsqueeze(0)
        h = self.norms[0](h + self.attentions[0](h, h, h, attn_mask=(1 - (adj > 0).float()) * -1e9)[0])
        h = self.norms[1](h + self.attentions[1](h, h, h, attn_mask=adj == 0, need_weights=False)[0])
        query, key, value = (rows.view(-1, 2, HIDDEN // 2).transpose(0, 1) for rows in self.qkv(h[0]).chunk(3, -1))
        return self.out(nn.functional.scaled_dot_product_attention(query, key, value, attn_mask=adj.bool(), scale=0.5).transpose(0, 1).reshape(-1, HIDDEN))


class WrittenPlaces(nn.Module):
    """AirGNN: rows are read and written at the places where something holds of them."""

    def __init__(self):
        super().__init__()
        self.lin, self.conv, self.act = nn.Linear(FEATURES, HIDDEN), pyg.GCNConv(HIDDEN, CLASSES), nn.PReLU()

    def forward(self, x, edge_index):
        x = start = self.act(self.lin(x))
        for _ in range(2):
            around = torch.zeros_like(x).index_add(0, edge_index[1], x[edge_index[0]])
            far = (around - start).norm(p=2, dim=1)
            share = (far - 0.5).clamp(min=0)
            places = torch.where(far > 0)[0]
            share[places] = share[places] / far[places]
            x = start + share.unsqueeze(1) * (around - start)
        places = (far > 1.0).nonzero(as_tuple=True)[0]
        x = x.index_copy(0, places, x[places] / far[places].unsqueeze(1))
        places = (x[:, 0] < 0).nonzero().view(-1)
        x[places] = x.index_select(0, places) * 0.5
        return self.conv(x, edge_index)


class EmbeddedGCN(nn.Module):
    """No features: a linear layer and loops come between learned rows and the edges that read them, as GCNConv of an embedding's weight."""

    def __init__(self):
        super().__init__()
        self.nodes, self.first, self.second = nn.Embedding(NODES, FEATURES), pyg.GCNConv(FEATURES, HIDDEN), pyg.GATConv(HIDDEN, CLASSES)

    def forward(self, edge_index):
        return self.second(self.first(self.nodes.weight, edge_index).relu(), edge_index)


class EinsumPooling(nn.Module):
    """Degrees, and how clusters are connected, by Einstein's notation over an adjacency matrix, as of DMoN's loss."""

    def __init__(self):
        super().__init__()
        self.assign, self.out, self.mix = nn.Linear(FEATURES, 5), nn.Linear(FEATURES, CLASSES), nn.Linear(5, CLASSES)

    def forward(self, x, adj):
        degree = 1 + torch.einsum("ij->i", adj) + torch.einsum("ij->j", adj)
        s = self.assign(torch.einsum("ij,jf->if", adj, x) / degree.unsqueeze(1)).softmax(-1)
        between = torch.einsum("ik,ij,jl->kl", s, adj, s) / degree.sum()
        return self.out(x) + self.mix(s @ between)


class FixedTables(nn.Module):
    """Tables of a fixed size before the features, one with edges of its own: Specformer's eigenvalues, ULTRA's graph of relations."""

    def __init__(self):
        super().__init__()
        self.relation, self.lin, self.out = nn.Linear(FEATURES, HIDDEN), nn.Linear(FEATURES, HIDDEN), nn.Linear(HIDDEN, CLASSES)

    def forward(self, frequencies, relations, relation_edge_index, x, waves, edge_index, edge_type):
        r = self.relation(relations)
        r = r + scatter(r[relation_edge_index[0]], relation_edge_index[1], 0, relations.size(0))
        h = scatter(self.lin(x)[edge_index[0]] * r[edge_type], edge_index[1], 0, x.size(0)).relu()
        return self.out(h + waves @ (frequencies.unsqueeze(1) * (waves.t() @ h)))


class EdgeSlots(nn.Module):
    """GearNet: messages between edges, added up for each edge and relation, so that their index is computed and names no node."""

    def __init__(self):
        super().__init__()
        self.edge, self.lin, self.out = nn.Linear(4 * EDGE_FEATURES, HIDDEN), nn.Linear(FEATURES, HIDDEN), nn.Linear(HIDDEN, CLASSES)

    def forward(self, x, edge_index, edge_attr, lg_edge_index):
        edges = edge_attr.size(0)
        relation = lg_edge_index[0] % 4
        slots = scatter(edge_attr[lg_edge_index[0]], lg_edge_index[1] * 4 + relation, 0, edges * 4).view(edges, -1)
        return self.out(scatter(self.lin(x)[edge_index[0]] * self.edge(slots).relu(), edge_index[1], 0, x.size(0)))


class BestNodes(nn.Module):
    """EvolveGCN-H and SortPool: as many rows as are fixed, which the features choose, make weights and the answer for the graph."""

    def __init__(self):
        super().__init__()
        self.score, self.weight = nn.Parameter(torch.randn(FEATURES)), nn.Parameter(torch.randn(HIDDEN, FEATURES))
        self.cell, self.conv, self.lin = nn.GRUCell(FEATURES, FEATURES), pyg.GraphConv(HIDDEN, HIDDEN), nn.Linear(30 * HIDDEN, CLASSES)

    def forward(self, x, edge_index):
        values, best = torch.topk(x @ self.score / self.score.norm(), HIDDEN)
        h = (x @ self.cell(x[best] * values.tanh().unsqueeze(1), self.weight).T).relu()
        h = self.conv(h, edge_index).tanh()
        order = h[:, -1].argsort(descending=True)
        return self.lin(h[order[:30]].flatten()), h[order]


class FloatCategories(nn.Module):
    """MeshGraphNets: the kind of a node is a number among its features, one of a few and of a table's."""

    def __init__(self):
        super().__init__()
        self.table, self.lin = nn.Embedding(9, HIDDEN), nn.Linear(FEATURES - 1 + 4, HIDDEN)
        self.conv, self.out = pyg.SAGEConv(HIDDEN, HIDDEN), nn.Linear(HIDDEN + 3, CLASSES)

    def forward(self, categories, edge_index):
        kinds = categories[:, 0].long()
        h = self.lin(torch.cat([categories[:, 1:], nn.functional.one_hot(categories[:, 0].round().long(), 4)], -1)) + self.table(kinds)
        return self.out(torch.cat([self.conv(h.relu(), edge_index), nn.functional.one_hot(kinds % 3, 3)], -1))


class WrappedAngles(nn.Module):
    """SphereNet: angles of edges, and rows of nodes, that are written anew where they are negative."""

    def __init__(self):
        super().__init__()
        self.lin, self.message, self.out = nn.Linear(FEATURES, HIDDEN), nn.Linear(HIDDEN + 1, HIDDEN), nn.Linear(HIDDEN, CLASSES)

    def forward(self, x, pos, edge_index):
        source, target = edge_index
        apart = pos[target] - pos[source]
        angle = torch.atan2(apart[:, 1], apart[:, 0])
        angle[angle <= 0] += 2 * math.pi
        h = self.lin(x)
        low = h.sum(-1) < 0
        h[low] = 0.5 * h[low].tanh() - 1
        h[h > 1] = h[h > 1].sqrt()
        m = self.message(torch.cat([h[source], angle.unsqueeze(-1)], -1)).relu()
        return self.out(torch.zeros_like(h).index_add_(0, target, m))


class CountedApart(nn.Module):
    """SEAL: the first two nodes of each graph, found by counting; that the batch vector is of the nodes only a graph can say."""

    def __init__(self):
        super().__init__()
        self.conv, self.out = pyg.SAGEConv(FEATURES, HIDDEN), nn.Linear(HIDDEN, CLASSES)

    def forward(self, x, edge_index, batch):
        counts = torch.bincount(batch, minlength=GRAPHS)
        first = counts.cumsum(0) - counts
        h = self.conv(x, edge_index)
        return self.out(h[first] * h[first + 1])


class SeedAttention(nn.Module):
    """TGN and TGAT: some nodes attend to those that they met last, padded with the first node, with several heads; by PyTorch's layer and by hand."""

    def __init__(self):
        super().__init__()
        self.conv, self.attention = pyg.SAGEConv(FEATURES, HIDDEN), nn.MultiheadAttention(HIDDEN, 2, batch_first=True)
        self.query, self.key, self.out = nn.Linear(HIDDEN, HIDDEN), nn.Linear(HIDDEN, HIDDEN), nn.Linear(3 * HIDDEN, CLASSES)

    def by_hand(self, q, k, padding, repeated):
        rows, length, heads = q.size(0), k.size(1), 2
        q = self.query(q).view(rows, heads, HIDDEN // heads).reshape(rows * heads, 1, HIDDEN // heads)
        k = self.key(k).view(rows, length, heads, HIDDEN // heads).transpose(1, 2).reshape(rows * heads, length, HIDDEN // heads)
        scores = torch.bmm(q, k.transpose(1, 2)).masked_fill(repeated(padding, heads), -1e10)
        return (scores.softmax(-1) @ k).view(rows, HIDDEN)

    def forward(self, x, edge_index, queries, recent):
        h = self.conv(x, edge_index).relu()
        padding = recent == 0
        padding = padding & ~padding.all(1, keepdim=True)
        q, k = h[queries], h[recent]
        layer, _ = self.attention(q.unsqueeze(1), k, k, key_padding_mask=padding)
        beside = self.by_hand(q, k, padding, lambda mask, heads: mask.unsqueeze(1).repeat_interleave(heads, 0))
        expanded = self.by_hand(q, k, padding, lambda mask, heads: mask[:, None, None].expand(-1, heads, -1, -1).reshape(-1, 1, mask.size(1)))
        return self.out(torch.cat([layer.squeeze(1), beside, expanded], -1))


class ScatterLists(nn.Module):
    """scatter_add along indices that an exporter counts apart from what they add up, as it takes shorter ones."""

    def __init__(self):
        super().__init__()
        self.lin, self.out = nn.Linear(FEATURES, HIDDEN), nn.Linear(HIDDEN, CLASSES)

    def forward(self, x, senders, receivers, batch):
        h = self.lin(x)
        h = h + torch.zeros_like(h).scatter_add_(0, receivers.unsqueeze(-1).expand(-1, HIDDEN), h[senders])
        return torch.zeros(GRAPHS, CLASSES).scatter_add_(0, batch.unsqueeze(1).expand(-1, CLASSES), self.out(h)), h


class NeighboursOfItems(nn.Module):
    """KGCN: rows of some nodes, and of those that a table lists for them."""

    def __init__(self):
        super().__init__()
        self.lin, self.out = nn.Linear(FEATURES, HIDDEN), nn.Linear(HIDDEN, CLASSES)

    def forward(self, x, anchors, queries):
        h = self.lin(x).relu()
        return self.out(h[queries] + h[anchors[queries]].mean(1))


class EdgesAsRows(nn.Module):
    """Edges [M, 2] beside integers for each node."""

    def __init__(self):
        super().__init__()
        self.atoms, self.lin = nn.Embedding(9, HIDDEN), nn.Linear(HIDDEN, CLASSES)

    def forward(self, atoms, links):
        h = self.atoms(atoms)
        return self.lin(h + torch.zeros_like(h).index_add(0, links[:, 1], h[links[:, 0]]))


class DenseBatch(nn.Module):
    """A row of places for each graph, as transformers over the nodes of a graph want it."""

    def __init__(self):
        super().__init__()
        self.conv, self.lin = pyg.GraphConv(FEATURES, HIDDEN), nn.Linear(HIDDEN, CLASSES)

    def forward(self, x, edge_index, batch, ptr):
        rows, mask = to_dense_batch(self.conv(x, edge_index).relu(), batch, max_num_nodes=16, batch_size=ptr.size(0) - 1)
        return self.lin(rows.amax(1)), mask.sum(1)


class ParameterAndFeatures(Stack):
    """A learnt vector of each node beside its features, which fixes the number of nodes in the export."""

    def __init__(self):
        super().__init__(lambda i: pyg.GCNConv(i, HIDDEN))
        self.position = nn.Embedding(NODES, FEATURES)

    def forward(self, x, edge_index):
        return super().forward(x + self.position.weight, edge_index)


class UnusualOps(Stack):
    """Row by row, but in no table: what they do is found by running them."""

    def __init__(self):
        super().__init__(lambda i: pyg.SAGEConv(i, HIDDEN))

    def forward(self, x, edge_index):
        h = super().forward(x.asinh().hypot(x[:, :1]), edge_index)
        h = torch.special.i0e(h).fmax(h.sinc()).cummax(1).values
        return torch.linalg.cross(h[:, :3], h[:, 1:]).copysign(h[:, :1])


class Points(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = pyg.PointNetConv(mlp(FEATURES + 3), mlp(HIDDEN))

    def forward(self, x, pos, edge_index):
        return self.conv(x, pos, edge_index)


class Equivariant(nn.Module):
    """E(n)-equivariant layers: features and coordinates meet on edges only, so the exporter counts their rows by two symbols."""

    def __init__(self):
        super().__init__()
        self.edge = nn.ModuleList([nn.Linear(2 * FEATURES + 1, FEATURES) for _ in range(2)])
        self.shift = nn.ModuleList([nn.Linear(FEATURES, 1) for _ in range(2)])
        self.node = nn.ModuleList([nn.Linear(2 * FEATURES, FEATURES) for _ in range(2)])

    def forward(self, x, pos, edge_index):
        source, target = edge_index
        for edge, shift, node in zip(self.edge, self.shift, self.node):
            difference = pos[source] - pos[target]
            distance = difference.square().sum(-1, keepdim=True)
            message = edge(torch.cat([x[source], x[target], distance], -1)).relu()
            pos = pos + scatter(difference / (distance.sqrt() + 1) * shift(message), target, 0, pos.size(0), reduce="mean")
            x = x + node(torch.cat([x, scatter(message, target, 0, x.size(0))], -1))
        return x, pos


class DynamicNeighbourhood(nn.Module):
    """Each layer attends to all earlier ones of a neighbour: rows and layers share a dimension on the way."""

    def __init__(self):
        super().__init__()
        self.first = nn.Linear(FEATURES, HIDDEN)
        self.convs = nn.ModuleList([pyg.DNAConv(HIDDEN, heads=2, groups=2) for _ in range(2)])

    def forward(self, x, edge_index):
        h = self.first(x).relu().view(-1, 1, HIDDEN)
        for conv in self.convs:
            h = torch.cat([h, conv(h, edge_index).relu().view(-1, 1, HIDDEN)], 1)
        return h[:, -1]


class BranchAttention(nn.Module):
    """Attention over the answers of three branches, with rows and heads in one dimension."""

    def __init__(self):
        super().__init__()
        self.gnn = basic(pyg.GCN)
        self.attention = nn.MultiheadAttention(CLASSES, 2, batch_first=True)

    def forward(self, x, edge_index):
        branches = torch.stack([self.gnn(x, edge_index), self.gnn(2 * x, edge_index), self.gnn(-x, edge_index)], 1)
        mixed, weights = self.attention(branches, branches, branches, average_attn_weights=False)
        return mixed.mean(1), weights


class TransformerBranches(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = pyg.SAGEConv(FEATURES, HIDDEN)
        self.encoder = nn.TransformerEncoderLayer(HIDDEN, 2, HIDDEN, batch_first=True)

    def forward(self, x, edge_index):
        h = self.conv(x, edge_index)
        return self.encoder(torch.stack([h, h.relu()], 1))[:, 0]


def mlp(width):
    return nn.Sequential(nn.Linear(width, HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, HIDDEN))


def basic(model, **options):
    return model(FEATURES, HIDDEN, options.pop("layers", 2), CLASSES, **options)


def degree_histogram():
    index = make_inputs()["edge_index"]
    return torch.bincount(torch.bincount(index[1], minlength=NODES))


class GraphClassifier(nn.Module):
    """Two convolutions, a readout by graph, a classifier of graphs. ptr: where each graph's nodes begin, and their number."""

    def __init__(self, pool, times=1):
        super().__init__()
        self.convs = nn.ModuleList(pyg.GCNConv(FEATURES if i == 0 else HIDDEN, HIDDEN) for i in range(2))
        self.pool, self.lin = pool, nn.Sequential(nn.Linear(times * HIDDEN, HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, CLASSES))

    def forward(self, x, edge_index, batch, ptr):
        for conv in self.convs:
            x = conv(x, edge_index).relu()
        return self.lin(self.pool(x, batch, ptr.size(0) - 1))


class LossOfGraphs(nn.Module):
    """As for ZINC: kinds of atoms, and beside them what is to be found for each graph, which alone is floats."""

    def __init__(self):
        super().__init__()
        self.atoms, self.convs = nn.Embedding(9, HIDDEN), nn.ModuleList(pyg.GCNConv(HIDDEN, HIDDEN) for _ in range(2))

    def forward(self, atoms, edge_index, batch, of_graphs):
        h = self.atoms(atoms)
        for conv in self.convs:
            h = conv(h, edge_index).relu()
        return (pyg.global_add_pool(h, batch, of_graphs.size(0)) - of_graphs).abs().mean(1)


class ByGraph(nn.Module):
    def __init__(self, aggregation):
        super().__init__()
        self.aggregation = aggregation

    def forward(self, x, batch, graphs):
        return self.aggregation(x, batch, dim_size=graphs)


class WholeGraph(nn.Module):
    """One graph: a mean over all nodes is put beside each of them, and the largest is an output of its own."""

    def __init__(self):
        super().__init__()
        self.conv, self.last = pyg.SAGEConv(FEATURES, HIDDEN), pyg.SAGEConv(2 * HIDDEN, CLASSES)

    def forward(self, x, edge_index):
        x = self.conv(x, edge_index).relu()
        mean = pyg.global_mean_pool(x, None)
        x = self.last(torch.cat([x, mean.expand(x.size(0), -1)], -1), edge_index)
        return x, x.amax(0)


class WholeGraphReadout(nn.Module):
    """One graph, normalised after each layer and read out: its mean and its largest entries."""

    def __init__(self, features=FEATURES, hidden=HIDDEN):
        super().__init__()
        self.convs = nn.ModuleList(pyg.SAGEConv(features if i == 0 else hidden, hidden) for i in range(2))
        self.norms, self.lin = nn.ModuleList(pyg.GraphNorm(hidden) for _ in range(2)), nn.Linear(2 * hidden, CLASSES)

    def forward(self, x, edge_index):
        for conv, norm in zip(self.convs, self.norms):
            x = norm(conv(x, edge_index)).relu()
        return self.lin(torch.cat([pyg.global_mean_pool(x, None), pyg.global_max_pool(x, None)], -1))


class GraphIsomorphism(nn.Module):
    """GIN as its paper reads it out: sums by graph after every layer."""

    def __init__(self):
        super().__init__()
        self.convs = nn.ModuleList(pyg.GINConv(mlp(FEATURES if i == 0 else HIDDEN), train_eps=True) for i in range(3))
        self.lins = nn.ModuleList(nn.Linear(FEATURES if i == 0 else HIDDEN, CLASSES) for i in range(4))

    def forward(self, x, edge_index, batch, ptr):
        out = self.lins[0](pyg.global_add_pool(x, batch, ptr.size(0) - 1))
        for conv, lin in zip(self.convs, self.lins[1:]):
            x = conv(x, edge_index).relu()
            out = out + lin(pyg.global_add_pool(x, batch, ptr.size(0) - 1))
        return out.log_softmax(-1)


class NodesAndGraphs(GraphClassifier):
    def __init__(self):
        super().__init__(pyg.global_mean_pool)
        self.node = nn.Linear(2 * HIDDEN, CLASSES)

    def forward(self, x, edge_index, batch, ptr):
        for conv in self.convs:
            x = conv(x, edge_index).relu()
        pooled = self.pool(x, batch, ptr.size(0) - 1)
        return self.node(torch.cat([x, pooled[batch]], -1)), self.lin(pooled)


class VirtualNode(nn.Module):
    """OGB's virtual node: a state for each graph, added to its nodes before each layer and updated from them after it."""

    def __init__(self, layers=3):
        super().__init__()
        self.convs = nn.ModuleList(pyg.GINConv(mlp(HIDDEN)) for _ in range(layers))
        self.first, self.state = nn.Linear(FEATURES, HIDDEN), nn.Embedding(1, HIDDEN)
        self.mlps = nn.ModuleList(mlp(HIDDEN) for _ in range(layers - 1))
        self.lin = nn.Linear(HIDDEN, CLASSES)

    def forward(self, x, edge_index, batch, ptr):
        x = self.first(x)
        state = self.state(torch.zeros(ptr.size(0) - 1, dtype=torch.long))
        for i, conv in enumerate(self.convs):
            x = x + state[batch]
            y = conv(x, edge_index).relu()
            if i + 1 < len(self.convs):
                state = state + self.mlps[i](pyg.global_add_pool(x, batch, ptr.size(0) - 1) + state)
            x = y
        return self.lin(x)


class NormStack(nn.Module):
    def __init__(self, norm, by_graph=True):
        super().__init__()
        self.convs = nn.ModuleList(pyg.SAGEConv(FEATURES if i == 0 else HIDDEN, HIDDEN) for i in range(2))
        self.norm, self.lin = norm, nn.Linear(HIDDEN, CLASSES)
        if not by_graph:
            self.forward = self.forward_plain

    def forward_plain(self, x, edge_index):
        for conv in self.convs:
            x = self.norm(conv(x, edge_index)).relu()
        return self.lin(x)

    def forward(self, x, edge_index, batch, ptr):
        for conv in self.convs:
            x = self.norm(conv(x, edge_index), batch, ptr.size(0) - 1).relu()
        return self.lin(x)


class Pointers(nn.Module):
    """Neighbours between pointers, as in compressed rows: sums, means, extremes, and attention over them."""

    def __init__(self, *reductions):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(FEATURES if i == 0 else HIDDEN, HIDDEN) for i in range(len(reductions)))
        self.reductions, self.score, self.lin = reductions, nn.Linear(HIDDEN, 1), nn.Linear(HIDDEN, CLASSES)

    def forward(self, x, rowptr, col):
        for lin, reduce in zip(self.layers, self.reductions):
            messages = lin(x)[col]
            if reduce == "softmax":
                messages, reduce = messages * torch_geometric.utils.softmax(self.score(messages), ptr=rowptr), "sum"
            x = torch_geometric.utils.segment(messages, rowptr, reduce).relu()
        return self.lin(x)


class Bags(nn.Module):
    """Neighbours between pointers by embedding_bag, which gathers and reduces at once: means, weighted sums and maxima, beside the nodes' own rows."""

    def __init__(self):
        super().__init__()
        self.into, self.own = nn.Linear(FEATURES, HIDDEN), nn.Linear(HIDDEN, HIDDEN)
        self.score, self.lin = nn.Linear(2 * HIDDEN, 1), nn.Linear(2 * HIDDEN, CLASSES)

    def forward(self, x, rowptr, col):
        x = self.into(x)
        x = (self.own(x) + nn.functional.embedding_bag(col, x, rowptr[:-1], mode="mean")).relu()
        targets = torch.repeat_interleave(torch.arange(x.size(0)), rowptr[1:] - rowptr[:-1], output_size=col.size(0))
        weights = self.score(torch.cat([x[col], x[targets]], 1)).sigmoid().squeeze(1)
        x = x + nn.functional.embedding_bag(col, x, rowptr, mode="sum", per_sample_weights=weights, include_last_offset=True)
        return self.lin(torch.cat([x, nn.functional.embedding_bag(col, x, rowptr, mode="max", include_last_offset=True)], 1))


class WeightedBags(nn.Module):
    """A weight for each entry of the bags, which nothing but these says is of edges."""

    def __init__(self):
        super().__init__()
        self.into, self.lin = nn.Linear(FEATURES, HIDDEN), nn.Linear(HIDDEN, CLASSES)

    def forward(self, x, rowptr, col, csr_weight):
        for layer in (self.into, self.lin):
            x = nn.functional.embedding_bag(col, layer(x), rowptr[:-1], mode="sum", per_sample_weights=csr_weight)
        return x


class PointersLookedThrough(nn.Module):
    """Where pointers lie, told by what models make of them: searched, without the first, and their differences."""

    def __init__(self):
        super().__init__()
        self.a, self.b, self.c = nn.Linear(FEATURES, HIDDEN), nn.Linear(HIDDEN, HIDDEN), nn.Linear(HIDDEN, CLASSES)

    def forward(self, x, rowptr, col):
        edges = torch.arange(col.size(0))
        for layer, targets in ((self.a, torch.searchsorted(rowptr, edges, right=True) - 1), (self.b, torch.bucketize(edges, rowptr[1:], right=True))):
            h = layer(x)
            x = torch.zeros_like(h).index_add(0, targets, h[col]).tanh()
        h = self.c(x)
        targets = torch.arange(x.size(0)).repeat_interleave(rowptr.diff(), output_size=col.size(0))
        return torch.zeros_like(h).index_add(0, targets, h[col])


class LengthsOfSegments(nn.Module):
    """Sums between pointers, given as their differences."""

    def __init__(self):
        super().__init__()
        self.into, self.lin = nn.Linear(FEATURES, HIDDEN), nn.Linear(HIDDEN, CLASSES)

    def forward(self, x, rowptr, col):
        for layer in (self.into, self.lin):
            x = torch.segment_reduce(layer(x)[col], "sum", lengths=rowptr[1:] - rowptr[:-1])
        return x


class DegreesAsFeatures(nn.Module):
    """A model of graphs without features: nodes are told by their in-degree, and only `batch` has a row for each."""

    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(8, HIDDEN)
        self.first, self.second = pyg.GINConv(nn.Linear(HIDDEN, HIDDEN)), pyg.GINConv(nn.Linear(HIDDEN, CLASSES))

    def forward(self, edge_index, batch):
        degrees = torch.zeros_like(batch).index_add(0, edge_index[1], torch.ones_like(edge_index[1]))
        h = self.first(self.embedding(degrees.clamp(max=7)), edge_index).relu()
        return pyg.global_add_pool(self.second(h, edge_index), batch, GRAPHS)


class OnesAsFeatures(nn.Module):
    """Rows of ones, and a mask that says whose answers count."""

    def __init__(self):
        super().__init__()
        self.first, self.second = pyg.GCNConv(1, HIDDEN), pyg.SAGEConv(HIDDEN, CLASSES)

    def forward(self, train_mask, edge_index):
        h = self.first(torch.ones(train_mask.size(0), 1), edge_index).relu()
        return self.second(h, edge_index) * train_mask.unsqueeze(1)


class TablesOfNeighbours(nn.Module):
    """Means and weighted sums of the rows that a table of neighbours names, by embedding_bag."""

    def __init__(self):
        super().__init__()
        self.into, self.score, self.lin = nn.Linear(FEATURES, HIDDEN), nn.Linear(6, 6), nn.Linear(3 * HIDDEN, CLASSES)

    def forward(self, x, anchors):
        x = self.into(x).relu()
        x = x + nn.functional.embedding_bag(anchors, x, mode="mean")
        weights = self.score(x[:, :6]).softmax(1)
        around = nn.functional.embedding_bag(anchors, x, mode="sum", per_sample_weights=weights)
        return self.lin(torch.cat([x, around, nn.functional.embedding_bag(anchors, x, mode="max")], 1))


class MeanOfGraph(nn.Module):
    """Each node beside the mean of its graph, which lies between two pointers. The sum is not left to autocast."""

    def __init__(self):
        super().__init__()
        self.conv, self.lin = pyg.SAGEConv(FEATURES, HIDDEN), nn.Linear(2 * HIDDEN, CLASSES)

    def forward(self, x, edge_index, ptr):
        x = self.conv(x, edge_index).relu()
        counts = ptr[1:] - ptr[:-1]
        graph = torch.repeat_interleave(counts, output_size=x.size(0))
        with torch.autocast("cpu", enabled=False):
            means = torch.zeros(counts.size(0), HIDDEN).index_add(0, graph, x) / counts.clamp(min=1).unsqueeze(1)
        return self.lin(torch.cat([x, means[graph]], 1))


class FixedHyperedges(nn.Module):
    """From nodes to hyperedges and back: AllDeepSets (Chien et al. 2022). How many hyperedges there are is a number of the model."""

    def __init__(self):
        super().__init__()
        self.there = nn.ModuleList(nn.Linear(FEATURES if i == 0 else HIDDEN, HIDDEN) for i in range(2))
        self.back, self.lin = nn.ModuleList(nn.Linear(HIDDEN, HIDDEN) for _ in range(2)), nn.Linear(HIDDEN, CLASSES)

    def forward(self, x, hyperedge_index):
        node, hyperedge = hyperedge_index
        for there, back in zip(self.there, self.back):
            edges = scatter(there(x)[node].relu(), hyperedge, dim_size=HYPEREDGES, reduce="mean")
            x = scatter(back(edges)[hyperedge].relu(), node, dim_size=x.size(0), reduce="mean")
        return self.lin(x)


class UnderAutocast(nn.Module):
    """Dense layers and messages in bfloat16, as torch.autocast chooses; the first layer's sum and the answer are left in float32."""

    def __init__(self):
        super().__init__()
        self.first, self.norm, self.attention = pyg.SAGEConv(FEATURES, HIDDEN), nn.LayerNorm(HIDDEN), pyg.GATv2Conv(HIDDEN, HIDDEN // 2, heads=2)
        self.conv, self.lin = pyg.GCNConv(HIDDEN, HIDDEN), nn.Linear(HIDDEN, CLASSES)

    def forward(self, x, edge_index):
        with torch.autocast("cpu", torch.bfloat16):
            with torch.autocast("cpu", enabled=False):
                x = self.first(x, edge_index)
            x = self.norm(x).relu()
            x = x + self.attention(x, edge_index).relu()
            x = self.conv(x, edge_index).relu()
            x = self.lin(x)
        return x.float()


class NumbersOfForward(nn.Module):
    """Answers for the first nodes only, as samplers order them, over a number: neither is the size of a tensor."""

    def __init__(self):
        super().__init__()
        self.conv, self.lin = pyg.SAGEConv(FEATURES, HIDDEN), nn.Linear(HIDDEN, CLASSES)

    def forward(self, x, edge_index, targets: int, scale: int):
        return self.lin(self.conv(x, edge_index).relu())[:targets] / scale


class WrittenAttention(nn.Module):
    """Attention of all nodes to all nodes, as papers' own code writes it: with heads and without."""

    def __init__(self):
        super().__init__()
        self.first, self.conv, self.last = nn.Linear(FEATURES, HIDDEN), pyg.SAGEConv(HIDDEN, HIDDEN), nn.Linear(HIDDEN, CLASSES)
        self.several, self.one = nn.Linear(HIDDEN, 3 * HIDDEN), nn.Linear(HIDDEN, 3 * HIDDEN)

    def forward(self, x, edge_index):
        x = self.conv(self.first(x).relu(), edge_index).relu()
        q, k, v = (part.view(-1, 4, HIDDEN // 4).transpose(0, 1) for part in self.several(x).chunk(3, -1))
        weights = torch.softmax(q @ k.transpose(-2, -1) / (HIDDEN // 4) ** 0.5, -1)
        x = x + (weights @ v).transpose(0, 1).reshape(-1, HIDDEN)
        q, k, v = self.one(x).chunk(3, -1)
        weights = nn.functional.dropout((q * HIDDEN ** -0.5) @ k.t(), 0.2, self.training).softmax(dim=1)
        return self.last(self.conv(x + torch.mm(weights, v), edge_index))


class Expander(nn.Module):
    """Attention along the graph's edges and those of an expander side by side, with features of both: Exphormer (Shirzad et al. 2023)."""

    def __init__(self):
        super().__init__()
        self.local, self.far = nn.Linear(EDGE_FEATURES, HIDDEN), nn.Linear(EDGE_FEATURES, HIDDEN)
        self.convs = nn.ModuleList(pyg.TransformerConv(FEATURES if i == 0 else HIDDEN, HIDDEN // 2, 2, edge_dim=HIDDEN) for i in range(2))
        self.lin = nn.Linear(HIDDEN, CLASSES)

    def forward(self, x, edge_index, edge_attr, expander_edge_index, expander_edge_attr):
        edges = torch.cat([edge_index, expander_edge_index], 1)
        features = torch.cat([self.local(edge_attr), self.far(expander_edge_attr)])
        for conv in self.convs:
            x = conv(x, edges, features).relu()
        return self.lin(x)


class PooledByPointers(GraphClassifier):
    def forward(self, x, edge_index, ptr):
        for conv in self.convs:
            x = conv(x, edge_index).relu()
        return self.lin(self.pool(x, ptr=ptr))


class StaticGraphs(nn.Module):
    """PyTorch Geometric's static graphs: features [graphs, nodes, F] of one structure."""

    def __init__(self, make):
        super().__init__()
        self.convs = nn.ModuleList([make(FEATURES, HIDDEN), make(HIDDEN, HIDDEN)])
        self.norm, self.lin = nn.LayerNorm(HIDDEN), nn.Linear(HIDDEN, CLASSES)

    def forward(self, graphs, edge_index):
        for conv in self.convs:
            graphs = self.norm(conv(graphs, edge_index)).relu()
        return self.lin(graphs)


class TimeSteps(nn.Module):
    """STGCN: gated convolutions along time, a graph convolution between them; features [graphs, steps, nodes, F]."""

    def __init__(self):
        super().__init__()
        self.before, self.behind = nn.Conv2d(3, 2 * HIDDEN, (1, 3)), nn.Conv2d(HIDDEN, 2 * HIDDEN, (1, 3))
        self.conv, self.norm, self.lin = pyg.ChebConv(HIDDEN, HIDDEN, 2, node_dim=-2), nn.BatchNorm2d(HIDDEN), nn.Linear(HIDDEN, CLASSES)

    def along_time(self, conv, x):
        return nn.functional.glu(conv(x.permute(0, 3, 2, 1)), 1)

    def forward(self, series, edge_index):
        x = self.conv(self.along_time(self.before, series).permute(0, 3, 2, 1), edge_index).relu()
        return self.lin(self.norm(self.along_time(self.behind, x)).permute(0, 3, 2, 1)[:, -1])


class WaveNet(nn.Module):
    """Graph WaveNet: dilated convolutions along time, powers of an adjacency matrix by einsum; features [graphs, F, nodes, steps]."""

    def __init__(self):
        super().__init__()
        self.first, self.lin = nn.Conv2d(3, HIDDEN, 1), nn.Conv2d(HIDDEN, CLASSES, 1)
        self.gates = nn.ModuleList(nn.Conv2d(HIDDEN, 2 * HIDDEN, (1, 2), dilation=(1, d)) for d in (1, 2))
        self.mixes = nn.ModuleList(nn.Conv2d(3 * HIDDEN, HIDDEN, 1) for _ in range(2))

    def forward(self, signals, adj):
        x = self.first(signals)
        for gate, mix in zip(self.gates, self.mixes):
            value, sigmoid = gate(x).chunk(2, 1)
            hops = [value.tanh() * sigmoid.sigmoid()]
            for _ in range(2):
                hops.append(torch.einsum("ncvl,vw->ncwl", hops[-1], adj).contiguous())
            x = mix(torch.cat(hops, 1)) + x[:, :, :, -hops[0].size(3):]
        return self.lin(x.relu())


class StepsOfLSTM(nn.Module):
    """A graph convolution of every time step, and an LSTM over the steps of each node of each graph."""

    def __init__(self):
        super().__init__()
        self.conv, self.lstm, self.lin = pyg.GCNConv(3, HIDDEN), nn.LSTM(HIDDEN, HIDDEN, batch_first=True), nn.Linear(HIDDEN, CLASSES)
        self.again = pyg.GraphConv(HIDDEN, HIDDEN, aggr="max")

    def forward(self, series, edge_index):
        graphs, steps, nodes, _ = series.shape
        x = self.conv(series.reshape(graphs * steps, nodes, -1), edge_index).relu()
        x = x.reshape(graphs, steps, nodes, HIDDEN).permute(0, 2, 1, 3).reshape(graphs * nodes, steps, HIDDEN)
        x = self.lstm(x)[0][:, -1].reshape(graphs, nodes, HIDDEN)
        return self.lin(self.again(x, edge_index))


class GraphCells(nn.Module):
    """T-GCN: a gated cell whose products with an adjacency matrix put graphs and features side by side; features [graphs, nodes, F]."""

    def __init__(self):
        super().__init__()
        self.gates, self.state, self.lin = nn.Linear(1 + HIDDEN, 2 * HIDDEN), nn.Linear(1 + HIDDEN, HIDDEN), nn.Linear(HIDDEN, CLASSES)

    @staticmethod
    def passed(step, state, adj):
        graphs, nodes = step.shape
        x = torch.cat([step.unsqueeze(2), state], 2).transpose(0, 1).transpose(1, 2).reshape(nodes, (1 + HIDDEN) * graphs)
        return (adj @ x).reshape(nodes, 1 + HIDDEN, graphs).transpose(0, 2).transpose(1, 2)

    def forward(self, graphs, adj):
        h = graphs.new_zeros(graphs.size(0), graphs.size(1), HIDDEN)
        for t in range(3):
            keep, update = self.gates(self.passed(graphs[:, :, t], h, adj)).sigmoid().chunk(2, -1)
            h = update * h + (1 - update) * self.state(self.passed(graphs[:, :, t], keep * h, adj)).tanh()
        return self.lin(h)


class ChannelsFirst(nn.Module):
    """Features [F, nodes], added up along the last dimension."""

    def __init__(self):
        super().__init__()
        self.first, self.lin = nn.Linear(FEATURES, HIDDEN), nn.Linear(HIDDEN, CLASSES)

    def forward(self, channels, edge_index, edge_weight):
        x = self.first(channels.t()).t()
        x = torch.zeros_like(x).index_add_(1, edge_index[1], x[:, edge_index[0]] * edge_weight).relu()
        x = self.lin(x.t()).t()
        return torch.zeros_like(x).index_add_(1, edge_index[1], x[:, edge_index[0]] * edge_weight)


class GlobalAttention(nn.Module):
    """A graph transformer: message passing beside attention of all nodes to all."""

    def __init__(self):
        super().__init__()
        self.first = nn.Linear(FEATURES, HIDDEN)
        self.convs = nn.ModuleList(pyg.GPSConv(HIDDEN, pyg.GINConv(mlp(HIDDEN)), heads=2) for _ in range(2))
        self.lin = nn.Linear(HIDDEN, CLASSES)

    def forward(self, x, edge_index):
        x = self.first(x)
        for conv in self.convs:
            x = conv(x, edge_index)
        return self.lin(x)


class TopK(nn.Module):
    """Keeps the best half of the nodes, as their features say."""

    def __init__(self):
        super().__init__()
        self.conv, self.score, self.lin = pyg.GCNConv(FEATURES, HIDDEN), nn.Linear(HIDDEN, 1), nn.Linear(HIDDEN, CLASSES)

    def forward(self, x, edge_index):
        x = self.conv(x, edge_index).relu()
        best = self.score(x).squeeze(-1).topk(x.size(0) // 2).indices
        return self.lin(x[best] + x.mean(0))


class RowForEachHead(nn.Module):
    """Heads of a node as rows of the output, one below the other."""

    def __init__(self):
        super().__init__()
        self.conv = pyg.GATConv(FEATURES, CLASSES, heads=3)

    def forward(self, x, edge_index):
        return self.conv(x, edge_index).view(-1, CLASSES).softmax(1)


class HalfOfTheRows(nn.Module):
    """The first half of the nodes' rows, scaled by what the mean of every second one is: rows of other numbers than the inputs have."""

    def __init__(self):
        super().__init__()
        self.first, self.second = pyg.GCNConv(FEATURES, HIDDEN), pyg.GCNConv(HIDDEN, CLASSES)

    def forward(self, x, edge_index):
        h = self.second(self.first(x, edge_index).relu(), edge_index)
        return h[:h.shape[0] // 2] * h[::2].mean(0)


class ExchangedHalves(nn.Module):
    """As NeuroSAT: rows of literals begin as one learned row, and each reads that of its opposite, which lies half of all rows away."""

    def __init__(self):
        super().__init__()
        self.start = nn.Parameter(torch.randn(1, HIDDEN))
        self.convs, self.out = nn.ModuleList(pyg.SAGEConv(HIDDEN, HIDDEN) for _ in range(2)), nn.Linear(2 * HIDDEN, CLASSES)

    def forward(self, x, edge_index):
        h, half = self.start.repeat(x.size(0), 1), x.size(0) // 2
        for conv in self.convs:
            h = conv(h, edge_index).relu()
        return self.out(torch.cat([h, torch.cat([h[half:2 * half], h[:half]])], 1))


class HeadsBehindEachOther(nn.Module):
    """As DySAT: heads lie behind each other along the nodes' dimension, and int(rows / heads) tells where each ends."""

    def __init__(self):
        super().__init__()
        self.conv, self.query, self.key = pyg.GCNConv(FEATURES, HIDDEN), nn.Linear(HIDDEN, HIDDEN), nn.Linear(HIDDEN, HIDDEN)

    def forward(self, x, edge_index):
        h = self.conv(x, edge_index).view(x.size(0), 2, HIDDEN // 2)
        query, key = (torch.cat(torch.split(layer(h.flatten(1)).view_as(h), HIDDEN // 4, 2)) for layer in (self.query, self.key))
        mixed = (query @ key.transpose(1, 2)).softmax(-1) @ query
        return torch.cat(torch.split(mixed, mixed.size(0) // 2), 2).flatten(1)


ZOO = {
    "half_of_the_rows": HalfOfTheRows,
    "row_for_each_head": RowForEachHead,
    "exchanged_halves": ExchangedHalves,
    "heads_behind_each_other": HeadsBehindEachOther,
    "gated_messages": GatedMessages,
    "chunked_index": ChunkedIndex,
    "normed_messages": NormedMessages,
    "rms_norm": RmsNormed,
    "known_labels": KnownLabels,
    "senders_receivers": SendersReceivers,
    "anchors": Anchors,
    "spirals": Spirals,
    "lstm_of_layers": LstmOfLayers,
    "narrow_index": NarrowIndex,
    "queries": Queries,
    "query_batch": QueryBatch,
    "squared_matrix": SquaredMatrix,
    "graphs_of_counts": GraphsOfCounts,
    "reversed_pairs": ReversedPairs,
    "masked_entries": MaskedEntries,
    "built_matrices": BuiltMatrices,
    "written_matrices": WrittenMatrices,
    "side_by_side": SideBySide,
    "joined_graphs": JoinedGraphs,
    "joined_matrices": JoinedMatrices,
    "scores_of_all": ScoresOfAll,
    "learned_entities": LearnedEntities,
    "repeated_segments": RepeatedSegments,
    "triples": Triples,
    "learned_ends": LearnedEnds,
    "knowledge_attention": KnowledgeAttention,
    "intents": Intents,
    "rating_factors": RatingFactors,
    "position_aware": PositionAware,
    "asked_of_all": AskedOfAll,
    "triplets": Triplets,
    "line_graph": LineGraph,
    "simulator": Simulator,
    "directed_messages": DirectedMessages,
    "padded_messages": PaddedMessages,
    "quadruplets": Quadruplets,
    "edges_of_graphs": EdgesOfGraphs,
    "virtual_rows": VirtualRows,
    "relation_slots": RelationSlots,
    "edge_total": EdgeTotal,
    "link_loss": LinkLoss,
    "edge_updates": EdgeUpdates,
    "top_edges": TopEdges,
    "turned_messages": TurnedMessages,
    "class_token": ClassToken,
    "without_gradients": WithoutGradients,
    "gcn": lambda: basic(pyg.GCN, dropout=0.5),
    "sage_mean": lambda: basic(pyg.GraphSAGE),
    "sage_max": lambda: basic(pyg.GraphSAGE, aggr="max"),
    "gin_layer_norm": lambda: OneGraph(pyg.GIN(FEATURES, HIDDEN, 2, CLASSES, norm="layer")),
    "sage_attention": lambda: Stack(lambda i: pyg.SAGEConv(i, HIDDEN, aggr=pyg.aggr.MultiAggregation(
        ["mean", "max", "std"], mode="attn", mode_kwargs={"in_channels": i, "out_channels": i, "num_heads": 2}))),
    "sage_several": lambda: basic(pyg.GraphSAGE, aggr=["mean", "max", "std", "min", "var"]),
    "sage_powermean": lambda: Stack(lambda i: pyg.SAGEConv(i, HIDDEN, aggr="powermean")),
    "sage_softmax": lambda: Stack(lambda i: pyg.SAGEConv(i, HIDDEN, aggr="softmax")),
    "gat": lambda: basic(pyg.GAT, heads=2),
    "gatv2": lambda: basic(pyg.GAT, heads=2, v2=True),
    "gin": lambda: basic(pyg.GIN, layers=3),
    "gin_narrow": lambda: Stack(lambda i: pyg.GINConv(nn.Linear(i, HIDDEN) if i < HIDDEN else nn.Sequential(nn.Linear(i, 5), nn.ReLU(), nn.Linear(5, HIDDEN)), eps=0.3, train_eps=True), 3),
    "pna": lambda: basic(pyg.PNA, aggregators=["mean", "min", "max", "std"], scalers=["identity", "amplification", "attenuation"],
                         deg=degree_histogram()),
    "jk_cat": lambda: basic(pyg.GCN, layers=3, jk="cat"),
    "jk_max": lambda: basic(pyg.GraphSAGE, layers=3, jk="max"),
    "jk_lstm": lambda: basic(pyg.GAT, layers=3, jk="lstm"),
    "batch_norm": lambda: basic(pyg.GCN, layers=3, norm="batch_norm"),
    "layer_norm": lambda: basic(pyg.GCN, norm=pyg.LayerNorm(HIDDEN, mode="node")),
    "layer_norm_graph": lambda: basic(pyg.GCN, norm=pyg.LayerNorm(HIDDEN)),
    "graph_norm": lambda: basic(pyg.GCN, norm="GraphNorm"),
    "pair_norm": lambda: basic(pyg.GCN, norm="PairNorm"),
    "message_norm": lambda: Stack(lambda i: pyg.GENConv(i, HIDDEN, msg_norm=True, learn_msg_scale=True)),
    "edge_weights": lambda: WeightedStack(lambda i: pyg.GCNConv(i, HIDDEN)),
    "graphconv_weights": lambda: WeightedStack(lambda i: pyg.GraphConv(i, HIDDEN)),
    "gine": lambda: AttributeStack(lambda i: pyg.GINEConv(mlp(i), edge_dim=EDGE_FEATURES)),
    "gat_edges": lambda: AttributeStack(lambda i: pyg.GATConv(i, HIDDEN // 2, 2, edge_dim=EDGE_FEATURES)),
    "gatv2_edges": lambda: AttributeStack(lambda i: pyg.GATv2Conv(i, HIDDEN // 2, 2, edge_dim=EDGE_FEATURES)),
    "transformer_edges": lambda: AttributeStack(lambda i: pyg.TransformerConv(i, HIDDEN // 2, 2, edge_dim=EDGE_FEATURES, beta=True)),
    "nnconv": lambda: AttributeStack(lambda i: pyg.NNConv(i, HIDDEN, nn.Linear(EDGE_FEATURES, i * HIDDEN))),
    "cgconv": lambda: AttributeStack(lambda i: pyg.CGConv(FEATURES, EDGE_FEATURES), 1, False),
    "gmm": lambda: AttributeStack(lambda i: pyg.GMMConv(i, HIDDEN, EDGE_FEATURES, 2)),
    "gen_edges": lambda: AttributeStack(lambda i: pyg.GENConv(i, HIDDEN, edge_dim=EDGE_FEATURES)),
    "gcn2": lambda: InitialResidual(lambda i: pyg.GCN2Conv(HIDDEN, 0.1, 0.5, i + 1)),
    "faconv": lambda: InitialResidual(lambda i: pyg.FAConv(HIDDEN)),
    "deeper_gcn": DeeperGCN,
    "deep_gcn2": lambda: InitialResidual(lambda i: pyg.GCN2Conv(HIDDEN, 0.1, 0.5, i + 1), 9),
    "deep_gen": lambda: DeeperGCN(8),
    "deep_appnp": lambda: Stack(lambda i: pyg.APPNP(10, 0.1), 1, False),
    "cheb": lambda: Stack(lambda i: pyg.ChebConv(i, HIDDEN, 3)),
    "tag": lambda: Stack(lambda i: pyg.TAGConv(i, HIDDEN, 3)),
    "sgc": lambda: Stack(lambda i: pyg.SGConv(i, HIDDEN, 2), 1),
    "ssg": lambda: Stack(lambda i: pyg.SSGConv(i, HIDDEN, 0.1, 3), 1),
    "appnp": lambda: Stack(lambda i: pyg.APPNP(3, 0.1), 1, False),
    "arma": lambda: Stack(lambda i: pyg.ARMAConv(i, HIDDEN, 2, 2)),
    "fast_rgcn": lambda: RelationStack(lambda i: pyg.FastRGCNConv(i, HIDDEN, RELATIONS, num_bases=2)),
    "rgcn": lambda: RelationStack(lambda i: pyg.RGCNConv(i, HIDDEN, RELATIONS)),
    "rgcn_bases": lambda: RelationStack(lambda i: pyg.RGCNConv(i, HIDDEN, RELATIONS, num_bases=2, aggr="add")),
    "rgcn_blocks": lambda: RelationStack(lambda i: pyg.RGCNConv(i, HIDDEN, RELATIONS, num_blocks=4)),
    "rgat": lambda: RelationStack(lambda i: pyg.RGATConv(i, HIDDEN, RELATIONS)),
    "film": lambda: Stack(lambda i: pyg.FiLMConv(i, HIDDEN)),
    "film_relations": lambda: RelationStack(lambda i: pyg.FiLMConv(i, HIDDEN, RELATIONS)),
    "res_gated": lambda: Stack(lambda i: pyg.ResGatedGraphConv(i, HIDDEN)),
    "leconv": lambda: Stack(lambda i: pyg.LEConv(i, HIDDEN)),
    "edgeconv": lambda: Stack(lambda i: pyg.EdgeConv(mlp(2 * i))),
    "feast": lambda: Stack(lambda i: pyg.FeaStConv(i, HIDDEN, 2)),
    "agnn": lambda: Stack(lambda i: pyg.AGNNConv(), 2, False),
    "dir_gnn": lambda: Stack(lambda i: pyg.DirGNNConv(pyg.GCNConv(i, HIDDEN))),
    "target_to_source": lambda: Stack(lambda i: pyg.GCNConv(i, HIDDEN, flow="target_to_source")),
    "cluster_gcn": lambda: Stack(lambda i: pyg.ClusterGCNConv(i, HIDDEN)),
    "mfconv": lambda: Stack(lambda i: pyg.MFConv(i, HIDDEN)),
    "egconv": lambda: Stack(lambda i: pyg.EGConv(i, HIDDEN, aggregators=["sum", "symnorm", "std"])),
    "gated_graph": lambda: Stack(lambda i: pyg.GatedGraphConv(HIDDEN, 3), 1),
    "transformer": lambda: Stack(lambda i: pyg.TransformerConv(i, HIDDEN // 2, 2)),
    "general": lambda: Stack(lambda i: pyg.GeneralConv(i, HIDDEN, attention=True)),
    "super_gat": lambda: Stack(lambda i: pyg.SuperGATConv(i, HIDDEN // 2, 2)),
    "lgconv": lambda: Stack(lambda i: pyg.LGConv(), 2, False),
    "pdn": lambda: AttributeStack(lambda i: pyg.PDNConv(i, HIDDEN, EDGE_FEATURES, HIDDEN)),
    "mixhop": lambda: Stack(lambda i: pyg.MixHopConv(i, HIDDEN, [0, 1, 2]), 1, False),
    "point_net": Points,
    "two_branches": TwoBranches,
    "pre_post": PrePost,
    "two_outputs": lambda: TwoOutputs(lambda i: pyg.GCNConv(i, HIDDEN)),
    "plain_tensors": lambda: PlainTensors(lambda i: pyg.GCNConv(i, HIDDEN)),
    "attention_weights": AttentionWeights,
    "link_prediction": LinkPrediction,
    "molecule": Molecule,
    "float64": lambda: basic(pyg.GAT).double(),
    "float16": lambda: basic(pyg.GraphSAGE).half(),
    "bfloat16": lambda: basic(pyg.GraphSAGE).bfloat16(),
    "lightgcn": LightGCN,
    "lightgcn_links": RankedLinks,
    "linkx": lambda: pyg.LINKX(NODES, FEATURES, HIDDEN, CLASSES, num_layers=2),
    "parameter_and_features": ParameterAndFeatures,
    "unusual_ops": UnusualOps,
    "equivariant": Equivariant,
    "dynamic_neighbourhood": DynamicNeighbourhood,
    "branch_attention": BranchAttention,
    "transformer_branches": TransformerBranches,
    "matrix_gcn": MatrixGCN,
    "matrix_mean": MatrixMean,
    "matrix_norm": MatrixNorm,
    "dense_gcn": lambda: Dense(lambda i: pyg.DenseGCNConv(i, HIDDEN)),
    "best_nodes": BestNodes,
    "float_categories": FloatCategories,
    "wrapped_angles": WrappedAngles,
    "counted_apart": CountedApart,
    "seed_attention": SeedAttention,
    "scatter_lists": ScatterLists,
    "neighbours_of_items": NeighboursOfItems,
    "edges_as_rows": EdgesAsRows,
    "dense_gat": lambda: Dense(lambda i: pyg.DenseGATConv(i, HIDDEN // 2, 2)),
    "written_gat": WrittenGAT,
    "pairs_gat": PairsGAT,
    "interatomic": Interatomic,
    "added_masks": AddedMasks,
    "masked_transformer": MaskedTransformer,
    "written_places": WrittenPlaces,
    "edge_slots": EdgeSlots,
    "embedded_gcn": EmbeddedGCN,
    "fixed_tables": FixedTables,
    "einsum_pooling": EinsumPooling,
    "dense_sage": lambda: Dense(lambda i: pyg.DenseSAGEConv(i, HIDDEN)),
    "dense_graph": lambda: Dense(lambda i: pyg.DenseGraphConv(i, HIDDEN)),
    "dense_gin": lambda: Dense(lambda i: pyg.DenseGINConv(mlp(i))),
    "mlp_only": lambda: Stack(lambda i: NodeOnly(i)),
    "pool_mean": lambda: GraphClassifier(pyg.global_mean_pool),
    "loss_of_graphs": LossOfGraphs,
    "pool_add_max": lambda: GraphClassifier(lambda x, batch, n: torch.cat([pyg.global_add_pool(x, batch, n), pyg.global_max_pool(x, batch, n)], -1), 2),
    "readout_all": WholeGraphReadout,
    "pool_all": lambda: WholeGraph(),
    "pool_attention": lambda: GraphClassifier(ByGraph(pyg.AttentionalAggregation(nn.Linear(HIDDEN, 1)))),
    "pool_set2set": lambda: GraphClassifier(ByGraph(pyg.Set2Set(HIDDEN, 3)), 2),
    "pool_softmax": lambda: GraphClassifier(ByGraph(pyg.SoftmaxAggregation(learn=True))),
    "pool_every_layer": GraphIsomorphism,
    "pool_and_nodes": NodesAndGraphs,
    "virtual_node": VirtualNode,
    "graph_norm_batch": lambda: NormStack(pyg.GraphNorm(HIDDEN)),
    "pair_norm_batch": lambda: NormStack(pyg.PairNorm(scale_individually=True)),
    "layer_norm_batch": lambda: NormStack(pyg.LayerNorm(HIDDEN)),
    "instance_norm_batch": lambda: NormStack(pyg.InstanceNorm(HIDDEN, affine=True)),
    "mean_subtraction": lambda: NormStack(pyg.MeanSubtractionNorm()),
    "size_norm": lambda: NormStack(pyg.GraphSizeNorm()),
    "diff_group_norm": lambda: NormStack(pyg.DiffGroupNorm(HIDDEN, 2), False),
    "batch_statistics": lambda: NormStack(pyg.BatchNorm(HIDDEN, track_running_stats=False), False),
    "instance_norm": lambda: NormStack(pyg.InstanceNorm(HIDDEN), False),
    "gps": GlobalAttention,
    "pointers": lambda: Pointers("mean", "sum", "max"),
    "pointers_softmax": lambda: Pointers("softmax", "min"),
    "bags": Bags,
    "tables_of_neighbours": TablesOfNeighbours,
    "weighted_bags": WeightedBags,
    "pointers_looked_through": PointersLookedThrough,
    "lengths_of_segments": LengthsOfSegments,
    "degrees_as_features": DegreesAsFeatures,
    "ones_as_features": OnesAsFeatures,
    "pool_pointers": lambda: PooledByPointers(pyg.SoftmaxAggregation()),
    "mean_of_graph": MeanOfGraph,
    "autocast": UnderAutocast,
    "written_attention": WrittenAttention,
    "numbers_of_forward": NumbersOfForward,
    "two_tables": TwoTables,
    "items_alone": ItemsAlone,
    "computed_table": ComputedTable,
    "first_rows": FirstRows,
    "shared_encoder": SharedEncoder,
    "graphs_of_features": GraphsOfFeatures,
    "graphs_by_item": GraphsByItem,
    "dense_batch": DenseBatch,
    "fixed_hyperedges": FixedHyperedges,
    "expander": Expander,
    "static_gcn": lambda: StaticGraphs(pyg.GCNConv),
    "static_sage": lambda: StaticGraphs(pyg.SAGEConv),
    "static_tag": lambda: StaticGraphs(lambda i, o: pyg.TAGConv(i, o, 2)),
    "time_steps": TimeSteps,
    "wave_net": WaveNet,
    "steps_of_lstm": StepsOfLSTM,
    "graph_cells": GraphCells,
    "channels_first": ChannelsFirst,
    "top_k_pool": TopK,
    "typed_sage": lambda: Typed(lambda t: pyg.SAGEConv((-1, -1), HIDDEN)),
    "typed_gat": lambda: Typed(lambda t: pyg.GATConv((-1, -1), HIDDEN // 2, 2, add_self_loops=False), 3, "mean"),
    "typed_mixed": lambda: Typed(lambda t: pyg.GCNConv(-1, HIDDEN) if t[0] == t[2] else pyg.GraphConv((-1, -1), HIDDEN, aggr="max"), 2, "max"),
    "typed_cat": lambda: Typed(lambda t: pyg.SAGEConv((-1, -1), HIDDEN, aggr=["mean", "std"]), 2, "cat"),
    "typed_edges": lambda: TypedWithEdges(lambda t: pyg.TransformerConv((-1, -1), HIDDEN // 2, 2, edge_dim=EDGE_FEATURES)),
    "typed_norms": TypedNorms,
    "both_ways": BothWays,
    "beside_lists": BesideLists,
    "typed_links": TypedLinks,
    "typed_embedding": TypedEmbedding,
    "to_hetero": lambda: ToHetero(PlainSAGE()),
    "to_hetero_max": lambda: ToHetero(PlainSAGE(3), "max"),
    "han": HAN,
    "hgt": HGT,
    "hgt_by_relation": lambda: HGT(together=False),
    "recommender": Recommender,
    "gathered_ends": GatheredEnds,
    "with_degrees": WithDegrees,
    "with_edge_norms": lambda: WithDegrees(edges=True),
    "bipartite": Bipartite,
    "static": lambda: basic(pyg.GraphSAGE),
    "training": lambda: basic(pyg.GraphSAGE, dropout=0.5),
}
DECOMPOSED = {"pointers_looked_through", "gcn", "gat", "batch_norm", "batch_statistics", "instance_norm", "transformer_edges", "jk_lstm", "pna", "gin_layer_norm", "sage_attention", "gated_messages", "normed_messages", "lstm_of_layers",
              "narrow_index", "simulator", "triplets", "line_graph", "virtual_rows", "static_gcn", "time_steps", "gps", "class_token", "dense_gat", "written_gat", "pairs_gat", "masked_transformer", "two_tables"}  # once more as run_decompositions() leaves them
ROLES = {name: {"gnn.embedding.weight": "node-features"} for name in ("lightgcn", "lightgcn_links")}
ROLES["linkx"] = {"edge_lin.weight": "node-features"}
ROLES["parameter_and_features"] = {"position.weight": "node-features"}
ROLES["typed_embedding"] = {"author.weight": "node-features"}
REFUSED = {"static", "training"}
BESIDE = {"counted_apart"}  # can be opened beside a graph only


class NodeOnly(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.lin = nn.Linear(width, HIDDEN)

    def forward(self, x, edge_index):
        return self.lin(x)


def randomise_statistics(model, generator):
    for module in model.modules():
        if isinstance(module, (nn.BatchNorm1d, nn.BatchNorm2d)) and module.track_running_stats:
            module.running_mean.normal_(generator=generator)
            module.running_var.uniform_(0.5, 2, generator=generator)


def arguments(model, inputs):
    names = list(inspect.signature(model.forward).parameters)
    dtype = next(model.parameters(), torch.zeros(1)).dtype
    optional = () if isinstance(model, (AttributeStack, WeightedStack, SendersReceivers, LineGraph, EdgeSlots, Simulator, DirectedMessages, Quadruplets, EdgesOfGraphs, EdgeTotal, EdgeUpdates, LinkLoss, TurnedMessages, ChannelsFirst, Expander)) else ("edge_weight", "edge_attr")
    if any(n in names for n in ("x_dict", "edge_index_dict", "x_user")):
        inputs = typed_inputs() | {"x_paper": typed_inputs()["x_dict"]["paper"], "x_subject": typed_inputs()["x_dict"]["subject"]}
        return {n: inputs[n] for n in names}
    chosen = {n: inputs[n] for n in names if n in inputs and n not in optional}
    return {n: t.to(dtype) if torch.is_tensor(t) and t.is_floating_point() else t for n, t in chosen.items()}


def export(name, model, given):
    from torch.export import Dim  # PyTorch 1.13 makes TorchScript of these models

    if name == "static":
        return torch.export.export(model, (), given)
    torch.set_grad_enabled(isinstance(model, WithoutGradients))  # as somebody exports who does not think of it
    edges = {"edge_index": {1: Dim.AUTO}, "edge_weight": {0: Dim.AUTO}, "edge_attr": {0: Dim.AUTO}, "edge_type": {0: Dim.AUTO},
             "pairs": {1: Dim.AUTO}, "lg_edge_index": {1: Dim.AUTO}, "relation_edge_index": {1: Dim.AUTO}, "wanted": {0: Dim.AUTO}, "frequencies": None, "relations": None, "expander_edge_index": {1: Dim.AUTO}, "entity_edge_index": {1: Dim.AUTO}, "item_edge_index": {1: Dim.AUTO}, "joined_edge_index": {1: Dim.AUTO}, "paired_edge_index": {1: Dim.AUTO}, "triples": {1: Dim.AUTO}, "hyperedge_index": {1: Dim.AUTO}, "edge_index_dict": {1: Dim.AUTO}, "ratings": {1: Dim.AUTO},
             "targets": Dim.AUTO, "scale": Dim.AUTO, "graphs": {0: Dim.AUTO, 1: Dim.AUTO}, "series": {0: Dim.AUTO, 2: Dim.AUTO}, "channels": {1: Dim.AUTO},
             "nearness": {0: Dim.AUTO, 1: Dim.AUTO}}
    if "adj" in given:
        nodes = Dim("nodes")
        shapes = {"x": {0: nodes}, "adj": {0: nodes, 1: nodes}, "graphs": {0: Dim.AUTO, 1: nodes}, "signals": {0: Dim.AUTO, 2: nodes}}
        return torch.export.export(model, (), given, dynamic_shapes={n: shapes[n] for n in given})
    dynamic = lambda n, t: {key: edges.get(n, {0: Dim.AUTO}) for key in t} if isinstance(t, dict) else edges.get(n, {0: Dim.AUTO})
    return torch.export.export(model, (), given, dynamic_shapes={n: dynamic(n, t) for n, t in given.items()})


def arrays(given):
    """Tensors of dictionaries by the words of their keys: x_paper, edge_index_author_writes_paper."""
    plain = lambda t: np.array(t) if isinstance(t, int) else (t.float() if t.dtype in (torch.bfloat16, torch.float16) else t).detach().numpy()
    words = lambda key: key if isinstance(key, str) else "_".join(key)
    return {(f"{n.removesuffix('_dict')}_{words(key)}" if key else n): plain(t)
            for n, value in given.items() for key, t in (value.items() if isinstance(value, dict) else [(None, value)])}


def deflate(path):
    """Packs the archive's entries, which torch.export.save stores as they are."""
    with zipfile.ZipFile(path) as archive:
        entries = [(info.filename, archive.read(info)) for info in archive.infolist()]
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for filename, content in entries:
            archive.writestr(zipfile.ZipInfo(filename), content, zipfile.ZIP_DEFLATED)


def save(name, model, inputs, decompose=False):
    model = model.train() if name == "training" else model.eval()
    randomise_statistics(model, torch.Generator().manual_seed(5))
    given = arguments(model, inputs)
    with torch.no_grad():
        result = model(**given)
        exported = export(name, model, given)
        if decompose:
            exported = exported.run_decompositions()
            name += "_decomposed"
    outputs = result if isinstance(result, tuple) else (result,)
    keys = ["expected"] if len(outputs) == 1 else [f"expected_{i}" for i in range(len(outputs))]
    torch.export.save(exported, OUT / f"{name}.pt2")
    deflate(OUT / f"{name}.pt2")
    if "adj" in given:  # Cleave takes its edges
        given = {n: t for n, t in given.items() if n != "adj"} | {n: inputs[n] for n in ("edge_index", "edge_weight")}
    typed = {} if any(isinstance(t, dict) or n in ("ratings", "rating", "heads") for n, t in given.items()) else {"num_nodes": NODES}
    np.savez_compressed(OUT / f"{name}.npz", **typed, **arrays(given), **arrays(dict(zip(keys, outputs))))
    return sorted({str(node.target) for node in exported.graph.nodes if node.op == "call_function"})


def save_dgl(name):
    """A model of DGL; the outputs expected of it are worked out from its weights, not by running it."""
    make, kind = dgl_models.MODELS[name]
    model = make()
    dgl_models.randomise(model)
    exported = cleave_export.export(model, dgl_models.example(kind, cleave_export.Blocks), OUT / f"{name}.pt2")
    deflate(OUT / f"{name}.pt2")
    exported.save_graph(OUT / f"{name}.npz", outputs=False, **dgl_dense.expected(name, model, exported.inputs))
    return sorted({str(node.target) for node in exported.program.graph.nodes if node.op == "call_function"})


def main():
    warnings.filterwarnings("ignore")
    torch_geometric.backend.use_segment_matmul = False  # sorts edges by relation, which torch.export cannot trace
    OUT.mkdir(exist_ok=True)
    inputs, chosen = make_inputs(), sys.argv[1:]
    known = json.loads((OUT / "index.json").read_text()) if chosen else []
    index = [model for model in known if model["name"].removesuffix("_decomposed") not in chosen]
    ops = set((OUT / "ops.txt").read_text().splitlines()) if chosen else set()
    for name in dgl_models.MODELS:
        if not chosen or name in chosen:
            torch.manual_seed(11)
            ops.update(save_dgl(name))
            index.append({"name": name, "expect": "equal"})
    for name, make in ZOO.items():
        if chosen and name not in chosen:
            continue
        torch.manual_seed(11)
        try:
            ops.update(save(name, make(), inputs))
            index.append({"name": name, "expect": "refused" if name in REFUSED else "beside" if name in BESIDE else "equal"})
            if name in ROLES:
                index[-1]["roles"] = ROLES[name]
            if name in DECOMPOSED:
                torch.manual_seed(11)
                ops.update(save(name, make(), inputs, decompose=True))
                index.append({"name": f"{name}_decomposed", "expect": "equal"})
        except Exception as problem:  # torch.export cannot trace every model
            print(f"{name}: {type(problem).__name__}: {str(problem).splitlines()[0][:120]}")
    (OUT / "index.json").write_text(json.dumps(index, indent=1) + "\n")
    (OUT / "ops.txt").write_text("\n".join(sorted(ops)) + "\n")
    print(f"{len(index)} models, {len(ops)} operators")


if __name__ == "__main__":
    main()

"""Small models that a careless splitter gets wrong without noticing, exported for Cleave's tests.

    python3 make_adversarial.py [NAME | kept | matrices]…       (in this folder; needs PyTorch >= 2.8)

Only the models of these names are made anew, with "kept" those of one graph, with "matrices" those that take an adjacency matrix; all without any.

Writes adversarial/NAME.pt2, NAME.npz (forward's arguments and `expected`) and index.json, which says for each model what must
happen: "equal" (cut and right), "refused" (one sentence), or "either". A wrong answer is never allowed.
"""
import inspect
import json
import pathlib
import sys
import warnings

import numpy as np
import torch
from torch import nn
from torch.export import Dim

N, M, F = 40, 170, 6
OUT = pathlib.Path("adversarial")
MODELS = {}


def model(expect, note):
    """Registers a forward(self, x, edge_index, **extra) as a model of its own."""
    def register(forward):
        MODELS[forward.__name__] = (expect, note, forward)
        return forward
    return register


def propagate(h, edge_index):
    source, target = edge_index[0], edge_index[1]
    return torch.zeros_like(h).index_add(0, target, h[source])


def propagate_mean(h, edge_index):
    degree = torch.zeros(h.size(0)).index_add(0, edge_index[1], torch.ones(edge_index.size(1))).clamp(min=1)
    return propagate(h, edge_index) / degree.unsqueeze(-1)


def edge_softmax(score, index, n):
    top = torch.zeros(n).scatter_reduce(0, index, score, "amax", include_self=False)
    e = (score - top[index]).exp()
    return e / torch.zeros(n).index_add(0, index, e)[index]


class Net(nn.Module):
    def __init__(self, body):
        super().__init__()
        self.a, self.b = nn.Linear(F, F), nn.Linear(F, F)
        self.pair = nn.Linear(2 * F, F)
        self.table = nn.Parameter(torch.randn(N, F))
        self.register_buffer("count", torch.zeros(1))
        self.norm = nn.BatchNorm1d(F)
        self.body = body

    def forward(self, x, edge_index):
        return self.body(self, x, edge_index)


@model("equal", "the node count in arithmetic keeps the whole graph's value")
def divides_by_size(self, x, ei):
    return propagate(self.a(x) / x.size(0), ei) * ei.size(1)


@model("equal", "a tensor made from the node count")
def size_as_tensor(self, x, ei):
    return propagate(self.a(x), ei) + torch.full((1,), 1.0) * x.shape[0] ** 0.5


@model("either", "a comparison with the node count")
def compares_with_size(self, x, ei):
    ids = torch.arange(x.size(0))
    return propagate(self.a(x), ei) * (ids < x.size(0) // 2).unsqueeze(-1)


@model("equal", "an input changed in place is read afterwards")
def changes_input(self, x, ei):
    x.mul_(2)
    return propagate(self.a(x), ei) + x


@model("equal", "changed through a selected column")
def changes_column(self, x, ei):
    h = self.a(x)
    h[:, 0] += 1
    h[:, 1:3] *= 2
    return propagate(h, ei) + h


@model("equal", "changed through a transposed view")
def changes_transpose(self, x, ei):
    h = self.a(x)
    h.t().add_(1)
    return propagate(h, ei) + h


@model("equal", "changed through a reshaped view while another view is read")
def changes_view(self, x, ei):
    h = self.a(x)
    pairs, flat = h.view(-1, 2, F // 2), h.view(-1, F)
    pairs[:, 0].relu_()
    return propagate(flat, ei) + h


@model("equal", "questions in place keep the numbers' type, as do those that write into a given tensor")
def asks_in_place(self, x, ei):
    degrees = torch.zeros(x.size(0)).index_add(0, ei[1], torch.ones(ei.size(1)))
    many = torch.empty(x.size(0))
    torch.gt(degrees, 5, out=many)
    degrees.gt_(3)
    h = self.a(x)
    h.logical_not_()
    return propagate(x * (h + h) * (degrees + degrees + many + many).unsqueeze(-1), ei)


@model("equal", "a view that is transposed in place is another view; what it was taken of stays as it is")
def transposes_in_place(self, x, ei):
    h = self.a(x)
    column, pairs = h[:, 0], h[:, :4].view(-1, 2, 2)
    pairs.transpose_(1, 2)
    pairs[:, 0].mul_(2)
    column.unsqueeze_(-1)
    h.t_()
    return propagate(h.t() * column, ei) + pairs.reshape(-1, 4).sum(1, keepdim=True)


@model("equal", "a view from the end")
def narrows_from_the_end(self, x, ei):
    h = self.a(x)
    h.narrow(1, -2, 2).mul_(3)
    return propagate(h, ei)


@model("refused", "draws random numbers, but only as it is in training")
def live_slopes(self, x, ei):
    return propagate(torch.rrelu(self.a(x), 0.1, 0.3, True), ei)


@model("refused", "rows of thousands of tensors after each other, each of which twice what it was before")
def doubles_edges(self, x, ei):
    sources, targets, h = ei[0], ei[1], self.a(x)[ei[0]]
    for _ in range(12):
        h, targets = torch.cat([h, h.neg()]), torch.cat([targets, targets])
    return torch.zeros_like(x).index_add(0, targets, h)


@model("equal", "two equal choices of edges, read one way round and then the other")
def chooses_alike(self, x, ei):
    a, b = (ei[0] != ei[1]).nonzero().view(-1), (ei[0] != ei[1]).nonzero().view(-1)
    first, second = ei[:, b], ei[:, a]
    return propagate(self.b(propagate(self.a(x), first).relu()), second)


@model("equal", "changed after a first layer has read it: the layer must have read the old content")
def changes_between_layers(self, x, ei):
    h = self.a(x)
    first = propagate(h, ei)
    h.add_(first)
    return propagate(h, ei) + first


@model("equal", "rows set by a mask")
def sets_masked_rows(self, x, ei):
    h = self.a(x)
    isolated = torch.zeros(x.size(0)).index_add(0, ei[1], torch.ones(ei.size(1))) == 0
    h[isolated] = 0.5
    return propagate(h, ei) + h


def receives(x, ei):
    """A mask of the nodes that at least three edges lead to."""
    return torch.zeros(x.size(0)).index_add(0, ei[1], torch.ones(ei.size(1))) >= 3


@model("equal", "a loss of the rows at a mask, as training has it")
def loss_at_a_mask(self, x, ei):
    h, mask = propagate(self.a(x), ei), receives(x, ei)
    labels = torch.arange(x.size(0)) % F
    return torch.stack([nn.functional.cross_entropy(h[mask], labels[mask]), nn.functional.cross_entropy(h[~mask], labels[~mask], reduction="sum")])


@model("equal", "what rows at a mask are in the mean, taken from all")
def centred_at_a_mask(self, x, ei):
    h, mask = propagate(self.a(x), ei), receives(x, ei)
    chosen = self.b(h[mask])
    return propagate((h - chosen.mean(0)) / chosen.std(0), ei)


@model("equal", "attention among the rows at a mask, which go back to where they were")
def attends_at_a_mask(self, x, ei):
    h, mask = propagate_mean(self.a(x), ei), receives(x, ei)
    chosen = h[mask]
    return propagate(h.index_put((mask,), torch.softmax(chosen @ chosen.t(), -1) @ self.b(chosen)), ei)


@model("equal", "a loss of the edges at a mask")
def loss_of_edges_at_a_mask(self, x, ei):
    h = propagate(self.a(x), ei)
    chosen = ei[:, receives(x, ei)[ei[0]]]
    scores = (h[chosen[0]] * h[chosen[1]]).sum(-1)
    return nn.functional.binary_cross_entropy_with_logits(scores, (chosen[0] % 2 == chosen[1] % 2).float())


def with_loops(x, ei):
    """Edges, and a loop of each node, as graph convolutions add them."""
    ei = torch.cat([ei[:, ei[0] != ei[1]], torch.arange(x.size(0)).repeat(2, 1)], 1)
    return ei, torch.ones(ei.size(1))


@model("equal", "edges that features keep and a loop of each node, normalised by degree")
def loops_beside_kept_edges(self, x, ei):
    h = self.a(x)
    edges, ones = with_loops(x, ei[:, (h[ei[0]] * h[ei[1]]).sum(1) > 0])
    root = torch.zeros(x.size(0)).index_add(0, edges[1], ones).rsqrt()
    weights = root[edges[0]] * ones * root[edges[1]]
    return torch.zeros_like(x).index_add(0, edges[1], self.b(h)[edges[0]] * weights.view(-1, 1)) + propagate(x, ei)


@model("equal", "weights of the experts that a router chose, written within each row at ids that features tell")
def routes_to_experts(self, x, ei):
    for _ in range(2):
        best, ids = self.b(propagate(self.a(x), ei)).topk(2, 1)
        weights = torch.zeros(x.size(0), F).scatter(1, ids, best.softmax(1))
        x = x + weights * torch.zeros_like(x).scatter_add(1, ids.flip(1), best.tanh())
    return propagate_mean(x, ei)


@model("equal", "attention over edges that features keep and a loop of each node, in two layers")
def attends_to_kept_edges(self, x, ei):
    h = self.a(x)
    kept = ei[:, h[ei[0], 0] > h[ei[1], 0]]
    for layer in (self.a, self.b):
        edges, ones = with_loops(x, kept)
        z = layer(h)
        scores = (z[edges[0]] * z[edges[1]]).sum(1) * ones
        scores = (scores - torch.full((x.size(0),), -1e30).scatter_reduce(0, edges[1], scores, "amax")[edges[1]]).exp()
        scores = scores / torch.zeros(x.size(0)).index_add(0, edges[1], scores)[edges[1]]
        h = torch.zeros_like(x).index_add(0, edges[1], z[edges[0]] * scores.view(-1, 1)).relu()
    return h


@model("equal", "rows that features choose, in the mean and one by one")
def rows_that_features_choose(self, x, ei):
    h = propagate_mean(self.a(x), ei)
    chosen = h[h[:, 0] > 0]
    return self.b(chosen) - chosen.mean(0)


@model("equal", "rows that features choose, counted to take means of groups of them")
def groups_of_chosen_rows(self, x, ei):
    h = propagate_mean(self.a(x), ei)
    chosen = (h[:, 0] > 0).nonzero().view(-1)
    kept, group = h[chosen], chosen % 3
    counts = kept.new_zeros(3).index_add(0, group, kept.new_ones(kept.size(0)))
    return self.b(kept.new_zeros(3, kept.size(1)).index_add(0, group, kept) / counts.clamp(min=1)[:, None])


@model("equal", "messages between rows that features choose, by new numbers")
def passes_between_chosen_rows(self, x, ei):
    h = propagate_mean(self.a(x), ei)
    chosen = (h[:, 0] > 0).nonzero().view(-1)
    numbers = chosen.new_full((x.size(0),), -1)
    numbers[chosen] = torch.arange(chosen.size(0))
    ends = numbers[ei]
    ends = ends[:, (ends >= 0).all(0)]
    kept = h[chosen]
    messages = torch.zeros(kept.size(0), kept.size(1)).index_add(0, ends[1], kept[ends[0]])
    return self.b(kept + messages).amax(0)


@model("equal", "as many rows as an entry of what features choose says, and pointers to them")
def as_many_as_chosen(self, x, ei):
    h = propagate_mean(self.a(x), ei)
    group = (h[:, 0] > 0).nonzero().view(-1) % 3
    count = group.max().item() + 1
    sizes = torch.zeros(count, dtype=torch.long).index_add(0, group, torch.ones_like(group))
    pointers = sizes.new_empty(count + 1)
    pointers[:1] = 0
    torch.cumsum(sizes, 0, out=pointers.narrow(0, 1, count))
    return self.b(h[pointers[group]]).mean(0)


@model("equal", "clusters that a model finds itself, added up and read again")
def clusters_of_features(self, x, ei):
    h = propagate_mean(self.a(x), ei)
    cluster = h.argmax(-1)
    return propagate(self.b(h + h.new_zeros(F, F).index_add(0, cluster, h)[cluster]), ei)


@model("either", "clusters of seven neighbouring rows")
def reads_cluster(self, x, ei):
    h = self.a(x)
    return propagate(h, ei) + h[torch.arange(x.size(0)) // 7]


@model("equal", "anchors: a fixed choice of rows")
def reads_anchors(self, x, ei):
    h = propagate(self.a(x), ei)
    return h @ h[torch.tensor([0, 3, 5])].t()


@model("equal", "one row for all")
def reads_first_row(self, x, ei):
    h = propagate(self.a(x), ei)
    return h - h[0]


@model("equal", "rows and columns exchanged")
def reshapes_transposed(self, x, ei):
    h = propagate(self.a(x), ei)
    return h.t().reshape(-1, F)


@model("equal", "a dense adjacency matrix")
def dense_adjacency(self, x, ei):
    adj = torch.zeros(x.size(0), x.size(0))
    adj[ei[1], ei[0]] = 1
    return adj @ self.a(x)


@model("equal", "a dense adjacency matrix in an einsum")
def dense_einsum(self, x, ei):
    adj = torch.zeros(x.size(0), x.size(0))
    adj[ei[1], ei[0]] = 1
    return torch.einsum("ij,jf->if", adj, self.a(x))


@model("equal", "a dense adjacency matrix in an einsum with an ellipsis")
def dense_einsum_ellipsis(self, x, ei):
    adj = torch.zeros(x.size(0), x.size(0))
    adj[ei[1], ei[0]] = 1
    heads = self.a(x).unsqueeze(0) * torch.arange(1.0, 3.0).view(2, 1, 1)
    return torch.einsum("...vf, wv -> ...wf", heads, adj).sum(0)


@model("equal", "products of rows by einsum, with an ellipsis and with the result left out")
def einsum_rows(self, x, ei):
    h = propagate(torch.einsum("...f, gf -> ...g", x, self.a.weight), ei)
    return torch.einsum("nf,f", h, self.a.bias)


@model("refused", "all pairs of nodes")
def all_pairs(self, x, ei):
    h = propagate(self.a(x), ei)
    return (h.unsqueeze(0) - h.unsqueeze(1)).abs().sum(1)


@model("equal", "softmax over all edges")
def softmax_over_edges(self, x, ei):
    w = (x[ei[0]] * x[ei[1]]).sum(-1).softmax(0)
    return torch.zeros_like(x).index_add(0, ei[1], x[ei[0]] * w.unsqueeze(-1))


@model("equal", "mean over all edges")
def mean_over_edges(self, x, ei):
    m = self.a(x)[ei[0]]
    return torch.zeros_like(x).index_add(0, ei[1], m - m.mean(0))


@model("equal", "edges reversed by flip against an index that is not")
def flips_edges(self, x, ei):
    return torch.zeros_like(x).index_add(0, ei[1], self.a(x)[ei[0]].flip(0))


@model("equal", "cumulative sum over edges: truncation alone does not show it")
def cumsum_over_edges(self, x, ei):
    return torch.zeros_like(x).index_add(0, ei[1], self.a(x)[ei[0]].cumsum(0))


@model("equal", "cumulative sum over nodes")
def cumsum_over_nodes(self, x, ei):
    return propagate(self.a(x).cumsum(0), ei)


@model("equal", "softmax over nodes")
def softmax_over_nodes(self, x, ei):
    return propagate(self.a(x).softmax(0), ei)


@model("equal", "centred on the mean of all nodes")
def centres(self, x, ei):
    h = propagate(self.a(x), ei)
    return h - h.mean(0)


@model("equal", "sorted over nodes")
def sorts_nodes(self, x, ei):
    return propagate(self.a(x), ei).sort(dim=0)[0]


@model("equal", "rows rolled by one")
def rolls(self, x, ei):
    return propagate(self.a(x), ei).roll(1, 0)


@model("refused", "live dropout")
def live_dropout(self, x, ei):
    return propagate(nn.functional.dropout(self.a(x), 0.5, training=True), ei)


@model("refused", "live noise")
def live_noise(self, x, ei):
    h = self.a(x)
    return propagate(h + 0.1 * torch.randn_like(h), ei)


@model("equal", "attention normalised over outgoing edges")
def outgoing_attention(self, x, ei):
    h = self.a(x)
    alpha = edge_softmax((h[ei[0]] * h[ei[1]]).sum(-1), ei[0], x.size(0))
    return torch.zeros_like(h).index_add(0, ei[1], h[ei[0]] * alpha.unsqueeze(-1))


@model("equal", "edge state carried across layers")
def edge_state(self, x, ei):
    e = (x[ei[0]] - x[ei[1]]).tanh()
    h = x
    for layer in (self.a, self.b):
        h = layer(torch.zeros_like(h).index_add(0, ei[1], e)).relu() + h
        e = e + self.pair(torch.cat([h[ei[0]], h[ei[1]]], -1))
    return torch.zeros_like(h).index_add(0, ei[1], e)


@model("equal", "one gathered tensor used by two layers")
def gathered_twice(self, x, ei):
    m = self.a(x)[ei[0]]
    h = torch.zeros_like(x).index_add(0, ei[1], m).relu()
    return torch.zeros_like(x).index_add(0, ei[1], m * h[ei[0]])


@model("equal", "both directions in one layer")
def both_directions(self, x, ei):
    h = self.a(x)
    return propagate(h, ei) + propagate(h, ei.flip(0)) * 0.5


@model("equal", "one edge tensor reduced at both ends")
def reduced_at_both_ends(self, x, ei):
    e = (self.a(x)[ei[0]] * self.b(x)[ei[1]]).tanh()
    return torch.zeros_like(x).index_add(0, ei[1], e) - torch.zeros_like(x).index_add(0, ei[0], e)


@model("equal", "self-loops removed from computed messages")
def filters_messages(self, x, ei):
    keep = ei[0] != ei[1]
    m = self.a(x)[ei[0]] * 2
    return torch.zeros_like(x).index_add(0, ei[1][keep], m[keep])


@model("equal", "computed messages permuted together with their targets")
def permutes_messages(self, x, ei):
    order = ei[1].argsort(stable=True)
    m = self.a(x)[ei[0]] * 2
    return torch.zeros_like(x).index_add(0, ei[1][order], m[order])


@model("equal", "computed messages concatenated with others")
def concatenates_messages(self, x, ei):
    h = self.a(x)
    m = torch.cat([h[ei[0]] * 2, h[ei[1]] * 3], 0)
    return torch.zeros_like(x).index_add(0, torch.cat([ei[1], ei[0]]), m)


@model("either", "messages of the reversed list of edges")
def reversed_messages(self, x, ei):
    m = (self.a(x)[ei[0]] - self.b(x)[ei[1]]).tanh()
    back = torch.arange(ei.size(1) - 1, -1, -1)
    e = (m + m[back]).tanh()
    return torch.zeros_like(x).index_add(0, ei[1], e + e[back])


@model("equal", "output on edges")
def scores_edges(self, x, ei):
    h = propagate(self.a(x), ei).relu()
    return (h[ei[0]] * h[ei[1]]).sum(-1)


@model("either", "output on chosen nodes")
def chosen_nodes(self, x, ei):
    h = propagate(self.a(x), ei).relu()
    return h[torch.zeros(x.size(0)).index_add(0, ei[1], torch.ones(ei.size(1))) > 2]


@model("equal", "messages that only read their own target")
def scatter_at_level_zero(self, x, ei):
    return torch.zeros_like(x).index_add(0, ei[1], self.a(x)[ei[1]].tanh()) + x


@model("equal", "a virtual node: one row more than nodes")
def virtual_node(self, x, ei):
    h = torch.cat([self.a(x), torch.zeros(1, F)], 0)
    n = x.size(0)
    star = torch.stack([torch.arange(n), torch.full((n,), n)])
    edges = torch.cat([ei, star, star.flip(0)], 1)
    h = torch.zeros_like(h).index_add(0, edges[1], h[edges[0]])
    return h[:n]


@model("equal", "the best classes, of which each is there twice")
def best_classes(self, x, ei):
    h = propagate_mean(self.a(x), ei)
    scores = torch.cat([self.b(h)] * 2, 1)
    return scores.topk(3)[1], scores.argsort(-1, descending=True)[:, :2].int(), scores.max(1)[1], h.argmax(-1, keepdim=True)


@model("refused", "neighbours chosen by features")
def neighbours_by_features(self, x, ei):
    h = self.a(x)
    near = torch.cdist(h, h).topk(3, largest=False)[1]
    return h[near].mean(1)


@model("equal", "a row that features choose")
def index_from_features(self, x, ei):
    h = self.a(x)
    return propagate(h, ei) + h[h.abs().argmax(0).repeat(7)[:1]]


@model("refused", "a parameter with one row for each node")
def table_of_nodes(self, x, ei):
    return propagate(self.a(x) + self.table, ei)


@model("equal", "squeeze must not squeeze a batch of one node")
def squeezes(self, x, ei):
    h = propagate(self.a(x), ei).sum(-1, keepdim=True).squeeze()
    return propagate(h.unsqueeze(-1), ei).squeeze()


@model("equal", "views with -1 in batches without any edge")
def inferred_sizes(self, x, ei):
    m = self.a(x)[ei[0]].view(-1, 2, F // 2).reshape(-1, F)
    return torch.zeros_like(x).index_add(0, ei[1], m).view(-1, 2, F // 2).flatten(1)


@model("equal", "global maximum")
def global_maximum(self, x, ei):
    h = propagate(self.a(x), ei)
    return torch.cat([h, h.max(0)[0].expand_as(h)], -1)


@model("either", "as many nodes as the largest index says")
def counts_nodes_from_edges(self, x, ei):
    n = int(ei.max()) + 1
    torch._check(n >= 1)
    return torch.zeros(n, F).index_add(0, ei[1], self.a(x)[ei[0]])


@model("equal", "each node reads its parent")
def reads_parent(self, x, ei):
    parent = (torch.arange(x.size(0)) - 1).clamp(min=0) // 2
    h = self.a(x)
    return propagate(h + h[parent], ei)


@model("equal", "each node sends to its parent")
def sends_to_parent(self, x, ei):
    parent = (torch.arange(x.size(0)) - 1).clamp(min=0) // 2
    h = self.a(x)
    return propagate(torch.zeros_like(h).index_add(0, parent, h), ei) + h


@model("equal", "three hops in one module")
def several_hops(self, x, ei):
    h = self.a(x)
    out = h
    for _ in range(3):
        h = propagate_mean(h, ei)
        out = out + h
    return self.b(out)


@model("equal", "edges that leave most nodes isolated")
def keeps_few_edges(self, x, ei):
    few = ei[:, ei[0] < 5]
    return propagate(self.a(x), few) + self.b(x)


@model("equal", "maximum over messages that are all negative, and nodes without any")
def negative_maximum(self, x, ei):
    m = -self.a(x)[ei[0]].abs() - 1
    return torch.zeros_like(x).scatter_reduce(0, ei[1].view(-1, 1).expand_as(m), m, "amax", include_self=False)


@model("equal", "a running product over heads, rows in the second dimension")
def rows_in_second_dimension(self, x, ei):
    h = torch.stack([self.a(x), self.b(x)])
    return torch.zeros_like(h).index_add(1, ei[1], h.index_select(1, ei[0])).mean(0)


@model("equal", "degrees of the sources, not of the block")
def symmetric_norm(self, x, ei):
    out_degree = torch.zeros(x.size(0)).index_add(0, ei[0], torch.ones(ei.size(1))).clamp(min=1)
    in_degree = torch.zeros(x.size(0)).index_add(0, ei[1], torch.ones(ei.size(1))).clamp(min=1)
    w = (out_degree[ei[0]] * in_degree[ei[1]]).rsqrt()
    h = torch.zeros_like(x).index_add(0, ei[1], self.a(x)[ei[0]] * w.unsqueeze(-1)).relu()
    return torch.zeros_like(x).index_add(0, ei[1], self.b(h)[ei[0]] * w.unsqueeze(-1))


@model("refused", "a buffer that counts calls")
def counts_calls(self, x, ei):
    self.count += 1
    return propagate(self.a(x), ei)


@model("refused", "a branch on data")
def branches(self, x, ei):
    return torch.cond(x.sum() > 0, lambda h: h.relu(), lambda h: h.tanh(), (propagate(self.a(x), ei),))


@model("refused", "batch norm in training mode")
def batch_norm_training(self, x, ei):
    self.norm.train()
    return self.norm(propagate(self.a(x), ei))


@model("equal", "batch statistics without running ones")
def instance_statistics(self, x, ei):
    return nn.functional.batch_norm(propagate(self.a(x), ei), None, None, training=True)


@model("equal", "an out= argument that is a view of a longer tensor")
def writes_out(self, x, ei):
    degree = torch.zeros(x.size(0)).index_add(0, ei[1], torch.ones(ei.size(1)))
    before = degree.new_empty(x.size(0) + 1)
    before[:1].zero_()
    torch.cumsum(degree, 0, out=before[1:])
    return propagate(self.a(x), ei) * before[:-1].unsqueeze(-1)


@model("equal", "messages and the nodes' own rows after each other, with edge weights that are concatenated too")
def concatenates_own_rows(self, x, ei):
    h, loops = self.a(x), torch.arange(x.size(0))
    weight = torch.cat([torch.linspace(0.5, 1.5, 3).sum() / (ei[0] + 1.0), torch.ones(x.size(0))])
    m = torch.cat([h[ei[0]] - h[ei[1]], 2 * h]) * weight.unsqueeze(-1)
    h = torch.zeros_like(x).index_add(0, torch.cat([ei[1], loops]), m).relu()
    m = torch.cat([self.b(h)[ei[0]], torch.ones_like(h), h[ei[1]]])
    return torch.zeros_like(x).index_add(0, torch.cat([ei[1], loops, ei[0]]), m)


@model("equal", "attention over concatenated messages: the softmax is over both parts")
def attends_to_concatenated_messages(self, x, ei):
    h, loops = self.a(x), torch.arange(x.size(0))
    target = torch.cat([ei[1], loops])
    m = torch.cat([h[ei[0]], self.b(x)])
    alpha = edge_softmax((m * h[target]).sum(-1), target, x.size(0))
    return torch.zeros_like(x).index_add(0, target, m * alpha.unsqueeze(-1))


@model("equal", "concatenated messages, half of them picked out again, then concatenated once more")
def concatenates_twice(self, x, ei):
    h = self.a(x)
    m = torch.cat([h[ei[0]], self.b(x)[ei[1]].tanh()])
    some = torch.arange(0, ei.size(1), dtype=torch.long) * 2
    target = torch.cat([ei[1], ei[0]])
    both = torch.cat([m[some], m, h[ei[0]]])
    return torch.zeros_like(x).index_add(0, torch.cat([target[some], target, ei[1]]), both)


@model("equal", "a row of zeros put before the nodes' rows stands for 'no neighbour'")
def pads_a_row(self, x, ei):
    h = torch.cat([torch.zeros(1, F), self.a(x)])
    parent = torch.where(ei[0] % 3 == 0, torch.zeros_like(ei[0]), ei[0] + 1)
    return torch.zeros_like(x).index_add(0, ei[1], h[parent] * 2 + x[ei[1]])


@model("equal", "an output of concatenated scores: positive and negative edges")
def scores_of_two_lists(self, x, ei):
    h = propagate(self.a(x), ei).tanh()
    other = (ei[1] * 7 + 3) % (x.size(0) - 1)
    return torch.cat([(h[ei[0]] * h[ei[1]]).sum(-1), (h[ei[0]] * self.b(h)[other]).sum(-1)])


@model("equal", "each node reads the state of one edge")
def reads_an_edge_for_each_node(self, x, ei):
    h = self.a(x)
    e = (h[ei[0]] * x[ei[1]]).tanh()
    first = (torch.arange(x.size(0)) * 3) % (ei.size(1) - 1)
    return propagate(h, ei) + e[first]


@model("equal", "two entries of a dimension for each node, and the node count written where the entries come apart again")
def merges_rows_with_heads(self, x, edge_index):
    heads = propagate(self.a(x), edge_index).unflatten(1, (2, -1)).flatten(0, 1)
    heads = heads.softmax(-1) + heads.square().mean(-1, keepdim=True)
    apart = heads.unflatten(0, (x.size(0), 2)).flatten(1)
    return propagate(self.b(apart), edge_index)


@model("equal", "heads before the nodes: all nodes of the first head, then all of the second")
def heads_before_rows(self, x, edge_index):
    heads = propagate(self.a(x), edge_index).view(-1, 2, F // 2).transpose(0, 1).reshape(-1, F // 2)
    heads = torch.nn.functional.normalize(heads, dim=-1)
    return propagate(heads.view(2, -1, F // 2).transpose(0, 1).reshape(-1, F), edge_index)


@model("equal", "the saved tensor has two entries for each node, and edges with two entries are reduced")
def saves_merged_rows(self, x, edge_index):
    heads = propagate(self.a(x), edge_index).view(-1, F // 2).relu()
    h = propagate(heads.view(-1, F), edge_index)
    edge = (h[edge_index[0]] * h[edge_index[1]]).view(-1, F // 2).tanh()
    message = edge.view(-1, 2, F // 2).sum(1)
    return torch.zeros(x.size(0), F // 2).index_add(0, edge_index[1], message) + heads.view(-1, 2, F // 2).sum(1)


@model("equal", "an output with two entries for each node")
def gives_merged_rows(self, x, edge_index):
    return propagate(self.a(x), edge_index).view(-1, F // 2).sigmoid()


@model("equal", "a view that reads the entries of several nodes as one row")
def interleaves_rows(self, x, edge_index):
    return propagate(x, edge_index).t().reshape(-1).view(-1, F)


@model("equal", "a softmax over nodes and heads together")
def softmax_over_merged_rows(self, x, edge_index):
    return propagate(self.a(x), edge_index).view(-1, F // 2).softmax(0).view(-1, F)


@model("equal", "a running sum along nodes and heads")
def cumsum_of_merged_rows(self, x, edge_index):
    return propagate(self.a(x), edge_index).reshape(-1).cumsum(0).view(-1, F)


@model("equal", "the first half of the merged rows against the second: each node meets another one")
def halves_of_merged_rows(self, x, edge_index):
    merged = propagate(self.a(x), edge_index).view(-1, F // 2)
    return propagate((merged[: x.size(0)] * merged[x.size(0):]).repeat(1, 2), edge_index)


@model("equal", "merged rows read at node ids")
def gathers_merged_rows(self, x, edge_index):
    merged = self.a(x).view(-1, F // 2)
    return torch.zeros(x.size(0), F // 2).index_add(0, edge_index[1], merged[edge_index[0]])


@model("either", "a degree for each merged row")
def degree_of_merged_rows(self, x, edge_index):
    degree = torch.zeros(x.size(0)).index_add(0, edge_index[1], torch.ones(edge_index.size(1))) + 1
    merged = propagate(self.a(x), edge_index).view(-1, F // 2)
    return (merged / degree.repeat_interleave(2, output_size=2 * x.size(0)).unsqueeze(-1)).view(-1, F)


@model("equal", "attention with a scale of its own, which older versions of LibTorch do not take, and a mask")
def attends_with_a_scale(self, x, edge_index):
    h = propagate(self.a(x), edge_index)
    hops = torch.stack([x, h, propagate(h, edge_index)], 1)
    mask = torch.tensor([[True, False, False], [True, True, False], [True, True, True]])
    masked = nn.functional.scaled_dot_product_attention(hops, hops, hops, attn_mask=mask, scale=0.3)
    return (masked + nn.functional.scaled_dot_product_attention(hops, hops, hops, is_causal=True, scale=1.7)).sum(1)


@model("equal", "rows read at the ids of all nodes in order")
def reads_own_rows(self, x, edge_index):
    own = torch.arange(x.size(0))
    return propagate(self.a(x)[own], edge_index) + x.index_select(0, own)


def up_and_down(edge_index):
    return edge_index[:, edge_index[0] < edge_index[1]], edge_index[:, edge_index[0] > edge_index[1]]


@model("equal", "means over two edge sets, undefined where a node has no edges, added up after products")
def adds_undefined_means(self, x, edge_index):
    def mean(edges):
        degree = torch.zeros(x.size(0)).index_add(0, edges[1], torch.ones(edges.size(1)))
        return propagate(x, edges) / degree.unsqueeze(-1)

    up, down = up_and_down(edge_index)
    return self.a(x) + mean(up) @ self.a.weight + self.b(mean(down))


@model("equal", "rows of their own beside means that are undefined where a node has no edges")
def adds_own_rows_to_undefined_means(self, x, edge_index):
    degree = torch.zeros(x.size(0)).index_add(0, edge_index[1], torch.ones(edge_index.size(1)))
    return self.a(x) + self.b(propagate(x, edge_index) / degree.unsqueeze(-1))


@model("equal", "partial sums over several edge sets that somebody else reads as well")
def reads_partial_sums(self, x, edge_index):
    up, down = up_and_down(edge_index)
    first = self.a(x) + propagate_mean(x, up) @ self.a.weight
    second = first + self.b(propagate_mean(x, down))
    return second + propagate_mean(first, edge_index) @ self.b.weight + first.relu()


@model("equal", "zeros times an infinite weight")
def multiplies_by_infinity(self, x, edge_index):
    up, down = up_and_down(edge_index)
    weight = self.a.weight / torch.where(self.a.weight > 0.3, 0.0, 1.0)
    return self.a(x) + propagate(x, up) @ weight + propagate(x, down) @ self.b.weight


@model("equal", "zeros times an infinite weight, beside rows of their own")
def adds_own_rows_to_infinite_products(self, x, edge_index):
    return self.a(x) + propagate(x, edge_index) @ (self.b.weight / torch.where(self.b.weight > 0.3, 0.0, 1.0))


@model("equal", "scores of edges that add up to one within their graph, whose number only the data tells")
def shares_of_graphs(self, x, edge_index):
    h, graph = self.a(x), torch.arange(x.size(0)) // 7
    of_edges, count = graph[edge_index[0]], graph.max().item() + 1
    torch._check(count > 1)
    score = (h[edge_index[0]] * h[edge_index[1]]).sum(1).sigmoid()
    share = score / torch.zeros(count).index_add(0, of_edges, score)[of_edges]
    return h + torch.zeros_like(h).index_add(0, edge_index[1], h[edge_index[0]] * share.unsqueeze(1))


def for_each_node(row, like):
    return row.flatten().expand(like.size(0), -1)


@model("equal", "what is found out from all rows, in many ways")
def statistics_of_nodes(self, x, ei):
    h = propagate(self.a(x), ei) + 3
    rows = [h.sum(0), h.mean(0, keepdim=True), h.var(0), h.std(0, correction=0), h.amin(0), h.max(0).values, h.min(0, keepdim=True).values,
            *torch.var_mean(h, 0), torch.std_mean(h, [0, 1])[0], h.norm(dim=0), h.norm(1, dim=0), h.norm(float("inf"), 0), h.norm(3.0, dim=0, keepdim=True),
            torch.linalg.vector_norm(h, dim=0)]
    numbers = [h.sum(), h.mean(), h.var(), h.std(unbiased=False), h.norm(), h.max(), h.min(), h.amax([0, 1]), torch.linalg.vector_norm(h)]
    return torch.cat([h, *(for_each_node(r, h) for r in rows + numbers)], -1)


@model("equal", "the same along the second dimension, and over both that hold numbers")
def statistics_of_columns(self, x, ei):
    h = propagate(self.a(x), ei).t().reshape(2, 3, -1)
    rows = [h.sum(2), h.mean([0, 2]), h.var([1, 2], keepdim=True), h.amax(-1), h.std([0, 2], unbiased=False), h.norm(dim=(0, 2))]
    return torch.cat([x, *(for_each_node(r, x) for r in rows), h.softmax(-1).flatten(0, 1).t(), h.log_softmax(2).flatten(0, 1).t()], -1)


@model("equal", "which row is the largest, not only how large it is")
def row_of_the_largest(self, x, ei):
    values, rows = propagate(self.a(x), ei).max(0)
    return x * values + rows


@model("equal", "reduced at an index that is not sorted, into rows of which some are never named")
def reduces_into_clusters(self, x, ei):
    h = self.a(x)
    cluster = torch.arange(x.size(0)) * 7 % 5
    wide, start = cluster.unsqueeze(-1).expand_as(h), torch.full((7, F), 0.5)
    rows = [start.index_add(0, cluster, h), start.index_add(0, cluster, h, alpha=2), start.scatter_add(0, wide, h), start.index_reduce(0, cluster, h, "amax")]
    for reduce in ("sum", "mean", "amax", "amin"):
        rows += [start.scatter_reduce(0, wide, h, reduce, include_self=include) for include in (True, False)]
    rows += [start.scatter_reduce(0, wide, h, "prod"), start.index_reduce(0, cluster, h, "mean", include_self=False)]
    return propagate(torch.cat([r[cluster] + r[6] for r in rows], -1), ei)


@model("equal", "products and logarithms of sums of exponentials, over all rows and into rows that they are mixed into")
def products_of_nodes(self, x, ei):
    h = propagate(self.a(x), ei)
    near = 1 + h.tanh() * 1e-4
    rows = [near.prod(0), near.prod(0, keepdim=True), h.logsumexp(0), (h - 500).logsumexp(0, keepdim=True)]
    numbers = [near.prod(), h.logsumexp([0, 1])]
    cluster = torch.arange(x.size(0)) * 7 % 5
    wide, start = cluster.unsqueeze(-1).expand_as(near), torch.full((7, F), 0.5)
    mixed = [start.scatter_reduce(0, wide, near, "prod", include_self=include) for include in (True, False)] + [start.index_reduce(0, cluster, near, "prod")]
    return torch.cat([h, *(for_each_node(r, h) for r in rows + numbers), *(m[cluster] + m[6] for m in mixed)], -1)


MATRICES = {}


def matrix(expect, note):
    """Registers a forward(self, x, adj)."""
    def register(forward):
        MATRICES[forward.__name__] = (expect, note, forward)
        return forward
    return register


@matrix("equal", "entries of A are the sums of the weights of several edges between two nodes")
def matrix_twice(self, x, adj):
    return adj @ (adj @ self.a(x)) + adj.t() @ x


@matrix("refused", "what two hops together reach is no sum over edges")
def matrix_squared(self, x, adj):
    return (adj @ adj) @ self.a(x)


@matrix("equal", "a power of the sum of several edges between two nodes")
def matrix_power(self, x, adj):
    return adj.pow(2) @ self.a(x)


@matrix("equal", "edges that lie between two nodes several times count once")
def matrix_mask(self, x, adj):
    return (adj > 0).float() @ self.a(x)


@matrix("equal", "of scores of all pairs of nodes, those with an edge are left")
def matrix_attention(self, x, adj):
    h = self.a(x)
    score = torch.where(adj > 0, h @ h.t(), torch.full_like(adj, -9e15))
    return score.softmax(1) @ h


@matrix("refused", "an addition makes an edge of every pair of nodes")
def matrix_shifted(self, x, adj):
    return (adj + 0.01) @ self.a(x)


@matrix("equal", "from the right, columns are nodes, and edges are gone the other way")
def matrix_from_the_right(self, x, adj):
    return (self.a(x).t() @ adj).t()


@matrix("refused", "products entry by entry pair up edges")
def matrix_by_matrix(self, x, adj):
    return (adj * adj.t()) @ self.a(x)


@matrix("equal", "what the rows sum to on the diagonal of a matrix, as pooling by minimum cuts has it")
def matrix_of_degrees(self, x, adj):
    assigned, one = self.a(adj @ x).softmax(-1).unsqueeze(0), adj.unsqueeze(0)
    degrees = torch.einsum("ijk->ij", one)
    diagonal = torch.eye(adj.size(0)).type_as(degrees) * degrees.unsqueeze(2).expand(1, adj.size(0), adj.size(0))
    cut = assigned.transpose(1, 2) @ one @ assigned
    return torch.einsum("ijj->i", cut) / torch.einsum("ijj->i", assigned.transpose(1, 2) @ diagonal @ assigned)


@matrix("equal", "a list of edges beside the matrix, whose own edges are called after it")
def matrix_beside_edges(self, x, adj, edge_index):
    return adj @ self.a(x) + propagate(x, edge_index)


@matrix("refused", "one row of the matrix says who the neighbours of a node are")
def matrix_row(self, x, adj):
    return adj @ self.a(x) + adj[0].unsqueeze(1)


@matrix("equal", "scaled by one factor for each row and by another for each column, a loop added twice")
def matrix_scaled(self, x, adj):
    out, back = adj.sum(0).clamp(min=0.1), adj.sum(1, keepdim=True).clamp(min=0.1)
    loops = torch.eye(x.size(0))
    return ((2 * adj / back + loops) / out * 0.5 + loops) @ self.a(x)


@matrix("refused", "a sum of diagonal matrices is diagonal, but has two entries in each place")
def matrix_sum_of_diagonals(self, x, adj):
    loops = torch.eye(x.size(0))
    return ((adj + loops) @ (loops + torch.diag(adj.sum(1)))) @ self.a(x)


@matrix("equal", "a diagonal of a column")
def matrix_diagflat(self, x, adj):
    return torch.diagflat(1 / (1 + adj.sum(1, keepdim=True))) @ adj @ self.a(x)


@matrix("equal", "weights that come from features of the target")
def matrix_gated(self, x, adj):
    gate = self.b(x)[:, :1].sigmoid()
    return (gate * adj) @ self.a(x)


@matrix("equal", "products with vectors and with sums on top")
def matrix_vector(self, x, adj):
    v = torch.mv(adj, x[:, 0])
    return torch.addmm(self.a(x), adj, x) + v.unsqueeze(-1)


@model("equal", "a whole power of the node count is a whole number")
def squares_the_size(self, x, ei):
    n = x.size(0)
    return (propagate(self.a(x), ei) + torch.zeros(n**2).view(n, n).sum(1, keepdim=True)) / n**2


@model("equal", "what is left of rows whose mean was taken off is rounding alone, and differs in any order of sums")
def cancels_itself(self, x, ei):
    h = propagate(self.a(x), ei) * 1e4
    centred = h - h.mean(0)
    return (centred + for_each_node(centred.mean(0), h)) * 1e-4


@model("equal", "edges read the rows of the nodes that features chose for their sources (ComENet)")
def reads_in_steps(self, x, ei):
    h = propagate(self.a(x), ei)
    chosen = (h.sum(1) * 1e4).long().remainder(x.size(0))
    return h + torch.zeros_like(h).index_add(0, ei[1], self.b(x)[chosen[ei[0]]] - h.index_select(0, chosen[ei[1]]))


class Kept(Net):
    """A model of one graph: a matrix of its own, and rows for each of its nodes."""

    def __init__(self, body):
        super().__init__(body)
        generator = torch.Generator().manual_seed(4)
        self.register_buffer("support", (torch.rand(N, N, generator=generator) < 0.1).float() / 4)
        self.left, self.right, self.bias = (nn.Parameter(torch.randn(*s, generator=generator)) for s in ((N, 4), (4, N), (N, F)))


KEPT = {}


def kept(note):
    """Registers a forward(self, x, ei) of Kept, which is cut."""
    def register(forward):
        KEPT[forward.__name__] = (note, forward)
        return forward
    return register


@kept("a buffer has a row and a column for each node")
def kept_matrix(self, x, ei):
    return self.support @ (self.a(self.support @ x) + self.bias).relu() + propagate(x, ei)


@kept("a matrix of all pairs of nodes' embeddings, from the left and by einsum from the right (Graph WaveNet)")
def kept_embeddings(self, x, ei):
    matrix = (self.left @ self.right).relu().softmax(1)
    return torch.einsum("vf,vw->wf", (matrix @ self.a(x)).tanh() + x, matrix) + propagate(x, ei)


@kept("several matrices at once, and weights of each node's own, computed from its embedding (AGCRN)")
def kept_weights(self, x, ei):
    near = (self.left @ self.right).relu().softmax(1)
    several = torch.stack([torch.eye(N), near, 2 * near @ near - torch.eye(N)])
    weights = torch.einsum("nd,df->nf", self.left, self.right[:, :F])
    return torch.einsum("knm,mf->nkf", several, self.a(x)).sum(1) * weights.unsqueeze(-2).squeeze(1) + propagate(x, ei) + self.left @ self.right[:, F : 2 * F]


def save_kept(ei, index):
    x = torch.randn(N, F, generator=torch.Generator().manual_seed(5))
    for name, (note, body) in KEPT.items():
        torch.manual_seed(6)
        with torch.no_grad():
            exported = torch.export.export(Kept(body).eval(), (x, ei), dynamic_shapes={"x": {}, "edge_index": {1: Dim("edges")}})
            expected = exported.module()(x, ei)
        torch.export.save(exported, OUT / f"{name}.pt2")
        np.savez_compressed(OUT / f"{name}.npz", num_nodes=N, x=x.numpy(), edge_index=ei.numpy(), expected=expected.numpy())
        index.append({"name": name, "expect": "equal", "note": note})


def save_matrices(edge_index, index):
    generator = torch.Generator().manual_seed(9)
    x, weight = torch.randn(N, F, generator=generator), torch.rand(M, generator=generator) + 0.1
    adj = torch.zeros(N, N).index_put((edge_index[1], edge_index[0]), weight, accumulate=True)
    nodes = Dim("nodes")
    for name, (expect, note, body) in MATRICES.items():
        torch.manual_seed(1)
        with torch.no_grad():
            both = len(inspect.signature(body).parameters) > 3
            given, shapes = {"x": x, "adj": adj}, {"x": {0: nodes}, "adj": {0: nodes, 1: nodes}}
            if both:
                given, shapes = given | {"edge_index": edge_index}, shapes | {"edge_index": {1: Dim("edges")}}
            exported = torch.export.export((MatrixAndEdges if both else Matrix)(body).eval(), (), given, dynamic_shapes=shapes)
            expected = exported.module()(**given)
        edges = {"adj_edge_index": edge_index.numpy(), "adj_edge_weight": weight.numpy()} if both else {"edge_weight": weight.numpy()}
        torch.export.save(exported, OUT / f"{name}.pt2")
        np.savez_compressed(OUT / f"{name}.npz", num_nodes=N, x=x.numpy(), edge_index=edge_index.numpy(), expected=expected.numpy(), **edges)
        index.append({"name": name, "expect": expect, "note": note})


class Matrix(Net):
    def forward(self, x, adj):
        return self.body(self, x, adj)


class MatrixAndEdges(Net):
    def forward(self, x, adj, edge_index):
        return self.body(self, x, adj, edge_index)


def main():
    warnings.filterwarnings("ignore")
    OUT.mkdir(exist_ok=True)
    torch.manual_seed(3)
    x = torch.randn(N, F)
    ei = torch.randint(0, N - 4, (2, M))
    ei[1, ::8] = 2
    ei[0, :5] = ei[1, :5]
    names = sys.argv[1:]  # of models, or "matrices"; all without any
    known = {name: MODELS[name] for name in names if name in MODELS} if names else MODELS
    matrices, kept_ones = (not names or kind in names for kind in ("matrices", "kept"))
    index = json.loads((OUT / "index.json").read_text()) if names else []
    index = [entry for entry in index if entry["name"] not in known and not (matrices and entry["name"] in MATRICES) and not (kept_ones and entry["name"] in KEPT)]
    for name, (expect, note, body) in known.items():
        torch.manual_seed(len(index))
        net = Net(body).eval()
        with torch.no_grad():
            try:
                exported = torch.export.export(net, (x.clone(), ei), dynamic_shapes={"x": {0: Dim.AUTO}, "edge_index": {1: Dim.AUTO}})
            except Exception as problem:
                print(f"{name}: torch.export refuses it ({str(problem).splitlines()[0][:100]})")
                continue
            net = Net(body).eval() if name == "counts_calls" else net
            expected = net(x.clone(), ei)
        torch.export.save(exported, OUT / f"{name}.pt2")
        outputs = {f"expected_{i}": e.numpy() for i, e in enumerate(expected)} if isinstance(expected, tuple) else {"expected": expected.numpy()}
        np.savez_compressed(OUT / f"{name}.npz", num_nodes=N, x=x.numpy(), edge_index=ei.numpy(), **outputs)
        index.append({"name": name, "expect": expect, "note": note})
    if matrices:
        save_matrices(ei, index)
    if kept_ones:
        save_kept(ei, index)
    (OUT / "index.json").write_text(json.dumps(index, indent=1) + "\n")
    print(f"{len(index)} models")


if __name__ == "__main__":
    main()

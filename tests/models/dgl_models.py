"""Models written for DGL, as its users and those of layer-wise inference helpers write them; where DGL is not installed, cleave_export's stand-in is imported.

MODELS says how each is made, and what its forward takes.
"""
import math

import dgl
import dgl.function as fn
import dgl.nn as dglnn
import torch
import torch.nn.functional as F
from dgl.nn.functional import edge_softmax
from torch import nn

FEATURES, HIDDEN, CLASSES, EDGE_FEATURES, RELATIONS = 12, 16, 4, 5, 3
TYPES = {"author": 9, "paper": 12}
TRIPLES = [("author", "writes", "paper"), ("paper", "cites", "paper"), ("paper", "written_by", "author")]


class TwoLayers(nn.Module):
    """On the whole graph."""

    def __init__(self):
        super().__init__()
        self.conv1, self.conv2 = dglnn.GraphConv(FEATURES, HIDDEN), dglnn.GraphConv(HIDDEN, CLASSES)

    def forward(self, graph, x):
        return self.conv2(graph, F.relu(self.conv1(graph, x)))


class TwoLayersOnBlocks(TwoLayers):
    """As trained with a sampler: the first rows of a block's sources are its targets."""

    def forward(self, blocks, x0):
        x_dst0 = x0[:blocks[0].number_of_dst_nodes()]
        x1 = F.relu(self.conv1(blocks[0], (x0, x_dst0)))
        x_dst1 = x1[:blocks[1].number_of_dst_nodes()]
        return self.conv2(blocks[1], (x1, x_dst1))


class SumOfLayers(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = dglnn.GraphConv(FEATURES, HIDDEN)
        self.conv2, self.conv3 = dglnn.GraphConv(HIDDEN, HIDDEN), dglnn.GraphConv(HIDDEN, HIDDEN)

    def forward(self, blocks, x0):
        x1 = F.relu(self.conv1(blocks[0], (x0, x0[:blocks[0].num_dst_nodes()])))
        x2 = F.relu(self.conv2(blocks[1], (x1, x1[:blocks[1].num_dst_nodes()])))
        x3 = F.relu(self.conv3(blocks[2], (x2, x2[:blocks[2].num_dst_nodes()])))
        return x3 + x2 + x1


class Branches(nn.Module):
    """Two branches that meet, and means over all nodes, in four layers."""

    def __init__(self):
        super().__init__()
        for name in ("first_a", "first_b", "first_c"):
            setattr(self, name, dglnn.GraphConv(FEATURES, HIDDEN))
        for name in ("second_a", "second_b", "third_a", "third_b"):
            setattr(self, name, dglnn.GraphConv(HIDDEN, HIDDEN))
        self.last = dglnn.GraphConv(HIDDEN, CLASSES)

    def forward(self, blocks, x0):
        a1 = F.relu(self.first_a(blocks[0], x0))
        b1 = F.relu(self.first_b(blocks[0], x0))
        both = a1 + b1
        a2 = F.relu(self.second_a(blocks[1], both))
        b2 = F.relu(self.second_b(blocks[1], b1))
        a3 = F.relu(self.third_a(blocks[2], a2 + b2))
        b3 = F.relu(self.third_b(blocks[2], b1.mean() + a2))
        c1 = F.relu(self.first_c(blocks[0], x0))
        return F.relu(self.last(blocks[3], a3 + b3 + c1.mean()))


class AttentionByHand(nn.Module):
    """GAT's layer with apply_edges, edge_softmax and update_all."""

    def __init__(self, width, out, heads, residual=False):
        super().__init__()
        self.heads, self.out = heads, out
        self.fc = nn.Linear(width, heads * out, bias=False)
        self.attn_l, self.attn_r = nn.Parameter(torch.randn(1, heads, out)), nn.Parameter(torch.randn(1, heads, out))
        self.attn_drop, self.leaky_relu = nn.Dropout(0.5), nn.LeakyReLU(0.2)
        self.res_fc = nn.Linear(width, heads * out, bias=False) if residual else None

    def forward(self, graph, feat):
        graph = graph.local_var()
        if (graph.in_degrees() == 0).any():
            raise dgl.DGLError("nodes without neighbours")
        feat_src = feat_dst = self.fc(feat).view(feat.shape[:-1] + (self.heads,) + (self.out,))
        if graph.is_block:
            feat_dst = feat_src[:graph.number_of_dst_nodes()]
        graph.srcdata.update({"ft": feat_src, "el": (feat_src * self.attn_l).sum(dim=-1).unsqueeze(-1)})
        graph.dstdata.update({"er": (feat_dst * self.attn_r).sum(dim=-1).unsqueeze(-1)})
        graph.apply_edges(fn.u_add_v("el", "er", "e"))
        e = self.leaky_relu(graph.edata.pop("e"))
        graph.edata.update({"a": self.attn_drop(edge_softmax(graph, e))})
        graph.update_all(fn.u_mul_e("ft", "a", "m"), fn.sum("m", "ft"))
        rows = graph.dstdata["ft"]
        if self.res_fc is not None:
            rows = rows + self.res_fc(feat[:graph.number_of_dst_nodes()]).view(-1, self.heads, self.out)
        return rows


class GATByHand(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([AttentionByHand(FEATURES, HIDDEN // 2, 2), AttentionByHand(HIDDEN, HIDDEN // 2, 2, True), AttentionByHand(HIDDEN, CLASSES, 2, True)])

    def forward(self, g, inputs):
        h = inputs
        for l, layer in enumerate(self.layers[:-1]):
            h = F.elu(layer(g[l], h)).flatten(1)
        return self.layers[-1](g[-1], h).mean(1)


class GAT(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([dglnn.GATConv(FEATURES, HIDDEN // 2, 2, 0.1, 0.1, activation=F.elu),
                                     dglnn.GATConv(HIDDEN, HIDDEN // 2, 2, residual=True, activation=F.elu), dglnn.GATConv(HIDDEN, CLASSES, 3, residual=True)])

    def forward(self, g, inputs):
        h = inputs
        for layer in self.layers[:-1]:
            h = layer(g, h).flatten(1)
        return self.layers[-1](g, h).mean(1)


class SAGE(nn.Module):
    def __init__(self, aggregator="mean"):
        super().__init__()
        self.layers = nn.ModuleList([dglnn.SAGEConv(FEATURES, HIDDEN, aggregator), dglnn.SAGEConv(HIDDEN, HIDDEN, aggregator), dglnn.SAGEConv(HIDDEN, CLASSES, aggregator)])
        self.dropout = nn.Dropout(0.5)

    def forward(self, blocks, x):
        h = x
        for l, (layer, block) in enumerate(zip(self.layers, blocks)):
            h = layer(block, h)
            if l != len(self.layers) - 1:
                h = self.dropout(F.relu(h))
        return h


class SumOfNeighbours(nn.Module):
    def forward(self, g, jumped):
        g.srcdata["h"] = jumped
        g.update_all(fn.copy_u("h", "m"), fn.sum("m", "h"))
        return g.dstdata["h"]


class JKNet(nn.Module):
    def __init__(self, mode):
        super().__init__()
        self.layers = nn.ModuleList(dglnn.GraphConv(FEATURES if i == 0 else HIDDEN, HIDDEN, activation=F.relu) for i in range(3))
        self.jump = dglnn.JumpingKnowledge(mode, HIDDEN, 3) if mode == "lstm" else dglnn.JumpingKnowledge(mode)
        self.agge, self.output = SumOfNeighbours(), nn.Linear(3 * HIDDEN if mode == "cat" else HIDDEN, CLASSES)

    def forward(self, g, feats):
        found = []
        for layer in self.layers:
            feats = layer(g, feats)
            found.append(feats)
        return self.output(self.agge(g, self.jump(found)))


class RGCN(nn.Module):
    """Relations by a type of each edge, with a norm; both lie on the graph."""

    def __init__(self, regularizer):
        super().__init__()
        self.convs = nn.ModuleList(dglnn.RelGraphConv(FEATURES if i == 0 else HIDDEN, HIDDEN, RELATIONS, regularizer, 2 if regularizer else None) for i in range(2))
        self.lin = nn.Linear(HIDDEN, CLASSES)

    def forward(self, g, feat):
        for conv in self.convs:
            feat = F.relu(conv(g, feat, g.edata["etype"], g.edata["norm"]))
        return self.lin(feat)


class TypedMessages(nn.Module):
    """RGCN's layer as a message function of one's own."""

    def __init__(self):
        super().__init__()
        self.linear_r, self.loop = dglnn.TypedLinear(FEATURES, HIDDEN, RELATIONS), nn.Linear(FEATURES, HIDDEN)

    def message(self, edges):
        return {"m": self.linear_r(edges.src["h"], edges.data["etype"]) * edges.data["norm"]}

    def forward(self, g, feat):
        with g.local_scope():
            g.srcdata["h"] = feat
            g.update_all(self.message, fn.sum("m", "h"))
            return F.relu(g.dstdata["h"] + self.loop(feat))


class RelationLayer(nn.Module):
    """A weight for each relation, combined from bases, handed to convolutions without any."""

    def __init__(self, width, out):
        super().__init__()
        self.names = [triple[1] for triple in TRIPLES]
        self.conv = dglnn.HeteroGraphConv({name: dglnn.GraphConv(width, out, norm="right", weight=False, bias=False) for name in self.names})
        self.basis, self.bias = dglnn.WeightBasis((width, out), 2, len(self.names)), nn.Parameter(torch.randn(out))
        self.self_loop_weight = nn.Parameter(torch.randn(width, out) / width ** 0.5)

    def forward(self, hg, author, paper):
        hg = hg.local_var()
        inputs = {"author": author, "paper": paper}
        weights = {name: {"weight": w.squeeze(dim=0)} for name, w in zip(self.names, torch.split(self.basis(), 1, dim=0))}
        own = {t: h[:hg.num_dst_nodes(t)] for t, h in inputs.items()} if hg.is_block else inputs
        found = self.conv(hg, inputs, mod_kwargs=weights)
        found = {t: F.relu(h + own[t] @ self.self_loop_weight + self.bias) for t, h in found.items()}
        return found["author"], found["paper"]


class RGCNByRelation(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.ModuleDict({t: nn.Linear(width, HIDDEN) for t, width in TYPES.items()})
        self.layers = nn.ModuleList(RelationLayer(HIDDEN, HIDDEN) for _ in range(2))

    def forward(self, hg, x_author, x_paper):
        author, paper = self.embed["author"](x_author), self.embed["paper"](x_paper)
        for i, layer in enumerate(self.layers):
            author, paper = layer(hg[i], author, paper)
        return author, paper


class TypedAttention(nn.Module):
    """A heterogeneous graph transformer's layer: attention within each relation, multi_update_all over all of them."""

    def __init__(self, heads=2):
        super().__init__()
        self.heads, self.width = heads, HIDDEN // heads
        linears = lambda: nn.ModuleDict({t: nn.Linear(HIDDEN, HIDDEN) for t in TYPES})
        self.k, self.q, self.v, self.a = linears(), linears(), linears(), linears()
        self.relations = {triple[1]: i for i, triple in enumerate(TRIPLES)}
        self.pri = nn.Parameter(torch.rand(len(TRIPLES), heads) + 0.5)
        self.att, self.msg = (nn.Parameter(torch.randn(len(TRIPLES), heads, self.width, self.width) / 3) for _ in range(2))

    def forward(self, G, h):
        with G.local_scope():
            split = lambda rows: rows.view(-1, self.heads, self.width)
            for source, etype, target in G.canonical_etypes:
                sub_graph = G[source, etype, target]
                i = self.relations[etype]
                sub_graph.srcdata["k"] = torch.einsum("bij,ijk->bik", split(self.k[source](h[source])), self.att[i])
                sub_graph.dstdata["q"] = split(self.q[target](h[target]))
                sub_graph.srcdata["v_%d" % i] = torch.einsum("bij,ijk->bik", split(self.v[source](h[source])), self.msg[i])
                sub_graph.apply_edges(fn.v_dot_u("q", "k", "t"))
                score = sub_graph.edata.pop("t").sum(-1) * self.pri[i] / math.sqrt(self.width)
                sub_graph.edata["t"] = edge_softmax(sub_graph, score, norm_by="dst").unsqueeze(-1)
            G.multi_update_all({etype: (fn.u_mul_e("v_%d" % i, "t", "m"), fn.sum("m", "t")) for etype, i in self.relations.items()}, cross_reducer="mean")
            return {t: self.a[t](F.gelu(G.nodes[t].data["t"].view(-1, HIDDEN))) + h[t] for t in G.ntypes}


class HGT(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.ModuleDict({t: nn.Linear(width, HIDDEN) for t, width in TYPES.items()})
        self.layers, self.out = nn.ModuleList(TypedAttention() for _ in range(2)), nn.Linear(HIDDEN, CLASSES)

    def forward(self, G, x_dict):
        h = {t: F.gelu(self.embed[t](x)) for t, x in x_dict.items()}
        for layer in self.layers:
            h = layer(G, h)
        return self.out(h["paper"])


class MailboxAttention(nn.Module):
    """GAT with functions of one's own for messages and for mailboxes, as DGL's tutorial has it."""

    def __init__(self):
        super().__init__()
        self.fc, self.attn = nn.Linear(FEATURES, HIDDEN, bias=False), nn.Linear(2 * HIDDEN, 1, bias=False)
        self.out = nn.Linear(HIDDEN, CLASSES)

    def edge_attention(self, edges):
        return {"e": F.leaky_relu(self.attn(torch.cat([edges.src["z"], edges.dst["z"]], dim=1)))}

    def message_func(self, edges):
        return {"z": edges.src["z"], "e": edges.data["e"]}

    def reduce_func(self, nodes):
        alpha = F.softmax(nodes.mailbox["e"], dim=1)
        return {"h": torch.sum(alpha * nodes.mailbox["z"], dim=1)}

    def forward(self, g, h):
        g.ndata["z"] = self.fc(h)
        g.apply_edges(self.edge_attention)
        g.update_all(self.message_func, self.reduce_func)
        return self.out(F.elu(g.ndata.pop("h")))


class MailboxMoments(nn.Module):
    """A reduce function with what its node has, and an apply function."""

    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(FEATURES, CLASSES)

    def reduce_func(self, nodes):
        apart = nodes.mailbox["m"] - nodes.data["h"].unsqueeze(1)
        return {"r": apart.pow(2).mean(1) + nodes.mailbox["m"].max(dim=1)[0] + 1}

    def forward(self, graph, x):
        with graph.local_scope():
            graph.ndata["h"] = x
            graph.update_all(lambda edges: {"m": edges.src["h"] * edges.data["w"]}, self.reduce_func, lambda nodes: {"h": self.lin(nodes.data["r"]) + 1})
            return graph.ndata["h"]


class EdgeFeatures(nn.Module):
    """All kinds of built-in messages and reductions, with weights and features of edges."""

    def __init__(self):
        super().__init__()
        self.embed, self.edge, self.lin = nn.Linear(FEATURES, HIDDEN), nn.Linear(EDGE_FEATURES, HIDDEN), nn.Linear(5 * HIDDEN + 1, CLASSES)

    def forward(self, graph, x, edge_attr):
        with graph.local_scope():
            graph.ndata["h"], graph.edata["e"] = self.embed(x), self.edge(edge_attr)
            graph.edata["w"] = graph.edata["e"].mean(-1).sigmoid()
            graph.update_all(fn.u_add_e("h", "e", "m"), fn.mean("m", "a"))
            graph.update_all(fn.u_mul_e("h", "w", "m"), fn.sum("m", "b"))
            graph.update_all(fn.u_sub_v("h", "h", "m"), fn.max("m", "c"))
            graph.update_all(fn.e_div_u("e", "s", "m") if "s" in graph.ndata else fn.v_mul_e("h", "e", "m"), fn.min("m", "d"))
            graph.update_all(fn.copy_e("e", "m"), fn.sum("m", "f"))
            graph.update_all(fn.u_dot_v("h", "h", "m"), fn.max("m", "g"))
            return self.lin(torch.cat([graph.ndata[k] for k in "abcdfg"], -1))


class Structure(nn.Module):
    """Self-loops, reversed edges and degrees worked out in forward, and a mean over all nodes put beside each."""

    def __init__(self):
        super().__init__()
        self.conv1, self.conv2 = dglnn.GraphConv(FEATURES, HIDDEN), dglnn.GINConv(nn.Linear(HIDDEN, HIDDEN), "max", learn_eps=True)
        self.out = nn.Linear(2 * HIDDEN + 1, CLASSES)

    def forward(self, g):
        looped = dgl.add_self_loop(g)
        h = F.relu(self.conv1(looped, g.ndata["feat"]))
        h = F.relu(self.conv2(dgl.reverse(g), h))
        with g.local_scope():
            g.ndata["h"] = h
            mean = dgl.mean_nodes(g, "h")
        degree = torch.log(g.out_degrees().float() + 1).unsqueeze(-1)
        return self.out(torch.cat([h, dgl.broadcast_nodes(g, mean), degree], -1))


class Convolutions(nn.Module):
    """One layer after the other of what dgl.nn has."""

    def __init__(self):
        super().__init__()
        self.first = dglnn.TAGConv(FEATURES, HIDDEN, 2)
        self.convs = nn.ModuleList([dglnn.SGConv(HIDDEN, HIDDEN, 2), dglnn.APPNPConv(2, 0.3), dglnn.AGNNConv(), dglnn.GATv2Conv(HIDDEN, HIDDEN // 2, 2, residual=True),
                                    dglnn.DotGatConv(HIDDEN, HIDDEN // 2, 2), dglnn.SAGEConv(HIDDEN, CLASSES, "gcn")])

    def forward(self, g, x):
        h = self.first(g, x)
        for conv in self.convs:
            h = conv(g, F.elu(h)).flatten(1)
        return h


MODELS = {
    "dgl_gcn": (TwoLayers, "graph"),
    "dgl_gcn_blocks": (TwoLayersOnBlocks, "blocks"),
    "dgl_sum_of_layers": (SumOfLayers, "blocks"),
    "dgl_branches": (Branches, "blocks"),
    "dgl_gat_by_hand": (GATByHand, "blocks"),
    "dgl_gat": (GAT, "graph"),
    "dgl_sage": (SAGE, "blocks"),
    "dgl_sage_pool": (lambda: SAGE("pool"), "blocks"),
    "dgl_jk_cat": (lambda: JKNet("cat"), "graph"),
    "dgl_jk_max": (lambda: JKNet("max"), "graph"),
    "dgl_jk_lstm": (lambda: JKNet("lstm"), "graph"),
    "dgl_rgcn": (lambda: RGCN("basis"), "graph"),
    "dgl_rgcn_blocks": (lambda: RGCN("bdd"), "graph"),
    "dgl_typed_messages": (TypedMessages, "graph"),
    "dgl_rgcn_by_relation": (RGCNByRelation, "typed blocks"),
    "dgl_hgt": (HGT, "typed"),
    "dgl_mailbox_attention": (MailboxAttention, "graph"),
    "dgl_mailbox_moments": (MailboxMoments, "graph"),
    "dgl_edge_features": (EdgeFeatures, "edges"),
    "dgl_structure": (Structure, "graph alone"),
    "dgl_convolutions": (Convolutions, "graph"),
}


NODES, EDGES = 60, 301


def randomise(model):
    """Biases are 0 in a fresh model, where a wrong one would not be seen."""
    for name, tensor in model.named_parameters():
        if tensor.dim() == 1:
            nn.init.normal_(tensor, std=0.5)


def example(kind, blocks, seed=7):
    """forward's arguments on a random graph with a hub, self-loops and isolated nodes; blocks makes what forward takes as blocks of a graph."""
    generator = torch.Generator().manual_seed(seed)
    draw = lambda size, count: torch.randint(0, size, (count,), generator=generator)
    normal = lambda *sizes: torch.randn(*sizes, generator=generator)
    if kind.startswith("typed"):
        counts = {"author": 45, "paper": NODES}
        graph = dgl.heterograph({t: (draw(counts[t[0]] - 2, size), draw(counts[t[2]] - 2, size)) for t, size in zip(TRIPLES, (120, 150, 130))}, counts)
        x = {t: normal(count, TYPES[t]) for t, count in counts.items()}
        return (blocks(graph), x["author"], x["paper"]) if kind == "typed blocks" else (graph, x)
    src, dst = draw(NODES - 3, EDGES), draw(NODES - 3, EDGES)
    dst[::9] = 4
    src[:6] = dst[:6]
    graph = dgl.graph((src, dst), num_nodes=NODES)
    graph.edata["etype"], graph.edata["norm"], graph.edata["w"] = draw(RELATIONS, EDGES), torch.rand(EDGES, 1, generator=generator) + 0.1, normal(EDGES, 1)
    x, edge_attr = normal(NODES, FEATURES), normal(EDGES, EDGE_FEATURES)
    if kind == "graph alone":
        graph.ndata["feat"] = x
        return (graph,)
    return (blocks(graph) if kind == "blocks" else graph, x, *([edge_attr] if kind == "edges" else []))

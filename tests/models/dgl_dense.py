"""What the models of dgl_models.py compute, worked out once more with adjacency matrices and loops over edges in float64: formulas of DGL's documentation,
nothing of cleave_export.

REFERENCES[name](weights, arrays) gives the outputs: weights by their names in the model's state_dict, arrays by their names among forward's arguments.
"""
import numpy as np


class Edges:
    """Sources and targets of one relation."""

    def __init__(self, edge_index, sources, targets=None):
        self.src, self.dst = (np.asarray(end) for end in edge_index)
        self.sources, self.targets = sources, sources if targets is None else targets

    def adjacency(self, weights=None):
        """A[t, s]: how many edges lead from s to t, or the sum of their weights."""
        a = np.zeros((self.targets, self.sources))
        for i, (s, t) in enumerate(zip(self.src, self.dst)):
            a[t, s] += 1 if weights is None else weights[i]
        return a

    def into(self, target):
        return [i for i, t in enumerate(self.dst) if t == target]

    def looped(self):
        nodes = np.arange(self.sources)
        return Edges((np.concatenate([self.src, nodes]), np.concatenate([self.dst, nodes])), self.sources)

    def reversed(self):
        return Edges((self.dst, self.src), self.targets, self.sources)

    def reduced(self, messages, how):
        """A row for each target from those of its edges; 0 where there is none."""
        out = np.zeros((self.targets, *np.asarray(messages).shape[1:]))
        for t in range(self.targets):
            rows = messages[self.into(t)]
            if len(rows):
                out[t] = getattr(rows, how)(0)
        return out

    def softmax(self, scores):
        out = np.zeros_like(scores)
        for t in range(self.targets):
            edges = self.into(t)
            if edges:
                powers = np.exp(scores[edges] - scores[edges].max(0))
                out[edges] = powers / powers.sum(0)
        return out


def relu(x):
    return np.maximum(x, 0)


def leaky(x, slope=0.2):
    return np.where(x > 0, x, slope * x)


def elu(x):
    return np.where(x > 0, x, np.exp(np.minimum(x, 0)) - 1)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def gelu(x):
    from math import erf
    return x * 0.5 * (1 + np.vectorize(erf)(x / np.sqrt(2)))


def softmax(x, axis):
    powers = np.exp(x - x.max(axis, keepdims=True))
    return powers / powers.sum(axis, keepdims=True)


def linear(w, name, x):
    y = x @ w[name + ".weight"].T
    return y + w[name + ".bias"] if name + ".bias" in w else y


def root(degrees):
    return np.maximum(degrees, 1)[:, None] ** -0.5


def graph_conv(w, name, e, x):
    a = e.adjacency()
    return root(a.sum(1)) * (a @ (x * root(a.sum(0)))) @ w[name + ".weight"] + w[name + ".bias"]


def gat_rows(e, z_src, z_dst, attn_l, attn_r):
    """[nodes, heads, width]: weighted sums over edges, head by head."""
    out = np.zeros((e.targets, *z_src.shape[1:]))
    for head in range(z_src.shape[1]):
        scores = leaky(z_src[e.src, head] @ attn_l[0, head] + z_dst[e.dst, head] @ attn_r[0, head])
        out[:, head] = e.adjacency(e.softmax(scores)) @ z_src[:, head]
    return out


def gat_conv(w, name, e, x, heads, activation=None):
    z = linear(w, name + ".fc", x).reshape(len(x), heads, -1)
    out = gat_rows(e, z, z, w[name + ".attn_l"], w[name + ".attn_r"])
    if name + ".res_fc.weight" in w:
        out = out + linear(w, name + ".res_fc", x).reshape(out.shape)
    elif name + ".residual" in w:
        out = out + x.reshape(out.shape)
    if name + ".bias" in w:
        out = out + w[name + ".bias"].reshape(1, heads, -1)
    return activation(out) if activation else out


def homogeneous(arrays, features="x"):
    return Edges(arrays["edge_index"], len(arrays[features])), np.asarray(arrays[features], dtype=np.float64)


def two_layers(w, arrays, features="x"):
    e, x = homogeneous(arrays, features)
    return graph_conv(w, "conv2", e, relu(graph_conv(w, "conv1", e, x)))


def sum_of_layers(w, arrays):
    e, x = homogeneous(arrays, "x0")
    x1 = relu(graph_conv(w, "conv1", e, x))
    x2 = relu(graph_conv(w, "conv2", e, x1))
    return relu(graph_conv(w, "conv3", e, x2)) + x2 + x1


def branches(w, arrays):
    e, x = homogeneous(arrays, "x0")
    layer = lambda name, rows: relu(graph_conv(w, name, e, rows))
    a1, b1, c1 = layer("first_a", x), layer("first_b", x), layer("first_c", x)
    a2, b2 = layer("second_a", a1 + b1), layer("second_b", b1)
    return layer("last", layer("third_a", a2 + b2) + layer("third_b", b1.mean() + a2) + c1.mean())


def gat_by_hand(w, arrays):
    e, x = homogeneous(arrays, "inputs")
    for i in range(2):
        x = elu(gat_conv(w, f"layers.{i}", e, x, 2)).reshape(len(x), -1)
    return gat_conv(w, "layers.2", e, x, 2).mean(1)


def gat(w, arrays):
    e, x = homogeneous(arrays, "inputs")
    x = gat_conv(w, "layers.0", e, x, 2, elu).reshape(len(x), -1)
    x = gat_conv(w | {"layers.1.residual": True}, "layers.1", e, x, 2, elu).reshape(len(x), -1)
    return gat_conv(w, "layers.2", e, x, 3).mean(1)


def sage_conv(w, name, e, x, aggregator):
    if aggregator == "mean":
        found = e.reduced(x[e.src], "mean")
    elif aggregator == "pool":
        found = e.reduced(relu(linear(w, name + ".fc_pool", x))[e.src], "max")
    else:  # gcn: the node is one of its neighbours
        a = e.adjacency() + np.eye(len(x))
        return linear(w, name + ".fc_neigh", a @ x / a.sum(1, keepdims=True)) + w[name + ".bias"]
    return linear(w, name + ".fc_self", x) + linear(w, name + ".fc_neigh", found)


def sage(w, arrays, aggregator="mean"):
    e, x = homogeneous(arrays)
    for i in range(3):
        x = sage_conv(w, f"layers.{i}", e, x, aggregator)
        x = relu(x) if i < 2 else x
    return x


def lstm(w, name, rows, suffix):
    """The states of one direction over [nodes, steps, width]."""
    width = w[f"{name}.weight_hh_l0{suffix}"].shape[1]
    h = c = np.zeros((len(rows), width))
    states = [None] * rows.shape[1]
    for step in reversed(range(rows.shape[1])) if suffix else range(rows.shape[1]):
        gates = rows[:, step] @ w[f"{name}.weight_ih_l0{suffix}"].T + h @ w[f"{name}.weight_hh_l0{suffix}"].T
        i, f, g, o = np.split(gates + w[f"{name}.bias_ih_l0{suffix}"] + w[f"{name}.bias_hh_l0{suffix}"], 4, 1)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        h = states[step] = sigmoid(o) * np.tanh(c)
    return np.stack(states, 1)


def jk_net(w, arrays, mode):
    e, x = homogeneous(arrays, "feats")
    found = []
    for i in range(3):
        x = relu(graph_conv(w, f"layers.{i}", e, x))
        found.append(x)
    if mode == "cat":
        jumped = np.concatenate(found, 1)
    elif mode == "max":
        jumped = np.maximum(np.maximum(found[0], found[1]), found[2])
    else:
        rows = np.stack(found, 1)
        states = np.concatenate([lstm(w, "jump.lstm", rows, ""), lstm(w, "jump.lstm", rows, "_reverse")], 2)
        jumped = (rows * softmax(linear(w, "jump.att", states), 1)).sum(1)
    return linear(w, "output", e.adjacency() @ jumped)


def relation_weights(w, name, relations, width):
    """[relations, in, out], from bases or from blocks on the diagonal."""
    if name + ".coeff" in w:
        return np.einsum("rb,bio->rio", w[name + ".coeff"], w[name + ".W"])
    if w[name + ".W"].ndim == 3:
        return w[name + ".W"]
    out = w[name.replace("linear_r", "h_bias")].shape[0]
    whole = np.zeros((relations, width, out))
    for r in range(relations):
        for b, block in enumerate(w[name + ".W"][r].reshape(2, width // 2, out // 2)):
            whole[r, b * width // 2:(b + 1) * width // 2, b * out // 2:(b + 1) * out // 2] = block
    return whole


def rgcn(w, arrays):
    e, x = homogeneous(arrays, "feat")
    for layer in range(2):
        weights = relation_weights(w, f"convs.{layer}.linear_r", 3, x.shape[1])
        rows = x @ w[f"convs.{layer}.loop_weight"] + w[f"convs.{layer}.h_bias"]
        for s, t, r, norm in zip(e.src, e.dst, arrays["etype"], arrays["norm"][:, 0]):
            rows[t] += norm * (x[s] @ weights[r])
        x = relu(rows)
    return linear(w, "lin", x)


def typed_messages(w, arrays):
    e, x = homogeneous(arrays, "feat")
    rows = linear(w, "loop", x)
    for s, t, r, norm in zip(e.src, e.dst, arrays["etype"], arrays["norm"][:, 0]):
        rows[t] += norm * (x[s] @ w["linear_r.W"][r])
    return relu(rows)


TRIPLES = [("author", "writes", "paper"), ("paper", "cites", "paper"), ("paper", "written_by", "author")]


def typed(arrays):
    x = {t: np.asarray(arrays[f"x_{t}"], dtype=np.float64) for t in ("author", "paper")}
    return x, {t: Edges(arrays["edge_index_" + "_".join(t)], len(x[t[0]]), len(x[t[2]])) for t in TRIPLES}


def rgcn_by_relation(w, arrays):
    x, edges = typed(arrays)
    h = {t: linear(w, f"embed.{t}", rows) for t, rows in x.items()}
    for layer in range(2):
        name = f"layers.{layer}"
        weights = np.einsum("rb,bio->rio", w[name + ".basis.w_comp"], w[name + ".basis.weight"])
        found = {t: rows @ w[name + ".self_loop_weight"] + w[name + ".bias"] for t, rows in h.items()}
        for triple, weight in zip(TRIPLES, weights):
            found[triple[2]] = found[triple[2]] + edges[triple].reduced(h[triple[0]][edges[triple].src], "mean") @ weight
        h = {t: relu(rows) for t, rows in found.items()}
    return h["author"], h["paper"]


def hgt(w, arrays, heads=2):
    x, edges = typed(arrays)
    h = {t: gelu(linear(w, f"embed.{t}", rows)) for t, rows in x.items()}
    for layer in range(2):
        name = f"layers.{layer}"
        split = lambda what, t: linear(w, f"{name}.{what}.{t}", h[t]).reshape(len(h[t]), heads, -1)
        messages = {t: [] for t in h}
        for i, triple in enumerate(TRIPLES):
            e, out = edges[triple], np.zeros((len(h[triple[2]]), heads, 8))
            for head in range(heads):
                k = split("k", triple[0])[:, head] @ w[name + ".att"][i, head]
                v = split("v", triple[0])[:, head] @ w[name + ".msg"][i, head]
                scores = (split("q", triple[2])[e.dst, head] * k[e.src]).sum(1) * w[name + ".pri"][i, head] / np.sqrt(8)
                out[:, head] = e.adjacency(e.softmax(scores)) @ v
            messages[triple[2]].append(out.reshape(len(out), -1))
        h = {t: linear(w, f"{name}.a.{t}", gelu(sum(messages[t]) / len(messages[t]))) + h[t] for t in h}
    return linear(w, "out", h["paper"])


def mailbox_attention(w, arrays):
    e, x = homogeneous(arrays, "h")
    z = x @ w["fc.weight"].T
    scores = leaky(np.concatenate([z[e.src], z[e.dst]], 1) @ w["attn.weight"][0], 0.01)
    return linear(w, "out", elu(e.adjacency(e.softmax(scores)) @ z))


def mailbox_moments(w, arrays):
    e, x = homogeneous(arrays)
    rows = np.zeros_like(x)
    for t in range(len(x)):
        mail = x[e.src[e.into(t)]] * arrays["w"][e.into(t)]
        if len(mail):  # the function is not called for the others
            rows[t] = ((mail - x[t]) ** 2).mean(0) + mail.max(0) + 1
    return linear(w, "lin", rows) + 1


def edge_features(w, arrays):
    e, x = homogeneous(arrays)
    h, f = linear(w, "embed", x), linear(w, "edge", np.asarray(arrays["edge_attr"], dtype=np.float64))
    weights = sigmoid(f.mean(1))
    parts = [e.reduced(h[e.src] + f, "mean"), e.adjacency(weights) @ h, e.reduced(h[e.src] - h[e.dst], "max"), e.reduced(h[e.dst] * f, "min"),
             e.reduced(f, "sum"), e.reduced((h[e.src] * h[e.dst]).sum(1, keepdims=True), "max")]
    return linear(w, "lin", np.concatenate(parts, 1))


def structure(w, arrays):
    e, x = homogeneous(arrays, "feat")
    h = relu(graph_conv(w, "conv1", e.looped(), x))
    back = e.reversed()
    h = relu(linear(w, "conv2.apply_func", (1 + w["conv2.eps"]) * h + back.reduced(h[back.src], "max")))
    mean, degree = np.tile(h.mean(0), (len(h), 1)), np.log(e.adjacency().sum(0) + 1)[:, None]
    return linear(w, "out", np.concatenate([h, mean, degree], 1))


def convolutions(w, arrays):
    e, x = homogeneous(arrays)
    a = e.adjacency()
    by_targets = root(a.sum(1)) * a * root(a.sum(1)).T  # SGConv and TAGConv take in-degrees on both sides
    by_both = root(a.sum(1)) * a * root(a.sum(0)).T
    h = linear(w, "first.lin", np.concatenate([x, by_targets @ x, by_targets @ by_targets @ x], 1))
    h = linear(w, "convs.0.fc", by_targets @ by_targets @ elu(h))
    first = h = elu(h)
    for _ in range(2):
        h = 0.7 * by_both @ h + 0.3 * first
    h = elu(h)
    unit = h / np.maximum(np.linalg.norm(h, axis=1, keepdims=True), 1e-12)
    h = e.adjacency(e.softmax(w["convs.2.beta"] * (unit[e.src] * unit[e.dst]).sum(1))) @ h
    h = elu(h)
    z_src, z_dst = (linear(w, f"convs.3.{n}", h).reshape(len(h), 2, 8) for n in ("fc_src", "fc_dst"))
    rows = h.reshape(len(h), 2, 8).copy()  # as wide as the result: the residual is the input
    for head in range(2):
        scores = leaky(z_src[e.src, head] + z_dst[e.dst, head]) @ w["convs.3.attn"][0, head]
        rows[:, head] += e.adjacency(e.softmax(scores)) @ z_src[:, head]
    h = elu(rows.reshape(len(h), -1))
    z = linear(w, "convs.4.fc", h).reshape(len(h), 2, 8)
    rows = np.stack([e.adjacency(e.softmax((z[e.src, i] * z[e.dst, i]).sum(1) / np.sqrt(8))) @ z[:, i] for i in range(2)], 1)
    return sage_conv(w, "convs.5", e, elu(rows.reshape(len(h), -1)), "gcn")


REFERENCES = {
    "dgl_gcn": two_layers,
    "dgl_gcn_blocks": lambda w, arrays: two_layers(w, arrays, "x0"),
    "dgl_sum_of_layers": sum_of_layers,
    "dgl_branches": branches,
    "dgl_gat_by_hand": gat_by_hand,
    "dgl_gat": gat,
    "dgl_sage": sage,
    "dgl_sage_pool": lambda w, arrays: sage(w, arrays, "pool"),
    "dgl_jk_cat": lambda w, arrays: jk_net(w, arrays, "cat"),
    "dgl_jk_max": lambda w, arrays: jk_net(w, arrays, "max"),
    "dgl_jk_lstm": lambda w, arrays: jk_net(w, arrays, "lstm"),
    "dgl_rgcn": rgcn,
    "dgl_rgcn_blocks": rgcn,
    "dgl_typed_messages": typed_messages,
    "dgl_rgcn_by_relation": rgcn_by_relation,
    "dgl_hgt": hgt,
    "dgl_mailbox_attention": mailbox_attention,
    "dgl_mailbox_moments": mailbox_moments,
    "dgl_edge_features": edge_features,
    "dgl_structure": structure,
    "dgl_convolutions": convolutions,
}


def expected(name, model, inputs):
    """What `expected` of NAME.npz holds, for a model and its inputs as tensors."""
    found = REFERENCES[name]({key: t.double().numpy() for key, t in model.state_dict().items()}, {key: t.numpy() for key, t in inputs.items()})
    outputs = found if isinstance(found, tuple) else (found,)
    return {"expected" if len(outputs) == 1 else f"expected_{i}": rows.astype(np.float32) for i, rows in enumerate(outputs)}

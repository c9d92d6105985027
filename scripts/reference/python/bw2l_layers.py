"""Draws BW2L layers and writes down what PyTorch makes of them: tests/cpp/graph/bw2l_layer_cases.h.

    .reference/env/bin/python scripts/reference/python/bw2l_layers.py > tests/cpp/graph/bw2l_layer_cases.h

Tensors have wav2letter's dimensions (d0, d1, d2, d3), d0 fastest in memory. Inputs and weights are numbers that the test
draws, too; only the results are stored: how many, their sum, and some of them.
"""

import math
import random

import torch
from torch.nn import functional

KEPT = 12


def numbers(seed, count, positive=False):
    """Numbers of -1 to 1, or of 0.5 to 1.5: those of the test."""
    state = seed
    values = []
    for _ in range(count):
        state = (state * 1664525 + 1013904223) % 2**32
        value = ((state >> 8) % 2001 - 1000) / 1000
        values.append(abs(value) + 0.5 if positive else value)
    return torch.tensor(values, dtype=torch.float32).double()


def tensor(values, dims):
    return values.reshape(tuple(reversed(dims))).permute(*reversed(range(len(dims))))


def memory(x):
    return x.permute(*reversed(range(x.dim()))).reshape(-1)


class Weights:
    """Arrays in the order in which layers ask for them."""

    def __init__(self, seed):
        self.seed = seed
        self.sizes = []
        self.positive = 0

    def array(self, *dims, positive=False):
        index = len(self.sizes)
        self.sizes.append(math.prod(dims))
        self.positive |= positive << index
        return tensor(numbers(self.seed + index + 1, self.sizes[-1], positive), dims)


def same_padding(size, kernel, stride, dilation=1):
    rest = stride if size % stride == 0 else size % stride
    return max(math.ceil(((kernel - 1) * dilation - rest + 1) / 2), 0)


def convolve(x, weight, bias, kernel, stride=(1, 1), padding=(0, 0), dilation=(1, 1), groups=1):
    """weight is (kx, ky, in / groups, out)."""
    padding = [same_padding(x.shape[i], kernel[i], stride[i], dilation[i]) if p == -1 else p for i, p in enumerate(padding)]
    turned = [reversed(list(each)) for each in (stride, padding, dilation)]
    stride, padding, dilation = (tuple(each) for each in turned)
    y = functional.conv2d(
        x.permute(3, 2, 1, 0), weight.permute(3, 2, 1, 0), bias.reshape(-1), stride, padding, dilation, groups
    )
    return y.permute(3, 2, 1, 0)


def norm(x, axes, w, b):
    mean = x.mean(dim=axes, keepdim=True)
    variance = x.var(dim=axes, keepdim=True, unbiased=False)
    return (x - mean) / torch.sqrt(variance + 1e-5) * w.item() + b.item()


def matrix(x, w):
    """w (out, in) on d0."""
    return torch.einsum("oi,ijkl->ojkl", w, x)


def swish(x, beta=1):
    return x * torch.sigmoid(beta * x)


def gated(x, dim):
    first, second = x.chunk(2, dim)
    return first * torch.sigmoid(second)


def attention(x, w, heads, embedding, bptt):
    """x (dim, T, 1, 1); w: query, key, value, output."""
    query, key, value = ((each @ x[:, :, 0, 0]) for each in w[:3])
    dim, steps = query.shape
    width = dim // heads
    parts = []
    for head in range(heads):
        rows = slice(head * width, (head + 1) * width)
        scores = query[rows].T @ key[rows]
        if embedding is not None:
            for t in range(steps):
                for s in range(steps):
                    row = bptt - 1 + s - t
                    if 0 <= row < 2 * bptt - 1:
                        scores[t, s] += query[rows, t] @ embedding[row]
        parts.append(value[rows] @ torch.softmax(scores / math.sqrt(width), dim=1).T)
    return (w[3] @ torch.cat(parts)).reshape(dim, steps, 1, 1)


def view(x, wanted):
    dims = [x.shape[i] if d == 0 else d for i, d in enumerate(wanted)]
    if -1 in dims:
        rest = math.prod(d for d in dims if d != -1)
        dims[dims.index(-1)] = x.numel() // rest
    return tensor(memory(x), dims)


def convolution(x, weights, to, kernel, stride, padding=0, dilation=1):
    w = weights.array(kernel, 1, x.shape[2], to)
    b = weights.array(1, 1, to, 1)
    return convolve(x, w, b, (kernel, 1), (stride, 1), (padding, 0), (dilation, 1))


def asymmetric(x, weights, to, kernel, stride, padding, future, dilation):
    w = weights.array(kernel, 1, x.shape[2], to)
    b = weights.array(1, 1, to, 1)
    p = same_padding(x.shape[0], kernel, stride, dilation) if padding == -1 else padding
    cut = math.trunc(abs(2 * (0.5 - future)) * p)
    y = convolve(x, w, b, (kernel, 1), (stride, 1), (p + cut, 0), (dilation, 1))
    if future < 0.5:
        return y[: y.shape[0] - 2 * cut]
    return y[2 * cut :] if future > 0.5 else y


def convolution_2d(x, weights, to, kernel, stride, padding, dilation):
    w = weights.array(*kernel, x.shape[2], to)
    return convolve(x, w, weights.array(1, 1, to, 1), kernel, stride, padding, dilation)


def time_depth_separable(x, weights, channels, kernel, width, inner, right, over_time):
    lin = channels * width
    hidden = inner or lin
    w, b = weights.array(kernel, 1, channels, channels), weights.array(1, 1, channels, 1)
    first = weights.array(1), weights.array(1)
    w1, b1 = weights.array(hidden, lin), weights.array(hidden)
    w2, b2 = weights.array(lin, hidden), weights.array(lin)
    second = weights.array(1), weights.array(1)
    axes = (0, 1, 2) if over_time else (1, 2)
    if right == -1:
        y = convolve(x, w, b, (kernel, 1), padding=(-1, 0))
    else:
        padded = functional.pad(x, (0, 0, 0, 0, 0, 0, kernel - 1 - right, right))
        y = convolve(padded, w, b, (kernel, 1))
    x = norm(functional.relu(y) + x, axes, *first)
    y = view(x.permute(2, 1, 0, 3), (lin, -1, 1, 0))
    y = matrix(functional.relu(matrix(y, w1) + b1.reshape(-1, 1, 1, 1)), w2) + b2.reshape(-1, 1, 1, 1)
    y = view(y, (channels, width, -1, 0)).permute(2, 1, 0, 3)
    return norm(x + y, axes, *second)


def linear(x, weights, to, has_bias):
    w = weights.array(to, x.shape[0])
    y = matrix(x, w)
    return y + weights.array(to).reshape(-1, 1, 1, 1) if has_bias else y


def batch_norm(x, weights, dims):
    shape = [x.shape[i] if i in dims else 1 for i in range(4)]
    size = math.prod(shape)
    w, b, mean = (tensor(memory(weights.array(size)), shape) for _ in range(3))
    variance = tensor(memory(weights.array(size, positive=True)), shape)
    return (x - mean) / torch.sqrt(variance + 1e-5) * w + b


def weight_norm_convolution(x, weights, to, kernel, stride, padding):
    v, g = weights.array(kernel, 1, x.shape[2], to), weights.array(1, 1, 1, to)
    w = v * g / v.pow(2).sum(dim=(0, 1, 2), keepdim=True).sqrt()
    return convolve(x, w, weights.array(1, 1, to, 1), (kernel, 1), (stride, 1), (padding, 0))


def weight_norm_linear(x, weights, to):
    v, g = weights.array(to, x.shape[0]), weights.array(to)
    w = v * g.reshape(-1, 1) / v.pow(2).sum(dim=1, keepdim=True).sqrt()
    return matrix(x, w) + weights.array(to).reshape(-1, 1, 1, 1)


def pool(x, kernel, stride, padding, is_max):
    pads = [same_padding(x.shape[i], kernel[i], stride[i]) if p == -1 else p for i, p in enumerate(padding)]
    value = -math.inf if is_max else 0
    padded = functional.pad(x.permute(3, 2, 1, 0), (pads[0], pads[0], pads[1], pads[1]), value=value)
    run = functional.max_pool2d if is_max else functional.avg_pool2d
    return run(padded, tuple(reversed(kernel)), tuple(reversed(stride))).permute(3, 2, 1, 0)


def transformer(x, weights, mlp, heads, bptt, norm_first):
    dim = x.shape[0]
    embedding = weights.array(2 * bptt - 1, dim // heads) if bptt else None
    w1, w2 = weights.array(mlp, dim), weights.array(dim, mlp)
    w = [weights.array(dim, dim) for _ in range(4)]
    norms = [(weights.array(1), weights.array(1)) for _ in range(2)]
    feed = lambda y: matrix(functional.relu(matrix(y, w1)), w2)
    if norm_first:
        h = norm(attention(x, w, heads, embedding, bptt), (0, 3), *norms[0]) + x
        return norm(feed(h), (0, 3), *norms[1]) + h
    h = norm(attention(x, w, heads, embedding, bptt) + x, (0, 3), *norms[0])
    return norm(feed(h) + h, (0, 3), *norms[1])


def conformer(x, weights, mlp, heads, bptt, kernel):
    dim = x.shape[0]
    pair = lambda: (weights.array(1), weights.array(1))
    embedding = weights.array(2 * bptt - 1, dim // heads) if bptt else None
    w11, w12 = weights.array(mlp, dim), weights.array(dim, mlp)
    norm1 = pair()
    w21, w22 = weights.array(mlp, dim), weights.array(dim, mlp)
    norm2 = pair()
    w = [weights.array(dim, dim) for _ in range(4)]
    norm_attention = pair()
    conv1 = weights.array(1, 1, dim, 2 * dim), weights.array(1, 1, 2 * dim, 1)
    conv2 = weights.array(1, 1, dim, dim), weights.array(1, 1, dim, 1)
    deep1 = weights.array(kernel, 1, 1, dim), weights.array(1, 1, dim, 1)
    deep2 = weights.array(1, 1, dim, dim), weights.array(1, 1, dim, 1)
    norm_conv1, norm_conv2, norm3 = pair(), pair(), pair()
    feed = lambda y, first, second: matrix(swish(matrix(y, first)), second)
    x1 = x + 0.5 * (x + feed(norm(x, (0,), *norm1), w11, w12))
    x2 = x1 + (x1 + attention(norm(x1, (0,), *norm_attention), w, heads, embedding, bptt))
    y = norm(x2.permute(1, 3, 0, 2), (2,), *norm_conv1)
    y = gated(convolve(y, *conv1, (1, 1)), 2)
    y = convolve(y, *deep1, (kernel, 1), padding=(-1, 0), groups=dim)
    y = norm(convolve(y, *deep2, (1, 1)), (2,), *norm_conv2)
    y = convolve(swish(y), *conv2, (1, 1)).permute(2, 0, 3, 1)
    x3 = x2 + (x2 + y)
    x4 = x3 + 0.5 * (x3 + feed(norm(x3, (0,), *norm2), w21, w22))
    return norm(x4, (0,), *norm3)


class Case:
    """A recording of (frames, features, channels, 1), then lines, each with what it does."""

    def __init__(self, seed, frames, features, channels, positive=False):
        self.seed = seed
        self.dims = (frames, features, channels)
        self.positive = positive
        self.lines = []
        self.layers = []
        self.x = tensor(numbers(seed, math.prod(self.dims), positive), (*self.dims, 1))

    def add(self, line, run):
        """One line, or a block of several."""
        weights = Weights(self.seed + 1000 * (len(self.layers) + 1))
        self.x = run(self.x, weights)
        self.lines.append(line)
        self.layers.append(weights)
        return self

    def turn(self):
        """(T, F) to (F, T)."""
        return self.add("RO 1 0 2 3", lambda x, _: x.permute(1, 0, 2, 3))

    def text(self):
        values = memory(self.x)
        step = max(1, len(values) // KEPT)
        kept = ", ".join(f"{value:.7g}" for value in values[::step].tolist())
        layers = ",\n     ".join(
            f'{{"{line}", {weights.seed}, {weights.positive}, {{{", ".join(map(str, weights.sizes))}}}}}'
            for line, weights in zip(self.lines, self.layers)
        )
        dims = ", ".join(map(str, self.dims))
        return (
            f"    {{{self.seed}, {{{dims}}}, {str(self.positive).lower()},\n     {{{layers}}},\n"
            f"     {len(values)}, {values.sum().item():.9g}, {{{kept}}}}},"
        )


def emissions(case):
    """What a network has to end with, (N, T): of (T, F, C) as the features of all channels."""
    if case.x.shape[2] == 1:
        return case.turn()
    case.add("RO 1 2 0 3", lambda x, _: x.permute(1, 2, 0, 3))
    features = case.x.shape[0] * case.x.shape[1]
    return case.add(f"V {features} -1 1 1", lambda x, _: view(x, (features, -1, 1, 1)))


def cases():
    drawn = random.Random(19)
    pick = drawn.randint
    seeds = iter(range(1, 10**6, 7))

    def case(channels=1, features=None, frames=None, positive=False):
        return Case(next(seeds), frames or pick(10, 15), features or pick(2, 5), channels, positive)

    for code in ("C", "C1", "C", "C1"):
        one, to, kernel, stride, dilation = case(pick(1, 3)), pick(1, 4), pick(1, 4), pick(1, 3), pick(1, 2)
        padding = drawn.choice([-1, 0, 1, 2])
        line = f"{code} {one.dims[2]} {to} {kernel} {stride} {padding} {dilation}"
        yield emissions(one.add(line, lambda x, w: convolution(x, w, to, kernel, stride, padding, dilation)))
    for _ in range(5):
        one, to = case(pick(1, 3), pick(3, 6)), pick(1, 4)
        kernel, stride, dilation = (pick(1, 3), pick(1, 3)), (pick(1, 2), pick(1, 2)), (pick(1, 2), 1)
        padding = (drawn.choice([-1, 0, 1]), drawn.choice([-1, 0, 1]))
        words = [one.dims[2], to, *kernel, *stride, *padding, *dilation]
        line = " ".join(["C2", *map(str, words)])
        yield emissions(one.add(line, lambda x, w: convolution_2d(x, w, to, kernel, stride, padding, dilation)))
    for future in (1.0, 0.0, 0.5, 0.25, 0.8):
        one, to, kernel, dilation = case(pick(1, 2)), pick(1, 3), pick(2, 5), pick(1, 2)
        padding = drawn.choice([-1, 1, 2, 3])
        line = f"AC {one.dims[2]} {to} {kernel} 1 {padding} {future} {dilation}"
        yield emissions(one.add(line, lambda x, w: asymmetric(x, w, to, kernel, 1, padding, future, dilation)))
    for inner, right, over_time in ((0, -1, 1), (0, 0, 1), (5, 1, 0), (7, -1, 0), (0, 2, 0)):
        channels, kernel, width = pick(1, 3), drawn.choice([3, 5]), pick(2, 3)
        one = case(channels, width)
        line = f"TDS {channels} {kernel} {width} 0 {inner} {right} {over_time}"
        yield emissions(
            one.add(line, lambda x, w: time_depth_separable(x, w, channels, kernel, width, inner, right, over_time))
        )
    for has_bias in (True, False, True):
        one, to = case().turn(), pick(1, 6)
        line = f"L {one.x.shape[0]} {to}" + ("" if has_bias else " 0")
        yield one.add(line, lambda x, w: linear(x, w, to, has_bias))
    for dims in ((0,), (1,), (0, 1)):
        one = case(2)
        if 0 in dims:
            one = emissions(one)
        if dims == (0, 1):
            continue
        size = math.prod(one.x.shape[i] for i in dims)
        one.add(f"BN {size} {' '.join(map(str, dims))}", lambda x, w: batch_norm(x, w, dims))
        yield one if 0 in dims else emissions(one)
    for axes in ((0, 1, 2), (1, 2), (0,), (1,), (2,), (0, 2)):
        one = case(3)
        line = "LN " + " ".join(map(str, axes)) + (" 3" if len(axes) == 1 and axes != (0,) else "")
        yield emissions(one.add(line, lambda x, w: norm(x, axes, w.array(1), w.array(1))))
    for padding in (-1, 0, 2):
        one, to, kernel, stride = case(pick(1, 3)), pick(1, 4), pick(1, 4), pick(1, 2)
        line = f"WN 3 C {one.dims[2]} {to} {kernel} {stride} {padding}"
        yield emissions(one.add(line, lambda x, w: weight_norm_convolution(x, w, to, kernel, stride, padding)))
    for _ in range(2):
        one, to = case().turn(), pick(1, 6)
        yield one.add(f"WN 0 L {one.x.shape[0]} {to}", lambda x, w: weight_norm_linear(x, w, to))
    for code in ("M", "A"):
        for _ in range(4):
            one = case(pick(1, 2), pick(4, 7))
            kernel, stride = (pick(1, 3), pick(1, 3)), (pick(1, 2), pick(1, 2))
            padding = tuple(drawn.choice([-1, 0, (size - 1) // 2]) for size in kernel)
            line = " ".join([code, *map(str, [*kernel, *stride, *padding])])
            yield emissions(one.add(line, lambda x, _: pool(x, kernel, stride, padding, code == "M")))
    simple = {
        "DO 0.5": lambda x: x,
        "SAUG 80 27 2 100 1.0 2": lambda x: x,
        "ELU": functional.elu,
        "R": functional.relu,
        "R6": functional.relu6,
        "HT": functional.hardtanh,
        "T": torch.tanh,
        "SH": swish,
        "SH 1.7": lambda x: swish(x, 1.7),
        "LSM 0": lambda x: functional.log_softmax(x, 0),
        "LSM 1": lambda x: functional.log_softmax(x, 1),
    }
    for line, run in simple.items():
        yield case().turn().add(line, lambda x, _: run(x))
    yield case(positive=True).turn().add("LG", lambda x, _: torch.log(x))
    yield case().turn().add("PR", lambda x, w: functional.prelu(x, w.array(1)))
    for dim in (0, 2):
        one = case(4, 4)
        if dim == 0:
            one = emissions(one)
        one.add(f"GLU {dim}", lambda x, _: gated(x, dim))
        yield one if dim == 0 else emissions(one)
    for line in ("PD 0 1 2", "PD 0.5 0 3 1 2", "PD -1 2 0 0 1 1 0"):
        value, *pads = line.split()[1:]
        # functional.pad begins with the last dimension.
        run = lambda x, _: functional.pad(x.permute(3, 2, 1, 0), [*map(int, pads)], value=float(value)).permute(3, 2, 1, 0)
        yield emissions(case(2).add(line, run))
    for bptt, norm_first in ((0, 0), (4, 0), (20, 1), (0, 1)):
        heads = pick(1, 3)
        one = case(1, heads * pick(2, 4)).turn()
        dim, mlp = one.x.shape[0], pick(3, 9)
        line = f"TR {dim} {mlp} {heads} {bptt} 0 0 {norm_first}"
        yield one.add(line, lambda x, w: transformer(x, w, mlp, heads, bptt, norm_first))
    for bptt in (0, 3, 20):
        heads, kernel = pick(1, 2), pick(1, 2) * 2 + 1
        one = case(1, heads * pick(2, 3)).turn()
        dim, mlp = one.x.shape[0], pick(3, 7)
        line = f"CTR {dim} {mlp} {heads} {bptt} {kernel} 0 0"
        yield one.add(line, lambda x, w: conformer(x, w, mlp, heads, bptt, kernel))
    one = case().turn()
    dim, size = one.x.shape[0], one.x.shape[1] + 3
    embed = lambda x, w: x + w.array(dim, size)[:, : x.shape[1]].reshape(*x.shape[:2], 1, 1)
    yield one.add(f"POSEMB {dim} {size} 0", embed)

    # Blocks: the whole of one is one layer of the file; its sub-layers' arrays follow each other.
    def residual(scale):
        def run(x, w):
            a = functional.relu(linear(x, w, x.shape[0], True))
            b = linear(torch.tanh(a), w, x.shape[0], True)
            return (b + x) * scale

        return run

    for scale in (None, 0.5):
        one = case().turn()
        dim = one.x.shape[0]
        skip = "SKIP 0 5" + (f" {scale}" if scale else "")
        lines = [f"RES 4 1", f"L {dim} {dim}", "R", "T", f"L {dim} {dim}", skip]
        yield one.add("\\n".join(lines), residual(scale or 1))

    def skipping_layer(x, w):
        a = linear(x, w, 5, True)
        b = linear(functional.relu(a), w, 3, True)
        return b + linear(x, w, 3, True)

    one = case().turn()
    dim = one.x.shape[0]
    lines = ["RES 3 1", f"L {dim} 5", "R", "L 5 3", "SKIPL 0 4 1", f"L {dim} 3"]
    yield one.add("\\n".join(lines), skipping_layer)


HEADER = '''// Drawn BW2L layers and what PyTorch makes of them, by scripts/reference/python/bw2l_layers.py. Nothing here is written by hand.
#pragma once
#include <cstdint>
#include <vector>

namespace susurrus::testing {

struct Bw2lLayerCase {
  /// Of the recording's numbers.
  uint32_t seed;
  /// (frames, features, channels), the first of them fastest in memory.
  uint32_t dims[3];
  bool is_positive;
  struct Layer {
    /// Several lines are a block.
    const char* line;
    /// Array i is drawn with seed + i + 1.
    uint32_t seed;
    /// Bit i: the numbers of array i are positive.
    uint32_t positive;
    std::vector<uint32_t> sizes;
  };
  std::vector<Layer> layers;
  uint32_t count;
  double sum;
  /// As many of the results as there are here, at equal distances.
  std::vector<double> results;
};

// clang-format off
inline const Bw2lLayerCase kBw2lLayerCases[] = {'''

print(HEADER)
for each in cases():
    print(each.text())
print("};\n// clang-format on\n\n}  // namespace susurrus::testing")

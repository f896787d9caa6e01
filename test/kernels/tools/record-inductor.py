#!/usr/bin/env python3
"""Records the Triton kernels that PyTorch's Inductor generates for a small transformer, launch by launch.

Usage: record-inductor.py FOLDER     (needs a GPU, torch and triton)
It writes a PTX file for each kernel into FOLDER, and records.json: every launch with its grid, block
and arguments, and the bytes of tensors before and after. merge-inductor.py makes case files of them.

Everything runs twice: the first run compiles and tunes, the second is recorded. A recorded kernel
first runs on outputs filled with one byte, which shows the elements that it writes; then it runs
normally. Matrix products are Triton kernels too, compiled for sm_80 (`mma.sync`).
"""

import base64
import hashlib
import json
import os
import pathlib
import sys
import traceback

os.environ["TRITON_OVERRIDE_ARCH"] = "sm80"
os.environ["TRITON_DISABLE_LINE_INFO"] = "1"
os.environ["TORCHINDUCTOR_COMPILE_THREADS"] = "1"
os.environ["TORCHINDUCTOR_FX_GRAPH_CACHE"] = "0"
os.environ["TORCHINDUCTOR_AUTOGRAD_CACHE"] = "0"

import torch
import torch._inductor.config as config
import triton
from triton.backends.nvidia.driver import CudaLauncher
from triton.compiler import CompiledKernel

MAX_BYTES = 1 << 16  # of a tensor
OUTPUT_BYTE = 0xA5

for name in ("use_static_cuda_launcher", "use_static_triton_launcher"):
    if hasattr(config, name):
        setattr(config, name, False)
config.max_autotune_gemm_backends = "TRITON"
config.fallback_random = False
for name, value in (("max_mm_configs", 4),):
    if hasattr(config, "test_configs") and hasattr(config.test_configs, name):
        setattr(config.test_configs, name, value)

kernels = {}  # the driver's function: CompiledKernel
records = []
recording = None  # the name of what is being recorded


def init_handles(self, original=CompiledKernel._init_handles):
    original(self)
    kernels[self.function] = self


def extent(tensor):
    """The bytes from a tensor's first element to its last."""
    if tensor.numel() == 0:
        return 0
    last = sum((size - 1) * stride for size, stride in zip(tensor.shape, tensor.stride()))
    return (last + 1) * tensor.element_size()


def flat(tensor):
    """The bytes from a tensor's first element to its last, as a tensor."""
    elements = extent(tensor) // tensor.element_size()
    return torch.as_strided(tensor.detach(), (elements,), (1,)).view(torch.uint8)


def contents(tensor):
    return base64.b64encode(flat(tensor).cpu().numpy().tobytes()).decode()


def named(signature, args):
    """Arguments by name. Some may be constants in the kernel's code."""
    types = list(signature.items())
    if len(args) != len(types):
        types = [(name, kind) for name, kind in types if kind != "constexpr"]
    if len(args) != len(types):
        raise ValueError(f"{len(args)} arguments for {len(types)} parameters")
    return [(name, value) for (name, _), value in zip(types, args)]


def note_arguments(signature, args):
    """Arguments as the kernel receives them, without the constants in its code."""
    noted = []
    for name, value in named(signature, args):
        kind = signature[name]
        if kind == "constexpr":
            continue
        if not kind.startswith("*"):
            noted.append(({"name": name, "type": kind, "value": value}, None))
        elif value is None:
            noted.append(({"name": name, "type": kind, "value": 0}, None))
        else:
            if extent(value) > MAX_BYTES:
                raise ValueError(f"{name} has {extent(value)} bytes")
            noted.append(({"name": name, "type": kind, "dtype": str(value.dtype).removeprefix("torch."), "address": value.data_ptr(),
                           "bytes": extent(value), "before": contents(value)}, value))
    return noted


def launch(self, grid_x, grid_y, grid_z, stream, function, *args, original=CudaLauncher.__call__):
    if recording is None or function not in kernels:
        return original(self, grid_x, grid_y, grid_z, stream, function, *args)
    kernel = kernels[function]
    metadata = kernel.metadata
    record = {
        "of": recording, "entry": metadata.name, "grid": [grid_x, grid_y, grid_z], "warps": metadata.num_warps, "shared": metadata.shared,
        "scratch": [self.global_scratch_size, self.profile_scratch_size], "cooperative": bool(self.launch_cooperative_grid),
        "ptx": kernel.asm["ptx"], "signature": {str(k): str(v) for k, v in kernel.src.signature.items()},
    }
    torch.cuda.synchronize()
    kept = [(tensor, flat(tensor).clone()) for tensor in args[4:] if isinstance(tensor, torch.Tensor) and 0 < extent(tensor) <= MAX_BYTES]
    try:
        for name, tensor in named(kernel.src.signature, args[4:]):
            if name.startswith("out_ptr") and isinstance(tensor, torch.Tensor):
                flat(tensor).fill_(OUTPUT_BYTE)
        noted = note_arguments(kernel.src.signature, args[4:])
        original(self, grid_x, grid_y, grid_z, stream, function, *args)
        torch.cuda.synchronize()
        record["args"] = [{**entry, "after": contents(tensor)} if tensor is not None else entry for entry, tensor in noted]
    except Exception as error:
        record["error"] = repr(error)
    for tensor, data in kept:
        flat(tensor).copy_(data)
    records.append(record)
    return original(self, grid_x, grid_y, grid_z, stream, function, *args)


CompiledKernel._init_handles = init_handles
CudaLauncher.__call__ = launch


class Block(torch.nn.Module):
    def __init__(self, width, heads, dropout):
        super().__init__()
        self.heads = heads
        self.before = torch.nn.LayerNorm(width)
        self.qkv = torch.nn.Linear(width, 3 * width)
        self.out = torch.nn.Linear(width, width)
        self.scale = torch.nn.Parameter(torch.ones(width))
        self.up = torch.nn.Linear(width, 4 * width)
        self.down = torch.nn.Linear(4 * width, width)
        self.dropout = torch.nn.Dropout(dropout)

    def attend(self, x):
        b, t, c = x.shape
        q, k, v = (p.view(b, t, self.heads, c // self.heads).transpose(1, 2) for p in self.qkv(x).split(c, dim=2))
        scores = (q @ k.transpose(-2, -1)) * (c // self.heads) ** -0.5
        mask = torch.ones(t, t, dtype=torch.bool, device=x.device).tril()
        weights = torch.softmax(scores.masked_fill(~mask, float("-inf")), dim=-1)
        return self.out((self.dropout(weights) @ v).transpose(1, 2).reshape(b, t, c))

    def forward(self, x):
        x = x + self.attend(self.before(x))
        norm = x * torch.rsqrt(x.float().pow(2).mean(-1, keepdim=True) + 1e-6).to(x.dtype) * self.scale
        return x + self.dropout(self.down(torch.nn.functional.gelu(self.up(norm))))


class Transformer(torch.nn.Module):
    def __init__(self, words=64, width=32, heads=2, length=16, dropout=0.1):
        super().__init__()
        self.words = torch.nn.Embedding(words, width)
        self.places = torch.nn.Embedding(length, width)
        self.block = Block(width, heads, dropout)
        self.norm = torch.nn.LayerNorm(width)
        self.head = torch.nn.Linear(width, words)

    def forward(self, tokens, targets):
        x = self.words(tokens) + self.places(torch.arange(tokens.shape[1], device=tokens.device))
        logits = self.head(self.norm(self.block(x)))
        return torch.nn.functional.cross_entropy(logits.view(-1, logits.shape[-1]).float(), targets.view(-1))


def record(name, run):
    global recording
    torch._dynamo.reset()
    try:
        run(False)
        run(True)
    except Exception:
        print(f"{name} failed:\n{traceback.format_exc()[-3000:]}", flush=True)
    recording = None
    torch.cuda.synchronize()
    print(f"{name}: {sum(r['of'] == name for r in records)} launches", flush=True)


def transformer(name, dtype, mode):
    torch.manual_seed(7)
    model = Transformer().cuda().to(dtype)
    # Tokens are unique, because the gradients of embeddings are added in any order.
    tokens = torch.randperm(64, device="cuda")[:32].view(2, 16)
    targets = torch.randint(0, 64, (2, 16), device="cuda")
    compiled = torch.compile(model, mode=mode)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    step = torch.compile(lambda: optimizer.step())

    def run(keep):
        global recording
        recording = name if keep else None
        for p in model.parameters():
            p.grad = None
        compiled(tokens, targets).backward()
        step()

    record(name, run)


def inference(name, dtype, mode):
    torch.manual_seed(9)
    model = Transformer(dropout=0.0).cuda().to(dtype).eval()
    tokens = torch.randint(0, 64, (2, 16), device="cuda")
    compiled = torch.compile(model, mode=mode)

    def run(keep):
        global recording
        recording = name if keep else None
        with torch.no_grad():
            compiled(tokens, tokens)

    record(name, run)


def function(name, f, *shapes, dtype=torch.float32):
    torch.manual_seed(11)
    inputs = [torch.randn(shape, device="cuda", dtype=torch.float32).to(dtype) for shape in shapes]
    compiled = torch.compile(f)

    def run(keep):
        global recording
        recording = name if keep else None
        compiled(*inputs)

    record(name, run)


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    tuned = "max-autotune-no-cudagraphs"
    functions = torch.nn.functional
    for dtype in (torch.float32, torch.float16, torch.bfloat16):
        short = {torch.float32: "f32", torch.float16: "f16", torch.bfloat16: "bf16"}[dtype]
        torch.set_float32_matmul_precision("high")
        inference(f"forward_{short}", dtype, tuned)
        transformer(f"train_{short}", dtype, tuned)
        function(f"softmax_{short}", lambda x: torch.softmax(x, -1), (6, 70), dtype=dtype)
        function(f"gelu_{short}", lambda x: functions.gelu(x, approximate="tanh"), (300,), dtype=dtype)
    function("cumsum", lambda x: torch.cumsum(x, -1), (4, 100))
    function("logcumsumexp", lambda x: torch.logcumsumexp(x, -1), (4, 60))
    function("sort", lambda x: torch.sort(x, dim=-1, stable=True), (4, 50))
    function("argmax", lambda x: (x.argmax(-1), x.amax(0), x.argmin(0)), (9, 130))
    function("variance", lambda x: torch.var_mean(x, dim=-1), (5, 200))
    function("group_norm", lambda x: functions.group_norm(x, 4), (2, 16, 5, 5))
    function("pool", lambda x: functions.max_pool2d(x, 3, 2, 1), (1, 4, 9, 9))
    function("upsample", lambda x: functions.interpolate(x, scale_factor=2, mode="bilinear"), (1, 3, 7, 7))
    function("transposed", lambda x, y: (x.t() + y).contiguous(), (33, 45), (45, 33))
    function("trig", lambda x: torch.sin(x) * torch.exp(-x * x) + torch.log1p(x.abs()) + torch.erf(x) + torch.tanh(x), (500,))
    function("integers", lambda x: ((x * 1000).to(torch.int64) // 7, (x * 1000).to(torch.int32) % 5, (x * 100).to(torch.int8)), (300,))
    function("double", lambda x: torch.softmax(x.double(), -1), (3, 40))
    files, kept, seen = {}, [], set()
    for r in records:
        digest = hashlib.sha256(r["ptx"].encode()).hexdigest()[:12]
        # One launch of each kernel is enough.
        if digest in seen:
            continue
        seen.add(digest)
        files[digest] = r.pop("ptx")
        kept.append({**r, "file": digest})
    for digest, ptx in files.items():
        (folder / f"{digest}.ptx").write_text(ptx)
    about = {"gpu": torch.cuda.get_device_name(), "torch": torch.__version__, "triton": triton.__version__}
    (folder / "records.json").write_text(json.dumps({**about, "records": kept}))
    print(f"{len(records)} launches, {len(kept)} kernels")


main()

"""The variants that tools/build-triton.py compiles: a name, a kernel, types of parameters, constants.

`*f32` is a pointer aligned to 16 bytes, as for tensors; `i32:16` is a multiple of 16.
"""

import elementwise
import matrices
import orders
import rows
import warpgroups


def variant(name, kernel, types, target=80, warps=4, stages=3, **constants):
    return {"name": name, "kernel": kernel, "types": types.split(), "target": target, "warps": warps, "stages": stages, "constants": constants}


HALVES = (("f32", "fp32"), ("f16", "fp16"), ("bf16", "bf16"))

VARIANTS = [
    *(variant(f"add_{short}", elementwise.add, f"*{t} *{t} *{t} i32", BLOCK=256) for short, t in (*HALVES, ("f64", "fp64"), ("i8", "i8"))),
    *(variant(f"gelu_{short}", elementwise.gelu, f"*{t} *{t} i32", BLOCK=256) for short, t in HALVES),
    variant("gelu_tanh", elementwise.gelu_tanh, "*fp32 *fp32 i32", BLOCK=128),
    variant("dropout", elementwise.dropout, "*fp32 *fp32 *i8 i32 fp32 i32", BLOCK=256),
    variant("dropout_bf16", elementwise.dropout, "*bf16 *bf16 *i8 i32 fp32 i32", target=90, BLOCK=512),
    variant("random", elementwise.random, "*u32 *fp32 *fp32 i32 i32", BLOCK=128),
    variant("silu_product", elementwise.silu_product, "*bf16 *bf16 *bf16 i32:16", target=90, BLOCK=256),
    variant("quantize", elementwise.quantize, "*fp16 *i8 *fp32 i32", BLOCK=256),
    variant("adam", elementwise.adam, "*fp32 *fp32 *fp32 *fp32 i32 fp32", BLOCK=128),
    variant("rotary", elementwise.rotary, "*fp16 *fp16 *fp32 *fp32 i32", warps=1, BLOCK=32),
    *(variant(f"softmax_{short}", rows.softmax, f"*{t} *{t} i32", BLOCK=256) for short, t in HALVES),
    variant("softmax_online", rows.softmax_online, "*fp32 *fp32 i32", warps=2, BLOCK=64),
    *(variant(f"layer_norm_{short}", rows.layer_norm, f"*{t} *{t} *{t} *{t} *fp32 *fp32 i32 fp32", BLOCK=128) for short, t in HALVES),
    variant("layer_norm_backward", rows.layer_norm_backward, "*fp32 *fp32 *fp32 *fp32 *fp32 *fp32 *fp32 *fp32 i32 i32", BLOCK=128),
    *(variant(f"rms_norm_{short}", rows.rms_norm, f"*{t} *{t} *{t} i32 fp32", target=90 if t == "bf16" else 80, BLOCK=128) for short, t in HALVES),
    variant("argmax_f32", rows.argmax, "*fp32 *i32 *fp32 *i32 i32 i32", ROWS=4, BLOCK=64),
    variant("argmax_f16", rows.argmax, "*fp16 *i32 *fp16 *i32 i32 i32", ROWS=2, BLOCK=128),
    variant("cross_entropy", rows.cross_entropy, "*fp32 *i64 *fp32 *fp32 i32 fp32", BLOCK=128),
    variant("embedding", rows.embedding, "*bf16 *i64 *bf16 i32 i32", TOKENS=8, BLOCK=64),
    variant("embedding_backward", rows.embedding_backward, "*fp32 *i32 *fp32 i32 i32", warps=2, BLOCK=64),
    *(variant(f"transpose_{short}", rows.transpose, f"*{t} *{t} i32 i32", ROWS=32, COLUMNS=32) for short, t in (("f32", "fp32"), ("i8", "i8"))),
    variant("column_sums", rows.column_sums, "*fp16 *fp32 i32 i32", ROWS=16, COLUMNS=32),
    variant("variance", rows.variance, "*fp32 *fp32 *fp32 i32", BLOCK=256),
    variant("sort_f32", orders.sort, "*fp32 *fp32 i32", BLOCK=128, DESCENDING=False),
    variant("sort_f16", orders.sort, "*fp16 *fp16 i32", warps=1, BLOCK=64, DESCENDING=True),
    variant("sort_keys", orders.sort_keys, "*u32 *u64", warps=2, BLOCK=64),
    variant("top_k", orders.top_k, "*fp32 *fp32 i32", warps=2, K=8, BLOCK=64),
    variant("cumsum_f32", orders.cumsum, "*fp32 *fp32 i32", BLOCK=512, REVERSE=False),
    variant("cumsum_f16", orders.cumsum, "*fp16 *fp16 i32", BLOCK=256, REVERSE=False),
    variant("cumsum_i64", orders.cumsum, "*i64 *i64 i32", BLOCK=256, REVERSE=True),
    variant("cumprod", orders.cumprod, "*i32 *i32 i32 i32", ROWS=32, COLUMNS=16),
    variant("linear_scan", orders.linear_scan, "*fp32 *fp32 *fp32 i32", BLOCK=256),
    variant("running_maximum", orders.running_maximum, "*i16 *i16 i32", BLOCK=256),
    variant("histogram", orders.histogram, "*i32 *i32 i32", BLOCK=512, BINS=64),
    variant("atomics", orders.atomics, "*i32 *i32 *i32 *fp32 *i32 *i32 *i32 *i32 i32", BLOCK=128),
    variant("halves_add_f16", orders.halves_add, "*fp16 *i32 *fp16 i32", BLOCK=128),
    variant("halves_add_bf16", orders.halves_add, "*bf16 *i32 *bf16 i32", target=90, BLOCK=128),
    variant("last_block", orders.last_block, "*i32 *i32 *i32 *i32 i32", BLOCK=128),
    variant("locked_sum", orders.locked_sum, "*i32 *i32 *i32 i32", BLOCK=128),
    variant("shapes", orders.shapes, "*i32 *i32", BLOCK=256),
    *(variant(f"matmul_{short}", matrices.matmul, f"*{t} *{t} *{sum} i32 i32 i32", target=target, stages=1, BM=32, BN=32, BK=32, TRANSPOSED=transposed)
      for short, t, sum, target, transposed in (("f16", "fp16", "fp32", 80, False), ("bf16", "bf16", "fp32", 80, True), ("tf32", "fp32", "fp32", 80, False), ("i8", "i8", "i32", 80, True), ("f8", "fp8e4nv", "fp32", 89, True))),
    *(variant(f"matmul_{short}_pipelined", matrices.matmul_pipelined, f"*{t} *{t} *{sum} i32:16 i32:16 i32:16", warps=2, BM=32, BN=32, BK=32, PRECISION="tf32")
      for short, t, sum in (("f16", "fp16", "fp16"), ("bf16", "bf16", "fp32"), ("tf32", "fp32", "fp32"), ("i8", "i8", "i32"))),
    variant("matmul_f32", matrices.matmul_pipelined, "*fp32 *fp32 *fp32 i32:16 i32:16 i32:16", BM=16, BN=16, BK=16, PRECISION="ieee"),
    variant("linear_gelu", matrices.linear_gelu, "*bf16 *bf16 *bf16 *bf16 i32 i32:16", stages=2, BM=16, BN=64, BK=32),
    variant("grouped", matrices.grouped, "*fp16 *fp16 *fp32 *i32 i32:16 i32:16", warps=2, stages=2, BM=16, BN=32, BK=16),
    variant("split_k", matrices.split_k, "*fp16 *fp16 *fp32 i32:16 i32:16", warps=1, BM=16, BN=16, BK=32),
    variant("attention_f16", matrices.attention, "*fp16 *fp16 *fp16 *fp16 *fp32 i32:16 fp32", stages=2, BM=32, BN=32, WIDTH=32, CAUSAL=True),
    variant("attention_bf16", matrices.attention, "*bf16 *bf16 *bf16 *bf16 *fp32 i32 fp32", stages=1, warps=2, BM=32, BN=16, WIDTH=16, CAUSAL=False),
    variant("attention_delta", matrices.attention_delta, "*fp16 *fp16 *fp32 i32", BM=32, WIDTH=32),
    variant("attention_backward", matrices.attention_backward, "*fp16 *fp16 *fp16 *fp16 *fp32 *fp32 *fp32 *fp32 *fp32 i32:16 fp32", stages=1, warps=2, BM=16, BN=16, WIDTH=32),
    *(variant(f"wgmma_{name}", warpgroups.product, f"*{t} *{t} *{sum} i32 i32 i32:16", target=90, warps=rows // 16, stages=stages, BM=rows, BN=64, BK=inner, TRANSPOSED=transposed)
      for name, t, sum, rows, inner, stages, transposed in (("f16", "fp16", "fp16", 64, 32, 3, False), ("bf16", "bf16", "fp32", 128, 32, 2, True), ("tf32", "fp32", "fp32", 64, 16, 3, True),
                                                            ("e4m3", "fp8e4nv", "fp32", 128, 64, 2, True), ("e5m2", "fp8e5", "fp32", 64, 64, 3, True), ("i8", "i8", "i32", 64, 64, 3, True))),
    variant("wgmma_described", warpgroups.described, "tensordesc<fp16[64,32]> tensordesc<fp16[32,64]> tensordesc<fp16[64,64]> i32", target=90, BM=64, BN=64, BK=32),
    variant("wgmma_persistent", warpgroups.persistent, "*fp16 *fp16 *fp16 i32 i32:16 i32:16", target=90, stages=2, BM=64, BN=64, BK=32, PROGRAMS=2),
    variant("wgmma_specialized", warpgroups.specialized, "tensordesc<fp16[64,32]> tensordesc<fp16[32,64]> tensordesc<fp16[64,64]> i32", target=90, stages=2, BM=64, BN=64, BK=32),
    variant("wgmma_partitioned", warpgroups.partitioned, "*fp16 *fp16 *fp16 i32 i32:16 i32:16", target=90, stages=2, BM=128, BN=64, BK=32),
    variant("wgmma_attention_f16", warpgroups.attention, "*fp16 *fp16 *fp16 *fp16 i32 fp32", target=90, stages=2, BM=64, BN=32, WIDTH=64, CAUSAL=True),
    variant("wgmma_attention_bf16", warpgroups.attention, "*bf16 *bf16 *bf16 *bf16 i32 fp32", target=90, warps=8, stages=2, BM=128, BN=32, WIDTH=32, CAUSAL=False),
    variant("transpose_f16", rows.transpose, "*fp16 *fp16 i32 i32", ROWS=32, COLUMNS=32),
]

# For bench/kernels: sizes that fill a GPU.
BENCHMARKS = [
    variant("triton-softmax", rows.softmax, "*fp32 *fp32 i32:16", BLOCK=2048),
    variant("triton-matmul", matrices.matmul_pipelined, "*fp16 *fp16 *fp32 i32:16 i32:16 i32:16", BM=64, BN=64, BK=32, PRECISION="tf32"),
]

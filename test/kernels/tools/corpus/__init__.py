"""The table of kernel cases; tools/make-cases.py turns it into case files."""

from . import algorithms, attention, clusters, collectives, copies, data_parallel, doubles, forms, halves, im2col, language, large_shared, look_back, numbers, provenance, services, tensor, tensor_maps, textures, triton, video, waiting, waiting_warps, warpgroups, wmma

TABLES = (data_parallel.CASES, algorithms.CASES, collectives.CASES, language.CASES, large_shared.CASES, numbers.CASES, provenance.CASES, doubles.CASES, forms.CASES, halves.CASES, services.CASES, triton.CASES, copies.CASES, clusters.CASES, wmma.CASES, attention.CASES, tensor.CASES, tensor_maps.CASES, im2col.CASES, textures.CASES, video.CASES, waiting.CASES, waiting_warps.CASES, look_back.CASES, warpgroups.CASES)

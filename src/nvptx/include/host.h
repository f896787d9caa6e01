// CUDA's runtime as host code sees it. The device half of a `.cu` file contains no call of it, but
// clang also parses the host half.
#pragma once

// Programs search for the guards of CUDA's headers.
#define __DRIVER_TYPES_H__
#define __CUDA_RUNTIME_H__
#define __CUDA_RUNTIME_API_H__
#define CUDART_CB
#define CUDARTAPI
#define CUDART_VERSION 12000

// CUDA declares them for host code, too.
template <class A, class B> static __host__ inline decltype(A() + B()) min(A a, B b) { return a < b ? a : b; }
template <class A, class B> static __host__ inline decltype(A() + B()) max(A a, B b) { return a > b ? a : b; }

#include "host/errors.h"
#include "host/device.h"
#include "host/streams.h"
#include "host/memory.h"
#include "host/arrays.h"
#include "host/launch.h"
#include "host/graphs.h"

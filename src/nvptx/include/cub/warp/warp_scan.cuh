#pragma once
#include "warp_reduce.cuh"

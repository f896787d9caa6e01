// Switches that nvcc turns into jump tables (brx.idx): tools/build.sh lowers the required density.

/// A switch of eight cases, with a warp instruction in each under the mask of its case.
extern "C" __global__ void switch_collectives(const int *in, int *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31, v = in[i];
  int which = v & 7;
  unsigned mask = __match_any_sync(0xffffffffu, which);
  int leader = __ffs(mask) - 1, r;
  switch (which) {
    case 0: r = __ballot_sync(mask, v > 100); break;
    case 1: r = __shfl_sync(mask, v * 3, leader); break;
    case 2: r = __reduce_add_sync(mask, v); break;
    case 3: r = __reduce_max_sync(mask, v ^ lane); break;
    case 4: r = __match_any_sync(mask, v >> 4); break;
    case 5: r = __any_sync(mask, v > 200) * 5 + 1; break;
    case 6: {
      int same;
      r = __match_all_sync(mask, v, &same) + same;
      break;
    }
    default: r = __all_sync(mask, v > 3) ? lane : -lane; break;
  }
  out[i] = r;
}

/// A byte-code machine: a loop around a switch, with every thread at its own instruction.
extern "C" __global__ void bytecode(const unsigned char *code, const int *start, int *out, int codeLength, int fuel) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int pc = start[i], acc = i, x = 1;
  while (fuel-- > 0 && pc < codeLength) {
    int op = code[pc++];
    switch (op >> 4) {
      case 0: acc += op & 15; break;
      case 1: acc -= x; break;
      case 2: x = acc; break;
      case 3: acc *= (op & 15) + 1; break;
      case 4: acc ^= x << (op & 15); break;
      case 5: if (acc & 1) pc += op & 15; break;
      case 6: acc = acc / ((op & 15) + 1); break;
      case 7: if (acc > 1000) pc = codeLength; break;
      case 8: x = ~x; break;
      case 9: acc = acc < x ? x : acc; break;
      case 10: acc >>= op & 15; break;
      case 11: if (x < acc) pc = op & 15; break;
      default: acc++;
    }
  }
  out[i] = acc * 3 + pc;
}

__device__ __noinline__ int step(int state, unsigned letter) {
  switch (state) {
    case 0: return letter == 'a' ? 1 : letter == 'b' ? 4 : 0;
    case 1: return letter == 'b' ? 2 : 1;
    case 2: return letter == 'c' ? 3 : letter & 3;
    case 3: return letter == 'a' ? 7 : 3;
    case 4: return letter > 'm' ? 5 : 4;
    case 5: return letter % 7;
    case 6: return letter == 'z' ? 0 : 6;
    default: return 7 - (letter & 1);
  }
}

/// A finite automaton over bytes. Its step is a called function with a jump table.
extern "C" __global__ void switch_automaton(const unsigned char *text, unsigned *visits, int *last, int length) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int state = 0;
  unsigned seen = 1;
  for (int k = 0; k < length; k++) {
    state = step(state, text[i * length + k]);
    seen |= 1u << state;
  }
  visits[i] = seen;
  last[i] = state;
}

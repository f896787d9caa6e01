// The fields of the two words of an mbarrier. `emit/memory/mbarriers.ts` explains the layout.
export const mbarrierWords = {
  // The first word.
  parity: 0x8000_0000,
  parityShift: 31,
  highShift: 22,
  highMask: 0x1ff,
  pendingMask: 0x3f_ffff,
  noArrivals: 0x20_0000,
  // The second word.
  lowShift: 21,
  lowBits: 11,
  lowMask: 0x7ff,
  bytesMask: 0x1f_ffff,
  noBytes: 0x10_0000,
} as const;

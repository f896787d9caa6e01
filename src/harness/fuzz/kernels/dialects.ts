// The PTX that kernels are generated for.

/// PTX versions and targets that kernels are written for. `old` has the warp instructions without `.sync`; `newest`, redux on f32, which no
/// hardware of sm_90 runs.
export const dialects = {
  common: { version: '8.0', target: 'sm_90' },
  old: { version: '6.3', target: 'sm_70' },
  newest: { version: '8.6', target: 'sm_100a' },
} as const;
export type Dialect = keyof typeof dialects;

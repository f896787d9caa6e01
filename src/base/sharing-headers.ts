/** The headers with which a server allows a page to share memory between its threads. */
export const sharingHeaders = {
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-embedder-policy': 'require-corp',
} as const;

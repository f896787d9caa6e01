// What the process that owns a WebDriver session and its parent tell each other.

export type ToSessionOwner = {
  readonly kind: 'open';
  /** As the person gave it: may hold a user and a key. */
  readonly url: string;
  readonly capabilities: Readonly<Record<string, unknown>>;
};

export type FromSessionOwner =
  | { readonly kind: 'opened'; readonly id: string; readonly capabilities: readonly (readonly [string, unknown])[] }
  | { readonly kind: 'failed'; readonly message: string };

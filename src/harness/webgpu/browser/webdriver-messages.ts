// The messages between the process that owns a WebDriver session and its parent.

export type ToSessionOwner = {
  readonly kind: 'open';
  /** The address as the user wrote it. It may contain a user and a key. */
  readonly url: string;
  readonly capabilities: Readonly<Record<string, unknown>>;
};

export type FromSessionOwner =
  | { readonly kind: 'opened'; readonly id: string; readonly capabilities: readonly (readonly [string, unknown])[] }
  | { readonly kind: 'failed'; readonly message: string };

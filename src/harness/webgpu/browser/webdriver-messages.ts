// The messages between the process that owns a WebDriver session and its parent.

export type ToSessionOwner = {
  readonly kind: 'open';
  /** The address as the user wrote it. The address may contain a user name and a key. */
  readonly url: string;
  readonly capabilities: Readonly<Record<string, unknown>>;
};

export type FromSessionOwner =
  | { readonly kind: 'opened'; readonly id: string; readonly capabilities: readonly (readonly [string, unknown])[] }
  | { readonly kind: 'failed'; readonly message: string };

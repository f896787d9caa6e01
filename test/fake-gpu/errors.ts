// Reports a device's errors to the innermost error scope with a matching filter, or else as an
// event. https://www.w3.org/TR/webgpu/#errors-and-debugging

export class FakeError implements GPUError {
  readonly kind: GPUErrorFilter;
  readonly message: string;

  constructor(kind: GPUErrorFilter, message: string) {
    this.kind = kind;
    this.message = message;
  }

  toString(): string {
    return this.message;
  }
}

export class UncapturedErrorEvent extends Event implements GPUUncapturedErrorEvent {
  readonly __brand = 'GPUUncapturedErrorEvent';
  readonly error: FakeError;

  constructor(error: FakeError) {
    super('uncapturederror', { cancelable: true });
    this.error = error;
  }
}

interface Scope {
  readonly filter: GPUErrorFilter;
  first: FakeError | undefined;
}

export class ErrorScopes {
  readonly #scopes: Scope[] = [];
  readonly #onUncaptured: (error: FakeError) => void;

  constructor(onUncaptured: (error: FakeError) => void) {
    this.#onUncaptured = onUncaptured;
  }

  get depth(): number {
    return this.#scopes.length;
  }

  push(filter: GPUErrorFilter): void {
    this.#scopes.push({ filter, first: undefined });
  }

  /**
   * Returns the first error of the innermost scope. Throws `OperationError` if no scope is open.
   */
  pop(): FakeError | undefined {
    const scope = this.#scopes.pop();
    if (!scope) throw operationError('popErrorScope: the stack of error scopes is empty');
    return scope.first;
  }

  report(error: FakeError): void {
    const scope = this.#scopes.findLast(({ filter }) => filter === error.kind);
    if (scope) scope.first ??= error;
    else this.#onUncaptured(error);
  }
}

export const operationError = (message: string): DOMException => new DOMException(message, 'OperationError');
export const abortError = (message: string): DOMException => new DOMException(message, 'AbortError');

/**
 * Throws an error for a method that the fake does not implement, so that a test cannot mistake it
 * for an error of WebGPU.
 */
export function unsupported(method: string): never {
  throw new Error(`the fake GPU lacks ${method}`);
}

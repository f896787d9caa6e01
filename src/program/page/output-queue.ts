// What a program has written and Node has not yet received.
import type { ProgramOutcome, Written } from './wire.ts';

/** The maximum number of bytes in one answer. */
export const maxAnswerBytes = 1 << 20;

export class OutputQueue {
  readonly #written: Written[] = [];
  #end: ProgramOutcome | undefined;
  #notify: () => void = () => undefined;

  write(stream: 1 | 2, bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; at += maxAnswerBytes)
      this.#written.push({ stream, bytes: bytes.subarray(at, at + maxAnswerBytes) });
    this.#notify();
  }

  end(outcome: ProgramOutcome): void {
    this.#end = outcome;
    this.#notify();
  }

  /** Resolves with the next pieces, in order, and with the end after the last piece. */
  async next(): Promise<{ readonly written: readonly Written[]; readonly end: ProgramOutcome | undefined }> {
    while (this.#written.length === 0 && this.#end === undefined)
      await new Promise<void>((resolve) => {
        this.#notify = resolve;
      });
    let bytes = 0;
    const count = this.#written.findIndex((piece) => {
      bytes += piece.bytes.length;
      return bytes > maxAnswerBytes;
    });
    const written = this.#written.splice(0, count < 0 ? this.#written.length : count);
    return { written, end: this.#written.length === 0 ? this.#end : undefined };
  }
}

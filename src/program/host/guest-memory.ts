// The linear memory of a program, as the functions that it imports see it.

/** Reads and writes a program's memory. */
export class GuestMemory {
  readonly #memory: WebAssembly.Memory;
  #view: DataView;

  constructor(memory: WebAssembly.Memory) {
    this.#memory = memory;
    this.#view = new DataView(memory.buffer);
  }

  get view(): DataView {
    // Memory that grows has another buffer.
    const { buffer } = this.#memory;
    if (this.#view.buffer !== buffer) this.#view = new DataView(buffer);
    return this.#view;
  }

  /** Returns the bytes of a range, which are those of the program. */
  bytes(address: number, count: number): Uint8Array<ArrayBuffer> {
    return new Uint8Array(this.#memory.buffer as ArrayBuffer, address >>> 0, count >>> 0);
  }

  u32(address: number): number {
    return this.view.getUint32(address >>> 0, true);
  }

  setU32(address: number, value: number): void {
    this.view.setUint32(address >>> 0, value >>> 0, true);
  }

  setU64(address: number, value: bigint): void {
    this.view.setBigUint64(address >>> 0, value, true);
  }

  /** Returns three words, such as the members of a `dim3`. */
  triple(address: number): readonly [number, number, number] {
    return [this.u32(address), this.u32(address + 4), this.u32(address + 8)];
  }

  /** Returns a text of C, without its end. */
  text(address: number): string {
    const all = new Uint8Array(this.#memory.buffer, address >>> 0);
    return new TextDecoder().decode(all.slice(0, all.indexOf(0)));
  }
}

/// <reference types="vite/client" />

interface ImportMetaEnv {
  readonly VITE_LANEWISE_VERSION: string;
  /** The version of clang in WebAssembly, and the size of its compressed files. */
  readonly VITE_CLANG_VERSION: string;
  readonly VITE_CLANG_BYTES: number;
}

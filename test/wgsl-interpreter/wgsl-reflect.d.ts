// The package's `main` is CommonJS under `"type": "module"`, which Node cannot import; its ES
// module lacks types.
declare module 'wgsl_reflect/wgsl_reflect.module.js' {
  export * from 'wgsl_reflect';
}

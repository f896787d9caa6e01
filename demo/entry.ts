// The one script of the page and of its GPU worker, so that both share their modules: nothing is loaded twice.
export {};

if (typeof document === 'undefined') await import('./gpu/worker.ts');
else {
  const { start } = await import('./main.ts');
  await start(import.meta.url);
}

// The one script of the page and of its GPU worker, so that both share their modules: nothing is loaded twice.
export {};

if (typeof document === 'undefined') {
  // Requests may arrive while the modules load.
  const early: MessageEvent[] = [];
  const keep = (event: MessageEvent): void => void early.push(event);
  self.addEventListener('message', keep);
  const { serve } = await import('./gpu/worker.ts');
  self.removeEventListener('message', keep);
  serve(early);
} else {
  const { start } = await import('./main.ts');
  await start(import.meta.url);
}

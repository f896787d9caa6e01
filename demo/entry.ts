// The only script of the page and of its workers: they share its modules, so nothing is loaded
// twice.
export {};

if (typeof document === 'undefined') {
  // Requests may arrive while the modules load.
  const early: MessageEvent[] = [];
  const keep = (event: MessageEvent): void => void early.push(event);
  self.addEventListener('message', keep);
  const { answer } = self.name === 'gpu' ? await import('./gpu/worker.ts') : await import('./compiler/worker.ts');
  self.removeEventListener('message', keep);
  answer(early);
} else {
  const { start } = await import('./main.ts');
  await start(import.meta.url);
}

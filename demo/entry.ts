// The only script of the playground, of the lessons, and of their workers. A page and its workers
// share modules, so that the browser loads each module only once.
export {};

if (typeof document === 'undefined') {
  // Requests may arrive while the modules load.
  const early: MessageEvent[] = [];
  const keep = (event: MessageEvent): void => void early.push(event);
  self.addEventListener('message', keep);
  const workers = {
    gpu: () => import('./gpu/worker.ts'),
    compiler: () => import('./compiler/worker.ts'),
    clang: () => import('./clang/compile.ts'),
    program: () => import('./whole-program/run.ts'),
    'program-host': () => import('./whole-program/host.ts'),
  };
  const role = Object.keys(workers).find((name): name is keyof typeof workers => name === self.name) ?? 'compiler';
  const { answer } = await workers[role]();
  self.removeEventListener('message', keep);
  answer(early);
} else {
  const isLessons = document.body.dataset.page === 'lessons';
  const { start } = await (isLessons ? import('./lessons/page.ts') : import('./main.ts'));
  await start(import.meta.url);
}

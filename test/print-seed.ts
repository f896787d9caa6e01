// Runs before each test file. A failing test prints the seed that reproduces its random choices.
import { beforeEach, onTestFailed } from 'vitest';
import { seed } from './seed.ts';

beforeEach(() => {
  onTestFailed(({ task }) => console.error(`LANEWISE_SEED=${seed} draws the same again for: ${task.name}`));
});

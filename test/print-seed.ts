// Runs before each test file: a test that fails prints the seed that draws the same again.
import { beforeEach, onTestFailed } from 'vitest';
import { seed } from './seed.ts';

beforeEach(() => {
  onTestFailed(({ task }) => console.error(`LANEWISE_SEED=${seed} draws the same again for: ${task.name}`));
});

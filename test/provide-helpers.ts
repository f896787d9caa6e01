// Runs before each test file. Tests print shaders with any helper, without `translate`.
import { provideHelpers } from '../src/wgsl/helpers/library.ts';
import { rareHelpers } from '../src/wgsl/helpers/rare.ts';

provideHelpers(rareHelpers);

// Runs before each test file. Tests use single passes and print shaders with any helper, without `translate`.
import { provideAllParts } from '../src/translate/parts/all.ts';

provideAllParts();

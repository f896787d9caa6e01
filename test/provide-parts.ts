// Provides all parts of the compiler before each test file, because tests use single passes and
// helpers without `translate`.
import { provideAllParts } from '../src/translate/parts/all.ts';

provideAllParts();

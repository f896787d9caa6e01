// Runs before each test file. It provides all parts of the compiler, because tests use single
// passes and helpers without `translate`.
import { provideAllParts } from '../src/translate/parts/all.ts';

provideAllParts();

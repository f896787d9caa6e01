// Sets flags of V8 in the child processes of tests (vitest.config.ts).
const { setFlagsFromString } = require('node:v8');

for (const flag of (process.env.LANEWISE_TEST_FLAGS ?? '').split(' ').filter(Boolean)) setFlagsFromString(flag);

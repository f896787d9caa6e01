// The PTX memory consistency model: verdicts on small programs.
export { allowedOutcomes, type Verdict, verdictOf } from './check.ts';
export { litmusDiagnostics } from './diagnostics.ts';
export { type Condition, compareOutcomes, holds, type Observable, type Outcome } from './litmus/condition.ts';
export type { LitmusTest, TestThread, TestVariable } from './litmus/litmus-test.ts';
export { parseLitmus } from './litmus/parse-litmus.ts';
export { raiseIn } from './litmus/raise.ts';

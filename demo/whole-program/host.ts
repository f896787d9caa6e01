// The worker that runs the host half of a program, in browsers without JSPI.
export { runHostThread as answer } from '../../src/program/page/host-thread.ts';

// Jest's Node environment, with quick globals and a record of the processor time that each suite took.
import { appendFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { relative } from 'node:path';
import vm from 'node:vm';
import { TestEnvironment } from 'jest-environment-node';
import { processorSeconds } from '../../scripts/toolchain/processor_time.mjs';

/**
 * Node looks up the globals of an ordinary vm context through interceptors, a hundred times as slowly as a program's own, and
 * tests use Math and Uint8Array for every sample. Node 20.18, 22.8 and later have contexts without interceptors.
 */
const { DONT_CONTEXTIFY } = vm.constants;

/** Where scripts/test.mjs reads it: a line of JSON for each suite. */
const record = process.env.SUSURRUS_SUITE_SECONDS;

export default class extends TestEnvironment {
  #suite;
  #begun = processorSeconds();

  constructor(config, context) {
    const { createContext } = vm;
    if (DONT_CONTEXTIFY) vm.createContext = () => createContext(DONT_CONTEXTIFY);
    try {
      super(config, context);
    } finally {
      vm.createContext = createContext;
    }
    // For what is large and keeps nothing of a suite: loaded once for all that a worker runs, outside of their contexts.
    this.global.requirePastJest = createRequire(import.meta.url);
    this.#suite = relative(config.projectConfig.rootDir, context.testPath);
  }

  async teardown() {
    await super.teardown();
    if (!record) return;
    const seconds = processorSeconds() - this.#begun;
    appendFileSync(record, `${JSON.stringify({ name: this.#suite, seconds })}\n`);
  }
}

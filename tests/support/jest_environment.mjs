// Jest's Node environment, with quick globals and a record of the processor time that each suite took.
import { appendFileSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import vm from 'node:vm';
import { TestEnvironment } from 'jest-environment-node';

/**
 * Node looks up the globals of an ordinary vm context through interceptors, a hundred times as slowly as a program's own, and
 * tests use Math and Uint8Array for every sample. Node 20.18, 22.8 and later have contexts without interceptors.
 */
const { DONT_CONTEXTIFY } = vm.constants;

/** Where scripts/test.mjs reads it: a line of JSON for each suite. */
const record = process.env.SUSURRUS_SUITE_SECONDS;

/** Processor seconds of this process and of its children that have ended. */
function processorSeconds() {
  try {
    // After the program's name, which may hold spaces: utime, stime, cutime and cstime are the fields 14 to 17, in ticks of 10 ms.
    const fields = readFileSync('/proc/self/stat', 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / 100;
  } catch {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  }
}

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
    this.#suite = relative(config.projectConfig.rootDir, context.testPath);
  }

  async teardown() {
    await super.teardown();
    if (!record) return;
    const seconds = processorSeconds() - this.#begun;
    appendFileSync(record, `${JSON.stringify({ name: this.#suite, seconds })}\n`);
  }
}

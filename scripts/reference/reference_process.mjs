// The Python process that runs a reference: a question, then its answer.
import { spawn } from 'node:child_process';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';

const folder = join(import.meta.dirname, 'python');

/** One thread each: that is repeatable, and other processes run beside it. */
const environment = {
  OMP_NUM_THREADS: '1',
  NUMBA_NUM_THREADS: '1',
  PYTHONDONTWRITEBYTECODE: '1',
};

export class ReferenceProcess {
  #child;
  #errors = '';
  #waiting;

  /**
   * @param {string} python a Python that has what the worker imports
   * @param {string[]} worker a file of python/, or a path, and its arguments
   */
  constructor(python, [worker, ...given] = ['worker.py']) {
    this.#child = spawn(python, [resolve(folder, worker), ...given], {
      env: { ...process.env, ...environment },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    this.#child.stderr.on('data', (text) => {
      this.#errors = (this.#errors + text).slice(-4000);
    });
    createInterface(this.#child.stdout).on('line', (line) =>
      this.#settle('done', JSON.parse(line)),
    );
    const ended = (how) => {
      this.#settle('failed', new Error(`The reference ended (${how}).\n${this.#errors}`));
    };
    this.#child.on('error', (error) => ended(error.message));
    this.#child.on('close', (code, signal) => ended(signal ?? `status ${code}`));
    this.#child.stdin.on('error', () => undefined); // told by close
  }

  #settle(how, value) {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.[how](value);
  }

  /** Returns the worker's answer; fails when the process has ended. One question at a time. */
  ask(request) {
    return new Promise((done, failed) => {
      this.#waiting = { done, failed };
      if (this.#child.exitCode !== null) {
        this.#settle('failed', new Error(`The reference has ended.\n${this.#errors}`));
      } else this.#child.stdin.write(`${JSON.stringify(request)}\n`);
    });
  }

  /** As ask(), and an answer that is an error fails. */
  async need(request) {
    const answer = await this.ask(request);
    if (!answer.ok)
      throw new Error(`${request.command}: ${answer.error.kind}: ${answer.error.message}`);
    return answer;
  }

  close() {
    this.#child.stdin.end();
  }
}

// Work that needs other work to be done first.

/**
 * @typedef {object} Task
 * @property {string} name
 * @property {readonly string[]} [needs] Names of tasks that end before this one begins; those that are not given are done.
 * @property {() => unknown} run
 */

/**
 * Runs tasks, at most `lanes` at a time: whenever one ends, the first in order whose needs are met begins. Returns those that
 * failed, with their errors, and those that did not run since they need one that failed.
 * @type {(tasks: readonly Task[], lanes: number) => Promise<{ name: string, error?: unknown }[]>}
 */
export async function runInOrder(tasks, lanes) {
  const left = [...tasks];
  const undone = new Set(tasks.map(({ name }) => name));
  /** @type {Map<string, { name: string, error?: unknown }>} */
  const failed = new Map();
  /** @type {Set<Promise<void>>} */
  const running = new Set();

  const begin = (task) => {
    const end = (error) => {
      if (error !== undefined) failed.set(task.name, { name: task.name, error });
      undone.delete(task.name);
      running.delete(promise);
    };
    const promise = (async () => task.run())().then(
      () => end(undefined),
      (error) => end(error ?? 'failed'),
    );
    running.add(promise);
  };

  while (left.length > 0 || running.size > 0) {
    for (let at = 0; at < left.length;) {
      const { name, needs = [] } = left[at];
      if (needs.some((need) => failed.has(need))) {
        failed.set(name, { name });
        undone.delete(name);
        left.splice(at, 1);
        at = 0;
      } else if (running.size < lanes && !needs.some((need) => undone.has(need))) {
        begin(left.splice(at, 1)[0]);
        at = 0;
      } else ++at;
    }
    if (running.size > 0) await Promise.race(running);
    else if (left.length > 0)
      throw new Error(`Tasks wait for each other: ${left.map(({ name }) => name).join(', ')}`);
  }
  return [...failed.values()];
}

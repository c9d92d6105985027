// Several who need a sleeping engine at the same time: one waking, however each of them ends.
import { expect, test } from '@jest/globals';
import { RestingEngine } from '../../web/src/model/resting_engine.js';
import type { EngineLink } from '../../web/src/protocol/engine.js';
import { errorOf } from '../support/embedded_model.js';
import { turns } from '../support/turns.js';

class FakeEngine {
  isClosed = false;
  call(): Promise<unknown> {
    return Promise.resolve(this);
  }
  close(): void {
    this.isClosed = true;
  }
}

/** An engine that sleeps, and its loads, which end when the test says so. */
async function sleeping() {
  const loads: { signal: AbortSignal; engine: FakeEngine; arrive: () => void }[] = [];
  const resting = new RestingEngine(new FakeEngine() as unknown as EngineLink);
  resting.sleepAfter(0, (signal) => {
    const engine = new FakeEngine();
    return new Promise((done, failed) => {
      const load = { signal, engine, arrive: () => done(engine as unknown as EngineLink) };
      loads.push(load);
      signal.addEventListener('abort', () => failed(new Error('The load stops.')));
    });
  });
  while (!resting.asleep) await turns(1);
  const begin = (signal?: AbortSignal): Promise<unknown> =>
    resting.use({}, () => resting.call('memory', undefined), signal);
  return { resting, loads, begin };
}

test('all get the engine of one load', async () => {
  const { loads, begin } = await sleeping();
  const works = [begin(), begin()];
  await turns(1);
  works.push(begin());
  loads[0]?.arrive();
  const engines = await Promise.all(works);
  expect(loads).toHaveLength(1);
  expect(new Set(engines)).toEqual(new Set([loads[0]?.engine]));
});

test.each(['why', 0, undefined])('the abort of one, with %p, is no other’s', async (reason) => {
  for (const isFirst of [true, false]) {
    const { loads, begin } = await sleeping();
    const controller = new AbortController();
    const signals = isFirst ? [controller.signal, undefined] : [undefined, controller.signal];
    const works = signals.map(begin);
    await turns(1);
    controller.abort(reason);
    expect(await errorOf(works[isFirst ? 0 : 1]!)).toBe(controller.signal.reason);
    expect(loads[0]?.signal.aborted).toBe(false);
    loads[0]?.arrive();
    expect(await works[isFirst ? 1 : 0]).toBe(loads[0]?.engine);
    expect(loads).toHaveLength(1);
  }
});

test('when all abort, the load stops; who comes right behind them has one of their own', async () => {
  const { resting, loads, begin } = await sleeping();
  const controllers = [new AbortController(), new AbortController()];
  const failing = controllers.map(({ signal }) => errorOf(begin(signal)));
  await turns(1);
  for (const controller of controllers) controller.abort();
  const next = begin();
  const reasons = controllers.map(({ signal }): unknown => signal.reason);
  for (const [i, failure] of failing.entries()) expect(await failure).toBe(reasons[i]);
  const last = loads.at(-1);
  // `next` came before the aborts took effect, so it takes over that load.
  last?.arrive();
  expect(await next).toBe(last?.engine);
  const gone = [new AbortController()];
  while (!resting.asleep) await turns(1);
  const alone = errorOf(begin(gone[0]?.signal));
  await turns(1);
  gone[0]?.abort();
  await alone;
  await turns(1);
  expect(loads.at(-1)?.signal.aborted).toBe(true);
  const again = begin();
  await turns(1);
  loads.at(-1)?.arrive();
  expect(await again).toBe(loads.at(-1)?.engine);
});

test('dispose() during a shared waking fails all, stops the load, and leaves no engine', async () => {
  const { resting, loads, begin } = await sleeping();
  const failing = [begin(), begin()].map((work) => errorOf(work));
  await turns(1);
  resting.close();
  resting.close();
  for (const error of await Promise.all(failing)) expect(error).toMatchObject({ code: 'aborted' });
  expect(loads).toHaveLength(1);
  expect(loads[0]?.signal.aborted).toBe(true);
});

test('an engine that arrives when nobody needs it any more is closed', async () => {
  const engine = new FakeEngine();
  let arrive!: () => void;
  const resting = new RestingEngine(new FakeEngine() as unknown as EngineLink);
  // A load that does not heed its signal.
  resting.sleepAfter(
    0,
    () => new Promise((done) => (arrive = () => done(engine as unknown as EngineLink))),
  );
  while (!resting.asleep) await turns(1);
  const failing = errorOf(resting.use({}, () => Promise.resolve(), undefined));
  await turns(1);
  resting.close();
  arrive();
  expect(await failing).toMatchObject({ code: 'aborted' });
  expect(engine.isClosed).toBe(true);
});

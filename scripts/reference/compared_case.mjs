// One case: drawn, run by the reference and by Susurrus, compared, and explained where they differ.
import { writeFileSync } from 'node:fs';
import { apiOptions } from './api_options.mjs';
import { caseSamples } from './audio.mjs';
import { closestSteps, compareResults, firstDifferingStep, inApiNames } from './compare.mjs';
import { drawCase } from './draw.mjs';
import { Random } from './random.mjs';

/** Decode calls of one case; what needs more is drawn again. */
const mostWindows = 32;
const mostDraws = 100;
/** Noisy runs that a difference is measured against: a tie survives each with probability ½. */
const noisyRuns = 8;
const millisecondsOfACase = 900_000;

/**
 * `session`: { reference, model(name) → a loaded Model, models: [{ name, folder, dims }], recordings: [{ name, samples }],
 * samplesOf: Map of name → samples, samplesFile, seed, cases: undefined, or those that are given rather than drawn }.
 */
export async function compareCase(session, index) {
  const redrawn = [];
  const draws = session.cases ? 1 : mostDraws;
  for (let draw = 0; draw < draws; ++draw) {
    const random = new Random(`${session.seed}/${index}/${draw}`);
    const drawn = session.cases?.[index] ?? drawCase(random, session.models, session.recordings);
    const samples = caseSamples(drawn.audio, session.samplesOf);
    writeFileSync(session.samplesFile, samples);
    const answer = await runReference(session, drawn);
    // What the reference itself refuses, or takes too long for, is no case.
    if (answer.ok) return { index, redrawn, ...(await judge(session, drawn, samples, answer)) };
    redrawn.push(answer.error);
  }
  throw new Error(`Case ${index}: the reference refused ${draws} draws: ${redrawn[0].message}`);
}

function runReference({ reference, models, samplesFile }, drawn, noise) {
  return reference.ask({
    command: 'run',
    model: models.find(({ name }) => name === drawn.model).folder,
    function: drawn.function,
    samples: samplesFile,
    options: drawn.options,
    most_windows: mostWindows,
    noise: noise ?? null,
  });
}

async function runSusurrus(session, drawn, samples, withLanguages) {
  const model = await session.model(drawn.model);
  const signal = AbortSignal.timeout(millisecondsOfACase);
  const result = await model[drawn.function](samples, { ...apiOptions(drawn.options), signal });
  if (!withLanguages) return result;
  return { ...result, languageProbabilities: await model.detectLanguage(samples, { signal }) };
}

/** { step } or, where no token that was kept differs before the window at `seek` ends, { closest }. */
function whereItBegan(windows, result, seek) {
  const step = firstDifferingStep(windows, result);
  if (step && step.seek <= seek) return { step };
  return { closest: closestSteps(windows, seek) };
}

/** { status: 'equal' | 'fragile' | 'different', drawn, windows, differences, step? or closest? } */
async function judge(session, drawn, samples, answer) {
  const facts = { drawn, windows: answer.windows.length };
  let result;
  try {
    const withLanguages = Boolean(answer.result.language_probs);
    result = await runSusurrus(session, drawn, samples, withLanguages);
  } catch (error) {
    const refusal = { field: 'refused', reference: 'a result', susurrus: String(error.message) };
    return { ...facts, status: 'different', differences: [{ seek: 0, ...refusal }] };
  }
  const differences = compareResults(drawn, answer.result, result);
  if (differences.length === 0) return { ...facts, status: 'equal', differences };
  const fragile = await isFragile(session, drawn, answer.result, differences[0].seek);
  const step = whereItBegan(answer.windows, result, differences[0].seek);
  return { ...facts, status: fragile ? 'fragile' : 'different', differences, ...step };
}

/**
 * Whether the reference changes its own result under a little noise, and no later than in the window where Susurrus's
 * differs: what comes after a change is another history.
 */
async function isFragile(session, drawn, clean, seek) {
  for (let run = 1; run <= noisyRuns; ++run) {
    const noisy = await runReference(session, drawn, run);
    if (!noisy.ok) return true;
    const [change] = compareResults(drawn, clean, inApiNames(noisy.result));
    if (change && change.seek <= seek) return true;
  }
  return false;
}

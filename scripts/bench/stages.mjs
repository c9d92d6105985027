// The stages of one window, engine beside engine: every run measures each case once, so that a busy machine disturbs all.
import { downloadSizes } from './download_sizes.mjs';
import { progress } from './progress.mjs';
import {
  benchDims,
  benchModel,
  decoderModels,
  ggmlModel,
  noiseFile,
  onnxModels,
  referenceFiles,
} from './models.mjs';

/** Cases of ours: {name, weights, variant, threads, job}. */
async function ourCases({ size, model, dtypes, variants, threads, tokens, isQuick }, audio) {
  const models = [];
  for (const weights of model === undefined ? dtypes : ['as the file']) {
    progress(`model ${size} ${weights}`);
    models.push({
      weights,
      model: model ?? (await benchModel(size, weights)),
      decoder: model === undefined ? await decoderModels(size, weights) : undefined,
    });
  }
  return models.flatMap(({ weights, model, decoder }) =>
    variants.flatMap((variant) =>
      threads.map((count) => ({
        ...{ engine: 'ours', weights, variant, threads: count },
        job: {
          kind: 'ours',
          ...{ model, audio, decoder, variant, tokens, threads: count, repeats: isQuick ? 1 : 3 },
        },
      })),
    ),
  );
}

async function onnxCases({ size, threads, tokens }) {
  const dims = await benchDims(size);
  const reference = await referenceFiles(size);
  const cases = [];
  for (const weights of ['fp32', 'int8']) {
    progress(`network ${size} ${weights}`);
    const networks = await onnxModels(size, weights, dims);
    for (const count of threads) {
      cases.push({
        ...{ engine: 'onnxruntime-web', weights, variant: 'simd', threads: count },
        job: {
          kind: 'onnx',
          ...{ ...networks, ...reference, dims, tokens, threads: count, repeats: 3 },
        },
      });
    }
  }
  return cases;
}

/** Measures all that the options ask for: {cases: [{engine, weights, variant, threads, runs}], limits, whisperCpp, skipped}. */
export async function measureStages(options, place) {
  const audio = await noiseFile();
  const cases = await ourCases(options, audio);
  if (options.hasPeers) cases.push(...(await onnxCases(options)));
  const limits = [];
  const skipped = [];
  const measured = new Map(cases.map((one) => [one, []]));
  for (let run = 1; run <= options.runs; ++run) {
    progress(`run ${run} of ${options.runs}: limits`);
    limits.push(await place.run({ kind: 'limits', isQuick: options.isQuick }));
    for (const [one, results] of measured) {
      const { engine, weights, variant, threads } = one;
      progress(
        `run ${run} of ${options.runs}: ${engine} ${weights} ${variant}, ${threads} threads`,
      );
      const result = await place.run(one.job);
      if (!result.skipped) {
        results.push(result);
      } else {
        skipped.push(`${weights} ${variant}, ${result.skipped}`);
        measured.delete(one);
      }
    }
  }
  let whisperCpp;
  if (options.hasPeers && options.isBrowser) {
    progress('whisper.cpp');
    const ggml = await ggmlModel(options.size, await benchDims(options.size));
    whisperCpp = await place.run({ kind: 'whisperCpp', isIsolated: true, ggml, audio, threads: 1 });
  }
  return {
    cases: Array.from(measured, ([{ engine, weights, variant, threads }, runs]) => {
      return { engine, weights, variant, threads, runs };
    }),
    ...{ limits, whisperCpp, skipped },
    sizes: options.isQuick ? [] : downloadSizes(),
  };
}

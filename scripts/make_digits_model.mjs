// Makes models/digits.apr with our own converter from a trained folder (scripts/digits-model/README.md).
//
//   node scripts/make_digits_model.mjs FOLDER [OUTPUT] [--dtype f16|q8_0|f32] [--compress lz4|none]
//
// Without options: what is shipped. models/README.md says why.
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { main, root, run, StepError } from './toolchain/steps.mjs';

await main(async () => {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: {
      dtype: { type: 'string', default: 'f16' },
      compress: { type: 'string', default: 'lz4' },
    },
  });
  const [folder, output = resolve(root, 'models/digits.apr')] = positionals;
  if (!folder) throw new StepError('Name the folder with the trained model.');
  const options = ['--dtype', values.dtype, '--compress', values.compress, '--force'];
  await run(
    process.execPath,
    [resolve(root, 'dist/cli.mjs'), 'convert', resolve(folder), resolve(output), ...options],
    {
      what: 'susurrus convert',
      advice: 'Build it first: npm run build.',
      show: true,
    },
  );
});

import { generateSigningKey } from '../src/node_files.js';
import { parse, usageError } from './arguments.js';
import { hexOf, writeKeyFiles } from './key_files.js';
import { print, tell } from './terminal.js';

export const keygenArguments = {
  output: { type: 'string' },
  symmetric: { type: 'boolean' },
  force: { type: 'boolean' },
} as const;

export async function keygenCommand(args: readonly string[]): Promise<void> {
  const { values, positionals } = parse(args, keygenArguments);
  if (positionals.length > 0)
    throw usageError('keygen takes no file; --output says where the keys go');
  const { output: prefix = 'susurrus', symmetric, force = false } = values;
  if (symmetric) {
    const key = crypto.getRandomValues(new Uint8Array(32));
    await writeKeyFiles([{ path: `${prefix}.aes`, kind: 'aes', key }], force);
    tell(`wrote ${prefix}.aes, which opens what it encrypts: keep it secret\n`);
    return;
  }
  const { privateKey, publicKey } = await generateSigningKey();
  await writeKeyFiles(
    [
      { path: `${prefix}.key`, kind: 'private', key: privateKey },
      { path: `${prefix}.pub`, kind: 'public', key: publicKey },
    ],
    force,
  );
  tell(`wrote ${prefix}.key, which signs: keep it secret; and ${prefix}.pub\n`);
  print(`${hexOf(publicKey)}\n`);
}

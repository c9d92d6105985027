// Conversion itself, wherever it runs: a folder of files in, one file or several out.
import type { ConvertResult } from '../../src/api/types.js';
import type { YieldController } from '../../src/wasm/yield_controller.js';
import { SusurrusError } from '../../src/api/errors.js';
import type { Converter } from '../files/files.mjs';
import type { FilesModule } from '../files/module.js';
import { openCheckpoint, type OpenedCheckpoint } from './checkpoint.js';
import type { SourceOptions } from './convert_options.js';
import { checkWhisperName } from './file_names.js';
import { slaneyFilterbank } from './filterbank.js';
import { hubFiles } from './hub_files.js';
import type { JsonObject } from './json_files.js';
import type { Architecture } from '../../src/api/generated/whisper.js';
import { isAprModel, openAprModel } from './apr_model.js';
import { ModelFiles, type PlannedFile } from './model_files.js';
import { largeFileWarnings, type CreateFile } from '../../src/platform/output.js';
import { repackFile } from './repack_file.js';
import { runConverter } from './run_converter.js';
import { readSourceParts, type SourceParts } from './source_parts.js';
import type { SourceFolder } from '../../src/platform/source_folder.js';
import { findWeightFiles } from './weight_files.js';

export interface Destination {
  readonly create: CreateFile;
  /** Name of the file; a manifest's shards are named after it. */
  readonly name: string;
  /** Files of the hub are written beside the weights. */
  readonly isFolder?: boolean;
}

/** `options` are sound, and name no files (convert_options.ts). */
export async function convertSource(
  module: FilesModule,
  folder: SourceFolder,
  destination: Destination,
  options: SourceOptions,
  yielder: YieldController,
): Promise<ConvertResult> {
  const {
    format = 'apr2',
    onProgress,
    shardSize = 0,
    alignment = 64,
    filterbank = 'auto',
  } = options;
  const compress = options.compress ?? (format === 'apr2' ? 'lz4' : 'none');
  const { weightsFile } = folder;
  if (weightsFile !== undefined && options.sourceFormat === undefined) {
    const task = { ...destination, folder, file: weightsFile, options, yielder };
    const repacked = await repackFile(module, task);
    if (repacked) return repacked;
  }
  checkWhisperName(destination.name);
  const weights: OpenedCheckpoint[] = [];
  let converter: Converter | undefined;
  try {
    for (const file of await findWeightFiles(folder)) {
      const open = (await isAprModel(folder, file)) ? openAprModel : openCheckpoint;
      weights.push(
        await open(
          module,
          folder,
          file,
          yielder,
          (loaded, total) =>
            onProgress?.({ phase: 'inspect', loaded, total, fraction: loaded / total }),
          filterbank,
        ),
      );
    }
    refuseOthers(weights, options);
    const source = await readSourceParts(module, folder, weights, options);
    // The inspection has already warned about APR files, and a filterbank that the caller chose needs no warning.
    const isForeign = filterbank === 'auto' && weights.every(({ metadata }) => !metadata);
    const running = (converter = new module.Converter(
      format,
      source.dtype,
      compress === 'lz4',
      shardSize,
      alignment,
    ));
    if (filterbank === 'whisper') running.leaveOutFilterbankTensor();
    const planned = (): PlannedFile[] => JSON.parse(running.files()) as PlannedFile[];
    let output: ModelFiles | undefined;
    await runConverter(module, running, {
      folder,
      weights,
      metadata: source.metadata,
      yielder,
      onPlan: () => {
        const manifest = shardSize > 0 ? destination.name : undefined;
        output = new ModelFiles(destination.create, planned(), manifest);
      },
      onTensor: async (tensor) => output?.begin(tensor),
      write: async (bytes) => output?.write(bytes),
      onProgress: (loaded, total) =>
        onProgress?.({
          phase: 'convert',
          loaded,
          total,
          fraction: total === 0 ? 1 : loaded / total,
        }),
    });
    const shards = (await output?.finish(planned())) ?? [];
    const tensors = JSON.parse(running.tensors()) as ConvertResult['tensors'];
    const beside = destination.isFolder
      ? await writeHubFiles(module, destination, source, tensors, yielder)
      : { files: shards, byteCount: 0 };
    return {
      byteCount: (output?.byteCount ?? 0) + beside.byteCount,
      tensorCount: running.tensorCount(),
      tensors,
      ...(beside.files.length > 0 && { files: beside.files }),
      warnings: [
        ...source.warnings,
        ...(JSON.parse(running.warnings()) as string[]),
        ...(isForeign ? [running.filterbankWarning()].filter(Boolean) : []),
        ...(format === 'apr2' && shardSize === 0 ? largeFileWarnings(output?.byteCount ?? 0) : []),
      ],
    };
  } finally {
    converter?.delete();
    for (const { core } of weights) core.delete();
  }
}

const torchTypes: Readonly<Record<string, string>> = {
  f32: 'float32',
  f16: 'float16',
  bf16: 'bfloat16',
};

async function writeHubFiles(
  module: FilesModule,
  { create, name }: Destination,
  { metadata: text, vocabulary }: SourceParts,
  tensors: ConvertResult['tensors'],
  yielder: YieldController,
): Promise<{ readonly files: readonly string[]; readonly byteCount: number }> {
  const metadata = JSON.parse(text) as JsonObject;
  const architecture = metadata.architecture as Architecture;
  const embedding = tensors.find((tensor) => tensor.name === 'decoder.token_embedding.weight');
  const filterbank = Float32Array.from((metadata.mel_filterbank as number[] | undefined) ?? []);
  const slaney = slaneyFilterbank(module, architecture.n_mels);
  const isOwn = filterbank.some((weight, i) => weight !== slaney[i]);
  const files = await hubFiles(
    {
      architecture,
      metadata,
      vocabulary: vocabulary?.tokens,
      filterbank: isOwn ? filterbank : undefined,
      torchType: torchTypes[embedding?.dtype ?? ''] ?? 'float32',
    },
    yielder,
  );
  let byteCount = 0;
  for (const file of files) {
    const bytes = new TextEncoder().encode(file.text);
    byteCount += bytes.length;
    await (
      await create(file.name)
    )(bytes);
  }
  return { files: [name, ...files.map((file) => file.name)], byteCount };
}

function refuseOthers([first]: readonly OpenedCheckpoint[], { sourceFormat }: SourceOptions): void {
  const format = first?.facts.format ?? '';
  if (sourceFormat === undefined || format.startsWith(sourceFormat)) return;
  const file = first?.files[0] ?? '';
  throw new SusurrusError(
    'unsupported_feature',
    `${file}: ${format} is not upgraded; convert it.`,
    {
      reason: 'unsupported',
      subject: file,
      expected: sourceFormat,
      got: format,
    },
  );
}

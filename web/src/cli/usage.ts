export const usage = `susurrus: Whisper speech recognition on WebAssembly

  susurrus transcribe AUDIO... [options]   text of recordings (WAV, FLAC, MP3, Ogg)
    --model FILE              a model file (.apr) or its URL; without it the embedded model, which knows ten digits
    --language CODE           en, de, …; auto (the default) detects it
    --timestamps segment|none decode with timestamps (the default) or without
    --format txt|json         text, a line for each segment (the default), or the reference's JSON
    --variant simd|relaxed    which engine runs; the fastest one by default
    --temperature 0           the only one for now
    --compatibility openai    the only one for now
    --stats                   say on stderr how fast it was

  susurrus convert SRC DST [options]       a folder of the Hugging Face hub to a model file
    --dtype f32|f16|q8_0      type of the weights (f16)
    --compress lz4|none       compression (lz4)
    --vocabulary FILE         a .tiktoken rank file, for folders without a vocabulary
    --force                   overwrite DST

  susurrus inspect FILE [--json]           what a model file holds, after verifying all of it

  susurrus --help | --version

Exit status: 0, or the group of the error: 1 the file's bytes, 2 not supported, 3 the model, 4 resources, 5 the call,
6 file or network, 9 a bug.
`;

/** What people have to know about the model inside the package. */
export const embeddedModelNote = `The embedded model knows ten words, zero to nine. To transcribe everything, convert a full Whisper once:
download a folder of the Hugging Face hub (such as openai/whisper-base), then
  susurrus convert whisper-base whisper-base.apr
  susurrus transcribe AUDIO --model whisper-base.apr
`;

import { optionUsage } from '../src/api/generated/cli_options.js';
import { convertibleFiles, outputDtypes, outputFormats } from '../src/api/generated/formats.js';

const oneOf = (names: readonly string[]): string =>
  `${names.slice(0, -1).join(', ')} or ${names.at(-1) ?? ''}`;

export const usage = `susurrus: Whisper speech recognition on WebAssembly

  susurrus transcribe AUDIO... [options]   text of recordings (WAV, FLAC, MP3, Ogg), and of all recordings in folders
    --model FILE|NAME         a model file (.apr, .april, .b2l), its URL, or a name (tiny.en, base:q5_1, OWNER/NAME), which is downloaded if
                              it was not pulled before; without it the one that SUSURRUS_MODEL names, else the one
                              pulled last, else base
    --key FILE, --passphrase-file FILE
                              what opens an encrypted model
    --public-key KEY          the model must be signed with this key: its file, or its 64 hexadecimal digits; repeatable
    --variant simd|relaxed    which engine runs; the fastest one by default
    --vocabulary FILE         a .tiktoken rank file, for a model without a vocabulary or with a wrong one
    --filterbank auto|embedded|whisper
                              the mel filterbank to use: the file's, or Whisper's; auto (the default) takes the file's, but
                              Whisper's in place of HTK's in an APR1 file, which a known converter wrote by mistake
    --threads N|auto          1 to 8, or as many as the machine has processors (auto)
   what is written
${optionUsage.text}
   in which formats
    --format FORMATS          one or several of txt (the default), srt, vtt, tsv, json, lrc, csv, verbose_json; or all
    --output-dir DIR          write files named after the recordings, all formats of one or none; what a named folder holds
                              deeper is written deeper. Without it one format goes to stdout
    --beside                  write such files beside the recordings instead
    --max-line-width N, --max-line-count N, --max-words-per-line N, --highlight-words
                              of subtitles; need --timestamps word
    --escape-formulas         csv: an apostrophe before text that a spreadsheet would run as a formula (= + - @)
    --stats, --verbose        say on stderr what was dropped and why; how fast it was; which windows were retried
   many recordings
    --jobs N                  N processes, each with one thread unless --threads says otherwise, and a line for each file;
                              one that dies costs the file it worked on. On stdout the order of the files is kept
    --resume                  leave out recordings whose files are there and whole
   how it is decoded (the word none switches a threshold or limit off)
${optionUsage.decoding}
   of the recording
    --no-vad                  hear all of it; otherwise silence of 2 s and more is left out before the model hears it, by
                              Silero's detector (with --compatibility openai only if --vad says so)
                              (the default)
${optionUsage.recording}
   a beam search through a BW2L model (.b2l); without these files and --beam-size it writes the best path
    --lexicon FILE            the words that it may write, each on a line with its tokens
    --lm FILE                 a language model as ARPA text: of these words, or without --lexicon of tokens
${optionUsage.beam}

  susurrus listen --model FILE [options]   captions of what comes on stdin, while it comes, for models that stream: 16-bit mono
                                           samples, or a WAV file. On a terminal the last lines change until they are
                                           final, in a pipe each final line is written. Ctrl+C ends it with what was said
                                           until then. arecord -f S16_LE -r 16000 | susurrus listen …
    --rate HZ                 of raw samples (16000)
    --json                    every event, a line for each
    --verbose                 say on stderr when the model is behind, and what was left out
    --max-lag S               leave out, and say so, what has waited longer than this; none: nothing (none)
    --policy attention|agreement
                              of Whisper models: when words are certain
    --step S                  of Whisper models: seconds of new speech between two hypotheses
    --vad, --no-vad           hear only what the voice detector takes for speech, as Whisper models do unless told otherwise;
                              or all sound, as the others do
   and transcribe's --language, --languages, --task, --initial-prompt, --hotword and --condition-on-previous-text for Whisper
   models, and those of a beam search for BW2L models

  susurrus detect-language AUDIO... [--model FILE] [--languages CODES] [--audio-context C]
                                           languages and their probabilities, the most probable first

  susurrus align AUDIO --text TEXT|--text-file FILE [--format FORMATS]
                                           when each word of a known text is spoken, in at most 30 s (json); a segment
                                           for each line; takes transcribe's options of language, output, punctuation

  susurrus score AUDIO TEXT... [--model FILE] [--language CODE] [--initial-prompt TEXT] [--audio-context C]
                                           log probability of each text, and the same for each token; the best first

  susurrus plan MODEL [--dtype TYPE] [--threads N|auto] [--beam-size N] [--json]
                                           what a model file, URL or name will take before it is fetched: bytes to fetch,
                                           memory, and whether this machine has that

  susurrus pull REPO[@REVISION] [options]  downloads a Whisper of the Hugging Face hub and converts it: tiny.en, base,
                                           openai/whisper-small; goes on where it was cut. HF_TOKEN, HF_ENDPOINT
                                           and HF_HUB_OFFLINE are obeyed
    --format apr2|apr1        what is written (apr2); apr1 needs --output
    --dtype TYPE              as for convert (q8_0; f16 with apr1); also --quantize
    --output FILE             instead of the cache, where --model finds it
    --force                   overwrite FILE
  susurrus models [--json] [--remove NAME] lists the downloaded models, or removes some (repeatable); NAME:q8_0 means that type only

  susurrus convert SRC DST [options]       a Whisper of another kind to a model file, and back: a folder of the Hugging Face
                                           hub, MLX or faster-whisper, or a file of ${oneOf(convertibleFiles)};
                                           files of .april, BW2L and TenniS once more in their own format, without gaps
    --format ${outputFormats.join('|')}
                              what is written (apr2); with safetensors DST is a folder of the hub, or one .safetensors file
    --dtype TYPE, --quantize TYPE
                              of the weights: ${oneOf(outputDtypes.apr2)} (f16, or what SRC has if that is a
                              model file or in blocks); with apr1 ${oneOf(outputDtypes.apr1)} (f16);
                              with safetensors ${oneOf(outputDtypes.safetensors)}, for all weights (what SRC has);
                              with ggml ${oneOf(outputDtypes.ggml)} (what SRC has)
    --compress lz4|none       compression (lz4; with apr1 none)
    --vocabulary FILE         a .tiktoken rank file, for sources without a vocabulary
    --filterbank auto|embedded|whisper
                              which mel filterbank is written (auto), as for transcribe
    --metadata FILE           the config.json of a SafeTensors file that lies by itself
    --shard-size SIZE         several files of at most so many bytes, such as 500M or 2G; DST is their manifest
    --alignment 64|32         of each tensor in the file (64)
    --json                    what became of each tensor, and what it lost
    --force                   overwrite DST

  susurrus upgrade SRC DST [options]       an APR1 file to APR2, with exactly its values
    --dtype TYPE              something else instead; q8_0 keeps int8's integers and rounds their scales to halves
    --compress, --vocabulary, --filterbank, --shard-size, --alignment, --json, --force      as above

  susurrus shard FILE --size SIZE --output FOLDER [--alignment 64|32] [--force]
                                           a model file into shards and their manifest, tensors as they are stored
  susurrus unshard MANIFEST --output FILE [--alignment 64|32] [--force]
                                           shards into one model file

  susurrus inspect FILE... [--json] [--stats] [--full] [--shape [NAME=]1x3x224x224]
                                           describes a model file, a folder of the hub or faster-whisper, or a URL, and reads no
                                           more than that takes; --stats: least, greatest and mean value of each tensor,
                                           for which all are read; --full: lists and texts of any length, such as the
                                           vocabulary; --shape, repeatable: of a TenniS module's inputs, ? where open, for the
                                           shapes and the cost of its nodes, where the file states none; with --key, --passphrase-file or --public-key the file is verified too
  susurrus extract FILE NAME OUT [--force] a tensor as NumPy's .npy; of an .april file a network (encoder, decoder or
                                           joiner) as an ONNX model; NAME may be vocabulary or tokens (JSON), or filterbank
                                           (.npy), or section:NAME, the bytes of a section of a BW2L or APR1 file; #7 is the
                                           constant of node 7 of a TenniS module
  susurrus verify FILE... [--json]          everything that can be checked, one by one; with --public-key the signature,
                                           with --key or --passphrase-file that every piece can be decrypted. Exit status 1
                                           when something failed

  susurrus keygen [--output PREFIX]        keys for signing: PREFIX.key, which is secret, and PREFIX.pub
    --symmetric               a key for encrypting instead: PREFIX.aes
  susurrus sign FILE --key KEY --output OUT
                                           a signed copy of a model file, encrypted or not
  susurrus encrypt FILE --key KEY|--passphrase-file FILE --output OUT
                                           an encrypted copy; a passphrase is the file's text without its last line break
  susurrus digests FILE --output OUT       a copy with a digest for each mebibyte, for downloads that are resumed
    --force                   overwrite OUT, or keys

  susurrus --help | --version

Exit status: 0, or the group of the error: 1 the file's bytes, 2 not supported, 3 the model, 4 resources, 5 the call,
6 file or network, 9 a bug. With several files, a failure is reported, the other files are still processed, and the status is
that of the first failure.
`;

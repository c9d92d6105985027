// The help of the commands that transcribe audio.
import type { CommandHelp } from './help.js';
import { modelSection, optionSections, outputSection } from './help_rows.js';
import { liveOptionNames } from './listening_options.js';

export const transcribeHelp: CommandHelp = {
  summary: 'writes the text of recordings',
  usage: ['AUDIO... [options]'],
  about: [
    'Reads WAV, AIFF, FLAC, MP3, Ogg and WebM files, all of them in a folder, http(s) URLs, and - for a file on stdin. Text goes to ' +
      'stdout, everything else, such as the language that was detected, to stderr. What else there is (M4A, MP4, MOV) is decoded by ffmpeg where it is on the PATH. Silence of 2 s and more is left out before the model hears it.',
  ],
  sections: [
    modelSection,
    outputSection,
    {
      title: 'Long and many recordings',
      rows: [
        [
          '--workers N|auto',
          '1 to 16 engines transcribe one recording, cut at pauses into chunks, or as many as processors and memory allow (auto). The ' +
            'text does not depend on it',
        ],
        [
          '--jobs N',
          'N engines in all, each with one thread unless --threads says otherwise, transcribe as many recordings at once and share ' +
            'them: a single recording may have all. On stdout the order of the recordings is kept',
        ],
        ['--skip-existing', 'leave out recordings whose files are there and complete'],
      ],
    },
    {
      title: 'Speakers',
      rows: [
        [
          '--speakers auto|N|MIN-MAX',
          'name who speaks (S1, S2 …): as many as there are, exactly N, or from MIN to MAX. Text appears at the end',
        ],
      ],
    },
    {
      title: 'What happened',
      rows: [
        ['--stats', 'say how fast it was, and which text was dropped and why'],
        [
          '--verbose',
          'say which text was dropped and why, which windows were retried, and which files were written',
        ],
      ],
    },
    ...optionSections('transcribe'),
    {
      title: 'Silence',
      rows: [
        [
          '--vad',
          'leave out silence, found by the Silero detector (yes for Whisper models, unless --compatibility openai)',
        ],
        ['--no-vad', 'let the model hear everything (yes for other models)'],
      ],
    },
    {
      title: "Flags of OpenAI's whisper (_ may stand for -, True and False behind a switch)",
      rows: [
        ['--output-format FORMAT', '--format'],
        ['--word-timestamps True', '--timestamps word'],
        ['--vad-filter True|False', '--vad or --no-vad'],
        [
          '--temperature-increment-on-fallback X',
          'the step between the temperatures from --temperature (0) to 1; none: only that one',
        ],
        ['--fp16, --device', 'ignored'],
      ],
    },
  ],
  examples: [
    'transcribe talk.wav --model base --language en',
    'transcribe calls -m base -t word -f srt,json -o out --jobs 8 --skip-existing',
  ],
};

export const listenHelp: CommandHelp = {
  summary: 'writes captions of live sound on stdin',
  usage: ['[options] < SOUND'],
  about: [
    'Takes 16-bit mono samples or a WAV file, while they come. On a terminal the last lines change until they are final; in a pipe ' +
      'each final line is written. Ctrl+C ends it with the text of what was said until then.',
  ],
  sections: [
    modelSection,
    {
      rows: [
        ['--rate HZ', 'of raw samples (16000)'],
        ['--json', 'write every event, each on a line'],
        ['--verbose', 'say when the model is behind, and what was left out'],
        [
          '--max-lag S',
          'leave out, and say so, sound that has waited longer; none: leave out nothing (none)',
        ],
        ['--policy attention|agreement', 'Whisper models: when words are certain'],
        ['--step S', 'Whisper models: seconds of new speech between two hypotheses'],
        [
          '--revise',
          'Whisper models: hear finished speech again in its context, and write what changes as a line that begins with "~ "',
        ],
        [
          '--speakers auto|N|MIN-MAX',
          'tell so many people apart, and write whose a line is, some ten seconds after it, as one that begins with "~ S1: "',
        ],
        ['--vad', 'hear only speech, found by the Silero detector (yes for Whisper models)'],
        ['--no-vad', 'let the model hear everything (yes for other models)'],
      ],
    },
    ...optionSections('stream', liveOptionNames),
  ],
  examples: ['listen --model base < talk.wav', 'listen -m speech.april --json < talk.wav'],
};

export const detectLanguageHelp: CommandHelp = {
  summary: 'lists the languages of recordings, the most probable first',
  usage: ['AUDIO... [options]'],
  about: ['Names the five most probable. The language is that of the first 30 s.'],
  sections: [
    modelSection,
    {
      rows: [
        ['--all', 'print all languages'],
        ['--json', 'write all languages as JSON'],
      ],
    },
    ...optionSections('detectLanguage'),
  ],
  examples: [
    'detect-language talk.wav --model base',
    'detect-language *.mp3 -m base --languages en,de,fr',
  ],
};

export const alignHelp: CommandHelp = {
  summary: 'finds when each word of a known text is spoken',
  usage: ['AUDIO --text TEXT [options]', 'AUDIO --text-file FILE [options]'],
  about: ['Of at most 30 s of sound. Each line of the text becomes a segment.'],
  sections: [
    {
      title: 'The known text',
      rows: [
        ['--text TEXT', 'what is spoken'],
        ['--text-file FILE', 'a file with what is spoken'],
      ],
    },
    modelSection,
    outputSection,
    ...optionSections('align'),
  ],
  examples: [
    'align verse.wav --text "three two one" -m base',
    'align verse.wav --text-file verse.txt -f lrc --highlight-words -m base',
  ],
};

export const scoreHelp: CommandHelp = {
  summary: 'says how probable each of several texts is for a recording, the best first',
  usage: ['AUDIO TEXT... [options]'],
  about: ['Each line has the log probability of the text, its mean for each token, and the text.'],
  sections: [modelSection, ...optionSections('score')],
  examples: [
    'score answer.wav yes no --model base',
    'score answer.wav "two pears" "two pairs" -m base -l en',
  ],
};

export const speakersHelp: CommandHelp = {
  summary: 'says who speaks when in recordings',
  usage: ['AUDIO... [options]'],
  about: [
    'Writes a line in RTTM for each turn: when it begins, how long it is, and whose it is (S1, S2 …). Turns of several people may overlap.',
  ],
  sections: [
    {
      rows: [
        ['--speakers auto|N|MIN-MAX', 'how many people speak (auto)'],
        ['--json', 'write turns and speakers as JSON'],
        ['--vectors', 'add the voices as vectors, which can recognise people; needs --json'],
        ['--variant simd|relaxed', 'which engine runs (the fastest one)'],
      ],
    },
  ],
  examples: ['speakers meeting.wav', 'speakers interview.mp3 --speakers 2 --json'],
};

export const checkHelp: CommandHelp = {
  summary: 'lists what subtitles violate of the rules of a profile',
  usage: ['FILE... [options]'],
  about: [
    'FILE is an .srt or .vtt file of at most 64 MiB. Each line has the time, the line of the file, the number of the subtitle, the ' +
      'rule, the value, the limit in brackets, and the text. The exit status is 1 where a hard rule is violated; reading speed and ' +
      'breaks are advice.',
  ],
  sections: [
    {
      rows: [
        ['--profile netflix|bbc|plain', 'the rules (plain)'],
        ['--language LANGUAGE', 'that of the text, as a code (what its small words say)'],
        ['--json', 'the same as JSON'],
      ],
    },
  ],
  examples: ['check talk.srt --profile netflix', 'check subtitles/*.vtt --profile bbc --json'],
};

import { languageNames } from '../../src/index.js';
import type { ModelInfo, AnyTranscribeOptions } from '../../src/index.js';
import type { SpeakerCount } from '../../src/speakers.js';
import { byId, element } from '../shell/dom.js';
import { pageStore } from '../shell/text_store.js';

const setting = 'susurrus.options';
/** So many may be chosen; more are found where no number is. */
const mostPeople = 10;

/** What a person can ask of a transcription. It holds for the next one, also after a reload. */
export class ListeningOptions {
  readonly #language = byId('language', HTMLSelectElement);
  readonly #languages = byId('languages', HTMLInputElement);
  readonly #script = byId('script', HTMLSelectElement);
  readonly #task = byId('task', HTMLSelectElement);
  readonly #wordTimes = byId('word_times', HTMLInputElement);
  readonly #vad = byId('vad', HTMLInputElement);
  readonly #speakers = byId('speakers', HTMLInputElement);
  readonly #people = byId('people', HTMLSelectElement);
  readonly #keepsRecordings = byId('keep_recordings', HTMLInputElement);
  readonly #beamSize = byId('beam_size', HTMLSelectElement);
  readonly #initialPrompt = byId('initial_prompt', HTMLInputElement);
  readonly #hotwords = byId('hotwords', HTMLInputElement);
  readonly #fields = [
    ...[this.#language, this.#languages, this.#script, this.#task, this.#wordTimes, this.#vad],
    ...[this.#speakers, this.#people, this.#keepsRecordings],
    ...[this.#beamSize, this.#initialPrompt, this.#hotwords],
  ];
  #isMultilingual = false;
  #isWhisper = true;
  /** The language that was chosen, which not every model knows. */
  #chosenLanguage = 'auto';

  /** `onKeepRecordings`: a person wants recordings to be kept from now on. */
  constructor(onKeepRecordings: () => void) {
    for (let count = 2; count <= mostPeople; ++count) {
      this.#people.append(element('option', '', String(count)));
    }
    this.#recall();
    this.#showPeople();
    this.#speakers.addEventListener('change', () => this.#showPeople());
    this.#keepsRecordings.addEventListener('change', () => {
      if (this.keepsRecordings) onKeepRecordings();
    });
    for (const field of this.#fields) {
      field.addEventListener('change', () => {
        if (field === this.#language) this.#chosenLanguage = field.value;
        this.#remember();
      });
    }
  }

  get value(): AnyTranscribeOptions {
    const languages = listed(this.#languages.value);
    const script = this.#script.value;
    const hotwords = listed(this.#hotwords.value);
    const beamSize = Number(this.#beamSize.value);
    const initialPrompt = this.#initialPrompt.value.trim();
    const all: AnyTranscribeOptions = {
      timestamps: this.#wordTimes.checked ? 'word' : 'segment',
      vad: this.#vad.checked,
    };
    if (!this.#isWhisper) return all;
    return {
      ...all,
      ...(this.#isMultilingual && {
        language: this.#language.value,
        task: this.task,
        ...(languages.length > 0 && { languages }),
        ...(isScript(script) && { script }),
      }),
      ...(beamSize > 1 && { beamSize }),
      ...(initialPrompt && { initialPrompt }),
      ...(hotwords.length > 0 && { hotwords: hotwords.map((text) => ({ text })) }),
    };
  }

  /** How many people to tell apart, where they shall be. */
  get speakers(): SpeakerCount | undefined {
    if (!this.#speakers.checked) return undefined;
    const count = Number(this.#people.value);
    return count > 0 ? { count } : {};
  }

  /** Whether a recording is transcribed in chunks, which several engines can share. */
  get hearsInChunks(): boolean {
    return this.#vad.checked;
  }

  /** Whether the recording stays with its transcript. */
  get keepsRecordings(): boolean {
    return this.#keepsRecordings.checked;
  }

  get task(): 'transcribe' | 'translate' {
    return this.#isMultilingual && this.#task.value === 'translate' ? 'translate' : 'transcribe';
  }

  #showPeople(): void {
    byId('people_field', HTMLElement).hidden = !this.#speakers.checked;
  }

  // Where nothing may be stored, they last as long as the page.
  #remember(): void {
    const all = new Map(
      this.#fields.map((field) => [field.id, isTick(field) ? field.checked : field.value]),
    );
    all.set('language', this.#chosenLanguage);
    try {
      pageStore.set(setting, JSON.stringify(Object.fromEntries(all)));
    } catch {
      // As above.
    }
  }

  #recall(): void {
    try {
      const all: unknown = JSON.parse(pageStore.get(setting) ?? '{}');
      const values = new Map<string, unknown>(Object.entries(all ?? {}));
      for (const field of this.#fields) {
        const value = values.get(field.id);
        if (isTick(field) && typeof value === 'boolean') field.checked = value;
        else if (!isTick(field) && typeof value === 'string') field.value = value;
      }
      // An earlier page let every width be chosen.
      if (this.#beamSize.value === '') this.#beamSize.value = '1';
      const language = values.get('language');
      if (typeof language === 'string') this.#chosenLanguage = language;
    } catch {
      // Refused or damaged: they are as on a first visit.
    }
  }

  /** A network is asked for nothing. */
  hide(): void {
    for (const field of document.querySelectorAll<HTMLElement>('[data-listening]')) {
      field.hidden = true;
    }
  }

  /** Shows what this model can be asked for. */
  offer({ family, multilingual, languages }: ModelInfo): void {
    this.#isMultilingual = multilingual;
    this.#isWhisper = family === 'whisper';
    for (const field of document.querySelectorAll<HTMLElement>('[data-listening]')) {
      field.hidden = false;
    }
    for (const field of document.querySelectorAll<HTMLElement>('[data-whisper]')) {
      field.hidden = !this.#isWhisper;
    }
    for (const field of document.querySelectorAll<HTMLElement>('[data-multilingual]')) {
      field.hidden = !multilingual;
    }
    const before = this.#chosenLanguage;
    const known = languages.map((code) => ({ code, name: languageName(code) }));
    known.sort((a, b) => a.name.localeCompare(b.name));
    const choices = [
      { code: 'auto', name: 'Detected' },
      { code: 'per-window', name: 'Detected every 30 s' },
      ...known,
    ];
    this.#language.replaceChildren(
      ...choices.map(({ code, name }) => {
        const option = element('option', '', name);
        option.value = code;
        return option;
      }),
    );
    this.#language.value = choices.some(({ code }) => code === before) ? before : 'auto';
  }
}

const isTick = (field: HTMLInputElement | HTMLSelectElement): field is HTMLInputElement =>
  field.type === 'checkbox';

const isScript = (value: string): value is 'simplified' | 'traditional' =>
  value === 'simplified' || value === 'traditional';

function listed(text: string): string[] {
  return text.split(',').flatMap((each) => each.trim() || []);
}

/** The English name of a language, or its code if it has none. */
export function languageName(code: string): string {
  const name = languageNames[code] ?? withRegion(code);
  return name.replaceAll(/\b[a-z]/g, (letter) => letter.toUpperCase());
}

/** "American English" for "en-us", as .april models call theirs. */
function withRegion(code: string): string {
  try {
    return new Intl.DisplayNames('en', { type: 'language', fallback: 'code' }).of(code) ?? code;
  } catch {
    // The model's file may call it anything.
    return code;
  }
}

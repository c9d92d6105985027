/** A table as its JSON file has it. */
export function readFacts(name: 'dtypes'): {
  readonly dtypes: readonly {
    readonly name: string;
    readonly number: number;
    readonly elementsPerBlock: number;
    readonly bytesPerBlock: number;
    readonly isWeight?: boolean;
    readonly ggml?: { readonly name: string; readonly type: number; readonly fileType?: number };
  }[];
};
export function readFacts(name: 'errors'): {
  readonly codes: readonly {
    readonly name: string;
    readonly number: number;
    readonly meaning: string;
  }[];
  readonly reasons: readonly string[];
};
export function readFacts(name: 'file_kinds'): {
  readonly advice: Readonly<Record<string, string>>;
  readonly kinds: readonly {
    readonly name: string;
    readonly class: string;
    readonly what: string;
    readonly advice?: string;
  }[];
};
export function readFacts(name: 'formats'): {
  readonly formats: readonly { readonly name: string }[];
};
export function readFacts(name: 'languages'): {
  readonly languages: readonly {
    readonly code: string;
    readonly name: string;
    readonly otherNames?: readonly string[];
  }[];
};
export function readFacts(name: 'options'): { readonly options: readonly OptionFacts[] };
export function readFacts(name: 'whisper'): {
  readonly dimensions: readonly { readonly name: string; readonly hub: string }[];
  readonly checkpointOrder: readonly string[];
  readonly constants: readonly { readonly name: string; readonly value: number }[];
};
export interface OptionFacts {
  readonly name: string;
  readonly kind: string;
  readonly least?: number;
  readonly most?: number | string;
  readonly orNull?: boolean;
  readonly calls: readonly string[];
  readonly reference?: readonly string[];
}
export const weightTypes: readonly string[];
export const whisper: Readonly<Record<string, number>>;
export const optionsByReferenceName: ReadonlyMap<string, OptionFacts>;

export function generateFacts(): void;
/** Path from the root → contents of every file that is made. */
export function factFiles(): Readonly<Record<string, string>>;
/** docs/api.md's text with the options as the table has them. */
export function withOptionTables(text: string): Promise<string>;
/** Whether docs/api.md says what the table says; with `fix` it then does. */
export function checkDocument(options?: { readonly fix?: boolean }): Promise<boolean>;

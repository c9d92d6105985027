// Browsers besides Chromium, where they are installed: what the suites need of each.

export interface DrivenPage {
  /** Runs the body of an async function in the page and answers what it returns, as JSON would. */
  run(body: string): Promise<unknown>;
  close(): Promise<void>;
}

export interface DrivenBrowser {
  open(address: string): Promise<DrivenPage>;
  close(): Promise<void>;
}

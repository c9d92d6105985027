/** The model that is being made ready, and the recording that waits for it. */
export class LoadQueue {
  #loading: { readonly what: string; readonly name: string } | undefined;
  #remark = '';
  #recording: File | undefined;

  get isLoading(): boolean {
    return this.#loading !== undefined;
  }

  /** For the status line. */
  get text(): string {
    const what = this.#loading ? `${this.#loading.what} ${this.#loading.name} …` : '';
    return `${what}${this.#remark}`;
  }

  /** `what`: "Loading" or "Converting". A load that is under way is given up for it; a recording keeps waiting. */
  begin(what: string, name: string): void {
    const before = this.#loading;
    this.#loading = { what, name };
    const waits = this.#recording ? ` ${this.#recording.name} waits for it.` : '';
    this.#remark = `${before ? ` It takes the place of ${before.name}.` : ''}${waits}`;
  }

  /** What comes before a load is done: a list was read, or a model converted. The load begins next. */
  prepared(): void {
    this.#loading = undefined;
  }

  /** The recording is listened to when the model is there; one waits at a time, the latest. */
  add(recording: File): void {
    const before = this.#recording;
    this.#recording = recording;
    this.#remark = ` ${recording.name} waits for it${before ? `, in place of ${before.name}` : ''}.`;
  }

  /** Ends the load. Returns the recording that waited. */
  end(): File | undefined {
    const recording = this.#recording;
    this.#loading = undefined;
    this.#recording = undefined;
    this.#remark = '';
    return recording;
  }
}

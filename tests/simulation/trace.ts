// What happened in a run, line by line, for people and for comparing two runs of one seed. It is
// kept only when somebody asked: making the lines costs more than the run.

import { createHash } from "node:crypto";

export class Trace {
  readonly isOn: boolean;
  readonly #print: ((line: string) => void) | undefined;
  readonly #hash = createHash("sha256");

  constructor(options: { readonly isOn: boolean; readonly print?: (line: string) => void }) {
    this.isOn = options.isOn;
    this.#print = options.print;
  }

  write(atMs: number, line: string): void {
    const text = `${(atMs / 1_000).toFixed(3).padStart(11)} ${line}`;
    this.#hash.update(`${text}\n`);
    this.#print?.(text);
  }

  /** Of everything written so far; two runs with the same one did the same. */
  digest(): string {
    return this.#hash.copy().digest("hex");
  }
}

// Tells of something that fails again and again: once for each cause, and once when it is over.
// What is tried twice a second while a disk is full would else bury all that there is to read.

import { isSetpointError } from "../../kernel/errors.ts";
import type { EnginePorts } from "../ports.ts";

export interface TroubleTexts {
  readonly failing: string;
  readonly over: string;
}

export class Trouble {
  readonly #log: EnginePorts["log"];
  readonly #texts: TroubleTexts;
  /** The causes that were told since it was last well. */
  readonly #told = new Set<string>();

  constructor(log: EnginePorts["log"], texts: TroubleTexts) {
    this.#log = log;
    this.#texts = texts;
  }

  failed(error: unknown): void {
    const cause = isSetpointError(error) ? error.code : String(error);
    if (this.#told.has(cause)) return;
    this.#told.add(cause);
    this.#log.warn({ error }, this.#texts.failing);
  }

  over(): void {
    if (this.#told.size === 0) return;
    this.#told.clear();
    this.#log.info({}, this.#texts.over);
  }
}

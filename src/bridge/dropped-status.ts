// Reports fields that a reconciler wrote into a status and that the schema of the kind does not
// have: they are not stored. Each resource gets one Event for the same fields, and the log one line
// for each kind, until the process ends.

import type { EngineEvent } from "../engine/ports.ts";
import type { Resource } from "../kernel/resource.ts";

export interface DroppedStatusInput {
  readonly recordEvent: (event: EngineEvent) => Promise<void>;
  readonly warn: (fields: Readonly<Record<string, unknown>>, message: string) => void;
}

const mostFields = 5;
const longestField = 128;
/** Beyond it, what was reported before may be reported again. */
const mostRemembered = 10_000;

export class DroppedStatus {
  readonly #input: DroppedStatusInput;
  readonly #reported = new Set<string>();

  constructor(input: DroppedStatusInput) {
    this.#input = input;
  }

  report(kind: string, resource: Resource, fields: readonly string[]): void {
    const { uid, namespace = "", name } = resource.metadata;
    const shown = fields.slice(0, mostFields).map((field) => field.slice(0, longestField));
    const more = fields.length > shown.length ? ` and ${fields.length - shown.length} more` : "";
    const list = `${shown.join(", ")}${more}`;
    if (this.#isNew(`${kind} ${list}`)) {
      this.#input.warn({ kind, fields: shown }, "status fields not in the schema dropped");
    }
    if (!this.#isNew(`${uid} ${list}`)) return;
    void this.#input.recordEvent({
      key: { kind, namespace, name },
      resource,
      type: "Warning",
      reason: "StatusFieldDropped",
      message: `not stored, because the schema of the kind does not have it: ${list}`,
    });
  }

  #isNew(text: string): boolean {
    if (this.#reported.has(text)) return false;
    if (this.#reported.size >= mostRemembered) this.#reported.clear();
    this.#reported.add(text);
    return true;
  }
}

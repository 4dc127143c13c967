// What the authors of the simulated kinds can see of the journal: that steps run in order and once,
// that results and remembered values are stored before they are used and never change, and that
// what is undone is undone from the end. Violations are thrown inside of bodies.

import type { Json } from "../../src/kernel/json.ts";
import type { Body as WholeBody } from "./bodies.ts";
import type { Referee as WholeReferee } from "./referee.ts";
import { textOf } from "./sim-kinds.ts";
import { Violation } from "./violation.ts";

type Body = Pick<WholeBody, "name" | "uid" | "token">;
type Referee = Pick<WholeReferee, "wasJournaled">;

interface OperationNote {
  /** The token of who last took steps back; who has a lower one has lost the operation by then. */
  readonly undoneBy: number;
  /** The token under which each step last began. */
  readonly begun: Map<number, number>;
  /** What each step last gave. */
  readonly results: Map<number, string>;
}

export interface MemoryCounts {
  steps: number;
  undone: number;
  remembered: number;
}

export class Memory {
  readonly counts: MemoryCounts = { steps: 0, undone: 0, remembered: 0 };
  readonly #referee: Referee;
  readonly #operations = new Map<string, OperationNote>();
  readonly #remembered = new Map<string, string>();
  readonly #externalIds = new Map<string, { readonly id: string; readonly token: number }>();
  #made = 0;

  constructor(referee: Referee) {
    this.#referee = referee;
  }

  /** A value that is made only once in a world. */
  newValue(what: string): string {
    this.#made += 1;
    return `${what}-${this.#made}-made`;
  }

  /** Step `index` begins and was given the results of those before it. */
  stepBegins(
    body: Body,
    about: string,
    index: number,
    given: readonly (Json | undefined)[],
  ): string {
    const note = this.#note(body, about);
    for (const [later, token] of note.begun) {
      if (later <= index || token >= body.token) continue;
      const text = `${body.name}: step ${index} of ${about} runs again after ${later} began`;
      throw new Violation("steps-once", text);
    }
    for (const [earlier, result] of given.entries()) {
      if (typeof result === "string" && this.#referee.wasJournaled(result)) continue;
      const text = `step ${index} begins before ${earlier} is stored (${textOf(result)})`;
      throw new Violation("stored-steps", `${body.name}: ${text}`);
    }
    if (body.token >= note.undoneBy) note.begun.set(index, body.token);
    this.counts.steps += 1;
    const result = this.newValue(`step${index}`);
    note.results.set(index, result);
    return result;
  }

  /** All is done, and these are the results. */
  performed(body: Body, about: string, results: readonly (Json | undefined)[]): void {
    for (const [index, result] of results.entries()) {
      if (typeof result === "string" && this.#referee.wasJournaled(result)) continue;
      const text = `${about} ended without the result of ${index} (${textOf(result)})`;
      throw new Violation("stored-steps", `${body.name}: ${text}`);
    }
  }

  /** Step `index` is undone; `left` are the indexes of the steps that are still done. */
  stepUndone(
    body: Body,
    about: string,
    index: number,
    result: Json,
    left: readonly number[],
  ): void {
    const isLast = left.every((other) => other <= index);
    if (!isLast || typeof result !== "string" || !this.#referee.wasJournaled(result)) {
      const text = `${index} of ${about} (${textOf(result)}) while ${left.join()} are done`;
      throw new Violation("undo-order", `${body.name}: ${text}`);
    }
    this.counts.undone += 1;
    // What was taken back may be done again.
    this.#operations.set(operationOf(body, about), newNote(body.token));
  }

  remembered(body: Body, name: string, value: string): void {
    const id = `${body.uid} ${name}`;
    const before = this.#remembered.get(id);
    if ((before !== undefined && before !== value) || !this.#referee.wasJournaled(value)) {
      throw new Violation("remembered", `${body.name}: ${name} is ${value} after ${before}`);
    }
    this.#remembered.set(id, value);
    this.counts.remembered += 1;
  }

  externalIdStored(body: Body, id: string): void {
    this.#externalIds.set(body.uid, { id, token: body.token });
  }

  checkExternalId(body: Body, known: string | undefined): void {
    const stored = this.#externalIds.get(body.uid);
    if (stored === undefined || stored.token > body.token || stored.id === known) return;
    throw new Violation("external-id", `${body.name} knows ${known} instead of ${stored.id}`);
  }

  #note(body: Body, about: string): OperationNote {
    const id = operationOf(body, about);
    let note = this.#operations.get(id);
    if (note === undefined) {
      note = newNote(0);
      this.#operations.set(id, note);
    }
    return note;
  }
}

function newNote(undoneBy: number): OperationNote {
  return { undoneBy, begun: new Map(), results: new Map() };
}

function operationOf(body: Body, about: string): string {
  return `${body.uid} ${about}`;
}

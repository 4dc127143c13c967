// Every run of a reconciler in the world, while it goes on: who runs what, under which claim. What
// must be true of runs is checked when one begins, and each time it reaches for the outside.

import type { Context } from "../../src/engine/reconciler.ts";
import { annotations, finalizer } from "../../src/engine/names.ts";
import { decodeDocument } from "../../src/kernel/document.ts";
import { formatReference, keyText } from "../../src/kernel/resource.ts";
import type { Resource, ResourceKey } from "../../src/kernel/resource.ts";
import type { Agenda } from "./agenda.ts";
import { never } from "./network.ts";
import type { SimulatedProcess } from "./process.ts";
import type { SharedStore } from "./shared-store.ts";
import { Violation } from "./violation.ts";
import type { Trace } from "./trace.ts";

export type BodyKind = "reconcile" | "remove" | "observe";

export interface Limits {
  readonly slots: number;
  readonly perNamespace: number;
  readonly perKind: number;
}

export interface BodiesPlace {
  readonly agenda: Agenda;
  readonly shared: SharedStore;
  readonly trace: Trace;
  readonly limits: Limits;
  /** Told as a body begins, after everything was checked. */
  readonly onBegin: (body: Body) => void;
}

export class Bodies {
  readonly #place: BodiesPlace;
  readonly #running = new Set<Body>();
  runs = 0;

  constructor(place: BodiesPlace) {
    this.#place = place;
  }

  /** Runs one body from its beginning to its end; a broken rule ends the world. */
  async run<T>(
    process: SimulatedProcess,
    kind: BodyKind,
    key: ResourceKey,
    resource: Resource,
    context: Context,
    work: (body: Body) => Promise<T>,
  ): Promise<T> {
    // A process that has just crashed runs on until it next waits, which nobody must see.
    if (!process.isAlive) return await never();
    const body = new Body(this.#place, process, kind, key, resource, context);
    this.runs += 1;
    this.#tell(body, `begins ${kind} of generation ${body.generation}`);
    this.#guarded(() => this.#checkBeginning(body, resource));
    this.#running.add(body);
    process.onEnd(() => this.#running.delete(body));
    this.#place.onBegin(body);
    try {
      const result = await work(body);
      this.#tell(body, `ends ${JSON.stringify(result)}`);
      return result;
    } catch (error) {
      if (error instanceof Violation) this.#place.agenda.fail(error);
      if (isSuperseded(error)) this.#guarded(() => this.#checkSuperseded(body, resource));
      this.#tell(body, `throws ${String(error)}`);
      throw error;
    } finally {
      this.#running.delete(body);
    }
  }

  /** The claims of these tokens are lost, and the process has just been told. */
  checkToldOfLoss(process: SimulatedProcess, tokens: readonly number[]): void {
    if (tokens.length === 0) return;
    this.#place.agenda.after(0, () => {
      for (const body of this.#running) {
        if (body.process !== process || !tokens.includes(body.token) || body.isTold) continue;
        if (!process.isAlive || process.isPaused) continue;
        const text = `${body.name} goes on after its renewal was refused`;
        this.#guarded(() => {
          throw new Violation("aborted-on-loss", text);
        });
      }
    });
  }

  /** Whoever runs now has its claim, unless it was told otherwise. */
  audit(): void {
    for (const body of this.#running) this.#guarded(() => body.checkStillHeld());
  }

  #checkBeginning(body: Body, resource: Resource): void {
    if (body.isTold) {
      throw new Violation("aborted-in-time", `${body.name} begins though it was told to stop`);
    }
    body.checkStillHeld();
    const claim = this.#place.shared.referee.claimOf(body.token);
    if (claim === undefined || keyText(claim.key) !== keyText(body.key)) {
      throw new Violation("one-body", `${body.name} runs without a claim`);
    }
    if (Number(resource.metadata.resourceVersion) < claim.revision) {
      const text = `${body.name} was claimed at ${claim.revision} but sees an older one`;
      throw new Violation("fresh-load", text);
    }
    this.#checkAlone(body);
    this.#checkLimits(body);
    checkWishes(body, resource);
  }

  #checkSuperseded(body: Body, given: Resource): void {
    const { log, compacted } = this.#place.shared.model.state;
    const since = Number(given.metadata.resourceVersion);
    if (compacted > since) return;
    for (const [revision, { key, type, body: text }] of log) {
      if (revision <= since || keyText(key) !== keyText(body.key)) continue;
      if (type === "deleted" || isOther(given, decodeDocument(text, revision))) return;
    }
    throw new Violation("superseded-truly", `${body.name} ends though it is still wanted`);
  }

  #checkAlone(body: Body): void {
    for (const other of this.#running) {
      if (other.process !== body.process || other.uid !== body.uid) continue;
      throw new Violation("one-body", `${body.name} begins beside itself, ${other.name}`);
    }
    if (body.isExcused) return;
    for (const other of this.#running) {
      if (keyText(other.key) !== keyText(body.key) || other.isTold || other.isExcused) continue;
      throw new Violation("one-body", `${body.name} begins while ${other.name} goes on`);
    }
  }

  #checkLimits(body: Body): void {
    const { slots, perNamespace, perKind } = this.#place.limits;
    const mine = [...this.#running].filter((other) => other.process === body.process);
    const active = mine.filter((other) => !other.isTold);
    const ofKind = active.filter((other) => other.key.kind === body.key.kind).length;
    const ofNamespace = active.filter((other) => other.key.namespace === body.key.namespace).length;
    if (active.length < slots && ofKind < perKind && ofNamespace < perNamespace) return;
    const beside = `${active.length}, ${ofKind} of its kind, ${ofNamespace} of its namespace`;
    throw new Violation("limits-kept", `${body.name} begins beside ${beside}`);
  }

  #guarded(check: () => void): void {
    try {
      check();
    } catch (error) {
      this.#place.agenda.fail(error as Error);
    }
  }

  #tell(body: Body, what: string): void {
    const { trace, agenda } = this.#place;
    if (trace.isOn) trace.write(agenda.nowMs, `${body.name} ${what}`);
  }
}

function checkWishes(body: Body, { metadata }: Resource): void {
  const { annotations: annotated = {}, finalizers = [], deletionTimestamp } = metadata;
  if (annotated[annotations.paused] === "true") {
    throw new Violation("pause-kept", `${body.name} runs though it is paused`);
  }
  const policy = annotated[annotations.policy] ?? "manage";
  const isDeleting = deletionTimestamp !== undefined;
  const isWrong =
    (policy === "skip" && body.kind !== "observe") ||
    (policy === "detach-on-delete" && body.kind === "remove") ||
    (body.kind === "remove") !== isDeleting;
  if (isWrong) throw new Violation("policy-kept", `${body.name}: ${body.kind} under ${policy}`);
  const isHeld = finalizers.includes(finalizer) || policy === "detach-on-delete";
  if (body.kind === "reconcile" && body.hasRemove && !isHeld) {
    throw new Violation("finalizer-first", `${body.name} runs before it is held`);
  }
}

/** By its name: the engine under test may be a copy. */
function isSuperseded(error: unknown): boolean {
  return error instanceof Error && error.name === "Superseded";
}

function isOther({ metadata: given }: Resource, { metadata: now }: Resource): boolean {
  return (
    now.uid !== given.uid ||
    now.generation !== given.generation ||
    now.deletionTimestamp !== given.deletionTimestamp ||
    now.annotations?.[annotations.paused] === "true"
  );
}

/** One run. */
export class Body {
  readonly process: SimulatedProcess;
  readonly kind: BodyKind;
  readonly key: ResourceKey;
  readonly uid: string;
  readonly generation: number;
  readonly token: number;
  readonly signal: AbortSignal;
  readonly hasRemove: boolean;
  readonly startedAtMs: number;
  readonly #place: BodiesPlace;

  constructor(
    place: BodiesPlace,
    process: SimulatedProcess,
    kind: BodyKind,
    key: ResourceKey,
    resource: Resource,
    context: Context,
  ) {
    this.#place = place;
    this.process = process;
    this.kind = kind;
    this.key = key;
    this.uid = resource.metadata.uid;
    this.generation = resource.metadata.generation;
    this.token = context.token;
    this.signal = context.signal;
    this.hasRemove = !key.kind.startsWith("configs.");
    this.startedAtMs = place.agenda.nowMs;
  }

  get name(): string {
    return `${this.process.name} #${this.token} ${formatReference(this.key)}`;
  }

  /** It was told to stop, so what it does from now on is its own fault. */
  get isTold(): boolean {
    return this.signal.aborted;
  }

  /**
   * Nobody could have told it in time: it slept, or the database's clock was changed, or somebody
   * deleted the resource, with which every claim on it ends.
   */
  get isExcused(): boolean {
    const { shared } = this.#place;
    const sinceMs = this.startedAtMs - 120_000;
    return (
      this.process.wasPausedSince(sinceMs) ||
      shared.steppedAtMs > sinceMs ||
      shared.referee.claimOf(this.token)?.end === "deleted"
    );
  }

  /** Whoever still believes to hold the claim does hold it. */
  checkStillHeld(): void {
    const { shared } = this.#place;
    if (this.isTold || this.isExcused) return;
    if (shared.referee.isLive(this.token, shared.nowMs())) return;
    throw new Violation("aborted-in-time", `${this.name} goes on after its lease has ended`);
  }

  async sleep(ms: number): Promise<void> {
    await this.process.timers.sleep(ms, this.signal);
  }
}

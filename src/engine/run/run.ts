// One claimed resource in this process, from the claim until its result is stored, and the scope in
// which its reconciler writes. Every write names the claim. When the store says that the claim
// is lost, the run is aborted before the error is thrown, so that nothing after it happens; when
// the heartbeat says so, the same. Edits of the document are made one after the other, each on the
// newest document that is known, and again on a newer one when somebody else was faster.

import type { Draft } from "../../kernel/draft.ts";
import { SetpointError, isSetpointError } from "../../kernel/errors.ts";
import { equalJson } from "../../kernel/json.ts";
import { limits } from "../../kernel/limits.ts";
import type { Random } from "../../kernel/random.ts";
import type { Resource, ResourceKey } from "../../kernel/resource.ts";
import { newTraceId } from "../../kernel/trace-context.ts";
import type { Cause } from "../../kernel/cause.ts";
import type { Answer, Claim, ClaimRef, DueChange, Put, Write } from "../../store/port.ts";
import type { Cohort } from "../work/cohort.ts";
import type { Holder, Lease } from "../work/heartbeat.ts";
import { causeOfRun, continuedCause } from "./engine-cause.ts";
import { traceOf } from "../reporting/tracer.ts";
import type { ReferencesPart, RunParts, StepsPart } from "./parts.ts";
import type { RunPlan } from "./plan.ts";
import type { EnginePorts, RunScope } from "../ports.ts";
import { readRecord } from "./read-record.ts";
import { refusalIn } from "./refusal.ts";
import { asRunOf } from "./current-run.ts";
import type { RunAround } from "./current-run.ts";
import type { Reconciler } from "../reconciler.ts";
import { shownError } from "./shown.ts";
import { statusOf } from "./status.ts";
import type { Listening } from "./superseded.ts";

/** Why a run was told to stop. */
export type AbortCause = "lost" | "timeout" | "stopping";

export type Phase = "loading" | "queued" | "running" | "settling" | "over";

/** What all runs of an engine share. */
export interface RunSurroundings {
  readonly ports: EnginePorts;
  readonly parts: RunParts;
  readonly owner: string;
  /** For when to look again at what is well. */
  readonly resyncRandom: Random;
  /** See earlier-runs.ts; undefined: all that was said before counts. */
  readonly ignoredBeforeMs?: number | undefined;
  /** Told once, when a run is first aborted. */
  readonly aborted: (run: Run) => void;
}

type Edit = (resource: Resource) => Resource;

export class Run implements RunScope, RunAround, Holder {
  readonly around: RunSurroundings;
  readonly claim: Claim;
  /** As writes name it. */
  readonly fence: ClaimRef;
  readonly reconciler: Reconciler;
  lease: Lease | undefined;
  plan: RunPlan | undefined;
  startedMs = 0;
  /** Its reconciler may have run, or runs. */
  hasBegun = false;
  /** It did not stop when it was told to: others write in its name, and it may not any more. */
  isGivenUp = false;
  /** Ends its wait for a turn, then its time to run, then the patience after an abort. */
  deadline: Cohort<Run> | undefined;
  /** Ends when it is to be told that it takes a while. */
  word: Cohort<Run> | undefined;
  /** While it is the only one that may be why a worker was lost. */
  solitude: Cohort<Run> | undefined;
  #abortCause: AbortCause | undefined;
  #controller: AbortController | undefined;
  #resource: Resource | undefined;
  #given: Resource | undefined;
  #revision = 0;
  #edits: Promise<unknown> | undefined;
  #phase: Phase = "loading";
  #listening: Listening | undefined;
  #steps: StepsPart | undefined;
  #references: ReferencesPart | undefined;
  #traceId: string | undefined;
  #continued: Cause | undefined;
  #cause: Cause | undefined;

  constructor(around: RunSurroundings, claim: Claim, reconciler: Reconciler) {
    this.around = around;
    this.claim = claim;
    this.fence = { key: claim.key, token: claim.token };
    this.reconciler = reconciler;
  }

  get key(): ResourceKey {
    return this.claim.key;
  }

  get uid(): string {
    return this.claim.uid;
  }

  /** Determined when it is first needed, by which time the resource has been read. */
  get traceId(): string {
    return (this.#traceId ??= this.#continuedTrace() ?? newTraceId(this.around.ports.random));
  }

  /** The revision of the change whose trace the run continues; undefined: none. */
  get wokenBy(): number | undefined {
    return this.traceId === this.#continued?.traceId ? this.claim.revision : undefined;
  }

  get cause(): Cause {
    return (this.#cause ??= causeOfRun(this.traceId, this.#continued?.correlationId));
  }

  get phase(): Phase {
    return this.#phase;
  }

  set phase(next: Phase) {
    this.#phase = next;
    if (next !== "running") this.#listening?.end();
  }

  /** Made when somebody asks: most runs are over before anybody does. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#abortCause !== undefined) this.#controller.abort(abortError(this.#abortCause));
    }
    return this.#controller.signal;
  }

  get abortCause(): AbortCause | undefined {
    return this.#abortCause;
  }

  get isLost(): boolean {
    return this.#abortCause === "lost";
  }

  /** Aborted when what the run was given is not wanted any more. */
  get superseded(): AbortSignal {
    if (this.#listening === undefined) {
      this.#listening = this.around.parts.superseded(this);
      if (this.#phase !== "running") this.#listening.end();
    }
    return this.#listening.signal;
  }

  /** Its author asked, and was told. */
  get isSuperseded(): boolean {
    return this.#listening?.signal.aborted === true;
  }

  get steps(): StepsPart {
    return (this.#steps ??= this.around.parts.steps(this));
  }

  get references(): ReferencesPart {
    return (this.#references ??= this.around.parts.references(this));
  }

  get usedReferences(): boolean {
    return this.#references !== undefined;
  }

  current(): Resource {
    if (this.#resource === undefined) throw new Error("the run has not been loaded");
    return this.#resource;
  }

  /** What the reconciler is, or was, told. */
  loaded(): Resource {
    return this.#given ?? this.current();
  }

  /**
   * The newest document, to be given to the reconciler. What is in it is not to be changed by
   * whoever gets it: the rest of what is written about the resource is taken from it.
   */
  give(): Resource {
    this.#given = deepFrozen(this.current());
    return this.#given;
  }

  get isLoaded(): boolean {
    return this.#resource !== undefined;
  }

  load(resource: Resource, revision: number): void {
    this.#resource = resource;
    this.#revision = revision;
  }

  /** Nobody needs the document while the claim goes back, and many go back at once. */
  unload(): void {
    this.#resource = undefined;
    this.#given = undefined;
  }

  /** False when what was claimed is gone. */
  async reread(): Promise<boolean> {
    const { store, resources } = this.around.ports;
    const record = await store.get(this.key);
    if (record === undefined || record.uid !== this.uid) return false;
    this.load(await readRecord(resources, record), record.revision);
    return true;
  }

  /** A loss replaces any other cause: nothing may be written any more. */
  abort(cause: AbortCause): void {
    const isFirst = this.#abortCause === undefined;
    if (isFirst || cause === "lost") this.#abortCause = cause;
    // A listener that throws does so in the name of this run.
    asRunOf(this, () => this.#controller?.abort(abortError(cause)));
    if (isFirst) this.around.aborted(this);
  }

  shown(error: unknown): unknown {
    return shownError(this, error);
  }

  lost(): void {
    this.abort("lost");
  }

  async commit(writes: readonly Write[]): Promise<readonly Answer[]> {
    this.#checkHeld();
    const claim = this.fence;
    const fenced = writes.map((write) => Object.assign({ ...write }, { claim }));
    const answers = await this.around.ports.store.commit(fenced, { atomic: true });
    const refused = refusalIn(answers);
    if (refused === undefined) return answers;
    if (isSetpointError(refused, "claim.lost")) this.abort("lost");
    throw refused;
  }

  async update(edit: Edit, alongside: readonly Write[] = []): Promise<readonly Answer[]> {
    const before = this.#edits;
    const own = (async (): Promise<readonly Answer[]> => {
      // Whether the edit before this one failed is the business of who made it.
      if (before !== undefined) await before.catch(() => undefined);
      return await this.#edit(edit, alongside);
    })();
    this.#edits = own;
    return await own;
  }

  /** What would be stored of it: what its kind has no place for is no reason to write. */
  asStored(next: Resource): Resource {
    const { resources } = this.around.ports;
    return resources.stored?.(this.key.kind, next, this.current()) ?? next;
  }

  /** The write of a document in the place of the newest that is known. */
  put(next: Resource, due?: DueChange): Put | Promise<Put> {
    const draft = this.around.ports.resources.draft(this.key.kind, next, this.#resource);
    const revision = this.#revision;
    if (!(draft instanceof Promise)) return this.#putOf(draft, revision, due);
    return draft.then((made) => this.#putOf(made, revision, due));
  }

  #continuedTrace(): string | undefined {
    const resource = this.#given ?? this.#resource;
    if (resource === undefined) return undefined;
    const { store } = this.around.ports;
    this.#continued = continuedCause(store.recentCause(this.claim.revision), resource);
    return traceOf(resource) ?? this.#continued?.traceId;
  }

  #putOf(draft: Draft, revision: number, due: DueChange | undefined): Put {
    const { fence: claim, key, uid, cause } = this;
    const when = { kind: "revision", revision, uid } as const;
    if (due === undefined) return { kind: "put", key, uid, draft, when, cause, claim };
    return { kind: "put", key, uid, draft, when, cause, claim, due };
  }

  async #edit(edit: Edit, alongside: readonly Write[]): Promise<readonly Answer[]> {
    for (let attempt = 1; ; attempt += 1) {
      this.#checkHeld();
      const next = this.#changed(edit);
      if (next === undefined) return alongside.length > 0 ? await this.commit(alongside) : [];
      try {
        const [own, ...others] = await this.commit([await this.put(next), ...alongside]);
        if (own !== undefined && own.kind !== "refused") {
          this.load(withRevision(next, own.revision), own.revision);
        }
        return others;
      } catch (error) {
        const isRace = isSetpointError(error, "resource.conflict") && alongside.length === 0;
        if (!isRace || attempt >= limits.maxPatchAttempts) throw error;
      }
      if (!(await this.reread())) {
        this.abort("lost");
        throw new SetpointError("resource.not_found", "the resource does not exist");
      }
    }
  }

  /** Undefined: it stays as it is. */
  #changed(edit: Edit): Resource | undefined {
    const before = this.current();
    const edited = edit(before);
    if (edited === before) return undefined;
    const next = this.asStored(edited);
    return isSame(next, before) ? undefined : next;
  }

  #checkHeld(): void {
    if (this.isLost || this.isGivenUp || this.phase === "over") {
      throw new SetpointError("claim.lost", "the run lost its lease");
    }
  }
}

function deepFrozen<T>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    const parts = value as { readonly [key: string]: unknown };
    // Without a list of the keys: this is done for every run.
    for (const key in parts) deepFrozen(parts[key]);
  }
  return value;
}

/** Edits change nothing but the status and, with other metadata, the finalizers. */
function isSame(next: Resource, before: Resource): boolean {
  return next.metadata === before.metadata && equalJson(statusOf(next), statusOf(before));
}

function withRevision(resource: Resource, revision: number): Resource {
  const metadata = { ...resource.metadata, resourceVersion: String(revision) };
  return { ...resource, metadata };
}

function abortError(cause: AbortCause): Error {
  const messages = {
    lost: "the run lost its lease",
    timeout: "the run timed out",
    stopping: "the server is stopping",
  };
  return new DOMException(messages[cause], cause === "timeout" ? "TimeoutError" : "AbortError");
}

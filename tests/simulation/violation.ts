// A broken promise of the engine, found by the simulator. The name of the invariant is stable, so
// that a planted bug can be told from another one and a shrunk run from a different failure.

export const invariants = {
  "exclusive-claim": "no two claims on one resource are valid at one time",
  "growing-tokens": "the token of a claim is larger than that of every claim before it",
  "fenced-writes": "every write of a worker names a claim that it holds",
  "kept-leases": "in clear weather no claim of a living process runs out",
  "one-body": "no two reconcilers work on one resource while neither has been stopping",
  "aborted-in-time": "a run is aborted before its lease can end",
  "aborted-on-loss": "a run is aborted when a renewal says that its claim is lost",
  "superseded-truly": "a run is told that it was superseded only when it was",
  "fresh-load": "a run sees the resource as it was claimed, or newer",
  "no-old-effects": "once a newer claim had an effect in the outside no older one has",
  "intent-kept": "the engine never changes what people wrote",
  "honest-status": "a status says ready for a generation only once that is in the outside",
  "limits-kept": "no more run at a time than the limits allow",
  "bulkhead-kept": "a process makes no more calls of a system at a time than its bulkhead allows",
  "pause-kept": "nothing runs for a resource that is paused",
  "policy-kept": "only what the policy of a resource allows is run",
  "finalizer-first": "a resource is held by the finalizer before anything is done for it",
  "removed-clean": "what was deleted is gone, with its effects and its journal",
  "stored-steps": "a step begins after the results of those before it have been stored",
  "steps-once": "a step whose result was stored is not run again for the same operation",
  "undo-order": "steps are undone from the last to the first, each with its own result",
  remembered: "a remembered value never changes",
  "external-id": "the external id is known to every run after the one that stored it",
  converged: "each acknowledged intent is reconciled once faults have stopped",
  "requests-echoed": "a request by annotation is answered with its token in the status",
  quiet: "what is settled is not written again",
  idle: "an idle engine asks little of the store",
  "put-aside": "a resource that takes its process down is left alone for longer and longer",
  fair: "a fresh resource starts within its bound, whatever other tenants do",
  "stops-in-time": "a graceful stop ends within its bound, and nothing is done after it",
  "hands-back": "whoever stops in the orderly way keeps no claim",
  "no-leaks": "an idle engine holds few timers and open calls",
  "no-stray-errors": "no failure goes unhandled",
} as const;

export type Invariant = keyof typeof invariants;

export class Violation extends Error {
  readonly invariant: Invariant;

  constructor(invariant: Invariant, detail: string) {
    super(detail);
    this.name = "Violation";
    this.invariant = invariant;
  }
}

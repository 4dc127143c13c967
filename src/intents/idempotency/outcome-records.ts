// The outcome of a request with an Idempotency-Key, stored so that a repeat of the request gets the
// same answer from any process, also after a restart. A record is created before the request runs
// and completed with its outcome. Keys belong to the user who sends them.
//
// A process that ends between the two leaves a record in progress. Its write may or may not have
// happened. After the lease, a request with If-Match runs again, because a second write would
// fail its precondition. A request without If-Match is refused: it could undo newer writes.

import { hash } from "node:crypto";
import type { Cause } from "../../kernel/cause.ts";
import { timeText } from "../../kernel/clock.ts";
import { decodeDocument, encodeDocument } from "../../kernel/document.ts";
import { SetpointError } from "../../kernel/errors.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { numberAt, presentObjectAt, textAt } from "../../kernel/json-read.ts";
import { limits } from "../../kernel/limits.ts";
import type { ResourceKey } from "../../kernel/resource.ts";
import type { Precondition, StoredRecord } from "../../store/port.ts";
import type { Intents } from "../request.ts";

/** Not a served kind: no surface shows these records. */
export const outcomeKind = "idempotencykeys.internal";

export type OutcomePorts = Pick<Intents, "store" | "clock" | "ids">;

export interface KeyedRequest {
  readonly user: string;
  readonly key: string;
  /** The same for the same request: method, URL and body. */
  readonly fingerprint: string;
  /** Whether the request has If-Match, so that running it twice changes nothing twice. */
  readonly isConditional: boolean;
  readonly cause: Cause;
}

export type Begun =
  | { readonly kind: "replay"; readonly outcome: JsonObject }
  | { readonly kind: "run"; readonly record: RunningRecord };

export interface RunningRecord {
  /** Stores the outcome for repeats. */
  finish(outcome: JsonObject): Promise<void>;
  /** Forgets the request, so that a repeat runs it again. */
  abandon(): Promise<void>;
}

/** Throws idempotency.mismatch, idempotency.in_progress or idempotency.outcome_unknown. */
export async function beginKeyed(ports: OutcomePorts, request: KeyedRequest): Promise<Begun> {
  const key = keyOf(request);
  const found = await ports.store.get(key);
  const decision = decide(found, request, ports.clock.nowMs());
  if (decision.kind === "replay") return decision;
  const when: Precondition =
    found === undefined
      ? { kind: "absent" }
      : { kind: "revision", revision: found.revision, uid: found.uid };
  const uid = found?.uid ?? ports.ids.uid();
  const revision = await put(ports, request, { key, uid, when }, {});
  // Another process was faster with the same key, so its request is in progress.
  if (revision === undefined) throw inProgress();
  return { kind: "run", record: runningRecord(ports, request, { key, uid, revision }) };
}

type Decision =
  | { readonly kind: "replay"; readonly outcome: JsonObject }
  | { readonly kind: "run" };

function decide(
  found: StoredRecord | undefined,
  { fingerprint, isConditional }: KeyedRequest,
  nowMs: number,
): Decision {
  if (found === undefined) return { kind: "run" };
  const document = decodeDocument(found.body, found.revision);
  const writtenMs = numberAt(document, "writtenMs") ?? 0;
  if (nowMs - writtenMs >= limits.idempotencyTtlMs) return { kind: "run" };
  if (textAt(document, "fingerprint") !== fingerprint) throw mismatch();
  const outcome = presentObjectAt(document, "outcome");
  if (outcome !== undefined) return { kind: "replay", outcome };
  if (nowMs - writtenMs < limits.idempotencyLeaseMs) throw inProgress();
  if (!isConditional) throw outcomeUnknown();
  return { kind: "run" };
}

interface Held {
  readonly key: ResourceKey;
  readonly uid: string;
  readonly revision: number;
}

function runningRecord(ports: OutcomePorts, request: KeyedRequest, held: Held): RunningRecord {
  const { key, uid, revision } = held;
  const when = { kind: "revision", revision, uid } as const;
  return {
    finish: async (outcome) => {
      // A refusal means that the lease was over and the request runs again elsewhere.
      await put(ports, request, { key, uid, when }, { outcome });
    },
    abandon: async () => {
      await ports.store.commit([{ kind: "delete", key, when, cause: request.cause }]);
    },
  };
}

interface Place {
  readonly key: ResourceKey;
  readonly uid: string;
  readonly when: Precondition;
}

/** The revision of the record; undefined when it was refused. */
async function put(
  { store, clock }: OutcomePorts,
  { fingerprint, cause }: KeyedRequest,
  { key, uid, when }: Place,
  content: JsonObject,
): Promise<number | undefined> {
  const nowMs = clock.nowMs();
  const metadata = { name: key.name, uid, generation: 1, creationTimestamp: timeText(nowMs) };
  const type = { apiVersion: "internal/v1", kind: "IdempotencyKey" };
  const body = encodeDocument({ ...type, metadata, writtenMs: nowMs, fingerprint, ...content });
  const draft = { body, terms: [], secrets: [] };
  const [answer] = await store.commit([{ kind: "put", key, uid, draft, when, cause }]);
  if (answer === undefined || answer.kind === "refused") return undefined;
  return answer.revision;
}

function keyOf({ user, key }: KeyedRequest): ResourceKey {
  const name = hash("sha256", `${user}\n${key}`, "hex");
  return { kind: outcomeKind, namespace: "", name };
}

function mismatch(): SetpointError {
  const message = "the Idempotency-Key was used for a request with another method, URL or body";
  return new SetpointError("idempotency.mismatch", message, {
    details: { field: "Idempotency-Key" },
  });
}

function inProgress(): SetpointError {
  const message = "a request with this Idempotency-Key is in progress";
  return new SetpointError("idempotency.in_progress", message, {
    details: { field: "Idempotency-Key", retryAfterSeconds: 1 },
  });
}

function outcomeUnknown(): SetpointError {
  const message = "the outcome of the first request with this Idempotency-Key is not known";
  return new SetpointError("idempotency.outcome_unknown", message, {
    details: { field: "Idempotency-Key" },
    suggestion: "read the resource; if the change is missing, send it with If-Match and a new key",
  });
}

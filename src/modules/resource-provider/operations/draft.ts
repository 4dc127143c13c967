// The record of a new operation. The commit of a change writes it together with the change, so that
// neither exists without the other. A draft is a value: it has no effect until it is committed.

import type { Caller } from "../../../intents/request.ts";
import type { ServedKind } from "../../../intents/kinds/served-kind.ts";
import { causeOf } from "../../../intents/write/cause-of.ts";
import { timeText } from "../../../kernel/clock.ts";
import { draftOf } from "../../../kernel/draft.ts";
import type { Json } from "../../../kernel/json.ts";
import type { Resource, ResourceKey } from "../../../kernel/resource.ts";
import type { Put } from "../../../store/port.ts";
import { operationKind } from "../face.ts";
import type { ArmFace, ArmOperationMark } from "../face.ts";
import type { ProviderState } from "../provider-state.ts";
import { endJson } from "./record.ts";
import type { OperationEnd, OperationSpec } from "./record.ts";

/** The request that the record is about. */
export interface AcceptedRequest {
  readonly ids: {
    readonly request: string;
    readonly correlation: string;
    readonly client?: string | undefined;
  };
  readonly user: { readonly name: string };
  readonly caller: Caller;
}

export interface NewOperation {
  readonly mark: ArmOperationMark;
  readonly face: ArmFace;
  readonly apiVersion: string;
  readonly resourceId: string;
  readonly location: string;
  readonly key: ResourceKey;
  readonly request: AcceptedRequest;
  /** Of an action, for its answer in the end; sealed in the store. */
  readonly input?: Json | undefined;
  /** Of what was done at once. */
  readonly end?: OperationEnd;
  /** By which the request is known when it comes again. */
  readonly replay?: string | undefined;
}

const defaultRetentionMs = 7 * 86_400_000;

/** An operation that is not committed yet. */
export interface OperationDraft {
  /** To be committed together with the resource. */
  readonly write: Put;
  readonly spec: OperationSpec;
}

/** The record of an operation on the finished resource. It has no effect until it is committed. */
export function draftOperation(
  { intents }: Pick<ProviderState, "intents">,
  operation: NewOperation,
  resource: Resource,
): OperationDraft {
  const { mark, face, key, request, input, end, replay } = operation;
  const served = servedOperations(intents.kinds.byId(operationKind));
  const nowMs = intents.clock.nowMs();
  const uid = intents.ids.uid();
  const { correlation, client } = request.ids;
  const document: Resource = {
    apiVersion: served.storage.apiVersion,
    kind: served.kind.names.kind,
    metadata: {
      name: mark.id,
      namespace: key.namespace,
      uid,
      generation: 1,
      creationTimestamp: timeText(nowMs),
    },
    spec: {
      verb: mark.verb,
      startedAt: mark.startedAt,
      expiresAt: expiryOf(operation, nowMs),
      resourceId: operation.resourceId,
      provider: face.provider,
      location: operation.location,
      apiVersion: operation.apiVersion,
      resource: { ...key, uid: resource.metadata.uid, generation: resource.metadata.generation },
      requestId: request.ids.request,
      correlationId: correlation,
      ...(client === undefined ? {} : { clientRequestId: client }),
      caller: request.user.name,
      ...(mark.action === undefined ? {} : { action: mark.action }),
      ...(input === undefined ? {} : { input }),
      ...(end === undefined ? {} : { isAnswered: true }),
      ...(replay === undefined ? {} : { replay }),
    },
    // Until its end is recorded no more than this is known to be true.
    status: end === undefined ? { state: "Accepted" } : endJson(end),
  };
  const own = { kind: operationKind, namespace: key.namespace, name: mark.id };
  const draft = draftOf(served.storedKind, document);
  const cause = causeOf(request.caller);
  return {
    write: { kind: "put", key: own, uid, draft, when: { kind: "absent" }, cause },
    spec: specOf(operation, resource, nowMs),
  };
}

/** Takes the draft that the commit holds, and returns its write. */
export type Drafted = (draft: OperationDraft) => Put;

/**
 * Runs the commit of a draft. Once it has returned, this process follows the operation until its
 * end is recorded; an operation whose commit is refused is never followed.
 *
 * @param commit Passes the draft on when the write path has the final document.
 */
export async function commitOperation<T>(
  { followed, open, intents: { clock } }: ProviderState,
  resource: ResourceKey,
  commit: (drafted: Drafted) => Promise<T>,
): Promise<T> {
  let draft: OperationDraft | undefined;
  // A worker may finish before the commit returns here.
  using seen = followed.observe(resource);
  const written = await commit((next) => {
    draft = next;
    return next.write;
  });
  if (draft !== undefined) {
    const { write, spec } = draft;
    followed.begin(write.key, spec, seen.latest);
    if (!spec.isAnswered) open.note(write.key, spec.resource, clock.nowMs());
  }
  return written;
}

function expiryOf({ face }: NewOperation, nowMs: number): string {
  return timeText(nowMs + (face.operationRetentionMs ?? defaultRetentionMs));
}

/** As it will be read from its record. */
function specOf(operation: NewOperation, { metadata }: Resource, nowMs: number): OperationSpec {
  const { mark, face, key, input, end, replay = "" } = operation;
  return {
    verb: mark.verb,
    startedAt: mark.startedAt,
    expiresAt: expiryOf(operation, nowMs),
    resourceId: operation.resourceId,
    provider: face.provider,
    location: operation.location,
    apiVersion: operation.apiVersion,
    resource: key,
    uid: metadata.uid,
    action: mark.action ?? "",
    input,
    isAnswered: end !== undefined,
    generation: metadata.generation,
    replay,
  };
}

export function servedOperations(served: ServedKind | undefined): ServedKind {
  if (served === undefined) throw new Error("operations are served where the resource provider is");
  return served;
}

// After a change that failed, `properties` show what really is where a face says that a failed
// change leaves that in place: the spec that was last carried out. It is kept from the moment that
// a change is accepted, in the commit of the change and sealed, because it may hold secrets; it is
// named after the uid of the resource, which owns it. When something else was carried out since, by
// whatever means, it is no longer the truth and is not shown.

import { timeText } from "../../../kernel/clock.ts";
import { decodeDocument } from "../../../kernel/document.ts";
import { draftOf } from "../../../kernel/draft.ts";
import type { Draft } from "../../../kernel/draft.ts";
import { isSetpointError } from "../../../kernel/errors.ts";
import { parseExact } from "../../../kernel/int64.ts";
import { isJsonObject } from "../../../kernel/json.ts";
import type { Json } from "../../../kernel/json.ts";
import { numberAt, textAt } from "../../../kernel/json-read.ts";
import type { Resource, ResourceKey } from "../../../kernel/resource.ts";
import type { ServedKind } from "../../../intents/kinds/served-kind.ts";
import { systemCause } from "../../../kernel/cause.ts";
import type { Put } from "../../../store/port.ts";
import { appliedKind } from "../face.ts";
import type { ArmFace } from "../face.ts";
import type { ProviderState } from "../provider-state.ts";
import type { Provisioning } from "./provisioning.ts";

/** Keeps the spec of `old` where it is the one that was carried out last. */
export async function keepApplied(
  { intents }: ProviderState,
  face: ArmFace,
  old: Resource,
  next: Resource,
): Promise<readonly Put[]> {
  const served = intents.kinds.byId(appliedKind);
  const { generation, name, uid: owner } = old.metadata;
  const isApplied = succeededGeneration(old) === generation;
  const isChange = next.metadata.generation !== generation;
  if (face.afterFailedUpdate !== "revert" || !isApplied || !isChange || served === undefined) {
    return [];
  }
  const key = keyFor(old);
  const before = await intents.store.get(key);
  const uid = before?.uid ?? intents.ids.uid();
  const { apiVersion, kind, spec } = old;
  const document: Resource = {
    apiVersion: served.storage.apiVersion,
    kind: served.kind.names.kind,
    metadata: {
      name: key.name,
      namespace: key.namespace,
      uid,
      generation: 1,
      creationTimestamp: timeText(intents.clock.nowMs()),
      ownerReferences: [{ apiVersion, kind, name, uid: owner }],
    },
    spec: { generation, apiVersion, document: JSON.stringify(spec ?? {}) },
  };
  const draft = draftUnlessLarge(served, document);
  if (draft === undefined) return [];
  const when =
    before === undefined
      ? ({ kind: "absent" } as const)
      : ({ kind: "revision", revision: before.revision, uid } as const);
  return [{ kind: "put", key, uid, draft, when, cause: systemCause }];
}

/** A spec inside of a text may be larger than what it is the spec of; then it is not kept. */
function draftUnlessLarge(served: ServedKind, document: Resource): Draft | undefined {
  try {
    return draftOf(served.storedKind, document);
  } catch (error) {
    if (isSetpointError(error, "request.too_large")) return undefined;
    throw error;
  }
}

/** The resource with the spec that is true, which is its own unless a change has failed. */
export async function asItIs(
  { intents }: ProviderState,
  face: ArmFace,
  served: ServedKind,
  resource: Resource,
  { state }: Pick<Provisioning, "state">,
): Promise<Resource> {
  const { generation, deletionTimestamp } = resource.metadata;
  const applied = succeededGeneration(resource);
  const isReverted =
    face.afterFailedUpdate === "revert" &&
    state === "Failed" &&
    deletionTimestamp === undefined &&
    applied !== undefined &&
    applied !== generation;
  if (!isReverted) return resource;
  const record = await intents.store.get(keyFor(resource));
  const kept = record && decodeDocument(record.body, record.revision);
  const spec = parsed(textAt(kept, "spec", "document"));
  if (kept === undefined || numberAt(kept, "spec", "generation") !== applied) return resource;
  if (!isJsonObject(spec)) return resource;
  const before = { ...resource, apiVersion: textAt(kept, "spec", "apiVersion"), spec };
  if (before.apiVersion === served.storage.apiVersion) return before;
  const [converted] = await served.convert([before], served.storage);
  return converted ?? resource;
}

function succeededGeneration(resource: Resource): number | undefined {
  return numberAt(resource, "status", "reconcile", "succeeded", "generation");
}

function keyFor({ metadata }: Resource): ResourceKey {
  return { kind: appliedKind, namespace: metadata.namespace ?? "", name: metadata.uid };
}

function parsed(text: string): Json | undefined {
  try {
    return parseExact(text) as Json;
  } catch {
    return undefined;
  }
}

// A deletion waits for what is inside of the resource, which nobody has asked for by itself: when
// the removal of something inside fails for good, whoever waits for the deletion around it should
// know. It is written into the envelope of the one around, so that this shows it before its
// operation tells it, and stays until it is asked for again.

import { annotations } from "../../../kernel/annotations.ts";
import { timeText } from "../../../kernel/clock.ts";
import { decodeDocument } from "../../../kernel/document.ts";
import { nestedFinalizer } from "../../../kernel/engine-finalizers.ts";
import { isSetpointError } from "../../../kernel/errors.ts";
import { textAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import type { Put, StoredRecord } from "../../../store/port.ts";
import { annotatedWrite } from "../annotated.ts";
import { envelopeOf, envelopeText } from "../envelope.ts";
import { envelopeAnnotation } from "../face.ts";
import type { ArmEnvelope, ArmFace, ArmFailure } from "../face.ts";
import { innerOf } from "../faces/inner-types.ts";
import type { ProviderState } from "../provider-state.ts";
import { provisioningIn } from "./provisioning-in.ts";

/** What goes makes room for what stays, so that nothing is overlooked for good. */
const mostLookedAt = 100;

/** One that is stored and shown as failed from now on; undefined where there is none. */
export async function notedFailureInside(
  provider: ProviderState,
  face: ArmFace,
  record: StoredRecord,
  envelope: ArmEnvelope,
): Promise<ArmFailure | undefined> {
  const { metadata } = decodeDocument(record.body, record.revision);
  if (metadata.finalizers?.includes(nestedFinalizer) !== true) return undefined;
  const { operation } = envelope;
  const [found] = await failuresInside(provider, face, record, operation.startedAt);
  if (found === undefined) return undefined;
  const { code, message } = found;
  const failure = { code, message, at: timeText(provider.intents.clock.nowMs()) };
  const text = envelopeText({ ...envelope, operation: { ...operation, failure } });
  const edit = (before: object): Record<string, string> => ({
    ...before,
    [envelopeAnnotation]: text,
  });
  try {
    const [answer] = await provider.intents.store.commit(
      await annotatedWrite(provider, record, edit),
    );
    return answer?.kind === "refused" ? undefined : failure;
  } catch (error) {
    // While nothing can be written it goes on.
    if (isSetpointError(error)) return undefined;
    throw error;
  }
}

/** Those inside that failed are asked to try again, for the deletion that was asked for anew. */
export async function askFailedInside(
  provider: ProviderState,
  face: ArmFace,
  record: StoredRecord,
  operation: string,
): Promise<void> {
  const failed = await failuresInside(provider, face, record, "");
  const due = { kind: "wake", afterMs: 0 } as const;
  const edit = (before: object): Record<string, string> => ({
    ...before,
    [annotations.request]: operation,
  });
  const writes: Put[] = [];
  for (const { inside } of failed) {
    const made = await annotatedWrite(provider, inside, edit);
    for (const write of made) writes.push({ ...write, due });
  }
  // Who has changed since then has been tried.
  if (writes.length > 0) await provider.intents.store.commit(writes);
}

interface FailureInside extends Pick<ArmFailure, "code" | "message"> {
  readonly inside: StoredRecord;
}

/** Of runs that began since then. */
async function failuresInside(
  provider: ProviderState,
  face: ArmFace,
  { key: { namespace }, uid }: StoredRecord,
  since: string,
): Promise<readonly FailureInside[]> {
  const failures: FailureInside[] = [];
  for (const { inner } of innerOf(provider, face)) {
    const query = { kind: inner.kind, namespace, owner: uid, limit: mostLookedAt };
    const { records } = await provider.intents.store.list(query);
    for (const inside of records) {
      const resource = decodeDocument(inside.body, inside.revision);
      const failure = failureOf(provider, inner, resource, since);
      if (failure !== undefined) failures.push({ ...failure, inside });
      failures.push(...(await failuresInside(provider, inner, inside, since)));
    }
  }
  return failures;
}

function failureOf(
  provider: ProviderState,
  face: ArmFace,
  resource: Resource,
  since: string,
): Pick<ArmFailure, "code" | "message"> | undefined {
  if (resource.metadata.deletionTimestamp === undefined) return undefined;
  const { state, error } = provisioningIn(provider, face, resource);
  const ranAt = textAt(resource, "status", "reconcile", "lastRun", "startedAt");
  if (state !== "Failed" || error === undefined || ranAt < since) return undefined;
  const id = envelopeOf(resource)?.id ?? resource.metadata.name;
  return { code: error.code, message: `'${id}' could not be deleted: ${error.message}` };
}

// When an operation succeeded, as its resource shows it. Once a resource shows it, it shows it for
// good, so that it can be told without a record: runs of its reconciler leave it as it is, requests
// to this surface record it in their own commit, and a change by other means that would hide it
// writes it into the envelope (see envelope-guard.ts). Pure.

import { annotations } from "../../../kernel/annotations.ts";
import { equalJson, getOwn } from "../../../kernel/json.ts";
import { numberAt, objectAt, textAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { withoutKey } from "../../../kernel/without-key.ts";
import { envelopeOf } from "../envelope.ts";
import type { ArmEnvelope, ArmOperationMark } from "../face.ts";
import { provisioningOf } from "./provisioning.ts";

export interface AcceptedOperation {
  readonly id: string;
  readonly verb: ArmOperationMark["verb"];
  /** Of the resource, when it was accepted. */
  readonly generation: number;
}

export interface Success {
  readonly at: string;
  /** Whether whatever comes later leaves it as it is. */
  readonly isLasting: boolean;
}

/** Undefined while it has not, or where the resource does not tell; also of what is deleted. */
export function successIn(
  resource: Resource,
  envelope: ArmEnvelope,
  operation: AcceptedOperation,
): Success | undefined {
  if (operation.verb === "delete" || envelope.operation.id !== operation.id) return undefined;
  const { endedAt } = envelope.operation;
  if (endedAt !== undefined) return { at: endedAt, isLasting: true };
  const { generation, deletionTimestamp } = resource.metadata;
  const succeeded = objectAt(resource, "status", "reconcile", "succeeded");
  // What was changed by other means since then does not begin the operation anew.
  if (generation > operation.generation) {
    const isPast = (numberAt(succeeded, "generation") ?? -1) >= operation.generation;
    return isPast ? { at: textAt(succeeded, "at"), isLasting: false } : undefined;
  }
  const at = readySince(resource, envelope);
  return at === undefined ? undefined : { at, isLasting: deletionTimestamp === undefined };
}

/** When the operation accepted last has succeeded, where a change by other means would hide it. */
export function hiddenSuccess(old: Resource, next: Resource): string | undefined {
  const envelope = envelopeOf(old);
  if (envelope === undefined || envelope.operation.endedAt !== undefined) return undefined;
  return isOther(old, next) ? readySince(old, envelope) : undefined;
}

function readySince(resource: Resource, envelope: ArmEnvelope): string | undefined {
  // What is being deleted now may have been ready before.
  const metadata = withoutKey(resource.metadata, "deletionTimestamp");
  const kept = metadata === resource.metadata ? resource : { ...resource, metadata };
  const facts = { envelope, isReconciled: true, nowMs: 0, timeoutMs: 0 };
  const { state, endedAt } = provisioningOf(kept, facts);
  return state === "Succeeded" ? endedAt : undefined;
}

/** Whether what a reconciler is to do, or what it has told, is changed. */
function isOther(old: Resource, next: Resource): boolean {
  const [was, is] = [old, next].map(({ metadata }) => metadata.annotations?.[annotations.request]);
  if (was !== is) return true;
  const keys = new Set([...Object.keys(old), ...Object.keys(next)]);
  keys.delete("metadata");
  return [...keys].some((key) => !equalJson(getOwn(old, key) ?? null, getOwn(next, key) ?? null));
}

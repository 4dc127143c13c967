// What a change of its resource, as this process has seen it, tells of an operation that goes on.

import { addedStatus, decodeDocument } from "../../../kernel/document.ts";
import type { Resource } from "../../../kernel/resource.ts";
import type { ArmSurface } from "../request/surface-state.ts";
import type { SeenChange } from "../../../modules/resource-provider/operations/awaited-changes.ts";
import { envelopeOf } from "../../../modules/resource-provider/envelope.ts";
import type { AcceptedDocument } from "../../../modules/resource-provider/operations/followed.ts";
import { successIn } from "../../../modules/resource-provider/operations/lasting-success.ts";
import type { OperationRecord } from "../../../modules/resource-provider/operations/record.ts";
import { provisioningIn } from "../../../modules/resource-provider/operations/provisioning-in.ts";
import { isTerminal } from "../../../modules/resource-provider/operations/provisioning.ts";

export interface SeenEnd {
  /**
   * "over": it may have ended in another way, or something else has begun. A success is told only
   * where the resource shows it, as it was asked for, and shows it for good.
   */
  readonly what: "succeeded" | "goes on" | "over";
  readonly resource: Resource;
  /** When it succeeded. */
  readonly at?: string;
}

/** @param before What was accepted: most ends do no more to it than to give it a status. */
export function seenEnd(
  surface: ArmSurface,
  { id, spec }: Pick<OperationRecord, "id" | "spec">,
  change: SeenChange,
  before: AcceptedDocument | undefined,
): SeenEnd {
  const resource = resourceAfter(change, before);
  const face = surface.faces.byKind(spec.resource.kind);
  const envelope = envelopeOf(resource);
  const isIts = change.type === "updated" && change.uid === spec.uid;
  if (!isIts || face === undefined || envelope?.operation.id !== id) {
    return { what: "over", resource };
  }
  const { state } = provisioningIn(surface, face, resource, envelope);
  if (!isTerminal(state)) return { what: "goes on", resource };
  const success = successIn(resource, envelope, { id, ...spec });
  const isAsAsked =
    resource.metadata.generation === spec.generation && envelope.id === spec.resourceId;
  if (state !== "Succeeded" || success?.isLasting !== true || !isAsAsked) {
    return { what: "over", resource };
  }
  return { what: "succeeded", resource, at: success.at };
}

function resourceAfter(
  { revision, body }: SeenChange,
  before: AcceptedDocument | undefined,
): Resource {
  const status = before && addedStatus(before.body, body);
  if (before === undefined || status === undefined) return decodeDocument(body, revision);
  return { ...before.resource, status };
}

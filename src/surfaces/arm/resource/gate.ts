// Which writes a resource lets pass in its state: none while one is carried out, and after a
// creation or deletion that failed only its deletion.

import { numberAt, objectsAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { armRefusal } from "../protocol/arm-error.ts";
import { envelopeOf } from "../../../modules/resource-provider/envelope.ts";
import { shortId } from "../../../modules/resource-provider/resource-id.ts";
import type { ArmPlace } from "../../../modules/resource-provider/resource-id.ts";
import type { ArmFace } from "../../../modules/resource-provider/face.ts";
import { isTerminal } from "../../../modules/resource-provider/operations/provisioning.ts";
import type { Provisioning } from "../../../modules/resource-provider/operations/provisioning.ts";

/** Throws 409 unless a PUT or PATCH may pass. */
export function checkGate(
  face: ArmFace,
  place: ArmPlace,
  resource: Resource,
  state: Provisioning["state"],
): void {
  const name = shortId(face, place);
  if (!isTerminal(state)) {
    const message = `Another operation is in progress on '${name}'. Its state is ${state}.`;
    throw armRefusal(409, { code: "AnotherOperationInProgress", message });
  }
  if (state === "Succeeded") return;
  const verb = hasBeenReady(resource) ? "update" : envelopeOf(resource)?.operation.verb;
  const isDeleting = resource.metadata.deletionTimestamp !== undefined;
  if (verb !== "create" && !isDeleting) return;
  const what = isDeleting ? "deletion" : "creation";
  const message = `The ${what} of '${name}' failed: the resource can only be deleted.`;
  throw armRefusal(409, { code: "RequestNotAllowed", message });
}

/** Whatever failed since then was no creation. */
function hasBeenReady(resource: Resource): boolean {
  // A run that was asked for by name takes the success before it out of the status.
  if (envelopeOf(resource)?.operation.endedAt !== undefined) return true;
  if (numberAt(resource, "status", "reconcile", "succeeded", "generation") !== undefined) {
    return true;
  }
  return objectsAt(resource, "status", "conditions").some(
    ({ type, status }) => type === "Ready" && status === "True",
  );
}

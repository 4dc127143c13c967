// The result of an operation: the response that its request would have had if the work had been
// complete at once.

import { errorOf, findOperation, operationNotFound } from "./polled-operation.ts";
import { readStored } from "../../../intents/write/stored.ts";
import { actionAnswer } from "../action/actions.ts";
import { findAction } from "../request/find-action.ts";
import { armRefusal } from "../protocol/arm-error.ts";
import type { OperationPlace } from "../protocol/arm-path.ts";
import type { ArmAnswer } from "../protocol/arm-answer.ts";
import type { ArmRequest } from "../request/arm-request.ts";
import type { ArmSurface } from "../request/surface-state.ts";
import { rightForAction, authorise } from "../request/authorise.ts";
import { isOver } from "../../../modules/resource-provider/operations/unrecorded-ends.ts";
import { operationProgress } from "../../../modules/resource-provider/operations/operations.ts";
import type { OperationRecord } from "../../../modules/resource-provider/operations/record.ts";
import { operationUrl } from "../operation/operation-url.ts";
import { shownResource } from "../resource/resource-view.ts";
import { passSubscription } from "../request/subscription-gate.ts";

export async function operationResult(
  surface: ArmSurface,
  request: ArmRequest,
  place: OperationPlace,
): Promise<ArmAnswer> {
  const operation = await findOperation(surface, place);
  const { spec, id } = operation;
  authoriseResult(surface, request, operation);
  const { end } = await operationProgress(surface, operation);
  if (isOver(spec, end, surface.intents.clock.nowMs())) throw operationNotFound(id);
  if (end === undefined) {
    const { apiVersion, location, provider } = spec;
    const known = { place, face: { provider }, location, id, apiVersion };
    const url = operationUrl(request, known, "operationResults");
    return { status: 202, headers: { location: url, "retry-after": surface.retryAfterSeconds } };
  }
  if (end.state !== "Succeeded") {
    const { code, message } = errorOf(end);
    throw armRefusal(409, { code, message });
  }
  switch (spec.verb) {
    case "delete":
      return { status: 204 };
    case "action":
      if (spec.isAnswered) return { status: 204 };
      // It is made now, so it needs what the action itself would need now.
      await passSubscription(surface, place.subscription, "write");
      return await actionResult(surface, operation);
    default:
      return await resultResource(surface, operation);
  }
}

/** What came of a request is for those who may see it anyway, not for all who may poll. */
function authoriseResult(
  surface: ArmSurface,
  request: ArmRequest,
  { spec, id }: OperationRecord,
): void {
  const { kind, namespace, name } = spec.resource;
  if (spec.verb === "delete") return;
  const versions = surface.faces.byKind(kind)?.versions ?? [];
  const isAdmin = versions.find(({ apiVersion }) => apiVersion === spec.apiVersion)?.isAdmin;
  const hidden = isAdmin === true ? (): Error => operationNotFound(id) : undefined;
  if (hidden !== undefined && request.isManager) throw hidden();
  if (spec.verb !== "action") {
    return authorise(surface, request, kind, { verb: "get", namespace, name, hidden });
  }
  if (hidden !== undefined) {
    authorise(surface, request, kind, { verb: "create", namespace, name, hidden });
  }
  authorise(surface, request, kind, rightForAction({ name: spec.action }, spec.resource));
}

/** What the action answers about the resource as it is now. */
async function actionResult(surface: ArmSurface, { spec }: OperationRecord): Promise<ArmAnswer> {
  const { kinds, store } = surface.intents;
  const face = surface.faces.byKind(spec.resource.kind);
  const served = kinds.byId(spec.resource.kind);
  const action = face && findAction(face, spec.action);
  const record = await store.get(spec.resource);
  if (served === undefined || action === undefined || record?.uid !== spec.uid) {
    const message = "The resource of the operation does not exist.";
    throw armRefusal(404, { code: "ResourceNotFound", message });
  }
  const resource = await readStored(served, served.storage, record);
  return await actionAnswer(surface, resource, action, spec.input);
}

async function resultResource(surface: ArmSurface, { spec }: OperationRecord): Promise<ArmAnswer> {
  const { kinds, store } = surface.intents;
  const face = surface.faces.byKind(spec.resource.kind);
  const served = kinds.byId(spec.resource.kind);
  const version = face?.versions.find(({ apiVersion }) => apiVersion === spec.apiVersion);
  const record = await store.get(spec.resource);
  if (face === undefined || served === undefined || version === undefined) return { status: 204 };
  // Another one that has its path since then is not what came of this.
  if (record?.uid !== spec.uid) return { status: 204 };
  const shown = await shownResource(surface, { face, served, version }, record);
  if (shown === undefined) return { status: 204 };
  return { status: 200, headers: { etag: shown.etag }, body: shown.body };
}

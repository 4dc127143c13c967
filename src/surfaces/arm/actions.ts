// POST of an action on a resource, such as listCredentials. It answers at once, and what it answers
// may hold secrets that no GET shows.

import { readStored } from "../../intents/write/stored.ts";
import { actionContext } from "./action-context.ts";
import type { Addressed } from "./addressed.ts";
import { readOptionalObject } from "./arm-body.ts";
import { armRefusal } from "./arm-error.ts";
import { isSameText } from "./arm-names.ts";
import type { ArmAnswer, ArmRequest, ArmSurface } from "./arm-request.ts";
import { envelopeOf } from "./envelope.ts";
import type { ArmAction, ArmFace } from "./face.ts";
import { resourceNotFound } from "./resource-view.ts";

/** Throws 404 for an action that the face does not have. */
export function actionOf(face: ArmFace, name: string): ArmAction {
  const action = face.actions?.find((each) => isSameText(each.name, name));
  if (action !== undefined) return action;
  const type = `${face.provider}/${face.type}`;
  const message = `The resource type '${type}' has no action '${name}'.`;
  throw armRefusal(404, { code: "InvalidResourceType", message });
}

export async function performAction(
  surface: ArmSurface,
  request: ArmRequest,
  found: Addressed,
  action: ArmAction,
): Promise<ArmAnswer> {
  const input = await readOptionalObject(request.exchange);
  const { served, target } = found;
  const { namespace, name } = target;
  const record = await surface.intents.store.get({ kind: served.id, namespace, name });
  const resource = record && (await readStored(served, served.storage, record));
  if (resource === undefined || envelopeOf(resource) === undefined) throw resourceNotFound(found);
  const body = await action.perform(resource, input, actionContext(surface.intents, resource));
  return { status: 200, headers: { "cache-control": "no-store" }, body };
}

// POST of an action on a resource. One that only answers, such as listCredentials, does so at once;
// what it answers may hold secrets that no GET shows, so who asked is recorded as an operation that
// has ended. One that changes what is wanted is begun here: see long-actions.ts.

import { readStored } from "../../../intents/write/stored.ts";
import { timeText } from "../../../kernel/clock.ts";
import { isJsonObject } from "../../../kernel/json.ts";
import type { Json } from "../../../kernel/json.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { actionContext } from "./action-context.ts";
import { readOptionalObject } from "../protocol/arm-body.ts";
import { armRefusals } from "../protocol/arm-error.ts";
import type { ArmAnswer } from "../protocol/arm-answer.ts";
import type { ArmRequest } from "../request/arm-request.ts";
import type { ArmSurface } from "../request/surface-state.ts";
import { acceptInput } from "../../../modules/resource-provider/faces/body-schema.ts";
import { newMark } from "../operation/new-mark.ts";
import { envelopeOf } from "../../../modules/resource-provider/envelope.ts";
import type { ArmAction } from "../../../modules/resource-provider/face.ts";
import { beginAction } from "./long-actions.ts";
import type { ActionCall } from "./long-actions.ts";
import { draftOperation } from "../../../modules/resource-provider/operations/draft.ts";
import type { Located } from "../resource/located.ts";
import { resourceNotFound } from "../resource/resource-view.ts";
import { sentBody } from "../resource/sent-body.ts";

export async function performAction(
  surface: ArmSurface,
  request: ArmRequest,
  found: Located,
  { action, reauthorize }: Pick<ActionCall, "action" | "reauthorize">,
): Promise<ArmAnswer> {
  const input = await sentBody(surface, found, reauthorize, () => inputOf(request, action));
  const call = { request, found, action, reauthorize, input };
  const begun = action.change === undefined ? undefined : await beginAction(surface, call);
  if (begun !== undefined) return begun;
  const { served, target, face, version, record } = found;
  const { namespace, name } = target;
  const resource = record && (await readStored(served, served.storage, record));
  const envelope = resource && envelopeOf(resource);
  if (envelope === undefined || resource === undefined) throw resourceNotFound(found);
  const mark = { ...newMark(surface, "action", false), action: action.name };
  const answer = await actionAnswer(surface, resource, action, input);
  const operation = {
    mark,
    face,
    apiVersion: version.apiVersion,
    resourceId: envelope.id,
    location: envelope.location,
    key: { kind: served.id, namespace, name },
    request,
    end: { state: "Succeeded", endedAt: timeText(surface.intents.clock.nowMs()) } as const,
  };
  const draft = draftOperation(surface, operation, resource);
  await surface.intents.store.commit([draft.write]);
  surface.open.settle(draft.write.key);
  return answer;
}

/** What an action answers about a resource: an object, or 204 when it has nothing to say. */
export async function actionAnswer(
  { intents }: ArmSurface,
  resource: Resource,
  action: ArmAction,
  input: Json | undefined,
): Promise<ArmAnswer> {
  const said = await action.perform(resource, input, actionContext(intents, resource));
  const headers = { "cache-control": "no-store" };
  if (said === undefined) return { status: 204, headers };
  // Authors need not write TypeScript.
  const body: Json = said;
  if (isJsonObject(body)) return { status: 200, headers, body };
  throw new Error(`the action ${action.name} must return an object or undefined`);
}

async function inputOf(
  { exchange }: ArmRequest,
  { inputSchema }: ArmAction,
): Promise<Json | undefined> {
  const sent = await readOptionalObject(exchange);
  if (inputSchema === undefined) return sent;
  const { properties, problems } = acceptInput(inputSchema, sent ?? {});
  if (problems.length > 0) throw armRefusals(problems);
  return properties;
}

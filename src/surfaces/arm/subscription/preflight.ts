// Whether a deployment would be accepted: each of its resources is put as a PUT would put it, by
// whoever asks, without writing anything. What is inside of something that the same deployment
// creates cannot be there yet, so that is not looked for.

import { getOwn, isJsonArray, isJsonObject } from "../../../kernel/json.ts";
import type { Json, JsonObject } from "../../../kernel/json.ts";
import { objectAt, objectsAt, textAt } from "../../../kernel/json-read.ts";
import { withoutKey } from "../../../kernel/without-key.ts";
import { addressed, rightInVersion } from "../request/addressed.ts";
import { readObject } from "../protocol/arm-body.ts";
import { armErrorAnswer, armRefusal } from "../protocol/arm-error.ts";
import { isSameText } from "../../../modules/resource-provider/arm-names.ts";
import type { ArmPath } from "../protocol/arm-path.ts";
import type { ArmPlace } from "../../../modules/resource-provider/resource-id.ts";
import type { ArmAnswer } from "../protocol/arm-answer.ts";
import type { ArmRequest } from "../request/arm-request.ts";
import type { ArmSurface } from "../request/surface-state.ts";
import { authorise } from "../request/authorise.ts";
import { located } from "../resource/located.ts";
import type { Located } from "../resource/located.ts";
import { checkPut } from "../resource/writes.ts";

type Preflight = Extract<ArmPath, { readonly kind: "preflight" }>;

const maxPreflight = 800;

/** 200 once it is known what is asked: what would be refused is told for each resource. */
export async function preflight(
  surface: ArmSurface,
  request: ArmRequest,
  path: Preflight,
): Promise<ArmAnswer> {
  const details: Json[] = [];
  for (const [index, resource] of resourcesOf(await readObject(request.exchange)).entries()) {
    try {
      await preflightOne(surface, request, path, resource);
    } catch (error) {
      const answer = armErrorAnswer(error);
      if (answer.status >= 500) throw error;
      details.push(problemOf(objectAt(answer.body, "error"), `resources[${index}]`));
    }
  }
  if (details.length === 0) return { status: 200, body: { status: "Succeeded" } };
  const code = "InvalidTemplateDeployment";
  const message = "The deployment has resources that are not valid: see the details.";
  return { status: 200, body: { status: "Failed", error: { code, message, details } } };
}

/** All that is wrong with one resource, each at its place in the body of the request. */
function problemOf(told: JsonObject, place: string): JsonObject {
  const target = textAt(told, "target");
  const details = objectsAt(told, "details");
  const inner = details.length === 0 && target !== "" ? [told] : details;
  if (inner.length === 0) return { ...told, target: place };
  return { ...told, target: place, details: inner.map((detail) => placed(detail, place)) };
}

function placed(detail: JsonObject, place: string): JsonObject {
  const field = textAt(detail, "target");
  return { ...detail, target: field === "" ? place : `${place}.${field}` };
}

function resourcesOf(body: JsonObject): readonly Json[] {
  const resources = getOwn(body, "resources");
  if (!isJsonArray(resources)) throw wrong("The property 'resources' must be a list.");
  if (resources.length <= maxPreflight) return resources;
  throw wrong(`A request can check at most ${maxPreflight} resources.`);
}

function wrong(message: string): Error {
  return armRefusal(400, { code: "InvalidRequestContent", message, target: "resources" });
}

async function preflightOne(
  surface: ArmSurface,
  given: ArmRequest,
  { subscription, group = "preflight", provider }: Preflight,
  resource: Json,
): Promise<void> {
  if (!isJsonObject(resource)) {
    const message = "A resource in a deployment must be an object.";
    throw armRefusal(400, { code: "InvalidRequestContent", message });
  }
  const type = textAt(resource, "type");
  const prefix = `${provider}/`;
  const isOwn = isSameText(type.slice(0, prefix.length), prefix);
  const types = (isOwn ? type.slice(prefix.length) : type).split("/");
  const names = textAt(resource, "name").split("/");
  if (names.length !== types.length) {
    const message = `The name '${names.join("/")}' must have one segment per segment of '${type}'.`;
    throw armRefusal(400, { code: "InvalidResourceName", message, target: "name" });
  }
  const place: ArmPlace = { subscription, group, provider, types, names };
  const query = new Map([...given.query, ["api-version", textAt(resource, "apiVersion")]]);
  const found = await located(surface, addressed(surface, { ...given, query }, place));
  // To be told of a refusal is not to be refused, so the record of this request says nothing of it.
  const asking = { ...given, query, trail: undefined };
  const ask = (at: Located, verb: string): void =>
    authorise(surface, asking, at.served.id, rightInVersion(asking, at, verb));
  const reauthorize = (at: Located): ArmRequest => {
    ask(at, "update");
    return { ...asking, caller: { ...given.caller, mayCreate: () => ask(at, "create") } };
  };
  // Names of nested resources have the names around them in front, so they fit no id.
  const body = withoutKey(withoutKey(resource, "name"), "type");
  await checkPut(surface, { request: reauthorize(found), found, body, reauthorize });
}

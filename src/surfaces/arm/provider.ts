// What a provider says about itself and about names: the operations that roles of the Resource
// Manager are made of, whether a name is free, and whether a deployment would be accepted.

import { createResource } from "../../intents/write/create.ts";
import { decodeDocument } from "../../kernel/document.ts";
import { getOwn, isJsonObject } from "../../kernel/json.ts";
import type { Json, JsonObject } from "../../kernel/json.ts";
import { listAt, textAt } from "../../kernel/json-read.ts";
import { withoutKey } from "../../kernel/without-key.ts";
import type { Position } from "../../store/port.ts";
import { addressed } from "./addressed.ts";
import { readObject } from "./arm-body.ts";
import { armErrorAnswer, armRefusal } from "./arm-error.ts";
import { isSameText, namespaceOf } from "./arm-names.ts";
import type { ArmPath, ArmPlace } from "./arm-path.ts";
import type { ArmAnswer, ArmRequest, ArmSurface } from "./arm-request.ts";
import { draftCreation } from "./creation.ts";
import { envelopeOf } from "./envelope.ts";
import type { ArmFace } from "./face.ts";
import { nameProblems } from "./sent-envelope.ts";
import { asSentTo } from "./stored-refusal.ts";

/** The same for all api-versions and all tenants. */
export function providerOperations(
  surface: ArmSurface,
  request: ArmRequest,
  provider: string,
): ArmAnswer {
  const faces = facesOfProvider(surface, provider);
  const [first] = faces;
  if (first === undefined) throw unknownProvider(provider);
  if ((request.query.get("api-version") ?? "") === "") {
    const message = "The api-version query parameter (?api-version=) is required for all requests.";
    throw armRefusal(400, { code: "MissingApiVersionParameter", message });
  }
  const own = first.provider;
  const value = [
    entry(own, "register/action", "Subscription", "Registers a subscription with the provider"),
    entry(own, "operations/read", "Operations", "Lists the operations of the provider"),
    entry(own, "locations/operationsStatus/read", "Operation", "Reads the status of an operation"),
    entry(own, "locations/operationResults/read", "Operation", "Reads the result of an operation"),
    entry(own, "checkNameAvailability/action", "Names", "Tells whether a name can be taken"),
    ...faces.flatMap(entriesOf),
  ];
  return { status: 200, body: { value } };
}

function entriesOf({ provider, type, actions = [] }: ArmFace): readonly JsonObject[] {
  return [
    entry(provider, `${type}/read`, type, `Reads ${type}`),
    entry(provider, `${type}/write`, type, `Creates or changes ${type}`),
    entry(provider, `${type}/delete`, type, `Deletes ${type}`),
    ...actions.map(({ name, description = `Performs ${name}` }) =>
      entry(provider, `${type}/${name}/action`, type, description),
    ),
  ];
}

function entry(provider: string, name: string, resource: string, description: string): JsonObject {
  return {
    name: `${provider}/${name}`,
    isDataAction: false,
    display: { provider, resource, operation: description, description: `${description}.` },
    origin: "user,system",
  };
}

type NameCheck = Extract<ArmPath, { readonly kind: "nameCheck" }>;

export async function checkName(
  surface: ArmSurface,
  request: ArmRequest,
  { subscription, provider }: NameCheck,
): Promise<ArmAnswer> {
  const body = await readObject(request.exchange);
  const name = textAt(body, "name");
  const type = textAt(body, "type");
  const face = facesOfProvider(surface, provider).find((each) =>
    isSameText(`${each.provider}/${each.type}`, type),
  );
  if (face === undefined) {
    const message = `The resource type '${type}' could not be found in '${provider}'.`;
    throw armRefusal(400, { code: "InvalidResourceType", message, target: "type" });
  }
  const place = { subscription, group: undefined, provider, types: [face.type], names: [name] };
  const [problem] = nameProblems(place);
  const isOdd = problem !== undefined || name.trim() === "" || name.includes("/");
  if (isOdd) {
    const message = problem?.message ?? "The name is empty or has a slash in it.";
    return { status: 200, body: { nameAvailable: false, reason: "Invalid", message } };
  }
  if (!(await isTaken(surface, namespaceOf(subscription), face, name))) {
    return { status: 200, body: { nameAvailable: true } };
  }
  const message = `The name '${name}' is already taken.`;
  return { status: 200, body: { nameAvailable: false, reason: "AlreadyExists", message } };
}

async function isTaken(
  { intents: { store } }: ArmSurface,
  namespace: string,
  { kind }: ArmFace,
  name: string,
): Promise<boolean> {
  let from: Position | undefined;
  do {
    const query = { kind, namespace };
    const page = await store.list(from === undefined ? query : { ...query, from });
    for (const { body, revision } of page.records) {
      const found = envelopeOf(decodeDocument(body, revision))?.name ?? "";
      if (isSameText(found, name)) return true;
    }
    from = page.next;
  } while (from !== undefined);
  return false;
}

type Preflight = Extract<ArmPath, { readonly kind: "preflight" }>;

const maxPreflight = 800;

/** Always 200: what would be refused is told for each resource. */
export async function preflight(
  surface: ArmSurface,
  request: ArmRequest,
  path: Preflight,
): Promise<ArmAnswer> {
  const body = await readObject(request.exchange);
  const details: Json[] = [];
  for (const resource of listAt(body, "resources").slice(0, maxPreflight)) {
    try {
      await preflightOne(surface, request, path, resource);
    } catch (error) {
      const answer = armErrorAnswer(error);
      if (answer.status >= 500) throw error;
      const told = getOwn(answer.body, "error");
      if (told !== undefined) details.push(told);
    }
  }
  if (details.length === 0) return { status: 200, body: { status: "Succeeded" } };
  const code = "InvalidTemplateDeployment";
  const message = "The deployment has resources that would be refused: see the details.";
  return { status: 200, body: { status: "Failed", error: { code, message, details } } };
}

async function preflightOne(
  surface: ArmSurface,
  request: ArmRequest,
  { subscription, group = "preflight", provider }: Preflight,
  resource: Json,
): Promise<void> {
  if (!isJsonObject(resource)) {
    const message = "A resource of a deployment must be an object.";
    throw armRefusal(400, { code: "InvalidRequestContent", message, target: "resources" });
  }
  const type = textAt(resource, "type");
  const prefix = `${provider}/`;
  const isOwn = isSameText(type.slice(0, prefix.length), prefix);
  const types = (isOwn ? type.slice(prefix.length) : type).split("/");
  const names = textAt(resource, "name").split("/");
  const place: ArmPlace = { subscription, group, provider, types, names };
  const asked = new Map([...request.query, ["api-version", textAt(resource, "apiVersion")]]);
  const found = addressed(surface, { ...request, query: asked }, place);
  // Names of nested resources have the names around them in front, so they fit no id.
  const body = withoutKey(withoutKey(resource, "name"), "type");
  // What is inside of something that the same deployment creates cannot be there yet.
  const { document } = await draftCreation(surface, { request, found, body, isNested: false });
  const { target } = found;
  const creation = createResource(surface.intents, {
    caller: request.caller,
    target,
    body: document,
    options: { isDryRun: true, fieldManager: "arm", fieldValidation: "Ignore" },
    decodeProblems: [],
  });
  await asSentTo(surface, found, creation).catch((error: unknown) => {
    // To replace what is there is accepted as well.
    if (armErrorAnswer(error).status !== 409) throw error;
  });
}

function facesOfProvider({ faces }: ArmSurface, provider: string): readonly ArmFace[] {
  return faces.all().filter((face) => isSameText(face.provider, provider));
}

function unknownProvider(provider: string): Error {
  const message = `The resource namespace '${provider}' is invalid.`;
  return armRefusal(404, { code: "InvalidResourceNamespace", message });
}

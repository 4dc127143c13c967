// What a provider says about itself and about names: the operations that roles of the Resource
// Manager are made of, and whether a name is free.

import { decodeDocument } from "../../../kernel/document.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { textAt } from "../../../kernel/json-read.ts";
import type { Page } from "../../../store/port.ts";
import { readObject } from "../protocol/arm-body.ts";
import { armRefusal, armRefusals } from "../protocol/arm-error.ts";
import {
  isSameText,
  isStoredUnder,
  namespaceOf,
  storedPrefix,
} from "../../../modules/resource-provider/arm-names.ts";
import type { ArmPath } from "../protocol/arm-path.ts";
import type { ArmAnswer } from "../protocol/arm-answer.ts";
import type { ArmRequest } from "../request/arm-request.ts";
import type { ArmSurface } from "../request/surface-state.ts";
import { envelopeOf } from "../../../modules/resource-provider/envelope.ts";
import type { ArmFace } from "../../../modules/resource-provider/face.ts";
import { checkProviderVersion, facesOfProvider } from "../request/provider-version.ts";
import { unavailableLocation } from "../face/sent-envelope.ts";
import { nameProblems } from "../protocol/name-rules.ts";

/** The same for all api-versions and all tenants. */
export function providerOperations(
  surface: ArmSurface,
  request: ArmRequest,
  provider: string,
): ArmAnswer {
  checkProviderVersion(surface, request, provider);
  const faces = facesOfProvider(surface.faces, provider);
  const own = faces[0]?.provider ?? provider;
  const value = [
    entry(own, "register/action", "Subscription", "Registers a subscription with the provider"),
    entry(own, "operations/read", "Operations", "Lists the operations of the provider"),
    entry(own, "locations/operationsStatus/read", "Operation", "Reads the status of an operation"),
    entry(own, "locations/operationResults/read", "Operation", "Reads the result of an operation"),
    entry(own, "checkNameAvailability/action", "Names", "Checks whether a name is available"),
    ...faces.flatMap(entriesOf),
  ];
  return { status: 200, body: { value } };
}

function entriesOf({ provider, type, actions = [] }: ArmFace): readonly JsonObject[] {
  return [
    entry(provider, `${type}/read`, type, `Reads ${type}`),
    entry(provider, `${type}/write`, type, `Creates or updates ${type}`),
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
  { subscription, provider, location }: NameCheck,
): Promise<ArmAnswer> {
  const body = await readObject(request.exchange);
  const name = textAt(body, "name");
  const type = textAt(body, "type");
  const face = facesOfProvider(surface.faces, provider).find((each) =>
    isSameText(`${each.provider}/${each.type}`, type),
  );
  if (face === undefined) {
    const message = `The resource type '${type}' could not be found in '${provider}'.`;
    throw armRefusal(400, { code: "InvalidResourceType", message, target: "type" });
  }
  if (location !== undefined) checkLocation(location, face);
  const place = { subscription, group: undefined, provider, types: [face.type], names: [name] };
  const [problem] = nameProblems(place);
  if (problem !== undefined) {
    const { message } = problem;
    return { status: 200, body: { nameAvailable: false, reason: "Invalid", message } };
  }
  if (!(await isTaken(surface, namespaceOf(subscription), face, name))) {
    return { status: 200, body: { nameAvailable: true } };
  }
  const message = `The name '${name}' is already taken.`;
  return { status: 200, body: { nameAvailable: false, reason: "AlreadyExists", message } };
}

/**
 * Stored names begin with the name in a readable form, also after a move, so that those which may
 * have it stand together in the index of the kind: only they are read.
 */
export async function isTaken(
  { intents: { store } }: ArmSurface,
  namespace: string,
  { kind }: Pick<ArmFace, "kind">,
  name: string,
): Promise<boolean> {
  const prefix = storedPrefix(name);
  let after: string | undefined = prefix;
  while (after?.startsWith(prefix) === true) {
    const { revision } = await store.head();
    const from = { revision, namespace, name: after };
    const page: Page = await store.list({ kind, namespace, from, limit: nameCheckItems });
    for (const record of page.records) {
      if (!isStoredUnder(prefix, record.key.name)) continue;
      const found = envelopeOf(decodeDocument(record.body, record.revision))?.name ?? "";
      if (isSameText(found, name)) return true;
    }
    after = page.next?.name;
  }
  return false;
}

/** Few have the same name, or one that begins like it. */
const nameCheckItems = 50;

function checkLocation(location: string, face: ArmFace): void {
  const [problem] = unavailableLocation(location, face);
  if (problem !== undefined) throw armRefusals([problem]);
}

// The resource that a plan is asked about, for a document that is not stored: judged as if it were
// written, by the schema and by all policies, and written nowhere. A document without a spec asks
// what there is to adopt: then only what it says about the management can be judged.

import { createResource } from "../../../intents/write/create.ts";
import { checkEnvelope, withMetadataObject } from "../../../intents/write/envelope.ts";
import { reportUnknownFields } from "../../../intents/write/unknown-fields.ts";
import type { Strictness } from "../../../intents/write/unknown-fields.ts";
import { tenantOfWrite } from "../../../intents/write/write-pauses.ts";
import { updateResource } from "../../../intents/write/update.ts";
import { invalid } from "../../../intents/refusals.ts";
import type { Caller, Intents, Target, WriteOptions, Written } from "../../../intents/request.ts";
import { decodeDocument } from "../../../kernel/document.ts";
import { isJsonObject } from "../../../kernel/json.ts";
import type { Json, JsonObject } from "../../../kernel/json.ts";
import { objectAt } from "../../../kernel/json-read.ts";
import { timedPauses } from "../../../kernel/pauses.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { withoutKey } from "../../../kernel/without-key.ts";

export interface PlannedInput {
  readonly caller: Caller;
  /** Of the resource itself. */
  readonly target: Target;
  readonly stored: Resource | undefined;
  readonly given: JsonObject;
  /** What fields that the kind does not have lead to, and keys given twice. */
  readonly strictness: Strictness;
}

/** Unknown fields were reported before. */
const options: WriteOptions = {
  isDryRun: true,
  fieldManager: "setpoint-plan",
  fieldValidation: "Ignore",
};

export async function plannedResource(intents: Intents, input: PlannedInput): Promise<Resource> {
  const { caller, target, stored, given } = input;
  const strictness = { ...input.strictness, explain: intents.admission.explainer(target) };
  const sent = withMetadataObject(checkEnvelope(target, given));
  const pause = timedPauses(tenantOfWrite(input));
  const { unknown } = target.version.type.prune(sent);
  await pause();
  reportUnknownFields(caller, target, unknown, strictness);
  if (given["spec"] === undefined) return adopting(input);
  const { body, revision } = await written(intents, input);
  const { status } = stored ?? {};
  const planned = decodeDocument(body, revision);
  return status === undefined ? planned : { ...planned, status };
}

async function written(
  intents: Intents,
  { caller, target, stored, given }: PlannedInput,
): Promise<Written> {
  const { name } = target;
  if (stored === undefined) {
    const metadata = { ...objectAt(given, "metadata"), name };
    const body = { ...given, metadata };
    return await createResource(intents, { caller, target, body, options, decodeProblems: [] });
  }
  return await updateResource(intents, {
    caller,
    target,
    options,
    optionsKind: "UpdateOptions",
    change: (old) => ({ wanted: intentOf(target, old, given), whole: given }),
    allowsBlind: true,
  });
}

/** The intent of the document, over what is known of the resource. */
function intentOf({ version }: Target, old: Resource, given: JsonObject): Resource {
  const { spec, connect } = given;
  const rest = withoutKey(old, "connect");
  const metadata = withAnnotations(old.metadata, objectAt(given, "metadata", "annotations"));
  const whole = { ...rest, metadata, ...(spec && { spec }), ...(connect && { connect }) };
  return version.type.withDefaults(version.type.prune(whole).resource);
}

/** Some steer what a run does. What the document does not name stays, as where it is applied. */
function withAnnotations(metadata: Resource["metadata"], given: JsonObject): Resource["metadata"] {
  if (Object.keys(given).length === 0) return metadata;
  // What is no text is refused as in any other write.
  const all = { ...metadata.annotations, ...given } as NonNullable<typeof metadata.annotations>;
  return { ...metadata, annotations: all };
}

function adopting({ target, stored, given }: PlannedInput): Resource {
  const { name, namespace, version, served } = target;
  const place = { name, ...(namespace === "" ? {} : { namespace }) };
  const none = { uid: "", generation: 0, creationTimestamp: "" };
  const base: Resource = stored ?? {
    apiVersion: version.apiVersion,
    kind: served.kind.names.kind,
    metadata: { ...place, ...none },
  };
  const connect: Json = given["connect"] ?? {};
  const whole = { ...base, spec: {}, connect };
  const errors = version.type.validate(whole, { old: undefined, subresource: "", errors: [] });
  const own = errors.filter(({ path }) => path === "connect" || path.startsWith("connect."));
  if (own.length > 0) throw invalid(served.storedKind, name, own);
  return { ...whole, connect: isJsonObject(connect) ? connect : {} };
}

// Conversion by a webhook: documents of one kind are sent in a ConversionReview and come back in
// the version asked for. The webhook decides about everything but the identity of a document.
// What is not in order is refused in the words of Kubernetes, because these texts reach users.

import { isSetpointError, SetpointError } from "../../kernel/errors.ts";
import { jsonName } from "../../kernel/go-text.ts";
import type { Ids } from "../../kernel/ids.ts";
import { getOwn, isJsonArray, isJsonObject } from "../../kernel/json.ts";
import type { Json, JsonObject } from "../../kernel/json.ts";
import { hasObject, objectAt, textAt, textsAt } from "../../kernel/json-read.ts";
import { callWebhook } from "./conversion-webhook-call.ts";
import type { WebhookAddress, WebhookCallOptions } from "./conversion-webhook-call.ts";
import { identityProblem, withMetadataRestored } from "./conversion-webhook-metadata.ts";
import { specOf } from "./definition-parts.ts";

export interface ConversionWebhook {
  readonly address: WebhookAddress;
  readonly caBundle: string;
  /** Versions of ConversionReview, in the order of preference. */
  readonly reviewVersions: readonly string[];
}

export interface ConversionTarget {
  /** As in "example.dev/v2". */
  readonly apiVersion: string;
  /** The kind of the list that the documents are items of; absent for a single document. */
  readonly listKind?: string | undefined;
}

export interface ConversionPorts extends WebhookCallOptions {
  readonly ids: Ids;
}

/** The webhook of a definition; undefined when its versions differ in nothing but their name. */
export function conversionWebhookOf(definition: JsonObject): ConversionWebhook | undefined {
  const conversion = objectAt(specOf(definition), "conversion");
  if (textAt(conversion, "strategy") !== "Webhook") return undefined;
  const webhook = objectAt(conversion, "webhook");
  const config = objectAt(webhook, "clientConfig");
  return {
    address: addressOf(config),
    caBundle: textAt(config, "caBundle"),
    reviewVersions: textsAt(webhook, "conversionReviewVersions"),
  };
}

/** The documents in the version asked for, in their order; those that have it are not sent. */
export async function convertByWebhook(
  webhook: ConversionWebhook,
  documents: readonly JsonObject[],
  target: ConversionTarget,
  ports: ConversionPorts,
): Promise<readonly JsonObject[]> {
  const strangers = documents.filter((one) => textAt(one, "apiVersion") !== target.apiVersion);
  const [first] = strangers;
  if (first === undefined) return documents;
  const uid = ports.ids.uid();
  const review = conversionReview(webhook.reviewVersions, strangers, target.apiVersion, uid);
  const subject = subjectOf(first, target);
  let answer: JsonObject;
  try {
    answer = await callWebhook(webhook.address, webhook.caBundle, review, ports);
  } catch (error) {
    if (!isSetpointError(error, "webhook.failed")) throw error;
    throw refused(`conversion webhook for ${subject} failed: ${error.message}`, error);
  }
  const converted = convertedObjects(answer, review, subject);
  if (converted.length !== strangers.length) {
    throw refused(
      `conversion webhook for ${subject} returned ${converted.length} objects, ` +
        `expected ${strangers.length}`,
    );
  }
  const restored = strangers.map((original, index) =>
    acceptedObject(original, converted[index] ?? null, { index, subject, target }),
  );
  let next = 0;
  return documents.map((one) =>
    textAt(one, "apiVersion") === target.apiVersion ? one : (restored[next++] ?? one),
  );
}

/** The request in the first version of ConversionReview that both sides know. */
export function conversionReview(
  reviewVersions: readonly string[],
  objects: readonly JsonObject[],
  desiredAPIVersion: string,
  uid: string,
): JsonObject {
  const version = reviewVersions.find((one) => one === "v1" || one === "v1beta1");
  if (version === undefined) throw refused("no supported conversion review versions");
  return {
    kind: "ConversionReview",
    apiVersion: `${reviewGroup}/${version}`,
    request: { uid, desiredAPIVersion, objects },
    response: { uid: "", convertedObjects: null, result: { metadata: {} } },
  };
}

const reviewGroup = "apiextensions.k8s.io";
const reviews = new Set(
  ["v1", "v1beta1"].map((one) => `${reviewGroup}/${one}, Kind=ConversionReview`),
);

function unknownKind(version: string, kind: string): string {
  return (
    `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(version)} ` +
    'in scheme "pkg/util/webhook/client.go:71"'
  );
}

/** What the webhook answered, once its answer has been found to be one to our request. */
function convertedObjects(
  answer: JsonObject,
  review: JsonObject,
  subject: string,
): readonly Json[] {
  const fail = (problem: string): SetpointError => {
    return refused(`conversion webhook for ${subject} failed: ${problem}`);
  };
  // The older review had no such rules, and webhooks of that time may break them.
  const isStrict = textAt(review, "apiVersion") === `${reviewGroup}/v1`;
  const [expected, got] = [kindText(review), kindText(answer)];
  const [version, kind] = [textAt(answer, "apiVersion"), textAt(answer, "kind")];
  if (kind !== "" && version !== "" && !reviews.has(got)) throw fail(unknownKind(version, kind));
  if (isStrict && expected !== got) {
    throw fail(`expected webhook response of ${expected}, got ${got}`);
  }
  if (!hasObject(answer, "response")) throw fail("no response provided");
  const response = objectAt(answer, "response");
  const [sent, returned] = [textAt(objectAt(review, "request"), "uid"), textAt(response, "uid")];
  if (isStrict && sent !== returned) {
    throw fail(`expected response.uid=${JSON.stringify(sent)}, got ${JSON.stringify(returned)}`);
  }
  const result = objectAt(response, "result");
  const status = textAt(result, "status");
  if (status !== "Success") {
    const message = textAt(result, "message");
    throw fail(message === "" ? `response.result.status was '${status}', not 'Success'` : message);
  }
  const objects = getOwn(response, "convertedObjects");
  return isJsonArray(objects) ? objects : [];
}

interface Place {
  readonly index: number;
  readonly subject: string;
  readonly target: ConversionTarget;
}

/** The converted object with its metadata put right; Kubernetes words lists differently. */
function acceptedObject(original: JsonObject, converted: Json, place: Place): JsonObject {
  const { index, subject, target } = place;
  const isList = target.listKind !== undefined;
  const start = `conversion webhook for ${subject} returned`;
  const atIndex = `${start} invalid ${isList ? "converted object" : "object"} at index ${index}`;
  const unreadable = unreadableObject(converted);
  if (unreadable !== undefined) throw refused(isList ? `${atIndex}: ${unreadable}` : unreadable);
  const object = isJsonObject(converted) ? converted : {};
  const version = textAt(object, "apiVersion");
  if (version !== target.apiVersion) {
    const versions = `expected ${target.apiVersion}, received ${version}`;
    throw refused(`${atIndex}: invalid groupVersion (${versions})`);
  }
  const [kind, expected] = [textAt(object, "kind"), textAt(original, "kind")];
  if (kind !== expected) {
    throw refused(`${atIndex}: invalid kind (expected ${expected}, received ${kind})`);
  }
  const stranger = identityProblem(original, object);
  if (stranger !== undefined) {
    throw refused(`${isList ? atIndex : `${start} invalid object`}: ${stranger}`);
  }
  const restored = withMetadataRestored(original, object);
  if (typeof restored !== "string") return restored;
  const where = isList ? `invalid metadata in object at index ${index}` : "invalid metadata";
  throw refused(`${start} ${where}: ${restored}`);
}

function unreadableObject(converted: Json): string | undefined {
  if (converted === null) return "unexpected end of JSON input";
  if (!isJsonObject(converted)) {
    const name = jsonName(converted);
    return `json: cannot unmarshal ${name} into Go value of type map[string]interface {}`;
  }
  if (textAt(converted, "kind") !== "") return undefined;
  return `Object 'Kind' is missing in '${JSON.stringify(converted)}'`;
}

/** What is converted, as Kubernetes names it: the document, or the list it stands in. */
function subjectOf(first: JsonObject, { apiVersion, listKind }: ConversionTarget): string {
  return kindText(listKind === undefined ? first : { apiVersion, kind: listKind });
}

/** "example.dev/v1, Kind=Widget". */
function kindText(object: JsonObject): string {
  const apiVersion = textAt(object, "apiVersion");
  const full = apiVersion.includes("/") ? apiVersion : `/${apiVersion}`;
  return `${full}, Kind=${textAt(object, "kind")}`;
}

function addressOf(config: JsonObject): WebhookAddress {
  const url = getOwn(config, "url");
  if (typeof url === "string") return { kind: "url", url };
  const service = objectAt(config, "service");
  const port = getOwn(service, "port");
  return {
    kind: "service",
    namespace: textAt(service, "namespace"),
    name: textAt(service, "name"),
    port: typeof port === "number" ? port : 443,
    path: textAt(service, "path"),
  };
}

function refused(message: string, cause?: unknown): SetpointError {
  return new SetpointError("webhook.failed", message, { cause });
}

// The response to a PUT or PATCH. A change that is complete, or completes within the wait of its
// face, is answered with the resource; any other one also has the URLs of its operation.

import type { Placed } from "./write-input.ts";
import type { Written } from "../../../intents/request.ts";
import { decodeDocument } from "../../../kernel/document.ts";
import type { Resource } from "../../../kernel/resource.ts";
import type { StoredRecord } from "../../../store/port.ts";
import { armRefusal } from "../protocol/arm-error.ts";
import type { ArmAnswer } from "../protocol/arm-answer.ts";
import type { ArmSurface } from "../request/surface-state.ts";
import type { ArmEnvelope } from "../../../modules/resource-provider/face.ts";
import type { Located } from "./located.ts";
import { operationKey } from "../../../modules/resource-provider/operations/record.ts";
import { provisioningIn } from "../../../modules/resource-provider/operations/provisioning-in.ts";
import { isTerminal } from "../../../modules/resource-provider/operations/provisioning.ts";
import { awaitEndMsOf, quickEnd } from "../operation/prompt-success.ts";
import type { Awaited, KnownState } from "../operation/prompt-success.ts";
import { operationUrl } from "../operation/operation-url.ts";
import { shownResource } from "./resource-view.ts";
import type { Shown } from "./resource-view.ts";

/**
 * As the request was answered the first time, with the resource as it is now. Where requests are
 * kept for their end, what has succeeded is done.
 */
export async function answerAgain(
  surface: ArmSurface,
  input: Placed,
  record: StoredRecord,
  { operation: { verb, isAsync: wasAsync = false } }: ArmEnvelope,
): Promise<ArmAnswer> {
  const isAsync = wasAsync && awaitEndMsOf(input.found.face) === 0;
  return await answerOf(surface, input, record, { created: verb === "create", isAsync });
}

interface Answered {
  readonly created: boolean;
  /** Also when it has ended since. */
  readonly isAsync?: boolean;
}

/** What was written by the request, or found as it wants it. */
export type AnsweredWith = Pick<Written, "revision" | "body"> &
  Partial<Pick<Written, "outcome">> & { readonly decoded?: Resource | undefined };

/**
 * A finished change is answered with the resource, and so is one that ends in a moment; one that
 * goes on also with where to ask.
 */
export async function answerOf(
  surface: ArmSurface,
  { request, found, isPatch, isDryRun = false }: Placed,
  written: AnsweredWith,
  { created, isAsync = false }: Answered,
): Promise<ArmAnswer> {
  // What was not written is never shown.
  if (isDryRun) return { status: 200 };
  const known = {
    ...written,
    decoded: written.decoded ?? decodeDocument(written.body, written.revision),
  };
  const awaited = await awaitEnd(surface, { request, found }, known);
  const shown = await shownAfter(surface, found, known, awaited);
  const { body, etag, envelope, provisioning } = shown;
  const headers = { etag };
  // What was not done when it was accepted is told by its operation, unless it has succeeded since.
  const isFollowed = awaited?.isDone === false && envelope.operation.isAsync === true;
  if (isTerminal(provisioning.state) && !isAsync && !isFollowed) {
    return { status: created ? 201 : 200, headers, body };
  }
  if (isAccepted(written) && provisioning.percent === undefined) {
    const key = operationKey(found.target.namespace, envelope.operation.id);
    const ms = surface.intents.clock.nowMs();
    const document = { body: known.body, resource: known.decoded };
    surface.followed.accepted(key, { revision: known.revision, ms, document });
  }
  const { apiVersion } = found.version;
  const operation = {
    ...found,
    location: envelope.location,
    id: envelope.operation.id,
    apiVersion,
  };
  const following = {
    ...headers,
    "azure-asyncoperation": operationUrl(request, operation, "operationsStatus"),
    "retry-after": surface.retryAfterSeconds,
  };
  if (!isPatch) return { status: created ? 201 : 200, headers: following, body };
  const location = operationUrl(request, operation, "operationResults");
  return { status: 202, headers: { ...following, location }, body };
}

/** Undefined where nothing goes on. */
async function awaitEnd(
  surface: ArmSurface,
  { request, found }: Pick<Placed, "request" | "found">,
  known: KnownState & Pick<AnsweredWith, "outcome">,
): Promise<Awaited | undefined> {
  const isUnderWay = (): boolean =>
    !isTerminal(provisioningIn(surface, found.face, known.decoded).state);
  if (!isAccepted(known) && !isUnderWay()) return undefined;
  return await quickEnd(surface, request, found.face, known);
}

/** What the face cannot show of what came of it is shown as it was accepted. */
async function shownAfter(
  surface: ArmSurface,
  found: Located,
  known: KnownState,
  awaited: Awaited | undefined,
): Promise<Shown> {
  const state = awaited?.state ?? known;
  try {
    const shown = await shownResource(surface, found, state);
    if (shown !== undefined) return shown;
  } catch (error) {
    if (state === known) throw error;
    const { face, version, target } = found;
    const type = `${face.provider}/${face.type}`;
    const key = { kind: face.kind, namespace: target.namespace, name: target.name };
    surface.onUnshown?.(error, { type, apiVersion: version.apiVersion, key });
    return await shownAfter(surface, found, known, undefined);
  }
  throw armRefusal(404, { code: "ResourceNotFound", message: "Gone." });
}

/** Then the operation was written with it. */
function isAccepted({ outcome }: AnsweredWith): boolean {
  return outcome === "created" || outcome === "updated";
}

// The writes of the REST API, through the write path as the caller. If-Match is the precondition of
// a change; a race that is lost to another writer is 412, because the client named a revision.

import type { DocumentAnswer, RoutePorts, RouteRequest } from "../../../contract/route.ts";
import { createResource } from "../../../intents/write/create.ts";
import { deleteResource } from "../../../intents/write/delete.ts";
import { patchResource } from "../../../intents/write/patch.ts";
import { replaceResource } from "../../../intents/write/replace.ts";
import { withoutHidden } from "../../../intents/write/hidden-fields.ts";
import type { Target, WriteOptions, Written } from "../../../intents/request.ts";
import { decodeDocument } from "../../../kernel/document.ts";
import { SetpointError, isSetpointError } from "../../../kernel/errors.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { objectAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { withoutKey } from "../../../kernel/without-key.ts";
import { documentOf, newResource, readOne, targetOf } from "./documents.ts";
import type { Noun } from "./nouns.ts";

const writeOptions: WriteOptions = {
  isDryRun: false,
  fieldManager: "setpoint-rest",
  fieldValidation: "Strict",
};

type Calling = Pick<RouteRequest, "caller" | "ifMatch">;

export async function create(
  ports: RoutePorts,
  { caller }: Pick<RouteRequest, "caller">,
  noun: Noun,
  { namespace, body }: { readonly namespace: string; readonly body: JsonObject },
): Promise<Written> {
  return await createResource(ports.intents, {
    caller,
    target: targetOf(ports, noun, { namespace, name: "" }),
    body: newResource(noun, namespace, body),
    options: writeOptions,
    decodeProblems: [],
  });
}

/** A merge patch of the document, such as `{ spec: { protected: true } }`. */
export async function change(
  ports: RoutePorts,
  { caller, ifMatch }: Calling,
  target: Target,
  patch: JsonObject,
): Promise<Written> {
  const resourceVersion =
    ifMatch === undefined || ifMatch === "*" ? {} : { resourceVersion: ifMatch };
  const metadata = { ...objectAt(patch, "metadata"), ...resourceVersion };
  return await withPrecondition(ifMatch, async () => {
    return await patchResource(ports.intents, {
      caller,
      target,
      type: "merge",
      body: () => ({ value: { ...patch, metadata }, problems: [] }),
      options: writeOptions,
    });
  });
}

/** Replaces the spec. Hidden fields that the body leaves out keep their values. */
export async function replaceSpec(
  ports: RoutePorts,
  { caller, ifMatch }: Calling,
  target: Target,
  spec: JsonObject,
): Promise<Written> {
  if (ifMatch === undefined) throw preconditionRequired();
  const old = await readOne(ports, target);
  const resourceVersion = ifMatch === "*" ? (old.metadata.resourceVersion ?? "") : ifMatch;
  const metadata = withoutKey(old.metadata, "managedFields");
  const { apiVersion, kind } = old;
  return await withPrecondition(ifMatch, async () => {
    return await replaceResource(ports.intents, {
      caller,
      target,
      body: { apiVersion, kind, metadata: { ...metadata, resourceVersion }, spec },
      options: writeOptions,
      decodeProblems: [],
    });
  });
}

export async function remove(
  ports: RoutePorts,
  { caller, ifMatch }: Calling,
  target: Target,
): Promise<void> {
  const preconditions =
    ifMatch === undefined || ifMatch === "*" ? {} : { resourceVersion: ifMatch };
  await withPrecondition(ifMatch, async () => {
    return await deleteResource(ports.intents, {
      caller,
      target,
      options: { isDryRun: false, propagation: undefined, preconditions, raw: {} },
    });
  });
}

/** The document as it was written, without hidden fields. */
export function writtenAnswer(status: number, target: Target, written: Written): DocumentAnswer {
  const resource = writtenResource(target, written);
  return {
    kind: "document",
    status,
    document: documentOf(resource),
    etag: String(written.revision),
  };
}

export function writtenResource({ served }: Target, { body, revision }: Written): Resource {
  return withoutHidden(served.kind, decodeDocument(body, revision));
}

async function withPrecondition<T>(
  ifMatch: string | undefined,
  write: () => Promise<T>,
): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (ifMatch === undefined || !isSetpointError(error, "resource.conflict")) throw error;
    throw new SetpointError("precondition.failed", error.message, {
      cause: error,
      details: { field: "If-Match" },
      suggestion: "read it again, apply the change to the new version and send its ETag",
    });
  }
}

function preconditionRequired(): SetpointError {
  const message = "the request replaces the whole spec and has no If-Match";
  return new SetpointError("precondition.required", message, {
    details: { field: "If-Match" },
    suggestion: "send the ETag of the version that you read, or * to replace any version",
  });
}

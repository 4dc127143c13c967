// Requests for one object: get, create, replace, patch, apply, delete. Each reads the request,
// hands it to the write path, and shows what came of it.

import { SetpointError, isSetpointError } from "../../kernel/errors.ts";
import { isHiding } from "../../kernel/hidden-values.ts";
import type { Json, JsonObject } from "../../kernel/json.ts";
import { parseJson } from "../../kernel/strict-json.ts";
import { badRequest, methodNotAllowed, notFound } from "../../intents/refusals.ts";
import { keyOfTarget } from "../../intents/request.ts";
import type { Written } from "../../intents/request.ts";
import { applyResource } from "../../intents/write/apply.ts";
import { createResource } from "../../intents/write/create.ts";
import { deleteResource } from "../../intents/write/delete.ts";
import { patchResource } from "../../intents/write/patch.ts";
import type { PatchType } from "../../intents/write/patch.ts";
import { replaceResource } from "../../intents/write/replace.ts";
import {
  bodyType,
  decodeBody,
  unreadable,
  withoutHiddenKeys,
  decodeYaml,
  duplicateFields,
  readBody,
  unsupportedMedia,
} from "./body.ts";
import type { Decoded } from "./body.ts";
import { formOf, isBuiltIn, targetOf } from "./context.ts";
import type { ResourceRequest, Surface } from "./context.ts";
import { deleteOptions } from "./delete-options.ts";
import { sendRecord } from "./heavy-answer.ts";
import { listRevision } from "./list.ts";
import { writeOptions } from "./options.ts";
import type { OptionsKind, ParsedWriteOptions } from "./options.ts";
import { sendJson } from "./respond.ts";
import { waitForRevision } from "./revision-wait.ts";
import { successStatus } from "./status.ts";
import { isTrue } from "./request-info.ts";

export async function getObject(surface: Surface, request: ResourceRequest): Promise<void> {
  const form = formOf(request, true);
  const target = targetOf(request);
  refuseExport(request.info.query);
  const asked = listRevision(request.info.query.get("resourceVersion") ?? "");
  if (asked > 0) await waitForRevision(surface, asked);
  const record = await surface.intents.store.get(keyOfTarget(target));
  if (record === undefined) throw notFound(target.served.kind, target.name);
  await sendRecord(surface, request, { status: 200, form }, record);
}

/** The parameter existed until Kubernetes 1.20; what it asked for would now be missing silently. */
function refuseExport(query: URLSearchParams): void {
  const value = query.get("export");
  if (value === null || !isTrue(value)) return;
  throw badRequest("the export parameter, deprecated since v1.14, is no longer supported");
}

export async function createObject(surface: Surface, request: ResourceRequest): Promise<void> {
  const form = formOf(request, true);
  const target = targetOf(request);
  if (target.name !== "") throw methodNotAllowed(target.served.kind);
  const options = optionsOf(request, "CreateOptions", false);
  const { value, problems, source } = await bodyOf(request, options);
  const { caller } = request;
  const sized = { ...options, bodyBytes: source.length };
  const input = { caller, target, body: value, source, options: sized, decodeProblems: problems };
  const written = await createResource(surface.intents, input);
  await sendRecord(surface, request, { status: 201, form }, written);
}

export async function replaceObject(surface: Surface, request: ResourceRequest): Promise<void> {
  const form = formOf(request, true);
  const target = targetOf(request);
  const options = optionsOf(request, "UpdateOptions", false);
  const { value, problems, source } = await bodyOf(request, options);
  const { caller } = request;
  const sized = { ...options, bodyBytes: source.length };
  const input = { caller, target, body: value, source, options: sized, decodeProblems: problems };
  const written = await replaceResource(surface.intents, input);
  await sendRecord(surface, request, { status: statusOf(written), form }, written);
}

const patchTypes: ReadonlyMap<string, PatchType | "apply"> = new Map([
  ["application/json-patch+json", "json"],
  ["application/merge-patch+json", "merge"],
  ["application/strategic-merge-patch+json", "strategic"],
  ["application/apply-patch+yaml", "apply"],
]);

export async function patchObject(surface: Surface, request: ResourceRequest): Promise<void> {
  const form = formOf(request, true);
  const written = await performPatch(surface, request);
  await sendRecord(surface, request, { status: statusOf(written), form }, written);
}

export async function performPatch(surface: Surface, request: ResourceRequest): Promise<Written> {
  const { caller } = request;
  const target = targetOf(request);
  const type = patchTypeOf(request);
  const sent = optionsOf(request, "PatchOptions", type === "apply");
  const bytes = await readBody(request);
  const options = { ...sent, bodyBytes: bytes.length };
  const findsDuplicates = options.fieldValidation !== "Ignore";
  const body = (): Decoded | Promise<Decoded> => decodePatch(request, bytes, type, findsDuplicates);
  if (type === "apply") {
    const { force } = options;
    return await applyResource(surface.intents, { caller, target, body, options, force });
  }
  return await patchResource(surface.intents, { caller, target, body, type, options });
}

function patchTypeOf(request: ResourceRequest): PatchType | "apply" {
  const [type = ""] = (request.exchange.headers["content-type"] ?? "").split(";");
  const found = patchTypes.get(type.trim().toLowerCase());
  const allowed = [...patchTypes.keys()].filter(
    (name) => isBuiltIn(request.found) || patchTypes.get(name) !== "strategic",
  );
  if (found === undefined || (found === "strategic" && !isBuiltIn(request.found))) {
    throw isBuiltIn(request.found) ? noSuchConsumer() : unsupportedMedia(allowed);
  }
  return found;
}

/** The router of kube-apiserver refuses this before the resource is asked. */
function noSuchConsumer(): SetpointError {
  const details = { hasDetails: true };
  const code = "request.unsupported_media_type";
  return new SetpointError(code, "415: Unsupported Media Type", { details });
}

async function decodePatch(
  { work, found }: ResourceRequest,
  bytes: Buffer,
  type: PatchType | "apply",
  strict: boolean,
): Promise<Decoded> {
  try {
    const { kind } = found.served;
    if (type === "apply") return withoutHiddenKeys(await decodeYaml(work, bytes), kind);
    const { value, duplicates } = parseJson(bytes, { strict });
    return { value, problems: duplicateFields(duplicates, kind) };
  } catch (error) {
    if (!isSetpointError(error, "request.invalid")) throw error;
    const what =
      type === "apply"
        ? "error decoding YAML: error converting YAML to JSON"
        : "error decoding patch";
    if (isHiding(found.served.kind)) throw badRequest(`${what}: ${unreadable(error.message)}`);
    throw badRequest(`${what}: ${error.message}`, error);
  }
}

export async function deleteObject(surface: Surface, request: ResourceRequest): Promise<void> {
  const form = formOf(request, false);
  const target = targetOf(request);
  const options = deleteOptions(await deleteBody(request), request.info.query);
  const { caller } = request;
  const deleted = await deleteResource(surface.intents, { caller, target, options });
  if (deleted.outcome !== "deleted" || showsDeleted.has(target.served.id)) {
    await sendRecord(surface, request, { status: 200, form }, deleted);
    return;
  }
  const { kind } = target.served;
  const details: JsonObject = {
    name: target.name,
    ...(kind.group === "" ? {} : { group: kind.group }),
    kind: kind.names.plural,
    uid: deleted.uid,
  };
  await sendJson(
    request.exchange,
    { status: 200, form, headers: request.headers() },
    successStatus(details),
  );
}

/** Kinds whose deletion is answered with what was deleted. */
const showsDeleted = new Set(["serviceaccounts", "resourcequotas", "namespaces"]);

export async function deleteBody(request: ResourceRequest): Promise<Json | undefined> {
  const bytes = await readBody(request);
  if (bytes.length === 0) return undefined;
  const type = bodyType(request.exchange.headers["content-type"], true);
  try {
    const decoding = { expected: "DeleteOptions", findsDuplicates: false };
    return (await decodeBody(request.work, bytes, type, decoding)).value;
  } catch (error) {
    if (!isSetpointError(error, "request.invalid")) throw error;
    // Options are refused without showing them.
    const why = error.message.replace(/^the object provided is .*?\): (.*) \(.*\)$/s, "$1");
    throw badRequest(why, error);
  }
}

function optionsOf(
  { exchange, info }: ResourceRequest,
  kind: OptionsKind,
  isApply: boolean,
): ParsedWriteOptions {
  const userAgent = exchange.headers["user-agent"];
  return writeOptions(info.query, { kind, userAgent, isApply });
}

export async function bodyOf(
  request: ResourceRequest,
  { fieldValidation }: Pick<ParsedWriteOptions, "fieldValidation">,
): Promise<Decoded & { readonly source: Buffer }> {
  const type = bodyType(request.exchange.headers["content-type"], isBuiltIn(request.found));
  const bytes = await readBody(request);
  const expected = request.found.served.kind.names.kind;
  const findsDuplicates = fieldValidation !== "Ignore";
  const hiding = request.found.served.kind;
  const decoding = { expected, findsDuplicates, isHidden: isHiding(hiding), hiding };
  return { ...(await decodeBody(request.work, bytes, type, decoding)), source: bytes };
}

function statusOf({ outcome }: Written): number {
  return outcome === "created" ? 201 : 200;
}

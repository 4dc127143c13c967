// The scale subresource: a number of replicas, whatever the kind calls it, as autoscaling/v1.

import { SetpointError, isSetpointError } from "../../kernel/errors.ts";
import { getOwn, isJsonObject } from "../../kernel/json.ts";
import type { Json, JsonObject } from "../../kernel/json.ts";
import { applyJsonPatchInSlices, parseJsonPatch } from "../../kernel/json-patch.ts";
import type { ScalePaths } from "../../kernel/kind.ts";
import { applyMergePatch } from "../../kernel/merge-patch.ts";
import { getAt, setAt } from "../../kernel/pointer.ts";
import type { Resource } from "../../kernel/resource.ts";
import { parseJson } from "../../kernel/strict-json.ts";
import { presentResource } from "../../intents/read/present.ts";
import type { Presentable } from "../../intents/read/present.ts";
import {
  badRequest,
  conflict,
  notFound,
  rejectedPatch,
  unexplained,
  unsupportedVerb,
} from "../../intents/refusals.ts";
import { checkName } from "../../intents/write/envelope.ts";
import { keyOfTarget } from "../../intents/request.ts";
import type { Target } from "../../intents/request.ts";
import { updateResource } from "../../intents/write/update.ts";
import { stepPauses } from "../../intents/write/write-pauses.ts";
import { bodyType, decodeBody, readBody, unsupportedMedia } from "./body.ts";
import { formOf, targetOf } from "./context.ts";
import type { ResourceRequest, Surface } from "./context.ts";
import { writeOptions } from "./options.ts";
import { sendJson } from "./respond.ts";

export async function serveScale(surface: Surface, request: ResourceRequest): Promise<void> {
  const target = targetOf(request);
  const paths = request.found.version.definition.subresources.scale;
  if (paths === undefined) throw notFound(target.served.kind, target.name);
  switch (request.info.verb) {
    case "get":
      return await getScale(surface, request, target, paths);
    case "update":
    case "patch":
      return await changeScale(surface, request, target, paths);
    default:
      throw unsupportedVerb(target.served.kind, request.info.verb);
  }
}

async function getScale(
  surface: Surface,
  request: ResourceRequest,
  target: Target,
  paths: ScalePaths,
): Promise<void> {
  const record = await surface.intents.store.get(keyOfTarget(target));
  if (record === undefined) throw notFound(target.served.kind, target.name);
  await sendScale(request, paths, record);
}

async function changeScale(
  surface: Surface,
  request: ResourceRequest,
  target: Target,
  paths: ScalePaths,
): Promise<void> {
  const { caller, exchange, info } = request;
  const isPatch = info.verb === "patch";
  const kind = isPatch ? "PatchOptions" : "UpdateOptions";
  const userAgent = exchange.headers["user-agent"];
  const isApply = isPatch && contentType(request) === "application/apply-patch+yaml";
  const options = writeOptions(info.query, { kind, userAgent, isApply });
  if (isApply) throw notAppliable();
  const change = isPatch ? await scalePatch(request) : await scaleBody(request, target);
  const written = await updateResource(surface.intents, {
    caller,
    target,
    options,
    optionsKind: kind,
    allowsBlind: true,
    change: async (old) => {
      const scale = await change(scaleOf(paths, old));
      return { wanted: rescaled(target, paths, old, scale) };
    },
  });
  await sendScale(request, paths, written);
}

type ScaleChange = (scale: JsonObject) => Json | Promise<Json>;

function contentType(request: ResourceRequest): string {
  const [type = ""] = (request.exchange.headers["content-type"] ?? "").split(";");
  return type.trim().toLowerCase();
}

/** Kubernetes cannot do it either, and this is what it says. */
function notAppliable(): SetpointError {
  return unexplained(
    "failed to create manager for existing fields: failed to convert live object " +
      "(/; autoscaling/v1, Kind=Scale) to proper version: " +
      "request to convert CR to an invalid group/version: autoscaling/v1",
  );
}

async function scaleBody(request: ResourceRequest, target: Target): Promise<ScaleChange> {
  const type = bodyType(request.exchange.headers["content-type"], true);
  const bytes = await readBody(request);
  const decoding = { expected: "Scale", findsDuplicates: false };
  const { value } = await decodeBody(request.work, bytes, type, decoding);
  const { kind = "Scale", metadata } = isJsonObject(value) ? value : {};
  if (!isJsonObject(value) || kind !== "Scale") throw notAScale();
  const name = isJsonObject(metadata) ? getOwn(metadata, "name") : undefined;
  checkName(target, { ...value, metadata: { name } } as unknown as Resource);
  return () => value;
}

const patchTypes = [
  "application/json-patch+json",
  "application/merge-patch+json",
  "application/apply-patch+yaml",
];

async function scalePatch(request: ResourceRequest): Promise<ScaleChange> {
  const type = contentType(request);
  const bytes = await readBody(request);
  if (!patchTypes.includes(type)) throw unsupportedMedia(patchTypes);
  const value = asPatch("error decoding patch", () => parseJson(bytes, { strict: false }).value);
  if (type === "application/merge-patch+json") return (scale) => applyMergePatch(scale, value);
  const operations = await rejecting(() => parseJsonPatch(value));
  const pause = stepPauses({ caller: request.caller, target: targetOf(request), options: {} });
  return async (scale) =>
    await rejecting(() => applyJsonPatchInSlices(scale, operations, { isForgiving: true }, pause));
}

function asPatch<T>(what: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    if (!isSetpointError(error, "request.invalid")) throw error;
    throw badRequest(`${what}: ${error.message}`, error);
  }
}

async function rejecting<T>(act: () => T | Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (!isSetpointError(error, "request.invalid") && !isSetpointError(error, "resource.invalid")) {
      throw error;
    }
    throw rejectedPatch(error);
  }
}

function notAScale(): SetpointError {
  return badRequest(
    "no kind is registered for the type v1.Scale in " +
      'scheme "pkg/apiserver/customresource_handler.go:781"',
  );
}

/** The parent with the wanted number; the scale's own revision is a precondition. */
function rescaled(target: Target, paths: ScalePaths, old: Resource, scale: Json): Resource {
  if (!isJsonObject(scale)) throw notAScale();
  const metadata = getOwn(scale, "metadata");
  const spec = getOwn(scale, "spec");
  const wanted = isJsonObject(spec) ? (getOwn(spec, "replicas") ?? 0) : 0;
  if (typeof wanted !== "number" || !Number.isInteger(wanted)) throw notAScale();
  const revision = isJsonObject(metadata) ? getOwn(metadata, "resourceVersion") : undefined;
  if (
    typeof revision === "string" &&
    revision !== "" &&
    revision !== old.metadata.resourceVersion
  ) {
    throw conflict(target.served.kind, target.name);
  }
  return withValueAt(old, pathOf(paths.specReplicasPath), wanted);
}

/** The objects on the way to the number may be missing. */
function withValueAt(resource: Resource, path: readonly string[], value: Json): Resource {
  let document: Json = resource;
  for (let length = 1; length < path.length; length++) {
    const at = path.slice(0, length);
    if (!isJsonObject(getAt(document, at) ?? null)) document = setAt(document, at, {});
  }
  return setAt(document, path, value) as Resource;
}

async function sendScale(
  request: ResourceRequest,
  paths: ScalePaths,
  record: Presentable,
): Promise<void> {
  const { served, version } = request.found;
  const resource = await presentResource(served, version, record);
  const replicas = numberAt(resource, paths.specReplicasPath);
  if (replicas === undefined) throw noReplicas(paths.specReplicasPath);
  const form = formOf(request, false);
  const answer = {
    status: 200,
    form: { ...form, as: "object" as const },
    headers: request.headers(),
  };
  await sendJson(request.exchange, answer, scaleOf(paths, resource));
}

function scaleOf(paths: ScalePaths, resource: Resource): JsonObject {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = resource.metadata;
  const selector =
    paths.labelSelectorPath === undefined
      ? undefined
      : getAt(resource, pathOf(paths.labelSelectorPath));
  return {
    kind: "Scale",
    apiVersion: "autoscaling/v1",
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      uid,
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
      creationTimestamp,
    },
    spec: specOf(numberAt(resource, paths.specReplicasPath)),
    status: {
      replicas: numberAt(resource, paths.statusReplicasPath) ?? 0,
      ...(typeof selector === "string" && selector !== "" ? { selector } : {}),
    },
  };
}

/** Zero is left out, as in all numbers of Kubernetes that are left out when they are zero. */
function specOf(replicas: number | undefined): JsonObject {
  return replicas === undefined || replicas === 0 ? {} : { replicas };
}

function noReplicas(path: string): SetpointError {
  const message = `the spec replicas field ${JSON.stringify(path)} does not exist`;
  return new SetpointError("request.invalid", `Internal error occurred: ${message}`, {
    details: { causes: [{ message }], statusCode: 500, statusReason: "InternalError" },
  });
}

function numberAt(resource: Resource, path: string): number | undefined {
  const value = getAt(resource, pathOf(path));
  return typeof value === "number" ? value : undefined;
}

function pathOf(path: string): readonly string[] {
  return path.slice(1).split(".");
}

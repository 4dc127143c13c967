// The scale subresource: a number of replicas, whatever the kind calls it, as autoscaling/v1.

import { getOwn, isJsonObject } from "../../kernel/json.ts";
import type { Json, JsonObject } from "../../kernel/json.ts";
import { applyJsonPatch, parseJsonPatch } from "../../kernel/json-patch.ts";
import type { ScalePaths } from "../../kernel/kind.ts";
import { applyMergePatch } from "../../kernel/merge-patch.ts";
import { getAt, setAt } from "../../kernel/pointer.ts";
import type { Resource } from "../../kernel/resource.ts";
import { presentResource } from "../../intents/read/present.ts";
import type { Presentable } from "../../intents/read/present.ts";
import {
  badRequest,
  conflict,
  invalid,
  methodNotAllowed,
  notFound,
} from "../../intents/refusals.ts";
import { invalidField } from "../../kernel/field-error.ts";
import { keyOfTarget } from "../../intents/request.ts";
import type { Target } from "../../intents/request.ts";
import { updateResource } from "../../intents/write/update.ts";
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
      throw methodNotAllowed(target.served.kind);
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
  const options = writeOptions(info.query, { kind, userAgent, isApply: false });
  const change = isPatch ? await scalePatch(request) : await scaleBody(request);
  const written = await updateResource(surface.intents, {
    caller,
    target,
    options,
    optionsKind: kind,
    allowsBlind: true,
    change: (old) => ({ wanted: rescaled(target, paths, old, change(scaleOf(paths, old))) }),
  });
  await sendScale(request, paths, written);
}

type ScaleChange = (scale: JsonObject) => Json;

async function scaleBody(request: ResourceRequest): Promise<ScaleChange> {
  const type = bodyType(request.exchange.headers["content-type"], true);
  const bytes = await readBody(request.exchange);
  const { value } = decodeBody(bytes, type, { expected: "Scale", findsDuplicates: false });
  return () => value;
}

async function scalePatch(request: ResourceRequest): Promise<ScaleChange> {
  const [type = ""] = (request.exchange.headers["content-type"] ?? "").split(";");
  const bytes = await readBody(request.exchange);
  const { value } = decodeBody(bytes, "json", { expected: "Scale", findsDuplicates: false });
  if (type === "application/merge-patch+json") return (scale) => applyMergePatch(scale, value);
  if (type === "application/json-patch+json") {
    const operations = parseJsonPatch(value);
    return (scale) => applyJsonPatch(scale, operations);
  }
  throw unsupportedMedia(["application/json-patch+json", "application/merge-patch+json"]);
}

/** The parent with the wanted number; the scale's own revision is a precondition. */
function rescaled(target: Target, paths: ScalePaths, old: Resource, scale: Json): Resource {
  if (!isJsonObject(scale)) throw badRequest("the body of a scale must be an object");
  const metadata = getOwn(scale, "metadata");
  const spec = getOwn(scale, "spec");
  const wanted = isJsonObject(spec) ? (getOwn(spec, "replicas") ?? 0) : 0;
  if (typeof wanted !== "number" || !Number.isInteger(wanted)) {
    throw badRequest("spec.replicas of a scale must be a whole number");
  }
  if (wanted < 0) {
    const error = invalidField("spec.replicas", wanted, "should be a non-negative integer");
    const kind = { group: "autoscaling", names: { kind: "Scale" } };
    throw invalid(kind, target.name, [error]);
  }
  const revision = isJsonObject(metadata) ? getOwn(metadata, "resourceVersion") : undefined;
  if (
    typeof revision === "string" &&
    revision !== "" &&
    revision !== old.metadata.resourceVersion
  ) {
    throw conflict(target.served.kind, target.name);
  }
  return setAt(old, pathOf(paths.specReplicasPath), wanted) as Resource;
}

async function sendScale(
  request: ResourceRequest,
  paths: ScalePaths,
  record: Presentable,
): Promise<void> {
  const { served, version } = request.found;
  const resource = await presentResource(served, version, record);
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

function specOf(replicas: number | undefined): JsonObject {
  return replicas === undefined ? {} : { replicas };
}

function numberAt(resource: Resource, path: string): number | undefined {
  const value = getAt(resource, pathOf(path));
  return typeof value === "number" ? value : undefined;
}

function pathOf(path: string): readonly string[] {
  return path.slice(1).split(".");
}

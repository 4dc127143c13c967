// One resource as the REST API shows it, and the body of a request as the resource that it means.

import type { RoutePorts, RouteRequest } from "../../../contract/route.ts";
import type { ServedKind } from "../../../intents/kinds/served-kind.ts";
import { notFound } from "../../../intents/refusals.ts";
import { keyOfTarget } from "../../../intents/request.ts";
import type { Target } from "../../../intents/request.ts";
import { withoutHidden } from "../../../intents/write/hidden-fields.ts";
import { readStored } from "../../../intents/write/stored.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { objectAt, presentObjectAt, textAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { withoutKey } from "../../../kernel/without-key.ts";
import type { StoredRecord } from "../../../store/port.ts";
import { environmentsVersion } from "../names.ts";
import { kindIdOf } from "./nouns.ts";
import type { Noun } from "./nouns.ts";

/** The kinds of the module are installed before the server answers requests. */
export function servedKind({ kinds }: Pick<RoutePorts, "kinds">, noun: Noun): ServedKind {
  const served = kinds.byId(kindIdOf(noun));
  if (served === undefined) throw new Error(`the kind ${kindIdOf(noun)} is not served`);
  return served;
}

export function targetOf(
  ports: Pick<RoutePorts, "kinds">,
  noun: Noun,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): Target {
  const served = servedKind(ports, noun);
  return { served, version: served.storage, namespace, name, subresource: "" };
}

/** The resource that the path names. */
export function addressed(
  ports: Pick<RoutePorts, "kinds">,
  noun: Noun,
  { path, query }: Pick<RouteRequest, "path" | "query">,
): Target {
  return targetOf(ports, noun, {
    namespace: textAt(query, "namespace"),
    name: path["id"] ?? "",
  });
}

/** Without hidden fields. Throws resource.not_found. */
export async function readOne(ports: RoutePorts, target: Target): Promise<Resource> {
  const record = await ports.store.get(keyOfTarget(target));
  if (record === undefined) throw notFound(target.served.kind, target.name);
  return await shownRecord(target.served, record);
}

export async function shownRecord(served: ServedKind, record: StoredRecord): Promise<Resource> {
  const resource = await readStored(served, served.storage, record);
  return withoutHidden(served.kind, resource);
}

export function documentOf({ metadata, spec, status }: Resource): JsonObject {
  const { name, namespace = "", uid, creationTimestamp, deletionTimestamp, labels } = metadata;
  return {
    id: name,
    namespace,
    uid,
    revision: Number(metadata.resourceVersion ?? 0),
    generation: metadata.generation ?? 0,
    createdAt: creationTimestamp,
    ...(deletionTimestamp === undefined ? {} : { deletedAt: deletionTimestamp }),
    ...(labels === undefined ? {} : { labels }),
    spec: objectAt(spec),
    ...(status === undefined ? {} : { status: withoutKey(objectAt(status), "reconcile") }),
  };
}

/** A body without an id gets a generated name. */
export function newResource(noun: Noun, namespace: string, body: JsonObject): JsonObject {
  const id = textAt(body, "id");
  const labels = presentObjectAt(body, "labels");
  const { singular = noun.kind.names.kind.toLowerCase() } = noun.kind.names;
  return {
    apiVersion: environmentsVersion,
    kind: noun.kind.names.kind,
    metadata: {
      ...(id === "" ? { generateName: `${singular}-` } : { name: id }),
      namespace,
      ...(labels === undefined ? {} : { labels }),
    },
    spec: objectAt(body, "spec"),
  };
}

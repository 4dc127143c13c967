// Reads the tree of a deployment for a caller. Managed objects are those of the status, and their
// uids those of the inventory, so that nothing is rendered or compared.

import type { RoutePorts, RouteRequest } from "../../../contract/route.ts";
import type { Context } from "../../../engine/reconciler.ts";
import { numberAt, objectAt, objectsAt, textAt } from "../../../kernel/json-read.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { referenceKey } from "../object-reference.ts";
import type { HealthEngine, HealthRules } from "../status/health.ts";
import { readInventory } from "../sync/inventory-store.ts";
import { clusterOf } from "../targets/cluster-environment.ts";
import { ownIdentity } from "../targets/own-target.ts";
import type { TargetIdentity, Targets } from "../targets/target.ts";
import { environmentOf, mayGetOf, mayReadEnvironment, mayReadObject } from "../visibility.ts";
import { nothingBelow } from "./below.ts";
import type { Below } from "./below.ts";
import { objectTree } from "./object-tree.ts";
import type { TreeObject } from "./object-tree.ts";
import { ownObjectsBelow } from "./own-below.ts";
import { remoteObjectsBelow } from "./remote-below.ts";

export interface ReadTreeInput {
  readonly ports: Pick<RoutePorts, "store" | "owners" | "live" | "authorizer" | "kinds">;
  readonly health: HealthEngine;
  readonly targets: Targets;
  readonly request: Pick<RouteRequest, "caller" | "pages" | "signal">;
  readonly context: Context;
}

export async function readTree(input: ReadTreeInput, deployment: Resource): Promise<JsonObject> {
  const rules = input.health.rulesFor(objectAt(deployment.spec));
  const listed = objectsAt(deployment, "status", "resources").map(listedObject);
  const environment = textAt(deployment.spec, "destination", "environment");
  const { managed, below } =
    environment === ""
      ? await ofThisServer(input, deployment, listed, rules)
      : await ofEnvironment(input, deployment, listed, rules);
  const { nodes, omitted } = objectTree(managed, below.objects);
  const unlisted = numberAt(deployment, "status", "summary", "omitted") ?? 0;
  return {
    namespace: deployment.metadata.namespace ?? "",
    name: deployment.metadata.name,
    environment,
    nodes,
    hidden: listed.length - managed.length + below.hidden,
    omitted: unlisted + omitted + below.omitted,
    notes: below.notes,
  };
}

interface Found {
  readonly managed: readonly TreeObject[];
  readonly below: Below;
}

async function ofThisServer(
  { ports, request }: ReadTreeInput,
  deployment: Resource,
  listed: readonly TreeObject[],
  rules: HealthRules,
): Promise<Found> {
  const mayGet = mayGetOf(ports, request.caller);
  const visible = listed.filter(({ at }) => mayReadObject(mayGet, ports, at));
  const managed = await withUids(ports, deployment, visible, ownIdentity(ports.live, deployment));
  const below = await ownObjectsBelow(
    {
      ports,
      request,
      rules,
      mayRead: ({ kind, namespace, name }) => {
        const served = ports.kinds.byId(kind)?.kind;
        if (served === undefined) return false;
        return mayGet({ group: served.group, resource: served.names.plural, namespace, name });
      },
    },
    managed.map(({ uid }) => uid).filter((uid) => uid !== ""),
  );
  return { managed, below };
}

/** The managed objects are those of the status, which the caller may read. */
async function ofEnvironment(
  { ports, targets, request, context }: ReadTreeInput,
  deployment: Resource,
  listed: readonly TreeObject[],
  rules: HealthRules,
): Promise<Found> {
  const environment = await environmentOf(deployment, context);
  if (environment === undefined) {
    return { managed: listed, below: nothingBelow("the managed environment does not exist") };
  }
  if (clusterOf(environment) !== "") {
    const note = "the cluster pulls: objects below the managed ones are not known";
    return { managed: listed, below: nothingBelow(note) };
  }
  if (!mayReadEnvironment(mayGetOf(ports, request.caller), environment)) {
    const secret = textAt(environment.spec, "credentialsSecret");
    const note = `objects below the managed ones are shown to who may get the Secret ${secret}`;
    return { managed: listed, below: nothingBelow(note) };
  }
  const opened = await targets.open(deployment, context);
  if (opened.kind === "problem") {
    return { managed: listed, below: nothingBelow(`not read: ${opened.message}`) };
  }
  const managed = await withUids(ports, deployment, listed, opened.rules.identity);
  if (opened.kind === "agent" || opened.listIn === undefined) {
    return { managed, below: nothingBelow() };
  }
  return { managed, below: await remoteObjectsBelow(opened.listIn, rules, managed) };
}

function listedObject(entry: JsonObject): TreeObject {
  const at = {
    group: textAt(entry, "group"),
    version: textAt(entry, "version"),
    kind: textAt(entry, "kind"),
    namespace: textAt(entry, "namespace"),
    name: textAt(entry, "name"),
  };
  return { at, uid: "", owners: [], shown: entry };
}

async function withUids(
  { store }: Pick<RoutePorts, "store">,
  deployment: Resource,
  listed: readonly TreeObject[],
  target: TargetIdentity,
): Promise<readonly TreeObject[]> {
  const { entries } = await readInventory(store, deployment, target);
  const uids = new Map(entries.map(({ at, uid }) => [referenceKey(at), uid]));
  return listed.map((object) => ({ ...object, uid: uids.get(referenceKey(object.at)) ?? "" }));
}

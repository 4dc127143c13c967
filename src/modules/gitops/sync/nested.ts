/**
 * Deployments whose objects are deployments. A deployment may not have itself or one that it is
 * part of: each would wait for the health and for the deletion of the other.
 */
import type { Resource } from "../../../kernel/resource.ts";
import { gitopsGroup, deploymentsKind } from "../names.ts";
import { referenceKey } from "../object-reference.ts";
import type { ObjectReference } from "../object-reference.ts";
import type { TargetIdentity } from "../targets/target.ts";
import { trackedBy } from "./desired.ts";
import { listAll } from "./records.ts";
import type { SyncRunOf } from "./run.ts";

/** Read as references, so that a change of their health wakes the deployment. */
const mostFollowed = 200;

/** By `referenceKey`: why an object must not be applied. */
export async function forbiddenIn(
  run: SyncRunOf,
  target: TargetIdentity,
  desired: readonly ObjectReference[],
): Promise<ReadonlyMap<string, string>> {
  const refused = new Map<string, string>();
  const children = desired.filter(isDeployment);
  // Names in another server are of other deployments.
  if (target.kind !== "Setpoint" || children.length === 0) return refused;
  const own = keyOf(run.resource);
  const above = new Set((await ancestorsOf(run)).map(keyOf));
  for (const child of children) {
    const key = referenceKey(child);
    if (key === own) {
      const why = "a deployment cannot be an object of itself: move its manifest out of its path";
      refused.set(key, why);
    } else if (above.has(key)) {
      const why = "it has this deployment among its own objects: deployments must not form a cycle";
      refused.set(key, why);
    }
  }
  for (const { namespace, name } of children.slice(0, mostFollowed)) {
    await run.context.references.get({ kind: deploymentsKind, namespace, name });
  }
  return refused;
}

function isDeployment({ group, kind }: ObjectReference): boolean {
  return group === gitopsGroup && kind === "GitOpsDeployment";
}

/** The deployment that applied this one, the one that applied that, and so on. */
async function ancestorsOf({ resource, ports: { intents } }: SyncRunOf): Promise<Resource[]> {
  let owner = ownerOf(resource);
  if (owner === undefined) return [];
  const all = new Map<string, Resource>();
  for await (const each of listAll(intents.store, { kind: deploymentsKind })) {
    all.set(each.metadata.uid, each);
  }
  const found = new Map<string, Resource>();
  while (owner !== undefined && !found.has(owner)) {
    const deployment = all.get(owner);
    if (deployment === undefined) break;
    found.set(owner, deployment);
    owner = ownerOf(deployment);
  }
  return [...found.values()];
}

function ownerOf(deployment: Resource): string | undefined {
  return trackedBy(referenceTo(deployment), deployment);
}

function keyOf(deployment: Resource): string {
  return referenceKey(referenceTo(deployment));
}

function referenceTo({ metadata: { namespace = "", name } }: Resource): ObjectReference {
  return { group: gitopsGroup, version: "v1", kind: "GitOpsDeployment", namespace, name };
}

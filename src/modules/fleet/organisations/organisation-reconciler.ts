// Reconciles Organisations: their namespace, the rights of their members, and their use of quotas.
// The namespace is removed with the Organisation, when no instance is left.

import { again, done, failed } from "../../../engine/outcome.ts";
import type { Outcome } from "../../../engine/outcome.ts";
import type { ChildDocument, Context, Reconciler } from "../../../engine/reconciler.ts";
import { fencedWrite } from "../../../engine/run/fenced-write.ts";
import { systemCallerFor } from "../../../intents/bootstrap.ts";
import type { Intents } from "../../../intents/request.ts";
import { isSetpointError } from "../../../kernel/errors.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import type { Resource } from "../../../kernel/resource.ts";
import type { Store } from "../../../store/port.ts";
import { deleteClaimed } from "../claimed-writes.ts";
import { instanceCount } from "../lifecycle/instance-count.ts";
import { fleetLimits } from "../limits.ts";
import { organisationNamespace, organisationsKind } from "../names.ts";
import { memberRole } from "../offerings/member-role.ts";
import type { OfferingIndex } from "../offerings/offering-index.ts";
import { quotaCounter } from "./organisation-check.ts";
import { ensureNamespace, isOwnNamespace, namespaceKey } from "./organisation-namespace.ts";
import { readOrganisation } from "./organisation.ts";
import type { Organisation } from "./organisation.ts";

export interface OrganisationPorts {
  readonly store: Pick<Store, "list" | "counter">;
  readonly ownIntents: Intents;
  readonly offerings: OfferingIndex;
}

export function organisationReconciler(ports: OrganisationPorts): Reconciler {
  return {
    kind: organisationsKind,
    reconcile: async (resource, context) => await reconcile(ports, resource, context),
    remove: async (resource, context) => await remove(ports, resource, context),
  };
}

async function reconcile(
  { store, ownIntents }: OrganisationPorts,
  resource: Resource,
  context: Context,
): Promise<Outcome> {
  const organisation = readOrganisation(resource);
  await context.references.get(namespaceKey(organisation.id));
  try {
    await fencedWrite(context, async ({ claim, cause }) => {
      const caller = systemCallerFor(cause);
      await ensureNamespace(ownIntents, { organisation: resource, caller, claim });
    });
  } catch (error) {
    if (!isSetpointError(error, "fleet.namespace_taken")) throw error;
    return namespaceTaken(error.message);
  }
  await context.children.apply(roleBinding(organisation));
  const usage = await Promise.all(
    organisation.quotas.map(async (quota): Promise<JsonObject> => {
      const { offering, type, user } = quota;
      const { value: used } = await store.counter(quotaCounter(organisation.id, quota));
      return { offering, type, ...(user === undefined ? {} : { user }), used, max: quota.max };
    }),
  );
  return done({ status: { namespace: organisationNamespace(organisation.id), usage } });
}

/** The change of the namespace or of the Organisation wakes it. */
function namespaceTaken(message: string): Outcome {
  const ready = { status: "False", reason: "NamespaceTaken", message } as const;
  return failed("NamespaceTaken", message, { retry: "slow", ready });
}

/** Members who may use the services can read the instances of the organisation. */
function roleBinding({ id, isDenied, members }: Organisation): ChildDocument {
  const apiGroup = "rbac.authorization.k8s.io";
  const users = isDenied ? [] : [...members.values()].filter((member) => !member.isDenied);
  const logins = new Set(users.map(({ login }) => login).filter((login) => login !== ""));
  return {
    apiVersion: `${apiGroup}/v1`,
    kind: "RoleBinding",
    metadata: { name: "fleet-members", namespace: organisationNamespace(id) },
    roleRef: { apiGroup, kind: "ClusterRole", name: memberRole },
    subjects: [...logins].map((name) => ({ apiGroup, kind: "User", name })),
  };
}

async function remove(
  { store, ownIntents, offerings }: OrganisationPorts,
  resource: Resource,
  context: Context,
): Promise<Outcome> {
  const { name } = resource.metadata;
  const key = namespaceKey(name);
  const count = await instanceCount(store, offerings.all(), key.name);
  if (count.instances > 0) {
    const message = `it has ${count.text} in the namespace ${key.name}`;
    return again(fleetLimits.emptyCheckMs, { reason: "InUse", message });
  }
  const namespace = await context.references.get(key);
  if (namespace === undefined || !isOwnNamespace(namespace, resource)) return done();
  await deleteClaimed(ownIntents, context, key);
  const message = `the namespace ${key.name} is being deleted`;
  return again(fleetLimits.emptyCheckMs, { reason: "NamespaceDeleted", message });
}

// Puts the parts together that make a store a control plane: the feed of changes, the live view,
// the kinds, the policies, and the write path over them. Surfaces are added on top by serve.ts.

import type { Rbac, RbacKind } from "../intents/auth/rbac.ts";
import { createRbac } from "../intents/auth/rbac.ts";
import { admissionChain } from "../intents/admission/admission.ts";
import { followPolicyTypes } from "../intents/admission/policy/policy-status.ts";
import { quotaIndex } from "../intents/admission/quota/quota-index.ts";
import type { QuotaIndex } from "../intents/admission/quota/quota-index.ts";
import { followQuotaUsage } from "../intents/admission/quota/quota-status.ts";
import { engineMetrics } from "../engine/reporting/metric-names.ts";
import { bootstrap } from "../intents/bootstrap.ts";
import { followClusterRoles } from "../intents/housekeeping/cluster-roles.ts";
import { startGarbageCollection } from "../intents/housekeeping/garbage-collection.ts";
import type { GarbageCollection } from "../intents/housekeeping/garbage-collection.ts";
import { startHousekeeping } from "../intents/housekeeping/housekeeping.ts";
import { builtinServedKinds } from "../intents/kinds/builtin-served.ts";
import { definitionsKind, followDefinitions } from "../intents/kinds/definition-kinds.ts";
import { kindRegistry } from "../intents/kinds/registry.ts";
import { openLiveView } from "../intents/live-view.ts";
import type { LiveView } from "../intents/live-view.ts";
import type { Intents } from "../intents/request.ts";
import { openChangeFeed } from "../intents/watch/change-feed.ts";
import type { ChangeFeed } from "../intents/watch/change-feed.ts";
import { watchHub } from "../intents/watch/watch-hub.ts";
import type { WatchHub } from "../intents/watch/watch-hub.ts";
import { systemClock } from "../kernel/clock.ts";
import type { Clock } from "../kernel/clock.ts";
import { equalJson } from "../kernel/json.ts";
import { systemIds } from "../kernel/ids.ts";
import type { Ids } from "../kernel/ids.ts";
import { systemRandom } from "../kernel/random.ts";
import type { Random } from "../kernel/random.ts";
import type { ResourceKey } from "../kernel/resource.ts";
import { systemTimers } from "../kernel/timers.ts";
import type { Timers } from "../kernel/timers.ts";
import type { Store } from "../store/port.ts";
import { connectionsKind } from "../modules/connect/kinds/connection-kind.ts";
import { restKindsKind } from "../modules/connect/kinds/rest-kind-kind.ts";
import type { NamedHooks } from "../modules/connect/loop/hooks.ts";
import { faceKind, subscriptionKind } from "../surfaces/arm/face.ts";
import type { Logger } from "../telemetry/log.ts";
import { createMeter } from "../telemetry/meter.ts";
import type { TextMeter } from "../telemetry/meter.ts";
import { admissionPlugins } from "./admission-plugins.ts";
import { openWebhookClient } from "./webhook-client.ts";
import type { ServiceResolver } from "./webhook-client.ts";
import { webhookConverter } from "./webhook-converter.ts";

export interface ControlPlane extends AsyncDisposable {
  readonly intents: Intents;
  readonly feed: ChangeFeed;
  readonly hub: WatchHub;
  readonly rbac: Rbac;
  /** The resources that name this uid as an owner. */
  dependentsOf(uid: string): readonly ResourceKey[];
  /** The numbers of the engine; shown at /metrics with the others. */
  readonly meter: TextMeter;
}

const rbacKinds: Readonly<Record<string, RbacKind>> = {
  "roles.rbac.authorization.k8s.io": "Role",
  "clusterroles.rbac.authorization.k8s.io": "ClusterRole",
  "rolebindings.rbac.authorization.k8s.io": "RoleBinding",
  "clusterrolebindings.rbac.authorization.k8s.io": "ClusterRoleBinding",
};

/** What the server itself lives by, and so holds in memory. */
const liveKinds = [
  "namespaces",
  "serviceaccounts",
  "resourcequotas",
  definitionsKind,
  ...Object.keys(rbacKinds),
  "mutatingwebhookconfigurations.admissionregistration.k8s.io",
  "validatingwebhookconfigurations.admissionregistration.k8s.io",
  "validatingadmissionpolicies.admissionregistration.k8s.io",
  "validatingadmissionpolicybindings.admissionregistration.k8s.io",
  faceKind,
  subscriptionKind,
  connectionsKind,
  restKindsKind,
];

export interface ControlPlaneOptions {
  /** Where webhooks of services are; their names are left to DNS when it is absent. */
  readonly resolveService?: ServiceResolver;
  /** Those of the system when left out; a test gives its own and so owns time and chance. */
  readonly surroundings?: Surroundings;
  /** Kinds that have a reconciler in this process. */
  readonly reconciled?: ReadonlySet<string>;
  /** Whether a kind is offered through the Resource Manager now; none is when left out. */
  readonly hasFace?: (kind: string) => boolean;
  /** Of modules, for kinds that are kept in services. */
  readonly connectHooks?: readonly NamedHooks[];
}

/** What a program has around it. */
export interface Surroundings {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly ids: Ids;
  readonly random: Random;
}

export const systemSurroundings: Surroundings = {
  clock: systemClock,
  timers: systemTimers,
  ids: systemIds,
  random: systemRandom,
};

export async function openControlPlane(
  store: Store,
  log: Logger,
  options: ControlPlaneOptions = {},
): Promise<ControlPlane> {
  const { surroundings = systemSurroundings, reconciled = new Set(), ...others } = options;
  const { connectHooks = [], hasFace = () => false, ...webhookOptions } = others;
  const { clock, timers, ids, random } = surroundings;
  await using undo = new AsyncDisposableStack();
  const webhooks = undo.use(openWebhookClient(webhookOptions));
  const feed = undo.use(
    await openChangeFeed(store, {
      timers,
      onError: (error) => log.warn({ error }, "log not readable"),
    }),
  );
  const live = await openLiveView(store, feed, liveKinds);
  const kinds = kindRegistry(builtinServedKinds({ live: () => live, clock }));
  followDefinitions({
    live,
    kinds,
    converterOf: ({ resource }) => webhookConverter(resource, webhooks),
    onError: (error, name) => log.error({ error, definition: name }, "definition not usable"),
  });
  const hub = watchHub(feed);
  endOldWatches(live, hub);
  const rbac = followRbac(live);
  const quotas = quotaIndex(live);
  const plugins = admissionPlugins({
    live,
    kinds,
    store,
    quotas,
    rbac,
    fetch: webhooks.fetch,
    ids,
    log,
    reconciled: reconciledBy(reconciled, live),
    hasFace,
    connectHooks,
  });
  const intents: Intents = {
    store,
    live,
    kinds,
    admission: admissionChain(plugins),
    clock,
    ids,
    random,
  };
  // A webhook that does not answer must not keep the server from starting.
  await bootstrap({ ...intents, admission: admissionChain([]) });
  for (const task of startTasks({ intents, feed, quotas, timers, log })) undo.use(task);
  const garbage = undo.use(collectGarbage({ intents, feed, timers, log }));
  undo.use(
    followClusterRoles({
      intents,
      rbac,
      timers,
      onError: (error, role) => log.warn({ error, role }, "rules of a role not gathered"),
    }),
  );
  const running = undo.move();
  return {
    intents,
    feed,
    hub,
    rbac,
    dependentsOf: (uid) => garbage.dependentsOf(uid),
    meter: createMeter(engineMetrics),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

interface TasksInput {
  readonly intents: Intents;
  readonly feed: ChangeFeed;
  readonly quotas: QuotaIndex;
  readonly timers: Timers;
  readonly log: Logger;
}

/** What the server does by itself. */
function startTasks(input: TasksInput): readonly AsyncDisposable[] {
  const { intents, feed, quotas, timers, log } = input;
  return [
    startHousekeeping({
      intents,
      timers,
      onError: (error, task) => log.warn({ error, task }, "housekeeping failed"),
    }),
    followQuotaUsage({
      intents,
      feed,
      index: quotas,
      timers,
      onError: (error, quota) => log.warn({ error, quota }, "quota not counted"),
    }),
    followPolicyTypes({
      intents,
      timers,
      onError: (error, policy) => log.warn({ error, policy }, "policy not checked"),
    }),
  ];
}

function collectGarbage(input: Omit<TasksInput, "quotas">): GarbageCollection {
  const { log, ...given } = input;
  return startGarbageCollection({
    ...given,
    onError: (error, task) => log.warn({ error, task }, "garbage collection failed"),
    onUnopened: (error, resource) => log.warn({ error, resource }, "secrets not opened"),
  });
}

/** A watch shows a kind as it was when the watch began, so it ends when the kind changes. */
function endOldWatches(live: LiveView, hub: WatchHub): void {
  live.follow(definitionsKind, (after, before) => {
    if (before === undefined || equalJson(after?.resource.spec, before.resource.spec)) return;
    hub.endKind(before.key.name);
  });
}

/** Those of modules, and those that are kept in services. */
function reconciledBy(
  kinds: ReadonlySet<string>,
  live: LiveView,
): Pick<ReadonlySet<string>, "has"> {
  const isKept = (name: string): boolean =>
    live.get({ kind: restKindsKind, namespace: "", name }) !== undefined;
  return { has: (name) => kinds.has(name) || isKept(name) };
}

function followRbac(live: LiveView): Rbac {
  const rbac = createRbac();
  for (const [id, kind] of Object.entries(rbacKinds)) {
    live.follow(id, (after, before) => {
      if (after !== undefined) rbac.put(kind, after.resource);
      else if (before !== undefined) {
        const { namespace, name } = before.key;
        rbac.remove({ kind, namespace, name });
      }
    });
  }
  return rbac;
}

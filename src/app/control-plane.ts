// Puts the parts together that make a store a control plane: the feed of changes, the live view,
// the kinds, the policies, and the write path over them. Surfaces are added on top by serve.ts.

import { httpWith } from "../adapters/http/client.ts";
import type { MemoryBroker } from "../adapters/amqp/memory/broker.ts";
import { jsonCalls } from "../adapters/http/json-calls.ts";
import { kubeWith } from "../adapters/kubernetes/client.ts";
import { openTextIndex } from "../adapters/text-index/index-thread.ts";
import type { Rbac, RbacKind } from "../intents/auth/rbac.ts";
import { createRbac } from "../intents/auth/rbac.ts";
import { admissionChain } from "../intents/admission/admission.ts";
import { quotaIndex } from "../intents/admission/quota/quota-index.ts";
import type { QuotaIndex } from "../intents/admission/quota/quota-index.ts";
import type { ProcessPorts } from "../contract/ports.ts";
import type { BuiltInModule } from "../contract/module.ts";
import type { OpenPorts } from "../contract/ports.ts";
import type { ExtensionEntry } from "../contract/user-module.ts";
import { metric } from "../engine/reporting/metric-names.ts";
import type { MetricDefinition } from "../engine/reporting/metric-names.ts";
import { bootstrap } from "../intents/bootstrap.ts";
import { followOwners } from "../intents/housekeeping/follow-owners.ts";
import type { OwnerFollower } from "../intents/housekeeping/follow-owners.ts";
import { builtinServedKinds } from "../intents/kinds/builtin-served.ts";
import {
  definitionsKind,
  followDefinitions,
  hasSameSpec,
} from "../intents/kinds/definition-kinds.ts";
import { kindRegistry } from "../intents/kinds/registry.ts";
import type { KindRegistry } from "../intents/kinds/registry.ts";
import { openLiveView } from "../intents/live-view.ts";
import type { LiveView } from "../intents/live-view.ts";
import { openReadModel } from "../intents/read-model/read-model.ts";
import type { ReadModel } from "../intents/read-model/read-model.ts";
import type { Intents } from "../intents/request.ts";
import { openChangeFeed } from "../intents/watch/change-feed.ts";
import type { ChangeFeed } from "../intents/watch/change-feed.ts";
import { watchHub } from "../intents/watch/watch-hub.ts";
import type { WatchHub } from "../intents/watch/watch-hub.ts";
import { systemClock } from "../kernel/clock.ts";
import type { Clock } from "../kernel/clock.ts";
import { timedTurns } from "../kernel/fair-turns.ts";
import { inlineWork } from "../kernel/heavy-work.ts";
import type { HeavyWork } from "../kernel/heavy-work.ts";
import type { SetpointError } from "../kernel/errors.ts";
import { systemIds } from "../kernel/ids.ts";
import type { Ids } from "../kernel/ids.ts";
import { limits } from "../kernel/limits.ts";
import { systemRandom } from "../kernel/random.ts";
import type { Random } from "../kernel/random.ts";
import { systemTimers } from "../kernel/timers.ts";
import type { Timers } from "../kernel/timers.ts";
import type { Store } from "../store/port.ts";
import type { Logger } from "../telemetry/log.ts";
import { createMeter } from "../telemetry/meter.ts";
import type { TextMeter } from "../telemetry/meter.ts";
import { recentMetrics } from "../telemetry/recent-metrics.ts";
import type { FollowedMetrics, RecentMetrics } from "../telemetry/recent-metrics.ts";
import { admissionPlugins } from "./admission-plugins.ts";
import { cachedKinds, formsOf, indexTermsOf, metricsOf, rolesOf } from "./declared-parts.ts";
import { gitWith } from "./git.ts";
import { heavyFunctions } from "./heavy-functions.ts";
import { builtInModules } from "./modules.ts";
import { brokerWith } from "./open-broker.ts";
import { openModules } from "./open-modules.ts";
import type { OpenModules } from "./open-modules.ts";
import { ownIntentsOf } from "./own-intents.ts";
import { programsWith } from "./programs.ts";
import { sandboxWith } from "./sandbox.ts";
import { supervisorsWith } from "./supervisors.ts";
import { openWebhookClient } from "./webhook-client.ts";
import type { ServiceResolver, WebhookClient } from "./webhook-client.ts";
import { webhookConverter } from "./webhook-converter.ts";

export interface ControlPlane extends AsyncDisposable {
  readonly intents: Intents;
  readonly feed: ChangeFeed;
  readonly hub: WatchHub;
  /** Shared by the surfaces. */
  readonly readModel: ReadModel;
  readonly rbac: Rbac;
  /** Which resource is owned by which. */
  readonly owners: OwnerFollower;
  readonly quotas: QuotaIndex;
  /** The metrics of the engine and of modules; /metrics shows them with the others. */
  readonly meter: TextMeter;
  /** The last hour of it. */
  readonly recent: RecentMetrics;
  readonly heavy: HeavyWork;
  /** The built-in modules, opened. */
  readonly modules: OpenModules;
  readonly timers: Timers;
  /** Aborted when the server stops. */
  readonly stopping: AbortSignal;
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
];

export interface ControlPlaneOptions {
  /** Where webhooks of services are; their names are left to DNS when it is absent. */
  readonly resolveService?: ServiceResolver;
  /** Those of the system when left out; a test gives its own and so owns time and chance. */
  readonly surroundings?: Surroundings;
  /** Kinds that modules of users reconcile. */
  readonly reconciled?: Pick<ReadonlySet<string>, "has">;
  /** Receives the problems of their extensions; thrown when left out. */
  readonly reportModule?: OpenPorts["reportModule"];
  /** Those of this server when left out. */
  readonly builtIn?: readonly BuiltInModule[];
  /** What modules of users say to built-in modules. */
  readonly extensions?: readonly ExtensionEntry[];
  /** The metrics of modules of users. */
  readonly metrics?: Readonly<Record<string, MetricDefinition>>;
  /** The sections of built-in modules, checked, by their keys. */
  readonly configuration?: Readonly<Record<string, unknown>>;
  /** How long the store keeps superseded states; always when left out. */
  readonly historyMs?: number | undefined;
  /** Done on the event loop when left out. */
  readonly heavy?: HeavyWork;
  /** Aborted when the server stops; never when left out. */
  readonly stopping?: AbortSignal;
  /** The broker inside this process; a new one when left out. */
  readonly broker?: MemoryBroker;
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

/** Decisions about single requests, and all rights of a user. */
function accessBy(rbac: Rbac): Pick<OpenPorts, "authorizer" | "rights"> {
  return { authorizer: rbac, rights: rbac };
}

export async function openControlPlane(
  store: Store,
  log: Logger,
  options: ControlPlaneOptions = {},
): Promise<ControlPlane> {
  const { surroundings = systemSurroundings, reconciled = new Set() } = options;
  const { builtIn = builtInModules, historyMs, stopping = neverAborted } = options;
  const { reportModule = throwProblem } = options;
  const { clock, timers, ids, random } = surroundings;
  await using undo = new AsyncDisposableStack();
  const views = await openViews(store, log, { ...options, surroundings, builtIn }, undo);
  const { webhooks, feed, live, kinds } = views;
  const hub = watchHub({ feed, turns: timedTurns("watches", limits.watchTurnMs) });
  const readModel = undo.use(openReadModel({ store, feed, kinds, clock, timers }));
  endOldWatches(live, hub);
  const rbac = followRbac(live);
  const quotas = quotaIndex(live);
  const recent = recentMetrics(clock);
  const meter = recent.follow(createMeter(metricsOf(builtIn, options.metrics ?? {})), followed);
  const network = openNetwork(timers, options.broker, undo);
  const ports = { ...surroundings, ...network, log, meter, store, live, kinds, ...accessBy(rbac) };
  const modules = undo.use(
    await openModules({
      modules: builtIn,
      ports: { ...ports, userKinds: reconciled, reportModule, historyMs, stopping },
      extensions: options.extensions ?? [],
      configuration: options.configuration ?? {},
    }),
  );
  const plugins = admissionPlugins({
    live,
    kinds,
    store,
    quotas,
    rbac,
    fetch: webhooks.fetch,
    ids,
    log,
    reconciled: { has: (kind) => reconciled.has(kind) || modules.reconciles(kind) },
    modules: modules.admission,
  });
  const admission = admissionChain(plugins);
  const { heavy = inlineWork(heavyFunctions) } = options;
  const intents: Intents = { store, live, kinds, admission, clock, ids, random, heavy };
  // A webhook that does not answer must not keep the server from starting.
  await bootstrap(ownIntentsOf(intents), rolesOf(builtIn));
  const owners = undo.use(
    followOwners({
      intents,
      feed,
      timers,
      onError: (error) => log.warn({ error }, "resources and their owners not listed"),
      onUnopened: (error, resource) => log.warn({ error, resource }, "secrets not opened"),
    }),
  );
  const running = undo.move();
  return {
    intents,
    feed,
    hub,
    readModel,
    rbac,
    owners,
    quotas,
    meter,
    recent,
    heavy,
    modules,
    timers,
    stopping,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

type Network = Pick<
  ProcessPorts,
  | "openHttp"
  | "callJson"
  | "openKube"
  | "openPrograms"
  | "openGit"
  | "openSandbox"
  | "openSupervisors"
  | "openBroker"
  | "openTextIndex"
>;

/** How modules reach other systems. */
function openNetwork(
  timers: Timers,
  broker: MemoryBroker | undefined,
  undo: AsyncDisposableStack,
): Network {
  const openHttp = httpWith(timers);
  const { call: callJson } = undo.use(jsonCalls(openHttp));
  const openSupervisors = supervisorsWith(timers, undo);
  const openKube = kubeWith(openHttp);
  const openBroker = brokerWith(timers, broker);
  const openPrograms = programsWith(timers, undo);
  return {
    openHttp,
    callJson,
    openKube,
    openPrograms,
    openGit: gitWith(timers),
    openSandbox: sandboxWith(openPrograms),
    openSupervisors,
    openBroker,
    openTextIndex,
  };
}

interface Views {
  readonly webhooks: WebhookClient;
  readonly feed: ChangeFeed;
  readonly live: LiveView;
  readonly kinds: KindRegistry;
}

/** The log as this process follows it, the kinds that it keeps in memory, and those it serves. */
async function openViews(
  store: Store,
  log: Logger,
  options: Required<Pick<ControlPlaneOptions, "surroundings" | "builtIn">> & ControlPlaneOptions,
  undo: AsyncDisposableStack,
): Promise<Views> {
  const { surroundings, builtIn, resolveService } = options;
  const { clock, timers } = surroundings;
  const indexTerms = indexTermsOf(builtIn);
  const webhooks = undo.use(
    openWebhookClient(resolveService === undefined ? {} : { resolveService }),
  );
  const feed = undo.use(
    await openChangeFeed(store, {
      timers,
      onError: (error) => log.warn({ error }, "log not readable"),
    }),
  );
  const live = await openLiveView(store, feed, [...liveKinds, ...cachedKinds(builtIn)]);
  const kinds = kindRegistry(builtinServedKinds({ live: () => live, clock, indexTerms }));
  followDefinitions({
    live,
    kinds,
    converterOf: ({ resource }) => webhookConverter(resource, webhooks),
    forms: formsOf(builtIn),
    indexTerms,
    onError: (error, name) => log.error({ error, definition: name }, "definition not usable"),
  });
  return { webhooks, feed, live, kinds };
}

/** A watch shows a kind as it was when the watch began, so it ends when the kind changes. */
function endOldWatches(live: LiveView, hub: WatchHub): void {
  live.follow(definitionsKind, (after, before) => {
    if (before === undefined) return;
    if (after !== undefined && hasSameSpec(before.resource, after.resource)) return;
    hub.endKind(before.key.name);
  });
}

const followed: FollowedMetrics = {
  reconciles: metric.reconciles,
  running: metric.running,
  due: metric.backlogDue,
  startLatencySeconds: metric.startLatencySeconds,
};

function throwProblem(_file: string, error: SetpointError): never {
  throw error;
}

const neverAborted = new AbortController().signal;

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

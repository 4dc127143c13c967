/** What wakes the instances of all Offerings, and the records of deleted ones. */
import type { OpenPorts, StartPorts } from "../../../contract/ports.ts";
import { wakeAll } from "../../../engine/wakes/wakes.ts";
import { wakeTask, wakesOfProcess } from "../../../engine/wakes/wake-task.ts";
import type { ProcessWakesInput } from "../../../engine/wakes/wake-task.ts";
import { decodeDocument } from "../../../kernel/document.ts";
import { equalJson } from "../../../kernel/json.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { isTrueAt, objectAt, objectsAt, textAt, valueAt } from "../../../kernel/json-read.ts";
import type { Resource, ResourceKey } from "../../../kernel/resource.ts";
import type { LiveRecord } from "../../../intents/live-view.ts";
import { isAbandoned } from "../clusters/cluster.ts";
import type { FleetState } from "../fleet-state.ts";
import { fleetLimits } from "../limits.ts";
import { clusterNamespace, clustersKind, managedInstancesKind } from "../names.ts";
import { organisationNamespace, organisationsKind } from "../names.ts";
import { instanceKindId } from "../offerings/offering-index.ts";
import type { InstanceCounts } from "./instance-counts.ts";
import { retentionReconciler } from "./retention.ts";

export interface StartLifecycleInput {
  readonly ports: OpenPorts;
  readonly more: StartPorts;
  readonly state: FleetState;
  readonly countsOf: (offering: string) => InstanceCounts | undefined;
}

export function startLifecycle(input: StartLifecycleInput): AsyncDisposable {
  const { ports, more, state } = input;
  const stop = new AbortController();
  const undo = new AsyncDisposableStack();
  undo.defer(() => stop.abort());
  undo.defer(more.engine.add(retentionReconciler({ intents: more.intents, state })));
  undo.defer(more.engine.lead(wakesOf(input)));
  if (more.engine.isWorker) undo.defer(wakesOfProcess(changesOf(input)));
  let isStarting = true;
  undo.defer(
    // A changed Offering may change every instance of it.
    state.offerings.follow((_name, offering) => {
      if (isStarting || offering === undefined) return;
      const kind = instanceKindId(offering);
      wakeAll(more.intents.store, kind, stop.signal).catch((error: unknown) => {
        if (!stop.signal.aborted) ports.log.warn({ error, kind }, "instances not woken");
      });
    }),
  );
  isStarting = false;
  return undo;
}

/** Wakes what a change before the start of the leader may concern, and what waits for room. */
function wakesOf(input: StartLifecycleInput): ReturnType<typeof wakeTask> {
  const { ports, more, state } = input;
  const { live, timers, log } = ports;
  const { store } = more.intents;
  return wakeTask({
    name: "fleet-instances",
    store,
    timers,
    follow: (wakeLater) => {
      const onError = (error: unknown): void => log.warn({ error }, "instances not found");
      // A change before the start, such as during a change of the leader, is not seen.
      const wakeConcerned = (): void => {
        wakeLater(waiting(input));
        wakeLater(denied(input));
        for (const { key, resource } of live.all(clustersKind)) {
          if (!isTrueAt(resource.spec, "isDraining")) continue;
          instancesOn(store, state, key.name).then(wakeLater, onError);
        }
        for (const { key, resource } of live.all(organisationsKind)) {
          if (!hasDenial(resource)) continue;
          instancesIn(store, state, organisationNamespace(key.name)).then(wakeLater, onError);
        }
      };
      wakeConcerned();
      // The counts of a process that has just started may not be complete at first.
      const cancel = timers.after(fleetLimits.lateWakeMs, wakeConcerned);
      const unsubscribe = more.feed.subscribe((changes) => {
        const isFreed = changes.some(
          ({ key, type }) => type === "deleted" && key.kind === managedInstancesKind,
        );
        if (isFreed) wakeLater(waiting(input));
      });
      return () => {
        cancel();
        unsubscribe();
      };
    },
  });
}

/**
 * Wakes the instances of an organisation or of a cluster that changed, and instances that wait for
 * a cluster when one may have room. Members, quotas and reports of clusters change often; only what
 * the life cycle reads counts. It reads them from the memory of the process that runs an instance,
 * so every process wakes.
 */
function changesOf(input: StartLifecycleInput): ProcessWakesInput {
  const { ports, more, state } = input;
  const { live, timers, log } = ports;
  const { store } = more.intents;
  const onError = (error: unknown): void => log.warn({ error }, "instances not found");
  return {
    name: "fleet-changes",
    store,
    timers,
    log,
    follow: (wakeLater) => {
      const unfollowOrganisations = live.follow(organisationsKind, (after, before) => {
        if (before === undefined || !isAccessChanged(after, before)) return;
        const namespace = organisationNamespace(before.key.name);
        instancesIn(store, state, namespace).then(wakeLater, onError);
      });
      let isStarting = true;
      const unfollowClusters = live.follow(clustersKind, (after, before) => {
        if (isStarting || equalJson(placementIn(after), placementIn(before))) return;
        wakeLater(waiting(input));
        const concerned = new Set<string>();
        for (const { key, resource } of live.all(clustersKind)) {
          if (isTrueAt(resource.spec, "isDraining")) concerned.add(key.name);
        }
        // A report says what the cluster can take: nothing changes for what is on it.
        const isOnlyReport = equalJson(hostingIn(after), hostingIn(before));
        if (before !== undefined && !isOnlyReport) concerned.add(before.key.name);
        for (const cluster of concerned) {
          instancesOn(store, state, cluster).then(wakeLater, onError);
        }
      });
      isStarting = false;
      return () => {
        unfollowOrganisations();
        unfollowClusters();
      };
    },
  };
}

/** Instances that need a cluster and have none. */
function waiting({ state, countsOf }: StartLifecycleInput): readonly ResourceKey[] {
  return state.offerings.all().flatMap(({ name }) => countsOf(name)?.waiting() ?? []);
}

/** Instances whose owner was denied, and may not be any more. */
function denied({ state, countsOf }: StartLifecycleInput): readonly ResourceKey[] {
  return state.offerings.all().flatMap(({ name }) => countsOf(name)?.denied() ?? []);
}

function hasDenial({ spec }: Resource): boolean {
  const members = objectsAt(spec, "members");
  return isTrueAt(spec, "isDenied") || members.some((member) => isTrueAt(member, "isDenied"));
}

/** The parts of a cluster that the instances on it depend on. */
function hostingIn(record: LiveRecord | undefined): JsonObject | null {
  if (record === undefined) return null;
  const { metadata, spec } = record.resource;
  return {
    isDeleting: metadata.deletionTimestamp !== undefined,
    isAbandoned: isAbandoned(record.resource),
    spec: spec ?? null,
  };
}

/** The parts of a cluster that placement depends on. */
function placementIn(record: LiveRecord | undefined): JsonObject | null {
  if (record === undefined) return null;
  const { status } = record.resource;
  return {
    ...hostingIn(record),
    phase: textAt(status, "phase"),
    operators: valueAt(status, "report", "operators") ?? null,
    capacity: valueAt(status, "report", "capacity") ?? null,
    unavailable: valueAt(status, "report", "unavailable") ?? null,
  };
}

function isAccessChanged(after: LiveRecord | undefined, before: LiveRecord): boolean {
  return !equalJson(accessIn(after), accessIn(before));
}

/** A member who joins changes nothing for the instances of the other members. */
function accessIn(record: LiveRecord | undefined): JsonObject {
  const { isDenied = null, quotas = null, members = null } = objectAt(record?.resource, "spec");
  const deniedUsers = objectsAt({ members }, "members")
    .filter((member) => isTrueAt(member, "isDenied"))
    .map((member) => textAt(member, "user"));
  return { isDenied, quotas, deniedUsers: deniedUsers.toSorted() };
}

type Lister = Pick<StartPorts["intents"]["store"], "list">;

async function instancesIn(
  store: Lister,
  state: FleetState,
  namespace: string,
): Promise<readonly ResourceKey[]> {
  const keys: ResourceKey[] = [];
  for (const offering of state.offerings.all()) {
    await eachKey(store, instanceKindId(offering), namespace, ({ key }) => keys.push(key));
  }
  return keys;
}

async function instancesOn(
  store: Lister,
  state: FleetState,
  cluster: string,
): Promise<readonly ResourceKey[]> {
  const keys: ResourceKey[] = [];
  const namespace = clusterNamespace(cluster);
  await eachKey(store, managedInstancesKind, namespace, ({ body, revision }) => {
    const spec = objectAt(decodeDocument(body, revision), "spec");
    const offering = state.offerings.byName(textAt(spec, "offering"));
    if (offering === undefined) return;
    const kind = instanceKindId(offering);
    const [home, name] = [textAt(spec, "instance", "namespace"), textAt(spec, "instance", "name")];
    keys.push({ kind, namespace: home, name });
  });
  return keys;
}

async function eachKey(
  store: Lister,
  kind: string,
  namespace: string,
  visit: (record: Awaited<ReturnType<Lister["list"]>>["records"][number]) => void,
): Promise<void> {
  const query = { kind, namespace, limit: 1_000 };
  let page = await store.list(query);
  for (;;) {
    for (const record of page.records) visit(record);
    if (page.next === undefined) return;
    page = await store.list({ ...query, from: page.next });
  }
}

/** What wakes the instances of all Offerings, and the records of deleted ones. */
import type { OpenPorts, StartPorts } from "../../../contract/ports.ts";
import { wakeAll } from "../../../engine/wakes/wakes.ts";
import { wakeTask } from "../../../engine/wakes/wake-task.ts";
import { decodeDocument } from "../../../kernel/document.ts";
import { equalJson } from "../../../kernel/json.ts";
import { objectAt, textAt } from "../../../kernel/json-read.ts";
import type { ResourceKey } from "../../../kernel/resource.ts";
import type { LiveRecord } from "../../../intents/live-view.ts";
import type { FleetState } from "../fleet-state.ts";
import { clusterNamespace, clustersKind, managedInstancesKind } from "../names.ts";
import { organisationNamespace, organisationsKind } from "../names.ts";
import { instanceKindId } from "../offerings/offering-index.ts";
import { retentionReconciler } from "./retention.ts";

export interface StartLifecycleInput {
  readonly ports: OpenPorts;
  readonly more: StartPorts;
  readonly state: FleetState;
}

export function startLifecycle(input: StartLifecycleInput): AsyncDisposable {
  const { ports, more, state } = input;
  const stop = new AbortController();
  const undo = new AsyncDisposableStack();
  undo.defer(() => stop.abort());
  undo.defer(more.engine.add(retentionReconciler({ intents: more.intents, state })));
  undo.defer(more.engine.lead(wakesOf(input)));
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

/**
 * Wakes the instances of an organisation or of a cluster that changed. Members, quotas and reports
 * of clusters change often; only what the life cycle reads counts.
 */
function wakesOf({ ports, more, state }: StartLifecycleInput): ReturnType<typeof wakeTask> {
  const { live, timers, log } = ports;
  const { store } = more.intents;
  return wakeTask({
    name: "fleet-instances",
    store,
    timers,
    follow: (wakeLater) => {
      const onError = (error: unknown): void => log.warn({ error }, "instances not found");
      const unfollowOrganisations = live.follow(organisationsKind, (after, before) => {
        if (before === undefined || !isAccessChanged(after, before)) return;
        const namespace = organisationNamespace(before.key.name);
        instancesIn(store, state, namespace).then(wakeLater, onError);
      });
      const unfollowClusters = live.follow(clustersKind, (after, before) => {
        if (before === undefined || equalJson(specOf(after), specOf(before))) return;
        instancesOn(store, state, before.key.name).then(wakeLater, onError);
      });
      return () => {
        unfollowOrganisations();
        unfollowClusters();
      };
    },
  });
}

function isAccessChanged(after: LiveRecord | undefined, before: LiveRecord): boolean {
  const [now, then] = [specOf(after), specOf(before)];
  return ["isDenied", "members"].some((field) => {
    return !equalJson(now[field] ?? null, then[field] ?? null);
  });
}

function specOf(record: LiveRecord | undefined): ReturnType<typeof objectAt> {
  return objectAt(record?.resource, "spec");
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

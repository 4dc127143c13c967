// A real client library against a real server: informers that live through churn, restarts, crashes
// and forgotten history without missing or repeating anything, and the typed clients.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import {
  ApiException,
  ApiextensionsV1Api,
  CoordinationV1Api,
  CoreV1Api,
  CustomObjectsApi,
  KubeConfig,
  KubernetesObjectApi,
  PatchStrategy,
  V1MicroTime,
  setHeaderOptions,
} from "@kubernetes/client-node";
import type { V1Lease } from "@kubernetes/client-node";
import { storeConfig } from "../../src/app/config.ts";
import { openStore } from "../../src/app/open-store.ts";
import { seededRandom } from "../../src/kernel/random.ts";
import { startSetpoint } from "../peers/setpoint.ts";
import type { Setpoint } from "../peers/setpoint.ts";
import { waitUntil } from "../peers/wait.ts";
import { seed } from "../seed.ts";
import {
  checkOrder,
  churn,
  newLedger,
  record,
  untilCaughtUp,
  untilComplete,
} from "./contract/churn.ts";
import type { Collection, Ledger, Recorder } from "./contract/churn.ts";
import { apiVersion, configMap, group, post, widget, widgets } from "./contract/scene.ts";

let server: Setpoint;
let config: KubeConfig;

before(async () => {
  server = await startSetpoint();
  await post(server, "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", widgets);
  config = configOf(server);
});

after(async () => await server[Symbol.asyncDispose]());

function configOf({ kubeconfig }: Setpoint): KubeConfig {
  const loaded = new KubeConfig();
  loaded.loadFromFile(kubeconfig);
  return loaded;
}

const collections: readonly Collection[] = [
  {
    path: "/api/v1/namespaces/default/configmaps",
    make: (name, value) => configMap(name, { value: String(value) }),
    change: (value) => ({ data: { value: String(value) } }),
  },
  {
    path: `/apis/${apiVersion}/namespaces/default/widgets`,
    make: (name, value) => widget(name, { size: value + 1 }),
    change: (value) => ({ spec: { size: value + 1 } }),
  },
];

interface Watched {
  readonly collection: Collection;
  readonly ledger: Ledger;
  readonly recorder: Recorder;
  readonly writing: Promise<unknown>;
}

describe("informers", () => {
  it("see every acknowledged write once and in order, through restarts and crashes", async () => {
    await using open = new AsyncDisposableStack();
    let isOver = false;
    const watched: Watched[] = [];
    for (const collection of collections) {
      const ledger = newLedger();
      const recorder = open.use(await record(server, config, collection));
      const writers = Array.from({ length: 3 }, (_, index) => {
        const random = seededRandom(seed + index);
        return churn(server, collection, { ledger, random, isOver: () => isOver });
      });
      watched.push({ collection, ledger, recorder, writing: Promise.all(writers) });
    }
    const untilWritten = async (writes: number): Promise<void> => {
      const isEnough = (): boolean => watched.every(({ ledger }) => ledger.writes > writes);
      await waitUntil(`${writes} writes`, isEnough, { limitMs: 120_000 });
    };
    for (const [index, end] of (["stop", "kill9", "kill9", "stop"] as const).entries()) {
      await untilWritten(40 * (index + 1));
      await server[end]();
      await server.start();
    }
    await untilWritten(200);
    isOver = true;
    for (const { collection, ledger, recorder, writing } of watched) {
      await writing;
      await untilCaughtUp(server, collection, recorder);
      assert.equal(recorder.lists(), 1, "what was missed came from the history");
      await untilComplete(recorder.events, ledger);
      checkOrder(recorder.events);
    }
  });

  it("list again when what they missed has been forgotten", async () => {
    for (const collection of collections) {
      await using recorder = await record(server, config, collection);
      await using idle = await record(server, config, collection);
      await churnSome(collection);
      await untilCaughtUp(server, collection, recorder);
      await recorder.pause();
      await churnSome(collection);
      await server.stop();
      await forgetEverything(server.folder);
      await server.start();
      await recorder.resume();
      await churnSome(collection);
      for (const each of [recorder, idle]) {
        await untilCaughtUp(server, collection, each);
        checkOrder(each.events);
      }
      assert.equal(recorder.lists(), 2, "it was told that its place in the history is gone");
    }
  });

  it("follow a selection: objects come and go with their labels", async () => {
    const path = "/api/v1/namespaces/default/configmaps";
    const selected: Collection = {
      ...collections[0],
      path: `${path}?labelSelector=on`,
    } as Collection;
    await post(server, path, configMap("lamp", {}, { on: "1" }));
    const { body } = await server.ask(selected.path);
    assert.match(body.toString(), /"lamp"/);
    const core = config.makeApiClient(CoreV1Api);
    const seen: string[] = [];
    const { Watch } = await import("@kubernetes/client-node");
    const { promise, resolve } = Promise.withResolvers<void>();
    const watch = await new Watch(config).watch(
      path,
      { labelSelector: "on", resourceVersion: "0" },
      (type: string, { metadata }: { metadata: { name: string } }) => {
        if (metadata.name === "lamp") seen.push(type);
        if (seen.length === 4) resolve();
      },
      () => undefined,
    );
    const label = async (on: string | null): Promise<void> => {
      await core.patchNamespacedConfigMap(
        { name: "lamp", namespace: "default", body: { metadata: { labels: { on } } } },
        setHeaderOptions("Content-Type", PatchStrategy.MergePatch),
      );
    };
    await label("2");
    await label(null);
    await label("3");
    await promise;
    watch.abort();
    assert.deepEqual(seen, ["ADDED", "MODIFIED", "DELETED", "ADDED"]);
  });
});

async function churnSome(collection: Collection): Promise<void> {
  const ledger = newLedger();
  const random = seededRandom(seed);
  await churn(server, collection, { ledger, random, isOver: () => ledger.writes >= 50 });
}

/** Compacts the store of a server that is not running up to its newest change. */
async function forgetEverything(data: string): Promise<void> {
  const store = await openStore(storeConfig({ data }), { access: "write" });
  const { revision } = await store.head();
  assert.equal((await store.compact(revision)).compacted, revision);
  await store.close();
}

describe("typed clients", () => {
  it("create, read, patch, replace, list and delete a ConfigMap", async () => {
    const core = config.makeApiClient(CoreV1Api);
    const namespace = "default";
    const at = { name: "typed", namespace };
    const created = await core.createNamespacedConfigMap({
      namespace,
      body: { metadata: { name: "typed" }, data: { a: "1" } },
    });
    assert.ok(created.metadata?.creationTimestamp instanceof Date);
    const body = { data: { b: "2" } };
    for (const type of [PatchStrategy.MergePatch, PatchStrategy.StrategicMergePatch]) {
      await core.patchNamespacedConfigMap({ ...at, body }, setHeaderOptions("Content-Type", type));
    }
    const operations = [{ op: "replace", path: "/data/a", value: "3" }];
    const patched = await core.patchNamespacedConfigMap(
      { ...at, body: operations },
      setHeaderOptions("Content-Type", PatchStrategy.JsonPatch),
    );
    assert.deepEqual(patched.data, { a: "3", b: "2" });
    await core.replaceNamespacedConfigMap({
      ...at,
      body: Object.assign({}, patched, { data: { c: "4" } }),
    });
    const stale = core.replaceNamespacedConfigMap({ ...at, body: patched });
    await assert.rejects(stale, (error) => error instanceof ApiException && error.code === 409);
    const { items } = await core.listNamespacedConfigMap({
      namespace,
      fieldSelector: "metadata.name=typed",
    });
    assert.deepEqual(items[0]?.data, { c: "4" });
    await core.deleteNamespacedConfigMap(at);
    const gone = core.readNamespacedConfigMap(at);
    await assert.rejects(gone, (error) => error instanceof ApiException && error.code === 404);
  });

  it("keep a secret as bytes", async () => {
    const core = config.makeApiClient(CoreV1Api);
    const metadata = { name: "secret" };
    await core.createNamespacedSecret({
      namespace: "default",
      body: { metadata, stringData: { password: "horse" } },
    });
    const { data, type } = await core.readNamespacedSecret({ ...metadata, namespace: "default" });
    assert.deepEqual([data, type], [{ password: "aG9yc2U=" }, "Opaque"]);
  });

  it("define a kind and use it at once", async () => {
    const kinds = "typed.example.dev";
    const schema = { type: "object", x_kubernetes_preserve_unknown_fields: true };
    const names = { plural: "cogs", singular: "cog", kind: "Cog" };
    await config.makeApiClient(ApiextensionsV1Api).createCustomResourceDefinition({
      body: {
        metadata: { name: `cogs.${kinds}` },
        spec: {
          group: kinds,
          scope: "Namespaced",
          names,
          versions: [
            { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema } },
          ],
        },
      },
    });
    const custom = config.makeApiClient(CustomObjectsApi);
    const at = { group: kinds, version: "v1", namespace: "default", plural: "cogs" };
    const body = { apiVersion: `${kinds}/v1`, kind: "Cog", metadata: { name: "c" }, teeth: 8 };
    await custom.createNamespacedCustomObject({ ...at, body });
    const list = (await custom.listNamespacedCustomObject(at)) as { items: { teeth: number }[] };
    assert.equal(list.items[0]?.teeth, 8);
    await custom.deleteNamespacedCustomObject({ ...at, name: "c" });
  });

  it("work without types through discovery", async () => {
    const objects = KubernetesObjectApi.makeApiClient(config);
    const spec = { size: 2 };
    const made = {
      apiVersion,
      kind: "Widget",
      metadata: { name: "free", namespace: "default" },
      spec,
    };
    await objects.create(made);
    const patched = await objects.patch(
      { ...made, spec: { size: 5 } },
      undefined,
      undefined,
      "tests",
      true,
      PatchStrategy.ServerSideApply,
    );
    assert.equal((patched as unknown as { spec: { size: number } }).spec.size, 5);
    const { items } = await objects.list(apiVersion, "Widget", "default");
    assert.ok(
      items.some(({ metadata }) => metadata?.name === "free"),
      group,
    );
    await objects.delete(made);
  });

  it("elect one leader at a time through a lease", async () => {
    const leases = config.makeApiClient(CoordinationV1Api);
    const at = { name: "leader", namespace: "default" };
    await leases.createNamespacedLease({
      namespace: "default",
      body: { metadata: { name: "leader" }, spec: { leaseTransitions: 0 } },
    });
    const turns = 10;
    const contend = async (holder: string): Promise<number> => {
      let conflicts = 0;
      for (let won = 0; won < turns;) {
        const lease = await leases.readNamespacedLease(at);
        try {
          await leases.replaceNamespacedLease({ ...at, body: taken(lease, holder) });
          won++;
        } catch (error) {
          assert.ok(error instanceof ApiException && error.code === 409, String(error));
          conflicts++;
        }
      }
      return conflicts;
    };
    const conflicts = await Promise.all(["a", "b", "c", "d"].map(contend));
    assert.ok(conflicts.some((count) => count > 0));
    const { spec } = await leases.readNamespacedLease(at);
    assert.equal(spec?.leaseTransitions, 4 * turns);
    const { body } = await server.ask(
      "/apis/coordination.k8s.io/v1/namespaces/default/leases/leader",
    );
    assert.match(body.toString(), /"renewTime":"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z"/);
  });
});

function taken(lease: V1Lease, holderIdentity: string): V1Lease {
  const leaseTransitions = (lease.spec?.leaseTransitions ?? 0) + 1;
  const spec = { holderIdentity, leaseTransitions, renewTime: new V1MicroTime() };
  return Object.assign({}, lease, { spec });
}

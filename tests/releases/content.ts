// What the fixture of each release contains, and how a later release proves that all of it is
// there and works. Fixtures of earlier releases stay as they are: `checkContent` checks only what
// all of them have.
import assert from "node:assert/strict";
import type { Setpoint } from "../peers/setpoint.ts";
import { waitUntil } from "../peers/wait.ts";

const namespace = "shop";
const core = `/api/v1/namespaces/${namespace}`;
const settings = `${core}/configmaps/settings`;
const widgets = `/apis/releases.example.dev/v1/namespaces/${namespace}/widgets`;
const hellos = `/apis/example.dev/v1/namespaces/${namespace}/hellos`;
const environments = `/apis/environments.setpoint.dev/v1/namespaces/${namespace}/environments`;
const itemCount = 200;
/** The quota leaves room for the ConfigMaps of the content and two more. */
const spare = 2;

/** The module whose Hello resources the content has; both releases run it. */
export const moduleFile = "examples/hello/hello.ts";

const widgetKind = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "widgets.releases.example.dev" },
  spec: {
    group: "releases.example.dev",
    names: { plural: "widgets", singular: "widget", kind: "Widget", listKind: "WidgetList" },
    scope: "Namespaced",
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              spec: {
                type: "object",
                required: ["size"],
                properties: { size: { type: "integer", minimum: 1 }, big: { type: "integer" } },
              },
              status: { type: "object", properties: { seen: { type: "integer" } } },
            },
          },
        },
      },
    ],
  },
};

const template = {
  apiVersion: "environments.setpoint.dev/v1",
  kind: "Template",
  metadata: { name: "page.v1", namespace },
  spec: {
    id: "page",
    version: 1,
    parameters: { title: { type: "string", required: true } },
    resources: [
      {
        key: "first",
        template: { apiVersion: "v1", kind: "ConfigMap", data: { title: "${parameters.title}" } },
        outputs: { title: "resource.data.title" },
      },
      {
        key: "second",
        template: {
          apiVersion: "v1",
          kind: "ConfigMap",
          data: { from: "${resources.first.outputs.title}" },
        },
      },
    ],
  },
};

/** Creates the content on an empty server that runs `moduleFile`, and waits until it is settled. */
export async function fill(server: Setpoint): Promise<void> {
  const post = async (path: string, body: object): Promise<void> => {
    const answer = await server.ask(path, { method: "POST", body });
    assert.equal(answer.status, 201, `${path}: ${answer.body.toString()}`);
  };
  await post("/api/v1/namespaces", named("v1", "Namespace", namespace));
  for (let index = 0; index < itemCount; index++) {
    const labels = { parity: index % 2 === 0 ? "even" : "odd" };
    await post(`${core}/configmaps`, { metadata: { name: `item-${index}`, labels } });
  }
  await post(`${core}/configmaps`, { metadata: { name: "settings" }, data: { turn: "0" } });
  for (const turn of ["1", "2"]) await merge(server, settings, { data: { turn } });
  await post(`${core}/configmaps`, { metadata: { name: "deleted" } });
  const deleted = await server.ask(`${core}/configmaps/deleted`, { method: "DELETE" });
  assert.equal(deleted.status, 200);
  await post(`${core}/secrets`, { metadata: { name: "login" }, stringData: { word: "example" } });
  await post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", widgetKind);
  await waitUntil(
    "the widgets to be served",
    async () => (await server.ask(widgets)).status === 200,
  );
  // An integer beyond 2^53 survives only as text: the body is written by hand.
  const kept = `{ "apiVersion": "releases.example.dev/v1", "kind": "Widget",
    "metadata": { "name": "kept", "finalizers": ["releases.example.dev/hold"] },
    "spec": { "size": 3, "big": 9007199254740993 } }`;
  const widget = await server.ask(widgets, { method: "POST", body: Buffer.from(kept) });
  assert.equal(widget.status, 201, widget.body.toString());
  await merge(server, `${widgets}/kept/status`, { status: { seen: 1 } });
  await post(hellos, {
    apiVersion: "example.dev/v1",
    kind: "Hello",
    metadata: { name: "world" },
    spec: { text: "written by the old release" },
  });
  await until(server, `${hellos}/world`, isReady);
  await grantEnvironment(post);
  await post(environments.replace(/environments$/, "templates"), template);
  await post(environments, {
    apiVersion: "environments.setpoint.dev/v1",
    kind: "Environment",
    metadata: { name: "preview" },
    spec: { templates: ["page.v1"], parameters: { title: "Shop" } },
  });
  await until(server, `${environments}/preview`, isDeployed);
  const maps = await names(server, `${core}/configmaps`);
  const hard = { "count/configmaps": String(maps.length + spare) };
  await post(`${core}/resourcequotas`, { metadata: { name: "room" }, spec: { hard } });
}

/** Resources of an Environment are applied as this account. */
async function grantEnvironment(
  post: (path: string, body: object) => Promise<void>,
): Promise<void> {
  const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "edit" };
  await post(`/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}/rolebindings`, {
    metadata: { name: "environment" },
    roleRef,
    subjects: [{ kind: "ServiceAccount", name: "environment", namespace }],
  });
}

/** Fails unless a server has all of the content and its parts work; it may be called repeatedly. */
export async function checkContent(
  server: Setpoint,
  turn: string,
  { hasHistory }: { readonly hasHistory: boolean } = { hasHistory: true },
): Promise<void> {
  const odd = await names(server, `${core}/configmaps?labelSelector=parity%3Dodd`);
  assert.equal(odd.length, itemCount / 2, "a selector finds its ConfigMaps by the index");
  assert.equal((await read<{ data: { turn: string } }>(server, settings)).data.turn, "2");
  assert.equal((await server.ask(`${core}/configmaps/deleted`)).status, 404);
  const login = await read<{ data: { word: string } }>(server, `${core}/secrets/login`);
  assert.equal(Buffer.from(login.data.word, "base64").toString(), "example");
  // A restored store begins with compacted history.
  if (hasHistory) await checkHistory(server);
  await checkWidget(server);
  await checkQuota(server, turn);
  await checkHello(server, turn);
  await until(server, `${environments}/preview`, isDeployed);
}

async function checkHistory(server: Setpoint): Promise<void> {
  const path = `/api/v1/history/configmaps/settings?namespace=${namespace}`;
  const { revisions } = await read<{ revisions: readonly unknown[] }>(server, path);
  assert.equal(revisions.length, 3, "the history has the creation and two changes");
}

async function checkWidget(server: Setpoint): Promise<void> {
  const { status, body } = await server.ask(`${widgets}/kept`);
  assert.equal(status, 200);
  assert.match(body.toString(), /"big":9007199254740993\b/);
  assert.match(body.toString(), /"seen":1\b/);
  const invalid = await server.ask(widgets, {
    method: "POST",
    body: {
      apiVersion: "releases.example.dev/v1",
      kind: "Widget",
      metadata: { name: "invalid" },
      spec: { size: 0 },
    },
  });
  assert.equal(invalid.status, 422, "the schema of the definition is in force");
}

/** The counters of the quota are those of the stored resources. */
async function checkQuota(server: Setpoint, turn: string): Promise<void> {
  const statuses: number[] = [];
  for (let index = 0; index <= spare; index++) {
    const body = { metadata: { name: `spare-${turn}-${index}` } };
    statuses.push((await server.ask(`${core}/configmaps`, { method: "POST", body })).status);
  }
  assert.deepEqual(statuses, [...Array<number>(spare).fill(201), 403]);
  for (let index = 0; index < spare; index++) {
    const path = `${core}/configmaps/spare-${turn}-${index}`;
    assert.equal((await server.ask(path, { method: "DELETE" })).status, 200);
  }
}

/** A change is reconciled, so stored work and its claims work. */
async function checkHello(server: Setpoint, turn: string): Promise<void> {
  await merge(server, `${hellos}/world`, { spec: { text: `changed in turn ${turn}` } });
  await waitUntil("the changed Hello to be reconciled", async () => {
    const { body } = await server.ask(`${core}/configmaps/hello-world`);
    return body.toString().includes(`changed in turn ${turn}`);
  });
  await until(server, `${hellos}/world`, isReady);
}

interface Reconciled {
  readonly status?: {
    readonly phase?: string;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
}

function isReady({ status }: Reconciled): boolean {
  return (
    status?.conditions?.some((found) => found.type === "Ready" && found.status === "True") === true
  );
}

function isDeployed({ status }: Reconciled): boolean {
  return status?.phase === "DeployedOk";
}

async function until(
  server: Setpoint,
  path: string,
  isDone: (found: Reconciled) => boolean,
): Promise<void> {
  let last: unknown;
  await waitUntil(`${path} to be settled`, async () => {
    const found = await read<Reconciled>(server, path);
    last = found.status;
    return isDone(found);
  }).catch((error: unknown) => {
    throw new Error(`${String(error)}: ${JSON.stringify(last)}`);
  });
}

async function read<T>(server: Setpoint, path: string): Promise<T> {
  const { status, body } = await server.ask(path);
  assert.equal(status, 200, `${path}: ${body.toString()}`);
  return JSON.parse(body.toString()) as T;
}

async function merge(server: Setpoint, path: string, body: object): Promise<void> {
  const headers = { "content-type": "application/merge-patch+json" };
  const answer = await server.ask(path, { method: "PATCH", headers, body });
  assert.equal(answer.status, 200, `${path}: ${answer.body.toString()}`);
}

export async function names(server: Setpoint, path: string): Promise<readonly string[]> {
  const list = await read<{ items: readonly { metadata: { name: string } }[] }>(server, path);
  return list.items.map(({ metadata }) => metadata.name);
}

function named(apiVersion: string, kind: string, name: string): object {
  return { apiVersion, kind, metadata: { name } };
}

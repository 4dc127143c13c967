// Everything that the authors of modules use works the same on the main thread and in a thread of
// its own: the same scenarios run in both modes.
import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, it } from "node:test";
import { root } from "../../tools/stages.ts";
import { startSetpoint } from "../peers/setpoint.ts";
import type { Setpoint } from "../peers/setpoint.ts";
import { waitUntil } from "../peers/wait.ts";

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

interface Shown {
  readonly spec: object;
  readonly status?: Readonly<Record<string, unknown>> & {
    readonly conditions?: readonly Condition[];
  };
}

const things = "/apis/context.example/v1/namespaces/default/things";
const configMaps = "/api/v1/namespaces/default/configmaps";
const greetings = "/apis/examples.setpoint.dev/v1/namespaces/default/greetings";
const ovens = "/apis/bakery.example/v1/namespaces/default/ovens";
const subscription = "/subscriptions/11111111-2222-3333-4444-555555555555";
const clusters = `${subscription}/resourceGroups/shop/providers/Example.OpenShift/clusters`;

async function send(server: Setpoint, method: string, path: string, body?: object): Promise<Shown> {
  const type = method === "PATCH" ? { "content-type": "application/merge-patch+json" } : {};
  const answer = await server.ask(path, { method, body, headers: type });
  assert.ok(answer.status < 300, `${method} ${path}: ${answer.status} ${answer.body.toString()}`);
  return (answer.body.length === 0 ? {} : JSON.parse(answer.body.toString())) as Shown;
}

async function settled(
  server: Setpoint,
  path: string,
  reason: string,
  type = "Synced",
): Promise<Shown> {
  let last = "";
  const waited = waitUntil(`${path} to be ${reason}`, async () => {
    const shown = await send(server, "GET", path);
    const found = shown.status?.conditions?.find((each) => each.type === type);
    last = JSON.stringify(found);
    return found?.reason === reason && shown;
  });
  return await waited.catch((error: unknown) => {
    throw new Error(`the last was ${last}\n${server.log()}`, { cause: error });
  });
}

async function isDeleted(server: Setpoint, path: string): Promise<void> {
  await waitUntil(`${path} to be deleted`, async () => (await server.ask(path)).status === 404);
}

async function create(server: Setpoint, name: string, size = 1): Promise<void> {
  const apiVersion = "context.example/v1";
  await send(server, "POST", things, {
    apiVersion,
    kind: "Thing",
    metadata: { name },
    spec: { size },
  });
}

for (const mode of ["--no-isolate", "--isolate"]) {
  describe(`modules with ${mode}`, () => {
    it("use every part of the context of a run", async () => {
      const module = join(root, "tests/e2e/context-module.ts");
      await using server = await startSetpoint({ args: [mode, "--module", module] });
      await create(server, "all", 3);
      const { status } = await settled(server, `${things}/all`, "ReconcileSuccess");
      assert.deepEqual(status?.["seen"], {
        patched: true,
        first: { made: 1 },
        again: { made: 1 },
        externalId: "id-all",
        attempt: 1,
        hasToken: true,
        childOwner: "all",
        children: 1,
        reference: "child-all",
        isMissing: true,
        kept: false,
        caught: true,
        spanned: "inside",
        results: { one: { id: 1 }, two: { after: { id: 1 } } },
        isFrozen: true,
        ownMetric: "TypeError",
        isAborted: false,
        random: true,
        clock: true,
      });
      const metrics = (await server.ask("/metrics")).body.toString();
      assert.match(metrics, /context_things_total\{how="all"\} \d/);
      assert.match(metrics, /setpoint_external_calls_total\{system="service"\} \d/);
      assert.match(server.log(), /"message":"context used".*"name":"all".*"size":3/);
      await send(server, "DELETE", `${things}/all`);
      await isDeleted(server, `${things}/all`);
      assert.match(server.log(), /"message":"context removed".*"externalId":"id-all"/);
      assert.equal(await server.stop(), 0);
    });

    it("end their runs in every way", async () => {
      const module = join(root, "tests/e2e/context-module.ts");
      await using server = await startSetpoint({ args: [mode, "--module", module] });
      const names = ["fails", "throws", "wrapped", "undone", "superseded", "times-out"];
      for (const name of names) await create(server, name);
      await settled(server, `${things}/fails`, "TooSmall");
      await settled(server, `${things}/throws`, "ReconcileError");
      await settled(server, `${things}/wrapped`, "Inner");
      const undone = await settled(server, `${things}/undone`, "Broken");
      assert.deepEqual(undone.status?.["seen"], { undone: { id: 7 } });
      await settled(server, `${things}/times-out`, "Timeout");
      await waitUntil("the run to wait", async () => {
        const { status } = await send(server, "GET", `${things}/superseded`);
        return JSON.stringify(status?.["seen"]) === '{"waits":true}';
      });
      await send(server, "PATCH", `${things}/superseded`, { spec: { size: 2 } });
      const changed = await settled(server, `${things}/superseded`, "ReconcileSuccess");
      assert.deepEqual(changed.status?.["seen"], { waits: true, size: 2 });
      assert.equal(await server.stop(), 0);
    });

    it("run the examples: greeting and bakery", async () => {
      const files = ["greeting/greeting.ts", "bakery/bakery.ts"];
      const modules = files.flatMap((file) => ["--module", join(root, "examples", file)]);
      await using server = await startSetpoint({ args: [mode, ...modules] });
      const apiVersion = "examples.setpoint.dev/v1";
      const metadata = { name: "hello" };
      const spec = { whom: "world", salutationFrom: "words" };
      await send(server, "POST", greetings, { apiVersion, kind: "Greeting", metadata, spec });
      await settled(server, `${greetings}/hello`, "Waiting", "Ready");
      const words = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "words" } };
      await send(server, "POST", configMaps, { ...words, data: { salutation: "Moin" } });
      const { status } = await settled(server, `${greetings}/hello`, "Available", "Ready");
      assert.equal(status?.["text"], "Moin, world!");
      await send(server, "DELETE", `${greetings}/hello`);
      await isDeleted(server, `${greetings}/hello`);
      const oven = { apiVersion: "bakery.example/v1", kind: "Oven", metadata: { name: "one" } };
      await send(server, "POST", ovens, { ...oven, spec: { city: "ghent" } });
      const heated = await settled(server, `${ovens}/one`, "ReconcileSuccess");
      assert.match(JSON.stringify(heated.status), /"address":"oven-\d+\.ghent\.example"/);
      assert.equal(await server.stop(), 0);
    });

    it("run the example openshift-like with its converters and actions", async () => {
      const module = join(root, "examples/openshift-like/openshift-like.ts");
      await using server = await startSetpoint({ args: [mode, "--module", module] });
      await checkClusters(server);
      assert.equal(await server.stop(), 0);
    });
  });
}

async function checkClusters(server: Setpoint): Promise<void> {
  const one = `${clusters}/one?api-version=2026-01-01`;
  await send(server, "PUT", `${subscription}?api-version=2.0`, { state: "Registered" });
  const properties = {
    domain: "shop.example.com",
    servicePrincipalProfile: { clientId: "installer", clientSecret: "not a real one" },
  };
  await send(server, "PUT", one, { location: "westeurope", properties });
  await waitUntil("the cluster to be installed", async () => {
    const shown = JSON.stringify(await send(server, "GET", one));
    return shown.includes('"provisioningState":"Succeeded"');
  });
  const shown = JSON.stringify(await send(server, "GET", one));
  assert.match(shown, /https:\/\/api\.shop\.example\.com:6443\//);
  assert.doesNotMatch(shown, /not a real one/);
  const credentials = await send(server, "POST", one.replace("?", "/listCredentials?"));
  assert.match(JSON.stringify(credentials), /kubeadmin/i);
}

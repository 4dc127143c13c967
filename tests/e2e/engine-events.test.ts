// What happens to reconciled resources, as kubectl shows it, with the example of a module.
import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { kubectlPaths, openKubectl } from "../peers/kubectl.ts";
import type { Kubectl } from "../peers/kubectl.ts";
import { startSetpoint } from "../peers/setpoint.ts";
import { waitUntil } from "../peers/wait.ts";

const greetingModule = "examples/greeting/greeting.ts";
const opened = new AsyncDisposableStack();
let kubectl: Kubectl;

before(async () => {
  const server = opened.use(await startSetpoint({ args: ["--module", greetingModule] }));
  const [path = "kubectl"] = kubectlPaths();
  kubectl = opened.use(await openKubectl(path, server.kubeconfig));
});

after(async () => await opened.disposeAsync());

function greeting(name: string): object {
  const apiVersion = "examples.setpoint.dev/v1";
  return { apiVersion, kind: "Greeting", metadata: { name }, spec: { whom: "world" } };
}

async function untilShown(args: readonly string[], pattern: RegExp): Promise<string> {
  return await waitUntil(
    `${pattern} in kubectl ${args.join(" ")}`,
    async () => {
      const shown = await kubectl.ok(args);
      return pattern.test(shown) && shown;
    },
    { limitMs: 120_000 },
  );
}

it("describe shows that a resource became ready", async () => {
  await kubectl.ok(["create", "-f", "-"], { input: greeting("good") });
  const shown = await untilShown(["describe", "greeting", "good"], /Normal +Available/);
  assert.match(shown, /Events:\n +Type +Reason +Age +From +Message\n/);
  assert.match(shown, /Normal +Available +\S+ +setpoint +the resource is ready/);
});

it("what goes on failing is one event that counts up", async () => {
  const taken = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "greeting-bad" } };
  await kubectl.ok(["create", "-f", "-"], { input: taken });
  await kubectl.ok(["create", "-f", "-"], { input: greeting("bad") });
  const repeated = /\(x\d+ over \w+\) +Warning +ResourceNotOwned +Greeting\/bad/;
  const shown = await untilShown(["events", "--for", "greeting/bad"], repeated);
  assert.equal(shown.match(/ResourceNotOwned/g)?.length, 1, shown);
  const got = await kubectl.ok(["get", "events"]);
  assert.match(got, /Warning +ResourceNotOwned +greeting\/bad +configmaps "default\/greeting-bad"/);
});

it("a pause, a request and a deletion are told", async () => {
  const annotate = async (text: string): Promise<string> =>
    await kubectl.ok(["annotate", "greeting", "good", text, "--overwrite"]);
  const events = ["events", "--for", "greeting/good"];
  await annotate("setpoint.dev/paused=true");
  await untilShown(events, /Normal +Paused/);
  await annotate("setpoint.dev/paused-");
  await untilShown(events, /Normal +Resumed/);
  await annotate("setpoint.dev/reconcile=please");
  await untilShown(events, /Normal +RequestHandled .*the request please was handled/);
  await kubectl.ok(["delete", "greeting", "good"]);
  const shown = await untilShown(events, /Normal +Released/);
  assert.match(shown, /Normal +Farewell .*world is no longer greeted/);
});

it("the numbers of the engine stand at /metrics", async () => {
  const shown = await kubectl.ok(["get", "--raw", "/metrics"]);
  const kind = 'kind="greetings.examples.setpoint.dev"';
  assert.match(
    shown,
    new RegExp(`^setpoint_reconciles_total\\{${kind},outcome="done"\\} [1-9]`, "m"),
  );
  assert.match(shown, /^setpoint_events_recorded_total [1-9]/m);
  assert.match(shown, /^setpoint_meter_dropped_total 0$/m);
});

// A Connection tells people how its service fares and what it is still needed for, on a real server
// and a real service that goes and comes back.
import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { startProgram } from "../peers/child.ts";
import { startScaleSets } from "../peers/scale-sets.ts";
import { waitUntil } from "../peers/wait.ts";
import { apiVersion, definition, restKind } from "./powerdns-kinds.ts";
import { condition } from "../peers/resources.ts";
import { Resources, startRig } from "./rig.ts";
import type { Managed, Rig } from "./rig.ts";

let rig: Rig;
const sets = new Resources(() => rig.server, { apiVersion, kind: "ScaleSet" });
const path = "/apis/connect.setpoint.dev/v1/connections/machines";

before(async () => {
  rig = await startRig(startScaleSets, ({ url }) => [
    {
      apiVersion: "connect.setpoint.dev/v1",
      kind: "Connection",
      metadata: { name: "machines" },
      spec: { baseUrl: url, breaker: { failures: 1_000 } },
    },
    definition("ScaleSet", {
      type: "object",
      properties: { location: { type: "string" }, sku: { type: "object" } },
    }),
    restKind("scalesets", {
      connection: "machines",
      item: "/scaleSets/{name}",
      identity: { kind: "client", parameter: "name" },
      operations: {
        read: { method: "GET" },
        create: { method: "PUT" },
        delete: { method: "DELETE" },
      },
      fields: [],
      resyncSeconds: 5,
    }),
  ]);
});
after(async () => await rig?.[Symbol.asyncDispose]());

const connection = async (): Promise<Managed | undefined> => {
  const { status, body } = await rig.server.ask(path);
  return status === 404 ? undefined : (JSON.parse(body.toString()) as Managed);
};
const told = async (reason: string): Promise<string> =>
  await waitUntil(`the connection to be ${reason}`, async () => {
    const found = await connection();
    const ready = found === undefined ? undefined : condition(found, "Ready");
    return ready?.reason === reason ? ready.message : undefined;
  });
const asked = async (token: string): Promise<void> =>
  await sets.patch("web", { metadata: { annotations: { "setpoint.dev/reconcile": token } } });
const why = async (): Promise<string> => {
  const args = ["why", "connection/machines", "--kubeconfig", rig.server.kubeconfig];
  await using program = await startProgram("src/cli/main.ts", { args });
  const { code } = await program.waitForExit({ limitMs: 120_000 });
  assert.equal(code, 0, program.stderr());
  return program.stdout();
};

it("says that its service is gone, at which address, and that it is back", async () => {
  assert.match(await why(), /^Connection\/machines is not used yet: no resource has needed it\n$/);
  await sets.create("web", { location: "here", sku: { name: "small", capacity: 1 } });
  await sets.ready("web");
  await told("Answering");
  rig.proxy.vanish();
  await asked("down");
  const message = await told("ConnectionFailed");
  assert.ok(message.startsWith(`GET ${rig.proxy.url}/scaleSets/web: `), message);
  assert.match(
    await why(),
    /is not ready: .*\n {2}ConnectionFailed: GET http:.*\/scaleSets\/web: /,
  );
  rig.proxy.comeBack();
  await asked("up");
  await told("Answering");
});

it("names what it is needed for while it is deleted, and goes with the last of it", async () => {
  const { status } = await rig.server.ask(path, { method: "DELETE" });
  assert.equal(status, 200);
  await waitUntil("the hold to be told", async () => {
    const found = await connection();
    const held = found === undefined ? undefined : condition(found, "Released");
    return held?.message.startsWith("used by resources of the kind ScaleSet") === true;
  });
  const text = await why();
  assert.match(text, /^Connection\/machines is being deleted/);
  assert.match(
    text,
    /needed until the resources that use it are deleted\n└─ ScaleSet\/web in default: /,
  );
  await sets.delete("web");
  await sets.gone("web");
  await waitUntil("the connection to be gone", async () => (await connection()) === undefined);
});

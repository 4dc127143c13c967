// Hooks of a module around a service that runs for real: each shows there, or in what is told.
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, it } from "node:test";
import type { JsonObject } from "../../src/kernel/json.ts";
import { root } from "../../tools/stages.ts";
import { powerDnsServer, startPowerDns } from "../peers/powerdns.ts";
import { waitUntil } from "../peers/wait.ts";
import { apiVersion, powerDnsConnection, zoneBinding, zoneKind } from "./powerdns-kinds.ts";
import { Resources, startRig } from "./rig.ts";
import type { Rig } from "./rig.ts";

let rig: Rig;
const zones = new Resources(() => rig.server, { apiVersion, kind: "Zone" });

before(async () => {
  rig = await startRig(
    startPowerDns,
    ({ url }) => [...powerDnsConnection({ url }), zoneKind, zoneBinding],
    { args: ["--module", join(root, "tests/connect/zone-hooks-module.ts")] },
  );
});
after(async () => await rig?.[Symbol.asyncDispose]());

const accountOf = async (name: string): Promise<unknown> => {
  const { json } = await rig.service.ask("GET", `${powerDnsServer}/zones/${name}`);
  return (json as JsonObject)["account"];
};

it("refuses what a hook refuses, before anything is sent", async () => {
  const tried = await zones.tryCreate("wrong", { name: "wrong.example." });
  assert.equal(tried.status, 422);
  assert.match(tried.text, /spec.name: Forbidden: is not below test/);
  assert.equal(rig.proxy.writes({ path: "/zones" }).length, 0);
});

it("sends what hooks make of it, and is ready when they say so", async () => {
  await zones.create("hooked", { name: "hooked.test.", kind: "Native", account: "wait" });
  const waits = await zones.says("hooked", "Ready", "Postponed");
  assert.match(JSON.stringify(waits.status?.conditions), /the account is not open yet/);
  assert.equal(await accountOf("hooked.test."), "team:wait");
  const [made] = rig.proxy.writes({ method: "POST", path: "/zones" });
  assert.match(made?.path ?? "", /asked_by=hooks/);
  await zones.patch("hooked", { spec: { account: "open" } });
  await zones.ready("hooked");
  assert.equal(await accountOf("hooked.test."), "team:open");
});

it("keeps the Secrets that a hook exports beside the resource", async () => {
  const path = "/api/v1/namespaces/default/secrets/zone-facts";
  const secret = await waitUntil("the Secret", async () => {
    const { status, body } = await rig.server.ask(path);
    return status === 200 ? (JSON.parse(body.toString()) as JsonObject) : undefined;
  });
  assert.deepEqual(secret["data"], { id: Buffer.from("hooked.test.").toString("base64") });
  await zones.delete("hooked");
  await zones.gone("hooked");
});

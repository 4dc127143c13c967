// What a kind or one api-version hides is hidden in every version, on a real server: it is not
// shown, not told in what is refused, and kept when what was read is sent back.
import assert from "node:assert/strict";
import { before, it } from "node:test";
import { pick } from "../kube/server.ts";
import type { Reply } from "../kube/server.ts";
import { waitUntil } from "../peers/wait.ts";
import { onEachStore, subscription } from "./arm-server.ts";
import type { ArmServer } from "./arm-server.ts";

const group = `/subscriptions/${subscription}/resourceGroups/Bank`;
const versions = ["2026-01-01", "2026-02-01", "2026-03-01"] as const;
const stored = { code: "topsecret", pin: "pin-4711", n: 1, note: "under the mat" };
const hidden = /topsecret|pin-4711|under the mat/;

let server: ArmServer;

function ask(method: string, name: string, version: string, body?: object): Promise<Reply> {
  const path = `${group}/providers/Example.Vaults/${name}?api-version=${version}`;
  return server.request(method, path, body, { "content-type": "application/json" });
}

async function settled(name: string): Promise<void> {
  const isDone = async (): Promise<boolean> => {
    const { json } = await ask("GET", `vaults/${name}`, versions[0]);
    return pick(json, "properties.provisioningState") === "Succeeded";
  };
  await waitUntil(`${name} to be done`, isDone);
}

async function made(name: string): Promise<void> {
  const body = { location: "westeurope", properties: stored };
  const reply = await ask("PUT", `vaults/${name}`, versions[0], body);
  assert.equal(reply.status, 201, reply.text);
  assert.doesNotMatch(reply.text, hidden);
  await settled(name);
}

async function revealed(name: string): Promise<unknown> {
  return (await ask("POST", `vaults/${name}/reveal`, versions[0])).json;
}

onEachStore(
  "a secret",
  (started) => {
    before(() => {
      server = started();
    });

    it("of the kind, or of another version, is shown by none", async () => {
      await made("shown");
      for (const version of versions) {
        const { text } = await ask("GET", "vaults/shown", version);
        assert.doesNotMatch(text, hidden, version);
      }
    });

    it("survives when what was read is changed and sent back, in every version", async () => {
      await made("kept");
      for (const [index, version] of versions.entries()) {
        const { json } = await ask("GET", "vaults/kept", version);
        const shown = json as { readonly properties: object };
        const body = { ...shown, properties: { ...shown.properties, n: index + 2 } };
        const reply = await ask("PUT", "vaults/kept", version, body);
        assert.equal(reply.status, 200, reply.text);
        await settled("kept");
        assert.deepEqual(await revealed("kept"), { ...stored, n: index + 2 }, version);
      }
      const reply = await ask("PATCH", "vaults/kept", "2026-01-01", { properties: { pin: null } });
      assert.equal(reply.status, 202, reply.text);
      await settled("kept");
      assert.equal(pick(await revealed("kept"), "pin"), undefined, "null takes it away");
    });

    it("is not told by what is refused", async () => {
      await made("untold");
      const refusals: readonly (readonly [string, string, object])[] = [
        ["PUT", "2026-01-01", { code: "other" }],
        ["PATCH", "2026-01-01", { code: "other" }],
        ["PATCH", "2026-01-01", { code: null }],
        ["PUT", "2026-01-01", { code: "other", n: 1000 }],
        ["PATCH", "2026-02-01", { n: 60 }],
        ["PUT", "2026-02-01", { n: 60 }],
        ["PUT", "2026-03-01", { lock: { code: "other" } }],
        ["PATCH", "2026-03-01", { lock: { code: null } }],
      ];
      for (const [method, version, properties] of refusals) {
        const body = { ...(method === "PUT" ? { location: "westeurope" } : {}), properties };
        const reply = await ask(method, "vaults/untold", version, body);
        const what = `${method} ${version} ${JSON.stringify(properties)}: ${reply.text}`;
        assert.equal(reply.status, 400, what);
        assert.doesNotMatch(reply.text, hidden, what);
        if (version === "2026-02-01") assert.match(reply.text, /n is too large\./, what);
        if (method !== "PUT") continue;
        const resource = { ...body, name: "untold", type: "vaults", apiVersion: version };
        const checked = await ask("POST", "deployments/d/preflight", version, {
          resources: [resource],
        });
        assert.equal(pick(checked.json, "status"), "Failed", checked.text);
        assert.doesNotMatch(checked.text, hidden, what);
      }
      assert.deepEqual(await revealed("untold"), stored);
    });

    it("is one in the document that describes the version", async () => {
      for (const version of ["2026-01-01", "2026-02-01"]) {
        const { json } = await server.request("GET", `/swagger/Example.Vaults/${version}.json`);
        const properties = pick(json, "definitions.VaultsProperties.properties");
        for (const field of ["code", "pin", "note"]) {
          assert.equal(pick(properties, `${field}.x-ms-secret`), true, `${version} ${field}`);
        }
        const isFixed = version === "2026-01-01";
        assert.deepEqual(
          pick(properties, "code.x-ms-mutability"),
          isFixed ? ["create"] : ["create", "update"],
        );
      }
    });
  },
  ["vault"],
);

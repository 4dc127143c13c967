// Requests of the Resource Manager to a server in memory: the same code answers them as in a real
// one, and the log has what a face loses on the way into its kind.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { defineModule, describeKind, done } from "../../src/authoring/setpoint.ts";
import type { ArmAction, ArmFaceOfKind, ArmVersionOfKind } from "../../src/authoring/setpoint.ts";
import type { JsonObject } from "../../src/kernel/json.ts";
import { textAt } from "../../src/kernel/json-read.ts";
import { startTestServer } from "../../src/testing/testing.ts";
import type { TestServer } from "../../src/testing/testing.ts";

const text = { type: "string" };
const spec = { type: "object", properties: { a: text } };
const subscription = "/subscriptions/11111111-2222-3333-4444-555555555555";
const shops = `${subscription}/resourceGroups/one/providers/Example.Shop/shops`;
const query = "?api-version=2026-01-01";

async function start(
  version: Partial<ArmVersionOfKind> = {},
  actions: readonly ArmAction[] = [],
  face: Partial<ArmFaceOfKind> = { awaitEndMs: 0 },
): Promise<TestServer> {
  const kind = describeKind({ apiVersion: "shop.example/v1", kind: "Shop", plural: "shops", spec });
  const reconciler = { reconcile: () => Promise.resolve(done()) };
  const versions = [{ apiVersion: "2026-01-01", ...version }];
  const place = { provider: "Example.Shop", type: "shops", locations: ["Here"] };
  const arm = { ...place, versions, actions, ...face };
  const module = defineModule({ name: "shop", version: 1, kinds: [{ kind, reconciler, arm }] });
  const server = await startTestServer(module);
  const state = { state: "Registered" };
  assert.equal((await server.arm("PUT", `${subscription}?api-version=2.0`, state)).status, 200);
  return server;
}

describe("a request of the Resource Manager in memory", () => {
  it("is answered as by a server, and followed to its end", async () => {
    await using server = await start();
    const wanted = { location: "here", properties: { a: "1" } };
    const made = await server.arm("PUT", `${shops}/one${query}`, wanted);
    assert.equal(made.status, 201);
    assert.equal(textAt(made.body, "properties", "provisioningState"), "Creating");
    await server.pass();
    const status = await server.arm("GET", String(made.headers["azure-asyncoperation"]));
    assert.equal(status.body["status"], "Succeeded");
    const read = await server.arm("GET", `${shops}/one${query}`);
    assert.deepEqual(read.body["properties"], { a: "1", provisioningState: "Succeeded" });
    assert.equal((await server.arm("DELETE", `${shops}/one${query}`)).status, 200);
    const gone = await server.arm("GET", `${shops}/one${query}`);
    assert.equal(gone.status, 404);
    assert.equal(textAt(gone.body, "error", "code"), "ResourceNotFound");
  });

  it("is answered with its end, which comes in a moment", async () => {
    await using server = await start({}, [], {});
    const path = `${shops}/one${query}`;
    const made = await server.arm("PUT", path, { location: "here", properties: { a: "1" } });
    assert.equal(made.status, 201);
    assert.deepEqual(made.body["properties"], { a: "1", provisioningState: "Succeeded" });
    assert.equal(made.headers["azure-asyncoperation"], undefined);
    assert.equal((await server.arm("GET", path)).headers["etag"], made.headers["etag"]);
    const changed = await server.arm("PATCH", path, { properties: { a: "2" } });
    assert.equal(changed.status, 200);
    assert.deepEqual(changed.body["properties"], { a: "2", provisioningState: "Succeeded" });
    assert.equal(changed.headers["location"], undefined);
  });

  it("has its time pass while the server lets it wait", async () => {
    await using server = await start();
    const made = await server.arm("PUT", `${shops}/one${query}`, { location: "here" });
    const status = await server.arm("GET", String(made.headers["azure-asyncoperation"]));
    assert.equal(status.status, 200);
  });

  it("is an error where its path is none, as that of an operation which nobody told", async () => {
    await using server = await start({}, [], {});
    const made = await server.arm("PUT", `${shops}/one${query}`, { location: "here" });
    await assert.rejects(
      server.arm("GET", String(made.headers["azure-asyncoperation"])),
      /GET undefined is not a path of a surface that is served \(arm\b/,
    );
  });

  it("is an error where no module has a face", async () => {
    const kind = describeKind({
      apiVersion: "shop.example/v1",
      kind: "Shop",
      plural: "shops",
      spec,
    });
    const reconciler = { reconcile: () => Promise.resolve(done()) };
    const module = defineModule({ name: "shop", version: 1, kinds: [{ kind, reconciler }] });
    await using server = await startTestServer(module);
    await assert.rejects(
      server.arm("GET", `${shops}${query}`),
      /is not a path of a surface that is served .* when a kind declares a face/,
    );
  });
});

describe("what a face makes and its kind does not have", () => {
  const schema = { type: "object", properties: { a: text, size: text, pw: text } };
  /** With a field that is misspelt, and a secret that the kind has not. */
  const toStored = ({ a, size, pw }: JsonObject): JsonObject => ({
    a: a ?? null,
    sizee: [{ size: size ?? null }],
    pw: pw ?? null,
  });

  it("is told in the log, once for each field and without its value", async () => {
    await using server = await start({ schema, toStored });
    const properties = { a: "1", size: "large", pw: "hidden" };
    for (const name of ["one", "two"]) {
      const path = `${shops}/${name}${query}`;
      assert.equal((await server.arm("PUT", path, { location: "here", properties })).status, 201);
      await server.pass();
      const change = { properties: { a: "2" } };
      assert.equal((await server.arm("PATCH", path, change)).status, 202);
      await server.pass();
    }
    assert.deepEqual(lost(server), [
      {
        type: "Example.Shop/shops",
        kind: "shops.shop.example",
        apiVersion: "2026-01-01",
        fields: ["spec.pw", "spec.sizee"],
      },
    ]);
    assert.doesNotMatch(server.log.join(""), /hidden|large/);
  });

  it("is told of an action, too", async () => {
    const restart: ArmAction = {
      name: "restart",
      change: ({ spec: old }, _input, { operation }) => ({ ...(old as object), again: operation }),
      perform: () => ({}),
    };
    await using server = await start({}, [restart]);
    await server.arm("PUT", `${shops}/one${query}`, { location: "here" });
    await server.pass();
    assert.equal((await server.arm("POST", `${shops}/one/restart${query}`)).status, 200);
    const [told, ...others] = lost(server);
    assert.deepEqual(others, []);
    assert.deepEqual([told?.["action"], told?.["fields"]], ["restart", ["spec.again"]]);
  });

  const ofEveryLine = new Set(["time", "level", "message"]);

  function lost({ log }: TestServer): readonly JsonObject[] {
    return log
      .map((line) => JSON.parse(line) as JsonObject)
      .filter(({ message }) => message === "face produced fields that its kind does not have")
      .map((line) => {
        const told = Object.entries(line).filter(([key]) => !ofEveryLine.has(key));
        return Object.fromEntries(told);
      });
  }
});

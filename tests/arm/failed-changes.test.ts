// After a change that failed, a face may say that what was there before is there still: then that
// is what clients see, and what they edit.
import assert from "node:assert/strict";
import { before, it } from "node:test";
import { pick, pickText } from "../kube/server.ts";
import { onEachStore, subscription, version } from "./arm-server.ts";
import type { ArmServer } from "./arm-server.ts";
import { goneAt, inGroup, jarIn, madeAt, patience, read, settledAt, storedOf } from "./pantry.ts";
import { write } from "./pantry.ts";
import { waitUntil } from "../peers/wait.ts";

let server: ArmServer;

onEachStore(
  "after a change that failed",
  (started) => {
    before(() => {
      server = started();
    });

    it("the properties are those that are true, and can be edited and put back", async () => {
      const id = jarIn("Cellar", "reverted");
      await madeAt(server, id, { size: 1, lid: "red", code: "1234" });
      const put = await write(server, id, { size: 2, lid: "blue", mode: "broken", code: "9" });
      assert.equal(put.status, 200, put.text);
      assert.equal(pick(put.json, "properties.size"), 2, "the target while it goes on");
      const shown = await settledAt(server, id, "Failed");
      assert.deepEqual(
        ["size", "lid", "mode"].map((key) => pick(shown.json, `properties.${key}`)),
        [1, "red", "quick"],
      );
      const listed = await server.request("GET", `${inGroup("Cellar", "jars")}?${version}`);
      assert.match(listed.text, /"lid":"red"/);
      const { properties } = shown.json as { readonly properties: object };
      const edited = { ...(shown.json as object), properties: { ...properties, size: 3 } };
      const again = await server.request("PUT", `${id}?${version}`, edited);
      assert.equal(again.status, 200, again.text);
      const after = await settledAt(server, id);
      assert.equal(pick(after.json, "properties.size"), 3);
      assert.equal(pick(after.json, "properties.lid"), "red");
      const codes = await server.request("POST", `${id}/listCodes?${version}`);
      assert.equal(pick(codes.json, "code"), "1234", "the secret is that of the true state");
    });

    it("it stays so when it fails again, and a PATCH starts from it", async () => {
      const id = jarIn("Cellar", "twice");
      await madeAt(server, id, { size: 1, lid: "red" });
      for (const size of [2, 2, 4]) {
        const put = await write(server, id, { size, mode: "broken" });
        assert.equal(put.status, 200, put.text);
        const shown = await settledAt(server, id, "Failed");
        assert.equal(pick(shown.json, "properties.size"), 1);
        assert.equal(pick(shown.json, "properties.lid"), "red");
      }
      const json = { "content-type": "application/json" };
      const body = { properties: { size: 7 } };
      const patched = await server.request("PATCH", `${id}?${version}`, body, json);
      assert.equal(patched.status, 202, patched.text);
      const after = await settledAt(server, id);
      assert.equal(pick(after.json, "properties.size"), 7);
      assert.equal(pick(after.json, "properties.lid"), "red");
      assert.equal(pick(after.json, "properties.mode"), "quick");
    });

    it("what was kept is for nobody to read, and goes with the resource", async () => {
      const id = jarIn("Cellar", "kept");
      await madeAt(server, id, { code: "very-secret" });
      assert.equal((await write(server, id, { mode: "broken" })).status, 200);
      await settledAt(server, id, "Failed");
      const uid = pickText(await storedOf(server, "jars", id), "metadata.uid");
      const path = `/apis/arm.setpoint.dev/v1/namespaces/sub-${subscription}/appliedspecs/${uid}`;
      const kept = await server.request("GET", path);
      assert.equal(kept.status, 200, kept.text);
      assert.ok(!kept.text.includes("very-secret"));
      assert.ok(!(await read(server, id)).text.includes("very-secret"));
      await server.request("DELETE", `${id}?${version}`);
      await goneAt(server, id);
      await waitUntil(
        "what was kept to go",
        async () => (await server.request("GET", path)).status === 404,
        patience,
      );
    });

    it("a change by other means that failed shows what is wanted", async () => {
      const id = jarIn("Cellar", "meddled");
      await madeAt(server, id, { size: 1 });
      const name = pickText(await storedOf(server, "jars", id), "metadata.name");
      const path = `/apis/pantry.tests.dev/v1/namespaces/sub-${subscription}/jars/${name}`;
      const patched = await server.request("PATCH", path, { spec: { size: 2, mode: "broken" } });
      assert.equal(patched.status, 200, patched.text);
      const shown = await settledAt(server, id, "Failed");
      assert.equal(pick(shown.json, "properties.size"), 2);
    });
  },
  ["pantry"],
);

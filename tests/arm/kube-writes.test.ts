// What people do with kubectl to resources of the Resource Manager, on a real server: their ids,
// groups and tags outlive it.
import assert from "node:assert/strict";
import { it } from "node:test";
import { pick, pickText } from "../kube/server.ts";
import { waitUntil } from "../peers/wait.ts";
import { onEachStore, oven, ovens, subscription, version } from "./arm-server.ts";
import type { ArmServer } from "./arm-server.ts";

const kube = `/apis/bakery.tests.dev/v1/namespaces/sub-${subscription}/ovens`;
const envelope = "arm.setpoint.dev/envelope";
const group = "arm.setpoint.dev/resource-group";

onEachStore("a write through the Kubernetes surface", (server) => {
  it("that leaves the envelope out keeps it: a replacement, a patch, an apply", async () => {
    const tags = { for: "bread" };
    await server().made("kept", { size: 1 }, { tags });
    const path = await pathOf(server(), "kept");
    const name = path.slice(kube.length + 1);
    const document = { apiVersion: "bakery.tests.dev/v1", kind: "Oven", metadata: { name } };
    const merge = { "content-type": "application/merge-patch+json" };
    const apply = { "content-type": "application/apply-patch+yaml" };
    const empty = { metadata: { annotations: null, labels: null } };
    const gone = {
      metadata: { annotations: { [envelope]: null }, labels: { [group]: null } },
    };
    const writes = [
      ["PATCH", path, empty, merge],
      ["PATCH", path, gone, merge],
      [
        "PATCH",
        `${path}?fieldManager=editor&force=true`,
        { ...document, spec: { size: 3 } },
        apply,
      ],
    ] as const;
    await replaced(server(), path, { ...document, spec: { size: 2 } });
    for (const [method, url, body, headers] of [["GET", path, undefined, {}] as const, ...writes]) {
      const reply = await server().request(method, url, body, headers);
      assert.equal(reply.status, 200, reply.text);
      const shown = await server().get("kept");
      assert.equal(shown.status, 200, shown.text);
      assert.deepEqual(pick(shown.json, "tags"), tags);
      const list = await server().request("GET", `${ovens}?${version}`);
      assert.match(list.text, /"name":"kept"/);
    }
    assert.equal(pick((await server().settled("kept")).json, "properties.size"), 3);
  });

  it("that changes the envelope or the group is refused, and named", async () => {
    await server().made("guarded");
    const path = await pathOf(server(), "guarded");
    for (const [map, key] of [
      ["annotations", envelope],
      ["labels", group],
    ] as const) {
      const body = { metadata: { [map]: { [key]: "rubbish" } } };
      const reply = await server().request("PATCH", path, body, {
        "content-type": "application/merge-patch+json",
      });
      assert.equal(reply.status, 422, reply.text);
      assert.ok(pickText(reply.json, "message").includes(`metadata.${map}[${key}]: Forbidden`));
    }
    assert.equal((await server().get("guarded")).status, 200);
    // It would be 204 for what is not there.
    const gone = await server().request("DELETE", oven("guarded"));
    assert.ok(gone.status === 200 || gone.status === 202, gone.text);
  });
});

async function pathOf(server: ArmServer, name: string): Promise<string> {
  return `${kube}/${pickText(await server.stored(name), "metadata.name")}`;
}

/** As kubectl does it: at the revision that it has just read. */
async function replaced(
  server: ArmServer,
  path: string,
  document: { readonly metadata: object; readonly spec: object },
): Promise<void> {
  await waitUntil(`${path} to be replaced`, async () => {
    const { json } = await server.request("GET", path);
    const resourceVersion = pickText(json, "metadata.resourceVersion");
    const metadata = { ...document.metadata, resourceVersion };
    const reply = await server.request("PUT", path, { ...document, metadata });
    assert.ok(reply.status === 200 || reply.status === 409, reply.text);
    return reply.status === 200;
  });
}

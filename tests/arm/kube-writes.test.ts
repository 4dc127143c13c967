// What people do with kubectl to resources of the Resource Manager, on a real server: their ids,
// groups and tags outlive it.
import assert from "node:assert/strict";
import { it } from "node:test";
import { pick, pickList, pickText } from "../kube/server.ts";
import type { Reply } from "../kube/server.ts";
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

  it("that is under way gets an operation of its own when a client asks for the same", async () => {
    const first = await server().put("joined", { size: 1 });
    await server().settled("joined");
    await patched(server(), "joined", { spec: { size: 2, mode: "slow" } });
    await server().settled("joined", "Updating");
    const put = await server().put("joined", { size: 2, mode: "slow" });
    assert.equal(put.status, 200, put.text);
    assert.notEqual(pollPath(put), pollPath(first));
    assert.equal(await statusOf(server(), put), "InProgress");
    assert.equal(await statusOf(server(), first), "Succeeded", "it has ended, and stays so");
    const again = await server().patch("joined", { properties: { mode: "slow" } });
    assert.equal(again.status, 202, again.text);
    assert.equal(pollPath(again), pollPath(put), "while it goes on it is the same");
    const result = await server().request("GET", pollPath(again, "location"));
    assert.equal(result.status, 202, result.text);
    await server().letGo("joined");
    await server().settled("joined");
    assert.equal(await statusOf(server(), put), "Succeeded");
  });

  it("that asks for a run makes an update, not a creation, of what was ready before", async () => {
    const first = await server().put("rerun", { mode: "slow" });
    await server().letGo("rerun");
    await server().settled("rerun");
    const annotations = { "tests.dev/go": null, "setpoint.dev/reconcile": "now" };
    await patched(server(), "rerun", { metadata: { annotations } });
    await waitUntil("the run that was asked for", async () => {
      const stored = await server().stored("rerun");
      return pick(stored, "status.reconcile.handledRequest") === "now";
    });
    const shown = await server().get("rerun");
    assert.equal(pick(shown.json, "properties.provisioningState"), "Updating");
    const put = await server().put("rerun", { mode: "slow" });
    assert.equal(put.status, 200, put.text);
    assert.notEqual(pollPath(put), pollPath(first));
    assert.equal(await statusOf(server(), put), "InProgress");
    await server().letGo("rerun");
    await server().settled("rerun");
    assert.equal(await statusOf(server(), put), "Succeeded");
  });
});

async function patched(server: ArmServer, name: string, body: object): Promise<void> {
  const reply = await server.request("PATCH", await pathOf(server, name), body, {
    "content-type": "application/merge-patch+json",
  });
  assert.equal(reply.status, 200, reply.text);
}

function pollPath({ headers }: Pick<Reply, "headers">, name = "azure-asyncoperation"): string {
  const { pathname, search } = new URL(String(headers[name]));
  return `${pathname}${search}`;
}

async function statusOf(server: ArmServer, reply: Reply): Promise<unknown> {
  return pick((await server.request("GET", pollPath(reply))).json, "status");
}

onEachStore("a copy that is made with kubectl", (server) => {
  it("is no resource of the Resource Manager, whatever envelope it came with", async () => {
    await server().made("original", { size: 1 });
    const stored = await server().stored("original");
    const name = "copy-of-original";
    const copy = { ...copyOf(stored, name), spec: { size: 2 } };
    const reply = await server().request("POST", kube, copy);
    assert.equal(reply.status, 201, reply.text);
    assert.match(String(reply.headers["warning"]), /arm\.setpoint\.dev\/envelope\] was ignored/);
    for (const map of ["annotations", "labels"]) {
      const kept = pick(reply.json, `metadata.${map}`) as object | undefined;
      const keys = Object.keys(kept ?? {});
      assert.ok(!keys.includes(envelope) && !keys.includes(group), reply.text);
    }
    assert.deepEqual(await idsOf(server()), [`${ovens}/original`]);
    const body = pick(stored, "metadata.annotations") as Readonly<Record<string, string>>;
    const marked = { metadata: { annotations: { [envelope]: body[envelope] } } };
    const merge = { "content-type": "application/merge-patch+json" };
    const marking = await server().request("PATCH", `${kube}/${name}`, marked, merge);
    assert.equal(marking.status, 200, marking.text);
    assert.deepEqual(await idsOf(server()), [`${ovens}/original`]);
    assert.equal((await server().request("DELETE", `${kube}/${name}`)).status, 200);
    await server().request("DELETE", oven("original"));
    const isGone = async (): Promise<boolean> => (await idsOf(server())).length === 0;
    await waitUntil("the list to be empty", isGone);
  });

  it("ends nobody else's operation", async () => {
    const begun = await server().put("waiting", { mode: "slow" });
    assert.equal(begun.status, 201, begun.text);
    const status = new URL(String(begun.headers["azure-asyncoperation"]));
    const stored = await server().stored("waiting");
    // Under the name that the path of another leads to.
    await server().made("other");
    const place = await pathOf(server(), "other");
    await server().request("DELETE", oven("other"));
    await waitUntil("it to go", async () => (await server().get("other")).status === 404);
    const copy = copyOf(stored, place.slice(kube.length + 1));
    assert.equal((await server().request("POST", kube, { ...copy, spec: {} })).status, 201);
    await server().request("DELETE", oven("other"));
    const told = await server().request("GET", `${status.pathname}${status.search}`);
    assert.equal(pick(told.json, "status"), "InProgress", told.text);
    await server().letGo("waiting");
    await server().settled("waiting");
  });
});

function copyOf(stored: unknown, name: string): object {
  const [annotations, labels] = ["annotations", "labels"].map((map) =>
    pick(stored, `metadata.${map}`),
  );
  const metadata = { name, annotations, labels };
  return { apiVersion: "bakery.tests.dev/v1", kind: "Oven", metadata };
}

async function idsOf(server: ArmServer): Promise<readonly unknown[]> {
  const { json } = await server.request("GET", `${ovens}?${version}`);
  return pickList(json, "value").map((item) => pick(item, "id"));
}

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

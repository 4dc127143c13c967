// Who sees what an operation has led to, on a real server: those who may see the resource itself,
// in the versions that are for them, and only as long as it is the same resource. Nobody but the
// surface writes the records that this is told from.
import assert from "node:assert/strict";
import { before, it } from "node:test";
import { pick, pickList, pickText } from "../kube/server.ts";
import type { Reply, RequestHeaders } from "../kube/server.ts";
import { waitUntil } from "../peers/wait.ts";
import { codeOf, onEachStore, oven, ovens, subscription, version } from "./arm-server.ts";
import type { ArmServer } from "./arm-server.ts";
import { operations, userWith } from "./users.ts";

const namespace = `sub-${subscription}`;
const limit = { limitMs: 120_000 };
const records = `/apis/arm.setpoint.dev/v1/namespaces/${namespace}/operations`;

let server: ArmServer;

/** Where the answer tells to look, on the server that gave it. */
function pathIn(reply: Pick<Reply, "headers">, header = "location"): string {
  const url = String(reply.headers[header]);
  assert.ok(url.startsWith(`${server.url}/`), url);
  return url.slice(server.url.length);
}

function act(name: string, action: string, body?: object, headers = {}): Promise<Reply> {
  return server.request("POST", `${ovens}/${name}/${action}?${version}`, body, headers);
}

function subscriptionState(state: string): Promise<Reply> {
  return server.request("PUT", `/subscriptions/${subscription}?api-version=2.0`, { state });
}

onEachStore("the result of an operation", (started) => {
  before(() => {
    server = started();
  });

  it("comes from records that nobody else can write, whatever their role", async () => {
    const made = await server.put("told", {});
    const id = /operationsStatus\/([0-9a-f-]{36})/.exec(pathIn(made, "azure-asyncoperation"))?.[1];
    await server.settled("told");
    const all = { apiGroups: ["*"], resources: ["*"], verbs: ["*"] };
    const headers = await userWith(server, "owner", [all]);
    const forged = {
      apiVersion: "arm.setpoint.dev/v1",
      kind: "Operation",
      metadata: { name: "aaaaaaaa-0000-0000-0000-000000000001" },
      spec: { verb: "update", provider: "Example.Bakery", location: "westeurope" },
    };
    const applied = { ...forged, kind: "AppliedSpec", spec: { document: "{}" } };
    const path = `${records}/${id}`;
    const merge = { ...headers, "content-type": "application/merge-patch+json" };
    const writes = [
      ["POST", records, forged, headers],
      ["POST", records.replace(/operations$/, "appliedspecs"), applied, headers],
      ["PATCH", path, { spec: { location: "eastus" } }, merge],
      ["PATCH", `${path}/status`, { status: { state: "Failed" } }, merge],
    ] as const;
    for (const [method, url, body, who] of writes) {
      const reply = await server.request(method, url, body, who);
      assert.equal(reply.status, 403, `${method} ${url}: ${reply.text}`);
      assert.match(pickText(reply.json, "message"), /only the Resource Manager surface writes it/);
    }
    const labelled = { metadata: { labels: { mine: "yes" } } };
    assert.equal((await server.request("PATCH", path, labelled, merge)).status, 200);
    assert.equal((await server.request("DELETE", path, undefined, headers)).status, 200);
  });
  it("is shown to those who may see the resource, and not to all who may poll", async () => {
    await server.made("shown", { size: 1 });
    const changed = await server.patch("shown", { properties: { size: 2 } });
    assert.equal(changed.status, 202, changed.text);
    await server.settled("shown");
    const plain = { apiGroups: ["bakery.tests.dev"], resources: ["ovens"], verbs: ["get"] };
    const poller = await userWith(server, "poller", [operations]);
    const reader = await userWith(server, "reader", [operations, plain]);
    const get = (path: string, headers: RequestHeaders): Promise<Reply> =>
      server.request("GET", path, undefined, headers);
    assert.equal((await get(pathIn(changed, "azure-asyncoperation"), poller)).status, 200);
    const refused = await get(pathIn(changed), poller);
    assert.equal(refused.status, 403, refused.text);
    assert.equal(codeOf(refused), "AuthorizationFailed");
    const allowed = await get(pathIn(changed), reader);
    assert.equal(allowed.status, 200, allowed.text);
    assert.equal(pick(allowed.json, "properties.size"), 2);
  });

  it("of a version for operators is for those who may read that, and for no customer", async () => {
    await server.made("tended", { size: 1 });
    const changed = await server.request(
      "PATCH",
      oven("tended").replace("2026-01-01", "2026-01-01-preview"),
      { properties: { size: 2 } },
    );
    assert.equal(changed.status, 202, changed.text);
    await server.settled("tended");
    const hidden = await server.asManager("GET", pathIn(changed));
    assert.equal(hidden.status, 404, hidden.text);
    assert.equal(codeOf(hidden), "OperationNotFound");
    const plain = { apiGroups: ["bakery.tests.dev"], resources: ["ovens"], verbs: ["get"] };
    const admin = { ...plain, resources: ["ovens/admin"] };
    const customer = await userWith(server, "customer", [operations, plain]);
    const operator = await userWith(server, "operator", [operations, admin]);
    const statusFor = async (headers: RequestHeaders): Promise<number> =>
      (await server.request("GET", pathIn(changed), undefined, headers)).status;
    assert.equal(await statusFor(customer), 404);
    assert.equal(await statusFor(operator), 200);
  });

  it("of an action in a version for operators is for those alone, as the action is", async () => {
    await server.made("coded-for", { secretCode: "hush-8" });
    const preview = "2026-01-01-preview";
    const actions = { resources: ["ovens/listcodes", "ovens/clean"], verbs: ["create"] };
    const acting = { apiGroups: ["bakery.tests.dev"], ...actions };
    const customer = await userWith(server, "acting", [operations, acting]);
    const admin = { ...acting, resources: ["ovens/admin"] };
    const operator = await userWith(server, "tending", [operations, acting, admin]);
    const ask = async (action: string, who: RequestHeaders, given: object): Promise<Reply> => {
      const path = `${ovens}/coded-for/${action}`;
      return await server.request("POST", `${path}?api-version=${preview}`, given, who);
    };
    for (const action of ["listCodes", "clean"]) {
      const refused = await ask(action, customer, { minutes: 1 });
      assert.equal(refused.status, 400, refused.text);
      assert.equal(codeOf(refused), "InvalidApiVersionParameter");
    }
    assert.equal((await act("coded-for", "listCodes", {}, customer)).status, 200);
    const allowed = await ask("listCodes", operator, {});
    assert.equal(pick(allowed.json, "secretCode"), "hush-8", allowed.text);
    const cleaned = await ask("clean", operator, { minutes: 1 });
    assert.equal(cleaned.status, 202, cleaned.text);
    await server.settled("coded-for");
    const statusFor = async (headers: RequestHeaders): Promise<number> =>
      (await server.request("GET", pathIn(cleaned), undefined, headers)).status;
    assert.equal(await statusFor(customer), 404);
    assert.equal(await statusFor(operator), 200);
    assert.equal((await server.asManager("GET", pathIn(cleaned))).status, 404);
  });

  it("is not another resource that has come to the same path", async () => {
    await server.made("again", { size: 1 });
    const changed = await server.patch("again", { properties: { size: 2 } });
    await server.settled("again");
    assert.equal((await server.request("GET", pathIn(changed))).status, 200);
    await server.request("DELETE", oven("again"));
    await waitUntil("it to go", async () => (await server.get("again")).status === 404, limit);
    await server.made("again", { size: 77 });
    const result = await server.request("GET", pathIn(changed));
    assert.equal(result.status, 204, result.text);
  });
  it("of an action is not made where the action itself would be refused", async () => {
    await server.made("coded", { secretCode: "hush-9" });
    const cleaned = await act("coded", "clean", { minutes: 1 });
    assert.equal(cleaned.status, 202, cleaned.text);
    await server.settled("coded");
    assert.equal((await server.request("GET", pathIn(cleaned))).status, 200);
    const asked = { "x-ms-client-request-id": "asked-for-codes" };
    assert.equal((await act("coded", "listCodes", undefined, asked)).status, 200);
    const { json } = await server.request("GET", records);
    const record = pickList(json, "items").find(
      (item) => pick(item, "spec.clientRequestId") === "asked-for-codes",
    );
    const id = pickText(record, "metadata.name");
    const shown = await server.request("GET", pathIn(cleaned).replace(/[0-9a-f-]{36}\?/, `${id}?`));
    assert.equal(shown.status, 204, "it was answered at once, and is not told again");
    assert.equal((await subscriptionState("Suspended")).status, 200);
    try {
      const refused = await server.request("GET", pathIn(cleaned));
      assert.equal(refused.status, 400, refused.text);
      assert.equal(codeOf(refused), "InvalidSubscriptionState");
    } finally {
      assert.equal((await subscriptionState("Registered")).status, 200);
    }
  });
});

// The past of a resource must not reveal what its readers could never read: the content of an
// earlier namespace or definition of the same name, and fields that were hidden. A forged cursor is
// an error of the client.
import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { before, it } from "node:test";
import { keyText } from "../../src/kernel/resource.ts";
import { created } from "../kube/samples.ts";
import { bindAdmin, createNamespace, createSecret, removed } from "../kube/tenants.ts";
import { pick, pickList } from "../kube/server.ts";
import type { KubeServer, Reply } from "../kube/server.ts";
import { onEachStore } from "../kube/stores.ts";
import { as, createDatabases, databasePath, kindId, makeDatabase } from "./databases.ts";
import { patchDatabase } from "./databases.ts";

const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const secret = "must-not-be-shown";

onEachStore("the past of a resource", (server) => {
  const get = (path: string, user?: string): Promise<Reply> =>
    server().request("GET", `/api/v1/${path}`, undefined, user === undefined ? {} : as(user));

  before(async () => await createDatabases(server()));

  it("ends at the creation of the namespace, for rights within the namespace", async () => {
    await createNamespace(server());
    const old = await createSecret(server(), secret);
    await removed(server(), "/api/v1/namespaces/tenant");
    await createNamespace(server());
    await bindAdmin(server(), "second");
    await createSecret(server(), "own");
    const place = "secrets/key?namespace=tenant";
    const history = await get(`history/${place}`, "second");
    assert.equal(history.status, 200, history.text);
    assert.equal((pick(history.json, "revisions") as readonly unknown[]).length, 1);
    assert.equal((await get(`diff/${place}&to=${old}`, "second")).status, 404);
    const path = `/api/v1/rollback/${place}`;
    const rollback = await server().request("POST", path, { to: old }, as("second"));
    assert.equal(rollback.status, 404, rollback.text);
    for (const query of [
      "kind=secrets&namespace=tenant",
      "kind=secrets&namespace=tenant&name=key",
    ]) {
      const mine = await get(`audit?${query}`, "second");
      assert.equal((pick(mine.json, "items") as readonly unknown[]).length, 1, mine.text);
      const all = await get(`audit?${query}`);
      assert.equal((pick(all.json, "items") as readonly unknown[]).length, 3, all.text);
    }
    const whole = await get(`history/${place}`);
    assert.equal((pick(whole.json, "revisions") as readonly unknown[]).length, 3, whole.text);
  });

  it("does not show what the present schema has no field for", async () => {
    const first = await makeDatabase(server(), "renamed", { size: 1, password: secret });
    await patchDatabase(server(), "renamed", { spec: { size: 2 } });
    const refused = await tryPassword(server(), undefined);
    assert.equal(refused.status, 422, "a value is stored in the field");
    assert.match(refused.text, /must keep the rule that hides \/spec\/password.*renamed/);
    await patchDatabase(server(), "renamed", { spec: { password: null } });
    await setPassword(server(), undefined);
    const path = `${kindId}/renamed?namespace=team`;
    const diff = await get(`diff/${path}&to=${first}`);
    assert.equal(diff.status, 410, "the earlier states were erased");
    assert.ok(!diff.text.includes(secret), diff.text);
    await setPassword(server(), { type: "string", "x-setpoint-field-rule": "secret" });
  });

  it("ends at the creation of the definition, whose rules say what is hidden", async () => {
    const old = await makeDatabase(server(), "orders", { size: 10, password: secret });
    const found = await server().request("GET", `${definitions}/${kindId}`);
    await removed(server(), `${definitions}/${kindId}`);
    const again = found.text.replaceAll(
      '"x-setpoint-field-rule":"secret"',
      '"description":"shown"',
    );
    const { spec } = JSON.parse(again) as { readonly spec: object };
    const apiVersion = "apiextensions.k8s.io/v1";
    const metadata = { name: kindId };
    const definition = { apiVersion, kind: "CustomResourceDefinition", metadata, spec };
    await created(server().request("POST", definitions, definition));
    await makeDatabase(server(), "orders", { size: 1 });
    const path = `${kindId}/orders?namespace=team`;
    const diff = await get(`diff/${path}&to=${old}`);
    assert.equal(diff.status, 404, diff.text);
    const rollback = await server().request("POST", `/api/v1/rollback/${path}`, { to: old });
    assert.equal(rollback.status, 404, rollback.text);
  });

  it("is empty, and not missing, when all of it has been compacted", async () => {
    const path = "configmaps/cm2?namespace=team";
    const diff = await get(`diff/${path}`);
    assert.equal(diff.status, 200, diff.text);
    const { revision } = await server().store.head();
    await server().store.compact(revision);
    const history = await get(`history/${path}`);
    assert.equal(history.status, 200, history.text);
    assert.deepEqual(pick(history.json, "revisions"), []);
    const gone = await get(`diff/${path}`);
    assert.equal(gone.status, 410, gone.text);
    assert.equal((await get("history/configmaps/none?namespace=team")).status, 404);
    // The state before the first change that is left is unknown, which is not the same as absent.
    const patch = { data: { a: "changed" } };
    await server().request("PATCH", "/api/v1/namespaces/team/configmaps/cm2", patch);
    for (const query of ["", `&from=${revision}`, `&to=${revision}`]) {
      const cut = await get(`diff/${path}${query}`);
      assert.equal(cut.status, 410, `${query} ${cut.text}`);
    }
  });

  it("is listed to its end when its documents are large", async () => {
    const path = "/api/v1/namespaces/team/configmaps/large";
    const body = (value: string): object => ({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "large" },
      data: { value: value.repeat(700_000) },
    });
    await created(server().request("POST", path.replace("/large", ""), body("a")));
    for (const value of ["b", "c", "d"]) {
      const reply = await server().request("PATCH", path, body(value));
      assert.equal(reply.status, 200, reply.text.slice(0, 300));
    }
    const seen: unknown[] = [];
    for (let cursor: string | undefined = ""; cursor !== undefined;) {
      const query = cursor === "" ? "" : `&cursor=${cursor}`;
      const page = await get(`history/configmaps/large?namespace=team&limit=3${query}`);
      assert.equal(page.status, 200, page.text);
      for (const one of pickList(page.json, "revisions")) {
        seen.push([pick(one, "type"), pick(one, "changed")]);
      }
      const next = pick(page.json, "next");
      cursor = typeof next === "string" ? next : undefined;
    }
    const updated = ["updated", ["/data/value"]];
    assert.deepEqual(seen, [updated, updated, updated, ["created", undefined]]);
  });

  it("refuses a cursor whose position cannot be one", async () => {
    const list = JSON.stringify(["resources", "configmaps", "", "", "created"]);
    const key = { kind: "configmaps", namespace: "team", name: "cm1" };
    const audit = JSON.stringify(["audit", ...Array<string>(9).fill("")]);
    const bad = ["{", "null", "-5", "1.5", '{"toString":1}', '["a","b",{"toString":1}]'];
    for (const position of bad) {
      for (const [path, query] of [
        ["resources/configmaps?sort=created", list],
        ["history/configmaps/cm1?namespace=team", `history ${keyText(key)}`],
        ["audit?limit=1", audit],
      ] as const) {
        const reply = await get(`${path}&cursor=${forged(position, query)}`);
        assert.equal(reply.status, 400, `${position} ${reply.text}`);
        assert.equal(pick(reply.json, "field"), "query.cursor", reply.text);
      }
    }
    assert.deepEqual(server().errors, []);
  });
});

it("a 401 of the REST API states its reason", async () => {
  const { startKubeServer } = await import("../kube/server.ts");
  await using own = await startKubeServer();
  const wrong = { authorization: "Bearer wrong-token" };
  const reply = await own.request("GET", "/api/v1/counts", undefined, wrong);
  assert.equal(
    pick(reply.json, "detail"),
    "Unauthorized: malformed token: it is neither a JWT nor a known token",
  );
  assert.ok(!reply.text.includes("wrong-token"));
});

async function setPassword(server: KubeServer, password: object | undefined): Promise<void> {
  const reply = await tryPassword(server, password);
  assert.equal(reply.status, 200, reply.text);
  assert.equal((await server.request("GET", databasePath())).status, 200);
}

/** Changes the schema of the field `spec.password`. */
async function tryPassword(server: KubeServer, password: object | undefined): Promise<Reply> {
  const at = "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties";
  const patch = [
    password === undefined
      ? { op: "remove", path: `${at}/password` }
      : { op: "add", path: `${at}/password`, value: password },
  ];
  const type = { "content-type": "application/json-patch+json" };
  return await server.request("PATCH", `${definitions}/${kindId}`, patch, type);
}

function forged(position: string, query: string): string {
  const payload = Buffer.from(position).toString("base64url");
  return hash("sha256", `${payload}\n${query}`, "base64url").slice(0, 16) + payload;
}

// A namespace that is deleted and created again belongs to another tenant: its past, and watches of
// it, must not reveal what the tenant before it had, nor to that tenant what comes after.
import assert from "node:assert/strict";
import { it } from "node:test";
import {
  as,
  createDatabases,
  databasePath,
  kindId,
  makeDatabase,
  patchDatabase,
  revisionOf,
} from "../rest/databases.ts";
import { pick, pickList } from "./server.ts";
import { onEachStore } from "./stores.ts";
import { bindAdmin, createNamespace, createSecret, removed } from "./tenants.ts";

const secrets = "/api/v1/namespaces/tenant/secrets";
const first = "value-of-the-first-tenant";
const encoded = Buffer.from(first).toString("base64");

onEachStore("the past of a namespace", (server) => {
  it("ends at its creation, for lists and watches of its next tenant", async () => {
    await createNamespace(server());
    await bindAdmin(server(), "one");
    const old = await createSecret(server(), first);
    const page = await server().request("GET", `${secrets}?limit=1`, undefined, as("one"));
    const running = await server().watch(`${secrets}?watch=true&resourceVersion=${old}`, {
      ...as("one"),
    });
    assert.equal(running.status, 200);
    await removed(server(), "/api/v1/namespaces/tenant");
    await createNamespace(server());
    await bindAdmin(server(), "two");
    const own = await createSecret(server(), "own");

    assert.equal(await running.end, "ended", "the watch ends with the namespace");
    const seen = JSON.stringify(await running.rest());
    assert.ok(!seen.includes("b3du"), "the first tenant sees nothing of the second");

    for (const [path, status] of [
      [`?resourceVersion=${old}&resourceVersionMatch=Exact`, 410],
      [`?resourceVersion=1&resourceVersionMatch=Exact`, 410],
      [`?limit=1&resourceVersion=${old}`, 410],
      [`?resourceVersion=${own}&resourceVersionMatch=Exact`, 200],
      [`?resourceVersion=${old}&resourceVersionMatch=NotOlderThan`, 200],
      [`?watch=true&timeoutSeconds=1&resourceVersion=${old}`, 410],
      [`?watch=true&timeoutSeconds=1&resourceVersion=1`, 410],
      [`?watch=true&timeoutSeconds=1&resourceVersion=${own}`, 200],
      [`?watch=true&fieldSelector=metadata.name%3Dkey&resourceVersion=${old}`, 410],
    ] as const) {
      const reply = await server().request("GET", `${secrets}${path}`, undefined, as("two"));
      assert.equal(reply.status, status, `${path} ${reply.text}`);
      assert.ok(!reply.text.includes(encoded), path);
    }
    const token = pick(page.json, "metadata.continue");
    if (typeof token === "string" && token !== "") {
      const next = `${secrets}?limit=1&continue=${encodeURIComponent(token)}`;
      assert.equal((await server().request("GET", next, undefined, as("two"))).status, 410);
    }
    const exact = `${secrets}?resourceVersion=${old}&resourceVersionMatch=Exact`;
    const asAdministrator = await server().request("GET", exact);
    assert.equal(asAdministrator.status, 200, "a right in all namespaces covers all of the past");
    assert.ok(asAdministrator.text.includes(encoded));
  });

  it("has no limit in a namespace that was never deleted", async () => {
    const { text } = await server().request("GET", "/api/v1/namespaces/team");
    const before = Number(pick(JSON.parse(text), "metadata.resourceVersion")) - 1;
    const path = `/api/v1/namespaces/team/configmaps?watch=true&timeoutSeconds=1`;
    const reply = await server().request("GET", `${path}&resourceVersion=${before}`);
    assert.equal(reply.status, 200, reply.text);
  });
});

onEachStore("erasing through the REST API", (server) => {
  const erase = (path: string, user?: string) =>
    server().request("POST", `/api/v1/erase${path}`, {}, user === undefined ? {} : as(user));

  it("needs its own verb, in the namespace or in all", async () => {
    await createNamespace(server());
    await bindAdmin(server(), "one");
    for (const path of ["", "?namespace=tenant", "/secrets/key?namespace=tenant"]) {
      const reply = await erase(path, "one");
      assert.equal(reply.status, 403, `${path} ${reply.text}`);
    }
    assert.equal((await erase("/nothing.example/key?namespace=tenant")).status, 404);
  });

  it("erases deleted secrets of one namespace, and earlier states of one resource", async () => {
    await createSecret(server(), first);
    await removed(server(), `${secrets}/key`);
    assert.equal(pick((await erase("?namespace=team")).json, "erased"), 0);
    assert.equal(pick((await erase("?namespace=tenant")).json, "erased"), 2);
    const made = await createSecret(server(), first);
    const data = { key: Buffer.from("next").toString("base64") };
    await server().request("PATCH", `${secrets}/key`, { data });
    assert.equal(pick((await erase("/secrets/key?namespace=tenant")).json, "erased"), 3);
    const exact = `${secrets}?resourceVersion=${made}&resourceVersionMatch=Exact`;
    assert.equal((await server().request("GET", exact)).status, 410);
    const now = await server().request("GET", `${secrets}/key`);
    assert.deepEqual(pick(now.json, "data"), data, "the current state stays");
  });

  it("is in the audit with its caller, for readers of what was erased", async () => {
    const lines = async (query: string, user?: string): Promise<readonly string[]> => {
      const path = `/api/v1/audit?${query}`;
      const reply = await server().request(
        "GET",
        path,
        undefined,
        user === undefined ? {} : as(user),
      );
      assert.equal(reply.status, 200, reply.text);
      return pickList(reply.json, "items").map((item) => {
        const place = [pick(item, "kind"), pick(item, "namespace"), pick(item, "name")].join("/");
        return `${String(pick(item, "cause.actor"))} ${String(pick(item, "type"))} ${place}`;
      });
    };
    const actor = "setpoint:admin";
    const all = [
      `${actor} erased secrets/tenant/key`,
      `${actor} erased secrets/tenant/*`,
      `${actor} erased secrets/team/*`,
    ];
    assert.deepEqual(await lines("type=erased"), all);
    assert.deepEqual(await lines("type=erased&kind=secrets&namespace=tenant"), all.slice(0, 2));
    assert.deepEqual(await lines("type=erased", "one"), all.slice(0, 2));
    assert.deepEqual(await lines("type=erased", "two"), []);
    const ofKey = await lines("kind=secrets&namespace=tenant&name=key");
    assert.deepEqual(ofKey.slice(0, 3), [
      `${actor} erased secrets/tenant/key`,
      `${actor} updated secrets/tenant/key`,
      `${actor} created secrets/tenant/key`,
    ]);
    assert.equal(ofKey.length, 5);
    const kinds = (await server().store.changes(0, 1_000)).changes.map(({ key }) => key.kind);
    assert.equal(kinds.filter((kind) => kind === "secrets~erased").length, 6);
    const { records } = await server().store.list({ kind: "secrets~erased" });
    assert.deepEqual(records, [], "only the log keeps the record");
  });
});

onEachStore("a deleted resource with hidden fields whose values were erased", (server) => {
  it("is shown in old lists, watches and diffs as before", async () => {
    await createDatabases(server());
    const made = await makeDatabase(server(), "hidden", { size: 1, password: first });
    const changed = await patchDatabase(server(), "hidden", { spec: { size: 2 } });
    await removed(server(), databasePath("hidden"));
    assert.ok((await server().store.erase({ kind: "deleted", minAgeMs: 0 })) > 0);
    const exact = `${databasePath()}?resourceVersion=${changed}&resourceVersionMatch=Exact`;
    const list = await server().request("GET", exact);
    assert.equal(list.status, 200, list.text);
    assert.equal(pick(list.json, "items.0.spec.size"), 2);
    assert.ok(!list.text.includes(first));
    using watch = await server().watch(`${databasePath()}?watch=true&resourceVersion=${made}`);
    const [modified, deleted] = await watch.take(2);
    assert.deepEqual([modified?.type, deleted?.type], ["MODIFIED", "DELETED"]);
    const path = `${kindId}/hidden?namespace=team&from=${made}&to=${changed}`;
    const diff = await server().request("GET", `/api/v1/diff/${path}`);
    assert.equal(diff.status, 200, diff.text);
    assert.match(diff.text, /"\/spec\/size"/);
  });
});

onEachStore("a deleted Secret whose values were erased", (server) => {
  it("is not in old lists and watches, and its history says so", async () => {
    await createNamespace(server());
    const old = await createSecret(server(), first);
    await removed(server(), `${secrets}/key`);
    const again = await createSecret(server(), "own");
    assert.ok((await server().store.erase({ kind: "deleted", minAgeMs: 0 })) > 0);
    for (const path of [
      `${secrets}?resourceVersion=${old}&resourceVersionMatch=Exact`,
      `/api/v1/secrets?resourceVersion=${old}&resourceVersionMatch=Exact`,
    ]) {
      const exact = await server().request("GET", path);
      assert.equal(exact.status, 410, exact.text);
    }
    using watch = await server().watch(`${secrets}?watch=true&resourceVersion=${old - 1}`);
    const frame = await watch.next();
    assert.equal(frame?.type, "ERROR");
    assert.equal(pick(frame.object, "code"), 410);
    const listed = await server().request("GET", secrets);
    assert.equal(revisionOf({ ...listed, json: pickList(listed.json, "items")[0] }), again);

    const history = await server().request("GET", "/api/v1/history/secrets/key?namespace=tenant");
    assert.equal(history.status, 200, history.text);
    const revisions = pickList(history.json, "revisions");
    assert.deepEqual(
      revisions.map((one) => [pick(one, "type"), pick(one, "erased")]),
      [
        ["created", undefined],
        ["deleted", true],
        ["created", true],
      ],
    );
    const diff = `/api/v1/diff/secrets/key?namespace=tenant&from=${old}&to=${again}`;
    assert.equal((await server().request("GET", diff)).status, 410);
    const back = "/api/v1/rollback/secrets/key?namespace=tenant";
    assert.equal((await server().request("POST", back, { to: old })).status, 410);
    assert.deepEqual(server().errors, []);
  });
});

// The first routes of the REST API against a real server on each store: history, diff, rollback,
// lists, counts, problems, audit records and the stream of changes, with rights and hostile input.
import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { onEachStore } from "../kube/stores.ts";
import { pick, pickList, pickText } from "../kube/server.ts";
import type { KubeServer, Reply } from "../kube/server.ts";
import {
  allow,
  as,
  createDatabases,
  kindId,
  makeDatabase,
  patchDatabase,
  databasePath,
  report,
} from "./databases.ts";

const secret = "hunter2-must-never-be-shown";

function expect(reply: Reply, status: number): Reply {
  assert.equal(reply.status, status, reply.text);
  assert.ok(!reply.text.includes(secret), "a secret is shown");
  if (status >= 400) {
    assert.equal(reply.headers["content-type"], "application/problem+json");
    for (const field of ["type", "title", "detail", "code", "suggestion", "traceId"]) {
      assert.notEqual(pickText(reply.json, field), "", field);
    }
    assert.equal(pick(reply.json, "status"), status);
  }
  return reply;
}

onEachStore("the REST API", (server) => {
  const get = (path: string, user?: string): Promise<Reply> =>
    server().request("GET", `/api/v1/${path}`, undefined, user === undefined ? {} : as(user));

  before(async () => {
    await createDatabases(server());
    await allow(server(), "jane", "team", ["get", "list"]);
    await allow(server(), "editor", "team", ["get", "list", "update"]);
    await allow(server(), "joe", "other", ["get", "list"]);
  });

  describe("history and diff", () => {
    let first = 0;
    let second = 0;
    let third = 0;
    const path = `${kindId}/orders?namespace=team`;

    before(async () => {
      first = await makeDatabase(server(), "orders", { size: 10, password: secret });
      second = await patchDatabase(server(), "orders", { spec: { size: 20 } });
      third = await patchDatabase(server(), "orders", { spec: { size: 30, password: "x" } });
    });

    it("list the revisions of a resource, newest first, in pages", async () => {
      const all = expect(await get(`history/${path}`), 200);
      const revisions = pickList(all.json, "revisions");
      assert.deepEqual(
        revisions.map((each) => [pick(each, "revision"), pick(each, "type")]),
        [
          [third, "updated"],
          [second, "updated"],
          [first, "created"],
        ],
      );
      assert.deepEqual(pick(revisions[1], "changed"), ["/spec/size"]);
      assert.match(pickText(revisions[0], "time"), /^2\d{3}-/);
      assert.equal(pick(revisions[0], "cause.surface"), "kube");
      assert.notEqual(pickText(revisions[0], "cause.actor"), "");
      const one = expect(await get(`history/${path}&limit=2`), 200);
      const next = encodeURIComponent(pickText(one.json, "next"));
      const two = expect(await get(`history/${path}&limit=2&cursor=${next}`), 200);
      assert.deepEqual(
        pickList(two.json, "revisions").map((each) => pick(each, "revision")),
        [first],
      );
      assert.equal(pick(two.json, "next"), undefined);
    });

    it("answer 304 while nothing has changed", async () => {
      const { headers } = expect(await get(`history/${path}`), 200);
      const etag = String(headers.etag);
      assert.equal(etag, `"${third}"`);
      const again = await server().request("GET", `/api/v1/history/${path}`, undefined, {
        "if-none-match": etag,
      });
      assert.equal(again.status, 304);
      assert.equal(again.text, "");
    });

    it("show what differs between two revisions, without secrets", async () => {
      const reply = expect(await get(`diff/${path}&from=${first}&to=${third}`), 200);
      const changes = pickList(reply.json, "changes");
      assert.deepEqual(
        changes.find((change) => pick(change, "path") === "/spec/size"),
        { kind: "replace", path: "/spec/size", old: 10, new: 30 },
      );
      const newest = expect(await get(`diff/${path}`), 200);
      assert.equal(pick(newest.json, "from.revision"), second);
      assert.equal(pick(newest.json, "to.revision"), third);
    });

    it("show no difference after the last change of the resource", async () => {
      const later = await makeDatabase(server(), "later", { size: 1 });
      for (const range of [`from=${later}`, `from=${third}&to=${later}`]) {
        const reply = expect(await get(`diff/${path}&${range}`), 200);
        assert.deepEqual(pickList(reply.json, "changes"), [], range);
      }
      const future = expect(await get(`diff/${path}&from=999999999`), 400);
      assert.equal(pick(future.json, "field"), "query.from");
    });

    it("show the fields of a creation, without secrets", async () => {
      const reply = expect(await get(`diff/${path}&from=1&to=${first}`), 200);
      const changes = pickList(reply.json, "changes");
      const ofSpec = changes.filter((change) => pickText(change, "path").startsWith("/spec"));
      assert.deepEqual(ofSpec, [{ kind: "add", path: "/spec/size", new: 10 }]);
    });

    it("name the data of a Secret that changed, and do not show it", async () => {
      const secrets = "/api/v1/namespaces/team/secrets";
      const data = (text: string): object => ({ stringData: { token: text } });
      const metadata = { name: "credentials" };
      const kind = { apiVersion: "v1", kind: "Secret", metadata };
      await server().request("POST", secrets, { ...kind, ...data("old-token") });
      await server().request("PATCH", `${secrets}/credentials`, data("new-token"));
      const reply = expect(await get("diff/secrets/credentials?namespace=team"), 200);
      assert.ok(!reply.text.includes(Buffer.from("new-token").toString("base64")));
      assert.ok(!reply.text.includes(Buffer.from("old-token").toString("base64")));
      const changes = pickList(reply.json, "changes");
      assert.deepEqual(
        changes.find((change) => pick(change, "path") === "/data/token"),
        { kind: "replace", path: "/data/token", isHidden: true },
      );
      const creation = expect(await get("diff/secrets/credentials?namespace=team&from=1"), 200);
      assert.ok(!creation.text.includes(Buffer.from("new-token").toString("base64")));
      assert.deepEqual(
        pickList(creation.json, "changes").find((change) =>
          pickText(change, "path").startsWith("/data"),
        ),
        { kind: "add", path: "/data/token", isHidden: true },
      );
    });

    it("refuse revisions that do not exist, and callers without the right", async () => {
      const future = expect(await get(`diff/${path}&to=999999999`), 400);
      assert.equal(pick(future.json, "field"), "query.to");
      const swapped = expect(await get(`diff/${path}&from=${third}&to=${first}`), 400);
      assert.equal(pick(swapped.json, "field"), "query.from");
      const early = expect(await get(`diff/${path}&from=1&to=2`), 404);
      assert.match(pickText(early.json, "detail"), /"orders" did not exist at revision 2$/);
      expect(await get(`history/${path}`, "joe"), 403);
      expect(await get(`diff/${path}`, "joe"), 403);
      expect(await get(`history/${path}`, "jane"), 200);
      expect(await get(`history/${kindId}/missing?namespace=team`), 404);
      const unknown = expect(await get("history/nothings.example/x"), 404);
      assert.equal(pick(unknown.json, "field"), "path.kind");
      const homeless = expect(await get(`history/${kindId}/orders`), 400);
      assert.equal(pick(homeless.json, "field"), "query.namespace");
      expect(await get("history/namespaces/team?namespace=team"), 400);
    });
  });

  describe("rollback", () => {
    const rollback = (
      name: string,
      body: unknown,
      headers: Readonly<Record<string, string>> = {},
    ): Promise<Reply> =>
      server().request("POST", `/api/v1/rollback/${kindId}/${name}?namespace=team`, body, headers);
    const sizeOf = async (name: string): Promise<unknown> =>
      pick((await server().request("GET", databasePath(name))).json, "spec.size");

    it("writes the content of an earlier revision, and keeps hidden fields", async () => {
      const first = await makeDatabase(server(), "back", { size: 1, password: "replaced" });
      const second = await patchDatabase(server(), "back", {
        metadata: { labels: { a: "b" } },
        spec: { size: 2, password: secret },
      });
      const dry = expect(await rollback("back", { to: first, dryRun: true }), 200);
      assert.equal(pick(dry.json, "outcome"), "updated");
      assert.equal(await sizeOf("back"), 2);
      const reply = expect(
        await rollback("back", { to: first }, { "if-match": `"${second}"` }),
        200,
      );
      assert.equal(pick(reply.json, "replaced"), second);
      assert.equal(reply.headers.etag, `"${String(pick(reply.json, "revision"))}"`);
      assert.equal(await sizeOf("back"), 1);
      const { json } = await server().request("GET", databasePath("back"));
      assert.deepEqual(pick(json, "metadata.labels"), { a: "b" });
      const key = { kind: kindId, namespace: "team", name: "back" };
      const record = await server().store.get(key);
      assert.ok(record?.body.includes(secret), "the hidden field is kept");
      const again = expect(await rollback("back", { to: first }), 200);
      assert.equal(pick(again.json, "outcome"), "unchanged");
    });

    it("refuses a deleted resource, and names the revision of the deletion", async () => {
      const first = await makeDatabase(server(), "deleted", { size: 1 });
      await server().request("DELETE", databasePath("deleted"));
      const refused = expect(await rollback("deleted", { to: first }), 404);
      assert.match(pickText(refused.json, "detail"), /"deleted" was deleted at revision \d+$/);
    });

    it("refuses a stale If-Match, and what the rules of the kind forbid", async () => {
      const first = await makeDatabase(server(), "strict", { size: 1, engine: "a" });
      await patchDatabase(server(), "strict", { spec: { size: 2 } });
      const stale = expect(await rollback("strict", { to: first }, { "if-match": '"1"' }), 412);
      assert.equal(pick(stale.json, "code"), "precondition.failed");
      expect(await rollback("strict", { to: first }, { "if-match": "1" }), 400);
      const absent = expect(await rollback("strict", { to: 1 }), 404);
      assert.equal(pick(absent.json, "field"), "body.to");
      assert.equal(await sizeOf("strict"), 2);
    });

    it("needs the right to update", async () => {
      const first = await makeDatabase(server(), "guarded", { size: 1 });
      await patchDatabase(server(), "guarded", { spec: { size: 2 } });
      expect(await rollback("guarded", { to: first }, { "impersonate-user": "jane" }), 403);
      expect(await rollback("guarded", { to: first }, { "impersonate-user": "editor" }), 200);
      const records = expect(await get("audit?actor=editor&surface=rest&name=guarded"), 200);
      const [record] = pickList(records.json, "items");
      assert.equal(pick(record, "type"), "updated");
      assert.notEqual(pickText(record, "cause.impersonator"), "");
    });

    it("is performed once for an Idempotency-Key", async () => {
      const first = await makeDatabase(server(), "once", { size: 1 });
      await patchDatabase(server(), "once", { spec: { size: 2 } });
      const key = { "idempotency-key": "3f1c" };
      const one = expect(await rollback("once", { to: first }, key), 200);
      await patchDatabase(server(), "once", { spec: { size: 3 } });
      const two = expect(await rollback("once", { to: first }, key), 200);
      assert.equal(two.headers["idempotency-replayed"], "true");
      assert.deepEqual(two.json, one.json);
      assert.equal(await sizeOf("once"), 3);
      const other = expect(await rollback("once", { to: first, dryRun: true }, key), 422);
      assert.equal(pick(other.json, "code"), "idempotency.mismatch");
      expect(await rollback("once", { to: first }, { "idempotency-key": "a b" }), 400);
      const refused = { "idempotency-key": "refused" };
      expect(await rollback("missing", { to: first }, refused), 404);
      const repeat = await rollback("missing", { to: first }, refused);
      assert.equal(repeat.status, 404);
      assert.equal(repeat.headers["idempotency-replayed"], "true");
    });

    it("reports each problem of a body by its field", async () => {
      const many = expect(await rollback("x", { to: "9", extra: 1 }), 400);
      const fields = pickList(many.json, "errors").map((error) => pickText(error, "field"));
      assert.deepEqual(new Set(fields), new Set(["body.extra", "body.to"]));
      expect(await rollback("x", "{", { "content-type": "application/json" }), 400);
      expect(await rollback("x", "[]", { "content-type": "application/json" }), 400);
      expect(await rollback("x", undefined), 400);
      expect(await rollback("x", "to: 1", { "content-type": "application/yaml" }), 415);
      expect(await rollback("x", { to: 1, dryRun: "a".repeat(300_000) }), 413);
    });
  });

  describe("the state of resources", () => {
    let newest = 0;

    before(async () => {
      for (const [name, namespace, size] of [
        ["s1", "team", 5],
        ["s2", "team", 7],
        ["s3", "other", 6],
      ] as const) {
        await makeDatabase(server(), name, { size, password: secret }, namespace);
      }
      await report(server(), "s1", { status: "True", reason: "Available" });
      await report(server(), "s2", {
        status: "False",
        reason: "NoQuota",
        message: "quota is used",
      });
      newest = await report(server(), "s3", { status: "False", reason: "Waiting" }, "other");
    });

    it("is listed with filters, sort orders and pages", async () => {
      const rows = `resources/${kindId}?atLeast=${newest}`;
      const query = `${rows}&filter=name~s&sort=-columns.size&limit=2`;
      const one = expect(await get(query), 200);
      const names = (reply: Reply): readonly unknown[] =>
        pickList(reply.json, "items").map((item) => pick(item, "name"));
      const matching = `${rows}&filter=name>=s1,name<s9`;
      const all = expect(await get(`${matching}&sort=-columns.size`), 200);
      assert.deepEqual(names(all), ["s2", "s3", "s1"]);
      assert.equal(pick(pickList(all.json, "items")[0], "columns.password"), null);
      const next = encodeURIComponent(pickText(one.json, "next"));
      expect(await get(`${query}&cursor=${next}`), 200);
      const foreign = expect(await get(`${matching}&cursor=${next}`), 400);
      assert.equal(pick(foreign.json, "field"), "query.cursor");
      const failed = await get(`resources/${kindId}?atLeast=${newest}&filter=reason=NoQuota`);
      assert.deepEqual(names(expect(failed, 200)), ["s2"]);
    });

    it("is counted by kind and state, and only what the caller may list", async () => {
      const countsFor = async (user?: string): Promise<unknown> => {
        const reply = expect(await get(`counts?atLeast=${newest}`, user), 200);
        const kinds = pickList(reply.json, "kinds");
        return kinds.find((each) => pick(each, "kind") === kindId);
      };
      assert.ok(Number(pick(await countsFor(), "total")) >= 3);
      const joes = await countsFor("joe");
      assert.deepEqual(joes, {
        kind: kindId,
        name: "Database",
        total: 1,
        states: { Waiting: 1 },
      });
      assert.equal(await countsFor("stranger"), undefined);
      expect(await get(`counts?kind=${kindId}&namespace=other`, "jane"), 403);
      expect(await get(`resources/${kindId}?namespace=other`, "jane"), 403);
    });

    it("groups what is not ready by reason", async () => {
      const reply = await get(`problems?kind=${kindId}&atLeast=${newest}`);
      const groups = pickList(expect(reply, 200).json, "groups");
      const quota = groups.find((group) => pick(group, "reason") === "NoQuota");
      assert.deepEqual(quota, {
        kind: kindId,
        name: "Database",
        state: "NotReady",
        reason: "NoQuota",
        count: 1,
        message: "quota is used",
        examples: [{ namespace: "team", name: "s2" }],
      });
      const joes = expect(await get(`problems?atLeast=${newest}`, "joe"), 200);
      assert.equal(pick(joes.json, "total"), 1);
    });

    it("refuses hostile queries by name", async () => {
      for (const [query, field] of [
        ["filter=colour%3Dred", "query.filter"],
        ["filter=%3D%3D", "query.filter"],
        ["sort=colour", "query.sort"],
        ["limit=0", "query.limit"],
        ["limit=x", "query.limit"],
        ["limit=1&limit=2", "query.limit"],
        ["cursor=%00garbage", "query.cursor"],
        ["colour=red", "query.colour"],
        ["__proto__=1", "query.__proto__"],
        ["atLeast=-1", "query.atLeast"],
      ]) {
        const reply = expect(await get(`resources/${kindId}?${query ?? ""}`), 400);
        assert.equal(pick(reply.json, "field"), field, query);
      }
      const placed = expect(await get("resources/namespaces?namespace=team"), 400);
      assert.equal(pick(placed.json, "field"), "query.namespace");
    });
  });

  describe("changes", () => {
    it("are a stream that resumes by revision", async () => {
      const start = await makeDatabase(server(), "stream", { size: 1 });
      const query = `changes?kind=${kindId}&namespace=team&name=stream`;
      using stream = await server().watch(`/api/v1/${query}&after=${start - 1}`);
      assert.equal(stream.headers["content-type"], "application/x-ndjson");
      const [mark, made] = await stream.take(2);
      assert.deepEqual(mark, { type: "bookmark", revision: start - 1 });
      assert.equal(pick(made, "revision"), start);
      assert.equal(pick(made, "type"), "created");
      const later = await patchDatabase(server(), "stream", { spec: { size: 2 } });
      const [change] = await stream.take(1);
      assert.equal(pick(change, "revision"), later);
      assert.equal(pick(change, "kind"), kindId);
    });

    it("are server-sent events for a client that accepts them", async () => {
      const start = await makeDatabase(server(), "events", { size: 1 });
      const response = await readSome(server(), `/api/v1/changes?name=events`, {
        accept: "text/event-stream",
        "last-event-id": String(start - 1),
      });
      assert.match(response, new RegExp(`id: ${start}\nevent: created\ndata: \\{`));
    });

    it("are refused when the revision to resume after is not one of this server", async () => {
      const future = expect(await get("changes?after=999999999"), 504);
      assert.equal(pick(future.json, "code"), "revision.future");
      const id = { "last-event-id": "item-7" };
      const bad = expect(await server().request("GET", "/api/v1/changes", undefined, id), 400);
      assert.equal(pick(bad.json, "field"), "Last-Event-ID");
    });

    it("are refused with 410 when they have been compacted", async () => {
      const { revision } = await server().store.head();
      await server().store.compact(revision - 1);
      const old = expect(await get("changes?after=1"), 410);
      assert.equal(pick(old.json, "code"), "history.gone");
      const history = expect(await get(`diff/${kindId}/s1?namespace=team&to=1`), 410);
      assert.equal(pick(history.json, "code"), "history.gone");
    });

    it("are listed as audit records, newest first, for those who may see them", async () => {
      await makeDatabase(server(), "audited", { size: 1, password: secret });
      await patchDatabase(server(), "audited", { spec: { size: 2 } });
      const query = `audit?kind=${kindId}&name=audited`;
      const items = pickList(expect(await get(query), 200).json, "items");
      assert.deepEqual(
        items.map((item) => pick(item, "type")),
        ["updated", "created"],
      );
      const one = expect(await get(`${query}&limit=1`), 200);
      const next = encodeURIComponent(pickText(one.json, "next"));
      const two = expect(await get(`${query}&limit=1&cursor=${next}`), 200);
      assert.equal(pick(pickList(two.json, "items")[0], "type"), "created");
      const joes = expect(await get(query, "joe"), 200);
      assert.deepEqual(pickList(joes.json, "items"), []);
      expect(await get("audit?since=yesterday"), 400);
    });
  });

  describe("about itself", () => {
    it("refuses paths and methods that it does not have", async () => {
      expect(await get("history"), 404);
      expect(await get("history/a/b/c"), 404);
      expect(await get("history/%ff/x"), 404);
      const reply = expect(await server().request("DELETE", "/api/v1/counts"), 405);
      assert.equal(reply.headers.allow, "GET, HEAD");
      for (const word of ["counts", "changes"]) {
        const head = await server().request("HEAD", `/api/v1/${word}`);
        assert.equal(head.status, 200);
        assert.equal(head.text, "");
      }
    });

    it("leaves every other path of /api/v1 to Kubernetes", async () => {
      assert.equal(pick((await get("configmaps")).json, "kind"), "ConfigMapList");
      assert.equal(pick((await get("nothing")).json, "kind"), "Status");
      assert.equal((await server().request("GET", "/api/v1")).status, 200);
    });

    it("refuses callers without credentials as a problem", async () => {
      const none = { authorization: "Bearer wrong" };
      const reply = await server().request("GET", "/api/v1/counts", undefined, none);
      expect(reply, 401);
      assert.match(String(reply.headers["www-authenticate"]), /^Bearer/);
    });

    it("has a page that loads nothing", async () => {
      const reply = await get("doc");
      assert.equal(reply.status, 200);
      assert.match(String(reply.headers["content-type"]), /^text\/html/);
      assert.ok(!/<script|src=|@import|url\(/.test(reply.text));
    });
  });
});

/** The beginning of a stream, as text. */
async function readSome(
  server: KubeServer,
  path: string,
  headers: Readonly<Record<string, string>>,
): Promise<string> {
  const { Agent, request } = await import("node:https");
  const { hostname, port } = new URL(server.url);
  const agent = new Agent({ ca: server.ca });
  const given = { authorization: `Bearer ${server.token}`, ...headers };
  return await new Promise<string>((resolve, reject) => {
    const call = request({ agent, hostname, port, path, headers: given }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (part: string) => {
        text += part;
        if (!text.includes("event: created")) return;
        resolve(text);
        call.destroy();
        agent.destroy();
      });
    });
    call.once("error", reject);
    call.end();
  });
}

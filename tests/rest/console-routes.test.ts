// Routes that the web console reads, on each store: kinds with rights, names, labels in filters,
// the timeline, selections and rows in the stream of changes, and the recent numbers.
import assert from "node:assert/strict";
import { before, it } from "node:test";
import { onEachStore } from "../kube/stores.ts";
import { pick, pickList, pickText } from "../kube/server.ts";
import type { Reply } from "../kube/server.ts";
import { waitUntil } from "../peers/wait.ts";
import {
  allow,
  as,
  createDatabases,
  databasePath,
  group,
  kindId,
  makeDatabase,
  patchDatabase,
  report,
} from "./databases.ts";

const secret = "hunter2-must-never-be-shown";

onEachStore("routes of the console", (server) => {
  let newest = 0;
  const get = async (path: string, user?: string): Promise<Reply> => {
    const headers = user === undefined ? {} : as(user);
    const reply = await server().request("GET", `/api/v1/${path}`, undefined, headers);
    assert.ok(!reply.text.includes(secret), "a secret is shown");
    return reply;
  };
  const names = (reply: Reply): readonly unknown[] => {
    assert.equal(reply.status, 200, reply.text);
    return pickList(reply.json, "items").map((item) => pick(item, "name"));
  };

  before(async () => {
    await createDatabases(server());
    await allow(server(), "jane", "team", ["get", "list", "update"]);
    for (const [name, tier] of [
      ["orders", "gold"],
      ["orders-archive", "silver"],
      ["reorder", "gold"],
    ] as const) {
      await makeDatabase(server(), name, { size: 5, password: secret });
      const labels = { tier, "app.example/part-of": "shop" };
      await patchDatabase(server(), name, { metadata: { labels } });
    }
    await makeDatabase(server(), "orders", { size: 1 }, "other");
    newest = await report(server(), "orders", { status: "True", reason: "Available" });
  });

  it("kinds show what the caller may do, in a namespace or everywhere", async () => {
    const kindOf = async (query: string, user?: string): Promise<unknown> => {
      const { json } = await get(`kinds${query}`, user);
      return pickList(json, "kinds").find((each) => pick(each, "kind") === kindId);
    };
    const own = await kindOf("");
    assert.equal(pick(own, "name"), "Database");
    assert.equal(pick(own, "version"), "v1");
    assert.equal(pick(own, "isReconciled"), true);
    assert.equal(pick(own, "isBuiltIn"), false);
    assert.deepEqual(pick(own, "may"), pick(own, "verbs"));
    assert.deepEqual(pick(await kindOf("", "jane"), "may"), []);
    const janes = pickList(await kindOf("?namespace=team", "jane"), "may");
    assert.deepEqual(new Set(janes), new Set(["get", "list", "update"]));
  });

  it("names are found in all kinds, the best first, within the rights of the caller", async () => {
    const found = await get(`names?q=ORDER&atLeast=${newest}`);
    assert.deepEqual(names(found), ["orders", "orders", "orders-archive", "reorder"]);
    assert.equal(pick(found.json, "total"), 4);
    const one = await get(`names?q=order&limit=1&atLeast=${newest}`);
    assert.deepEqual(names(one), ["orders"]);
    assert.equal(pick(one.json, "total"), 4);
    assert.deepEqual(names(await get("names?q=orders", "jane")), ["orders", "orders-archive"]);
    assert.deepEqual(names(await get("names?q=orders", "stranger")), []);
    assert.equal((await get("names")).status, 400);
  });

  it("rows are filtered by labels, and show them on request", async () => {
    const rows = `resources/${kindId}?atLeast=${newest}&namespace=team&sort=name`;
    assert.deepEqual(names(await get(`${rows}&filter=labels.tier=gold`)), ["orders", "reorder"]);
    const both = encodeURIComponent("labels.app.example/part-of=shop,labels.tier!=gold");
    assert.deepEqual(names(await get(`${rows}&filter=${both}`)), ["orders-archive"]);
    assert.deepEqual(names(await get(`${rows}&filter=labels.missing~`)), []);
    assert.equal((await get(`${rows}&filter=label=x`)).status, 400);
    const selector = encodeURIComponent("tier in (gold,silver),tier!=silver,app.example/part-of");
    assert.deepEqual(names(await get(`${rows}&labelSelector=${selector}`)), ["orders", "reorder"]);
    const malformed = await get(`${rows}&labelSelector=${encodeURIComponent("tier in")}`);
    assert.equal(malformed.status, 400);
    const { json } = await get(`${rows}&labels=true`);
    assert.equal(pick(pickList(json, "items")[0], "labels.tier"), "gold");
    const { json: without } = await get(rows);
    assert.equal(pick(pickList(without, "items")[0], "labels"), undefined);
  });

  it("the timeline has changes and Events on one axis, with filters and pages", async () => {
    const event = {
      metadata: { name: "orders.1" },
      involvedObject: {
        apiVersion: `${group}/v1`,
        kind: "Database",
        namespace: "team",
        name: "orders",
      },
      type: "Warning",
      reason: "QuotaExceeded",
      message: "the quota is used",
      count: 3,
    };
    const made = await server().request("POST", "/api/v1/namespaces/team/events", event);
    assert.equal(made.status, 201, made.text);
    const all = await get("timeline?namespace=team&limit=50");
    const items = pickList(all.json, "items");
    const revisions = items.map((item) => Number(pick(item, "revision")));
    assert.deepEqual(
      revisions,
      revisions.toSorted((one, other) => other - one),
    );
    assert.deepEqual(
      { ...(items[0] as object), revision: 0, time: "" },
      {
        revision: 0,
        time: "",
        type: "event",
        outcome: "warning",
        kind: kindId,
        namespace: "team",
        name: "orders",
        reason: "QuotaExceeded",
        message: "the quota is used",
        count: 3,
      },
    );
    const about = await get(`timeline?kind=${kindId}&namespace=team&name=orders`);
    assert.deepEqual(new Set(names(about)), new Set(["orders"]));
    assert.ok(pickList(about.json, "items").some((item) => pick(item, "type") === "change"));
    const warnings = await get("timeline?outcome=warning");
    assert.deepEqual(names(warnings), ["orders"]);
    const created = await get(`timeline?outcome=created&kind=${kindId}`);
    assert.equal(names(created).length, 4);
    assert.deepEqual(names(await get("timeline?actor=nonesuch")), []);
    const admin = pickText(pickList(created.json, "items")[0], "cause.actor");
    const byAdmin = names(await get(`timeline?actor=${admin}&kind=${kindId}`));
    assert.ok(byAdmin.length >= 4);
    assert.deepEqual(names(await get("timeline?to=2020-01-01T00:00:00Z")), []);
    const trace = pickText(pickList(created.json, "items")[0], "cause.traceId");
    assert.equal(names(await get(`timeline?trace=${trace}`)).length, 1);
    const first = await get(`timeline?kind=${kindId}&limit=3`);
    const cursor = encodeURIComponent(pickText(first.json, "next"));
    const second = await get(`timeline?kind=${kindId}&limit=3&cursor=${cursor}`);
    const last = pickList(first.json, "items").at(-1);
    const [following] = pickList(second.json, "items");
    assert.ok(Number(pick(following, "revision")) < Number(pick(last, "revision")));
    assert.equal((await get(`timeline?limit=3&cursor=${cursor}`)).status, 400);
    assert.deepEqual(names(await get("timeline", "stranger")), []);
  });

  it("a stream of changes follows several kinds and shows rows", async () => {
    const path = `/api/v1/changes?kinds=${kindId},configmaps&rows=true&after=${newest}`;
    const stream = await server().watch(path, { accept: "application/x-ndjson" });
    await patchDatabase(server(), "reorder", { spec: { size: 9, password: secret } });
    const maps = "/api/v1/namespaces/team/configmaps";
    await server().request("POST", maps, { metadata: { name: "seen" } });
    await server().request("POST", "/api/v1/namespaces/team/secrets", {
      metadata: { name: "other-kind" },
    });
    await server().request("DELETE", databasePath("reorder"));
    const lines: unknown[] = [];
    await waitUntil("the deletion", async () => {
      lines.push(await stream.next());
      return pick(lines.at(-1), "type") === "deleted";
    });
    stream.close();
    const changes = lines.filter((line) => pick(line, "type") !== "bookmark");
    const shown = changes.map((line) => `${pickText(line, "type")} ${pickText(line, "name")}`);
    assert.deepEqual(shown, ["updated reorder", "created seen", "deleted reorder"]);
    assert.equal(pick(changes[0], "row.columns.size"), 9);
    assert.equal(pick(changes[0], "row.columns.password"), null);
    assert.equal(pick(changes[0], "row.labels.tier"), "gold");
    assert.equal(pick(changes[0], "row.state"), "Unknown");
    assert.equal(pick(changes[2], "row"), undefined);
    assert.ok(!JSON.stringify(lines).includes(secret));
    const both = await get(`changes?kinds=${kindId}&kind=configmaps`);
    assert.equal(both.status, 400);
    assert.equal((await get("changes?kinds=nonesuch")).status, 404);
  });

  it("the recent numbers are those of this process, for callers who may read metrics", async () => {
    await waitUntil("a step with requests", async () => {
      const { status, json } = await get("metrics/recent?minutes=1&step=5");
      assert.equal(status, 200);
      assert.equal(pick(json, "scope"), "process");
      assert.equal(pick(json, "stepMs"), 5_000);
      const requests = pickList(json, "series").find(
        (series) => pick(series, "id") === "requestsPerSecond",
      );
      assert.equal(pick(requests, "unit"), "/s");
      const rates = pickList(requests, "values");
      assert.equal(rates.length, 12);
      return rates.some((rate) => Number(rate) > 0);
    });
    assert.equal((await get("metrics/recent", "jane")).status, 403);
    assert.equal((await get("metrics/recent?minutes=61")).status, 400);
  });

  it("of equal names, built-in kinds come after others, and Events last", async () => {
    const namespace = "/api/v1/namespaces/team";
    const config = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "orders" } };
    const made = await server().request("POST", `${namespace}/configmaps`, config);
    assert.equal(made.status, 201, made.text);
    const involvedObject = { kind: "Database", namespace: "team", name: "orders" };
    const event = { apiVersion: "v1", kind: "Event", metadata: { name: "orders.9" } };
    const about = { ...event, involvedObject, reason: "Stopped", message: "It stopped." };
    const written = await server().request("POST", `${namespace}/events`, about);
    assert.equal(written.status, 201, written.text);
    const atLeast = pickText(pick(written.json, "metadata"), "resourceVersion");
    const found = await get(`names?q=orders&namespace=team&builtIn=true&atLeast=${atLeast}`);
    assert.equal(found.status, 200, found.text);
    const shown = pickList(found.json, "items").map((item) => {
      return `${pickText(item, "kindName")}/${pickText(item, "name")}`;
    });
    const own = shown.filter((each) => !/^Event[/]orders[.](?!9$)/.test(each));
    const best = ["Database/orders", "ConfigMap/orders", "Database/orders-archive"];
    assert.deepEqual(own, [...best, "Event/orders.9"]);
  });
});

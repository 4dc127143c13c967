// What a client sees that watches: which frames, in which order, and how a watch ends. The frames
// are those of kube-apiserver 1.36.
import assert from "node:assert/strict";
import { connect } from "node:http2";
import { describe, it } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { limits } from "../../src/kernel/limits.ts";
import { waitUntil } from "../peers/wait.ts";
import { configMaps, created, createSamples, group, widget, widgets } from "./samples.ts";
import { pick, pickText, startKubeServer } from "./server.ts";
import type { KubeServer } from "./server.ts";
import { onEachStore } from "./stores.ts";
import type { WatchFrame } from "./watch-stream.ts";

/** Each frame as its type, the name, and what the widget is like. */
function told(frames: readonly WatchFrame[]): readonly string[] {
  return frames.map(({ type, object }) => {
    const name = pick(object, "metadata.name");
    const parts = [type, name, pick(object, "spec.size")].filter((part) => part !== undefined);
    return parts.map(String).join(" ");
  });
}

function revisions(frames: readonly WatchFrame[]): readonly number[] {
  return frames.map(({ object }) => Number(pickText(object, "metadata.resourceVersion")));
}

async function head(server: KubeServer): Promise<string> {
  const { json } = await server.request("GET", widgets);
  return pickText(json, "metadata.resourceVersion");
}

async function patch(server: KubeServer, name: string, body: object): Promise<void> {
  const { status, text } = await server.request("PATCH", `${widgets}/${name}`, body);
  assert.equal(status, 200, text);
}

async function remove(server: KubeServer, name: string): Promise<void> {
  assert.equal((await server.request("DELETE", `${widgets}/${name}`)).status, 200);
}

const none = "labelSelector=none";

onEachStore("events", (server) => {
  it("come each once, in order, after the revision that is named", async () => {
    const from = await head(server());
    await created(server().request("POST", widgets, widget("life", { size: 1 })));
    using watch = await server().watch(`${widgets}?watch=1&resourceVersion=${from}`);
    assert.equal(watch.status, 200);
    assert.equal(watch.headers["content-type"], "application/json");
    assert.equal(watch.headers["transfer-encoding"], "chunked");
    assert.equal(watch.headers["cache-control"], "no-cache, private");
    await patch(server(), "life", { spec: { size: 2 } });
    // What changes nothing is not told.
    await patch(server(), "life", { spec: { size: 2 } });
    await patch(server(), "life", { metadata: { finalizers: ["tests.dev/hold"] } });
    await remove(server(), "life");
    await patch(server(), "life", { spec: { size: 3 } });
    await patch(server(), "life", { metadata: { finalizers: null } });
    const frames = await watch.take(6);
    const expected = [
      "ADDED 1",
      "MODIFIED 2",
      "MODIFIED 2",
      "MODIFIED 2",
      "MODIFIED 3",
      "DELETED 3",
    ];
    assert.deepEqual(
      told(frames),
      expected.map((text) => text.replace(" ", " life ")),
    );
    const marked = frames.map(({ object }) => pick(object, "metadata.deletionTimestamp"));
    assert.deepEqual(
      marked.map((time) => time !== undefined),
      [false, false, false, true, true, true],
    );
    const order = revisions(frames);
    assert.deepEqual(
      order,
      [...new Set(order)].sort((one, other) => one - other),
    );
    assert.ok(order.every((revision) => revision > Number(from)));
    assert.deepEqual(await watch.during(200), []);
  });

  it("begin with the present when no revision or 0 is named", async () => {
    for (const asked of ["", "&resourceVersion=0"]) {
      using watch = await server().watch(`${widgets}?watch=true${asked}`);
      const frames = await watch.take(5);
      assert.deepEqual(told(frames), ["ADDED a 1", "ADDED b 2", "ADDED c 3", "ADDED d", "ADDED e"]);
      await patch(server(), "a", { spec: { size: 7 } });
      assert.deepEqual(told(await watch.take(1)), ["MODIFIED a 7"]);
      await patch(server(), "a", { spec: { size: 1 } });
      assert.deepEqual(told(await watch.take(1)), ["MODIFIED a 1"]);
    }
  });

  it("tell of what comes into a selection and of what leaves it", async () => {
    const from = await head(server());
    const path = `${widgets}?watch=1&resourceVersion=${from}`;
    using byLabel = await server().watch(`${path}&labelSelector=q%3D1`);
    using byNumber = await server().watch(`${path}&labelSelector=q%3E1`);
    using byField = await server().watch(`${path}&fieldSelector=spec.color%3Dpink`);
    await created(server().request("POST", widgets, widget("moves", { size: 1 }, { q: "0" })));
    await patch(server(), "moves", { metadata: { labels: { q: "1" } }, spec: { color: "pink" } });
    await patch(server(), "moves", { spec: { size: 2 } });
    await patch(server(), "moves", {
      metadata: { labels: { q: "2" } },
      spec: { size: 3, color: "grey" },
    });
    await patch(server(), "moves", { metadata: { labels: { q: "1" } } });
    const left = await head(server());
    await remove(server(), "moves");
    // Shown as it was when it was last selected, at the revision that took it away.
    const expected = ["ADDED moves 1", "MODIFIED moves 2", "DELETED moves 2"];
    assert.deepEqual(told(await byField.take(3)), expected);
    assert.deepEqual(await byField.during(200), []);
    assert.deepEqual(told(await byNumber.take(2)), ["ADDED moves 3", "DELETED moves 3"]);
    const frames = await byLabel.take(5);
    assert.deepEqual(told(frames), [...expected, "ADDED moves 3", "DELETED moves 3"]);
    assert.equal(pick(frames[2]?.object, "metadata.labels.q"), "1");
    const order = revisions(frames);
    assert.deepEqual(
      order,
      [...new Set(order)].sort((one, other) => one - other),
    );
    assert.ok((order[4] ?? 0) > Number(left));
  });

  it("may be about one name, by a selector or by the old path", async () => {
    const old = `/apis/${group}/v1/watch/namespaces/team/widgets/b`;
    for (const path of [`${widgets}?watch=1&fieldSelector=metadata.name%3Db`, old]) {
      using watch = await server().watch(path);
      assert.deepEqual(told(await watch.take(1)), ["ADDED b 2"]);
      await patch(server(), "a", { spec: { size: 8 } });
      await patch(server(), "b", { spec: { size: 8 } });
      await patch(server(), "a", { spec: { size: 1 } });
      await patch(server(), "b", { spec: { size: 2 } });
      assert.deepEqual(told(await watch.take(2)), ["MODIFIED b 8", "MODIFIED b 2"]);
    }
    using all = await server().watch("/api/v1/watch/namespaces/team/configmaps");
    assert.deepEqual(told(await all.take(3)), ["ADDED cm1", "ADDED cm2", "ADDED cm3"]);
  });

  it("wait for a revision that is yet to come", async () => {
    const from = Number(await head(server()));
    using watch = await server().watch(`${widgets}?watch=1&resourceVersion=${from + 2}`);
    assert.equal(watch.status, 200);
    for (const size of [11, 12, 13]) await patch(server(), "c", { spec: { size } });
    // The server's own writes take revisions as well, so the watch may begin earlier in the list.
    for (let last = ""; last !== "MODIFIED c 13";) {
      const [frame] = await watch.take(1);
      const revision = Number(pick(frame?.object, "metadata.resourceVersion"));
      assert.ok(revision > from + 2, `revision ${revision} is after ${from + 2}`);
      [last = ""] = told(frame === undefined ? [] : [frame]);
    }
    await patch(server(), "c", { spec: { size: 3 } });
  });

  it("end with an error when the revision is no longer remembered", async () => {
    const from = await head(server());
    await patch(server(), "d", { metadata: { annotations: { a: "b" } } });
    await patch(server(), "d", { metadata: { annotations: null } });
    const { compacted } = await server().store.compact((await server().store.head()).revision);
    using watch = await server().watch(`${widgets}?watch=1&resourceVersion=${from}`);
    assert.equal(watch.status, 200);
    const message = `too old resource version: ${from} (${compacted})`;
    const about = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure" };
    const object = { ...about, message, reason: "Expired", code: 410 };
    assert.deepEqual(await watch.rest(), [{ type: "ERROR", object }]);
    assert.equal(await watch.end, "ended");
  });

  it("are none of those before a snapshot, however many are written meanwhile", async () => {
    const done = new AbortController();
    const write = async (): Promise<void> => {
      for (let size = 100; !done.signal.aborted; size++) {
        await patch(server(), "e", { spec: { size } });
      }
    };
    const writing = Promise.all([write(), write()]);
    for (let round = 0; round < 20; round++) {
      using watch = await server().watch(
        `${widgets}?watch=1&fieldSelector=metadata.name%3De&${"x=".repeat(round % 2)}`,
      );
      const order = revisions(await watch.take(8));
      assert.deepEqual(
        order,
        [...new Set(order)].sort((one, other) => one - other),
      );
    }
    done.abort();
    await writing;
    await patch(server(), "e", { spec: { size: null } });
  });
});

onEachStore("bookmarks and ends", (server) => {
  it("marks the end of the present, for those who take bookmarks", async () => {
    const asked = "sendInitialEvents=true&resourceVersionMatch=NotOlderThan";
    for (const revision of ["", "&resourceVersion=0", `&resourceVersion=${await head(server())}`]) {
      const path = `${widgets}?watch=1&allowWatchBookmarks=true&${asked}${revision}`;
      using watch = await server().watch(path);
      const frames = await watch.take(6);
      assert.deepEqual(
        frames.map(({ type }) => type),
        ["ADDED", "ADDED", "ADDED", "ADDED", "ADDED", "BOOKMARK"],
      );
      const resourceVersion = await head(server());
      assert.deepEqual(frames[5]?.object, {
        kind: "Widget",
        apiVersion: `${group}/v1`,
        metadata: { resourceVersion, annotations: { "k8s.io/initial-events-end": "true" } },
      });
    }
    using without = await server().watch(`${widgets}?watch=1&timeoutSeconds=1&${asked}`);
    assert.ok((await without.rest()).every(({ type }) => type === "ADDED"));
  });

  it("ends at once when its time is negative", async () => {
    const from = await head(server());
    const path = `${widgets}?watch=1&resourceVersion=${from}&timeoutSeconds=-5`;
    using watch = await server().watch(path);
    assert.equal(watch.status, 200);
    assert.deepEqual(await watch.rest(), []);
  });

  it("sends a bookmark two seconds before the time is up, and then ends cleanly", async () => {
    const from = await head(server());
    const path = `${widgets}?watch=1&resourceVersion=${from}&timeoutSeconds=6`;
    const started = performance.now();
    using watch = await server().watch(`${path}&allowWatchBookmarks=1`);
    using plain = await server().watch(path);
    await created(server().request("POST", configMaps, configMap("passes")));
    const [bookmark] = await watch.take(1);
    const resourceVersion = await head(server());
    assert.deepEqual(bookmark, {
      type: "BOOKMARK",
      object: { kind: "Widget", apiVersion: `${group}/v1`, metadata: { resourceVersion } },
    });
    assert.deepEqual(await watch.rest(), []);
    assert.deepEqual(await plain.rest(), []);
    assert.equal(await watch.end, "ended");
    const tookMs = performance.now() - started;
    assert.ok(tookMs > 5_900 && tookMs < 120_000, String(tookMs));
    await server().request("DELETE", `${configMaps}/passes`);
  });

  const forbidden = "resourceVersionMatch: Forbidden:";
  const unless =
    `${forbidden} resourceVersionMatch is forbidden for watch ` +
    "unless sendInitialEvents is provided";
  const setting = "setting resourceVersionMatch to NotOlderThan";
  const requires = `${forbidden} sendInitialEvents requires ${setting}`;
  const unsupported = (value: string): string =>
    `resourceVersionMatch: Unsupported value: "${value}": supported values: "NotOlderThan"`;
  const refusals: readonly (readonly [string, string])[] = [
    ["resourceVersionMatch=NotOlderThan", unless],
    ["resourceVersionMatch=Foo", `[${unless}, ${unsupported("Foo")}]`],
    ["sendInitialEvents=true", requires],
    ["sendInitialEvents=false", requires],
    ["sendInitialEvents=true&resourceVersionMatch=Exact", `[${requires}, ${unsupported("Exact")}]`],
  ];
  for (const [asked, problem] of refusals) {
    it(`refuses to watch with ${asked}`, async () => {
      const { status, json } = await server().request("GET", `${widgets}?watch=1&${asked}`);
      assert.equal(status, 422);
      assert.equal(pick(json, "reason"), "Invalid");
      assert.equal(pick(json, "message"), `ListOptions.meta.k8s.io "" is invalid: ${problem}`);
    });
  }

  it("refuses before the watch begins what it would refuse in a list", async () => {
    const bad: Readonly<Record<string, string>> = {
      "labelSelector=a%20b":
        "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt",
      "fieldSelector=foo%3Db": "field label not supported: foo",
      "timeoutSeconds=abc": 'strconv.ParseInt: parsing "abc": invalid syntax',
    };
    for (const [asked, message] of Object.entries(bad)) {
      const { status, json } = await server().request("GET", `${widgets}?watch=1&${asked}`);
      assert.deepEqual([status, pick(json, "message")], [400, message]);
    }
    const accept = "application/yaml";
    const yaml = await server().request("GET", `${widgets}?watch=1`, undefined, { accept });
    assert.equal(yaml.status, 406);
    assert.match(yaml.text, /application\/json;stream=watch/);
  });

  it("does not watch for those who say no", async () => {
    for (const no of ["watch=0", "watch=false", "watch=False"]) {
      const { json } = await server().request("GET", `${widgets}?${no}`);
      assert.equal(pick(json, "kind"), "WidgetList");
    }
    const one = await server().request("GET", `${widgets}/a?watch=1`);
    assert.equal(pick(one.json, "kind"), "Widget");
  });
});

onEachStore("forms", (server) => {
  const accept = (as: string): Readonly<Record<string, string>> => ({
    accept: `application/json;as=${as};v=v1;g=meta.k8s.io`,
  });

  it("sends Tables with their columns once", async () => {
    using watch = await server().watch(`${widgets}?watch=1&labelSelector=app`, accept("Table"));
    const frames = await watch.take(4);
    for (const [at, { type, object }] of frames.entries()) {
      assert.equal(type, "ADDED");
      assert.equal(pick(object, "kind"), "Table");
      assert.equal(pick(object, "columnDefinitions") === null, at > 0);
    }
    assert.deepEqual(pick(frames[0]?.object, "rows.0.cells"), ["a", "red"]);
    assert.equal(pick(frames[0]?.object, "rows.0.object.kind"), "PartialObjectMetadata");
  });

  it("sends metadata alone, and bookmarks in the same form", async () => {
    const asked = `${widgets}?watch=1&allowWatchBookmarks=true&labelSelector=tier`;
    using watch = await server().watch(asked, accept("PartialObjectMetadata"));
    const [first, bookmark] = await watch.take(2);
    assert.equal(pick(first?.object, "kind"), "PartialObjectMetadata");
    assert.equal(pick(first?.object, "spec"), undefined);
    assert.equal(bookmark?.type, "BOOKMARK");
    assert.equal(pick(bookmark?.object, "kind"), "PartialObjectMetadata");
    using table = await server().watch(asked, accept("Table"));
    const [, mark] = await table.take(2);
    assert.deepEqual(pick(mark?.object, "rows.0.cells"), ["", null]);
  });

  it("sends protobuf frames of built-in kinds, each behind its length", async () => {
    const type = "application/vnd.kubernetes.protobuf;stream=watch";
    const path = `${configMaps}?watch=1&timeoutSeconds=1`;
    const reply = await server().request("GET", path, undefined, { accept: type });
    assert.equal(reply.headers["content-type"], type);
    let frames = 0;
    for (let at = 0; at < reply.bytes.length; frames++) at += 4 + reply.bytes.readUInt32BE(at);
    assert.equal(frames, 3);
  });

  it("is the same over HTTP/2, many on one connection", async () => {
    const { url, ca, token } = server();
    const session = connect(url, { ca });
    const streams = Array.from({ length: 20 }, () =>
      session.request({
        ":path": `${widgets}?watch=1&labelSelector=h2`,
        authorization: `Bearer ${token}`,
      }),
    );
    const first = streams.map(async (stream) => {
      for await (const chunk of stream.setEncoding("utf8")) return String(chunk);
      return "";
    });
    await waitUntil("watchers", () => server().hub.watchers === 20);
    await created(server().request("POST", widgets, widget("two", {}, { h2: "" })));
    for (const text of await Promise.all(first)) assert.match(text, /^\{"type":"ADDED","object":/);
    session.destroy();
    await waitUntil("watchers", () => server().hub.watchers === 0);
    await remove(server(), "two");
  });
});

function configMap(name: string): object {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name } };
}

describe("many and slow watchers", () => {
  it("tells a thousand the same, and forgets them when they leave", async () => {
    await using server = await startKubeServer();
    await createSamples(server);
    const path = `${widgets}?watch=1&${none}`;
    const watches = await Promise.all(Array.from({ length: 1_000 }, () => server.watch(path)));
    await waitUntil("watchers", () => server.hub.watchers === 1_000);
    await created(server.request("POST", widgets, widget("all", { size: 1 }, { none: "" })));
    const frames = await Promise.all(watches.map((watch) => watch.next()));
    for (const frame of frames) assert.equal(frame?.type, "ADDED");
    for (const watch of watches) watch.close();
    await waitUntil("watchers", () => server.hub.watchers === 0);
    assert.deepEqual(server.errors, []);
  });

  it("cuts off who does not read, so that memory stays bounded", async () => {
    await using server = await startKubeServer();
    await createSamples(server);
    const { url, ca, token } = server;
    // A stream whose data nobody takes: the window of HTTP/2 is full after 64 KiB.
    const session = connect(url, { ca });
    const authorization = `Bearer ${token}`;
    const stream = session.request({ ":path": `${widgets}?watch=1&${none}`, authorization });
    stream.on("error", () => {});
    await waitUntil("watchers", () => server.hub.watchers === 1);
    const note = "n".repeat(1_000_000);
    const writes = Math.ceil(limits.maxWatchBacklogBytes / note.length) + 3;
    await created(server.request("POST", widgets, widget("heavy", {}, { none: "" })));
    for (let size = 0; size < writes && server.hub.watchers > 0; size++) {
      await patch(server, "heavy", { spec: { note, size } });
    }
    await waitUntil("watchers", () => server.hub.watchers === 0);
    session.destroy();
    assert.deepEqual(server.errors, []);
  });

  it("ends all watches cleanly when the server stops", async () => {
    await using server = await startKubeServer();
    await createSamples(server);
    const paths = [`${widgets}?watch=1&${none}`, `${widgets}?watch=1&resourceVersion=99999999`];
    const watches = await Promise.all(paths.map((path) => server.watch(path)));
    await delay(50);
    await server.stop();
    for (const watch of watches) assert.equal(await watch.end, "ended");
    assert.equal(server.hub.watchers, 0);
  });
});

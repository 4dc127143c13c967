// Watches that select differently, or show the same changes in other forms: a change is encoded
// once for each form, large ones by threads, and every watch receives each change once, in order.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { limits } from "../../src/kernel/limits.ts";
import { waitUntil } from "../peers/wait.ts";
import { created } from "./samples.ts";
import { pick, pickText, startKubeServer } from "./server.ts";
import type { KubeServer } from "./server.ts";
import type { WatchFrame, WatchStream } from "./watch-stream.ts";

let server: KubeServer;

before(async () => {
  server = await startKubeServer();
});
after(async () => {
  await server.stop();
  assert.deepEqual(server.errors, []);
});

const maps = "/api/v1/namespaces/default/configmaps";
const table = { accept: "application/json;as=Table;g=meta.k8s.io;v=v1" };
const metadataOnly = { accept: "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1" };
const large = "x".repeat(limits.minHeavyBytes);

async function head(): Promise<string> {
  const { json } = await server.request("GET", `${maps}?limit=1`);
  return pickText(json, "metadata.resourceVersion");
}

async function patch(name: string, body: object): Promise<void> {
  const { status, text } = await server.request("PATCH", `${maps}/${name}`, body);
  assert.equal(status, 200, text);
}

async function heavyJobs(): Promise<number> {
  const { text } = await server.request("GET", "/metrics");
  return Number(/^setpoint_heavy_jobs_total (\d+)$/m.exec(text)?.[1]);
}

/** As many watches with other selectors, all of which select the resources with the label. */
async function watchWith(
  label: string,
  count: number,
  headers: Readonly<Record<string, string>> = {},
): Promise<readonly WatchStream[]> {
  const open = server.hub.watchers;
  const from = await head();
  const watches: WatchStream[] = [];
  for (let at = 0; at < count; at++) {
    const selector = encodeURIComponent(`${label},no!=${at}`);
    const query = `watch=1&resourceVersion=${from}&includeObject=Object&labelSelector=${selector}`;
    watches.push(await server.watch(`${maps}?${query}`, headers));
  }
  await waitUntil("watchers", () => server.hub.watchers === open + count);
  return watches;
}

function shown(frame: WatchFrame | undefined): string {
  const row = pick(frame?.object, "rows.0.object") ?? frame?.object;
  const parts = [frame?.type, pick(row, "metadata.name"), pick(row, "data.n")];
  return parts.filter((part) => typeof part === "string").join(" ");
}

async function expectAll(
  watches: readonly WatchStream[],
  expected: readonly string[],
): Promise<void> {
  for (const watch of watches) {
    assert.deepEqual((await watch.take(expected.length)).map(shown), expected);
  }
}

async function close(...watches: readonly WatchStream[]): Promise<void> {
  for (const watch of watches) watch.close();
  await waitUntil("no watchers", () => server.hub.watchers === 0);
}

describe("the frame of a change", () => {
  it("is made once for watches with other selectors", async () => {
    const watches = await watchWith("objects", 30);
    const { made } = server.hub.frames;
    const metadata = { name: "objects", labels: { objects: "" } };
    await created(server.request("POST", maps, { metadata, data: { n: "1", large } }));
    await patch("objects", { data: { n: "2" } });
    await expectAll(watches, ["ADDED objects 1", "MODIFIED objects 2"]);
    assert.equal(server.hub.frames.made - made, 2);
    await close(...watches);
  });

  it("is made once as well when the resource leaves their selections", async () => {
    const metadata = { name: "leaves", labels: { leaves: "" } };
    await created(server.request("POST", maps, { metadata, data: { n: "1", large } }));
    const watches = await watchWith("leaves", 30);
    const { made } = server.hub.frames;
    await patch("leaves", { metadata: { labels: { leaves: null } }, data: { n: "2" } });
    // As it was when it was last selected.
    await expectAll(watches, ["DELETED leaves 1"]);
    assert.equal(server.hub.frames.made - made, 1);
    await close(...watches);
  });

  it("is a Table that a thread makes, once in a second, for all Table watches", async () => {
    const watches = await watchWith("tables", 30, table);
    const { made } = server.hub.frames;
    const jobs = await heavyJobs();
    const started = performance.now();
    const metadata = { name: "tables", labels: { tables: "" } };
    await created(server.request("POST", maps, { metadata, data: { n: "1", large } }));
    await patch("tables", { data: { n: "2" } });
    const frames = await Promise.all(watches.map((watch) => watch.take(2)));
    for (const [first, second] of frames) {
      assert.deepEqual([shown(first), shown(second)], ["ADDED tables 1", "MODIFIED tables 2"]);
      assert.ok(Array.isArray(pick(first?.object, "columnDefinitions")));
      assert.equal(pick(second?.object, "columnDefinitions"), null);
    }
    const seconds = Math.ceil((performance.now() - started) / 1_000) + 1;
    const count = server.hub.frames.made - made;
    assert.ok(count >= 2 && count <= 2 * seconds, `${count} frames in ${seconds} s`);
    assert.equal((await heavyJobs()) - jobs, count);
    await close(...watches);
  });

  it("is made once for each form, and small documents need no thread", async () => {
    const watches = [
      ...(await watchWith("forms", 5)),
      ...(await watchWith("forms", 5, metadataOnly)),
      ...(await watchWith("forms", 5, {
        accept: metadataOnly.accept.replace("v=v1", "v=v1beta1"),
      })),
    ];
    const { made } = server.hub.frames;
    const jobs = await heavyJobs();
    const metadata = { name: "forms", labels: { forms: "" } };
    await created(server.request("POST", maps, { metadata, data: { n: "1" } }));
    await expectAll(watches.slice(0, 5), ["ADDED forms 1"]);
    await expectAll(watches.slice(5), ["ADDED forms"]);
    assert.equal(server.hub.frames.made - made, 3);
    assert.equal((await heavyJobs()) - jobs, 0);
    await close(...watches);
  });
});

describe("a watch of Tables", () => {
  it("has its columns in the first frame, whatever other watches have received", async () => {
    const [early] = await watchWith("columns", 1, table);
    const metadata = { name: "columns", labels: { columns: "" } };
    await created(server.request("POST", maps, { metadata, data: { n: "1" } }));
    assert.ok(Array.isArray(pick((await early?.next())?.object, "columnDefinitions")));
    const [late] = await watchWith("columns", 1, table);
    await patch("columns", { data: { n: "2" } });
    const [earlyFrame, lateFrame] = [await early?.next(), await late?.next()];
    assert.equal(pick(earlyFrame?.object, "columnDefinitions"), null);
    const columns = pick(lateFrame?.object, "columnDefinitions") as readonly object[];
    assert.deepEqual(
      columns.map((column) => pick(column, "name")),
      ["Name", "Data", "Age"],
    );
    // Apart from the columns the frames are equal.
    const rest = { ...(lateFrame?.object as object), columnDefinitions: null };
    assert.deepEqual(rest, earlyFrame?.object);
    await close(...[early, late].filter((watch) => watch !== undefined));
  });

  it("begins with large documents that a thread makes into Tables, page by page", async () => {
    for (const name of ["first-1", "first-2", "first-3"]) {
      const metadata = { name, labels: { first: "" } };
      await created(server.request("POST", maps, { metadata, data: { n: name, large } }));
    }
    const jobs = await heavyJobs();
    const query = "watch=1&includeObject=Object&labelSelector=first";
    const watch = await server.watch(`${maps}?${query}`, table);
    const frames = await watch.take(3);
    assert.deepEqual(frames.map(shown), [
      "ADDED first-1 first-1",
      "ADDED first-2 first-2",
      "ADDED first-3 first-3",
    ]);
    assert.deepEqual(
      frames.map(({ object }) => pick(object, "columnDefinitions") === null),
      [false, true, true],
    );
    assert.ok((await heavyJobs()) > jobs);
    await close(watch);
  });
});

describe("changes during the start of a watch", () => {
  it("come each once and in order in every form, while others are written", async () => {
    const name = "busy";
    const metadata = { name, labels: { busy: "" } };
    await created(server.request("POST", maps, { metadata, data: { n: "0" } }));
    const from = await head();
    const done = new AbortController();
    let last = 0;
    const writing = (async () => {
      while (!done.signal.aborted) {
        last += 1;
        await patch(name, { data: { n: String(last), large: last % 3 === 0 ? large : "" } });
      }
    })();
    const watches: WatchStream[] = [];
    for (let round = 0; round < 12; round++) {
      const accept = [{}, table, metadataOnly][round % 3] ?? {};
      const query = `watch=1&resourceVersion=${from}&includeObject=Object&labelSelector=busy`;
      watches.push(await server.watch(`${maps}?${query},no!=${round % 2}`, accept));
    }
    await waitUntil("some changes", () => last > 30);
    done.abort();
    await writing;
    await patch(name, { data: { n: "end" } });
    for (const [at, watch] of watches.entries()) {
      const frames = await watch.take(last + 1);
      const revisions = frames.map(({ object }) =>
        Number(
          pick(object, "rows.0.object.metadata.resourceVersion") ??
            pick(object, "metadata.resourceVersion"),
        ),
      );
      assert.deepEqual(
        revisions,
        [...new Set(revisions)].sort((one, other) => one - other),
        `watch ${at}`,
      );
      if (at % 3 !== 2) {
        const numbers = frames.map((frame) => shown(frame).split(" ")[2]);
        assert.deepEqual(
          numbers,
          [...Array(last).keys()].map((each) => `${each + 1}`).concat("end"),
        );
      }
    }
    await close(...watches);
  });
});

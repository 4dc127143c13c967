import assert from "node:assert/strict";
import { test } from "node:test";
import type { RouteAnswer } from "../../contract/route.ts";
import type { Json, JsonObject } from "../../kernel/json.ts";
import { key, put } from "../../store/contract/samples.ts";
import { newSealKey } from "../../store/key-ring.ts";
import { openSqliteStore } from "../../store/sqlite/store.ts";
import { httpPrimary } from "./http-primary.ts";
import type { PrimaryCalls } from "./http-primary.ts";
import { shipRoutes } from "./ship-routes.ts";

const keys = [newSealKey()];
const open = async () => await openSqliteStore({ path: ":memory:", keys });
const name = { scope: "paths", name: "/x" };

/** Calls the handlers of the routes, with JSON in between as on the network. */
function callsOf(store: Parameters<typeof shipRoutes>[0]): PrimaryCalls {
  const routes = shipRoutes(store);
  const answer = async (method: string, url: string, body?: Json): Promise<RouteAnswer> => {
    const { pathname, searchParams } = new URL(url, "https://primary.example");
    const route = routes.find((each) => each.method === method && each.path === pathname);
    assert(route !== undefined, `${method} ${pathname} is a route`);
    const query = Object.fromEntries([...searchParams].map(([at, text]) => [at, Number(text)]));
    const request = { query, body } as unknown as Parameters<typeof route.handle>[0];
    return await route.handle(request);
  };
  const document = async (method: string, url: string, body?: Json): Promise<Json> => {
    const found = await answer(method, url, body);
    assert(found.kind === "document");
    return JSON.parse(JSON.stringify(found.document)) as Json;
  };
  return {
    get: (path) => document("GET", path),
    post: (path, body) => document("POST", path, body),
    lines: async function* (path) {
      const found = await answer("GET", path);
      assert(found.kind === "stream");
      for await (const { item } of found.items) {
        yield JSON.parse(JSON.stringify(item)) as JsonObject;
      }
    },
  };
}

test("a store is seeded, followed and taken over through the routes of a server", async () => {
  await using primary = await open();
  await using secondary = await open();
  const remote = httpPrimary(callsOf(primary));
  await primary.commit([put(key("a"), { content: { secrets: { password: "p" } } })]);
  await secondary.replication.seed(remote.dump(), "first");
  await primary.commit([
    put(key("b"), { names: [name], content: { labels: { app: "\u{1f600}" } } }),
  ]);
  const { at } = await secondary.replication.standing();
  await secondary.replication.follow(await remote.replication.ship(at));
  const from = await remote.replication.demote("second");
  await secondary.replication.promote({ from, kinds: [], perSecond: 1 });
  const both = [key("a"), key("b")];
  assert.deepEqual(await secondary.getMany(both), await primary.getMany(both));
  assert.deepEqual(await secondary.nameHolder(name), key("b"));
  assert.equal((await remote.replication.standing()).role, "secondary");
});

test("a dump that breaks off fills nothing", async () => {
  await using primary = await open();
  await using secondary = await open();
  await primary.commit([put(key("a"))]);
  const calls = callsOf(primary);
  const cut: PrimaryCalls = {
    ...calls,
    lines: async function* (path) {
      for await (const line of calls.lines(path)) if (line["row"] !== "end") yield line;
    },
  };
  await assert.rejects(
    secondary.replication.seed(httpPrimary(cut).dump(), "first"),
    /dump of the primary is not complete/,
  );
  assert.equal((await secondary.head()).revision, 0);
});

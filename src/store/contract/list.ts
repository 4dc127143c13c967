/** Lists: order, filters, pages. What a list at an old revision gives is in snapshot.ts. */
import assert from "node:assert/strict";
import { parseSelector } from "../../kernel/selector.ts";
import type { ListQuery, Store } from "../port.ts";
import { scenario } from "./harness.ts";
import type { OpenStore } from "./harness.ts";
import {
  commit,
  del,
  draft,
  exists,
  gadgets,
  key,
  listAll,
  listNames,
  names,
  pagesOf,
  put,
  widgets,
} from "./samples.ts";
import type { Content } from "./samples.ts";

export function listContract(open: OpenStore): void {
  order(open);
  selectors(open);
  fieldsAndOwners(open);
  paging(open);
}

function order(open: OpenStore): void {
  scenario(open, "a list is ordered by namespace and name, by code point", async (h) => {
    // The last two differ between UTF-16 units and code points; "a-" sorts before "a" + "b".
    const texts = ["a", "a-b", "ab", "A", "é", "z", "\uff5e", "\u{1f600}"];
    const places = texts.flatMap((name) => [key(name, "b"), key(name, "B"), key(name, "")]);
    for (const of of places.toReversed()) await commit(h.store, put(of));
    const listed = await listAll(h.store, { kind: widgets });
    const sorted = ["A", "a", "a-b", "ab", "z", "é", "\uff5e", "\u{1f600}"];
    assert.deepEqual(
      listed.map((record) => `${record.key.namespace}/${record.key.name}`),
      ["", "B", "b"].flatMap((namespace) => sorted.map((name) => `${namespace}/${name}`)),
    );
    const paged = await listAll(h.store, { kind: widgets, limit: 5 });
    assert.deepEqual(paged, listed);
  });

  scenario(open, "a list has only its kind, and only its namespace if one is named", async (h) => {
    await h.store.commit([put(key("a", "x")), put(key("b", "y")), put(key("c", ""))]);
    await commit(h.store, put(key("d", "x", gadgets)));
    assert.deepEqual(await listNames(h.store, {}), ["c", "a", "b"]);
    assert.deepEqual(await listNames(h.store, { namespace: "x" }), ["a"]);
    assert.deepEqual(await listNames(h.store, { namespace: "" }), ["c"]);
    assert.deepEqual(await listNames(h.store, { namespace: "none" }), []);
    assert.deepEqual(await listNames(h.store, { kind: gadgets }), ["d"]);
    assert.deepEqual(await listNames(h.store, { kind: "none" }), []);
  });

  scenario(open, "a list gives whole records and the revision it was made at", async (h) => {
    await h.store.commit([put(key("a")), put(key("b")), put(key("c", "team", gadgets))]);
    await commit(h.store, del(key("a")));
    const page = await h.store.list({ kind: widgets });
    const { body } = draft(key("b"));
    assert.equal(page.revision, 4);
    assert.deepEqual(page.records, [{ key: key("b"), uid: "uid-b", revision: 2, body }]);
    assert.equal(page.next, undefined);
  });
}

async function fill(store: Store, contents: { readonly [name: string]: Content }): Promise<void> {
  for (const [name, content] of Object.entries(contents)) {
    await commit(store, put(key(name), { content }));
  }
}

function selectors(open: OpenStore): void {
  const cases: readonly (readonly [string, readonly string[]])[] = [
    ["app=web", ["web1", "web2"]],
    ["app in (web,db)", ["db", "web1", "web2"]],
    ["app in (none)", []],
    ["app!=web", ["bare", "db", "empty"]],
    ["app notin (web,db)", ["bare", "empty"]],
    ["app", ["db", "empty", "web1", "web2"]],
    ["!app", ["bare"]],
    ["app=", ["empty"]],
    ["app=web,tier=front", ["web1"]],
    ["app=web,tier!=front", ["web2"]],
    ["app,!tier", ["db", "empty"]],
    ["ap", []],
    ["app/x", ["web2"]],
    ["tier in (front,back),tier notin (back)", ["web1"]],
  ];
  scenario(open, "label selectors find what matches, and only that", async (h) => {
    await fill(h.store, {
      web1: { labels: { app: "web", tier: "front" } },
      web2: { labels: { app: "web", tier: "back", "app/x": "web" } },
      db: { labels: { app: "db" } },
      empty: { labels: { app: "" } },
      bare: {},
    });
    for (const [selector, expected] of cases) {
      const labels = parseSelector(selector);
      assert.deepEqual(await listNames(h.store, { labels }), expected, selector);
      assert.deepEqual(await listNames(h.store, { labels, limit: 1 }), expected, selector);
      const head = await h.store.head();
      const then = await listNames(h.store, { labels, at: head.revision });
      assert.deepEqual(then, expected, selector);
    }
  });

  scenario(open, "a selector follows labels that change and resources that go", async (h) => {
    const labels = parseSelector("app=web");
    await fill(h.store, { a: { labels: { app: "web" } }, b: {}, c: { labels: { app: "web" } } });
    const relabel = { when: exists, content: { labels: { app: "web" } } };
    await h.store.commit([put(key("a"), { when: exists }), put(key("b"), relabel), del(key("c"))]);
    assert.deepEqual(await listNames(h.store, { labels }), ["b"]);
    assert.deepEqual(await listNames(h.store, { labels, at: 3 }), ["a", "c"]);
    await commit(h.store, put(key("c"), { uid: "again" }));
    assert.deepEqual(await listNames(h.store, { labels }), ["b"]);
  });

  scenario(open, "a selector finds long values by their whole length", async (h) => {
    const long = "x".repeat(5_000);
    await fill(h.store, {
      a: { fields: { "spec.f": `${long}1` } },
      b: { fields: { "spec.f": long } },
    });
    const fields = [{ path: "spec.f", operator: "in", values: [long] }] as const;
    assert.deepEqual(await listNames(h.store, { fields }), ["b"]);
  });
}

function fieldsAndOwners(open: OpenStore): void {
  scenario(open, "field requirements find by value; what lacks the field is not in", async (h) => {
    await fill(h.store, {
      red: { fields: { "spec.color": "red" } },
      blue: { fields: { "spec.color": "blue", "spec.size": "1" } },
      bare: {},
    });
    const ask = async (operator: "in" | "notin", ...values: string[]) =>
      await listNames(h.store, { fields: [{ path: "spec.color", operator, values }] });
    assert.deepEqual(await ask("in", "red"), ["red"]);
    assert.deepEqual(await ask("in", "red", "blue"), ["blue", "red"]);
    assert.deepEqual(await ask("in", "green"), []);
    assert.deepEqual(await ask("notin", "red"), ["bare", "blue"]);
  });

  scenario(open, "an owner's list has what names it among its owners", async (h) => {
    await fill(h.store, {
      one: { owners: ["p"] },
      two: { owners: ["p", "q"] },
      other: { owners: ["q"] },
      none: { labels: { p: "p" } },
    });
    assert.deepEqual(await listNames(h.store, { owner: "p" }), ["one", "two"]);
    assert.deepEqual(await listNames(h.store, { owner: "q" }), ["other", "two"]);
    assert.deepEqual(await listNames(h.store, { owner: "x" }), []);
  });

  scenario(open, "namespace, labels, fields and owner all have to hold", async (h) => {
    const all = { labels: { app: "web" }, fields: { "spec.color": "red" }, owners: ["p"] };
    await fill(h.store, {
      all,
      noLabel: { ...all, labels: { app: "db" } },
      noField: { ...all, fields: {} },
      noOwner: { ...all, owners: [] },
    });
    await commit(h.store, put(key("elsewhere", "other"), { content: all }));
    const query = {
      namespace: "team",
      labels: parseSelector("app=web,!gone"),
      fields: [{ path: "spec.color", operator: "in", values: ["red"] }] as const,
      owner: "p",
    };
    assert.deepEqual(await listNames(h.store, query), ["all"]);
    assert.deepEqual(await listNames(h.store, { ...query, limit: 1 }), ["all"]);
  });
}

function paging(open: OpenStore): void {
  scenario(open, "pages hold at most their limit and together the whole list", async (h) => {
    const all = Array.from({ length: 23 }, (_, i) => key(`n${String(i).padStart(2, "0")}`));
    await h.store.commit(all.map((of) => put(of)));
    for (const limit of [1, 7, 23, 100]) {
      const pages = await pagesOf(h.store, { kind: widgets, limit });
      for (const page of pages) assert(page.records.length <= limit);
      assert(pages.every((page) => page.revision === 23));
      const seen = names(pages.flatMap((page) => page.records));
      assert.deepEqual(seen, names(all.map((of) => ({ key: of }))));
    }
  });

  scenario(open, "a page says how many follow it on its snapshot, when asked", async (h) => {
    const all = ["a", "b", "c", "d", "e", "f", "g"].map((name) => key(name));
    await h.store.commit(
      [...all, key("x", "other"), key("a", "team", gadgets)].map((of) => put(of)),
    );
    const query = { kind: widgets, limit: 2, countRemaining: true };
    const counts = async (more: Partial<ListQuery> = {}) =>
      (await pagesOf(h.store, { ...query, ...more })).map((page) => page.remaining);
    assert.deepEqual(await counts(), [6, 4, 2, undefined]);
    assert.deepEqual(await counts({ namespace: "team" }), [5, 3, 1, undefined]);
    assert.deepEqual(await counts({ countRemaining: false }), [
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
    assert.deepEqual((await counts({ labels: parseSelector("!x") }))[0], undefined);
    const { next, revision } = await h.store.list(query);
    await h.store.commit([del(key("a")), del(key("c")), del(key("d")), put(key("h"))]);
    await h.store.commit([
      put(key("c"), { uid: "again" }),
      put(key("b"), { when: exists, content: { spec: 1 } }),
    ]);
    await h.store.commit([put(key("i"), {}), put(key("b", "a")), put(key("z", "team", gadgets))]);
    await commit(h.store, del(key("i")));
    assert(next !== undefined);
    assert.deepEqual(await counts({ from: next }), [4, 2, undefined]);
    assert.deepEqual(await counts({ at: revision }), [6, 4, 2, undefined]);
    assert.deepEqual(await counts({ at: revision, namespace: "team" }), [5, 3, 1, undefined]);
    assert.deepEqual(await counts(), [6, 4, 2, undefined]);
  });

  scenario(open, "pages show one snapshot, whatever is written between them", async (h) => {
    const content = { labels: { app: "web" } };
    const start = ["b", "d", "f", "h", "j"].map((name) => put(key(name), { content }));
    await h.store.commit(start);
    const labels = parseSelector("app=web");
    for (const query of [{}, { labels }, { namespace: "team" }]) {
      const before = await listAll(h.store, { kind: widgets, ...query });
      const first = await h.store.list({ kind: widgets, ...query, limit: 2 });
      const [seen, changed, deleted, recreated] = names(before);
      assert(seen !== undefined && changed !== undefined);
      assert(deleted !== undefined && recreated !== undefined);
      await commit(h.store, put(key(changed), { when: exists, content: { spec: first.revision } }));
      await h.store.commit([del(key(seen)), del(key(deleted)), del(key(recreated))]);
      await commit(h.store, put(key(recreated), { uid: "again", content }));
      await commit(h.store, put(key(`e${first.revision}`), { content }));
      await commit(h.store, put(key("0"), { content }));
      const rest = await listAll(h.store, {
        kind: widgets,
        ...query,
        limit: 2,
        ...(first.next && { from: first.next }),
      });
      assert.deepEqual([...first.records, ...rest], before);
      await h.store.commit([del(key("0")), put(key("g"), { content }), put(key("i"), { content })]);
    }
  });
}

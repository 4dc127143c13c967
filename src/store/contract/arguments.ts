/** Arguments outside their domain are refused by name; a limit above its bound is cut to it. */
import assert from "node:assert/strict";
import { isSetpointError } from "../../kernel/errors.ts";
import { limits } from "../../kernel/limits.ts";
import { scenario } from "./harness.ts";
import type { OpenStore } from "./harness.ts";
import { claimOne, claimSome, key, listNames, minuteMs, put, rejectsWith } from "./samples.ts";
import { wake, widgets } from "./samples.ts";

const notCounts = [-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53];
const notPositive = [0, ...notCounts];
const half = "a\ud800";
const unstorable = ["a\u0000b", half];

async function refused(argument: string, call: () => Promise<unknown>): Promise<void> {
  await assert.rejects(
    call,
    (error) => isSetpointError(error, "request.invalid") && error.details["argument"] === argument,
    `${argument} is refused by name`,
  );
}

export function argumentsContract(open: OpenStore): void {
  scenario(open, "claims and renewals take sensible numbers and texts only", async ({ store }) => {
    await store.commit([put(key("a"), { due: wake() })]);
    for (const limit of notPositive) await refused("limit", () => claimSome(store, { limit }));
    for (const perNamespace of notPositive) {
      await refused("perNamespace", () => claimSome(store, { perNamespace }));
    }
    for (const owner of ["", "o".repeat(254), ...unstorable]) {
      await refused("owner", () => claimSome(store, { owner }));
    }
    for (const kinds of [[], [""], unstorable]) {
      await refused("kinds", () => claimSome(store, { kinds }));
    }
    await refused("skipNamespaces", () => claimSome(store, { skipNamespaces: unstorable }));
    await refused("kinds", () => store.nextDue(unstorable));
    const notLeases = [...notPositive, limits.maxLeaseTtlMs + 1];
    for (const leaseMs of notLeases) await refused("leaseMs", () => claimSome(store, { leaseMs }));
    const claim = await claimOne(store, { limit: 1e9, leaseMs: limits.maxLeaseTtlMs });
    for (const leaseMs of notLeases) await refused("leaseMs", () => store.renew([claim], leaseMs));
    for (const token of notCounts) {
      await refused("claims.token", () => store.renew([{ key: claim.key, token }], minuteMs));
    }
    await refused("claims.key.name", () => store.renew([{ key: key(half), token: 1 }], minuteMs));
    // Nothing of this has touched the claim.
    assert.equal((await store.renew([claim], minuteMs)).renewed.length, 1);
  });

  scenario(open, "pages take sensible limits and revisions only", async ({ store }) => {
    await store.commit([put(key("a")), put(key("b"))]);
    const kind = widgets;
    for (const limit of notPositive) {
      await refused("limit", () => store.list({ kind, limit }));
      await refused("limit", () => store.changes(0, limit));
      await refused("limit", () => store.history(key("a"), { limit }));
    }
    for (const kinds of [[], [""], unstorable]) {
      await refused("kinds", () => store.changes(0, 1, { kinds }));
    }
    for (const revision of notCounts) {
      const from = { revision, namespace: "", name: "" };
      await refused("at", () => store.list({ kind, at: revision }));
      await refused("from.revision", () => store.list({ kind, from }));
      await refused("after", () => store.changes(revision));
      await refused("before", () => store.history(key("a"), { before: revision }));
      await refused("upTo", () => store.compact(revision));
    }
    assert.equal((await store.list({ kind, limit: 1e9 })).records.length, 2);
    assert.equal((await store.changes(0, 1e9)).changes.length, 2);
    assert.equal((await store.history(key("a"), { limit: 1e9 })).length, 1);
  });

  scenario(open, "selectors are bounded texts, and one without values finds none", async (h) => {
    const { store } = h;
    await store.commit([put(key("a"), { content: { labels: { x: "1" } } })]);
    const none = { operator: "in", values: [] } as const;
    const all = { operator: "notin", values: [] } as const;
    assert.deepEqual(await listNames(store, { labels: [{ key: "x", ...none }] }), []);
    assert.deepEqual(await listNames(store, { fields: [{ path: "x", ...none }] }), []);
    assert.deepEqual(await listNames(store, { labels: [{ key: "x", ...all }] }), ["a"]);
    assert.deepEqual(await listNames(store, { fields: [{ path: "x", ...all }] }), ["a"]);
    const odd = { key: "x", operator: "in", values: unstorable } as const;
    assert.deepEqual(await listNames(store, { labels: [odd] }), []);
    for (const text of unstorable) {
      await refused("kind", () => store.list({ kind: text }));
      await refused("namespace", () => listNames(store, { namespace: text }));
      await refused("owner", () => listNames(store, { owner: text }));
      await refused("labels.key", () => listNames(store, { labels: [{ key: text, ...none }] }));
      await refused("fields.path", () => listNames(store, { fields: [{ path: text, ...none }] }));
      const from = { revision: 1, namespace: "team", name: text };
      await refused("from.name", () => store.list({ kind: widgets, from }));
    }
    const values = Array.from({ length: limits.maxSelectorValues + 1 }, (_, i) => `v${i}`);
    const many = { key: "x", operator: "in", values } as const;
    await refused("labels", () => listNames(store, { labels: [many] }));
    const few = { ...many, values: [...values.slice(0, 1_000), "1"] };
    assert.deepEqual(await listNames(store, { labels: [few] }), ["a"]);
  });

  scenario(open, "what could not be stored is not there", async ({ store }) => {
    // A database that replaces half a surrogate pair would find this one instead.
    const lookalike = key("a\ufffd");
    const names = [{ scope: "s", name: "a\ufffd" }];
    await store.commit([put(lookalike, { names, uses: [{ counter: "a\ufffd", amount: 1 }] })]);
    for (const text of unstorable) {
      assert.equal(await store.get(key(text)), undefined);
      assert.deepEqual(await store.history(key(text)), []);
      assert.equal(await store.nameHolder({ scope: "s", name: text }), undefined);
      assert.deepEqual(await store.counter(text), { value: 0, max: undefined });
    }
    const found = await store.getMany([key(half), lookalike, key("x", half)]);
    assert.deepEqual(
      found.map((record) => record?.key.name),
      [undefined, "a\ufffd", undefined],
    );
  });

  scenario(open, "reads of many keys are bounded", async ({ store }) => {
    const keys = Array.from({ length: limits.maxPageItems + 1 }, () => key("a"));
    await rejectsWith("request.too_large", store.getMany(keys));
  });
}

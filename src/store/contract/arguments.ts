/** Arguments outside their domain are refused by name; a limit above its bound is cut to it. */
import assert from "node:assert/strict";
import { isSetpointError } from "../../kernel/errors.ts";
import { limits } from "../../kernel/limits.ts";
import type { ResourceKey } from "../../kernel/resource.ts";
import type { Put, Store, Write } from "../port.ts";
import { scenario } from "./harness.ts";
import type { OpenStore } from "./harness.ts";
import { claimOne, claimSome, del, key, listNames, minuteMs, put } from "./samples.ts";
import { rejectsWith, release, schedule, soon, wake, widgets } from "./samples.ts";

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

/** What a caller may give whose types nobody checked. */
function untyped(value: unknown): never {
  return value as never;
}

async function refusedWrite(store: Store, field: string, write: unknown): Promise<void> {
  const beside = put(key("beside"));
  for (const writes of [[write], [beside, write]] as Write[][]) {
    await assert.rejects(
      store.commit(writes),
      (error) => isSetpointError(error, "request.invalid") && error.details["field"] === field,
      `${field} is refused by name`,
    );
  }
}

export function argumentsContract(open: OpenStore): void {
  numbersAndTexts(open);
  forms(open);
}

function numbersAndTexts(open: OpenStore): void {
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
    const claim = await claimOne(store, {
      limit: 1e9,
      perNamespace: 2 ** 31,
      leaseMs: limits.maxLeaseTtlMs,
    });
    for (const leaseMs of notLeases) await refused("leaseMs", () => store.renew([claim], leaseMs));
    for (const token of notCounts) {
      await refused("claims.token", () => store.renew([{ key: claim.key, token }], minuteMs));
    }
    await refused("claims.key.name", () => store.renew([{ key: key(half), token: 1 }], minuteMs));
    await refused("claims", () => store.renew([untyped(null)], minuteMs));
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
      await refused("limit", () => store.verify({ limit }));
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
      await refused("after", () => store.advancedBeyond(revision, soon()));
      await refused("seen", () => store.workArrived(revision, soon()));
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

function forms(open: OpenStore): void {
  scenario(
    open,
    "a write of a form that nobody knows is refused and changes nothing",
    async (h) => {
      const { store } = h;
      const a = key("a");
      for (const kind of ["bogus", undefined]) {
        await refusedWrite(store, "kind", { ...put(a), kind });
      }
      await refusedWrite(store, "key", { ...put(a), key: undefined });
      await refusedWrite(store, "key.namespace", put({ ...a, namespace: untyped(undefined) }));
      for (const when of [undefined, null, {}, { kind: "bogus" }]) {
        await refusedWrite(store, "when", { ...put(a), when });
        await refusedWrite(store, "when", { ...schedule(a, wake()), when });
      }
      await refusedWrite(store, "claim", { ...put(a), claim: { token: 1 } });
      for (const due of [null, {}, { kind: "bogus", afterMs: 3 }]) {
        await refusedWrite(store, "due", { ...put(a), due });
        await refusedWrite(store, "due", { ...schedule(a, wake()), due });
      }
      await refusedWrite(store, "due.afterMs", { ...put(a), due: { kind: "wake" } });
      const due = { ...release(), attempts: undefined };
      await refusedWrite(store, "due.attempts", { ...schedule(a, wake()), due });
      for (const field of ["names", "uses", "bounds"] satisfies (keyof Put)[]) {
        for (const list of [null, {}, [null]]) {
          await refusedWrite(store, field, { ...put(a), [field]: list });
        }
      }
      for (const home of [null, "a"]) {
        const names = [{ scope: "s", name: "n", home }];
        await refusedWrite(store, "names.home", { ...put(a), names });
      }
      const names = [{ scope: "s", name: "n", home: { ...a, kind: "" } }];
      await refusedWrite(store, "names.home.kind", put(a, { names }));
      assert.equal((await store.head()).revision, 0);
    },
  );

  scenario(open, "a draft is a buffer and two lists", async ({ store }) => {
    const { draft, ...write } = put(key("a"));
    await refusedWrite(store, "draft", write);
    for (const body of [undefined, "{}", new Uint8Array(draft.body)]) {
      await refusedWrite(store, "draft.body", { ...write, draft: { ...draft, body } });
    }
    for (const terms of [undefined, "ab", [1]]) {
      await refusedWrite(store, "draft.terms", { ...write, draft: { ...draft, terms } });
    }
    for (const secrets of [undefined, "/a", [1]]) {
      await refusedWrite(store, "draft.secrets", { ...write, draft: { ...draft, secrets } });
    }
    const last = { ...draft, terms: undefined };
    await refusedWrite(store, "last.terms", { ...del(key("a")), last });
    await refused("writes", () => store.commit(untyped("ab")));
    await refused("atomic", () => store.commit([put(key("a"))], { atomic: untyped("yes") }));
    assert.equal((await store.head()).revision, 0);
  });

  scenario(open, "a question of a form that nobody knows is refused by name", async ({ store }) => {
    await store.commit([put({ ...key("a"), namespace: "undefined" })]);
    for (const nowhere of [undefined, { ...key("a"), namespace: untyped(undefined) }]) {
      const of: ResourceKey = untyped(nowhere);
      await refused("key", () => store.get(of));
      await refused("key", () => store.getMany([of]));
      await refused("key", () => store.workOf([of]));
      await refused("key", () => store.history(of));
      await refused("key", async () => store.lastSeen(of));
    }
    await refused("keys", () => store.getMany(untyped(undefined)));
    for (const ids of [undefined, "ab", [10n], [""]]) {
      await refused("ids", () => store.retireKeys(untyped(ids)));
    }
    await refused("scope", () => store.nameHolder(untyped({ name: "a" })));
    await refused("key", () => store.nameHolder(untyped({ scope: "a", name: "b", home: "c" })));
    await refused("counter", () => store.counter(untyped(undefined)));
    await refused("kinds", () => claimSome(store, { kinds: untyped("ab") }));
    await refused("kinds", () => store.nextDue(untyped(undefined)));
    const values: readonly string[] = ["1"];
    const odd: "in" = untyped("bogus");
    await refused("labels.operator", () => {
      return listNames(store, { labels: [{ key: "x", operator: odd, values }] });
    });
    await refused("fields.operator", () => {
      return listNames(store, { fields: [{ path: "x", operator: odd, values }] });
    });
    for (const none of [undefined, "1", [null]]) {
      const wanted = { operator: "in", values: untyped(none) } as const;
      await refused("labels.values", () => listNames(store, { labels: [{ key: "x", ...wanted }] }));
      await refused("fields.values", () => {
        return listNames(store, { fields: [{ path: "x", ...wanted }] });
      });
    }
    await refused("labels", () => listNames(store, { labels: [untyped(null)] }));
    await refused("query", () => store.list(untyped(undefined)));
    await refused("query", () => store.backlog(untyped(undefined)));
    await refused("options", () => store.changes(0, 1, untyped(null)));
    await refused("options", () => store.verify(untyped(null)));
  });
}

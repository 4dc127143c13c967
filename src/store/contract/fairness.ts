/** Fair claims: a namespace with much to do does not keep the others waiting. */
import assert from "node:assert/strict";
import { limits } from "../../kernel/limits.ts";
import type { Claim, Store } from "../port.ts";
import { scenario } from "./harness.ts";
import type { OpenStore } from "./harness.ts";
import { claimSome, key, minuteMs, put, wake } from "./samples.ts";

/** Makes so many resources due in each namespace; the first namespace has waited longest. */
async function fill(store: Store, counts: { readonly [namespace: string]: number }): Promise<void> {
  for (const [namespace, count] of Object.entries(counts)) {
    const writes = Array.from({ length: count }, (_, i) =>
      put(key(`n${i}`, namespace), { due: wake() }),
    );
    await store.commit(writes);
  }
}

function shares(claims: readonly Claim[]): { readonly [namespace: string]: number } {
  const result: { [namespace: string]: number } = {};
  for (const { key: of } of claims) result[of.namespace] = (result[of.namespace] ?? 0) + 1;
  return result;
}

export function fairnessContract(open: OpenStore): void {
  scenario(open, "namespaces take turns when more is due than fits", async (h) => {
    await fill(h.store, { big: 200, small: 1, medium: 5 });
    assert.deepEqual(shares(await claimSome(h.store, { limit: 3 })), {
      big: 1,
      small: 1,
      medium: 1,
    });
    assert.deepEqual(shares(await claimSome(h.store, { limit: 6 })), { big: 3, medium: 3 });
    assert.deepEqual(shares(await claimSome(h.store, { limit: 5 })), { big: 4, medium: 1 });
    assert.deepEqual(shares(await claimSome(h.store, { limit: 5 })), { big: 5 });
  });

  scenario(open, "nobody gets a second turn before everybody had a first", async (h) => {
    const many = Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`team-${i}`, 12 - i]));
    await fill(h.store, many);
    const first = shares(await claimSome(h.store, { limit: 12 }));
    assert.deepEqual(
      Object.values(first),
      Array.from({ length: 12 }, () => 1),
    );
    const second = Object.values(shares(await claimSome(h.store, { limit: 20 })));
    assert(Math.max(...second) - Math.min(...second) <= 1, `unfair: ${second.join(" ")}`);
  });

  scenario(open, "everything due is claimed when it fits", async (h) => {
    await fill(h.store, { big: 20, small: 1, "": 2 });
    const claims = await claimSome(h.store, { limit: 60 });
    assert.deepEqual(shares(claims), { big: 20, small: 1, "": 2 });
  });

  scenario(open, "a batch takes at most its share of one namespace", async (h) => {
    await fill(h.store, { big: 20, small: 1 });
    const claims = await claimSome(h.store, { limit: 10, perNamespace: 3 });
    assert.deepEqual(shares(claims), { big: 3, small: 1 });
    const next = await claimSome(h.store, { limit: 2, perNamespace: 3 });
    assert.deepEqual(shares(next), { big: 2 });
  });

  scenario(open, "skipped namespaces are left alone", async (h) => {
    await fill(h.store, { big: 20, small: 2, "": 1 });
    const skipNamespaces = ["big", "none", ""];
    assert.deepEqual(shares(await claimSome(h.store, { skipNamespaces })), { small: 2 });
    assert.deepEqual(await claimSome(h.store, { skipNamespaces }), []);
    assert.deepEqual(shares(await claimSome(h.store, { limit: 1, skipNamespaces: ["big"] })), {
      "": 1,
    });
  });

  scenario(
    open,
    "namespaces whose work is not yet due do not hide one whose work is",
    async (h) => {
      const later = Array.from({ length: limits.maxClaimNamespaces + 76 }, (_, i) =>
        put(key("later", `n${String(i).padStart(5, "0")}`), { due: wake(60 * minuteMs) }),
      );
      await h.store.commit(later);
      await fill(h.store, { zzz: 12 });
      const claimed: Claim[] = [];
      for (let round = 0; round < 3; round += 1) {
        claimed.push(...(await claimSome(h.store, { limit: 5, perNamespace: 4 })));
      }
      assert.deepEqual(shares(claimed), { zzz: 12 });
    },
  );

  scenario(open, "inside a namespace the longest due comes first", async (h) => {
    for (const [name, minutes] of Object.entries({ b: 2, a: 3, d: 1, c: 4 })) {
      await h.store.commit([put(key(name), { due: wake(minutes * minuteMs) })]);
    }
    await h.advanceClock(5 * minuteMs);
    for (const name of ["d", "b", "a", "c"]) {
      const [claim] = await claimSome(h.store, { limit: 1 });
      assert.equal(claim?.key.name, name);
    }
  });
}

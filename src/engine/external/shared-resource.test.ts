import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../kernel/json.ts";
import type { Resource } from "../../kernel/resource.ts";
import type { Store } from "../../store/port.ts";
import type { Reference } from "../reconciler.ts";
import { outcomeInside } from "../run/run-ended.ts";
import { checkAllowed, releaseWhenUnused, sharedResource } from "./shared-resource.ts";

const zone = { kind: "zones.example.dev", word: "Zone" } as const;

function resource(name: string, spec: JsonObject = {}, more: JsonObject = {}): Resource {
  const metadata = { name, uid: name, ...more };
  return { apiVersion: "example.dev/v1", kind: "Any", metadata, spec } as unknown as Resource;
}

/** With these resources, by name. */
function contextWith(...resources: readonly Resource[]) {
  const get = async ({ name }: Reference): Promise<Resource | undefined> =>
    resources.find((each) => each.metadata.name === name);
  return { references: { get } };
}

async function outcomeOf(run: Promise<unknown>): Promise<unknown> {
  return await run.then(
    () => "none",
    (error: unknown) => outcomeInside(error),
  );
}

test("a run waits for a shared resource that does not exist", async () => {
  const found = await sharedResource(contextWith(resource("a")), { ...zone, name: "a" });
  assert.equal(found.metadata.name, "a");
  const missing = sharedResource(contextWith(), { ...zone, name: "a" }, "; create it");
  const on = [{ kind: zone.kind, name: "a" }];
  const message = "the Zone a does not exist; create it";
  assert.deepEqual(await outcomeOf(missing), { kind: "waiting", on, message });
});

test("a run fails in a namespace that the shared resource does not allow", async () => {
  const user = resource("user", {}, { namespace: "team" });
  const allowing = (names: readonly string[]): Resource =>
    resource("a", { allow: { namespaces: { names } } });
  const context = contextWith(resource("team"));
  assert.equal(await outcomeOf(checkAllowed(context, user, allowing(["team"]), zone)), "none");
  assert.deepEqual(await outcomeOf(checkAllowed(context, user, allowing(["x"]), zone)), {
    kind: "failed",
    retry: "never",
    reason: "NamespaceForbidden",
    message: "the Zone a does not allow the namespace team",
  });
});

test("a run waits while the shared resource is being deleted", async () => {
  const leaving = resource("a", {}, { deletionTimestamp: "2026-01-01T00:00:00Z" });
  const user = resource("user", {}, { namespace: "team" });
  const on = [{ kind: zone.kind, name: "a", isThere: true }];
  const message = "the Zone a is being deleted";
  const outcome = await outcomeOf(checkAllowed(contextWith(), user, leaving, zone));
  assert.deepEqual(outcome, { kind: "waiting", on, message });
});

test("a shared resource is removed after its last user", async () => {
  const users = { kind: "records.example.dev", words: "Records", field: "spec.zone" };
  const storeWith = (count: number): Pick<Store, "list"> => ({
    list: async (query) => {
      assert.deepEqual(query.fields, [{ path: "spec.zone", operator: "in", values: ["a"] }]);
      return { records: Array.from({ length: count }), revision: 1 } as never;
    },
  });
  assert.equal((await releaseWhenUnused(storeWith(0), resource("a"), users)).kind, "done");
  const held = await releaseWhenUnused(storeWith(1), resource("a"), users);
  assert.ok(held.kind === "again");
  assert.equal(held.message, "Records use it; it is deleted after the last of them");
});

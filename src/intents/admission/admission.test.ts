import assert from "node:assert/strict";
import { test } from "node:test";
import type { Resource } from "../../kernel/resource.ts";
import { builtinServedKinds } from "../kinds/builtin-served.ts";
import { kindRegistry } from "../kinds/registry.ts";
import type { LiveView } from "../live-view.ts";
import { admissionChain } from "./admission.ts";
import type { AdmissionPlugin, AdmissionRequest } from "./admission.ts";

const empty: LiveView = {
  get: () => undefined,
  all: () => [],
  follow: () => () => undefined,
  reached: () => Promise.resolve(),
  has: () => false,
};

const kinds = kindRegistry(builtinServedKinds({ live: () => empty, clock: { nowMs: () => 0 } }));

function request(changes: Partial<AdmissionRequest> = {}): AdmissionRequest {
  const found = kinds.find("", "v1", "configmaps");
  assert.ok(found !== undefined);
  const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } };
  return {
    caller: {
      user: { name: "ann", groups: [], extra: {} },
      surface: "kube",
      warn: () => undefined,
    },
    operation: "CREATE",
    target: { ...found, namespace: "default", name: "a", subresource: "" },
    object: object as unknown as Resource,
    old: undefined,
    isDryRun: false,
    options: {},
    ...changes,
  };
}

function labelling(name: string, isLate: boolean): AdmissionPlugin {
  return {
    name,
    mutate: ({ object }) => {
      assert.ok(object !== undefined);
      const labels = { ...object.metadata.labels, [name]: "yes" };
      const changed = { ...object, metadata: { ...object.metadata, labels } };
      return isLate ? Promise.resolve(changed) : changed;
    },
  };
}

test("each policy sees what the one before left, at once or later", async () => {
  const chain = admissionChain([labelling("a", true), labelling("b", false)]);
  const result = await chain.mutate(request());
  assert.deepEqual(result.metadata.labels, { a: "yes", b: "yes" });
  const now = admissionChain([labelling("b", false)]).mutate(request());
  assert.ok(!(now instanceof Promise));
});

test("nothing waits and nothing is counted when there is nothing to say", () => {
  const chain = admissionChain([{ name: "silent", validate: () => undefined, uses: () => [] }]);
  const given = request();
  assert.equal(chain.mutate(given), given.object);
  assert.equal(chain.validate(given), undefined);
  assert.equal(chain.uses(given), undefined);
  assert.equal(chain.bounds(given), undefined);
});

test("mutating policies are asked about deletions, before the validating ones", async () => {
  const asked: string[] = [];
  const chain = admissionChain([
    { name: "validator", validate: () => void asked.push("validate") },
    {
      name: "mutator",
      mutate: ({ object }) => {
        asked.push("mutate");
        return Promise.resolve(object);
      },
    },
  ]);
  await chain.validate(request({ operation: "DELETE", object: undefined }));
  assert.deepEqual(asked, ["mutate", "validate"]);
});

test("only new resources are counted, against all counters", () => {
  const use = (counter: string): AdmissionPlugin => ({
    name: counter,
    uses: () => [{ counter, amount: 1 }],
  });
  const chain = admissionChain([use("a"), use("b")]);
  assert.deepEqual(
    chain.uses(request())?.map(({ counter }) => counter),
    ["a", "b"],
  );
  assert.equal(chain.uses(request({ operation: "UPDATE" })), undefined);
});

test("the names of all plugins are joined, and none at all leave the stored ones", () => {
  const naming = (name: string, ...found: readonly string[]): AdmissionPlugin => ({
    name,
    names: () =>
      found.length === 0 ? undefined : found.map((each) => ({ scope: "s", name: each })),
  });
  const names = (...plugins: readonly AdmissionPlugin[]): readonly string[] | undefined =>
    admissionChain(plugins)
      .names(request())
      ?.map((each) => each.name);
  assert.equal(names(naming("a"), naming("b")), undefined);
  assert.deepEqual(names(naming("a", "x"), naming("b"), naming("c", "y")), ["x", "y"]);
});

test("an update is counted where a plugin counts updates, and then by all of them", () => {
  const quota: AdmissionPlugin = { name: "quota", uses: () => [{ counter: "q", amount: 1 }] };
  const update = request({ operation: "UPDATE" });
  const counting = (isCounted: boolean): AdmissionPlugin => ({
    name: "cores",
    countsUpdates: true,
    uses: () => (isCounted ? [{ counter: "cores", amount: 4 }] : undefined),
  });
  assert.equal(admissionChain([quota]).uses(update), undefined);
  assert.equal(admissionChain([quota, counting(false)]).uses(update), undefined);
  const uses = admissionChain([quota, counting(true)]).uses(update);
  assert.deepEqual(
    uses?.map(({ counter, amount }) => [counter, amount]),
    [
      ["q", 1],
      ["cores", 4],
    ],
  );
});

test("a create-only field may change where any plugin allows it", () => {
  const { target, object } = request();
  assert.ok(object !== undefined);
  const allowing = (path: string): AdmissionPlugin => ({
    name: path,
    mayChange: (change) => change.path === path,
  });
  const chain = admissionChain([allowing("/spec/a"), allowing("/spec/b")]);
  const mayChange = (path: string): boolean =>
    chain.mayChange({ target, object, old: object, path });
  assert.deepEqual(["/spec/a", "/spec/b", "/spec/c"].map(mayChange), [true, true, false]);
});

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
  follow: () => undefined,
  reached: () => Promise.resolve(),
  has: () => false,
};

const kinds = kindRegistry(builtinServedKinds({ live: () => empty, clock: { nowMs: () => 0 } }));

function request(changes: Partial<AdmissionRequest> = {}): AdmissionRequest {
  const found = kinds.find("", "v1", "configmaps");
  assert.ok(found !== undefined);
  const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } };
  return {
    caller: { user: { name: "ann", groups: [], extra: {} }, warn: () => undefined },
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

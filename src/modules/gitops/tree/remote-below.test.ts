import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { ListIn } from "../../../acting/object-api.ts";
import { KubeError } from "../../../adapters/kubernetes/port.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { gitopsLimits } from "../limits.ts";
import type { HealthRules } from "../status/health.ts";
import type { TreeObject } from "./object-tree.ts";
import { remoteObjectsBelow } from "./remote-below.ts";

const rules: HealthRules = { assess: () => ({ status: "Healthy", message: "" }) };

function deployment(uid: string, namespace = "shop"): TreeObject {
  const at = { group: "apps", version: "v1", kind: "Deployment", namespace, name: `web-${uid}` };
  return { at, uid, owners: [], shown: {} };
}

function owned(kind: string, uid: string, owner: string): JsonObject {
  const apiVersion = kind === "Pod" ? "v1" : "apps/v1";
  const ownerReferences = [{ apiVersion: "v1", kind: "Any", name: "any", uid: owner }];
  return { apiVersion, kind, metadata: { name: uid, namespace: "shop", uid, ownerReferences } };
}

/** Answers by KIND; every call is noted. */
function lists(
  found: Readonly<Record<string, readonly JsonObject[] | Error>>,
  calls: string[] = [],
): ListIn {
  return async ({ kind }, namespace, most) => {
    calls.push(`${kind} ${namespace} ${most}`);
    const objects = found[kind];
    if (objects instanceof Error) throw objects;
    return objects && { objects, isPartial: objects.length === most };
  };
}

describe("objects below those of another server", () => {
  test("are read with one list for each kind and namespace", async () => {
    const calls: string[] = [];
    const listIn = lists(
      {
        ReplicaSet: [owned("ReplicaSet", "rs", "1"), owned("ReplicaSet", "rs-other", "9")],
        Pod: [owned("Pod", "pod", "rs"), owned("Pod", "pod-other", "rs-other")],
      },
      calls,
    );
    const below = await remoteObjectsBelow(listIn, rules, [
      deployment("1"),
      deployment("2"),
      deployment("", "nowhere"),
    ]);
    assert.deepEqual(calls, ["ReplicaSet shop 1000", "Pod shop 1000"]);
    assert.deepEqual(
      below.objects.map(({ uid, owners }) => [uid, owners]),
      [
        ["rs", ["1"]],
        ["pod", ["rs"]],
      ],
    );
    assert.deepEqual(below.notes, []);
  });

  test("are left out with a note where they cannot be read", async () => {
    const forbidden = new KubeError(403, "Forbidden", "GET /pods: pods is forbidden");
    const one = await remoteObjectsBelow(
      lists({ ReplicaSet: [owned("ReplicaSet", "rs", "1")], Pod: forbidden }),
      rules,
      [deployment("1")],
    );
    assert.equal(one.objects.length, 1);
    assert.deepEqual(one.notes, ["not read: GET /pods: pods is forbidden"]);
    const calls: string[] = [];
    const down = new KubeError(0, "timeout", "GET /replicasets: no answer");
    const none = await remoteObjectsBelow(lists({ ReplicaSet: down }, calls), rules, [
      deployment("1"),
    ]);
    assert.deepEqual(none.notes, ["the environment did not answer: GET /replicasets: no answer"]);
    assert.equal(calls.length, 1, "a server that does not answer is not asked again");
  });

  test("have bounds, which are reported", async () => {
    const { maxTreeList, maxTreeNamespaces } = gitopsLimits;
    const many = Array.from({ length: maxTreeList }, (_, at) => owned("ReplicaSet", `r${at}`, "0"));
    const calls: string[] = [];
    const managed = Array.from({ length: maxTreeNamespaces + 1 }, (_, at) =>
      deployment(`${at}`, `shop-${at}`),
    );
    const below = await remoteObjectsBelow(lists({ ReplicaSet: many }, calls), rules, managed);
    assert.equal(calls.length, 2 * maxTreeNamespaces);
    assert.equal(below.notes[0], "only 20 of 21 namespaces were read");
    assert.match(below.notes[1] ?? "", /^only 1000 objects of the kind ReplicaSet in shop-\d+ /);
    assert.equal(below.notes.length, gitopsLimits.maxNamed);
  });
});

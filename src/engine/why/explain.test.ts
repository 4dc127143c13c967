// Chains of blockers: followed to their ends, whatever the graph looks like.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as fc from "fast-check";
import { annotations } from "../../kernel/annotations.ts";
import { keyText } from "../../kernel/resource.ts";
import type { ResourceKey } from "../../kernel/resource.ts";
import { finalizer } from "../names.ts";
import type { Subject } from "./diagnosis.ts";
import { defaultBounds, explain } from "./explain.ts";
import type { Bounds, Explained, Explanation, Observer } from "./explain.ts";
import { condition, databases, keyTo, networks, nowMs, observing, ready } from "./samples.ts";
import { subjectOf, waiter, work } from "./samples.ts";

const orders = keyTo(databases, "orders");
const net = keyTo(networks, "net-1");

async function explained(
  observer: Observer,
  key: ResourceKey = orders,
  bounds?: Bounds,
): Promise<Explanation> {
  const found = await explain(observer, key, nowMs, bounds);
  assert(found !== undefined);
  return found;
}

/** The tree as indented lines. */
function lines(of: Explained, depth = 0): readonly string[] {
  const more = of.more === 0 ? [] : [`${"  ".repeat(depth + 1)}+${of.more}`];
  const own = `${"  ".repeat(depth)}${of.kind}/${of.key.name} ${of.state}`;
  return [own, ...of.blockers.flatMap((blocker) => lines(blocker, depth + 1)), ...more];
}

const brokenNet = subjectOf(net, {
  conditions: [
    condition("Ready", "False", "CreateFailed", "quota exceeded in region eu"),
    condition("Synced", "False", "CreateFailed", "quota exceeded in region eu"),
  ],
  reconcile: { attempts: 4, retry: "soon" },
  work: work({ dueInMs: 38_000 }),
});

describe("an explanation", () => {
  test("of what was ready and is being changed says just that", async () => {
    const parts = { conditions: [ready], observedGeneration: 3, metadata: { generation: 4 } };
    const claim = { owner: "server-1", token: 1, expiresInMs: 9_000 };
    const observer = observing([subjectOf(orders, { ...parts, work: work({ claim }) })]);
    const { summary, isReady } = await explained(observer);
    assert.match(summary, /^Database\/orders is not up to date yet: being reconciled by server-1/);
    assert.equal(isReady, false);
    // What fails is not on its way.
    const reconcile = { attempts: 3, retry: "soon" };
    const synced = condition("Synced", "False", "Down", "no answer");
    const failing = { ...parts, conditions: [ready, synced], observedGeneration: 4, reconcile };
    const old = { ...ready, observedGeneration: 3 };
    const failed = subjectOf(orders, { ...failing, conditions: [old, synced] });
    assert.match((await explained(observing([failed]))).summary, /is not ready: failed 3 times/);
  });

  test("of what is ready is one sentence", async () => {
    const observer = observing([subjectOf(orders, { conditions: [ready] })]);
    const { isReady, summary, causes, resource } = await explained(observer);
    assert.deepEqual([isReady, summary], [true, "Database/orders is ready"]);
    assert.deepEqual([causes, resource.blockers], [[], []]);
  });

  test("follows the chain to the root cause", async () => {
    const { isReady, summary, causes, resource } = await explained(
      observing([waiter(orders, [net]), brokenNet]),
    );
    assert.equal(isReady, false);
    assert.equal(summary, "Database/orders is not ready: waiting for Network/net-1 to be Ready");
    assert.deepEqual(lines(resource), ["Database/orders Waiting", "  Network/net-1 Failing"]);
    assert.deepEqual(causes, [
      {
        key: net,
        kind: "Network",
        message: "failed 4 times, next retry in 38 s",
        details: ["CreateFailed: quota exceeded in region eu"],
      },
    ]);
  });

  test("is none for what is missing or hidden", async () => {
    assert.equal(await explain(observing([]), orders, nowMs), undefined);
    const hidden = observing([waiter(orders, [net])], [orders]);
    assert.equal(await explain(hidden, orders, nowMs), undefined);
  });

  test("names what is missing, and what may not be seen", async () => {
    const secret = keyTo(databases, "secret");
    const unknown = { kind: "unknowns.example.com", namespace: "team", name: "u" };
    const observer = observing([waiter(orders, [net, secret, unknown])], [secret]);
    const { resource, causes } = await explained(observer);
    assert.deepEqual(
      resource.blockers.map(({ state, message }) => `${state}: ${message}`),
      [
        "Missing: does not exist",
        "NotVisible: not visible to you",
        "Missing: does not exist: nothing serves unknowns.example.com",
      ],
    );
    assert.equal(causes.length, 3);
  });

  test("does not name owned resources that may not be seen", async () => {
    const secret = keyTo(networks, "secret");
    const owner = subjectOf(orders, { dependents: [secret] });
    const { resource } = await explained(observing([owner], [secret]));
    assert.deepEqual(resource.blockers, []);
    assert.deepEqual(resource.details, ["some resources that it owns are not visible to you"]);
    assert(!JSON.stringify(resource).includes("secret"));
  });

  test("shows owned resources only when they are not ready", async () => {
    const fine = subjectOf(keyTo(networks, "fine"), { conditions: [ready] });
    const plain = subjectOf(keyTo("configmaps", "plain"), { isReconciled: false, isBuiltIn: true });
    const loose = subjectOf(keyTo(networks, "loose"), { isReconciled: false });
    const dependents = [fine.key, plain.key, loose.key, net, keyTo(networks, "gone")];
    const owner = subjectOf(orders, { dependents });
    const { resource } = await explained(observing([owner, fine, plain, loose, brokenNet]));
    assert.deepEqual(lines(resource), ["Database/orders NotReady", "  Network/net-1 Failing"]);
  });

  test("leaves out what is not waited for any more, and says so", async () => {
    const up = subjectOf(net, { conditions: [ready] });
    const { resource, causes } = await explained(observing([waiter(orders, [net]), up]));
    assert.deepEqual(resource.blockers, []);
    assert.match(resource.details.join(), /exist now/);
    assert.equal(causes[0]?.key, orders);
  });

  test("does not say of what was there all the time that it has come", async () => {
    const waitingFor = [{ kind: "configmaps", name: "words", isThere: true }];
    const own = subjectOf(orders, { reconcile: { waitingFor } });
    const words = keyTo("configmaps", "words");
    const there = subjectOf(words, { isReconciled: false, isBuiltIn: true });
    const { summary, resource } = await explained(observing([own, there]));
    assert.equal(
      summary,
      "Database/orders is not ready: waiting for ConfigMap/words to become ready",
    );
    assert.deepEqual([resource.details, resource.blockers], [[], []]);
    const gone = await explained(observing([own]));
    assert.deepEqual(lines(gone.resource).slice(1), ["  ConfigMap/words Missing"]);
  });

  test("tells the condition that is waited for when the other is ready but for it", async () => {
    const waitingFor = [{ kind: networks, name: "net-1", condition: "Peered" }];
    const own = subjectOf(orders, { reconcile: { waitingFor } });
    const peer = condition("Peered", "False", "NoRoute", "no route yet");
    const up = subjectOf(net, { conditions: [ready, peer] });
    const { causes } = await explained(observing([own, up]));
    assert.equal(causes[0]?.message, "condition Peered is False (NoRoute: no route yet)");
    const plain = await explained(observing([own, subjectOf(net, { conditions: [ready] })]));
    assert.equal(plain.causes[0]?.message, "it has no condition Peered");
  });

  test("names what fails by itself as a cause, whatever else is not ready", async () => {
    const waiting = waiter(net, [orders]);
    const owner = subjectOf(orders, {
      conditions: [condition("Synced", "False", "Broken", "no")],
      reconcile: { attempts: 1 },
      dependents: [net],
    });
    const { resource, causes } = await explained(observing([owner, waiting]));
    // The child waits for its owner, which does not wait for the child: that is no circle.
    assert.deepEqual(lines(resource), [
      "Database/orders Failing",
      "  Network/net-1 Waiting",
      "    Database/orders Repeated",
    ]);
    assert.deepEqual(
      causes.map(({ key }) => key),
      [orders],
    );
  });
});

describe("a circle", () => {
  test("of resources that wait for each other is told as such", async () => {
    const observer = observing([waiter(orders, [net]), waiter(net, [orders])]);
    const { resource, causes } = await explained(observer);
    assert.deepEqual(lines(resource), [
      "Database/orders Waiting",
      "  Network/net-1 Waiting",
      "    Database/orders Circular",
    ]);
    assert.match(causes[0]?.message ?? "", /break it by hand/);
  });

  test("may have one member", async () => {
    const { resource } = await explained(observing([waiter(orders, [orders])]));
    assert.deepEqual(lines(resource), ["Database/orders Waiting", "  Database/orders Circular"]);
  });

  test("is not what two chains with one end are", async () => {
    const [a, b] = [keyTo(databases, "a"), keyTo(databases, "b")];
    const subjects = [waiter(orders, [a, b]), waiter(a, [net]), waiter(b, [net]), brokenNet];
    const { resource, causes } = await explained(observing(subjects));
    assert.deepEqual(lines(resource), [
      "Database/orders Waiting",
      "  Database/a Waiting",
      "    Network/net-1 Failing",
      "  Database/b Waiting",
      "    Network/net-1 Repeated",
    ]);
    assert.equal(causes.length, 1);
  });
});

describe("a deletion", () => {
  const metadata = { deletionTimestamp: "2026-01-01T11:59:00Z" };
  const reference = (isBlocking: boolean) => ({
    ownerReferences: [
      {
        apiVersion: "v1",
        kind: "K",
        name: "orders",
        uid: "uid-orders",
        blockOwnerDeletion: isBlocking,
      },
    ],
  });

  test("shows the dependents that hold it, and which of them are protected", async () => {
    const held = subjectOf(net, {
      metadata: { ...reference(true), annotations: { [annotations.protected]: "true" } },
      conditions: [ready],
    });
    const loose = subjectOf(keyTo(networks, "loose"), { metadata: reference(false) });
    const finalizers = ["foregroundDeletion"];
    const dependents = [net, loose.key];
    const owner = subjectOf(orders, { metadata: { ...metadata, finalizers }, dependents });
    const { summary, causes } = await explained(observing([owner, held, loose]));
    assert.equal(
      summary,
      "Database/orders is being deleted for 60 s: waiting until its dependents are deleted",
    );
    assert.deepEqual(
      causes.map(({ key, message }) => `${key.name}: ${message}`),
      ["net-1: protected by the annotation setpoint.dev/deletion-protection"],
    );
  });

  test("of owners in a circle needs nobody, unless one waits for another reason", async () => {
    const owned = {
      ownerReferences: [{ ...reference(true).ownerReferences[0], uid: "uid-net-1" }],
    };
    const dying = { ...metadata, finalizers: ["foregroundDeletion"] };
    const first = subjectOf(orders, { metadata: { ...dying, ...owned }, dependents: [net] });
    const second = { metadata: { ...dying, ...reference(true) }, dependents: [orders] };
    const { resource, causes } = await explained(observing([first, subjectOf(net, second)]));
    assert.deepEqual(lines(resource), [
      "Database/orders Deleting",
      "  Network/net-1 Deleting",
      "    Database/orders Circular",
    ]);
    assert.match(causes[0]?.message ?? "", /garbage collection resolves it/);
    const waits = { waitingFor: [{ kind: databases, name: "orders", condition: "Ready" }] };
    const held = {
      ...second,
      dependents: [],
      metadata: { ...second.metadata, finalizers: [finalizer] },
      reconcile: waits,
    };
    const other = await explained(observing([first, subjectOf(net, held)]));
    assert.deepEqual(lines(other.resource), lines(resource));
    assert.match(other.causes[0]?.message ?? "", /break it by hand/);
  });

  test("of a namespace shows what is in it, and not the namespace again", async () => {
    const namespace = keyTo("namespaces", "team");
    const stuck = subjectOf(orders, {
      metadata: { ...metadata, finalizers: ["example.com/x"] },
      endings: [namespace],
    });
    const other = subjectOf(net, { endings: [namespace] });
    const home = subjectOf(namespace, { isReconciled: false, metadata, content: [orders, net] });
    const { resource } = await explained(observing([home, stuck, other]), namespace);
    assert.deepEqual(lines(resource), [
      "Namespace/team Deleting",
      "  Database/orders Deleting",
      "  Network/net-1 NotReady",
    ]);
  });

  test("of the namespace holds what is in it, visible or not", async () => {
    const namespace = keyTo("namespaces", "team");
    const own = subjectOf(orders, { endings: [namespace] });
    const home = subjectOf(namespace, { isReconciled: false, metadata });
    const seen = await explained(observing([own, home]));
    assert.deepEqual(lines(seen.resource), [
      "Database/orders NotReady",
      "  Namespace/team Deleting",
    ]);
    const unseen = await explained(observing([own, home], [namespace]));
    assert.equal(unseen.causes[0]?.message, "being deleted; you may not read more");
  });
});

describe("the walk", () => {
  test("looks once for each level", async () => {
    const names = Array.from({ length: 30 }, (_, index) => keyTo(databases, `d${index}`));
    const chain = names.map((key, index) => waiter(key, names.slice(index + 1, index + 4)));
    const observer = observing(chain);
    await explained(observer, names[0]);
    assert(observer.looks() <= defaultBounds.depth, `${observer.looks()} looks`);
  });

  test("shows at most so many in breadth and depth, and counts the others", async () => {
    const many = Array.from({ length: 7 }, (_, index) => keyTo(networks, `n${index}`));
    const wide = await explained(observing([waiter(orders, many)]), orders, {
      ...defaultBounds,
      breadth: 3,
    });
    assert.equal(wide.resource.blockers.length, 3);
    assert.equal(wide.resource.more, 4);
    const chain = many.map((key, index) => waiter(key, many.slice(index + 1, index + 2)));
    const deep = await explained(observing(chain), many[0], { ...defaultBounds, depth: 3 });
    assert.deepEqual(lines(deep.resource), [
      "Network/n0 Waiting",
      "  Network/n1 Waiting",
      "    Network/n2 Waiting",
      "      +1",
    ]);
  });

  test("looks at no more than it may, and counts what it did not look at", async () => {
    const many = Array.from({ length: 7 }, (_, index) => keyTo(networks, `n${index}`));
    const bounds = { ...defaultBounds, looks: 4 };
    const { resource } = await explained(observing([waiter(orders, many)]), orders, bounds);
    assert.equal(resource.blockers.length, 3);
    assert.equal(resource.more, 4);
  });

  test("ends within its bounds on any graph, and explains each resource once", async () => {
    const edge = fc.tuple(fc.nat(14), fc.constantFrom("waits", "owns", "outlives", "ends"));
    const node = fc.record({ edges: fc.array(edge, { maxLength: 8 }), isDeleted: fc.boolean() });
    const graph = fc.array(node, { minLength: 1, maxLength: 15 });
    const property = fc.asyncProperty(graph, fc.array(fc.nat(14)), async (nodes, hidden) => {
      const keys = Array.from({ length: 15 }, (_, index) => keyTo(networks, `n${index}`));
      const subjects = nodes.map(({ edges, isDeleted }, index) =>
        randomSubject(keys, index, edges, isDeleted),
      );
      const unseen = hidden.flatMap((index) => (index === 0 ? [] : (keys[index] ?? [])));
      const bounds = { ...defaultBounds, depth: 6, breadth: 4, resources: 30 };
      const start = keys[0];
      assert(start !== undefined);
      const observer = observing(subjects, unseen);
      const { resource } = await explained(observer, start, bounds);
      assert(observer.looks() <= bounds.depth);
      checkTree(resource, bounds);
    });
    await fc.assert(property, { numRuns: 300 });
  });
});

type Edge = readonly [number, string];

function randomSubject(
  keys: readonly ResourceKey[],
  index: number,
  edges: readonly Edge[],
  isDeleted: boolean,
): Subject {
  const to = (kind: string): readonly ResourceKey[] =>
    edges.flatMap(([other, relation]) => (relation === kind ? (keys[other] ?? []) : []));
  const waitingFor = to("waits").map(({ kind, name }) => ({ kind, name, condition: "Ready" }));
  const deletion = { deletionTimestamp: "2026-01-01T00:00:00Z" };
  return subjectOf(keys[index] ?? keyTo(networks, "x"), {
    reconcile: { waitingFor },
    dependents: to("owns"),
    content: to("outlives"),
    endings: to("ends"),
    ...(isDeleted ? { metadata: { ...deletion, finalizers: ["setpoint.dev/reconciler"] } } : {}),
  });
}

function checkTree(root: Explained, bounds: Bounds): void {
  const explainedKeys = new Set<string>();
  let count = 0;
  const visit = (node: Explained, depth: number): void => {
    count += 1;
    assert(depth <= bounds.depth, "no deeper than allowed");
    assert(node.blockers.length <= bounds.breadth, "no wider than allowed");
    const isLeaf = ["Missing", "NotVisible", "Circular", "Repeated"].includes(node.state);
    if (isLeaf) assert.equal(node.blockers.length, 0);
    else {
      assert(!explainedKeys.has(keyText(node.key)), "explained once");
      explainedKeys.add(keyText(node.key));
    }
    for (const blocker of node.blockers) visit(blocker, depth + 1);
  };
  visit(root, 1);
  assert(count <= bounds.resources + 1, "no more than allowed");
}

// One resource at a time: every shape that a document and its work can have gets its sentence.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as fc from "fast-check";
import { annotations } from "../../kernel/annotations.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { finalizer, nestedFinalizer, pausedFinalizer } from "../names.ts";
import { diagnose } from "./diagnose.ts";
import type { Diagnosis } from "./diagnosis.ts";
import { condition, databases, keyTo, names, networks, nowMs, ready, regions } from "./samples.ts";
import { subjectOf, waiter, work } from "./samples.ts";
import type { SubjectParts } from "./samples.ts";
import { spanText, whenText } from "../../kernel/span-text.ts";

const orders = keyTo(databases, "orders");

function diagnosed(parts: SubjectParts): Diagnosis {
  return diagnose(subjectOf(orders, parts), names, nowMs);
}

function said(parts: SubjectParts): string {
  const { state, message, details } = diagnosed(parts);
  return [`${state}: ${message}`, ...details].join(" | ");
}

const failing: SubjectParts = {
  conditions: [
    condition("Ready", "False", "CreateFailed", "quota exceeded"),
    condition("Synced", "False", "CreateFailed", "quota exceeded"),
  ],
  reconcile: { attempts: 3, nextAttempt: "2026-01-01T12:00:50Z", retry: "soon" },
};
const claim = { owner: "server-1", token: 7, expiresInMs: 20_000 };

describe("a resource that is reconciled", () => {
  test("is ready when it says so about its present spec", () => {
    assert.equal(said({ conditions: [ready] }), "Ready: ready");
    assert.equal(diagnosed({ conditions: [ready] }).ready, "True");
    assert.equal(said({ conditions: [ready], observedGeneration: 1 }), "Ready: ready");
    assert.equal(said({ conditions: [ready], work: work({ claim }) }), "Ready: ready");
  });

  test("is ready and tells what is remarkable about it", () => {
    const drifted = condition("Ready", "True", "Drifted", "changed by others: /color");
    assert.equal(
      said({ conditions: [drifted] }),
      "Ready: ready | Drifted: changed by others: /color",
    );
    const usual = condition("Ready", "True", "Available", "all is well");
    assert.equal(said({ conditions: [usual] }), "Ready: ready");
  });

  test("is ready and still tells of a loop that fails", () => {
    const conditions = [ready, condition("Synced", "False", "LookFailed", "timeout")];
    const reconcile = { attempts: 2, retry: "soon" };
    assert.equal(
      said({ conditions, reconcile, work: work({ dueInMs: 8_000 }) }),
      "Ready: ready, but failed 2 times, next retry in 8 s | LookFailed: timeout",
    );
  });

  test("is not ready while its report is about an older spec", () => {
    const parts: SubjectParts = {
      conditions: [ready],
      observedGeneration: 3,
      metadata: { generation: 4 },
      work: work({ dueInMs: 0 }),
    };
    assert.equal(
      said(parts),
      "Queued: due now, waiting for a worker | " +
        "the status is about generation 3; the spec is at generation 4",
    );
    assert.equal(diagnosed(parts).ready, "Unknown");
  });

  test("is not ready when only an older spec was found ready, and the new one fails", () => {
    const old = { ...ready, observedGeneration: 1 };
    const synced = condition("Synced", "False", "Unreachable", "no answer");
    const parts: SubjectParts = {
      conditions: [old, { ...synced, observedGeneration: 2 }],
      observedGeneration: 2,
      metadata: { generation: 2 },
      reconcile: { attempts: 3, retry: "soon" },
      work: work({ dueInMs: 8_000 }),
    };
    assert.equal(
      said(parts),
      "Failing: failed 3 times, next retry in 8 s | Unreachable: no answer | " +
        "the status is about generation 1; the spec is at generation 2",
    );
    assert.equal(diagnosed(parts).ready, "Unknown");
  });

  test("is being reconciled by who has the claim, with progress and earlier failures", () => {
    assert.equal(said({ work: work({ claim }) }), "Working: being reconciled by server-1");
    assert.equal(
      said({ work: work({ claim }), runningMs: 12_000 }),
      "Working: being reconciled by server-1 for 12 s",
    );
    const progress = { done: 2, of: 5, message: "creating subnets" };
    assert.equal(
      said({ reconcile: { progress }, work: work({ claim }) }),
      "Working: being reconciled by server-1 | 2 of 5 done, now creating subnets",
    );
    assert.equal(
      said({ ...failing, work: work({ claim }) }),
      "Working: being reconciled by server-1 | failed 3 times before | " +
        "last run: CreateFailed: quota exceeded",
    );
  });

  test("is worked on by another process for as long as that renews its claim", () => {
    const held = (expiresInMs: number) => work({ claim: { ...claim, expiresInMs } });
    assert.equal(
      said({ work: held(27_000), silentMs: 3_000 }),
      "Working: being reconciled by server-1 | its lease ends in 27 s, unless it is renewed",
    );
    assert.equal(
      said({ work: held(12_000), silentMs: 18_000 }),
      "Working: claimed by server-1, which has not renewed its lease for 18 s | " +
        "its lease ends in 12 s, then another worker takes over",
    );
  });

  test("that is run again does not tell of the last run as if it were this one", () => {
    const synced = condition("Synced", "True", "ReconcileSuccess");
    const waited = condition("Ready", "False", "Waiting", "the slogan is missing");
    const waitingFor = [{ kind: networks, name: "net-1", condition: "Ready" }];
    const found = diagnosed({
      conditions: [waited, synced],
      reconcile: { waitingFor },
      work: work({ claim }),
    });
    assert.deepEqual(found.details, ["last run: Waiting: the slogan is missing"]);
    assert.deepEqual(found.suspects, []);
  });

  test("has failed, and the next retry is told by the database's clock", () => {
    assert.equal(
      said({ ...failing, work: work({ dueInMs: 38_400 }) }),
      "Failing: failed 3 times, next retry in 38 s | CreateFailed: quota exceeded",
    );
    assert.match(said({ ...failing, work: work({ dueInMs: -5 }) }), /next retry now/);
    assert.match(said(failing), /^Failing: failed 3 times, next retry in 50 s/);
    const once = { ...failing, reconcile: { attempts: 1 } };
    assert.match(said(once), /^Failing: failed once, no retry is scheduled/);
  });

  test("is held off while a system outside is not to be called", () => {
    const conditions = [condition("Synced", "False", "CircuitOpen", "api.example.com is down")];
    assert.equal(
      said({ conditions, work: work({ dueInMs: 9_000 }) }),
      "HeldOff: delayed, next retry in 9 s | CircuitOpen: api.example.com is down",
    );
  });

  test("is held off after failures that were counted, too, until it is due", () => {
    const conditions = [condition("Synced", "False", "CircuitOpen", "api.example.com is down")];
    const parts = { conditions, reconcile: { attempts: 9 } };
    const down = "CircuitOpen: api.example.com is down";
    assert.equal(
      said({ ...parts, work: work({ dueInMs: 6_000 }) }),
      `HeldOff: delayed, next retry in 6 s | ${down} | failed 9 times before`,
    );
    assert.match(said({ ...parts, work: work({ dueInMs: -1_000 }) }), /^Queued: due now/);
    const busy = [condition("Synced", "False", "Busy", "too much to do")];
    const never = { attempts: 1, retry: "never" };
    assert.match(said({ conditions: busy, reconcile: never }), /^GivenUp: /);
  });

  test("has given up until its spec changes or somebody asks", () => {
    const reconcile = { attempts: 1, retry: "never" };
    assert.match(
      said({ ...failing, reconcile }),
      /^GivenUp: no further retries .* \| CreateFailed/,
    );
    const metadata = { annotations: { [annotations.request]: "t2" } };
    const asked = { ...failing, reconcile: { ...reconcile, handledRequest: "t1" }, metadata };
    assert.match(said(asked), /^Failing/);
    const handled = { ...failing, reconcile: { ...reconcile, handledRequest: "t2" }, metadata };
    assert.match(said(handled), /^GivenUp/);
  });

  test("that has failed with an older spec is only due", () => {
    const parts = { ...failing, observedGeneration: 1, metadata: { generation: 2 } };
    assert.match(said({ ...parts, work: work({ dueInMs: 0 }) }), /^Queued: due now/);
  });

  test("waits for others by name, each in its namespace", () => {
    const found = diagnose(
      waiter(orders, [keyTo(networks, "net-1"), keyTo(regions, "eu")]),
      names,
      nowMs,
    );
    assert.equal(found.message, "waiting for Network/net-1 to be Ready and Region/eu to be Ready");
    assert.deepEqual(
      found.suspects.map(({ key }) => key),
      [keyTo(networks, "net-1"), keyTo(regions, "eu")],
    );
    const waitingFor = [
      { kind: networks, name: "net-1" },
      { kind: networks, namespace: "other", name: "net-2", condition: "Peered" },
      { kind: "unknowns.example.com", name: "u" },
      { kind: 7 },
      "nonsense",
    ];
    const others = diagnosed({ reconcile: { waitingFor } });
    assert.equal(
      others.message,
      "waiting for Network/net-1 to exist, Network/net-2 in other to be Peered " +
        "and unknowns.example.com/u to exist",
    );
    assert.deepEqual(others.suspects[1], {
      relation: "WaitsFor",
      key: { kind: networks, namespace: "other", name: "net-2" },
      condition: "Peered",
    });
  });

  test("is paused, which wins over all else", () => {
    const metadata = { annotations: { [annotations.paused]: "true" } };
    const parts = { ...failing, metadata, work: work({ claim }) };
    assert.match(said(parts), /^Paused: paused by the annotation setpoint.dev\/paused/);
    assert.match(said({ metadata, conditions: [ready] }), /^Ready: ready, but paused by/);
  });

  test("is left alone by its policy", () => {
    const metadata = { annotations: { [annotations.policy]: "skip" } };
    assert.match(said({ metadata }), /^LeftAlone: .*setpoint.dev\/policy: skip/);
  });

  test("is due, and after a minute the workers are in doubt", () => {
    assert.equal(
      said({ work: work({ dueInMs: -3_000 }) }),
      "Queued: due now, waiting for a worker",
    );
    assert.equal(
      said({ work: work({ dueInMs: -300_000, attempts: 3 }) }),
      "Queued: due for 5 min and not claimed: " +
        "is a server with workers for databases.example.com running? | " +
        "claimed 3 times without a result",
    );
  });

  test("is left to itself where no server works on its kind, as far as that is known", () => {
    const message = "no worker is running for this kind";
    const due = work({ dueInMs: -3_000 });
    assert.equal(said({ work: due, workers: "none" }), `Unattended: ${message}`);
    assert.equal(
      said({ ...failing, workers: "none" }),
      `Unattended: ${message} | CreateFailed: quota exceeded`,
    );
    assert.equal(said({ conditions: [ready], workers: "none" }), `Ready: ready, but ${message}`);
    assert.equal(
      said({ work: due, workers: "unknown" }),
      "Queued: due now, waiting for a worker | this server does not reconcile its kind",
    );
  });

  test("waits for what is there to become ready, and no longer once it has failed", () => {
    const words = { kind: "configmaps", name: "words", isThere: true };
    const told = condition("Ready", "False", "Waiting", "there is no key in it");
    assert.equal(
      said({ reconcile: { waitingFor: [words] }, conditions: [told] }),
      "Waiting: waiting for ConfigMap/words to become ready | Waiting: there is no key in it",
    );
    const refused = condition("Synced", "False", "Unauthorized", "who are you");
    assert.equal(
      said({ conditions: [told, refused], reconcile: { attempts: 1, retry: "never" } }),
      "GivenUp: no further retries until the spec changes or a reconcile is requested | " +
        "Unauthorized: who are you",
    );
  });

  test("waits, with or without words of its reconciler", () => {
    const on = { reconcile: { waitingFor: [{ kind: "configmaps", name: "words" }] } };
    const silent = condition("Ready", "False", "Waiting");
    assert.equal(
      said({ ...on, conditions: [silent] }),
      "Waiting: waiting for ConfigMap/words to exist",
    );
    const dueIn = work({ dueInMs: 600_000 });
    assert.equal(
      said({ conditions: [silent], reconcile: { waitingFor: [] }, work: dueIn }),
      "Waiting: waiting for a condition that the reconciler does not name, checked again in 10 min",
    );
    const told = condition("Ready", "False", "Waiting", "the moon is not full");
    assert.match(said({ conditions: [told], work: dueIn }), / \| Waiting: the moon is not full$/);
  });

  test("does not tell how far the work on an earlier generation was", () => {
    const progress = { generation: 0, done: 2, of: 5, message: "creating subnets" };
    const text = said({ reconcile: { progress }, work: work({ claim }) });
    assert.doesNotMatch(JSON.stringify(text), /2 of 5/);
  });

  test("is in progress, or nothing is planned for it", () => {
    const conditions = [condition("Ready", "False", "Creating", "still booting")];
    assert.equal(
      said({ conditions, work: work({ dueInMs: 30_000 }) }),
      "InProgress: still in progress, checked again in 30 s | Creating: still booting",
    );
    assert.match(said({ conditions }), /^NotReady: not ready, and no run is scheduled/);
    assert.match(said({}), /^NotReady: not reconciled yet/);
  });

  test("suspects what it owns, and the end of its namespace", () => {
    const child = keyTo(networks, "child");
    const namespace = keyTo("namespaces", "team");
    const { suspects } = diagnosed({ ...failing, dependents: [child], endings: [namespace] });
    assert.deepEqual(suspects, [
      { relation: "Owns", key: child },
      { relation: "LivesIn", key: namespace },
    ]);
    assert.deepEqual(diagnosed({ conditions: [ready], dependents: [child] }).suspects, []);
  });
});

describe("a resource without a reconciler", () => {
  test("of a built-in kind is what it is", () => {
    const found = said({ isReconciled: false, isBuiltIn: true });
    assert.equal(found, "Ready: ready; no reconciler handles its kind");
  });

  test("of a kind of the server's own parts stands as it was reported", () => {
    const own = { isReconciled: false, isRecord: true };
    assert.equal(said(own), "Ready: ready; no problem was reported");
    const report = (type: string, status: "True" | "False") =>
      condition(type, status, "Why", "so it is");
    assert.equal(said({ ...own, conditions: [report("Accepted", "True")] }), "Ready: ready");
    assert.equal(
      said({ ...own, conditions: [report("Accepted", "False")] }),
      "NotReady: reported as not ready (Accepted is False) | Why: so it is",
    );
    assert.equal(
      said({ ...own, conditions: [report("EventsFollowed", "True"), report("Ready", "False")] }),
      "NotReady: reported as not ready (Ready is False) | Why: so it is",
    );
  });

  test("of another kind is handled by nobody", () => {
    const found = diagnosed({ isReconciled: false });
    assert.equal(found.message, "no reconciler handles its kind");
    assert.equal(found.ready, "Unknown");
    const left = said({ ...failing, isReconciled: false });
    assert.match(left, /^Unhandled: no reconciler handles its kind \| CreateFailed/);
  });

  test("is as ready as others report it", () => {
    const parts = {
      isReconciled: false,
      conditions: [condition("Ready", "False", "Busy", "later")],
    };
    assert.equal(said(parts), "NotReady: reported as not ready (Ready is False) | Busy: later");
    assert.equal(said({ isReconciled: false, conditions: [ready] }), "Ready: ready");
  });

  test("a definition is ready once it is established", () => {
    const key = {
      kind: "customresourcedefinitions.apiextensions.k8s.io",
      namespace: "",
      name: "d",
    };
    const conditions = [
      condition("NamesAccepted", "False", "KindConflict", "the kind is in use"),
      condition("Established", "False", "NotAccepted", "not all names are accepted"),
    ];
    const parts = { isReconciled: false, isBuiltIn: true, conditions };
    const found = diagnose(subjectOf(key, parts), names, nowMs);
    assert.equal(found.message, "reported as not ready (Established is False)");
    assert.deepEqual(found.details, ["KindConflict: the kind is in use"]);
  });
});

describe("a deletion", () => {
  const deleted = (finalizers: readonly string[], more: JsonObject = {}): JsonObject => {
    return { deletionTimestamp: "2026-01-01T11:55:00Z", finalizers, ...more };
  };

  test("is held by finalizers of others, which are named", () => {
    assert.equal(
      said({ metadata: deleted(["example.com/backup"]), conditions: [ready] }),
      "Deleting: being deleted for 5 min: " +
        "held by the finalizer example.com/backup, which its owner must remove",
    );
    assert.match(
      said({ metadata: deleted(["a.io/1", "a.io/2"]) }),
      /held by the finalizers a\.io\/1 and a\.io\/2, which/,
    );
    assert.match(said({ metadata: deleted([]) }), /^Deleting: being deleted for 5 min$/);
  });

  test("is held by those who need it, where the server knows them", () => {
    const keys = [keyTo(databases, "orders")];
    const holders = [{ finalizer: "a.io/1", message: "needed until they are gone", keys }];
    const found = diagnosed({ metadata: deleted(["a.io/1"]), holders });
    assert.equal(found.message, "being deleted for 5 min: needed until they are gone");
    assert.deepEqual(
      found.suspects,
      keys.map((key) => ({ relation: "Outlives", key })),
    );
    const free = diagnosed({ metadata: deleted(["a.io/2"]), holders });
    assert.match(free.message, /held by the finalizer a\.io\/2, which its owner must remove$/);
    assert.deepEqual(free.suspects, []);
  });

  test("is held by the engine's own, for the reason that the removal has", () => {
    const metadata = deleted([finalizer]);
    assert.match(
      said({ ...failing, metadata, work: work({ dueInMs: 60_000 }) }),
      /: removal failing: it failed 3 times, next retry in 60 s \| CreateFailed/,
    );
    assert.match(said({ metadata, work: work({ claim }) }), /removal being reconciled by/);
    assert.match(said({ metadata }), /removal in progress/);
    assert.match(said({ metadata, isReconciled: false }), /but no reconciler handles its kind/);
    const paused = deleted([finalizer], { annotations: { [annotations.paused]: "true" } });
    assert.match(said({ metadata: paused }), /removal paused by the annotation/);
    const kept = deleted([pausedFinalizer], { annotations: { [annotations.paused]: "" } });
    assert.match(said({ metadata: kept }), /: removal paused by the annotation [^;]*$/);
  });

  test("names the server that must complete the removal, where this one cannot", () => {
    const metadata = deleted([finalizer]);
    const who = /a server with the role worker and the module of databases[^ ]* must complete/;
    for (const workers of ["none", "unknown"] as const) {
      assert.match(said({ metadata, workers, work: work({ dueInMs: 0 }) }), who);
    }
    assert.doesNotMatch(said({ metadata, workers: "here", work: work({ dueInMs: 0 }) }), who);
    const taken = said({ metadata, workers: "unknown", work: work({ claim }) });
    assert.doesNotMatch(taken, who);
  });

  test("of the server's own kinds shows how the engine is doing", () => {
    const metadata = deleted(["example.com/held"]);
    const own = { metadata, isOwn: true, isReconciled: false };
    assert.match(said({ ...own, work: work({ claim }) }), /deletion in progress by /);
    assert.match(
      said({ ...own, work: work({ dueInMs: 4_000, attempts: 3 }) }),
      /deletion failed 3 times, next retry in 4 s/,
    );
    assert.doesNotMatch(said({ ...own, work: work({ dueInMs: 900, attempts: 0 }) }), /failed/);
  });

  test("in the foreground waits for what the resource owns", () => {
    const dependents = [keyTo(networks, "child")];
    const found = diagnosed({ metadata: deleted(["foregroundDeletion"]), dependents });
    assert.match(found.message, /waiting until its dependents are deleted/);
    assert.deepEqual(found.suspects, [{ relation: "Outlives", key: dependents[0] }]);
    assert.match(said({ metadata: deleted(["orphan"]) }), /are being orphaned first/);
    const around = diagnosed({ metadata: deleted([finalizer, nestedFinalizer]), dependents });
    assert.match(around.message, /: waiting until its nested resources are deleted$/);
    assert.deepEqual(around.suspects, [{ relation: "Outlives", key: dependents[0] }]);
  });

  test("of a namespace waits for what is in it, and for finalizers in its spec", () => {
    const key = keyTo("namespaces", "team");
    const content = [keyTo(databases, "orders")];
    const parts: SubjectParts = {
      metadata: deleted([]),
      spec: { finalizers: ["kubernetes", "example.com/dns"] },
      conditions: [
        condition("NamespaceContentRemaining", "True", "SomeResourcesRemain", "some are left"),
        condition("NamespaceDeletionContentFailure", "False", "Fine", "all well"),
      ],
      content,
    };
    const found = diagnose(subjectOf(key, parts), names, nowMs);
    assert.match(found.message, /its content is being deleted first; held by the finalizer ex/);
    assert.deepEqual(found.details, ["some are left"]);
    assert.deepEqual(found.suspects, [{ relation: "Outlives", key: content[0] }]);
  });
});

test("any document at all has a diagnosis", () => {
  const json = fc.jsonValue({ maxDepth: 4 });
  const part = fc.constantFrom("conditions", "reconcile", "observedGeneration", "x");
  const status = fc.dictionary(part, json);
  const property = fc.property(
    status,
    fc.option(json),
    fc.boolean(),
    (value, spec, isReconciled) => {
      const subject = subjectOf(orders, { isReconciled });
      const resource = {
        ...subject.resource,
        status: value as JsonObject,
        spec: spec as JsonObject,
      };
      const found = diagnose({ ...subject, resource }, names, nowMs);
      assert(found.message.length > 0);
    },
  );
  fc.assert(property, { numRuns: 300 });
});

test("spans of time are short words", () => {
  const spans = [400, 1_000, 90_000, 119_999, 120_000, 3_600_000, 7_200_000, 200_000_000];
  const texts = ["less than 1 s", "1 s", "90 s", "120 s", "2 min", "60 min", "2 h", "2 d"];
  assert.deepEqual(spans.map(spanText), texts);
  assert.equal(whenText(-1), "now");
  assert.equal(whenText(38_000), "in 38 s");
});

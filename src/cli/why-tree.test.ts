import assert from "node:assert/strict";
import { test } from "node:test";
import { operationsLines } from "./operations-table.ts";
import { plainText } from "./plain-text.ts";
import { whyLines } from "./why-tree.ts";

const net = {
  relation: "WaitsFor",
  kind: "Network",
  namespace: "team",
  name: "net-1",
  message: "failed 4 times, next retry in 38 s",
  details: ["CreateFailed: quota exceeded in region eu"],
};

test("an explanation is a sentence and a tree", () => {
  const explanation = {
    summary: "Database/orders is not ready: waiting for Network/net-1 to be Ready",
    resource: { kind: "Database", namespace: "team", name: "orders", blockers: [net] },
  };
  assert.deepEqual(whyLines(explanation), [
    "Database/orders is not ready: waiting for Network/net-1 to be Ready",
    "└─ Network/net-1: failed 4 times, next retry in 38 s",
    "     CreateFailed: quota exceeded in region eu",
  ]);
});

test("branches, other namespaces, owned resources and what is left out can be told apart", () => {
  const region = { kind: "Region", name: "eu", message: "does not exist" };
  const far = { ...net, namespace: "other", blockers: [region], moreBlockers: 2 };
  const owned = { ...net, relation: "Owns", details: [] };
  const explanation = {
    summary: "s",
    resource: {
      namespace: "team",
      details: ["3 of 7 done"],
      blockers: [far, owned],
      moreBlockers: 1,
    },
  };
  assert.deepEqual(whyLines(explanation), [
    "s",
    "  3 of 7 done",
    "├─ Network/net-1 in other: failed 4 times, next retry in 38 s",
    "│    CreateFailed: quota exceeded in region eu",
    "│  ├─ Region/eu: does not exist",
    "│  └─ and 2 more, not shown",
    "├─ Network/net-1 (owned): failed 4 times, next retry in 38 s",
    "└─ and 1 more, not shown",
  ]);
});

test("an answer of another shape is no accident", () => {
  for (const strange of [null, [], "x", { resource: 7, summary: 8 }]) {
    assert.deepEqual(whyLines(strange), [""]);
    assert(operationsLines(strange).length > 0);
  }
});

test("texts of others do nothing to the terminal", () => {
  assert.equal(plainText("a\u001b[2Jb\r\nc\u009bd\u202ee\u0000"), "a [2Jb c d e ");
  assert.equal(plainText("Größe: 5 µ"), "Größe: 5 µ");
});

test("operations are three tables", () => {
  const run = { kind: "Task", namespace: "team", name: "a", what: "reconcile", tookMs: 12_400 };
  const operations = {
    server: { worker: true, name: "host-1" },
    running: [{ ...run, aborted: true }],
    queues: [
      {
        kind: "Task",
        resource: "tasks.example.com",
        due: 3,
        oldestDueMs: 90_000,
        next: [
          { namespace: "team", name: "late", dueInMs: -90_000 },
          { namespace: "team", name: "held", claim: { owner: "host-2", expiresInMs: 9 } },
          { name: "later", dueInMs: 38_000 },
        ],
        paused: [{ namespace: "team", name: "held" }],
      },
      { resource: "nets.example.com", due: 1, workers: "none" },
      { resource: "hosts.example.com", due: 0, workers: "none" },
      { resource: "subnets.example.com", due: 0, workers: "unknown" },
      { resource: "zones.example.com", due: 0, workers: "here" },
    ],
    recent: [
      {
        ...run,
        outcome: "failed",
        reason: "Broken",
        message: "no\u0007",
        attempt: 2,
        startedAt: "2026-01-01T00:00:00Z",
        tookMs: 7,
      },
      {
        ...run,
        outcome: "done",
        startedAt: "2025-12-31T23:59:00Z",
        endedAt: "2025-12-31T23:59:12Z",
      },
    ],
    hidden: 4,
  };
  assert.deepEqual(operationsLines(operations), [
    "Worker name: host-1",
    "",
    "RUNNING HERE",
    "  Task/a in team  reconcile  for 12 s  stopping",
    "",
    "QUEUES",
    "  tasks.example.com    3 due, the oldest for 90 s",
    "    Task/late in team  due for 90 s",
    "    Task/held in team  held by host-2",
    "    Task/later         due in 38 s",
    "    Task/held in team  paused",
    "  nets.example.com     1 due; no worker is running for this kind",
    "  hosts.example.com    0 due",
    "  subnets.example.com  0 due; this server does not reconcile this kind",
    "  zones.example.com    0 due",
    "",
    "RECENTLY HERE",
    "  2026-01-01T00:00:00Z  Task/a in team  reconcile  failed  7 ms      try 2  Broken: no",
    "  2025-12-31T23:59:12Z  Task/a in team  reconcile  done    12400 ms",
    "",
    "4 more are not visible to you.",
  ]);
  const idle = operationsLines({ server: { worker: false } });
  assert.deepEqual(idle.slice(0, 4), [
    "This server has no workers.",
    "",
    "RUNNING HERE",
    "  nothing",
  ]);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { array, assert as check, integer, property, record } from "fast-check";
import { fleetVersion } from "../names.ts";
import { sampleInstance } from "../rollouts/sample-rollout.ts";
import { deletedUse, instanceUse, usedMs } from "./instance-use.ts";
import type { InstanceUse } from "./instance-use.ts";
import { usagePeriod } from "./period.ts";
import { usageCsv, usageLines } from "./usage-report.ts";

const period = usagePeriod("2026-01-01", "2026-01-02", Date.parse("2026-03-01T00:00:00Z"));
const types = [{ name: "standard", units: 3 }] as never;
const hourMs = 3_600_000;

function seconds(use: InstanceUse | undefined): number {
  return use === undefined ? -1 : usedMs(use, period) / 1_000;
}

test("an instance is used from its first ready time until its deletion is requested", () => {
  const ready = { readyAt: "2026-01-01T12:00:00Z" };
  const sample = sampleInstance("rex", {}, ready);
  assert.equal(seconds(instanceUse(sample)), 43_200);
  const metadata = { ...sample.metadata, deletionTimestamp: "2026-01-01T13:00:00Z" };
  assert.equal(seconds(instanceUse({ ...sample, metadata })), 3_600);
  assert.equal(seconds(instanceUse(sampleInstance("rex"))), 0, "it was never ready");
  assert.equal(instanceUse(sampleInstance("rex", { isInternal: true }, ready)), undefined);
});

test("a deleted instance keeps its use, and a restored one has that of before", () => {
  const spec = {
    offering: "dinosaurs",
    id: "i1",
    name: "rex",
    createdAt: "2025-12-31T00:00:00Z",
    readyAt: "2025-12-31T00:00:00Z",
    endedAt: "2026-01-01T01:00:00Z",
    deletedAt: "2026-01-01T05:00:00Z",
    instance: { id: "i1", type: "standard", owner: "alice" },
  };
  const { metadata } = sampleInstance("i1");
  const deleted = deletedUse({ apiVersion: fleetVersion, kind: "DeletedInstance", metadata, spec });
  assert.equal(seconds(deleted), 3_600);
  const earlierUse = [{ from: spec.readyAt, to: spec.endedAt }];
  const restored = sampleInstance("rex", { earlierUse }, { readyAt: "2026-01-01T23:00:00Z" });
  assert.equal(seconds(instanceUse(restored)), 7_200);
});

test("adjacent periods add up to the whole", () => {
  const day = integer({ min: 0, max: 24 * hourMs });
  const span = record({ fromMs: day, toMs: day });
  check(
    property(array(span, { maxLength: 5 }), day, (spans, cut) => {
      const use = { spans };
      const whole = usedMs(use, { fromMs: 0, toMs: 24 * hourMs });
      const parts =
        usedMs(use, { fromMs: 0, toMs: cut }) + usedMs(use, { fromMs: cut, toMs: 24 * hourMs });
      assert.equal(parts, whole);
    }),
  );
});

test("lines are for organisations and types, or for instances", () => {
  const ready = { readyAt: "2026-01-01T23:00:00Z" };
  const uses = ["a", "b"].flatMap((name) => instanceUse(sampleInstance(name, {}, ready)) ?? []);
  assert.deepEqual(usageLines(uses, { offering: { types }, period, by: "organisation" }), [
    {
      organisation_id: "acme",
      instance_type: "standard",
      instances: 2,
      seconds: 7_200,
      unit_seconds: 21_600,
    },
  ]);
  const lines = usageLines(uses, { offering: { types }, period, by: "instance" });
  assert.deepEqual(
    lines.map(({ id, unit_seconds: units }) => [id, units]),
    [
      ["a", 10_800],
      ["b", 10_800],
    ],
  );
});

test("CSV quotes its cells and contains no formula", () => {
  const line = { organisation_id: 'a"b,c', instance_type: "=1+1", instances: 1, seconds: -1 };
  const [, row] = usageCsv("organisation", [line]).split("\r\n");
  assert.equal(row, `"a""b,c",'=1+1,1,-1,`);
});

test("an invalid period is refused with its parameter", () => {
  const nowMs = Date.parse("2026-03-01T00:00:00Z");
  const cases: readonly (readonly [string | undefined, string | undefined, RegExp])[] = [
    [undefined, undefined, /^from: is required: give a date/],
    ["yesterday", undefined, /^from: "yesterday" is not a date/],
    ["2026-02-30T00:00:00", undefined, /^from: .* is not a date/],
    ["2026-01-02", "2026-01-01", /^from: must be before `to`/],
    ["2026-04-01", undefined, /^from: must be before `to` and before the present time/],
    ["2020-01-01", undefined, /^from: the period may be at most 366 days/],
  ];
  for (const [from, to, expected] of cases) {
    assert.throws(() => usagePeriod(from, to, nowMs), { message: expected });
  }
  assert.equal(usagePeriod("2026-02-01", "2027-01-01", nowMs).toMs, nowMs);
});

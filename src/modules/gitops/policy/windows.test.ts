import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { SyncWindow } from "./effective-policy.ts";
import { lastBegin, nextBegin, parseSchedule } from "./schedule.ts";
import type { Schedule } from "./schedule.ts";
import { closedWindow } from "./windows.ts";

const hourMs = 3_600_000;

function schedule(text: string): Schedule {
  const parsed = parseSchedule(text);
  if (typeof parsed === "string") throw new Error(parsed);
  return parsed;
}

function problem(text: string): string {
  const parsed = parseSchedule(text);
  return typeof parsed === "string" ? parsed : "";
}

const ms = (text: string): number => Date.parse(text);
const next = (text: string, zone: string, from: string): string => {
  const atMs = nextBegin(schedule(text), zone, ms(from));
  return atMs === undefined ? "never" : new Date(atMs).toISOString();
};

function window(kind: SyncWindow["kind"], text: string, more: Partial<SyncWindow> = {}) {
  const usual = { durationSeconds: 3_600, timeZone: "UTC", manualSync: false };
  return { kind, schedule: text, ...usual, ...more };
}

describe("a schedule", () => {
  it("has ranges, steps, lists and names", () => {
    assert.equal(next("*/20 8-9 * * *", "UTC", "2026-03-04T08:21:00Z"), "2026-03-04T08:40:00.000Z");
    assert.equal(
      next("0 22 * * mon-fri", "UTC", "2026-03-06T22:00:00Z"),
      "2026-03-09T22:00:00.000Z",
    );
    assert.equal(next("5,35 0 1 jan *", "UTC", "2026-03-06T00:00:00Z"), "2027-01-01T00:05:00.000Z");
    assert.equal(next("0 0 * * 7", "UTC", "2026-03-06T00:00:00Z"), "2026-03-08T00:00:00.000Z");
    assert.equal(next("0 0 29 2 *", "UTC", "2096-03-01T00:00:00Z"), "2104-02-29T00:00:00.000Z");
    assert.equal(next("0 0 31 2 *", "UTC", "2026-03-01T00:00:00Z"), "never");
  });

  it("matches either day where both are restricted", () => {
    assert.equal(next("0 0 13 * 5", "UTC", "2026-03-01T00:00:00Z"), "2026-03-06T00:00:00.000Z");
    assert.equal(next("0 0 13 * *", "UTC", "2026-03-01T00:00:00Z"), "2026-03-13T00:00:00.000Z");
  });

  it("follows the clock of its zone", () => {
    assert.equal(
      next("0 22 * * *", "Europe/Berlin", "2026-01-10T12:00:00Z"),
      "2026-01-10T21:00:00.000Z",
    );
    assert.equal(
      next("0 22 * * *", "Europe/Berlin", "2026-07-10T12:00:00Z"),
      "2026-07-10T20:00:00.000Z",
    );
    assert.equal(
      next("0 1 * * *", "Asia/Tokyo", "2026-07-10T12:00:00Z"),
      "2026-07-10T16:00:00.000Z",
    );
    const before = lastBegin(schedule("0 1 * * *"), "Asia/Tokyo", ms("2026-07-10T12:00:00Z"));
    assert.equal(before, ms("2026-07-09T16:00:00Z"));
  });

  it("is refused with the field that is wrong", () => {
    assert.match(problem("0 22 * *"), /five fields/);
    assert.match(problem("60 0 * * *"), /the minute "60" must be .* 0 to 59/);
    assert.match(problem("0 5-2 * * *"), /the hour "5-2"/);
    assert.match(problem("0 0 * foo *"), /the month "foo"/);
    assert.match(problem("*/0 0 * * *"), /the minute/);
    assert.match(problem("0 0 1/2/3 * *"), /the day of the month/);
  });
});

describe("sync windows", () => {
  const noon = ms("2026-03-04T12:30:00Z");

  it("let syncs start inside an allowed one only", () => {
    assert.equal(closedWindow([], noon), undefined);
    assert.equal(closedWindow([[]], noon), undefined);
    assert.equal(closedWindow([[window("allow", "0 12 * * *")]], noon), undefined);
    const closed = closedWindow(
      [[window("allow", "0 14 * * *"), window("allow", "0 20 * * *")]],
      noon,
    );
    assert.equal(closed?.untilMs, ms("2026-03-04T14:00:00Z"));
    assert.match(closed?.message ?? "", /before 2026-03-04T14:00:00Z: the window allow "0 14/);
  });

  it("stop syncs while a denied one is open, also inside an allowed one", () => {
    const lists = [[window("allow", "0 12 * * *"), window("deny", "0 * * * *")]];
    const closed = closedWindow(lists, noon);
    assert.equal(closed?.holdsSyncRuns, true);
    // It opens again at the end of each hour.
    assert.ok((closed?.untilMs ?? 0) > noon + 5 * hourMs);
    const short = [[window("deny", "0 12 * * *", { durationSeconds: 1_800 })]];
    assert.equal(closedWindow(short, noon), undefined, "it ends with its last second");
  });

  it("let SyncRuns pass where they say so", () => {
    const deny = window("deny", "0 12 * * *", { manualSync: true });
    assert.equal(closedWindow([[deny]], noon)?.holdsSyncRuns, false);
    const both = closedWindow([[deny], [window("allow", "0 3 * * *")]], noon);
    assert.equal(both?.holdsSyncRuns, true, "every list has to let them pass");
  });
});

import { deepEqual, equal, ok } from "node:assert/strict";
import { Readable } from "node:stream";
import { test } from "node:test";
import { arrivalLimits } from "./arrival-limits.ts";
import { SmallParts, countParts } from "./small-parts.ts";

function rig() {
  const planned: (() => void)[] = [];
  let nowMs = 0;
  const parts = new SmallParts({
    nowMs: () => nowMs,
    later: (run) => void planned.push(run),
  });
  return {
    parts,
    pass: (ms: number) => void (nowMs += ms),
    endTurn: () => {
      for (const run of planned.splice(0)) run();
    },
    /** Small parts until the connection is ended. */
    sent: (connection: object): number => {
      let count = 0;
      while (count < 100_000 && parts.take(connection, 1)) count += 1;
      return count;
    },
  };
}

test("a connection may send small parts at once, and further ones at a rate", () => {
  const { sent, pass, endTurn } = rig();
  const connection = {};
  equal(sent(connection), arrivalLimits.maxSmallParts);
  endTurn();
  pass(500);
  const later = sent(connection);
  ok(later > 0 && later <= arrivalLimits.smallPartsPerSecond / 2, `${later} parts`);
  endTurn();
  pass(3_600_000);
  ok(sent(connection) <= arrivalLimits.maxSmallParts);
});

test("parts that are not small are not counted", () => {
  const { parts } = rig();
  const connection = {};
  for (let at = 0; at < 10_000; at++) ok(parts.take(connection, arrivalLimits.smallPartBytes));
});

test("all connections together may send a number of small parts in one turn", () => {
  const { sent, endTurn } = rig();
  const connections = Array.from({ length: 100 }, () => ({}));
  let sum = 0;
  for (const connection of connections) sum += sent(connection);
  const most =
    arrivalLimits.maxSmallPartsInTurn + connections.length * arrivalLimits.leastSmallPartsInTurn;
  ok(sum <= most, `${sum} parts`);
  endTurn();
  equal(sent({}), arrivalLimits.maxSmallParts);
});

test("a few small parts of each connection are taken in every turn", () => {
  const { sent, parts, endTurn } = rig();
  for (let at = 0; at < 8; at++) sent({});
  const connection = {};
  for (let at = 0; at < arrivalLimits.leastSmallPartsInTurn; at++) ok(parts.take(connection, 1));
  equal(parts.take(connection, 1), false);
  endTurn();
});

test("a body has no more parts when one is refused, and its first parts are free", async () => {
  const body = new Readable({ read: () => undefined });
  const counted: number[] = [];
  countParts(body, (bytes) => {
    counted.push(bytes);
    return counted.length < 3;
  });
  for (let at = 0; at < arrivalLimits.freeParts + 5; at++) body.push(Buffer.from("x"));
  body.push(null);
  deepEqual(counted, [1, 1, 1]);
  const parts = (await body.toArray()) as Buffer[];
  equal(Buffer.concat(parts).length, arrivalLimits.freeParts + 2);
});

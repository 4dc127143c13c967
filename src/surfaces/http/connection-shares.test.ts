import { deepEqual, equal } from "node:assert/strict";
import { test } from "node:test";
import { ConnectionShares } from "./connection-shares.ts";

function rig() {
  const shares = new ConnectionShares({ most: 16, mostNew: 4 });
  const ended: string[] = [];
  let count = 0;
  const open = (): string => {
    const name = `c${count++}`;
    shares.opened(name, () => ended.push(name));
    return name;
  };
  /** Connections that a tenant may keep. */
  const openFor = (tenant: string, wanted: number): number => {
    let kept = 0;
    for (let at = 0; at < wanted; at++) {
      const name = open();
      if (shares.belongs(name, tenant)) kept += 1;
      else shares.closed(name);
    }
    return kept;
  };
  return { shares, ended, open, openFor };
}

test("of the connections without an identified request, the oldest end", () => {
  const { shares, ended, open } = rig();
  const known = open();
  shares.belongs(known, "a");
  for (let at = 0; at < 6; at++) open();
  deepEqual(ended, ["c1", "c2"]);
  equal(shares.size, 5);
});

test("a tenant may hold as many connections as it leaves free", () => {
  const { openFor } = rig();
  equal(openFor("a", 20), 8);
  equal(openFor("b", 20), 4);
  equal(openFor("c", 20), 2);
});

test("connections that close leave their place", () => {
  const { shares, open, openFor } = rig();
  const names = Array.from({ length: 3 }, open);
  for (const name of names) shares.belongs(name, "a");
  for (const name of names) shares.closed(name);
  shares.closed("unknown");
  equal(shares.size, 0);
  equal(openFor("a", 20), 8);
});

test("a connection belongs to the tenant of its last request", () => {
  const { shares, open, openFor } = rig();
  const names = Array.from({ length: 4 }, open);
  for (const name of names) shares.belongs(name, "a");
  for (const name of names) equal(shares.belongs(name, "b"), true);
  equal(openFor("a", 20), 6);
  equal(openFor("b", 20), 1);
});

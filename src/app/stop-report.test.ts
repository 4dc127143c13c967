// What is said about a stop that takes a while.
import assert from "node:assert/strict";
import { test } from "node:test";
import { stopReport } from "./stop-report.ts";

function textFor(...names: readonly string[]): string | undefined {
  const running = names.map((name) => ({ key: { kind: "slows.example", namespace: "a", name } }));
  return stopReport(running, (id) => (id === "slows.example" ? "Slow" : undefined), 10_000);
}

test("who stops a server is told what it waits for, by name, and for how long", () => {
  assert.equal(textFor(), undefined);
  assert.equal(textFor("c"), "waits for 1 run (Slow/c), up to 15 s");
  assert.equal(
    textFor("a", "b", "c", "d", "e"),
    "waits for 5 runs (Slow/a, Slow/b, Slow/c and 2 more), up to 15 s",
  );
});

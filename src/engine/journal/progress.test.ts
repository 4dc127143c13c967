// What is shown of how far the work on a resource is, over the runs of an engine.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  annotated,
  change,
  create,
  edited,
  keyOf,
  newRig,
  statusIn,
  widgets,
} from "../../../tests/engine/rig.ts";
import { startEngine } from "../engine.ts";
import { annotations } from "../names.ts";
import { again, done, failed } from "../outcome.ts";
import type { Outcome } from "../outcome.ts";

const a = keyOf("a");

/** Each run shows one progress of 10, and ends as told; then something happens to the resource. */
interface Run {
  readonly shows: number;
  readonly ends: Outcome;
  readonly after?: "edited" | "asked";
}

/** What was seen in each run after it had shown its progress. */
async function seenIn(runs: readonly Run[]): Promise<readonly string[]> {
  const rig = newRig();
  await using engine = startEngine(rig.ports, { owner: "one" });
  const seen: string[] = [];
  engine.add({
    kind: widgets,
    reconcile: async (_resource, context) => {
      const run = runs[seen.length];
      if (run === undefined) return done();
      await context.progress({ done: run.shows, of: 10, message: "" });
      const { progress } = (await statusIn(rig.store, a))["reconcile"] as {
        readonly progress: { readonly [key: string]: string | number };
      };
      const { generation, request = "", percent } = progress;
      seen.push(`${generation} ${request} ${percent}`);
      return run.ends;
    },
  });
  await create(rig.store, a);
  for (const [at, { after }] of runs.entries()) {
    for (let waits = 0; seen.length <= at && waits < 100; waits += 1) await rig.timers.advance(100);
    await rig.timers.advance(100);
    if (after === "edited") await change(rig.store, a, (each) => edited(each, { size: at + 2 }));
    if (after === "asked") {
      await change(rig.store, a, (each) => annotated(each, annotations.request, `r${at}`));
    }
  }
  return seen;
}

const soon = again(1_000);

test("the percentage does not fall while the work on a generation goes on", async () => {
  assert.deepEqual(
    await seenIn([
      { shows: 6, ends: soon },
      { shows: 0, ends: failed("Down", "for now"), after: "asked" },
      { shows: 5, ends: done({ ready: { status: "False", reason: "Later", message: "" } }) },
    ]),
    ["1  60", "1  60", "1 r1 60"],
  );
});

test("what is no number counts as nothing, and takes nothing back", async () => {
  const [nothing, endless] = [Number.NaN, Number.POSITIVE_INFINITY];
  const runs = [nothing, 4, nothing, endless].map((shows) => ({ shows, ends: soon }));
  assert.deepEqual(await seenIn(runs), ["1  0", "1  40", "1  40", "1  40"]);
});

test("another generation begins anew, as does what is asked for after an end", async () => {
  const never = failed("Broken", "for good", { retry: "never" });
  const isReady = { status: "True", reason: "Up", message: "" } as const;
  assert.deepEqual(
    await seenIn([
      { shows: 6, ends: again(100_000), after: "edited" },
      { shows: 5, ends: never, after: "asked" },
      { shows: 2, ends: never, after: "edited" },
      { shows: 4, ends: again(100_000, { ready: isReady }), after: "asked" },
      { shows: 1, ends: done(), after: "asked" },
      { shows: 0, ends: done() },
    ]),
    ["1  60", "2  50", "2 r1 20", "3 r1 40", "3 r3 10", "3 r4 0"],
  );
});

// References, wake-ups and take-overs together: whatever happens when, in the end every resource
// was reconciled against the newest state of all that it refers to, and of all its children.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { isJsonArray, isJsonObject } from "../../kernel/json.ts";
import type { JsonObject } from "../../kernel/json.ts";
import type { Resource } from "../../kernel/resource.ts";
import { seededRandom } from "../../kernel/random.ts";
import {
  change,
  create,
  edited,
  keyOf,
  newRig,
  read,
  statusIn,
  widgets,
} from "../../../tests/engine/rig.ts";
import type { Rig } from "../../../tests/engine/rig.ts";
import { processOn, remove } from "../../../tests/engine/sample-run.ts";
import type { Process } from "../../../tests/engine/sample-run.ts";
import { startEngine } from "../engine.ts";
import type { Engine } from "../engine.ts";
import { done, failed } from "../outcome.ts";
import type { Reconciler } from "../reconciler.ts";
import { wakingCompanion } from "./waking-companion.ts";

const gadgets = "gadgets.test";
const widgetNames = ["w0", "w1", "w2"];
const gadgetNames = ["g0", "g1", "g2", "g3"];

type Action =
  | { readonly kind: "touch" | "toggle"; readonly gadget: string }
  | { readonly kind: "refer"; readonly widget: string; readonly to: readonly string[] }
  | { readonly kind: "crash"; readonly afterCalls: number }
  | { readonly kind: "compact" };

const gadget = fc.constantFrom(...gadgetNames);
const widget = fc.constantFrom(...widgetNames);
const to = fc.subarray(gadgetNames);
const afterCalls = fc.integer({ min: 1, max: 12 });

const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant("touch" as const), gadget }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("toggle" as const), gadget }) },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant("refer" as const), widget, to }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("crash" as const), afterCalls }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("compact" as const) }) },
);

/** Most of the time things happen close together; sometimes a lease passes. */
const pauseMs = fc.oneof(
  { weight: 8, arbitrary: fc.nat({ max: 12 }) },
  { weight: 1, arbitrary: fc.nat({ max: 20_000 }) },
);

/** Looks at what the spec names, slowly, and writes into the status what it saw. */
function reconcilerOf(rig: Rig, seed: number): Reconciler {
  const random = seededRandom(seed);
  return {
    kind: widgets,
    reconcile: async ({ spec }, context) => {
      const seen: { [name: string]: string } = {};
      for (const name of namesIn(spec)) {
        await rig.timers.sleep(Math.floor(random.next() * 10));
        const found = await context.references.get({ kind: gadgets, name });
        seen[name] = found?.metadata.resourceVersion ?? "none";
      }
      await rig.timers.sleep(Math.floor(random.next() * 10));
      if (random.next() < 0.05) return failed("Unlucky", "");
      return done({ status: { seen: JSON.stringify(seen) } });
    },
  };
}

function namesIn(spec: Resource["spec"]): readonly string[] {
  const list = isJsonObject(spec ?? null) ? (spec as JsonObject)["to"] : undefined;
  return isJsonArray(list) ? list.map(String) : [];
}

/** Two processes at a time; one that dies is replaced by another. */
class Servers {
  readonly #rig: Rig;
  readonly #processes: Process[] = [];
  readonly #engines: Engine[] = [];
  #started = 0;

  constructor(rig: Rig) {
    this.#rig = rig;
    this.#start();
    this.#start();
  }

  /** The older one dies at one of its next calls. */
  crash(calls: number): void {
    const process = this.#processes.shift();
    this.#engines.shift();
    process?.killAfter(calls);
    this.#start();
  }

  async stop(): Promise<void> {
    for (const engine of this.#engines) await engine.stop();
  }

  #start(): void {
    this.#started += 1;
    const process = processOn(this.#rig.store);
    const ports = this.#rig.portsOver(process.store);
    const owner = `process ${this.#started}`;
    const engine = startEngine(ports, { owner, companions: [wakingCompanion] });
    engine.add(reconcilerOf(this.#rig, this.#started));
    this.#processes.push(process);
    this.#engines.push(engine);
  }
}

async function act({ store }: Rig, servers: Servers, given: Action): Promise<void> {
  switch (given.kind) {
    case "touch":
    case "toggle": {
      const key = keyOf(given.gadget, "team", gadgets);
      const present = await read(store, key);
      if (present === undefined) return await create(store, key);
      if (given.kind === "toggle") return await remove(store, key);
      const next = { at: present.metadata.generation };
      return await change(store, key, (resource) => edited(resource, next));
    }
    case "refer": {
      const spec = { to: [...given.to] };
      return await change(store, keyOf(given.widget), (resource) => edited(resource, spec));
    }
    case "crash":
      return servers.crash(given.afterCalls);
    case "compact":
      await store.compact((await store.head()).revision);
  }
}

async function checkSeen({ store }: Rig): Promise<void> {
  for (const name of widgetNames) {
    const wanted: { [name: string]: string } = {};
    for (const target of namesIn((await read(store, keyOf(name)))?.spec)) {
      const found = await read(store, keyOf(target, "team", gadgets));
      wanted[target] = found?.metadata.resourceVersion ?? "none";
    }
    const { seen } = await statusIn(store, keyOf(name));
    assert.equal(seen, JSON.stringify(wanted), name);
  }
}

test("in the end everyone has seen the newest state of what it refers to", async () => {
  const script = fc.array(fc.tuple(action, pauseMs), { minLength: 1, maxLength: 15 });
  await fc.assert(
    fc.asyncProperty(script, async (steps) => {
      const rig = newRig();
      for (const name of widgetNames) await create(rig.store, keyOf(name));
      const servers = new Servers(rig);
      // Adoption, which wakes everything once more, would make up for what is missed.
      await rig.timers.advance(60_000);
      for (const [given, ms] of steps) {
        await act(rig, servers, given);
        await rig.timers.advance(ms);
      }
      await rig.timers.advance(120_000);
      await checkSeen(rig);
      const { revision } = await rig.store.head();
      await rig.timers.advance(60_000);
      assert.equal((await rig.store.head()).revision, revision, "and then it is quiet");
      await servers.stop();
    }),
    { numRuns: 30 },
  );
});

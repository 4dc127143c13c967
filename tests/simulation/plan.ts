// Everything that a seed decides before its world begins: how many processes, which faults, what
// people will do and when, and whom the outside treats badly. It is plain data, so that it can be
// shown, and made smaller while it still fails.

import { annotations } from "../../src/engine/names.ts";
import type { JsonObject } from "../../src/kernel/json.ts";
import type { ResourceKey } from "../../src/kernel/resource.ts";
import type { Limits } from "./bodies.ts";
import { diceOf } from "./dice.ts";
import type { Dice } from "./dice.ts";
import { moods } from "./outside.ts";
import type { Mood } from "./outside.ts";
import type { Annotations } from "./people.ts";
import { appKind, configKeyOf, configKind, partKind, partName } from "./sim-kinds.ts";
import type { KindSettings } from "./sim-reconcilers.ts";
import { drawRates, faultKinds } from "./weather.ts";
import type { FaultKind, Rates } from "./weather.ts";

export type Action =
  | { readonly what: "create"; readonly spec: JsonObject; readonly annotated: Annotations }
  | { readonly what: "edit"; readonly fields: JsonObject }
  | { readonly what: "annotate"; readonly annotated: Annotations }
  | { readonly what: "delete" };

export type PlannedAction = Action & { readonly atMs: number; readonly key: ResourceKey };

export interface Poison {
  readonly name: string;
  readonly mood: Mood;
}

export interface Plan {
  readonly seed: number;
  /**
   * In a crowd one tenant has very many broken resources, and nothing else is wrong. Of watchers
   * each looks at something that others change, and runs for no other reason.
   */
  readonly shape: "usual" | "crowd" | "watchers";
  readonly processes: number;
  readonly leaseMs: number;
  /** How long the weather is fine at first. */
  readonly calmMs: number;
  /** How long those who write do not know yet that somebody reconciles, and so wake nobody. */
  readonly unawareMs: number;
  readonly stormMs: number;
  readonly quietMs: number;
  readonly limits: Limits;
  readonly settings: KindSettings;
  /** The longest that the outside usually takes. */
  readonly outsideMs: number;
  /** How many calls of one system a process may make at a time. */
  readonly externalCalls: number;
  readonly rates: Rates;
  /** How likely somebody edits a resource just while it is being reconciled. */
  readonly meddling: number;
  readonly poisons: readonly Poison[];
  readonly actions: readonly PlannedAction[];
  /** At the end people delete everything. */
  readonly deletesAll: boolean;
}

export interface PlanOptions {
  /** Only these kinds of faults may happen. */
  readonly faults?: ReadonlySet<FaultKind>;
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

export function planOf(seed: number, options: PlanOptions = {}): Plan {
  const dice = diceOf(seed);
  const faults = options.faults ?? new Set(faultKinds);
  const shape = dice.fork("shape").between(1, 20);
  if (shape === 1) return crowdPlan(seed, dice);
  return shape <= 4 ? watchersPlan(seed, dice, faults) : usualPlan(seed, dice, faults);
}

interface Mob {
  readonly size: number;
  readonly mood: Mood;
}

/** A crowd of a size that is too large to be drawn often. */
export function mobPlan(seed: number, mob: Mob): Plan {
  return crowdPlan(seed, diceOf(seed), mob);
}

function usualPlan(seed: number, dice: Dice, faults: ReadonlySet<FaultKind>): Plan {
  const sizes = dice.fork("sizes");
  const leaseMs = sizes.pick([6_000, 10_000, 30_000]);
  const stormMs = sizes.between(20_000, 150_000);
  const tenants = Array.from({ length: sizes.between(1, 3) }, (_, index) => `t${index}`);
  const names = tenants.flatMap((tenant) => namesOf(tenant, sizes));
  const plan: Omit<Plan, "externalCalls"> = {
    seed,
    shape: "usual",
    processes: sizes.between(1, 4),
    leaseMs,
    calmMs: 0,
    unawareMs: sizes.pick([0, 0, 0, 20_000]),
    stormMs,
    quietMs: sizes.chance(0.03) ? 2 * hourMs : 6 * minuteMs,
    limits: {
      slots: sizes.between(2, 8),
      perNamespace: sizes.between(1, 8),
      perKind: sizes.between(1, 8),
    },
    settings: {
      resyncMs: sizes.pick([0, 0, 20 * minuteMs, 10 * hourMs]),
      timeoutMs: 2 * minuteMs,
    },
    outsideMs: sizes.pick([0, 300, 300, 2_000, Math.min(45_000, 3 * leaseMs)]),
    rates: drawRates(dice.fork("rates"), faults),
    meddling: sizes.pick([0, 0, 0.02, 0.1]),
    poisons: poisonsOf(names, dice.fork("poisons")),
    actions: actionsOf(names, stormMs, dice.fork("actions")),
    deletesAll: sizes.chance(0.2),
  };
  // Where calls take long, whoever is refused a turn comes again for as long as others go in and
  // out, and there is never quiet.
  const externalCalls = plan.outsideMs > 300 ? 16 : dice.fork("calls").pick([1, 2, 3, 16]);
  return { ...plan, externalCalls };
}

/** A mob of broken resources, and others who want something done every now and then. */
function crowdPlan(seed: number, dice: Dice, given: Partial<Mob> = {}): Plan {
  const sizes = dice.fork("sizes");
  const size = given.size ?? sizes.between(20, 60);
  const mob = Array.from({ length: size }, (_, index) => configOf("mob", `m${index}`));
  const slots = sizes.between(4, 10);
  const stormMs = sizes.between(60_000, 200_000);
  const moodsOfMobs = ["fails", "throws", "hangs", "deaf"] as const;
  const mood = given.mood ?? sizes.pick(moodsOfMobs);
  const fresh = Array.from({ length: 4 }, (_, index) => configOf(`t${index}`, `c${index}`));
  const created = (key: ResourceKey, atMs: number): PlannedAction => {
    return { what: "create", key, atMs, spec: { value: 1 }, annotated: {} };
  };
  return {
    seed,
    shape: "crowd",
    processes: sizes.between(1, 2),
    leaseMs: 10_000,
    calmMs: 0,
    unawareMs: 0,
    stormMs,
    quietMs: minuteMs,
    limits: { slots, perNamespace: slots, perKind: sizes.between(2, 2 * slots) },
    settings: { resyncMs: 0, timeoutMs: minuteMs },
    outsideMs: 50,
    externalCalls: 16,
    rates: drawRates(dice.fork("rates"), new Set()),
    meddling: 0,
    poisons: mob.map(({ name }) => ({ name, mood })),
    actions: [
      ...mob.map((key) => created(key, sizes.between(0, 5_000))),
      ...fresh.map((key) => created(key, sizes.between(5_000, stormMs))),
    ].sort((a, b) => a.atMs - b.atMs),
    deletesAll: false,
  };
}

/** When a reconciler is new its resources are woken for half a minute; then only by changes. */
const adoptedMs = 40_000;

function watchersPlan(seed: number, dice: Dice, faults: ReadonlySet<FaultKind>): Plan {
  const sizes = dice.fork("sizes");
  const count = sizes.between(4, 10);
  const stormMs = adoptedMs + sizes.between(20_000, 60_000);
  const notes = Array.from({ length: count }, (_, index) => configKeyOf("t0", `note${index}`));
  const apps = notes.map((_, index) => ({ kind: appKind, namespace: "t0", name: `app${index}` }));
  let counter = 0;
  const appAt = (key: ResourceKey, atMs: number, what: "create" | "edit"): PlannedAction => {
    counter += 1;
    const config = sizes.anyOf(notes)?.name ?? null;
    const spec = { value: counter, parts: 0, config, steps: 0, about: `about${counter}` };
    if (what === "edit") return { what, key, atMs, fields: spec };
    return { what, key, atMs, spec, annotated: {} };
  };
  const late = (): number => sizes.between(adoptedMs, stormMs);
  const actions: readonly PlannedAction[] = [
    ...notes.map((key) => ({ ...createConfig(0), key, atMs: sizes.between(0, 1_000) })),
    ...apps.map((key) => appAt(key, sizes.between(1_000, 4_000), "create")),
    ...apps.filter(() => sizes.chance(0.5)).map((key) => appAt(key, late(), "edit")),
    ...[...notes, ...notes].map((key, value): PlannedAction => {
      return { what: "edit", key, atMs: late(), fields: { value: value + 1 } };
    }),
  ];
  return {
    ...usualPlan(seed, dice, faults),
    shape: "watchers",
    leaseMs: 10_000,
    calmMs: adoptedMs,
    unawareMs: 0,
    stormMs,
    limits: { slots: 10, perNamespace: 10, perKind: 10 },
    settings: { resyncMs: 0, timeoutMs: 2 * minuteMs },
    outsideMs: sizes.pick([0, 300, 2_000]),
    meddling: sizes.pick([0, 0.2, 0.5]),
    poisons: [],
    actions: [...actions].sort((a, b) => a.atMs - b.atMs),
  };
}

interface Names {
  readonly apps: readonly ResourceKey[];
  readonly configs: readonly ResourceKey[];
}

function namesOf(tenant: string, dice: Dice): Names {
  const apps = Array.from({ length: dice.between(1, 3) }, (_, index) => ({
    kind: appKind,
    namespace: tenant,
    name: `${tenant}-app${index}`,
  }));
  const configs = Array.from({ length: dice.between(1, 3) }, (_, index) =>
    configKeyOf(tenant, `${tenant}-${dice.pick(["config", "note"])}${index}`),
  );
  return { apps, configs };
}

function configOf(namespace: string, name: string): ResourceKey {
  return { kind: configKind, namespace, name };
}

function poisonsOf(names: readonly Names[], dice: Dice): readonly Poison[] {
  if (dice.chance(0.5)) return [];
  const every = names.flatMap(({ apps, configs }) => [
    ...apps.map(({ name }) => name),
    ...apps.map((app) => partName({ ...app, kind: partKind }, 0)),
    ...configs.map(({ name }) => name),
  ]);
  const count = dice.between(1, 3);
  return dice
    .shuffled(every)
    .slice(0, count)
    .map((name) => ({ name, mood: dice.pick([...moods, "fatal", "fatal"] as const) }));
}

function actionsOf(names: readonly Names[], stormMs: number, dice: Dice): readonly PlannedAction[] {
  const actions: PlannedAction[] = [];
  let counter = 0;
  for (const { apps, configs } of names) {
    for (const key of [...apps, ...configs]) {
      const isApp = key.kind === appKind;
      const draw = (): Action => {
        counter += 1;
        return isApp ? appAction(dice, configs, counter) : configAction(dice, counter);
      };
      counter += 1;
      const first = isApp ? createApp(dice, configs, counter) : createConfig(counter);
      actions.push({ ...first, key, atMs: dice.delay(stormMs) });
      const more = dice.between(0, isApp ? 5 : 8);
      for (let i = 0; i < more; i += 1) {
        actions.push({ ...draw(), key, atMs: dice.between(0, stormMs) });
      }
    }
  }
  return actions.sort((a, b) => a.atMs - b.atMs);
}

function createConfig(value: number): Action {
  return { what: "create", spec: { value }, annotated: {} };
}

function createApp(dice: Dice, configs: readonly ResourceKey[], counter: number): Action {
  const policy = dice.chance(0.1) ? "detach-on-delete" : undefined;
  return {
    what: "create",
    spec: appFields(dice, configs, counter),
    annotated: { [annotations.policy]: policy },
  };
}

function appFields(dice: Dice, configs: readonly ResourceKey[], counter: number): JsonObject {
  const config = dice.chance(0.6) ? dice.anyOf(configs)?.name : undefined;
  return {
    value: counter,
    parts: dice.between(0, 2),
    config: config ?? null,
    steps: dice.chance(0.5) ? dice.between(1, 3) : 0,
    about: `about${counter}`,
  };
}

function appAction(dice: Dice, configs: readonly ResourceKey[], counter: number): Action {
  const draw = dice.between(0, 9);
  if (draw <= 3) return { what: "edit", fields: appFields(dice, configs, counter) };
  if (draw === 4) return { what: "delete" };
  if (draw === 5) return createApp(dice, configs, counter);
  if (draw === 6) {
    const paused = dice.chance(0.5) ? "true" : undefined;
    return { what: "annotate", annotated: { [annotations.paused]: paused } };
  }
  if (draw === 7) {
    const policy = dice.pick([undefined, "skip", "detach-on-delete", "manage"]);
    return { what: "annotate", annotated: { [annotations.policy]: policy } };
  }
  return { what: "annotate", annotated: { [annotations.request]: `please${counter}` } };
}

function configAction(dice: Dice, counter: number): Action {
  const draw = dice.between(0, 9);
  if (draw <= 4) return { what: "edit", fields: { value: counter } };
  if (draw <= 6) return { what: "delete" };
  if (draw <= 8) return createConfig(counter);
  return { what: "annotate", annotated: { [annotations.request]: `please${counter}` } };
}

// Users who change, plan, approve, cancel, retry, roll back and destroy one Environment at random
// and at the same time, while targets succeed, fail and stop at random, and the server restarts.
// Afterwards every request has an end, and the targets are exactly those of the spec.

import assert from "node:assert/strict";
import { test } from "node:test";
import { timeText } from "../../src/kernel/clock.ts";
import { isSetpointError } from "../../src/kernel/errors.ts";
import type { JsonObject } from "../../src/kernel/json.ts";
import { numberAt, objectAt, textAt, textsAt } from "../../src/kernel/json-read.ts";
import { seededRandom } from "../../src/kernel/random.ts";
import type { Random } from "../../src/kernel/random.ts";
import type { Resource } from "../../src/kernel/resource.ts";
import { decodeDocument } from "../../src/kernel/document.ts";
import { seed } from "../seed.ts";
import { machine, machineVersion, openRig } from "./rig.ts";
import type { Rig } from "./rig.ts";

const rounds = 25;
const cases = 3;
const ended = new Set(["Succeeded", "Failed", "Cancelled", "Superseded"]);

for (let at = 0; at < cases; at += 1) {
  test(`requests at random are all carried out or ended (seed ${seed + at})`, async () => {
    await using rig = await openRig();
    const random = seededRandom(seed + at);
    await prepare(rig);
    const users = new Users(rig, random);
    const targets = new Targets(rig, random);
    for (let round = 0; round < rounds; round += 1) {
      const count = 1 + below(random, 3);
      await Promise.all(Array.from({ length: count }, async () => await users.act()));
      if (below(random, 12) === 0) await rig.restart();
      await rig.pass(100 + below(random, 2_500));
      await targets.act(0.25);
      await targets.checkOrder();
    }
    await settle(rig, targets, users);
    await checkEnd(rig, users);
  });
}

async function prepare(rig: Rig): Promise<void> {
  const size = { size: "${parameters.size}" };
  const parameters = {
    size: { type: "integer", default: 1 },
    count: { type: "integer", default: 2, minimum: 0 },
  };
  const b = machine("b", { count: "${parameters.count}", dependsOn: ["a"] }, size);
  const first = [
    machine("a", {}, size),
    b,
    machine("c", { dependsOn: ["b"] }, size),
    machine("d", {}, size),
    machine("f", { dependsOn: ["d"] }, { host: "${resources.d.outputs.host}" }),
  ];
  // The order of b and a is another one, and c does not exist.
  const second = [
    machine("a", { dependsOn: ["e"] }, size),
    machine("e", {}, size),
    machine("d", {}, size),
  ];
  await rig.template(first, { parameters });
  await rig.template(second, { parameters, version: 2 });
  await rig.environment({ parameters: { size: 1, count: 2 } });
}

/** What several users do at the same time. A refusal is an answer; another error is a bug. */
class Users {
  readonly #rig: Rig;
  readonly #random: Random;
  #number = 0;
  readonly done: string[] = [];

  constructor(rig: Rig, random: Random) {
    this.#rig = rig;
    this.#random = random;
  }

  async act(): Promise<void> {
    const names = Object.keys(this.#actions);
    const name = names[below(this.#random, names.length)] ?? "";
    try {
      await this.#actions[name]?.();
      this.done.push(name);
    } catch (error) {
      this.done.push(`${name} refused`);
      if (!isSetpointError(error)) throw error;
      const known = ["resource.invalid", "resource.conflict", "resource.not_found"];
      assert.ok(known.includes(error.code), `${name}: ${error.code} ${error.message}`);
    }
  }

  readonly #actions: Readonly<Record<string, () => Promise<unknown>>> = {
    size: async () => await this.#spec({ parameters: { size: below(this.#random, 4) } }),
    count: async () => await this.#spec({ parameters: { count: below(this.#random, 4) } }),
    version: async () => await this.#spec({ templates: [`t.v${1 + below(this.#random, 2)}`] }),
    destroy: async () => await this.#spec({ desired: "Destroyed" }),
    deploy: async () => await this.#spec({ desired: "Deployed" }),
    deployAgain: async () => await this.#spec({ desired: "Deployed" }),
    approval: async () => {
      await this.#spec({ approval: below(this.#random, 3) === 0 ? "Required" : "Automatic" });
    },
    plan: async () => {
      const parameters = { size: below(this.#random, 4), count: below(this.#random, 4) };
      await this.#create("Plan", "plan", { environment: "e", parameters });
    },
    approve: async () => {
      const name = await this.#one("plans.environments.setpoint.dev");
      const plan = await this.#rig.read("Plan", name);
      if (plan === undefined) return;
      const found = await this.#rig.read("Environment", "e");
      const parameters = objectAt(plan.spec, "parameters");
      const spec = { parameters: { ...objectAt(found?.spec, "parameters"), ...parameters } };
      await this.#spec({ approvedPlan: name, ...(below(this.#random, 2) === 0 ? {} : spec) });
    },
    retry: async () => {
      const resource = ["", "a", "b", "d"][below(this.#random, 4)] ?? "";
      const more = resource === "" ? {} : { resource };
      await this.#create("Operation", "op", { environment: "e", type: "Retry", ...more });
    },
    rollback: async () => {
      const to = await this.#one("operations.environments.setpoint.dev");
      await this.#create("Operation", "op", { environment: "e", type: "Rollback", to });
    },
    drift: async () => {
      await this.#create("Operation", "op", { environment: "e", type: "CheckDrift" });
    },
    cancel: async () => {
      const name = await this.#one("operations.environments.setpoint.dev");
      const cancel = below(this.#random, 2) === 0 ? "Graceful" : "Force";
      await this.#rig.patch("Operation", name, { spec: { cancel } });
    },
  };

  async #spec(spec: JsonObject): Promise<void> {
    await this.#rig.patch("Environment", "e", { spec });
  }

  async #create(kind: string, word: string, spec: JsonObject): Promise<void> {
    this.#number += 1;
    await this.#rig.create(kind, `${word}-${this.#number}`, spec);
  }

  async #one(kind: string): Promise<string> {
    const names = await this.#rig.names(kind);
    return names[below(this.#random, Math.max(1, names.length))] ?? "none";
  }
}

/** The controller of Machines. It is slow, fails, obeys cancellations and holds deletions. */
class Targets {
  readonly #rig: Rig;
  readonly #random: Random;
  #before = new Map<string, readonly string[]>();

  constructor(rig: Rig, random: Random) {
    this.#rig = rig;
    this.#random = random;
  }

  async act(failures: number): Promise<void> {
    for (const found of await listed(this.#rig, "machines.example.dev")) {
      if (failures > 0 && below(this.#random, 3) === 0) continue;
      await this.#move(found, failures);
    }
  }

  async #move({ metadata, status }: Resource, failures: number): Promise<void> {
    const { name, generation, annotations = {}, finalizers = [] } = metadata;
    const at = { apiVersion: machineVersion, kind: "Machine", namespace: "team", name };
    if (metadata.deletionTimestamp !== undefined) {
      await this.#rig.memory.patch(at, { metadata: { finalizers: null } });
      return;
    }
    const isHeld = finalizers.length > 0;
    if (!isHeld && failures > 0 && below(this.#random, 2) === 0) {
      await this.#rig.memory.patch(at, { metadata: { finalizers: ["example.dev/hold"] } });
    }
    const request = annotations["setpoint.dev/reconcile"] ?? "";
    const check = annotations["environments.setpoint.dev/check-drift"] ?? "";
    const checkedAt = timeText(this.#rig.memory.surroundings.clock.nowMs());
    const isDone =
      numberAt(status, "observedGeneration") === generation &&
      textAt(status, "checked") === check &&
      textAt(status, "reconcile", "handledRequest") === request;
    const failed = textAt(status, "outcome") === "failed";
    const isCancelled = annotations["environments.setpoint.dev/cancel"] !== undefined;
    if (isDone && !(failed && failures === 0)) return;
    const chance = below(this.#random, 100) / 100;
    const outcome = isCancelled && !isDone ? "cancelled" : chance < failures ? "failed" : "ready";
    const reason = { cancelled: "Cancelled", failed: "Broken", ready: "Fine" }[outcome];
    const base = { observedGeneration: generation, lastTransitionTime: "2026-01-01T00:00:00Z" };
    const isReady = outcome === "ready" ? "True" : "False";
    const condition = { reason, message: outcome, status: isReady, ...base };
    await this.#rig.memory.patch(
      { ...at, subresource: "status" },
      {
        status: {
          outcome,
          checked: check,
          outputs: { host: "one" },
          drift: { state: "None", checkedAt, items: [] },
          observedGeneration: generation,
          conditions: [
            { type: "Ready", ...condition },
            { type: "Synced", ...condition },
          ],
          reconcile: { handledRequest: request },
        },
      },
    );
  }

  /** A target is removed after those that depended on it, by what was applied last. */
  async checkOrder(): Promise<void> {
    const now = new Map<string, readonly string[]>();
    const machines = new Set(await this.#rig.machines());
    for (const { metadata, spec } of await listed(this.#rig, resources)) {
      if (machines.has(metadata.name)) now.set(metadata.name, textsAt(spec, "dependsOn"));
    }
    for (const [name, needed] of this.#before) {
      if (!now.has(name)) continue;
      for (const other of needed) {
        const isStill = now.get(name)?.includes(other) === true;
        const wasThere = this.#before.has(other);
        assert.ok(!isStill || !wasThere || machines.has(other), `${other} left before ${name}`);
      }
    }
    this.#before = now;
  }
}

function below(random: Random, limit: number): number {
  return Math.floor(random.next() * limit);
}

const resources = "environmentresources.environments.setpoint.dev";

async function settle(rig: Rig, targets: Targets, users: Users): Promise<void> {
  await rig.patch("Environment", "e", { spec: { approval: "Automatic" } });
  for (let round = 0; round < 40; round += 1) {
    await targets.act(0);
    await rig.pass(5_000);
    const environment = await rig.read("Environment", "e");
    const phase = textAt(environment?.status, "phase");
    if (phase === "DeployedFail" && round % 5 === 4) {
      await rig.create("Operation", `last-${round}`, { environment: "e", type: "Retry" });
    }
    const open = (await listed(rig, "operations.environments.setpoint.dev")).filter(
      ({ status }) => !ended.has(textAt(status, "phase")),
    );
    if ((phase === "DeployedOk" || phase === "Destroyed") && open.length === 0) return;
  }
  const environment = await rig.read("Environment", "e");
  const show = ({ metadata, spec, status }: Resource): string =>
    [metadata, spec, status].map((part) => JSON.stringify(part)?.slice(0, 400)).join(" ");
  const members = (await listed(rig, resources)).map(show);
  const machines = (await listed(rig, "machines.example.dev")).map(show);
  const operations = (await listed(rig, "operations.environments.setpoint.dev")).map(show);
  assert.fail(
    [
      "the environment does not settle",
      JSON.stringify(environment?.spec),
      JSON.stringify({ ...objectAt(environment, "status"), transitions: [] }),
      ...members,
      ...machines,
      ...operations.slice(-6),
      users.done.slice(-20).join(", "),
    ].join("\n"),
  );
}

async function checkEnd(rig: Rig, users: Users): Promise<void> {
  const environment = await rig.read("Environment", "e");
  const machines = await listed(rig, "machines.example.dev");
  const shown = users.done.join(", ");
  if (textAt(environment?.spec, "desired") === "Destroyed") {
    assert.equal(textAt(environment?.status, "phase"), "Destroyed", shown);
    assert.deepEqual(machines, [], shown);
    assert.deepEqual(await rig.names(resources), [], shown);
    return;
  }
  assert.equal(textAt(environment?.status, "phase"), "DeployedOk", shown);
  const spec = objectAt(environment, "spec");
  const count = numberAt(spec, "parameters", "count") ?? 2;
  const size = numberAt(spec, "parameters", "size") ?? 1;
  const counted = Array.from({ length: count }, (_, at) => `e.b.${at}`);
  const first = ["e.a", ...counted, "e.c", "e.d", "e.f"];
  const wanted = textsAt(spec, "templates")[0] === "t.v1" ? first : ["e.a", "e.d", "e.e"];
  assert.deepEqual(machines.map(({ metadata }) => metadata.name).toSorted(), wanted, shown);
  for (const each of machines) {
    assert.equal(numberAt(each.spec, "size") ?? size, size, shown);
  }
  for (const each of machines) {
    assert.equal(each.metadata.annotations?.["environments.setpoint.dev/cancel"], undefined);
  }
}

async function listed(rig: Rig, kind: string): Promise<readonly Resource[]> {
  const { records } = await rig.memory.store.list({ kind });
  return records.map(({ body, revision }) => decodeDocument(body, revision));
}

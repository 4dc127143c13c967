// The people of a campaign: they make resources, change and delete them through whichever server
// answers, and insist until they have a definite answer. So at the end it is known what is wished.
import { setTimeout as delay } from "node:timers/promises";
import type { Random } from "../../src/kernel/random.ts";
import type { Answer, Setpoint } from "../peers/setpoint.ts";
import type { Shown, Wish } from "./effects-check.ts";

export const group = "chaos.example";
export const kind = `effects.${group}`;
const namespaces = ["tenant-a", "tenant-b", "tenant-c", "tenant-d", "tenant-e", "tenant-f"];
/** A server that does not answer may be paused: another one is asked. */
const patienceMs = 2_000;
const callers = 8;

export interface Plan {
  readonly resources: number;
  /** How many of a hundred are changed, and how many are deleted. */
  readonly changed: number;
  readonly deleted: number;
  /** For how long the work is spread. */
  readonly ms: number;
}

interface Step {
  readonly name: string;
  readonly verb: "create" | "change" | "delete";
  readonly value: number;
  /** What is wished before it; another caller may still be about that. */
  readonly before: number | undefined;
}

export class EffectsClient {
  readonly #servers: readonly Setpoint[];
  readonly #random: Random;
  readonly #wishes = new Map<string, Wish>();

  constructor(servers: readonly Setpoint[], random: Random) {
    this.#servers = servers;
    this.#random = random;
  }

  wishes(): readonly Wish[] {
    return [...this.#wishes.values()];
  }

  async createNamespaces(): Promise<void> {
    for (const name of namespaces) {
      const body = { apiVersion: "v1", kind: "Namespace", metadata: { name } };
      await this.#insist("/api/v1/namespaces", "POST", body, [201, 409]);
    }
  }

  /** Makes all, changes some of them once or more, and deletes some, spread over the time. */
  async work(plan: Plan, prefix: string): Promise<void> {
    const steps = this.#stepsOf(plan, prefix);
    const start = performance.now();
    const pause = plan.ms / steps.length;
    let next = 0;
    const caller = async (): Promise<void> => {
      for (let step = steps[next++]; step !== undefined; step = steps[next++]) {
        await delay(Math.max(0, start + pause * next - performance.now()));
        await this.#take(step);
      }
    };
    await Promise.all(Array.from({ length: callers }, caller));
  }

  async shown(): Promise<readonly Shown[]> {
    const { body } = await this.#insist(`/apis/${group}/v1/effects`, "GET", undefined, [200]);
    const { items } = JSON.parse(body.toString()) as { readonly items: readonly Document[] };
    return items.map(shownOf);
  }

  #stepsOf({ resources, changed, deleted }: Plan, prefix: string): readonly Step[] {
    const steps: (Step & { readonly at: number })[] = [];
    for (let index = 0; index < resources; index += 1) {
      const name = `${prefix}-${index}`;
      let at = index / resources / 2;
      let value = index;
      steps.push({ name, verb: "create", value, before: undefined, at });
      while (this.#random.next() * 100 < changed) {
        value += resources;
        at += 0.02 + this.#random.next() * 0.3;
        steps.push({ name, verb: "change", value, before: value - resources, at });
      }
      if (this.#random.next() * 100 >= deleted) continue;
      at += 0.02 + this.#random.next() * 0.3;
      steps.push({ name, verb: "delete", value, before: value, at });
    }
    return steps.toSorted((a, b) => a.at - b.at);
  }

  async #take({ name, verb, value, before }: Step): Promise<void> {
    while (this.#wishes.get(name)?.value !== before) await delay(5);
    const collection = `/apis/${group}/v1/namespaces/${namespaceOf(name)}/effects`;
    const metadata = { name, namespace: namespaceOf(name) };
    const document = { apiVersion: `${group}/v1`, kind: "Effect", metadata, spec: { value } };
    switch (verb) {
      case "create":
        await this.#insist(collection, "POST", document, [201, 409]);
        break;
      case "change":
        await this.#insist(`${collection}/${name}`, "PATCH", { spec: { value } }, [200]);
        break;
      case "delete":
        await this.#insist(`${collection}/${name}`, "DELETE", undefined, [200, 202, 404]);
        break;
    }
    this.#wishes.set(name, { name, value, isDeleted: verb === "delete" });
  }

  async #insist(
    path: string,
    method: string,
    body: unknown,
    definite: readonly number[],
  ): Promise<Answer> {
    const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
    for (let attempt = 1; ; attempt += 1) {
      const server = this.#servers[Math.floor(this.#random.next() * this.#servers.length)];
      const asked = server?.ask(path, {
        method,
        ...(body === undefined ? {} : { body }),
        headers: { "content-type": type },
        limitMs: patienceMs,
      });
      const answer = await asked?.catch(() => undefined);
      if (answer !== undefined && definite.includes(answer.status)) return answer;
      if (answer !== undefined && isFinal(answer.status)) {
        throw new Error(`${method} ${path}: ${answer.status} ${answer.body.toString()}`);
      }
      await delay(Math.min(500, 10 * attempt));
    }
  }
}

interface Document {
  readonly metadata: { readonly name: string; readonly uid: string; readonly generation: number };
  readonly spec: { readonly value: number };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
    readonly applied?: Shown["applied"];
  };
}

function shownOf({ metadata, spec, status }: Document): Shown {
  const condition = (type: string): string | undefined =>
    status?.conditions?.find((one) => one.type === type)?.status;
  return {
    name: metadata.name,
    uid: metadata.uid,
    generation: metadata.generation,
    value: spec.value,
    observedGeneration: status?.observedGeneration,
    ready: condition("Ready"),
    synced: condition("Synced"),
    applied: status?.applied,
  };
}

function namespaceOf(name: string): string {
  const index = Number(name.slice(name.lastIndexOf("-") + 1));
  return namespaces[index % namespaces.length] ?? "default";
}

/** A server that just started may not know the kind or its callers yet. */
function isFinal(status: number): boolean {
  return status >= 400 && status < 500 && ![401, 403, 404, 408, 409, 429].includes(status);
}

// Clients that write without a pause while servers start and stop. Each request that fails because
// its server is not there is repeated at another one, as a client behind a balancer does it.
import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import type { Answer, Ask, Setpoint } from "../peers/setpoint.ts";
import { names } from "./content.ts";

const path = "/api/v1/namespaces/default/configmaps";
const laneCount = 4;
const limitMs = 20_000;

export class Load implements AsyncDisposable {
  /** The servers that take requests now. */
  servers: readonly Setpoint[] = [];
  readonly #acknowledged = new Map<string, number>();
  readonly #name: string;
  #isOver = false;
  #lanes: Promise<unknown> = Promise.resolve();

  constructor(name: string) {
    this.#name = name;
  }

  get count(): number {
    return this.#acknowledged.size;
  }

  start(servers: readonly Setpoint[]): void {
    this.servers = servers;
    this.#lanes = Promise.all(Array.from({ length: laneCount }, (_, lane) => this.#write(lane)));
    // A lane that fails is reported by `stop`, also when it fails before that.
    this.#lanes.catch(() => undefined);
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#lanes;
  }

  /** Ends the lanes, also when no server answers any more. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    await this.#lanes.catch(() => undefined);
  }

  /** Fails unless a server has each acknowledged ConfigMap with its acknowledged change. */
  async check(server: Setpoint): Promise<void> {
    const stored = new Set(await names(server, path));
    const lost = [...this.#acknowledged.keys()].filter((name) => !stored.has(name));
    assert.deepEqual(lost, [], "acknowledged ConfigMaps that were lost");
    const { body } = await server.ask(`${path}?labelSelector=load%3D${this.#name}`);
    const { items } = JSON.parse(body.toString()) as {
      readonly items: readonly { metadata: { name: string }; data?: { turn?: string } }[];
    };
    for (const { metadata, data } of items) {
      const turn = this.#acknowledged.get(metadata.name);
      if (turn === undefined) continue;
      assert.ok(Number(data?.turn) >= turn, `${metadata.name} lost a change`);
    }
  }

  async #write(lane: number): Promise<void> {
    for (let index = 0; !this.#isOver; index++) {
      const name = `${this.#name}-${lane}-${index}`;
      const metadata = { name, labels: { load: this.#name } };
      // A repeated creation finds what it has created: 409 is an acknowledgement, too.
      await this.#until(
        { method: "POST", body: { metadata, data: { turn: "0" } } },
        path,
        [201, 409],
      );
      this.#acknowledged.set(name, 0);
      const headers = { "content-type": "application/merge-patch+json" };
      const change = { method: "PATCH", headers, body: { data: { turn: "1" } } };
      await this.#until(change, `${path}/${name}`, [200]);
      this.#acknowledged.set(name, 1);
    }
  }

  async #until(ask: Ask, target: string, statuses: readonly number[]): Promise<void> {
    for (let attempt = 0; ; attempt++) {
      const answer = await this.#attempt(ask, target, attempt);
      if (answer !== undefined && statuses.includes(answer.status)) return;
      // Refusals that ask for a repetition are those of a server that stops or is overloaded.
      assert.ok(!this.#isOver || answer !== undefined, `${target}: no server answers`);
      const mayRepeat = answer === undefined || [429, 500, 503].includes(answer.status);
      assert.ok(mayRepeat, `${target}: ${answer?.status} ${answer?.body.toString()}`);
      await delay(20);
    }
  }

  async #attempt(ask: Ask, target: string, attempt: number): Promise<Answer | undefined> {
    const server = this.servers[attempt % Math.max(1, this.servers.length)];
    return await server?.ask(target, { ...ask, limitMs }).catch(() => undefined);
  }
}

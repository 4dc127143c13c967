// A broker inside this process, with the semantics of port.ts: the default of Setpoint, and what
// tests use where no broker runs. It keeps messages in memory, so they end with the process: the
// outbox publishes from the log, and events that were not consumed are published again.

import { SetpointError } from "../../../kernel/errors.ts";
import { declarationConflict } from "../failures.ts";
import type {
  Binding,
  ExchangeDeclaration,
  PublishOutcome,
  QueueDeclaration,
  Topology,
} from "../port.ts";
import { matchesTopic } from "../topic.ts";
import { MemoryQueue } from "./queue.ts";
import type { Message } from "./queue.ts";

interface Exchange {
  readonly declaration: ExchangeDeclaration;
  readonly bindings: Binding[];
}

/** Messages that a queue without an own limit holds. */
const defaultMaxLength = 10_000;

export class MemoryBroker {
  readonly #exchanges = new Map<string, Exchange>();
  readonly #queues = new Map<string, MemoryQueue>();
  readonly #stops = new Set<() => void>();
  #isDown = false;

  /** Whether connections are possible; see `stop`. */
  get isDown(): boolean {
    return this.#isDown;
  }

  declare({ exchanges = [], queues = [], bindings = [] }: Topology): void {
    for (const each of exchanges) this.#declareExchange(each);
    for (const each of queues) this.#declareQueue(each);
    for (const each of bindings) this.#bind(each);
  }

  queue(name: string): MemoryQueue | undefined {
    return this.#queues.get(name);
  }

  deleteQueue(name: string): void {
    this.#queues.delete(name);
    for (const { bindings } of this.#exchanges.values()) {
      const kept = bindings.filter(({ queue }) => queue !== name);
      bindings.splice(0, bindings.length, ...kept);
    }
  }

  /** Undefined for an exchange that does not exist. */
  publish(message: Message, isMandatory: boolean): PublishOutcome | undefined {
    const queues = this.#route(message);
    if (queues === undefined) return undefined;
    if (queues.length === 0) {
      return isMandatory ? { kind: "returned", reason: "NO_ROUTE" } : { kind: "confirmed" };
    }
    const open = queues.filter(({ hasRoom }) => hasRoom);
    for (const queue of open) queue.put(message);
    return open.length === queues.length
      ? { kind: "confirmed" }
      : { kind: "refused", reason: "a queue is full" };
  }

  /** Ends all connections and refuses new ones until `start`; messages stay. */
  stop(): void {
    this.#isDown = true;
    for (const end of this.#stops) end();
  }

  start(): void {
    this.#isDown = false;
  }

  /** Calls `end` when the broker stops. Returns a function that forgets it. */
  onStop(end: () => void): () => void {
    this.#stops.add(end);
    return () => this.#stops.delete(end);
  }

  #declareExchange(declaration: ExchangeDeclaration): void {
    const known = this.#exchanges.get(declaration.name);
    if (known === undefined) this.#exchanges.set(declaration.name, { declaration, bindings: [] });
    else if (!isSame(known.declaration, declaration)) {
      throw declarationConflict(`the exchange ${declaration.name}`);
    }
  }

  #declareQueue(declaration: QueueDeclaration): void {
    const { name } = declaration;
    const known = this.#queues.get(name);
    if (known !== undefined) {
      if (!isSame(known.declaration, declaration)) throw declarationConflict(`the queue ${name}`);
      return;
    }
    const bury = (message: Message, exchange: string): void => {
      this.publish({ ...message, exchange }, false);
    };
    this.#queues.set(name, new MemoryQueue(declaration, defaultMaxLength, bury));
  }

  #bind(binding: Binding): void {
    const exchange = this.#exchanges.get(binding.exchange);
    if (exchange === undefined || !this.#queues.has(binding.queue)) {
      const message = `the exchange ${binding.exchange} or the queue ${binding.queue} is missing`;
      throw new SetpointError("broker.unavailable", message);
    }
    if (!exchange.bindings.some((each) => isSame(each, binding))) exchange.bindings.push(binding);
  }

  #route(message: Message, depth = 0): readonly MemoryQueue[] | undefined {
    if (message.exchange === "") {
      const queue = this.#queues.get(message.routingKey);
      return queue === undefined ? [] : [queue];
    }
    const exchange = this.#exchanges.get(message.exchange);
    if (exchange === undefined) return undefined;
    const { type, alternate } = exchange.declaration;
    const names = exchange.bindings
      .filter(({ pattern }) => {
        if (type === "fanout") return true;
        if (type === "direct") return pattern === message.routingKey;
        return matchesTopic(pattern, message.routingKey);
      })
      .map(({ queue }) => queue);
    const queues = [...new Set(names)].flatMap((name) => this.#queues.get(name) ?? []);
    if (queues.length > 0 || alternate === undefined || depth > 0) return queues;
    return this.#route({ ...message, exchange: alternate }, depth + 1) ?? [];
  }
}

function isSame(one: object, other: object): boolean {
  return sorted(one) === sorted(other);
}

function sorted(value: object): string {
  return JSON.stringify(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

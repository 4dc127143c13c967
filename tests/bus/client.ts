// A client of the bus in tests: it sends commands, and receives replies, events and dead letters.
import { randomUUID } from "node:crypto";
import type {
  BrokerConnection,
  ConnectBroker,
  Delivery,
  OutgoingMessage,
  Publisher,
} from "../../src/adapters/amqp/port.ts";
import type { Json, JsonObject } from "../../src/kernel/json.ts";
import { textAt } from "../../src/kernel/json-read.ts";
import { waitUntil } from "../peers/wait.ts";

export interface Received {
  readonly delivery: Delivery;
  /** The body as JSON; undefined when it is not. */
  readonly json: Json | undefined;
}

/** What arrived in one queue, in order. */
export class Arrivals {
  readonly all: Received[] = [];

  readonly onDelivery = (delivery: Delivery): void => {
    this.all.push({ delivery, json: jsonOf(delivery.body) });
    delivery.ack();
  };

  async first(what: string, isWanted: (received: Received) => boolean): Promise<Received> {
    return await waitUntil(what, () => this.all.find(isWanted));
  }

  /** The events without repeats, in the order of their first arrival. */
  distinct(): readonly JsonObject[] {
    const byId = new Map<string, JsonObject>();
    for (const { json } of this.all) {
      const id = textAt(json, "id");
      if (!byId.has(id)) byId.set(id, json as JsonObject);
    }
    return [...byId.values()];
  }
}

export interface SentCommand extends Partial<OutgoingMessage> {
  readonly command?: string;
  readonly content?: unknown;
}

export class BusClient implements AsyncDisposable {
  readonly replies = new Arrivals();
  readonly replyTo = `setpoint.replies.${randomUUID()}`;
  readonly #connection: BrokerConnection;
  readonly #publisher: Publisher;
  readonly #user: string;

  constructor(connection: BrokerConnection, publisher: Publisher, user: string) {
    this.#connection = connection;
    this.#publisher = publisher;
    this.#user = user;
  }

  static async open(connect: ConnectBroker, user: string): Promise<BusClient> {
    const connection = await connect();
    const client = new BusClient(connection, await connection.publisher(), user);
    await connection.declare({ queues: [{ name: client.replyTo, isTemporary: true }] });
    const { onDelivery } = client.replies;
    await connection.consume({ queue: client.replyTo, prefetch: 100, onDelivery });
    return client;
  }

  /** Messages of a new queue that is bound with the pattern, from now on. */
  async bound(exchange: string, pattern: string, name = `test.${randomUUID()}`): Promise<Arrivals> {
    await this.#connection.declare({
      queues: [{ name }],
      bindings: [{ exchange, queue: name, pattern }],
    });
    return await this.consume(name);
  }

  async consume(queue: string): Promise<Arrivals> {
    const arrivals = new Arrivals();
    await this.#connection.consume({ queue, prefetch: 200, onDelivery: arrivals.onDelivery });
    return arrivals;
  }

  /** Returns the message id. */
  async send({ command = "", content, ...more }: SentCommand): Promise<string> {
    const message: OutgoingMessage = {
      messageId: randomUUID(),
      exchange: "setpoint.commands",
      routingKey: command,
      isMandatory: true,
      body: content === undefined ? Buffer.alloc(0) : Buffer.from(JSON.stringify(content)),
      userId: this.#user,
      replyTo: this.replyTo,
      contentType: "application/json",
      ...(command === "" ? {} : { type: command }),
      ...more,
    };
    const outcome = await this.#publisher.publish(message);
    if (outcome.kind !== "confirmed") throw new Error(`the command was ${outcome.kind}`);
    return message.messageId;
  }

  /** Sends a command and waits for its reply. */
  async ask(command: SentCommand): Promise<Received> {
    const id = await this.send(command);
    return await this.reply(id);
  }

  /** Reply number `nth` to a message, counted from 1. */
  async reply(messageId: string, nth = 1): Promise<Received> {
    return await waitUntil(`reply ${nth} to ${messageId}`, () => {
      const own = this.replies.all.filter(({ json }) => {
        return textAt(json, "data", "messageId") === messageId;
      });
      return own[nth - 1];
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#connection[Symbol.asyncDispose]();
  }
}

function jsonOf(body: Buffer): Json | undefined {
  try {
    return JSON.parse(body.toString()) as Json;
  } catch {
    return undefined;
  }
}

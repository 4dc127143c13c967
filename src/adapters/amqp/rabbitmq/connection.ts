// Connections to RabbitMQ. amqplib is loaded with the first connection. Each publisher and each
// consumer has a channel of its own, because an error ends the channel and all that uses it.

import type { Channel, ChannelModel, ConfirmChannel } from "amqplib";
import type { Timers } from "../../../kernel/timers.ts";
import { unavailable } from "../failures.ts";
import type {
  BrokerAddress,
  BrokerConnection,
  ConnectBroker,
  Consumer,
  ConsumeRequest,
  Publisher,
  ReadAddress,
  Topology,
} from "../port.ts";
import { consumerOn } from "./consumer.ts";
import { declareOn } from "./declare.ts";
import { publisherOn } from "./publisher.ts";
import { reasonOf } from "./reason.ts";

export interface RabbitMqInput {
  readonly address: ReadAddress;
  /** Shown by the tools of the broker, such as "setpoint outbox". */
  readonly name: string;
  readonly timers: Timers;
}

const connectTimeoutMs = 10_000;
/** A connection without traffic ends after twice this time. */
const heartbeatSeconds = 20;
/** A frame of the broker larger than this ends the connection before it is read. */
const maxFrameBytes = 16 * 1024 * 1024;
const closeTimeoutMs = 3_000;

export function connectRabbitMq(input: RabbitMqInput): ConnectBroker {
  return async (signal) => {
    signal?.throwIfAborted();
    const address = await input.address();
    const model = await openModel(input, address);
    const connection = new RabbitMqConnection(model, input.timers);
    if (signal?.aborted === true) {
      await connection[Symbol.asyncDispose]();
      signal.throwIfAborted();
    }
    return connection;
  };
}

async function openModel(
  { name }: RabbitMqInput,
  { url, login, tls = {} }: BrokerAddress,
): Promise<ChannelModel> {
  const { default: amqp } = await import("amqplib");
  const { protocol, hostname, port, pathname } = new URL(url);
  const { authorities, certificate, key, serverName } = tls;
  const credentials =
    login === undefined
      ? amqp.credentials.external()
      : amqp.credentials.plain(login.user, login.password);
  try {
    return await amqp.connect(
      {
        protocol: protocol.slice(0, -1),
        hostname: hostname.replace(/^\[|\]$/g, ""),
        ...(port === "" ? {} : { port: Number(port) }),
        vhost: pathname.length > 1 ? decodeURIComponent(pathname.slice(1)) : "/",
        heartbeat: heartbeatSeconds,
        maxFrameSize: maxFrameBytes,
      },
      {
        credentials,
        noDelay: true,
        timeout: connectTimeoutMs,
        clientProperties: { connection_name: name },
        ...(authorities === undefined ? {} : { ca: authorities }),
        ...(certificate === undefined ? {} : { cert: certificate }),
        ...(key === undefined ? {} : { key }),
        ...(serverName === undefined ? {} : { servername: serverName }),
      },
    );
  } catch (error) {
    throw unavailable(reasonOf(error), error);
  }
}

class RabbitMqConnection implements BrokerConnection {
  readonly ended: Promise<string | undefined>;
  readonly #model: ChannelModel;
  readonly #timers: Timers;
  readonly #channels = new Set<Channel>();
  #isBlocked = false;
  #failure: string | undefined;
  #hasEnded = false;

  constructor(model: ChannelModel, timers: Timers) {
    this.#model = model;
    this.#timers = timers;
    const { promise, resolve } = Promise.withResolvers<string | undefined>();
    this.ended = promise;
    model.on("error", (error) => (this.#failure = reasonOf(error)));
    model.on("blocked", () => (this.#isBlocked = true));
    model.on("unblocked", () => (this.#isBlocked = false));
    model.on("close", (error) => {
      this.#hasEnded = true;
      resolve(this.#failure ?? (error === undefined ? undefined : reasonOf(error)));
    });
  }

  async declare(topology: Topology): Promise<void> {
    await declareOn(() => this.#channel(), topology);
  }

  async publisher(): Promise<Publisher> {
    const channel = await this.#opened(() => this.#model.createConfirmChannel());
    const parts = { model: this.#model, channel, isBlocked: () => this.#isBlocked };
    return publisherOn(parts);
  }

  async consume(request: ConsumeRequest): Promise<Consumer> {
    return await consumerOn(await this.#channel(), request);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#hasEnded) return;
    // A broker that does not answer must not delay the stop of the server.
    const late = Promise.withResolvers<void>();
    const cancel = this.#timers.after(closeTimeoutMs, () => late.resolve());
    await Promise.race([this.#close(), late.promise]);
    cancel();
  }

  /** The channels first: a connection that closes drops their last acks. */
  async #close(): Promise<void> {
    try {
      await Promise.all([...this.#channels].map((channel) => channel.close()));
      await this.#model.close();
    } catch {
      // The connection has ended already.
    }
  }

  async #channel(): Promise<Channel> {
    return await this.#opened(() => this.#model.createChannel());
  }

  async #opened<C extends Channel | ConfirmChannel>(open: () => Promise<C>): Promise<C> {
    try {
      const channel = await open();
      // An error ends the channel, and "close" follows; without a listener it would be thrown.
      channel.on("error", () => undefined);
      this.#channels.add(channel);
      channel.on("close", () => this.#channels.delete(channel));
      return channel;
    } catch (error) {
      throw unavailable(reasonOf(error), error);
    }
  }
}

/**
 * A message broker with the model of AMQP 0-9-1: exchanges, bindings, queues, deliveries.
 *
 * What an implementation guarantees, proven by contract/:
 *  - `publish` resolves with `confirmed` only after every matching queue has stored the message.
 *    It never rejects: each other end of a message is an outcome.
 *  - A message with `isMandatory` that no queue receives is `returned`, never `confirmed`.
 *  - Messages of one publisher reach a queue in the order of the calls.
 *  - A delivery that is not settled when its connection ends is delivered again, with
 *    `deliveries` raised. A queue with a delivery limit N delivers a message N + 1 times, then
 *    moves it to its dead-letter exchange with the reason in the header "x-death".
 *  - A consumer holds at most `prefetch` deliveries that are not settled.
 *  - The body is bytes, and arrives as it was sent.
 *
 * A connection that ends is not replaced: the caller connects again, and decides what to repeat.
 */
export type ConnectBroker = (signal?: AbortSignal) => Promise<BrokerConnection>;

export interface BrokerConnection extends AsyncDisposable {
  /** Resolves when the connection has ended, with the reason; undefined after `dispose`. */
  readonly ended: Promise<string | undefined>;
  /** Creates what is missing. Rejects with `broker.conflict` for a queue with other arguments. */
  declare(topology: Topology): Promise<void>;
  publisher(): Promise<Publisher>;
  consume(request: ConsumeRequest): Promise<Consumer>;
}

export interface Publisher extends AsyncDisposable {
  /** False while the connection asks publishers to wait; see `writable`. */
  readonly isWritable: boolean;
  /** Resolves when the publisher can take more messages, or has ended. */
  writable(): Promise<void>;
  publish(message: OutgoingMessage): Promise<PublishOutcome>;
}

export type PublishOutcome =
  | { readonly kind: "confirmed" }
  /** No queue received the mandatory message. */
  | { readonly kind: "returned"; readonly reason: string }
  /** The broker refused the message, as a full queue does. */
  | { readonly kind: "refused"; readonly reason: string }
  /** The publisher ended first. The broker may or may not have stored the message. */
  | { readonly kind: "lost"; readonly reason: string };

export type HeaderValue = string | number | boolean | HeaderTable | readonly HeaderValue[];
export interface HeaderTable {
  readonly [name: string]: HeaderValue;
}

export interface MessageProperties {
  readonly messageId?: string;
  readonly correlationId?: string;
  readonly type?: string;
  readonly replyTo?: string;
  readonly contentType?: string;
  readonly appId?: string;
  /** The broker refuses a message whose user is not the user of the connection. */
  readonly userId?: string;
  /** In whole seconds since 1970. */
  readonly timestamp?: number;
  readonly headers?: HeaderTable;
}

export interface OutgoingMessage extends MessageProperties {
  /** Unique among the messages of a publisher that have no outcome yet. */
  readonly messageId: string;
  /** The empty text sends to the queue that `routingKey` names. */
  readonly exchange: string;
  readonly routingKey: string;
  readonly body: Buffer;
  readonly isMandatory: boolean;
}

export interface ConsumeRequest {
  readonly queue: string;
  /** The largest number of deliveries that are not settled. */
  readonly prefetch: number;
  /** Called in the order of the queue. Must not throw. */
  readonly onDelivery: (delivery: Delivery) => void;
}

/** Disposing cancels the consumer: no delivery follows, and earlier ones may still be settled. */
export interface Consumer extends AsyncDisposable {
  /** Resolves when the consumer receives nothing more; the reason, unless it was disposed. */
  readonly ended: Promise<string | undefined>;
}

export interface Delivery extends MessageProperties {
  readonly exchange: string;
  readonly routingKey: string;
  readonly body: Buffer;
  /** How often the message was delivered before. */
  readonly deliveries: number;
  /** Removes the message from the queue. */
  ack(): void;
  /** Puts the message back into the queue, unless its delivery limit is reached. */
  requeue(): void;
  /** Moves the message to the dead-letter exchange of the queue; without one it is dropped. */
  reject(): void;
}

export interface Topology {
  readonly exchanges?: readonly ExchangeDeclaration[];
  readonly queues?: readonly QueueDeclaration[];
  readonly bindings?: readonly Binding[];
}

export interface ExchangeDeclaration {
  readonly name: string;
  /** In a topic pattern "*" matches one word and "#" any number of words. */
  readonly type: "topic" | "fanout" | "direct";
  /** Receives the messages that no binding matches. */
  readonly alternate?: string;
}

/** A durable, replicated queue, unless it is temporary. */
export interface QueueDeclaration {
  readonly name: string;
  readonly deadLetterExchange?: string;
  readonly deliveryLimit?: number;
  readonly maxLength?: number;
  /** Default "reject": a publisher is refused. "drop-oldest" removes the oldest message. */
  readonly whenFull?: "reject" | "drop-oldest";
  /** One consumer receives all deliveries; the next one follows when it leaves. */
  readonly hasSingleConsumer?: true;
  /** For replies: one connection uses the queue, which is deleted with the connection. */
  readonly isTemporary?: true;
}

export interface Binding {
  readonly exchange: string;
  readonly queue: string;
  readonly pattern: string;
}

/** How to reach a broker; see docs/reference/bus.md. */
export interface BrokerAddress {
  /** "amqp://HOST:PORT/VHOST" or "amqps://..."; without credentials. */
  readonly url: string;
  /** Undefined for the mechanism EXTERNAL: the broker takes the name from the certificate. */
  readonly login?: { readonly user: string; readonly password: string } | undefined;
  readonly tls?: BrokerTls | undefined;
}

/** PEM texts. */
export interface BrokerTls {
  readonly authorities?: string | undefined;
  readonly certificate?: string | undefined;
  readonly key?: string | undefined;
  /** Where it is not the host of the address. */
  readonly serverName?: string | undefined;
}

/** Read for every connection, so that changed credentials are used by the next one. */
export type ReadAddress = () => Promise<BrokerAddress>;

/** Without an address the broker is inside this process. */
export type OpenBroker = (target: {
  /** Shown by the tools of the broker. */
  readonly name: string;
  readonly address?: ReadAddress | undefined;
}) => ConnectBroker;

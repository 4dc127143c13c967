/**
 * The outbox against a bare confirming publisher: the same events, the same broker, the same number
 * of messages without a confirm. The bare publisher sends bytes that are ready; the outbox reads
 * the log on SQLite, builds the events, publishes them and stores its place.
 */
import { hash } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import amqp from "amqplib";
import type { ConfirmChannel, Options } from "amqplib";
import type { BrokerConnection, Delivery } from "../src/adapters/amqp/port.ts";
import { checkedSections } from "../src/app/config-sections.ts";
import { openControlPlane, systemSurroundings } from "../src/app/control-plane.ts";
import type { ControlPlane } from "../src/app/control-plane.ts";
import { sectionsOf } from "../src/app/declared-parts.ts";
import { builtInModules } from "../src/app/modules.ts";
import { ownIntentsOf } from "../src/app/own-intents.ts";
import type { LeaderTask } from "../src/engine/wakes/leader-tasks.ts";
import { encodeDocument } from "../src/kernel/document.ts";
import { systemCause } from "../src/kernel/cause.ts";
import type { ClaimRef, Put, Store } from "../src/store/port.ts";
import { openSqliteStore } from "../src/store/sqlite/store.ts";
import { logger } from "../src/telemetry/log.ts";
import { passwordOf, startRabbitMq } from "../tests/peers/rabbitmq.ts";
import type { RabbitMq } from "../tests/peers/rabbitmq.ts";
import { waitUntil } from "../tests/peers/wait.ts";
import { keys } from "./documents.ts";
import { duel, rate } from "./measure.ts";
import { figure } from "./table.ts";
import type { Row } from "./table.ts";

const count = 10_000;
const resources = 2_000;
/** Messages without a confirm; the same as the limit of the outbox. */
const window = 512;
const exchange = "setpoint.events";
const queue = "bench.events";
const asked = 0.5;

export async function bus(folder: string): Promise<readonly Row[]> {
  const builtIn = builtInModules.filter(({ name }) => name === "bus");
  if (builtIn.length === 0) return [];
  await using broker = await startRabbitMq();
  await using store = await openSqliteStore({ path: join(folder, "bus.db"), keys });
  const log = logger(() => undefined, systemSurroundings.clock, "error");
  const credentialsFile = join(folder, "broker-credentials");
  await writeFile(credentialsFile, `setpoint\n${passwordOf("setpoint")}\n`);
  const section = { url: broker.url, credentialsFile, kinds: ["configmaps"] };
  const configuration = checkedSections(sectionsOf(builtIn), { bus: section }, {});
  await using plane = await openControlPlane(store, log, { builtIn, configuration });
  await using outbox = await outboxOf(plane);
  const { task } = outbox;
  const claim = await claimed(store);
  await using connection = await broker.connect()();
  let round = 0;
  const ours = async (): Promise<number> => {
    round += 1;
    await fill(store, round);
    return await rate(() => drained(plane, task, claim));
  };
  // The first round declares the exchange and stores the place from which events begin.
  await drained(plane, task, claim, 0);
  await connection.declare({
    queues: [{ name: queue, maxLength: 200_000, whenFull: "drop-oldest" }],
    bindings: [{ exchange, queue, pattern: "configmap.#" }],
  });
  await ours();
  const messages = (await sentBy(connection)).map(bareMessage);
  await using bare = await bareChannel(broker);
  const contest = { name: "outbox", unit: "/s", ours } as const;
  const raw = (): Promise<number> => rate(() => publishedBare(bare.channel, messages));
  const result = await duel({ ...contest, raw }, 5);
  return [
    {
      what: "RabbitMQ: events from the log on SQLite: outbox against a bare confirming publisher",
      raw: figure(result.raw, "/s"),
      ours: figure(result.ours, "/s"),
      result: `${result.ratio.toFixed(2)}x`,
      asked: `${asked}x`,
      isMet: result.ratio >= asked,
    },
  ];
}

interface Outbox extends AsyncDisposable {
  readonly task: LeaderTask;
}

/** The module gives its outbox to the engine as a task of the leader. */
async function outboxOf({ modules, intents, feed }: ControlPlane): Promise<Outbox> {
  const tasks: LeaderTask[] = [];
  const none = (): void => undefined;
  const lead = (task: LeaderTask): (() => void) => {
    tasks.push(task);
    return none;
  };
  const engine = { isWorker: false, add: () => none, lead };
  const running = await modules.start({ feed, intents, ownIntents: ownIntentsOf(intents), engine });
  const [task] = tasks;
  if (task === undefined) throw new Error("the module has no task");
  return { task, [Symbol.asyncDispose]: () => running[Symbol.asyncDispose]() };
}

async function fill(store: Store, round: number): Promise<void> {
  for (let at = 0; at < count; at += 500) {
    const writes = Array.from({ length: 500 }, (_none, n): Put => {
      const name = `map-${(at + n) % resources}`;
      const uid = hash("md5", name, "hex");
      const metadata = { name, namespace: "default", uid, generation: round * count + at };
      const created = { ...metadata, creationTimestamp: "2026-01-01T00:00:00Z" };
      const data = { value: `round ${round} ${at + n}`, text: "x".repeat(500) };
      const body = encodeDocument({ apiVersion: "v1", kind: "ConfigMap", metadata: created, data });
      return {
        kind: "put",
        key: { kind: "configmaps", namespace: "default", name },
        uid,
        draft: { body, terms: [], secrets: [] },
        when: round === 1 && at + n < resources ? { kind: "absent" } : { kind: "exists" },
        cause: systemCause,
      };
    });
    const answers = await store.commit(writes);
    const refused = answers.find((answer) => answer.kind === "refused");
    if (refused?.kind === "refused") throw refused.error;
  }
}

async function claimed(store: Store): Promise<ClaimRef> {
  const key = { kind: "bench.internal", namespace: "", name: "leader" };
  const draft = { body: Buffer.from("{}"), terms: [], secrets: [] };
  const due = { kind: "wake", afterMs: 0 } as const;
  const when = { kind: "absent" } as const;
  await store.commit([{ kind: "put", key, uid: "leader", draft, when, due, cause: systemCause }]);
  const request = { owner: "bench", kinds: [key.kind], limit: 1, leaseMs: 3_600_000 };
  const [claim] = await store.claim(request);
  if (claim === undefined) throw new Error("the record of the bench is due");
  return { key, token: claim.token };
}

/** Leads until the events are confirmed, and the place is stored. */
async function drained(
  plane: ControlPlane,
  task: LeaderTask,
  claim: ClaimRef,
  events = count,
): Promise<number> {
  const end = new AbortController();
  const before = confirmedIn(plane);
  const leading = task.lead(claim, end.signal);
  const isDone = (): boolean =>
    confirmedIn(plane) - before >= events && plane.meter.text().includes(connected);
  await waitUntil("all events to be confirmed", isDone);
  end.abort();
  await leading;
  return events;
}

const connected = 'setpoint_bus_connected{use="outbox"} 1';

function confirmedIn({ meter }: ControlPlane): number {
  const found = /^setpoint_bus_events_total\{outcome="confirmed"\} (\d+)/m.exec(meter.text());
  return Number(found?.[1] ?? 0);
}

/** What the outbox has sent, for the bare publisher to send again. */
async function sentBy(connection: BrokerConnection): Promise<readonly Delivery[]> {
  const sent: Delivery[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const consumer = await connection.consume({
    queue,
    prefetch: 1_000,
    onDelivery: (delivery) => {
      sent.push(delivery);
      delivery.ack();
      if (sent.length === count) resolve();
    },
  });
  await promise;
  await consumer[Symbol.asyncDispose]();
  return sent;
}

interface Bare extends AsyncDisposable {
  readonly channel: ConfirmChannel;
}

async function bareChannel(broker: RabbitMq): Promise<Bare> {
  const { hostname, port } = new URL(broker.url);
  const login = { username: "setpoint", password: passwordOf("setpoint") };
  const address = { protocol: "amqp", hostname, port: Number(port), ...login };
  const model = await amqp.connect(address, { noDelay: true });
  const channel = await model.createConfirmChannel();
  return { channel, [Symbol.asyncDispose]: () => model.close() };
}

interface BareMessage {
  readonly routingKey: string;
  readonly body: Buffer;
  readonly options: Options.Publish;
}

function bareMessage({ routingKey, body, messageId = "", ...properties }: Delivery): BareMessage {
  const { type = "", contentType = "", appId = "", timestamp = 0, headers = {} } = properties;
  const kept = { messageId, type, contentType, appId, timestamp, headers };
  return { routingKey, body, options: { ...kept, mandatory: true, persistent: true } };
}

async function publishedBare(
  channel: ConfirmChannel,
  messages: readonly BareMessage[],
): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let [sent, confirmed] = [0, 0];
  const onConfirm = (error: unknown): void => {
    if (error !== null) return reject(new Error("the bare publisher was refused"));
    confirmed += 1;
    if (confirmed === messages.length) resolve();
    else send();
  };
  const send = (): void => {
    while (sent < messages.length && sent - confirmed < window) {
      const message = messages[sent];
      sent += 1;
      if (message === undefined) return;
      const { routingKey, body, options } = message;
      channel.publish(exchange, routingKey, body, options, onConfirm);
    }
  };
  send();
  await promise;
  return messages.length;
}

// A definition that another process wrote: the outbox reads the log before it knows the kind.
import assert from "node:assert/strict";
import { test } from "node:test";
import { MemoryBroker } from "../../src/adapters/amqp/memory/broker.ts";
import { connectMemory } from "../../src/adapters/amqp/memory/connection.ts";
import { systemCause } from "../../src/kernel/cause.ts";
import { manualClock } from "../../src/kernel/clock.ts";
import { manualTimers } from "../../src/kernel/manual-timers.ts";
import { seededRandom } from "../../src/kernel/random.ts";
import type { EventsOfChange } from "../../src/modules/bus/outbox/event-reader.ts";
import { newOutboxState } from "../../src/modules/bus/outbox/outbox-state.ts";
import { publishFromLog } from "../../src/modules/bus/outbox/publish-run.ts";
import { ModelStore } from "../../src/store/contract/model.ts";
import { logger } from "../../src/telemetry/log.ts";

const none = (): void => undefined;

test("a change is not passed while the definition of its kind is not known", async () => {
  const clock = manualClock();
  const timers = manualTimers(clock);
  await using store = new ModelStore(clock);
  const draft = { body: Buffer.from("{}"), terms: [], secrets: [] };
  const put = { kind: "put", draft, when: { kind: "absent" }, cause: systemCause } as const;
  const leader = { kind: "leaders", namespace: "", name: "leader" };
  const due = { kind: "wake", afterMs: 0 } as const;
  await store.commit([{ ...put, key: leader, uid: "leader", due }]);
  const request = { owner: "test", kinds: ["leaders"], limit: 1, leaseMs: 60_000 };
  const [claim] = await store.claim(request);
  assert.ok(claim !== undefined);
  const broker = new MemoryBroker();
  broker.declare({ queues: [{ name: "events" }] });
  const connection = await connectMemory(broker, "setpoint")();
  const eventsOf: EventsOfChange = async ({ key, revision }) => {
    const message = { messageId: String(revision), exchange: "", routingKey: "events" };
    const body = Buffer.from(key.name);
    return [{ lane: key.name, revision, message: { ...message, body, isMandatory: true } }];
  };
  let isKnown = false;
  const learn = async (): Promise<boolean> => {
    const wasKnown = isKnown;
    isKnown = true;
    return wasKnown;
  };
  const end = new AbortController();
  const running = publishFromLog(
    {
      clock,
      timers,
      store,
      eventsOf,
      random: seededRandom(1),
      log: logger(none, clock, "error"),
      meter: { count: none, observe: none, gauge: none, collect: () => none },
      claim: { key: leader, token: claim.token },
      kinds: () => ({ ids: isKnown ? ["things.test.dev"] : [], isCurrent: learn }),
      state: newOutboxState(),
      exchange: "",
      source: "/test",
    },
    await connection.publisher(),
    end.signal,
  );
  await timers.settle();
  isKnown = false;
  const key = { kind: "things.test.dev", namespace: "", name: "one" };
  await store.commit([{ ...put, key, uid: "one" }]);
  await timers.advance(1_000);
  end.abort();
  await running;
  assert.equal(broker.queue("events")?.length, 1);
});

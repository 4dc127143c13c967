// Wake-ups on a real PostgreSQL: two processes share the log, one follows it, and the other takes
// over. What a journal keeps cannot be found in the database.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { adopt } from "../../src/engine/wakes/adoption.ts";
import { journalOf } from "../../src/engine/journal/journal.ts";
import { rememberIn } from "../../src/engine/journal/remember.ts";
import { startWakeUps } from "../../src/engine/wakes/wake-ups.ts";
import type { WakeUps } from "../../src/engine/wakes/wake-ups.ts";
import { systemClock } from "../../src/kernel/clock.ts";
import { systemTimers, timersFrom } from "../../src/kernel/timers.ts";
import type { Store } from "../../src/store/port.ts";
import { startPostgres } from "../peers/postgres.ts";
import type { Postgres } from "../peers/postgres.ts";
import { waitUntil } from "../peers/wait.ts";
import { openForTest } from "../store/postgres-for-test.ts";
import {
  gadgets,
  keyTo,
  noMeter,
  openScope,
  ownerNamed,
  release,
  resources,
  silent,
  widgets,
  write,
} from "./sample-run.ts";

let server: Postgres;

before(async () => {
  server = await startPostgres();
});
after(async () => {
  await server[Symbol.asyncDispose]();
});

const a = keyTo("a");
const b = keyTo("b", gadgets);
const hasty = timersFrom((ms, run) => systemTimers.after(ms / 100, run));

function follow(store: Store, owner: string): WakeUps {
  const around = { clock: systemClock, timers: systemTimers, log: silent, meter: noMeter };
  return startWakeUps({ store, resources: resources as never, ...around }, owner);
}

async function isDue(store: Store): Promise<boolean> {
  return (await store.nextDue([widgets])) === 0;
}

/** A row that a commit holds at this moment is passed over by a claim, though it is due. */
async function scopeOnceDue(store: Store, what: string): ReturnType<typeof openScope> {
  let scope: Awaited<ReturnType<typeof openScope>> | undefined;
  await waitUntil(what, async () => {
    scope = (await isDue(store)) ? await openScope(store, a).catch(() => undefined) : undefined;
    return scope !== undefined;
  });
  assert(scope !== undefined);
  return scope;
}

test("one process follows for all, and another takes over when it stops", async () => {
  await using harness = await openForTest(server);
  const { store } = harness;
  const other = await harness.openAnother();
  await write(store, a);
  const { signal } = new AbortController();
  await adopt({ store, timers: hasty, log: silent }, { kind: widgets, version: 1 }, signal);
  await using first = follow(store, "first");
  const adopted = await scopeOnceDue(store, "the first wake");
  const second = follow(other, "second");
  await release(adopted);

  await write(other, b, { owners: [ownerNamed(a)] });
  const scope = await scopeOnceDue(store, "a wake by the child");
  await journalOf(scope, store).change((content) => ({ ...content, references: [b] }));
  await release(scope);

  await first[Symbol.asyncDispose]();
  await write(store, b, { spec: { size: 2 } });
  await scopeOnceDue(store, "a wake by the reference");
  await second[Symbol.asyncDispose]();
});

test("what is remembered is sealed in the database and whole when it is read", async () => {
  await using harness = await openForTest(server);
  const { store } = harness;
  const word = "correct-horse-battery-staple";
  await write(store, a, { dueMs: 0, spec: { marker: "plain-marker" } });
  const scope = await openScope(store, a);
  await rememberIn(journalOf(scope, store))("password", () => word);
  assert.equal(await rememberIn(journalOf(scope, store))("password", () => "another"), word);
  const bytes = await harness.rawBytes?.();
  assert(bytes?.includes("plain-marker") === true);
  assert(!bytes.includes(word));
});

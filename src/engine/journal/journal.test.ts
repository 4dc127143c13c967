import assert from "node:assert/strict";
import { test } from "node:test";
import { limits } from "../../kernel/limits.ts";
import type { Write } from "../../store/port.ts";
import {
  keyTo,
  newWorld,
  openScope,
  processOn,
  uidOf,
  write,
} from "../../../tests/engine/sample-run.ts";
import {
  checkJournalValue,
  journalDraft,
  journalKey,
  journalOf,
  readJournalHead,
} from "./journal.ts";
import type { JournalContent } from "./journal.ts";
import { ReconcileFailure } from "../outcome.ts";
import { rememberIn } from "./remember.ts";
import { systemCause } from "../../kernel/cause.ts";

const a = keyTo("a");

async function ready() {
  const world = newWorld();
  await write(world.store, a, { dueMs: 0 });
  return world;
}

const full: JournalContent = {
  references: [keyTo('b","remembered":'), keyTo("c")],
  remembered: new Map([["__proto__", "word"]]),
  operations: new Map([["1", { about: "x", done: [{ step: "2", result: ["word"] }] }]]),
};

test("a journal is not read before it is needed, and then once", async () => {
  const { store } = await ready();
  const scope = await openScope(store, a);
  const process = processOn(store);
  const journal = journalOf(scope, process.store);
  assert.equal(journal.isLoaded(), false);
  assert.equal(process.calls(), 0);
  await journal.read();
  await journal.change((content) => ({ ...content, references: [keyTo("b")] }));
  await journal.read();
  assert.equal(process.calls(), 1);
});

test("what was changed is there for the next run, whatever its names are", async () => {
  const { store } = await ready();
  const scope = await openScope(store, a);
  await journalOf(scope, store).change(() => full);
  assert.deepEqual(await journalOf(scope, store).read(), full);
  const record = await store.get(journalKey(a, uidOf(a)));
  assert(record !== undefined);
  assert.deepEqual(readJournalHead(record.body), { resource: a, references: full.references });
});

test("the same content is not written", async () => {
  const { store } = await ready();
  const journal = journalOf(await openScope(store, a), store);
  await journal.change((content) => content);
  assert.equal(await store.get(journalKey(a, uidOf(a))), undefined);
});

test("results and remembered values are sealed, and references alone are not", () => {
  assert.deepEqual(journalDraft(a, "u", full).secrets, ["/remembered", "/operations"]);
  const plain = { ...full, remembered: new Map(), operations: new Map() };
  assert.deepEqual(journalDraft(a, "u", plain).secrets, []);
});

test("every write of a journal names the claim and the state it was made from", async () => {
  const { store } = await ready();
  const scope = await openScope(store, a);
  const seen: Write[] = [];
  const watched = {
    ...scope,
    commit: async (writes: readonly Write[]) => {
      seen.push(...writes);
      return await scope.commit(writes);
    },
  };
  const journal = journalOf(watched, store);
  await Promise.all([
    journal.change((content) => ({ ...content, references: [keyTo("b")] })),
    journal.change((content) => ({ ...content, remembered: new Map([["x", 1]]) })),
  ]);
  assert.deepEqual(
    seen.map(({ when }) => when.kind),
    ["absent", "revision"],
  );
  const { references, remembered } = await journalOf(scope, store).read();
  assert.deepEqual([references.length, remembered.size], [1, 1]);
});

test("after a write whose outcome is unknown the journal is read again", async () => {
  const { store } = await ready();
  const scope = await openScope(store, a);
  let isBroken = true;
  const journal = journalOf(
    {
      ...scope,
      commit: async (writes: readonly Write[]) => {
        const answers = await scope.commit(writes);
        if (isBroken) throw new Error("the connection was lost");
        return answers;
      },
    },
    store,
  );
  const remember = rememberIn(journal);
  await assert.rejects(remember("password", () => "first"));
  isBroken = false;
  assert.equal(await remember("password", () => "second"), "first");
});

test("a remembered value is made once, also by those who ask at the same time", async () => {
  const { store } = await ready();
  const scope = await openScope(store, a);
  let made = 0;
  const make = () => ({ number: ++made });
  const remember = rememberIn(journalOf(scope, store));
  const both = await Promise.all([remember("x", make), remember("x", make)]);
  const later = await rememberIn(journalOf(scope, store))("x", make);
  assert.deepEqual([...both, later], [{ number: 1 }, { number: 1 }, { number: 1 }]);
});

test("a remembered value is stored before anybody sees it", async () => {
  const { store } = await ready();
  const scope = await openScope(store, a);
  const broken = { ...scope, commit: () => Promise.reject(new Error("no")) };
  await assert.rejects(rememberIn(journalOf(broken, store))("x", () => 1));
  assert.equal((await journalOf(scope, store).read()).remembered.size, 0);
});

test("a value that cannot be kept is refused with its name and the reason", () => {
  const refused = (value: unknown, message: RegExp) =>
    assert.throws(
      () => checkJournalValue('the result of step "x"', value),
      (error: unknown) =>
        error instanceof ReconcileFailure &&
        error.outcome.retry === "slow" &&
        message.test(error.message),
    );
  refused(() => 1, /step "x" cannot be stored as JSON: a value has the type function/);
  refused({ at: new Date(0) }, /not plain/);
  refused("x".repeat(limits.maxJournalValueBytes), /step "x" has \d+ bytes; the limit is \d+/);
  checkJournalValue("x", "x".repeat(limits.maxJournalValueBytes - 2));
});

test("a journal as a whole is bounded", () => {
  const value = "x".repeat(limits.maxJournalValueBytes - 2);
  const remembered = new Map(Array.from({ length: 9 }, (_, index) => [`${index}`, value]));
  assert.throws(() => journalDraft(a, "u", { ...full, remembered }), ReconcileFailure);
});

test("a journal goes in the group that deletes its resource, if there is one", async () => {
  const { store } = await ready();
  const scope = await openScope(store, a);
  assert.equal(await journalOf(scope, store).removal(), undefined);
  await journalOf(scope, store).change(() => full);
  const removal = await journalOf(scope, store).removal();
  assert(removal !== undefined);
  await scope.commit([
    { kind: "delete", cause: systemCause, key: a, when: { kind: "exists" } },
    removal,
  ]);
  assert.equal(await store.get(journalKey(a, uidOf(a))), undefined);
});

test("without the claim nothing is written", async () => {
  const { store, clock } = await ready();
  const scope = await openScope(store, a);
  clock.advanceMs(60_000);
  await assert.rejects(journalOf(scope, store).change(() => full));
  assert.equal(await store.get(journalKey(a, uidOf(a))), undefined);
});

test("a resource that is created again begins with an empty journal", async () => {
  const { store } = await ready();
  await journalOf(await openScope(store, a), store).change(() => full);
  await store.commit([{ kind: "delete", cause: systemCause, key: a, when: { kind: "exists" } }]);
  await write(store, a, { uid: "other", dueMs: 0 });
  const { remembered } = await journalOf(await openScope(store, a), store).read();
  assert.equal(remembered.size, 0);
});

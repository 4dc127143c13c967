import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { openLinks } from "../../intents/sessions/links.ts";
import { linkKind, sessionKind } from "../../intents/sessions/own-record.ts";
import { removeOldSessions } from "../../intents/sessions/session-expiry.ts";
import { sessionLimits } from "../../intents/sessions/session-limits.ts";
import { openSessions } from "../../intents/sessions/sessions.ts";
import type { Session, Sessions } from "../../intents/sessions/sessions.ts";
import { manualClock } from "../../kernel/clock.ts";
import { seededIds } from "../../kernel/ids.ts";
import { seededRandom } from "../../kernel/random.ts";
import { ModelStore } from "../../store/contract/model.ts";

const cause = { actor: "jane", surface: "console" };
const times = { idleMs: 60 * 60_000, lifetimeMs: 24 * 60 * 60_000 };
const signIn = { userName: "jane", method: "token", token: "t", cause } as const;

function rig() {
  const clock = manualClock();
  const store = new ModelStore(clock);
  const random = seededRandom(1);
  const ports = { clock, store, random, ids: seededIds(random) };
  return { ...ports, sessions: openSessions(ports, times), links: openLinks(ports) };
}

async function begun(sessions: Sessions): Promise<{ readonly id: string; session: Session }> {
  return await sessions.begin(signIn);
}

describe("a session", () => {
  it("is found by its id, of which the store has the hash only", async () => {
    const { sessions, store } = rig();
    const { id, session } = await begun(sessions);
    assert.deepEqual(await sessions.find(id), session);
    const { records } = await store.list({ kind: sessionKind });
    assert.equal(records.length, 1);
    assert.ok(!JSON.stringify(records.map(({ key }) => key)).includes(id));
    assert.ok(!records.some(({ body }) => body.includes(id)));
    assert.equal(await sessions.find(session.name), undefined);
  });

  it("ends after its idle time without a request, and not while it is used", async () => {
    const { sessions, clock } = rig();
    const { id } = await begun(sessions);
    for (let use = 0; use < 5; use++) {
      clock.advanceMs(times.idleMs - 1_000);
      assert.notEqual(await sessions.find(id), undefined);
    }
    clock.advanceMs(times.idleMs);
    assert.equal(await sessions.find(id), undefined);
  });

  it("ends after its lifetime however it is used", async () => {
    const { sessions, clock } = rig();
    const { id } = await begun(sessions);
    const stepMs = times.idleMs / 2;
    for (let atMs = stepMs; atMs < times.lifetimeMs; atMs += stepMs) {
      clock.advanceMs(stepMs);
      assert.notEqual(await sessions.find(id), undefined);
    }
    clock.advanceMs(stepMs);
    assert.equal(await sessions.find(id), undefined);
  });

  it("writes its use at most every few minutes", async () => {
    const { sessions, store, clock } = rig();
    const { id } = await begun(sessions);
    const before = (await store.head()).revision;
    for (let use = 0; use < 20; use++) {
      clock.advanceMs(sessionLimits.touchMs / 10);
      await sessions.find(id);
    }
    assert.equal((await store.head()).revision, before + 2);
  });

  it("ends at once, and stays ended", async () => {
    const { sessions } = rig();
    const { id, session } = await begun(sessions);
    await sessions.end(session.name, cause);
    await sessions.end(session.name, cause);
    assert.equal(await sessions.find(id), undefined);
  });

  it("is one of a bounded number of its user, of which the oldest ends", async () => {
    const { sessions, clock } = rig();
    const first = await begun(sessions);
    for (let more = 0; more < sessionLimits.maxPerUser; more++) {
      clock.advanceMs(1);
      await begun(sessions);
    }
    assert.equal((await sessions.list("jane")).length, sessionLimits.maxPerUser);
    assert.equal(await sessions.find(first.id), undefined);
    const other = await sessions.begin({ ...signIn, userName: "joe" });
    assert.equal(await sessions.endAll("jane", cause), sessionLimits.maxPerUser);
    assert.deepEqual(await sessions.list("jane"), []);
    assert.notEqual(await sessions.find(other.id), undefined);
  });
});

describe("a link", () => {
  it("works once, and then is known as used", async () => {
    const { links } = rig();
    const { code } = await links.create("t", cause);
    assert.deepEqual(await links.redeem(code, cause), { kind: "good", token: "t" });
    assert.deepEqual(await links.redeem(code, cause), { kind: "used" });
    assert.deepEqual(await links.redeem(code.replace(/.$/, "_"), cause), { kind: "unknown" });
  });

  it("works for some minutes, and keeps no token after its use", async () => {
    const { links, clock, store } = rig();
    const late = await links.create("late-token", cause);
    const used = await links.create("used-token", cause);
    await links.redeem(used.code, cause);
    const { records } = await store.list({ kind: linkKind });
    assert.ok(!records.some(({ body }) => body.includes("used-token")));
    clock.advanceMs(sessionLimits.linkMs);
    assert.deepEqual(await links.redeem(late.code, cause), { kind: "expired" });
  });
});

describe("old records", () => {
  it("are removed after their end, and sessions in use stay", async () => {
    const { sessions, links, clock, store, ...ports } = rig();
    await begun(sessions);
    await links.create("t", cause);
    clock.advanceMs(times.lifetimeMs - 1);
    const { id } = await begun(sessions);
    assert.equal(await removeOldSessions({ ...ports, store, clock }), 1);
    clock.advanceMs(1);
    assert.equal(await removeOldSessions({ ...ports, store, clock }), 1);
    assert.notEqual(await sessions.find(id), undefined);
  });
});

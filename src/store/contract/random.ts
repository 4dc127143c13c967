/**
 * The store under test against the model, on random commands. Both run every command; every answer
 * must agree, and at the end all that can be read: states at every revision, changes, history,
 * names, counters, work, and the dump. Which of several due resources a claim takes is the store's
 * choice, so the model checks that the choice was fair and then makes the same.
 *
 * Times are compared to half a minute, because a database's clock flows; commands use minutes.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { manualClock } from "../../kernel/clock.ts";
import type { ManualClock } from "../../kernel/clock.ts";
import { isSetpointError } from "../../kernel/errors.ts";
import { keyText } from "../../kernel/resource.ts";
import { parseSelector } from "../../kernel/selector.ts";
import type { Answer, Claim, ClaimRef, ClaimRequest, Store } from "../port.ts";
import type { WorkState } from "../work-state.ts";
import type { OpenStore, StoreHarness } from "./harness.ts";
import { ModelStore } from "./model.ts";
import { chooseFairly, claimable } from "./model-work.ts";
import { assertSameState, readChange } from "./random-compare.ts";
import { command, keyAt, keys, kinds, writeOf } from "./random-commands.ts";
import type { Command } from "./random-commands.ts";
import { minuteMs, pagesOf } from "./samples.ts";

export interface RandomOptions {
  /** How many sequences of commands; 15 take about three seconds on a local disk. */
  readonly runs?: number | undefined;
  /** The longest sequence. */
  readonly commands?: number | undefined;
}

export function randomContract(name: string, open: OpenStore, options: RandomOptions = {}): void {
  const { commands = 60 } = options;
  // The seed comes from tests/seed.ts, and so do the runs of somebody who asks for more.
  const { seed, numRuns = options.runs ?? 15 } = fc.readConfigureGlobal();
  test(`${name} answers random commands as the model does`, async (t) => {
    t.diagnostic(`seed ${seed}, ${numRuns} runs`);
    const sequences = fc.array(command, { minLength: 1, maxLength: commands, size: "max" });
    const property = fc.asyncProperty(sequences, async (sequence) => {
      await using harness = await open();
      await runSequence(harness, sequence);
    });
    await fc.assert(property, { numRuns, interruptAfterTimeLimit: 600_000 });
  });
}

/** One store, the model beside it, and every claim that was ever granted. */
export interface Pair {
  readonly harness: StoreHarness;
  readonly model: ModelStore;
  readonly clock: ManualClock;
  readonly claims: ClaimRef[];
}

async function runSequence(harness: StoreHarness, sequence: readonly Command[]): Promise<void> {
  const clock = manualClock();
  const pair: Pair = { harness, clock, model: new ModelStore(clock), claims: [] };
  for (const next of sequence) await runCommand(pair, next);
  assert.deepEqual(await harness.store.verify(), []);
  await assertSameState(harness.store, pair.model);
}

export async function runCommand(pair: Pair, next: Command): Promise<void> {
  const { harness, model } = pair;
  switch (next.kind) {
    case "commit":
      return await runCommit(pair, next);
    case "claim":
      return await runClaim(pair, next);
    case "renew": {
      const chosen = next.picks.flatMap((pick) => pair.claims.at(-1 - pick) ?? []);
      return await both(pair, async (store) => {
        const { renewed, lost } = await store.renew(chosen, next.leaseMinutes * minuteMs);
        return { renewed: renewed.map(refText).toSorted(), lost: lost.map(refText).toSorted() };
      });
    }
    case "advance":
      await harness.advanceClock(next.minutes * minuteMs);
      pair.clock.advanceMs(next.minutes * minuteMs);
      return await compareWork(pair);
    case "list": {
      const { of: kind, namespace, selector, limit } = next;
      const query = {
        kind,
        limit,
        countRemaining: true,
        labels: parseSelector(selector),
        ...(namespace !== undefined && { namespace }),
        ...(next.at !== undefined && { at: revisionAt(model, next.at) }),
      };
      // Where exactly a page says the next one begins is the store's choice.
      return await both(pair, async (store) =>
        (await pagesOf(store, query)).map(({ next: _, ...page }) => page),
      );
    }
    case "changes": {
      const after = revisionAt(model, next.after);
      return await both(pair, async (store) => {
        const options = next.of === undefined ? {} : { kinds: next.of };
        const { changes, ...head } = await store.changes(after, next.limit, options);
        return { ...head, changes: changes.map(readChange) };
      });
    }
    case "history": {
      const before = next.before === undefined ? {} : { before: revisionAt(model, next.before) };
      const read = async (store: Store) =>
        (await store.history(keyAt(next.key), { ...before, limit: 5 })).map(readChange);
      return await both(pair, read);
    }
    case "compact": {
      const upTo = revisionAt(model, next.upTo);
      return await both(pair, async (store) => await store.compact(upTo));
    }
    case "reopen":
      await harness.reopen();
      return undefined;
    default:
      return next satisfies never;
  }
}

async function runCommit(pair: Pair, next: Extract<Command, { kind: "commit" }>): Promise<void> {
  const writes = next.writes.map((plan) => writeOf(plan, pair.model.state, pair.claims));
  await both(pair, async (store) => {
    const answers = await store.commit(writes, { atomic: next.atomic });
    return answers.map(answerText);
  });
}

async function runClaim(pair: Pair, next: Extract<Command, { kind: "claim" }>): Promise<void> {
  const { harness, model, clock } = pair;
  const request: ClaimRequest = {
    owner: "worker",
    kinds,
    limit: next.limit,
    leaseMs: next.leaseMinutes * minuteMs,
    skipNamespaces: next.skip,
    ...(next.perNamespace !== undefined && { perNamespace: next.perNamespace }),
  };
  const possible = claimable(model.state, request, clock.nowMs());
  const expected = shares(chooseFairly(possible, request));
  const lastToken = model.state.lastToken;
  const claims = await harness.store.claim(request);
  assert.deepEqual(shares(claims), expected, "the claims are shared fairly");
  for (const { token } of claims) assert(token > lastToken, "tokens grow");
  assert.equal(new Set(claims.map(({ token }) => token)).size, claims.length);
  const dueBefore = new Map(possible.map((live) => [keyText(live.key), live.work.dueAtMs ?? 0]));
  const taken = new Set(claims.map(({ key }) => keyText(key)));
  const granted = model.adopt(claims, request);
  for (const [index, claim] of claims.entries()) {
    assertSameClaim(claim, granted[index]);
    const left = possible.filter(
      ({ key }) => key.namespace === claim.key.namespace && !taken.has(keyText(key)),
    );
    for (const { key } of left) {
      const isOlder = (dueBefore.get(keyText(key)) ?? 0) < (granted[index]?.dueAtMs ?? 0);
      assert(!isOlder, `${keyText(key)} was due before ${keyText(claim.key)}`);
    }
  }
  pair.claims.push(...claims.map(({ key, token }) => ({ key, token })));
}

function assertSameClaim(actual: Claim, expected: Claim | undefined): void {
  const { dueAtMs, expiresAtMs, body, ...exact } = actual;
  assert(expected !== undefined);
  const { dueAtMs: modelDueAtMs, expiresAtMs: modelExpiresAtMs, ...modelRest } = expected;
  const { body: modelBody, ...modelExact } = modelRest;
  assert.deepEqual(exact, modelExact);
  if (body !== undefined) assert.deepEqual(body, modelBody);
  assertNear(expiresAtMs - dueAtMs, modelExpiresAtMs - modelDueAtMs);
}

async function compareWork(pair: Pair): Promise<void> {
  for (const kind of kinds) {
    const actual = await pair.harness.store.nextDue([kind]);
    const expected = await pair.model.nextDue([kind]);
    if (expected === undefined || expected === 0) assert.equal(actual, expected);
    else assertNear(actual, expected);
    await both(pair, async (store) => {
      const { due, next } = await store.backlog({ kind });
      return { due, next: next.map(({ key, work }) => keyText(key) + workText(work)).toSorted() };
    });
  }
  await both(pair, async (store) => {
    const found = await store.workOf(keys);
    return found.map((state) => state && workText(state));
  });
}

/** With its times in whole minutes. */
function workText({ dueInMs, attempts, claim }: WorkState): string {
  const minutes = (ms: number | undefined): number | undefined =>
    ms === undefined ? undefined : Math.round(ms / minuteMs);
  const held = claim && [claim.owner, claim.token, minutes(claim.expiresInMs)];
  return JSON.stringify([minutes(dueInMs), attempts, held]);
}

/** Runs on both; values must be equal, and so must the codes of rejections. */
async function both(pair: Pair, run: (store: Store) => Promise<unknown>): Promise<void> {
  const actual = await settle(run(pair.harness.store));
  assert.deepEqual(actual, await settle(run(pair.model)));
}

async function settle(promise: Promise<unknown>): Promise<unknown> {
  try {
    return { value: await promise };
  } catch (error) {
    if (!isSetpointError(error)) throw error;
    return { rejected: error.code };
  }
}

function answerText(answer: Answer): string {
  return answer.kind === "refused" ? answer.error.code : `${answer.kind} ${answer.revision}`;
}

function refText({ key, token }: ClaimRef): string {
  return `${token} ${keyText(key)}`;
}

/** How many claims each namespace got, largest first: who gets the odd one is free. */
function shares(claims: readonly { readonly key: { readonly namespace: string } }[]): number[] {
  const groups = Map.groupBy(claims, ({ key }) => key.namespace);
  return [...groups.values()].map((group) => group.length).sort((a, b) => b - a);
}

function revisionAt(model: ModelStore, place: number): number {
  return Math.round(model.state.head * place);
}

function assertNear(actualMs: number | undefined, expectedMs: number): void {
  const driftMs = Math.abs((actualMs ?? Infinity) - expectedMs);
  assert(driftMs < minuteMs / 2, `${actualMs} ms is not about ${expectedMs} ms`);
}

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Exchange } from "./exchange.ts";
import { handled } from "./handled.ts";

function surroundings(isAnswered = false) {
  const sent: number[] = [];
  const errors: unknown[] = [];
  const exchange = {
    isAnswered,
    send: (status: number) => sent.push(status),
  } as unknown as Exchange;
  const onError = (error: unknown): number => errors.push(error);
  return { sent, errors, exchange, onError };
}

test("what a surface forgot to catch is answered with 500 and told", async () => {
  const { sent, errors, exchange, onError } = surroundings();
  const error = new Error("forgotten");
  await handled({ handle: () => Promise.reject(error), onError }, exchange);
  assert.deepEqual([sent, errors], [[500], [error]]);
});

test("also what is thrown before there is a promise", async () => {
  const { sent, errors, exchange, onError } = surroundings();
  const handle = (): never => {
    throw new TypeError("at once");
  };
  await handled({ handle, onError }, exchange);
  assert.deepEqual(sent, [500]);
  assert.match(String(errors), /at once/);
});

test("what was answered is not answered again, nor what nobody is left to hear", async () => {
  const answered = surroundings(true);
  const handle = (): Promise<never> => Promise.reject(new Error("late"));
  await handled({ handle, onError: answered.onError }, answered.exchange);
  assert.deepEqual([answered.sent, answered.errors.length], [[], 1]);
  const broken = surroundings();
  const send = (): never => {
    throw new Error("broken");
  };
  await handled({ handle, onError: broken.onError }, { ...broken.exchange, send });
  assert.equal(broken.errors.length, 1);
});

test("what goes well is left alone", async () => {
  const { sent, errors, exchange, onError } = surroundings();
  await handled({ handle: () => Promise.resolve(), onError }, exchange);
  assert.deepEqual([sent, errors], [[], []]);
});

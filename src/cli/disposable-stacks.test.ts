import assert from "node:assert/strict";
import { test } from "node:test";
import { AsyncStack, SyncStack } from "./disposable-stacks.ts";

test("a stack disposes in reverse order, and continues after an error", () => {
  const order: string[] = [];
  const stack = new SyncStack();
  stack.use({ [Symbol.dispose]: () => order.push("first") });
  stack.defer(() => {
    throw new Error("second fails");
  });
  stack.defer(() => order.push("third"));
  assert.throws(() => stack[Symbol.dispose](), /second fails/);
  assert.deepEqual(order, ["third", "first"]);
  stack[Symbol.dispose]();
  assert.deepEqual(order, ["third", "first"]);
});

test("an asynchronous stack waits for each disposal before the next one", async () => {
  const order: string[] = [];
  const stack = new AsyncStack();
  stack.use({ [Symbol.dispose]: () => order.push("synchronous") });
  stack.use({
    [Symbol.asyncDispose]: async () => {
      await Promise.resolve();
      order.push("asynchronous");
    },
  });
  await stack.disposeAsync();
  assert.deepEqual(order, ["asynchronous", "synchronous"]);
});

test("a moved stack disposes nothing, and its successor everything", () => {
  const order: string[] = [];
  const stack = new SyncStack();
  stack.defer(() => order.push("moved"));
  const next = stack.move();
  stack[Symbol.dispose]();
  assert.deepEqual(order, []);
  next[Symbol.dispose]();
  assert.deepEqual(order, ["moved"]);
  assert.throws(() => stack.defer(() => 0), ReferenceError);
});

test("a resource that is not disposable is refused, and undefined is allowed", () => {
  const stack = new AsyncStack();
  assert.throws(() => stack.use({}), TypeError);
  assert.equal(stack.use(undefined), undefined);
});

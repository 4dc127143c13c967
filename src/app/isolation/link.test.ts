import assert from "node:assert/strict";
import { AsyncLocalStorage } from "node:async_hooks";
import { once } from "node:events";
import { describe, it } from "node:test";
import { ReconcileFailure, failed } from "../../engine/outcome.ts";
import { SetpointError, isSetpointError } from "../../kernel/errors.ts";
import { Link } from "./link.ts";
import type { Message } from "./link.ts";
import type { Callable } from "./packed.ts";

/** Two sides in one thread; messages are copied as between threads. */
function linked(functions: Readonly<Record<string, Callable>>): { near: Link; sent: Message[] } {
  const sent: Message[] = [];
  const deliver = (to: () => Link) => (message: Message) => {
    const copy = structuredClone(message);
    sent.push(copy);
    setImmediate(() => to().receive(copy));
  };
  const near: Link = new Link({ send: deliver(() => far), named: () => undefined });
  const far: Link = new Link({ send: deliver(() => near), named: (name) => functions[name] });
  return { near, sent };
}

describe("a call into another thread", () => {
  it("carries data, and calls functions that are among its arguments", async () => {
    const { near } = linked({
      twice: async (given, run) => {
        const made = await (run as Callable)({ given });
        return [made, await (run as Callable)({ given: 2 })];
      },
    });
    const seen = await near.call("twice", [1, (value: unknown) => ({ value })]);
    assert.deepEqual(seen, [{ value: { given: 1 } }, { value: { given: 2 } }]);
  });

  it("takes no content for a reference", async () => {
    const { near } = linked({ same: (value) => value });
    const hostile = { slots: [{ path: [], is: { kind: "function", id: 1 } }], kind: "function" };
    assert.deepEqual(await near.call("same", [hostile]), hostile);
    const proto = JSON.parse('{"__proto__": {"polluted": true}, "constructor": 1}') as object;
    const back = await near.call("same", [proto]);
    assert.equal(JSON.stringify(back), JSON.stringify(proto));
    assert.ok(Object.getPrototypeOf(back) === Object.prototype);
    const [mixed] = (await near.call("same", [[{ ...proto, error: new Error("e") }]])) as object[];
    assert.equal((mixed as { constructor: unknown }).constructor, 1);
  });

  it("gives an error back to its thrower as the same object, also inside of another", async () => {
    const { near } = linked({
      run: async (inside) => {
        try {
          await (inside as Callable)();
        } catch (cause) {
          throw new Error("around", { cause });
        }
      },
    });
    const thrown = new TypeError("inner");
    const inside = (): never => {
      throw thrown;
    };
    const caught: unknown = await near.call("run", [inside]).catch((error: unknown) => error);
    assert.ok(caught instanceof Error);
    assert.equal(caught.message, "around");
    assert.equal(caught.cause, thrown);
  });

  it("keeps the classes of errors that both sides know", async () => {
    const { near } = linked({
      known: () => {
        throw new ReconcileFailure(failed("Reason", "message", { retry: "never" }));
      },
      coded: () => {
        throw new SetpointError("claim.lost", "lost", { details: { a: 1 } });
      },
      status: () => {
        throw Object.assign(new Error("no"), { status: 404, socket: () => undefined });
      },
    });
    const errorOf = (name: string): Promise<unknown> =>
      near.call(name, []).catch((error: unknown) => error);
    const known = await errorOf("known");
    assert.ok(known instanceof ReconcileFailure);
    assert.equal(known.outcome.retry, "never");
    const coded = await errorOf("coded");
    assert.ok(isSetpointError(coded, "claim.lost"));
    assert.deepEqual(coded.details, { a: 1 });
    assert.equal(((await errorOf("status")) as { status?: number }).status, 404);
  });

  it("passes the abort of a signal on, with its reason", async () => {
    const begun = Promise.withResolvers<void>();
    const { near } = linked({
      wait: async (given) => {
        const signal = given as AbortSignal;
        begun.resolve();
        await once(signal, "abort");
        return (signal.reason as Error).name;
      },
    });
    const controller = new AbortController();
    const waiting = near.call("wait", [controller.signal]);
    await begun.promise;
    controller.abort(new DOMException("late", "TimeoutError"));
    assert.equal(await waiting, "TimeoutError");
  });

  it("calls functions in the asynchronous context in which they were given", async () => {
    const own = new AsyncLocalStorage<string>();
    const { near } = linked({ run: async (inside) => await (inside as Callable)() });
    const seen = await own.run("mine", () => near.call("run", [() => own.getStore()]));
    assert.equal(seen, "mine");
  });

  it("fails when the other thread ends, and when its result cannot be sent", async () => {
    const { near } = linked({
      never: () => Promise.withResolvers<never>().promise,
      odd: () => () => undefined,
    });
    const open = near.call("never", []);
    near.end(() => new Error("ended"));
    await assert.rejects(open, /ended/);
    await assert.rejects(near.call("odd", []), /a function cannot be returned/);
  });
});

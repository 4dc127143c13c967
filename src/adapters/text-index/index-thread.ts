// The index behind the port: a thread with the database, started by the first call. A thread that
// stops fails the calls that wait for it, and every later call: the owner opens another index.

import { Worker } from "node:worker_threads";
import { moduleBeside } from "../../kernel/module-beside.ts";
import { overloaded } from "../../kernel/overloaded.ts";
import type { FoundPath, Hits, TextIndex, Walk } from "./port.ts";
import { textIndexLimits } from "./port.ts";

export interface IndexCall {
  readonly number: number;
  readonly method: "apply" | "clear" | "search" | "walk" | "path";
  readonly argument: never;
}

export type IndexReply =
  | { readonly number: number; readonly value: unknown }
  | { readonly number: number; readonly error: string };

interface Waiting {
  readonly resolve: (value: never) => void;
  readonly reject: (error: Error) => void;
}

export function openTextIndex(): TextIndex {
  const thread = new IndexThread();
  return {
    apply: async (changes) => await thread.call<undefined>("apply", changes),
    clear: async () => await thread.call<undefined>("clear", undefined),
    search: async (query) => await thread.call<Hits>("search", query),
    walk: async (query) => await thread.call<Walk>("walk", query),
    path: async (query) => await thread.call<FoundPath>("path", query),
    [Symbol.asyncDispose]: async () => await thread.stop(),
  };
}

class IndexThread {
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | undefined;
  #number = 0;
  #failure: Error | undefined;

  async call<T>(method: IndexCall["method"], argument: unknown): Promise<T> {
    if (this.#failure !== undefined) throw this.#failure;
    if (this.#waiting.size >= textIndexLimits.maxWaiting) throw overloaded();
    const worker = (this.#worker ??= this.#start());
    const number = ++this.#number;
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    this.#waiting.set(number, { resolve, reject });
    worker.postMessage({ number, method, argument }, []);
    return await promise;
  }

  async stop(): Promise<void> {
    this.#fail(new Error("the index is closed"));
    await this.#worker?.terminate();
  }

  #start(): Worker {
    const worker = new Worker(moduleBeside(import.meta.url, "thread"));
    worker.unref();
    worker.on("message", (reply: IndexReply) => this.#settle(reply));
    worker.on("error", (cause) => this.#fail(new Error("the index stopped", { cause })));
    worker.on("exit", () => this.#fail(new Error("the index stopped")));
    return worker;
  }

  #settle(reply: IndexReply): void {
    const waiting = this.#waiting.get(reply.number);
    this.#waiting.delete(reply.number);
    if ("error" in reply) waiting?.reject(new Error(reply.error));
    else waiting?.resolve(reply.value as never);
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}

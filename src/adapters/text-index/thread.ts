// The thread of an index: answers the calls of index-thread.ts one after the other.

import { parentPort } from "node:worker_threads";
import { IndexDatabase } from "./database.ts";
import type { IndexCall, IndexReply } from "./index-thread.ts";
import { findPath, walk } from "./walk.ts";

const database = new IndexDatabase();

parentPort?.on("message", ({ number, method, argument }: IndexCall) => {
  let reply: IndexReply;
  try {
    reply = { number, value: answer(method, argument) };
  } catch (error) {
    reply = { number, error: error instanceof Error ? error.message : String(error) };
  }
  parentPort?.postMessage(reply, []);
});

function answer(method: IndexCall["method"], argument: never): unknown {
  switch (method) {
    case "apply":
      return database.apply(argument);
    case "clear":
      return database.clear();
    case "search":
      return database.search(argument);
    case "walk":
      return walk(database, argument);
    case "path":
      return findPath(database, argument);
    default:
      return method satisfies never;
  }
}

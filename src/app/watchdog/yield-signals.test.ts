import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import { it } from "node:test";
import { yieldSignals } from "./yield-signals.ts";

it("handlers of signals are removed and return in their order, also those for one signal", () => {
  const events = new EventEmitter();
  const heard: string[] = [];
  events.once("SIGTERM", () => heard.push("once"));
  events.on("SIGTERM", () => heard.push("always"));
  const signals = yieldSignals(events);
  signals.release();
  assert.equal(events.listenerCount("SIGTERM"), 0);
  signals.restore();
  signals.restore();
  events.emit("SIGTERM");
  events.emit("SIGTERM");
  assert.deepEqual(heard, ["once", "always", "always"]);
});

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Route } from "../../contract/route.ts";
import { commandsOf } from "./commands.ts";

const route = (command: string, more: Partial<Route> = {}): Route => ({
  method: "POST",
  path: `/api/v1/${command.replaceAll(".", "/")}`,
  summary: "Do it.",
  tag: "Test",
  access: { kind: "authenticated" },
  command,
  answers: {},
  handle: async () => ({ kind: "document", status: 200 }),
  ...more,
});

describe("the commands of routes", () => {
  it("are found by name, and a route without a command is not listed", () => {
    const create = route("things.create");
    const plain: Route = { ...create, method: "GET" };
    Reflect.deleteProperty(plain, "command");
    assert.deepEqual([...commandsOf([create, plain])], [["things.create", create]]);
  });

  it("are refused when two routes have the same one", () => {
    const twice = [route("things.create"), route("things.create", { method: "PUT" })];
    assert.throws(() => commandsOf(twice), /things\.create.*another route/);
  });

  it("are refused when the name has no verb or the route returns a stream", () => {
    assert.throws(() => commandsOf([route("things")]), /not a name/);
    assert.throws(() => commandsOf([route("Things.Create")]), /not a name/);
    assert.throws(() => commandsOf([route("things.follow", { stream: true })]), /stream/);
  });
});

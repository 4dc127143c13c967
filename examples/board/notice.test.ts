// A complete server in memory, a board in a Map, and a clock that the test controls.
import assert from "node:assert/strict";
import { test } from "node:test";
import { conditionsOf, findCondition, isReady } from "setpoint";
import type { Resource } from "setpoint";
import { startTestServer } from "setpoint/testing";
import { noticeModule } from "./notice.ts";

const apiVersion = "board.example/v1";
const hello = { apiVersion, kind: "Notice", name: "hello" };
const url = "http://127.0.0.1:8099/default.hello";

test("a notice is pinned, tried again while the board is down, and taken down", async () => {
  const board = new Map<string, unknown>();
  let isUp = true;
  const module = noticeModule(async (to, { method, body }) => {
    if (!isUp) throw new TypeError("fetch failed");
    if (method === "PUT") board.set(to, body);
    else board.delete(to);
    return new Response("thank you");
  });
  await using server = await startTestServer(module);
  const noticeAfter = async (text: string): Promise<Resource> => {
    await server.apply({ apiVersion, kind: "Notice", metadata: { name: "hello" }, spec: { text } });
    await server.pass();
    const notice = await server.get(hello);
    assert.ok(notice);
    return notice;
  };

  const pinned = await noticeAfter("Good morning");
  assert.equal(board.get(url), "Good morning");
  assert.ok(isReady(pinned));

  isUp = false;
  const failing = await noticeAfter("Good evening");
  assert.ok(!isReady(failing), "the board does not match the spec");
  assert.equal(findCondition(conditionsOf(failing), "Synced")?.reason, "Unreachable");

  isUp = true;
  await server.pass(60_000);
  assert.equal(board.get(url), "Good evening", "retried without a request");

  board.clear();
  await server.pass(2 * 60_000);
  assert.equal(board.get(url), "Good evening", "a lost notice is restored");

  await server.delete(hello);
  await server.pass();
  assert.equal(board.size, 0);
  assert.equal(await server.get(hello), undefined);
});

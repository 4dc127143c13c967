// Streams of changes when the server stops, and their bookmark at the beginning.
import assert from "node:assert/strict";
import { test } from "node:test";
import { startKubeServer } from "../kube/server.ts";

test("a stream ends cleanly when the server stops", async () => {
  await using server = await startKubeServer();
  using stream = await server.watch("/api/v1/changes");
  const [mark] = await stream.take(1);
  assert.equal(mark?.type, "bookmark");
  await server.stop();
  assert.equal(await stream.end, "ended");
  assert.deepEqual(server.errors, []);
});

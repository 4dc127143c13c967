import assert from "node:assert/strict";
import type { FileHandle } from "node:fs/promises";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { auditPolicy } from "../intents/audit/audit-policy.ts";
import type { AuditRequest } from "../intents/audit/audit-trail.ts";
import { limits } from "../kernel/limits.ts";
import { manualClock } from "../kernel/clock.ts";
import type { Logger } from "../telemetry/log.ts";
import { openAuditLog } from "./audit-log.ts";

const request: AuditRequest = {
  id: "1",
  uri: "/version",
  verb: "get",
  isResource: false,
  path: "/version",
  group: "",
  version: "",
  resource: "",
  subresource: "",
  namespace: "",
  name: "",
  sourceIps: ["127.0.0.1"],
  userAgent: "",
};

const user = { name: "ann", groups: [], extra: {} };
const policy = auditPolicy({
  apiVersion: "audit.k8s.io/v1",
  kind: "Policy",
  rules: [{ level: "Metadata" }],
});

async function inFolder(run: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "setpoint-audit-"));
  try {
    await run(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

function collecting(lines: string[]): Logger {
  const add = (_fields: unknown, message: string): void => void lines.push(message);
  return { debug: add, info: add, warn: add, error: add };
}

test("each stage of a request is one line", async () => {
  await inFolder(async (folder) => {
    const path = join(folder, "audit.log");
    const log = await openAuditLog({
      policy,
      path,
      log: collecting([]),
      clock: manualClock(0),
    });
    log.begin(request, user)?.complete(200);
    await log[Symbol.asyncDispose]();
    const lines = (await readFile(path, "utf8")).trimEnd().split("\n");
    const stages = lines.map((line) => (JSON.parse(line) as { stage: string }).stage);
    assert.deepEqual(stages, ["RequestReceived", "ResponseComplete"]);
    assert.ok(lines[0]?.includes('"stageTimestamp":"1970-01-01T00:00:00.000000Z"'));
  });
});

test("a file that has grown large is turned over, and old ones go", async () => {
  await inFolder(async (folder) => {
    const clock = manualClock(0);
    const path = join(folder, "audit.log");
    const options = { policy, path, log: collecting([]), clock };
    for (let turn = 0; turn < 4; turn++) {
      const log = await openAuditLog({ ...options, maxFileBytes: 10, maxFiles: 2 });
      log.begin(request, user);
      await log[Symbol.asyncDispose]();
      clock.advanceMs(1_000);
    }
    const files = (await readdir(folder)).filter((name) => name.startsWith("audit"));
    assert.deepEqual(files.sort(), [
      "audit-1970-01-01T00-00-02.000.log",
      "audit-1970-01-01T00-00-03.000.log",
      "audit.log",
    ]);
  });
});

test("what does not fit into the buffer is dropped, counted and told", async () => {
  await inFolder(async (folder) => {
    const told: string[] = [];
    const log = await openAuditLog({
      policy,
      path: join(folder, "audit.log"),
      log: collecting(told),
    });
    const uri = `/${"x".repeat(1_000_000)}`;
    const many = Math.ceil(limits.maxLogBufferBytes / 1_000_000) + 5;
    for (let i = 0; i < many; i++) log.begin({ ...request, uri }, user);
    assert.ok(log.dropped >= 5);
    await log[Symbol.asyncDispose]();
    assert.deepEqual(told, ["audit events dropped"]);
  });
});

test("each batch is flushed before the next, and no request waits for it", async () => {
  await inFolder(async (folder) => {
    const path = join(folder, "audit.log");
    const flushes: (() => void)[] = [];
    const written: number[] = [];
    const flush = async (file: FileHandle): Promise<void> => {
      written.push((await file.stat()).size);
      const { promise, resolve } = Promise.withResolvers<void>();
      flushes.push(resolve);
      await promise;
    };
    const log = await openAuditLog({ policy, path, log: collecting([]), flush });
    log.begin(request, user);
    log.begin(request, user);
    await waitUntil(() => flushes.length === 1);
    for (let i = 0; i < 10; i++) log.begin(request, user);
    flushes[0]?.();
    await waitUntil(() => flushes.length === 2);
    flushes[1]?.();
    await log[Symbol.asyncDispose]();
    assert.equal(flushes.length, 2, "events that came during the first flush went together");
    const [first = 0, second = 0] = written;
    assert.equal(second, first * 6, "two events, then ten");
    assert.equal(log.dropped, 0);
  });
});

test("events of a batch that cannot be flushed are counted as dropped and reported", async () => {
  await inFolder(async (folder) => {
    const reported: string[] = [];
    const flush = (): Promise<void> => Promise.reject(new Error("the disk has failed"));
    const path = join(folder, "audit.log");
    const log = await openAuditLog({ policy, path, log: collecting(reported), flush });
    log.begin(request, user);
    await log[Symbol.asyncDispose]();
    assert.equal(log.dropped, 1);
    assert.deepEqual(reported, ["audit events not written", "audit events dropped"]);
  });
});

/** With a limit of turns of the event loop. */
async function waitUntil(isTrue: () => boolean): Promise<void> {
  for (let turn = 0; turn < 100_000 && !isTrue(); turn += 1) await setImmediate();
  assert.ok(isTrue());
}

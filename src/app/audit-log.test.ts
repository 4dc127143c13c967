import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
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
    const many = Math.ceil(limits.maxAuditBufferBytes / 1_000_000) + 5;
    for (let i = 0; i < many; i++) log.begin({ ...request, uri }, user);
    assert.ok(log.dropped >= 5);
    await log[Symbol.asyncDispose]();
    assert.deepEqual(told, ["audit events dropped"]);
  });
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock } from "../kernel/clock.ts";
import type { JsonObject } from "../kernel/json.ts";
import { manualTimers } from "../kernel/manual-timers.ts";
import { withoutKey } from "../kernel/without-key.ts";
import { requestLineLimit } from "../telemetry/limited-log.ts";
import { logger } from "../telemetry/log.ts";
import { requestReports } from "./request-reports.ts";

const ids = {
  request: "r",
  correlation: "c",
  client: "k",
  trace: "0af7651916cd43dd8448eb211c80319c",
};
const request = { surface: "kube", method: "GET", path: "/api/v1/pods", status: 401, ids };
const fields = {
  surface: "kube",
  method: "GET",
  path: "/api/v1/pods",
  status: 401,
  request: "r",
  correlation: "c",
  client: "k",
  trace: ids.trace,
};

test("the log has the ids of a request and the reason of a failed authentication", () => {
  const lines: JsonObject[] = [];
  const keep = (line: string): void => {
    lines.push(withoutKey(JSON.parse(line) as JsonObject, "time"));
  };
  const log = logger(keep, manualClock(), "info");
  const reports = requestReports(log, manualTimers(manualClock()));
  reports.onUnauthenticated("token has expired", request);
  reports.onAnswer(request);
  reports.onError(new Error("broken"), request);
  const [refused, answered, failed] = lines;
  const reason = "token has expired";
  const notAuthenticated = "request not authenticated";
  assert.deepEqual(refused, { level: "info", message: notAuthenticated, reason, ...fields });
  assert.deepEqual(answered, { level: "info", message: "request answered", ...fields });
  assert.deepEqual([failed?.["level"], failed?.["message"]], ["error", "request failed"]);
});

test("streams that end with an error cost a bounded number of lines", () => {
  const lines: string[] = [];
  const log = logger((line) => void lines.push(line), manualClock(), "info");
  const reports = requestReports(log, manualTimers(manualClock()));
  for (let n = 0; n < 100; n += 1) reports.onStreamError(new Error("too many"));
  assert.equal(lines.length, requestLineLimit.maxLines);
});

import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { isSetpointError } from "../kernel/errors.ts";
import { readAuditPolicy } from "./audit-policy-file.ts";

const folder = mkdtempSync(join(tmpdir(), "setpoint-audit-policy-"));
after(() => rmSync(folder, { recursive: true }));

function refusal(text: string | undefined): string {
  const path = join(folder, text === undefined ? "missing.yaml" : "policy.yaml");
  if (text !== undefined) writeFileSync(path, text);
  try {
    readAuditPolicy(path);
  } catch (error) {
    assert.ok(isSetpointError(error, "config.invalid"), String(error));
    assert.equal(error.details["option"], "audit-policy");
    assert.ok(error.message.includes(path));
    return `${error.message}: ${error.cause instanceof Error ? error.cause.message : ""}`;
  }
  return "";
}

const head = "apiVersion: audit.k8s.io/v1\nkind: Policy\n";

test("a policy that can be used is read", () => {
  assert.equal(refusal(`${head}rules: [{ level: Metadata, verbs: [get] }]`), "");
});

test("a policy that cannot be used is told with its option and why", () => {
  const cases: readonly (readonly [string | undefined, RegExp])[] = [
    [undefined, /cannot be read: ENOENT/],
    ["rules: [", /is not YAML/],
    ["- one", /it must be a map/],
    ["kind: Policy", /it must be a Policy of audit\.k8s\.io\/v1/],
    [head, /rules is missing or empty/],
    [`${head}rules: all`, /rules must be a list of maps/],
    [`${head}rules: [all]`, /rules must be a list of maps/],
    [`${head}rules: [{ level: Everything }]`, /rules\[0\]\.level must be one of/],
    [`${head}rules: [{ level: None, verbs: get }]`, /rules\[0\]\.verbs must be a list of strings/],
    [`${head}rules: [{ level: None, resources: [secrets] }]`, /resources must be a list of maps/],
    [
      `${head}rules: [{ level: None, resources: [{ resources: pods }] }]`,
      /rules\[0\]\.resources\[0\]\.resources must be a list of strings/,
    ],
  ];
  for (const [text, expected] of cases) assert.match(refusal(text), expected);
});

import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import type { SetpointError } from "../kernel/errors.ts";
import { readConfigFile } from "./config-file.ts";
import { serveConfig } from "./config.ts";

describe("configuration file", () => {
  const folder = mkdtempSync(join(tmpdir(), "setpoint-config-"));
  after(() => rmSync(folder, { recursive: true, force: true }));
  const written = (text: string): string => {
    const path = join(folder, "setpoint.yaml");
    writeFileSync(path, text);
    return path;
  };
  const refusal =
    (text: string) =>
    (error: SetpointError): boolean =>
      error.code === "config.invalid" && error.message.includes(text);

  it("may be empty", () => {
    assert.deepEqual(readConfigFile(written("# nothing yet\n")), {});
  });

  it("counts before the defaults and behind what was typed", () => {
    const file = readConfigFile(written("listen: 127.0.0.1:8443\nhistory: 12h\ndata: d\n"));
    const config = serveConfig({ history: "30m" }, file);
    assert.deepEqual(config.listen, { host: "127.0.0.1", port: 8443 });
    assert.equal(config.historyMs, 1_800_000);
    assert.equal(config.dataFolder, join(folder, "d"));
  });

  it("names paths relative to itself", () => {
    const text = "tokenFile: tokens.csv\naudit: { policy: policy.yaml, log: /var/log/audit.log }\n";
    const config = serveConfig({}, readConfigFile(written(text)));
    assert.equal(config.tokenFile, join(folder, "tokens.csv"));
    assert.deepEqual(config.audit, {
      policyFile: join(folder, "policy.yaml"),
      logFile: "/var/log/audit.log",
    });
  });

  it("describes providers of identity", () => {
    const text = "oidc:\n- issuer: https://id.example.org\n  audiences: [setpoint]\n";
    const [provider] = serveConfig({}, readConfigFile(written(text))).oidc;
    assert.deepEqual(provider, { issuer: "https://id.example.org", audiences: ["setpoint"] });
  });

  it("has a section for each module that declares one", () => {
    const config = serveConfig({}, readConfigFile(written("arm: { retryAfter: 1 }\n")));
    assert.deepEqual(config.sections, { arm: { clients: [], retryAfter: 1 } });
    assert.deepEqual(serveConfig({}).sections, {});
  });

  it("refuses a value that a module refuses", () => {
    const file = readConfigFile(written("arm: { retryAfter: 601 }\n"));
    const message = "arm.retryAfter must be an integer from 0 to 600 (seconds)";
    assert.throws(() => serveConfig({}, file), refusal(message));
  });

  const wrong: readonly (readonly [text: string, names: string])[] = [
    ["arm: { retryAfter: soon }\n", "arm.retryAfter must be a number"],
    ["arm: { clientz: [a] }\n", "arm.clientz is not a known key; known keys: clients, retryAfter"],
    ["listne: x\n", "listne is not a known key; known keys: listen"],
    ["anonymous: maybe\n", "anonymous must be true or false"],
    ["hosts: a\n", "hosts must be a list"],
    ["oidc:\n- audiences: [a]\n", "oidc[0].issuer is missing"],
    ["oidc:\n- issuer: x\n  colour: y\n", "oidc[0].colour is not a known key"],
    ["- a\n", "the file must be a map"],
    ["a: [\n", "is not YAML"],
    ["a: 1\nb:\n  c: d: e\n", "is not YAML (line 3, column 6)"],
  ];
  for (const [text, names] of wrong) {
    it(`refuses ${JSON.stringify(text)}`, () => {
      assert.throws(() => readConfigFile(written(text)), refusal(names));
    });
  }

  it("is told when it is not there", () => {
    assert.throws(() => readConfigFile(join(folder, "none.yaml")), refusal("cannot be read"));
  });

  it("does not accept half an audit log or a length of time that is none", () => {
    assert.throws(() => serveConfig({ auditLog: "a.log" }), refusal("--audit-policy is missing"));
    assert.throws(() => serveConfig({ history: "1w" }), refusal("--history 1w"));
    assert.equal(serveConfig({ history: "forever" }).historyMs, undefined);
    assert.equal(serveConfig({}).secretRetentionMs, 3_600_000);
    assert.equal(serveConfig({ secretRetention: "forever" }).secretRetentionMs, undefined);
    assert.throws(() => serveConfig({ secretRetention: "2" }), refusal("--secret-retention 2"));
  });
});

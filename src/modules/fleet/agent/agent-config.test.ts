import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { isSetpointError } from "../../../kernel/errors.ts";
import { agentConfig } from "./agent-config.ts";

let folder = "";
before(() => {
  folder = mkdtempSync(join(tmpdir(), "setpoint-agent-"));
  write("token", "t0\n");
  write("status.yaml", "operators: [{ version: 1.0.0, ready: true }]");
  write("kubeconfig", kubeconfig("t1"));
});
after(() => rmSync(folder, { recursive: true, force: true }));

function write(name: string, text: string): void {
  writeFileSync(join(folder, name), text);
}

function kubeconfig(token: string): string {
  return JSON.stringify({
    clusters: [{ name: "c", cluster: { server: "https://cluster.example" } }],
    users: [{ name: "u", user: { token } }],
    contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
    "current-context": "x",
  });
}

function options(given: Readonly<Record<string, unknown>> = {}): Readonly<Record<string, unknown>> {
  const base = { controlPlane: "https://cp.example", cluster: "east-1", simulate: true };
  return { ...base, tokenFile: join(folder, "token"), ...given };
}

function refused(given: Readonly<Record<string, unknown>>, why: RegExp): void {
  assert.throws(
    () => agentConfig(options(given)),
    (error) => isSetpointError(error, "config.invalid") && why.test(error.message),
  );
}

test("a token file is read again for each request", async () => {
  const { access } = agentConfig(options());
  assert.equal((await access()).token, "t0");
  write("token", "t2");
  assert.equal((await access()).token, "t2");
  write("token", "t0");
});

test("a kubeconfig is read again for each request, and --ca replaces its authority", async () => {
  write("ca.crt", "PEM");
  const named = { tokenFile: undefined, kubeconfig: join(folder, "kubeconfig") };
  const { access } = agentConfig(options({ ...named, ca: join(folder, "ca.crt") }));
  assert.deepEqual([(await access()).token, (await access()).authority], ["t1", "PEM"]);
  write("kubeconfig", kubeconfig("t3"));
  assert.equal((await access()).token, "t3");
});

test("the data plane is a Kubernetes API or the simulator", () => {
  assert.equal(agentConfig(options()).target.kind, "simulator");
  const applyTo = join(folder, "kubeconfig");
  const { target } = agentConfig(options({ simulate: undefined, applyTo }));
  assert.ok(target.kind === "kubernetes");
  assert.equal(target.access().server, "https://cluster.example");
});

test("invalid options are refused with the option and what to do", async () => {
  refused({ tokenFile: undefined }, /one of --token-file and --kubeconfig/);
  refused({ kubeconfig: "x" }, /one of --token-file and --kubeconfig/);
  refused({ simulate: undefined }, /one of --apply-to and --simulate/);
  refused({ applyTo: "x" }, /one of --apply-to and --simulate/);
  refused({ controlPlane: "cp.example" }, /--control-plane: "cp\.example" is not an http/);
  refused({ cluster: "East 1" }, /--cluster: "East 1" is not the name of a cluster/);
  refused({ tokenFile: join(folder, "absent") }, /absent cannot be read/);
  refused({ logLevel: "loud" }, /--log-level: "loud" is none of info, debug, warn, error/);
  refused({ statusFile: join(folder, "token") }, /does not contain an object/);
  const { status } = agentConfig(options({ statusFile: join(folder, "status.yaml") }));
  assert.deepEqual(await status(), { operators: [{ version: "1.0.0", ready: true }] });
});

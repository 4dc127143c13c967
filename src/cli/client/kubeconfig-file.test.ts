import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { after, before, describe, test } from "node:test";
import { isSetpointError } from "../../kernel/errors.ts";
import { kubeconfig } from "../../app/tls/kubeconfig.ts";
import { clientConfig } from "./kubeconfig-file.ts";
import type { KubeAccess } from "../../kernel/kubeconfig.ts";
import type { Environment, KubeconfigChoice } from "./kubeconfig-file.ts";

let folder = "";

before(() => {
  folder = mkdtempSync(join(tmpdir(), "setpoint-client-"));
});
after(() => rmSync(folder, { recursive: true, force: true }));

function write(name: string, text: string): string {
  const path = join(folder, name);
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, text);
  return path;
}

const server = "https://127.0.0.1:7443";
const token = { kind: "token", token: "t0" } as const;

function readFrom(
  choice: Partial<KubeconfigChoice>,
  variables: Environment["variables"] = {},
): KubeAccess {
  const environment = { variables, home: join(folder, "home") };
  return clientConfig({ data: join(folder, "data"), ...choice }, environment);
}

function fails(choice: Partial<KubeconfigChoice>, why: RegExp): void {
  assert.throws(
    () => readFrom(choice),
    (error) => isSetpointError(error, "config.invalid") && why.test(error.message),
  );
}

/** A kubeconfig of others: with this cluster, this user and this context. */
function custom(cluster: object, user: object, context: object = {}): string {
  return JSON.stringify({
    clusters: [{ name: "c", cluster: { server, ...cluster } }],
    users: [{ name: "u", user }],
    contexts: [{ name: "x", context: { cluster: "c", user: "u", ...context } }],
    "current-context": "x",
  });
}

describe("which file counts", () => {
  test("the named one, else KUBECONFIG, else that of the data folder, else the home's", () => {
    const at = (name: string): string =>
      kubeconfig({ server: `https://${name}.example`, user: "admin", credentials: token });
    fails({}, /there is no kubeconfig at .*data\/kubeconfig, .*\.kube\/config/);
    write("home/.kube/config", at("home"));
    assert.equal(readFrom({}).server, "https://home.example");
    write("data/kubeconfig", at("data"));
    assert.equal(readFrom({}).server, "https://data.example");
    const listed = write("listed", at("listed"));
    const variables = { KUBECONFIG: `${join(folder, "absent")}${delimiter}${listed}` };
    assert.equal(readFrom({}, variables).server, "https://listed.example");
    const named = write("named", at("named"));
    assert.equal(readFrom({ kubeconfig: named }, variables).server, "https://named.example");
    fails({ kubeconfig: join(folder, "absent") }, /there is no kubeconfig at/);
  });

  test("of several files each adds what the others lack", () => {
    const clusters = write("m1", custom({}, { token: "first" }));
    const context = { name: "y", context: { cluster: "c", user: "v", namespace: "team" } };
    const users = write(
      "m2",
      JSON.stringify({
        users: [{ name: "v", user: { token: "second" } }],
        contexts: [context],
        "current-context": "y",
      }),
    );
    const variables = { KUBECONFIG: [clusters, users].join(delimiter) };
    assert.equal(readFrom({}, variables).token, "first");
    const other = readFrom({ context: "y" }, variables);
    assert.deepEqual([other.token, other.namespace], ["second", "team"]);
  });
});

describe("what it says", () => {
  test("is read from the files that Setpoint writes", () => {
    const withToken = write(
      "own-token",
      kubeconfig({ server: `${server}/`, authorityPem: "CA", user: "admin", credentials: token }),
    );
    const found = readFrom({ kubeconfig: withToken });
    assert.deepEqual(
      { ...found, source: "" },
      {
        server,
        authority: "CA",
        isInsecure: false,
        serverName: undefined,
        token: "t0",
        certificate: undefined,
        namespace: "default",
        source: "",
      },
    );
    const credentials = { kind: "certificate", certificatePem: "CERT", keyPem: "KEY" } as const;
    const certified = write("own-cert", kubeconfig({ server, user: "jane", credentials }));
    assert.deepEqual(readFrom({ kubeconfig: certified }).certificate, {
      certificate: "CERT",
      key: "KEY",
    });
  });

  test("may be in files beside it", () => {
    write("pki/ca.crt", "CA");
    write("pki/me.crt", "CERT");
    write("pki/me.key", "KEY");
    write("pki/token", " t1\n");
    const path = write(
      "pki/config",
      custom(
        { "certificate-authority": "ca.crt", "tls-server-name": "sp.example" },
        { "client-certificate": "me.crt", "client-key": "me.key", tokenFile: "token" },
      ),
    );
    const found = readFrom({ kubeconfig: path });
    assert.equal(found.authority, "CA");
    assert.equal(found.serverName, "sp.example");
    assert.equal(found.token, "t1");
    assert.deepEqual(found.certificate, { certificate: "CERT", key: "KEY" });
    const broken = write("pki/broken", custom({ "certificate-authority": "none.crt" }, {}));
    fails({ kubeconfig: broken }, /none\.crt cannot be read/);
  });

  test("may skip the check of the certificate", () => {
    const path = write("insecure", custom({ "insecure-skip-tls-verify": true }, {}));
    assert.equal(readFrom({ kubeconfig: path }).isInsecure, true);
  });

  test("is refused with its file when it cannot be used", () => {
    const exec = write("exec", custom({}, { exec: { command: "login" } }));
    fails({ kubeconfig: exec }, /exec authenticates with exec, which needs another program/);
    fails({ kubeconfig: write("text", "just a text") }, /is not a kubeconfig/);
    fails({ kubeconfig: write("bad", "a: [") }, /cannot be read as a kubeconfig/);
    fails({ kubeconfig: write("empty", "{}") }, /has no current context/);
    const named = write("named-context", custom({}, {}));
    fails({ kubeconfig: named, context: "z" }, /has no context "z"/);
    const noUser = write("no-user", custom({}, {}, { user: "w" }));
    fails({ kubeconfig: noUser }, /has no user "w"/);
    const odd = write("odd", custom({ server: "unix:/run/x" }, {}));
    fails({ kubeconfig: odd }, /has no usable server address/);
  });
});

// Files that the configuration names: the certificate authority of a provider with TLS, and static
// keys. The server and `setpoint token` read them as an operator writes them.
import { deepEqual, equal, match, rejects } from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { exportJWK } from "jose";
import { readConfigFile } from "../../src/app/config-file.ts";
import { openAuthority } from "../../src/app/tls/authority.ts";
import { systemClock } from "../../src/kernel/clock.ts";
import { systemRandom } from "../../src/kernel/random.ts";
import { startKubeServer } from "../kube/server.ts";
import type { KubeServer } from "../kube/server.ts";
import { startProgram } from "../peers/child.ts";
import { startOidcProvider } from "../peers/oidc-provider.ts";
import type { OidcPeer } from "../peers/oidc-provider.ts";

const folder = mkdtempSync(join(tmpdir(), "setpoint-oidc-files-"));
const secret = "only-for-tests";
const claims = { exp: Math.floor(Date.now() / 1_000) + 600, aud: "setpoint", sub: "robot" };

let provider: OidcPeer;

before(async () => {
  const authority = openAuthority({ folder, clock: systemClock, random: systemRandom });
  const { keyPem: key, certificatePem: cert } = authority.serverCertificate(["127.0.0.1"]);
  writeFileSync(join(folder, "provider-ca.pem"), authority.certificatePem);
  writeFileSync(join(folder, "secret"), secret);
  provider = await startOidcProvider({ tls: { key, cert }, clients: [{ id: "robot", secret }] });
});

after(async () => {
  await provider[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

function startWith(entry: string): Promise<KubeServer> {
  const path = join(folder, "setpoint.yaml");
  const text = `oidc:\n- issuer: ${provider.issuer}\n  audiences: [setpoint]\n${entry}`;
  writeFileSync(path, text);
  return startKubeServer({ oidc: readConfigFile(path).oidc ?? [] });
}

async function statusOf(server: KubeServer, token: string): Promise<number> {
  const path = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
  const review = { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" };
  const authorization = `Bearer ${token}`;
  return (await server.request("POST", path, review, { authorization })).status;
}

async function obtain(...more: string[]) {
  const client = ["--client-id", "robot", "--client-secret-file", join(folder, "secret")];
  const args = ["token", "--issuer", provider.issuer, ...client, ...more];
  const program = await startProgram("src/cli/main.ts", { args });
  const { code } = await program.waitForExit();
  return { code, stdout: program.stdout().trimEnd(), stderr: program.stderr() };
}

test("a provider with a private authority is trusted by caFile, and only by it", async () => {
  const { code, stdout: token } = await obtain("--ca-file", join(folder, "provider-ca.pem"));
  equal(code, 0);
  await using trusting = await startWith("  caFile: provider-ca.pem\n");
  equal(await statusOf(trusting, token), 201);
  await using other = await startWith("");
  equal(await statusOf(other, token), 401);
  match(other.lines.join("\n"), /keys of OpenID provider not read/);
  const refused = await obtain();
  deepEqual([refused.code, refused.stdout], [1, ""]);
  match(refused.stderr, /no usable response from https:.*\n.*because: .*\n.*name it by --ca-file/);
});

test("keys of jwksFile are accepted while the provider cannot be reached", async () => {
  const { jwk, publicKey } = provider.key;
  const keys = [{ ...(await exportJWK(publicKey)), kid: jwk.kid, use: "sig" }];
  writeFileSync(join(folder, "keys.json"), JSON.stringify({ keys }));
  const token = await provider.sign({ ...claims, iss: provider.issuer });
  provider.setDown(true);
  try {
    await using server = await startWith("  jwksFile: keys.json\n  caFile: provider-ca.pem\n");
    equal(await statusOf(server, token), 201);
    const stranger = await provider.sign({ ...claims, iss: provider.issuer }, { kid: "other" });
    equal(await statusOf(server, stranger), 401);
  } finally {
    provider.setDown(false);
  }
});

test("a wrong file stops the start and is named", async () => {
  writeFileSync(join(folder, "private.json"), JSON.stringify({ keys: [provider.key.jwk] }));
  const privateKey = /private.json: keys\[0\] is a private key/;
  await rejects(startWith("  jwksFile: private.json\n"), privateKey);
  await rejects(startWith("  caFile: none.pem\n"), /none.pem cannot be read/);
});

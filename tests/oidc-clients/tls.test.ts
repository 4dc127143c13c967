// A provider with a certificate of a private authority is trusted by `spec.ca`, and only by it.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, it } from "node:test";
import { openAuthority } from "../../src/app/tls/authority.ts";
import { systemClock } from "../../src/kernel/clock.ts";
import { systemRandom } from "../../src/kernel/random.ts";
import { startOidcProvider } from "../peers/oidc-provider.ts";
import type { OidcPeer } from "../peers/oidc-provider.ts";
import { condition } from "../peers/resources.ts";
import { clientSpec, issuerSpec, startOidcRig } from "./rig.ts";
import type { OidcRig } from "./rig.ts";

const folder = mkdtempSync(join(tmpdir(), "setpoint-oidc-tls-"));
let ca = "";
let provider: OidcPeer;
let rig: OidcRig;
before(async () => {
  const authority = openAuthority({ folder, clock: systemClock, random: systemRandom });
  const { keyPem: key, certificatePem: cert } = authority.serverCertificate(["127.0.0.1"]);
  ca = authority.certificatePem;
  provider = await startOidcProvider({ tls: { key, cert }, hasIdsOfSoftware: true });
  rig = await startOidcRig();
});
after(async () => {
  await rig?.[Symbol.asyncDispose]();
  await provider?.[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

it("an issuer with TLS is trusted by its authority, and its clients are registered", async () => {
  await rig.issuers.create("private", issuerSpec(provider.issuer, true));
  const one = await rig.issuers.says("private", "Ready", "TlsFailed");
  assert.match(condition(one, "Ready")?.message ?? "", /certificate .* was not accepted/);
  await rig.issuers.patch("private", { spec: { ca } });
  await rig.issuers.ready("private");
  await rig.clients.create("secure", { ...clientSpec("secure-oidc"), issuer: "private" });
  const { status } = await rig.clients.ready("secure");
  assert.deepEqual(provider.registeredClients(), [status?.clientId]);
  await rig.clients.delete("secure");
  await rig.clients.gone("secure");
  assert.deepEqual(provider.registeredClients(), []);
});

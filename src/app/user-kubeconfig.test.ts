import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { systemClock } from "../kernel/clock.ts";
import type { SetpointError } from "../kernel/errors.ts";
import { systemRandom } from "../kernel/random.ts";
import { openAuthority } from "./tls/authority.ts";
import { userKubeconfig } from "./user-kubeconfig.ts";

describe("a kubeconfig for a user", () => {
  const folder = mkdtempSync(join(tmpdir(), "setpoint-user-"));
  after(() => rmSync(folder, { recursive: true, force: true }));
  const authority = openAuthority({ folder, clock: systemClock, random: systemRandom });
  const asked = { folder, user: "ada", groups: ["devs", "ops"], days: 30 };
  const refused =
    (text: string) =>
    (error: SetpointError): boolean =>
      error.code === "config.invalid" && error.message.includes(text);

  it("needs to know where the server is", () => {
    assert.throws(() => userKubeconfig(asked), refused("the address of the server is not known"));
  });

  it("holds a certificate that names the user and the groups", () => {
    writeFileSync(
      join(folder, "kubeconfig"),
      "clusters:\n- cluster: { server: https://127.0.0.1:7443 }\n",
    );
    const text = userKubeconfig(asked);
    assert.match(text, /server: "https:\/\/127\.0\.0\.1:7443"/);
    const data = /client-certificate-data: "([^"]+)"/.exec(text)?.[1] ?? "";
    const certificate = new X509Certificate(Buffer.from(data, "base64"));
    assert.ok(certificate.verify(new X509Certificate(authority.certificatePem).publicKey));
    assert.match(certificate.subject, /O=devs/);
    assert.match(certificate.subject, /O=ops/);
    assert.match(certificate.subject, /CN=ada/);
  });

  it("is refused for a folder without an authority and for days that are none", () => {
    const elsewhere = { ...asked, folder: join(folder, "none") };
    assert.throws(() => userKubeconfig(elsewhere), refused("there is no certificate authority"));
    assert.throws(() => userKubeconfig({ ...asked, days: Number.NaN }), refused("--days"));
  });
});

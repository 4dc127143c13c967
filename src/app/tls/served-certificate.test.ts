import assert from "node:assert/strict";
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { manualClock } from "../../kernel/clock.ts";
import { isSetpointError } from "../../kernel/errors.ts";
import { manualTimers } from "../../kernel/manual-timers.ts";
import { systemRandom } from "../../kernel/random.ts";
import { logger } from "../../telemetry/log.ts";
import { openAuthority } from "./authority.ts";
import { followCertificate, readCertificate } from "./served-certificate.ts";

function world() {
  const folder = mkdtempSync(join(tmpdir(), "setpoint-own-certificate-"));
  const clock = manualClock(statSync(folder).mtimeMs);
  const authority = openAuthority({ folder: join(folder, "ca"), clock, random: systemRandom });
  const files = { certFile: join(folder, "tls.crt"), keyFile: join(folder, "tls.key") };
  const issue = (host: string) => {
    rmSync(join(folder, "ca", "server.pem"), { force: true });
    return authority.serverCertificate([host]);
  };
  const write = (host: string) => {
    const issued = issue(host);
    writeFileSync(files.certFile, issued.certificatePem);
    writeFileSync(files.keyFile, issued.keyPem);
    return issued;
  };
  const remove = () => rmSync(folder, { recursive: true });
  return { folder, clock, files, issue, write, [Symbol.dispose]: remove };
}

test("a certificate of the operator is read with its authority", () => {
  using at = world();
  const { certificatePem, keyPem } = at.write("setpoint.example");
  const caFile = join(at.folder, "ca", "ca.crt");
  const read = readCertificate({ ...at.files, caFile }, at.clock);
  assert.equal(read.cert, certificatePem);
  assert.equal(read.key, keyPem);
  assert.match(read.authority ?? "", /BEGIN CERTIFICATE/);
});

test("unusable files of a certificate are refused with their option, without their content", () => {
  using at = world();
  const { keyPem } = at.write("setpoint.example");
  const refused = (pattern: RegExp): void => {
    assert.throws(
      () => readCertificate(at.files, at.clock),
      (error) => isSetpointError(error, "config.invalid") && pattern.test(error.message),
    );
  };
  writeFileSync(at.files.keyFile, at.issue("other.example").keyPem);
  refused(/^--tls-key: .*tls\.key is not the key of the certificate in .*tls\.crt$/);
  writeFileSync(at.files.keyFile, keyPem.slice(0, 60));
  refused(/^--tls-key: .*tls\.key is not a PEM file of the expected type$/);
  rmSync(at.files.keyFile);
  refused(/^--tls-key: .*tls\.key cannot be read$/);
  at.write("setpoint.example");
  at.clock.advanceMs(400 * 86_400_000);
  refused(/^--tls-cert: .*tls\.crt contains a certificate that expired at 20/);
});

test("a renewed certificate is used, and half of a renewal is not", async () => {
  using at = world();
  at.write("first.example");
  const timers = manualTimers(at.clock);
  const lines: string[] = [];
  const used: string[] = [];
  using following = followCertificate({
    files: at.files,
    clock: at.clock,
    timers,
    log: logger((line) => lines.push(line), at.clock, "info"),
    use: ({ cert }) => used.push(cert),
  });
  assert.ok(following);
  await timers.advance(60_000);
  assert.deepEqual(used, []);

  const { certificatePem, keyPem } = at.issue("second.example");
  writeFileSync(at.files.certFile, certificatePem);
  await timers.advance(10_000);
  assert.deepEqual(used, []);
  assert.match(lines.join(""), /certificate not reloaded; the last one stays/);

  writeFileSync(at.files.keyFile, keyPem);
  await timers.advance(10_000);
  assert.deepEqual(used, [certificatePem]);
  assert.ok(!lines.join("").includes("PRIVATE KEY"));
});

/**
 * The certificate of an operator, in place of one of the local authority. The files are read at the
 * start, where a mistake is an error, and again when they change, where it is logged and the last
 * good certificate stays: renewal tools write two files, one after the other.
 */
import { X509Certificate, createPrivateKey } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import type { Clock } from "../../kernel/clock.ts";
import { SetpointError } from "../../kernel/errors.ts";
import { every } from "../../kernel/timers.ts";
import type { Timers } from "../../kernel/timers.ts";
import type { Logger } from "../../telemetry/log.ts";

/** Paths of PEM files. */
export interface CertificateFiles {
  /** The certificate, followed by those of intermediate authorities. */
  readonly certFile: string;
  readonly keyFile: string;
  /** The authority that clients check the server by; absent for a public authority. */
  readonly caFile?: string | undefined;
}

export interface ServedCertificate {
  readonly cert: string;
  readonly key: string;
  /** Undefined: a public authority, which clients know. */
  readonly authority: string | undefined;
  readonly validToMs: number;
}

const checkMs = 10_000;

export function readCertificate(files: CertificateFiles, clock: Clock): ServedCertificate {
  const { certFile, keyFile, caFile } = files;
  const cert = readText(certFile, "tls-cert");
  const key = readText(keyFile, "tls-key");
  const authority = caFile === undefined ? undefined : readText(caFile, "tls-ca");
  if (authority !== undefined) parsed(caFile ?? "", "tls-ca", () => new X509Certificate(authority));
  const certificate = parsed(certFile, "tls-cert", () => new X509Certificate(cert));
  const privateKey = parsed(keyFile, "tls-key", () => createPrivateKey(key));
  if (!certificate.checkPrivateKey(privateKey)) {
    throw invalid(keyFile, "tls-key", `is not the key of the certificate in ${certFile}`);
  }
  const validToMs = certificate.validToDate.getTime();
  if (validToMs <= clock.nowMs()) {
    const expired = certificate.validToDate.toISOString();
    throw invalid(certFile, "tls-cert", `contains a certificate that expired at ${expired}`);
  }
  return { cert, key, authority, validToMs };
}

export interface FollowInput {
  readonly files: CertificateFiles;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Logger;
  /** New connections get this certificate; open ones keep theirs. */
  readonly use: (certificate: ServedCertificate) => void;
}

export function followCertificate(input: FollowInput): Disposable {
  const { files, clock, timers, log, use } = input;
  let seen = versionOf(files);
  const check = (): void => {
    const version = versionOf(files);
    if (version === seen) return;
    seen = version;
    try {
      const certificate = readCertificate(files, clock);
      use(certificate);
      const expires = new Date(certificate.validToMs).toISOString();
      log.info({ file: files.certFile, expires }, "certificate reloaded");
    } catch (error) {
      log.error({ error, file: files.certFile }, "certificate not reloaded; the last one stays");
    }
  };
  const stop = new AbortController();
  void every(timers, checkMs, check, stop.signal);
  return { [Symbol.dispose]: () => stop.abort() };
}

/** Changes when one of the files was written or replaced. */
function versionOf({ certFile, keyFile }: CertificateFiles): string {
  return [certFile, keyFile]
    .map((path) => {
      const found = statSync(path, { throwIfNoEntry: false });
      return found === undefined ? "absent" : `${found.ino} ${found.size} ${found.mtimeMs}`;
    })
    .join("|");
}

function readText(path: string, option: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    throw invalid(path, option, "cannot be read", cause);
  }
}

/** The error of the parser may quote the text, which can be a key. */
function parsed<T>(path: string, option: string, parse: () => T): T {
  try {
    return parse();
  } catch {
    throw invalid(path, option, "is not a PEM file of the expected type");
  }
}

function invalid(path: string, option: string, problem: string, cause?: unknown): SetpointError {
  return new SetpointError("config.invalid", `--${option}: ${path} ${problem}`, {
    cause,
    details: { option, path },
  });
}

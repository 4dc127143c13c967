// Values that Setpoint generates: passwords, key pairs and certificates. Each is stored, sealed,
// before it is used, so that a run that is repeated after a crash uses the same value.

import { createPublicKey, generateKeyPairSync } from "node:crypto";
import type { KeyPairKeyObjectResult } from "node:crypto";
import type { Context } from "../../../engine/reconciler.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { numberAt, objectsAt, textAt, textsAt } from "../../../kernel/json-read.ts";
import type { Random } from "../../../kernel/random.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { choice, described, list, object } from "../../../kernel/schema-parts.ts";
import {
  createCertificate,
  generateCertificateKey,
} from "../../../kernel/x509/create-certificate.ts";
import { executorLimits } from "../limits.ts";

const key = { type: "string", pattern: "^[A-Za-z0-9._-]+$", maxLength: 128 };

export const generateSchema = described(
  {
    ...list(
      object(
        {
          key: described(key, "The key in the secret. Pairs add .pub, certificates .crt."),
          type: choice("Password", "KeyPair", "Certificate"),
          length: {
            type: "integer",
            minimum: 12,
            maximum: executorLimits.maxPasswordChars,
            default: 32,
          },
          algorithm: { ...choice("Ed25519", "EcP256", "Rsa3072"), default: "Ed25519" },
          commonName: { type: "string", maxLength: 64 },
          hosts: described(
            list({ type: "string", maxLength: 253 }, 100),
            "DNS names and IP addresses of the certificate.",
          ),
          days: { type: "integer", minimum: 1, maximum: 3_650, default: 365 },
          rotation: described(
            { type: "string", maxLength: 63 },
            "Another text generates another value.",
          ),
        },
        ["key", "type"],
      ),
      20,
    ),
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["key"],
  },
  "Values that are generated once and stored before they are used.",
);

export interface Generated {
  /** For the secret. */
  readonly values: Readonly<Record<string, string>>;
  /** Public keys and certificates, by their key in the secret. */
  readonly outputs: Readonly<Record<string, string>>;
}

export async function generatedValues(
  resource: Resource,
  context: Pick<Context, "remember" | "random" | "clock">,
): Promise<Generated> {
  const values: Record<string, string> = {};
  const outputs: Record<string, string> = {};
  for (const given of objectsAt(resource, "spec", "generate")) {
    const [name, type] = [textAt(given, "key"), textAt(given, "type")];
    const rotation = textAt(given, "rotation");
    const made = await context.remember(`generated-${type}-${name}-${rotation}`, () =>
      generate(given, type, context),
    );
    for (const [suffix, value] of Object.entries(made)) {
      values[`${name}${suffix}`] = value;
      if (suffix !== "") outputs[`${name}${suffix}`] = value;
    }
  }
  return { values, outputs };
}

/** Values by the suffix of their key. The one without a suffix is secret. */
function generate(
  given: JsonObject,
  type: string,
  { random, clock }: Pick<Context, "random" | "clock">,
): { readonly [suffix: string]: string } {
  switch (type) {
    case "Password":
      return { "": password(numberAt(given, "length") ?? 32, random) };
    case "KeyPair":
      return keyPair(textAt(given, "algorithm"));
    default:
      return certificate(given, random, clock.nowMs());
  }
}

/** Without characters that look alike or that shells and URLs treat specially. */
const alphabet = "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnpqrstuvwxyz23456789";

/** About 5.8 bits for each character. Bytes that would prefer some characters are skipped. */
export function password(length: number, random: Pick<Random, "bytes">): string {
  const fair = 256 - (256 % alphabet.length);
  let text = "";
  while (text.length < length) {
    for (const byte of random.bytes(length)) {
      if (byte < fair && text.length < length) text += alphabet.charAt(byte % alphabet.length);
    }
  }
  return text;
}

function keyPair(algorithm: string): { readonly "": string; readonly ".pub": string } {
  const { privateKey, publicKey } = keysOf(algorithm);
  return {
    "": String(privateKey.export({ type: "pkcs8", format: "pem" })),
    ".pub": String(publicKey.export({ type: "spki", format: "pem" })),
  };
}

function keysOf(algorithm: string): KeyPairKeyObjectResult {
  switch (algorithm) {
    case "Rsa3072":
      return generateKeyPairSync("rsa", { modulusLength: 3_072 });
    case "EcP256":
      return generateKeyPairSync("ec", { namedCurve: "P-256" });
    default:
      return generateKeyPairSync("ed25519");
  }
}

/** Signed by its own key. */
function certificate(
  given: JsonObject,
  random: Pick<Random, "bytes">,
  nowMs: number,
): { readonly [suffix: string]: string } {
  const hosts = textsAt(given, "hosts");
  const commonName = textAt(given, "commonName") || hosts[0] || textAt(given, "key");
  const subjectKey = generateCertificateKey();
  const dayMs = 86_400_000;
  const pem = createCertificate({
    subject: { commonName },
    issuer: { commonName },
    subjectKey,
    issuerKey: subjectKey,
    purpose: { kind: "server", hosts: hosts.length === 0 ? [commonName] : hosts },
    serial: random.bytes(16),
    notBeforeMs: nowMs - 300_000,
    notAfterMs: nowMs + (numberAt(given, "days") ?? 365) * dayMs,
  });
  const publicKey = createPublicKey(subjectKey).export({ type: "spki", format: "pem" });
  const privateKey = subjectKey.export({ type: "pkcs8", format: "pem" });
  return { "": String(privateKey), ".crt": pem, ".pub": String(publicKey) };
}

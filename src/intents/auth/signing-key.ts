// Keys that sign the tokens of service accounts. Whoever stores them passes them in as text; the
// identity of a key is a digest of its public half, so every process that shares the keys gives
// them the same names, and so does every verifier elsewhere.

import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync } from "node:crypto";
import type { JsonWebKey, KeyObject } from "node:crypto";
import { SetpointError } from "../../kernel/errors.ts";
import type { JsonObject } from "../../kernel/json.ts";

export type SigningAlgorithm = "ES256" | "RS256";

export interface SigningKey {
  readonly id: string;
  readonly algorithm: SigningAlgorithm;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
  /** The public half as it is published. */
  readonly publicJwk: JsonObject;
}

/** A new private key as PEM (PKCS #8). */
export function generateSigningKey(algorithm: SigningAlgorithm = "ES256"): string {
  const { privateKey } =
    algorithm === "ES256"
      ? generateKeyPairSync("ec", { namedCurve: "P-256" })
      : generateKeyPairSync("rsa", { modulusLength: 2048 });
  return privateKey.export({ type: "pkcs8", format: "pem" }).toString();
}

/** Reads a private key from PEM or from a JWK. */
export function readSigningKey(material: string | JsonWebKey): SigningKey {
  const privateKey = readPrivateKey(material);
  const algorithm = algorithmOf(privateKey);
  const publicKey = createPublicKey(privateKey);
  const der = publicKey.export({ type: "spki", format: "der" });
  const id = createHash("sha256").update(der).digest("base64url");
  const { kty, crv, x, y, n, e } = publicKey.export({ format: "jwk" });
  const numbers =
    algorithm === "ES256" ? { crv: crv ?? "", x: x ?? "", y: y ?? "" } : { n: n ?? "", e: e ?? "" };
  const publicJwk = { use: "sig", kty: kty ?? "", kid: id, alg: algorithm, ...numbers };
  return { id, algorithm, privateKey, publicKey, publicJwk };
}

function readPrivateKey(material: string | JsonWebKey): KeyObject {
  try {
    return typeof material === "string"
      ? createPrivateKey(material)
      : createPrivateKey({ key: material, format: "jwk" });
  } catch (cause) {
    throw new SetpointError("config.invalid", "a signing key cannot be read", { cause });
  }
}

function algorithmOf(key: KeyObject): SigningAlgorithm {
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = key;
  if (type === "ec" && details?.namedCurve === "prime256v1") return "ES256";
  if (type === "rsa" && (details?.modulusLength ?? 0) >= 2048) return "RS256";
  throw new SetpointError(
    "config.invalid",
    "a signing key must be an EC key on the curve P-256, or an RSA key of at least 2048 bits",
  );
}

/**
 * Sealing: a document with secrets is stored twice over: blanked, with null at each secret pointer,
 * for whoever looks into the database; and whole inside an envelope, AES-256-GCM, bound to the
 * resource's identity, so that an envelope copied to another row does not open. Opening gives back
 * the very bytes that were written, because they are what was sealed.
 *
 * Envelope: version (1 byte) | key id (8 bytes) | nonce (12) | ciphertext | tag (16).
 * After an erasure (erasure.ts) it is a single byte: 0 without its values, 1 without its document.
 */
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from "node:crypto";
import { documentDigest } from "../kernel/document.ts";
import { SetpointError, isSetpointError } from "../kernel/errors.ts";
import { parseExact } from "../kernel/int64.ts";
import { setOwn } from "../kernel/json.ts";
import type { Json, MutableJsonObject } from "../kernel/json.ts";
import { getAt, parsePointer } from "../kernel/pointer.ts";
import { keyText } from "../kernel/resource.ts";
import type { ResourceKey } from "../kernel/resource.ts";
import type { KeyRing, SealKey } from "./key-ring.ts";

const envelopeVersion = 1;
/** Take the place of an envelope: the secrets were erased, or the whole document. */
export const erasedValues: Buffer = Buffer.from([0]);
export const erasedDocument: Buffer = Buffer.from([1]);
const keyIdBytes = 8;
const nonceBytes = 12;
const tagBytes = 16;
const headerBytes = 1 + keyIdBytes + nonceBytes;

export interface SealedDocument {
  /** What may be stored in the clear: the body itself, or the blanked one. */
  readonly document: Buffer;
  readonly sealed: Buffer | null;
  /**
   * Equal for equal bodies. Keyed when there are secrets: a plain hash would let one guess them.
   */
  readonly digest: Buffer;
}

interface Identity {
  readonly key: ResourceKey;
  readonly uid: string;
}

export function sealDocument(
  ring: KeyRing,
  identity: Identity,
  draft: { readonly body: Buffer; readonly secrets: readonly string[] },
): SealedDocument {
  if (draft.secrets.length === 0) {
    return { document: draft.body, sealed: null, digest: documentDigest(draft.body) };
  }
  const document = blanked(draft);
  const key = ring.active();
  return {
    document,
    sealed: encrypt(key, identity, draft.body),
    digest: createHmac("sha256", digestKey(key)).update(draft.body).digest().subarray(0, 16),
  };
}

function blanked(draft: { readonly body: Buffer; readonly secrets: readonly string[] }): Buffer {
  try {
    // Parsed here and known to no other code, so it is changed in place: copies of an object
    // with many secrets would take time in proportion to the square of their number.
    const root: MutableJsonObject = { "": parseExact(draft.body.toString("utf8")) as Json };
    for (const pointer of draft.secrets) {
      const tokens = ["", ...parsePointer(pointer)];
      if (getAt(root, tokens) === undefined) continue;
      const parent = getAt(root, tokens.slice(0, -1)) as MutableJsonObject;
      setOwn(parent, tokens.at(-1) ?? "", null);
    }
    return Buffer.from(JSON.stringify(root[""]));
  } catch (error) {
    if (isSetpointError(error)) throw error;
    // Not JSON, or too deep. The parser's own words quote the text, which has secrets in it.
    throw new SetpointError("request.invalid", "a document with secrets is not JSON");
  }
}

export function openDocument(
  ring: KeyRing,
  identity: Identity,
  stored: { readonly document: Buffer; readonly sealed: Buffer | null },
): Buffer {
  return stored.sealed === null ? stored.document : decrypt(ring, identity, stored.sealed);
}

export interface ShownDocument {
  readonly body: Buffer;
  readonly unopened?: SetpointError;
}

/** As `openDocument`, but what cannot be opened is shown with its secrets blank, and says why. */
export function showDocument(
  ring: KeyRing,
  identity: Identity,
  stored: { readonly document: Buffer; readonly sealed: Buffer | null },
): ShownDocument {
  try {
    return { body: openDocument(ring, identity, stored) };
  } catch (error) {
    if (!isUnopened(error)) throw error;
    return { body: stored.document, unopened: error };
  }
}

export function isUnopened(error: unknown): error is SetpointError {
  return (
    isSetpointError(error, "secret.key_missing") ||
    isSetpointError(error, "secret.unsealable") ||
    isSetpointError(error, "secret.erased")
  );
}

export function isErased(sealed: Uint8Array): boolean {
  return sealed.length === 1;
}

/** The same secrets under the active key, or undefined when they already are. */
export function resealEnvelope(
  ring: KeyRing,
  identity: Identity,
  sealed: Buffer,
): Buffer | undefined {
  const key = ring.active();
  if (envelopeKeyId(sealed) === key.id) return undefined;
  return encrypt(key, identity, decrypt(ring, identity, sealed));
}

/** Which key an envelope needs: 16 hexadecimal digits. */
export function envelopeKeyId(sealed: Buffer): string {
  return sealed.subarray(1, 1 + keyIdBytes).toString("hex");
}

function encrypt(key: SealKey, identity: Identity, plain: Buffer): Buffer {
  const nonce = randomBytes(nonceBytes);
  const header = Buffer.concat([Buffer.from([envelopeVersion]), Buffer.from(key.id, "hex"), nonce]);
  const cipher = createCipheriv("aes-256-gcm", key.secret, nonce, { authTagLength: tagBytes });
  cipher.setAAD(associatedData(identity, header));
  return Buffer.concat([header, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

function decrypt(ring: KeyRing, identity: Identity, sealed: Buffer): Buffer {
  const details = { ...identity.key, uid: identity.uid };
  if (isErased(sealed)) {
    const isDocument = sealed[0] === erasedDocument[0];
    const message = `the ${isDocument ? "document" : "secrets"} of this state were erased`;
    throw new SetpointError("secret.erased", message, { details: { ...details, isDocument } });
  }
  if (sealed.length < headerBytes + tagBytes || sealed[0] !== envelopeVersion) {
    throw new SetpointError("secret.unsealable", "the sealed envelope has an unknown form", {
      details,
    });
  }
  const id = envelopeKeyId(sealed);
  const key = ring.find(id);
  if (key === undefined) {
    throw new SetpointError("secret.key_missing", `the key ring has no key ${id}`, {
      details: { ...details, keyId: id },
      suggestion: "add the key that sealed this store to the key ring file",
    });
  }
  const header = sealed.subarray(0, headerBytes);
  const nonce = sealed.subarray(1 + keyIdBytes, headerBytes);
  const decipher = createDecipheriv("aes-256-gcm", key.secret, nonce, { authTagLength: tagBytes });
  decipher.setAAD(associatedData(identity, header));
  decipher.setAuthTag(sealed.subarray(sealed.length - tagBytes));
  try {
    const body = sealed.subarray(headerBytes, sealed.length - tagBytes);
    return Buffer.concat([decipher.update(body), decipher.final()]);
  } catch (cause) {
    throw new SetpointError("secret.unsealable", "the sealed envelope does not authenticate", {
      cause,
      details: { ...details, keyId: id },
    });
  }
}

function associatedData(identity: Identity, header: Buffer): Buffer {
  return Buffer.concat([header, Buffer.from(`${identity.uid}\n${keyText(identity.key)}`)]);
}

const digestKeys = new WeakMap<SealKey, Buffer>();

function digestKey(key: SealKey): Buffer {
  let derived = digestKeys.get(key);
  if (derived === undefined) {
    derived = Buffer.from(hkdfSync("sha256", key.secret, "", "setpoint document digest", 32));
    digestKeys.set(key, derived);
  }
  return derived;
}

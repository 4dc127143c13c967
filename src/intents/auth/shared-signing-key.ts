// The key that signs tokens of service accounts. It is kept as a Secret, sealed at rest, so that
// all processes on one store share it and a restart does not make tokens void. The process that
// starts first makes it; two that start at once agree on whichever was stored.

import { decodeDocument } from "../../kernel/document.ts";
import { isJsonObject } from "../../kernel/json.ts";
import { ensure } from "../bootstrap.ts";
import type { Intents } from "../request.ts";
import { generateSigningKey, readSigningKey } from "./signing-key.ts";
import type { SigningKey } from "./signing-key.ts";

const namespace = "kube-system";
const name = "setpoint-token-key";
const entry = "key.pem";

export async function sharedSigningKey(intents: Intents): Promise<SigningKey> {
  const stored = await readKey(intents);
  if (stored !== undefined) return stored;
  const data = { [entry]: Buffer.from(generateSigningKey()).toString("base64") };
  await ensure(intents, {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name, namespace },
    type: "setpoint.dev/token-key",
    data,
  });
  const made = await readKey(intents);
  if (made === undefined) throw new Error("the token key was stored but cannot be read");
  return made;
}

async function readKey({ store }: Intents): Promise<SigningKey | undefined> {
  const record = await store.get({ kind: "secrets", namespace, name });
  if (record === undefined) return undefined;
  const { data } = decodeDocument(record.body, record.revision);
  const text = isJsonObject(data) ? data[entry] : undefined;
  if (typeof text !== "string") return undefined;
  return readSigningKey(Buffer.from(text, "base64").toString("utf8"));
}

// The key that signs tokens of service accounts. It is kept in the store, sealed at rest, so that
// all processes share it and a restart does not make tokens void; but under a kind that is never
// served, because whoever could read it could be anybody. The process that starts first makes it;
// two that start at once agree on whichever was stored.

import { timeText } from "../../kernel/clock.ts";
import { decodeDocument, encodeDocument } from "../../kernel/document.ts";
import { systemCause } from "../../kernel/cause.ts";
import type { Intents } from "../request.ts";
import { generateSigningKey, readSigningKey } from "./signing-key.ts";
import type { SigningKey } from "./signing-key.ts";

const storeKey = { kind: "tokenkeys.internal", namespace: "", name: "service-accounts" };

export async function sharedSigningKey(intents: Intents): Promise<SigningKey> {
  const stored = await readKey(intents);
  if (stored !== undefined) return stored;
  await storeNewKey(intents);
  const made = await readKey(intents);
  if (made === undefined) throw new Error("the stored signing key for tokens cannot be read");
  return made;
}

async function readKey({ store }: Intents): Promise<SigningKey | undefined> {
  const record = await store.get(storeKey);
  if (record === undefined) return undefined;
  const { pem } = decodeDocument(record.body, record.revision);
  return typeof pem === "string" ? readSigningKey(pem) : undefined;
}

async function storeNewKey({ store, clock, ids }: Intents): Promise<void> {
  const uid = ids.uid();
  const creationTimestamp = timeText(clock.nowMs());
  const body = encodeDocument({
    apiVersion: "internal/v1",
    kind: "TokenKey",
    metadata: { name: storeKey.name, uid, generation: 1, creationTimestamp },
    pem: generateSigningKey(),
  });
  const draft = { body, terms: [], secrets: ["/pem"] };
  // A refusal means that another process was faster.
  const cause = systemCause;
  await store.commit([{ kind: "put", key: storeKey, uid, draft, when: { kind: "absent" }, cause }]);
}

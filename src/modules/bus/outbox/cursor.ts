// The place in the log up to which all events are confirmed, in one record. It is written under the
// claim of the leader, so a process that lost the lead cannot move it.

import { systemCause } from "../../../kernel/cause.ts";
import { SetpointError } from "../../../kernel/errors.ts";
import { parseExact } from "../../../kernel/int64.ts";
import { numberAt } from "../../../kernel/json-read.ts";
import type { Json } from "../../../kernel/json.ts";
import type { ResourceKey } from "../../../kernel/resource.ts";
import type { ClaimRef, Put, Store } from "../../../store/port.ts";

/** Not a served kind. */
const key: ResourceKey = { kind: "buscursors.internal", namespace: "", name: "outbox" };
const uid = "outbox";

/** Undefined before the first event. */
export async function readCursor(store: Pick<Store, "get">): Promise<number | undefined> {
  const record = await store.get(key);
  if (record === undefined) return undefined;
  return numberAt(parseExact(record.body.toString("utf8")) as Json, "through");
}

/** Throws `claim.lost` when another process leads. */
export async function writeCursor(
  store: Pick<Store, "commit">,
  claim: ClaimRef,
  { through, isFirst = false }: { readonly through: number; readonly isFirst?: boolean },
): Promise<void> {
  const text = JSON.stringify({
    apiVersion: "internal/v1",
    kind: "BusCursor",
    metadata: { name: key.name },
    through,
  });
  const put: Put = {
    kind: "put",
    key,
    uid,
    draft: { body: Buffer.from(text), terms: [], secrets: [] },
    when: isFirst ? { kind: "absent" } : { kind: "exists" },
    claim,
    cause: systemCause,
  };
  const [answer] = await store.commit([put]);
  if (answer === undefined) throw new SetpointError("internal", "the store answers each write");
  if (answer.kind === "refused") throw answer.error;
}

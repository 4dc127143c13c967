// The records that sessions consist of: documents of the server itself, with a sealed token. Each
// ends at `expiresMs`. No surface shows them.

import type { Cause } from "../../kernel/cause.ts";
import { timeText } from "../../kernel/clock.ts";
import { decodeDocument, encodeDocument } from "../../kernel/document.ts";
import type { JsonObject } from "../../kernel/json.ts";
import type { ResourceKey } from "../../kernel/resource.ts";
import type { Precondition, StoredRecord } from "../../store/port.ts";
import type { Intents } from "../request.ts";

export const sessionKind = "consolesessions.internal";
export const linkKind = "consolelinks.internal";

export type RecordPorts = Pick<Intents, "store" | "clock" | "ids" | "random">;

export interface OwnRecord {
  readonly key: ResourceKey;
  readonly uid: string;
  readonly when: Precondition;
  readonly terms: readonly string[];
  /** With a text `token`, which is sealed. */
  readonly content: JsonObject;
  readonly cause: Cause;
}

/** Whether it was written: false when its precondition does not hold. */
export async function putRecord(
  { store, clock }: RecordPorts,
  { key, uid, when, terms, content, cause }: OwnRecord,
): Promise<boolean> {
  const creationTimestamp = timeText(clock.nowMs());
  const metadata = { name: key.name, uid, generation: 1, creationTimestamp };
  const type = { apiVersion: "internal/v1", kind: "ConsoleRecord" };
  const body = encodeDocument({ ...type, metadata, ...content });
  const draft = { body, terms, secrets: ["/token"] };
  const [answer] = await store.commit([{ kind: "put", key, uid, draft, when, cause }]);
  return answer?.kind === "committed";
}

/** Whether it was deleted: false when it was changed or does not exist. */
export async function deleteRecord(
  { store }: Pick<RecordPorts, "store">,
  { key, revision, uid }: StoredRecord,
  cause: Cause,
): Promise<boolean> {
  const when = { kind: "revision", revision, uid } as const;
  const [answer] = await store.commit([{ kind: "delete", key, when, cause }]);
  return answer?.kind === "committed";
}

export function contentOf({ body, revision }: StoredRecord): JsonObject {
  return decodeDocument(body, revision);
}

// The write of a resource with other annotations and nothing else: it is refused when the resource
// has changed, and wakes nobody.

import { draftFor, readStored } from "../../intents/write/stored.ts";
import { withoutRevision } from "../../intents/write/update.ts";
import { decodeDocument } from "../../kernel/document.ts";
import { draftOf } from "../../kernel/draft.ts";
import type { Draft } from "../../kernel/draft.ts";
import { systemCause } from "../../kernel/cause.ts";
import type { Put, StoredRecord } from "../../store/port.ts";
import type { ProviderState } from "./provider-state.ts";

type Annotations = Readonly<Record<string, string>>;

/** To write what is there costs no revision. None for a kind that is not served. */
export async function annotatedWrite(
  { intents }: ProviderState,
  record: StoredRecord,
  edit: (before: Annotations) => Annotations,
): Promise<readonly Put[]> {
  const { key, uid, revision } = record;
  const served = intents.kinds.byId(key.kind);
  if (served === undefined) return [];
  const stored = decodeDocument(record.body, revision);
  const isCurrent = stored.apiVersion === served.storage.apiVersion;
  const resource = isCurrent ? stored : await readStored(served, served.storage, record);
  const { annotations = {} } = resource.metadata;
  const edited = edit(annotations);
  const metadata = { ...resource.metadata, annotations: edited };
  const next = withoutRevision(edited === annotations ? resource : { ...resource, metadata });
  const draft: Draft = isCurrent ? draftOf(served.storedKind, next) : await draftFor(served, next);
  const when = { kind: "revision", revision, uid } as const;
  return [{ kind: "put", key, uid, draft, when, cause: systemCause }];
}

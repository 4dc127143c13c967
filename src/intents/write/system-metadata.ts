// The metadata that only the server may set. Clients may send these fields back as they got them;
// what they write into them is replaced here, or refused by metadata-check.ts.

import { timeText } from "../../kernel/clock.ts";
import type { MutableJsonObject } from "../../kernel/json.ts";
import type { Random } from "../../kernel/random.ts";
import type { Metadata, Resource } from "../../kernel/resource.ts";
import type { Intents } from "../request.ts";

const nameCharacters = "bcdfghjklmnpqrstvwxz2456789";
const suffixLength = 5;
const maxGeneratedBase = 58;

/** A new identity: whatever a client sent in these fields is gone. */
export function newMetadata(
  metadata: Metadata,
  { clock, ids }: Intents,
  hasGeneration: boolean,
): Metadata {
  const copy: MutableJsonObject = { ...metadata };
  delete copy["selfLink"];
  delete copy["resourceVersion"];
  delete copy["deletionTimestamp"];
  delete copy["deletionGracePeriodSeconds"];
  copy["uid"] = ids.uid();
  copy["creationTimestamp"] = timeText(clock.nowMs());
  if (hasGeneration) copy["generation"] = 1;
  return copy as unknown as Metadata;
}

/** Server-owned fields that a client left out, or may not set, come from the stored document. */
export function keptMetadata(metadata: Metadata, old: Metadata): Metadata {
  const copy: MutableJsonObject = { ...metadata };
  delete copy["selfLink"];
  delete copy["resourceVersion"];
  if (isBlank(copy["uid"])) copy["uid"] = old.uid;
  copy["creationTimestamp"] = old.creationTimestamp;
  // Nobody can take a deletion back; setting one is refused later, with other changes.
  if (old.deletionTimestamp !== undefined) copy["deletionTimestamp"] = old.deletionTimestamp;
  const grace = old["deletionGracePeriodSeconds"];
  if (grace !== undefined && isBlank(copy["deletionGracePeriodSeconds"])) {
    copy["deletionGracePeriodSeconds"] = grace;
  }
  const { generation } = old as { readonly generation?: number };
  if (generation === undefined) delete copy["generation"];
  else copy["generation"] = generation;
  return copy as unknown as Metadata;
}

export function generatedName(base: string, random: Random): string {
  let suffix = "";
  for (let i = 0; i < suffixLength; i++) {
    suffix += nameCharacters[Math.floor(random.next() * nameCharacters.length)] ?? "";
  }
  return base.slice(0, maxGeneratedBase) + suffix;
}

/** The document with other metadata; apiVersion and kind stay first. */
export function withMetadata(resource: Resource, metadata: Metadata): Resource {
  return { ...resource, metadata };
}

function isBlank(value: unknown): boolean {
  return value === undefined || value === null || value === "";
}

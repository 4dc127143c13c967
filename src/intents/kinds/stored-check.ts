// Compares all stored resources of a kind with its new schema, before the definition is replaced.
// A schema that does not accept one of them is refused. What a migration changes is returned as
// writes, which are committed together with the definition or not at all.

import { systemCause } from "../../kernel/cause.ts";
import type { Draft, IndexTerms } from "../../kernel/draft.ts";
import { decodeDocument } from "../../kernel/document.ts";
import { SetpointError } from "../../kernel/errors.ts";
import { nextGeneration } from "../../kernel/generation.ts";
import { limits } from "../../kernel/limits.ts";
import type { Resource, ResourceKey } from "../../kernel/resource.ts";
import type { Put, Store, StoredRecord } from "../../store/port.ts";
import { withoutKey } from "../../kernel/without-key.ts";
import { draftFor } from "../write/stored.ts";
import { fitOf } from "./schema-change.ts";
import type { SchemaChange } from "./schema-change.ts";

export interface StoredCheck {
  readonly checked: number;
  /** The resources that the migration changes. */
  readonly migrated: readonly Put[];
}

export async function checkStored(
  store: Pick<Store, "list">,
  change: SchemaChange,
  indexTerms?: IndexTerms,
): Promise<StoredCheck> {
  const migrated: Put[] = [];
  const misfits: string[] = [];
  let checked = 0;
  const query = { kind: change.kind, limit: limits.schemaCheckPageItems };
  for (
    let page = await store.list(query);
    ;
    page = await store.list({ ...query, from: page.next })
  ) {
    for (const record of page.records) {
      checked += 1;
      const fit = await fitOf(change, record);
      if (fit.kind === "refused") misfits.push(misfitText(record.key, fit.problems));
      if (fit.kind === "migrated") {
        migrated.push(await putOf(change, record, fit.resource, indexTerms));
      }
      if (misfits.length > limits.maxNamedMisfits) throw incompatible(change, misfits);
    }
    if (migrated.length >= limits.maxGroupWrites) throw tooMany(change);
    if (page.next === undefined) break;
  }
  if (misfits.length > 0) throw incompatible(change, misfits);
  return { checked, migrated };
}

async function putOf(
  { next }: SchemaChange,
  { key, uid, revision, body }: StoredRecord,
  resource: Resource,
  indexTerms: IndexTerms | undefined,
): Promise<Put> {
  const before = decodeDocument(body, revision);
  const generation = nextGeneration(next.storage.definition, before, resource);
  const metadata = withoutKey({ ...resource.metadata, generation }, "resourceVersion");
  const storedKind =
    indexTerms === undefined ? next.storedKind : { ...next.storedKind, indexTerms };
  const draft: Draft = await draftFor({ ...next, storedKind }, { ...resource, metadata });
  return {
    kind: "put",
    key,
    uid,
    draft,
    when: { kind: "revision", revision, uid },
    cause: systemCause,
    due: { kind: "wake", afterMs: 0 },
  };
}

function misfitText({ namespace, name }: ResourceKey, problems: readonly string[]): string {
  const named = problems.slice(0, limits.maxNamedMisfitFields);
  const more = problems.length - named.length;
  const rest = more > 0 ? `, and ${more} more` : "";
  return `${namespace === "" ? "" : `${namespace}/`}${name} (${named.join(", ")}${rest})`;
}

function incompatible({ kind }: SchemaChange, misfits: readonly string[]): SetpointError {
  const named = misfits.slice(0, limits.maxNamedMisfits);
  const more = misfits.length > named.length ? ", and more" : "";
  const list = `${named.join("; ")}${more}`;
  const message = `the new schema of ${kind} does not accept stored resources: ${list}`;
  return new SetpointError("kind.incompatible", message, {
    details: { kind, resources: [...named] },
  });
}

function tooMany({ kind }: SchemaChange): SetpointError {
  const most = limits.maxGroupWrites - 1;
  const message = `the migration of ${kind} changes more than ${most} stored resources`;
  return new SetpointError("kind.incompatible", message, {
    details: { kind },
    suggestion: "see docs/how-to/change-a-kind.md for a change in two steps, without a migration",
  });
}

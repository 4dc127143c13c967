// What is handed to the store for one resource: its bytes, the terms it is found by, and where its
// secrets are. The limits are checked here, once, so that no path to the store can pass them by:
// nesting before the document is encoded (an encoder recurses), size after.

import { encodeDocument } from "./document.ts";
import { SetpointError } from "./errors.ts";
import { secretPointers } from "./field-rules.ts";
import { jsonProblem } from "./json.ts";
import type { Kind } from "./kind.ts";
import { limits } from "./limits.ts";
import { ownerUids } from "./owners.ts";
import { pausedTerms } from "./paused.ts";
import type { Resource } from "./resource.ts";
import { atOnce } from "./sliced.ts";
import type { Sliced } from "./sliced.ts";
import { fieldValue, termsOf } from "./terms.ts";
import type { FieldEntry } from "./terms.ts";

export interface Draft {
  /** Without metadata.resourceVersion; see document.ts. */
  readonly body: Buffer;
  readonly terms: readonly string[];
  /** JSON Pointers of the values to seal. */
  readonly secrets: readonly string[];
}

/** Additional terms by which the store finds a resource. Pure; runs in every write. */
export type IndexTerms = (resource: Resource) => readonly FieldEntry[];

/** What a draft needs of a kind. */
export interface DraftKind extends Pick<Kind, "versions" | "fieldRules"> {
  readonly indexTerms?: IndexTerms;
}

/** The resource must be in the kind's storage version. */
export function draftOf(kind: DraftKind, resource: Resource): Draft {
  return atOnce(slicedDraft(kind, resource));
}

/** Yields between the steps, each of which looks at every value. */
export function* slicedDraft(kind: DraftKind, resource: Resource): Sliced<Draft> {
  const problem = jsonProblem(resource, limits.maxJsonDepth);
  if (problem !== undefined) {
    throw new SetpointError("request.too_large", `the document cannot be stored: ${problem}`, {
      details: { problem, depthLimit: limits.maxJsonDepth },
    });
  }
  yield;
  const body = encodeDocument(resource);
  if (body.length > limits.maxDocumentBytes) {
    throw new SetpointError("request.too_large", "the document is too large", {
      details: { bytes: body.length, limit: limits.maxDocumentBytes },
    });
  }
  yield;
  const secrets = secretPointers(kind, resource);
  const owners = ownerUids(resource);
  const fields = [
    ...selectableValues(kind, resource, secrets),
    ...pausedTerms(resource),
    ...(kind.indexTerms?.(resource) ?? []),
  ];
  return { body, terms: termsOf({ labels: resource.metadata.labels, owners, fields }), secrets };
}

/** A secret never becomes a term, even if a kind declares it selectable: terms are not sealed. */
function selectableValues(
  kind: Pick<Kind, "versions">,
  resource: Resource,
  secrets: readonly string[],
): readonly FieldEntry[] {
  const paths = kind.versions.find((version) => version.storage)?.selectableFields ?? [];
  const entries: FieldEntry[] = [];
  for (const path of paths) {
    const pointer = path.replaceAll(".", "/");
    const isSecret = secrets.some((secret) => `${pointer}/`.startsWith(`${secret}/`));
    // A selector cannot tell a missing value from an empty one, as in Kubernetes.
    if (!isSecret) entries.push({ path, value: fieldValue(resource, path) ?? "" });
  }
  return entries;
}

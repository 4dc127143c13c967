// The difference of two states of a resource, as a person may see it: without hidden fields, and
// with sealed values (the data of a Secret) named but not shown. Bookkeeping is left out. Older
// documents are brought to the present schema first, because its rules say what is hidden.

import type { ServedKind } from "../../intents/kinds/served-kind.ts";
import { shownState } from "../../intents/read/erased.ts";
import { withSealedHidden } from "../../intents/read-model/row.ts";
import { touchesHidden, withoutHidden } from "../../intents/write/hidden-fields.ts";
import { readStored } from "../../intents/write/stored.ts";
import { lastAppliedAnnotation } from "../../kernel/apply/last-applied.ts";
import type { SetpointError } from "../../kernel/errors.ts";
import { diff } from "../../kernel/diff.ts";
import type { Change as Difference } from "../../kernel/diff.ts";
import type { Json, JsonObject } from "../../kernel/json.ts";
import { isJsonObject } from "../../kernel/json.ts";
import type { Kind } from "../../kernel/kind.ts";
import { objectAt } from "../../kernel/json-read.ts";
import { escapeToken, parsePointer } from "../../kernel/pointer.ts";
import type { Resource } from "../../kernel/resource.ts";
import { withoutKey } from "../../kernel/without-key.ts";

interface Stored {
  readonly revision: number;
  readonly body: Buffer;
  readonly unopened?: SetpointError;
}

/** Undefined stands for a resource that does not exist. */
export async function shownDifferences(
  served: ServedKind,
  before: Stored | undefined,
  after: Stored | undefined,
): Promise<readonly JsonObject[]> {
  const sealed = withSealedHidden(served.storedKind);
  return diff(await shownOf(served, before), await shownOf(served, after)).flatMap((change) =>
    shownParts(sealed, change),
  );
}

/**
 * A change that may contain a sealed value is split into its fields, so that only that value is
 * hidden. A creation adds the whole spec in one change.
 */
function shownParts(sealed: Pick<Kind, "fieldRules">, change: Difference): readonly JsonObject[] {
  const { kind, path } = change;
  if (!touchesHidden(sealed, parsePointer(path))) return [{ ...change }];
  const fields = fieldsOf(change);
  if (fields.length === 0) return [{ kind, path, isHidden: true }];
  return fields.flatMap((field) => shownParts(sealed, field));
}

function fieldsOf({ path, ...change }: Difference): readonly Difference[] {
  if (change.kind === "replace") return [];
  const whole = change.kind === "add" ? change.new : change.old;
  if (!isJsonObject(whole)) return [];
  return Object.entries(whole).map(([key, value]) => {
    const place = `${path}/${escapeToken(key)}`;
    return change.kind === "add"
      ? { kind: "add", path: place, new: value }
      : { kind: "remove", path: place, old: value };
  });
}

async function shownOf(served: ServedKind, stored: Stored | undefined): Promise<Json> {
  if (stored === undefined) return {};
  const document = await readStored(served, served.storage, shownState(served, stored));
  return withoutBookkeeping(withoutHidden(served.storedKind, document));
}

function withoutBookkeeping(resource: Resource): JsonObject {
  const { metadata } = resource;
  let shown: JsonObject = metadata;
  for (const key of ["managedFields", "resourceVersion", "generation"]) {
    shown = withoutKey(shown, key);
  }
  const annotations = objectAt(shown, "annotations");
  if (Object.hasOwn(annotations, lastAppliedAnnotation)) {
    const rest = withoutKey(annotations, lastAppliedAnnotation);
    const isEmpty = isJsonObject(rest) && Object.keys(rest).length === 0;
    shown = isEmpty ? withoutKey(shown, "annotations") : { ...shown, annotations: rest };
  }
  return { ...resource, metadata: shown };
}

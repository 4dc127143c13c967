// Fields that clients may write in one schema and that another, in which the same values are
// stored, does not keep. Nobody would tell a client: the value is pruned as it is stored, and the
// answer is that of a success.

import { fieldRuleKey } from "../../../intents/kinds/definition-field-rules.ts";
import { getOwn, isJsonObject } from "../../../kernel/json.ts";
import type { Json, JsonObject } from "../../../kernel/json.ts";
import { objectAt } from "../../../kernel/json-read.ts";
import { isResourceField } from "../../../kernel/schema/prune.ts";

/** Each as the path of its schema below `written`, such as ".properties[size]". */
export function lostFields(written: Json, stored: Json): readonly string[] {
  if (!isJsonObject(written) || !isJsonObject(stored)) return [];
  if (written[fieldRuleKey] === "read-only") return [];
  return [
    ...Object.entries(objectAt(written, "properties")).flatMap(([key, field]) =>
      lostIn(field, fieldOf(stored, key), `.properties[${key}]`),
    ),
    ...lostItems(written, stored),
    ...lostValues(written, stored),
  ];
}

/** Where a schema keeps whatever is there, or nothing. */
type Kept = JsonObject | "anything" | "nothing";

function lostIn(written: Json, kept: Kept, path: string): readonly string[] {
  if (isJsonObject(written) && written[fieldRuleKey] === "read-only") return [];
  if (kept === "anything") return [];
  return kept === "nothing" ? [path] : lostFields(written, kept).map((rest) => path + rest);
}

function fieldOf(stored: JsonObject, key: string): Kept {
  const field = getOwn(objectAt(stored, "properties"), key);
  if (isJsonObject(field)) return field;
  const isOfResource = stored["x-kubernetes-embedded-resource"] === true && isResourceField(key);
  return isOfResource ? "anything" : otherFieldOf(stored);
}

/** What becomes of a field that is not named. */
function otherFieldOf(stored: JsonObject): Kept {
  const values = getOwn(stored, "additionalProperties");
  if (isJsonObject(values)) return values;
  const isOpen = values === true || stored["x-kubernetes-preserve-unknown-fields"] === true;
  return isOpen ? "anything" : "nothing";
}

/** Where the stored value is no list, the kind itself refuses what is sent, and says so. */
function lostItems(written: JsonObject, stored: JsonObject): readonly string[] {
  const items = getOwn(written, "items");
  const kept = getOwn(stored, "items");
  return items === undefined || !isJsonObject(kept) ? [] : lostIn(items, kept, ".items");
}

function lostValues(written: JsonObject, stored: JsonObject): readonly string[] {
  const values = getOwn(written, "additionalProperties");
  if (values !== undefined && values !== false) {
    return lostIn(values, otherFieldOf(stored), ".additionalProperties");
  }
  const isOpen = written["x-kubernetes-preserve-unknown-fields"] === true;
  const isLost = isOpen && otherFieldOf(stored) === "nothing";
  return isLost ? [".x-kubernetes-preserve-unknown-fields"] : [];
}

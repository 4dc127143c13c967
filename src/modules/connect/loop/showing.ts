// Documents as every reader of a resource may see them. Hidden are the fields that the RestKind
// calls secret, texts that are called like a credential unless the RestKind has `isSecret: false`
// for them, and all that repeats either, also as the name of a field: some services use a
// credential as the key of a map.

import { equalJson, getOwn, isJsonArray, isJsonObject, setOwn } from "../../../kernel/json.ts";
import type { Json, JsonObject, MutableJsonObject } from "../../../kernel/json.ts";
import { parsePointer } from "../../../kernel/pointer.ts";
import { connectLimits } from "../limits.ts";
import { isSecretName } from "../fields/secret-name.ts";
import { hider } from "../../../kernel/hider.ts";
import { hideIn } from "../http/hiding.ts";
import type { Hide } from "../../../kernel/hider.ts";
import type { Fields } from "../plan/fields.ts";

export const hiddenText = "[hidden]";

/** Shorter texts under a secret name are hidden there, but not searched for elsewhere. */
const shortestNamed = 8;

export interface Showing {
  readonly fields: Fields;
  readonly hide: Hide;
}

/** A whole document, or the part of one whose fields are given; `name` is the name of the part. */
export function shownDocument({ fields, hide }: Showing, value: Json, name = ""): Json {
  const own = hider(secretTexts(value, fields, name));
  const masked = isHidden(value, fields, name) ? hiddenText : maskedIn(value, fields);
  return hideIn(masked, (text) => own(hide(text)));
}

/** Hides what the document has in hidden fields as well: a former secret, or one of the service. */
export function alsoHiding<T extends Showing>(showing: T, document: JsonObject): T {
  const own = hider(secretTexts(document, showing.fields));
  return { ...showing, hide: (text: string) => own(showing.hide(text)) };
}

/** The part of a document at a pointer. */
export function shownAt({ fields, hide }: Showing, pointer: string, value: Json): Json {
  const tokens = parsePointer(pointer);
  const below = tokens.reduce((at, token) => at.child(token), fields);
  const name = tokens.findLast((token) => !/^\d+$/.test(token)) ?? "";
  return shownDocument({ fields: below, hide }, value, name);
}

/** Without the fields that are hidden or repeat a secret, for documents that are applied. */
export function withoutHidden({ fields, hide }: Showing, value: JsonObject): JsonObject {
  const kept: MutableJsonObject = {};
  for (const [key, item] of Object.entries(value)) {
    const below = fields.child(key);
    if (isHidden(item, below, key) || hide(key) !== key) continue;
    if (isJsonObject(item)) setOwn(kept, key, withoutHidden({ fields: below, hide }, item));
    else if (equalJson(shownDocument({ fields: below, hide }, item, key), item)) {
      setOwn(kept, key, item);
    }
  }
  return kept;
}

/** The values of all hidden fields. */
export function secretTexts(value: Json, fields: Fields, name = ""): readonly string[] {
  if (fields.rule.isSecret) return textsIn(value);
  if (isHidden(value, fields, name)) {
    return textsIn(value).filter((text) => text.length >= shortestNamed);
  }
  if (isJsonArray(value)) {
    const element = fields.element();
    return value.flatMap((item) => secretTexts(item, element, name));
  }
  if (!isJsonObject(value)) return [];
  const keys = secretKeys(value, fields, name);
  const below = Object.entries(value).flatMap(([key, item]) => {
    return secretTexts(item, fields.child(key), key);
  });
  return [...keys, ...below];
}

function isHidden(value: Json, { rule }: Fields, name: string): boolean {
  if (rule.isSecret) return true;
  if (rule.isPlain || !isSecretName(name)) return false;
  const texts = isJsonArray(value) ? value : [value];
  return texts.length > 0 && texts.every((each) => typeof each === "string" && each !== "");
}

/** Keys of a map that is called after credentials, and that look like one. */
function secretKeys(value: JsonObject, { rule }: Fields, name: string): readonly string[] {
  if (rule.isPlain || !isSecretName(name)) return [];
  return Object.keys(value).filter((key) => {
    return key.length <= connectLimits.maxFormChars && looksRandom.test(key);
  });
}

const looksRandom = /^(?=.*\d)(?=.*[A-Za-z])[\w.~+/=-]{16,}$/;

function maskedIn(value: Json, fields: Fields): Json {
  if (isJsonArray(value)) {
    const element = fields.element();
    return value.map((item) => {
      return element.rule.isSecret ? hiddenText : maskedIn(item, element);
    });
  }
  if (!isJsonObject(value)) return value;
  const copy: MutableJsonObject = {};
  for (const key of Object.keys(value)) {
    const below = fields.child(key);
    const item = getOwn(value, key) ?? null;
    setOwn(copy, key, isHidden(item, below, key) ? hiddenText : maskedIn(item, below));
  }
  return copy;
}

function textsIn(value: Json): readonly string[] {
  if (typeof value === "string") return [value];
  if (typeof value === "number") return [String(value)];
  if (isJsonArray(value)) return value.flatMap(textsIn);
  return isJsonObject(value) ? Object.values(value).flatMap(textsIn) : [];
}

// A second form of the resources of a kind: a kind of another group with a schema of its own, whose
// documents are stored as those of the first. A read converts. A write is converted where it
// begins, so that admission, validation, ownership and webhooks see one kind. Fields that the form
// does not have are kept by an update.

import { getOwn, isJsonObject, setOwn } from "../../kernel/json.ts";
import type { Json, MutableJsonObject } from "../../kernel/json.ts";
import type { Resource } from "../../kernel/resource.ts";
import type { Converter, ServedKind, ServedVersion } from "./served-kind.ts";

/** The functions are pure. Fields that both kinds have, have the same names. */
export interface OtherForm {
  /** The id of the kind that is stored. */
  readonly of: string;
  /** A stored document, with what only the form has. */
  readonly shown?: (document: Resource) => Resource;
  /** A document that a client creates in this form, with what is stored beside it. */
  readonly created?: (document: Resource) => Resource;
}

/** What a kind that is a form knows about the kind that is stored. */
export interface ServedForm {
  readonly own: ServedKind;
  readonly created: (document: Resource) => Resource;
}

export function formConverter({ shown }: OtherForm, own: ServedVersion): Converter {
  return (documents, { apiVersion }) =>
    Promise.resolve(
      documents.map((document) => {
        if (document.apiVersion === apiVersion) return document;
        const isStored = document.apiVersion === own.apiVersion;
        const whole = isStored && shown !== undefined ? shown(document) : document;
        return { ...whole, apiVersion };
      }),
    );
}

export function createdInForm({ own, created }: ServedForm, document: Resource): Resource {
  const { apiVersion, type } = own.storage;
  return type.withDefaults(created({ ...document, apiVersion }));
}

/** `before` is the stored document, and `shown` what the form shows of it. */
export function updatedInForm(
  { own }: ServedForm,
  document: Resource,
  before: Resource,
  shown: Resource,
): Resource {
  const { apiVersion, type } = own.storage;
  const next: MutableJsonObject = { ...document, apiVersion };
  for (const part of ["spec", "status"]) {
    const value = withHidden(getOwn(document, part), getOwn(before, part), getOwn(shown, part));
    if (value === undefined) delete next[part];
    else next[part] = value;
  }
  return type.withDefaults(type.prune(next as unknown as Resource).resource);
}

/** `next` with the fields of `before` that `shown` does not have. Items of lists have none. */
function withHidden(
  next: Json | undefined,
  before: Json | undefined,
  shown: Json | undefined,
): Json | undefined {
  if (!isJsonObject(before) || (next !== undefined && !isJsonObject(next))) return next;
  const whole: MutableJsonObject = { ...next };
  for (const [key, value] of Object.entries(before)) {
    const isShown = isJsonObject(shown) && Object.hasOwn(shown, key);
    const sent = getOwn(whole, key);
    const kept = isShown ? withHidden(sent, value, getOwn(shown, key)) : (sent ?? value);
    if (kept !== undefined) setOwn(whole, key, kept);
  }
  return next === undefined && Object.keys(whole).length === 0 ? undefined : whole;
}

// A field that becomes secret has left its values in plain text: in the pages of the book, and in
// the earlier states of the resource. The pages are sealed at once, with digests in the place of
// values, so nothing is written to the service because of it. The earlier states are erased once
// the definition has the rule too, because only then the current state is stored sealed. What is
// left to do is noted, so that a crash leaves nothing behind.

import { timeText } from "../../../kernel/clock.ts";
import { equalJson, isJsonObject } from "../../../kernel/json.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { textAt } from "../../../kernel/json-read.ts";
import { getAt, parsePointer } from "../../../kernel/pointer.ts";
import type { ResourceKey } from "../../../kernel/resource.ts";
import { maskSecrets } from "../plan/documents.ts";
import type { BookPages } from "./book.ts";
import type { Session } from "./session.ts";
import { hiddenText } from "./showing.ts";

export interface SealPorts {
  /** Erases all states of a resource but the current one. */
  readonly eraseEarlier: (key: ResourceKey) => Promise<unknown>;
  /** The paths of the secret fields in the definition of a kind, such as "/spec/password". */
  readonly secretRules: (kind: string) => readonly string[];
}

export async function sealBook(session: Session, ports: SealPorts): Promise<void> {
  const { book, context } = session;
  const sealed = sealedPages(session);
  const isShown = sealParts(session);
  const isPlain = isShown || Object.keys(sealed).length > 0;
  const { sealing } = book.pages;
  if (!isPlain && sealing === undefined) return;
  const since = textAt(sealing, "since") || timeText(context.clock.nowMs());
  const isRuled = uncovered(session, ports).length === 0;
  book.set({ ...sealed, sealing: { since, waitsForRule: !isRuled } });
  // Also stores the spec again, sealed where the definition has the rule.
  await book.keep();
  if (!isRuled) return;
  const { name, namespace = "" } = session.resource.metadata;
  await ports.eraseEarlier({ kind: session.compiled.kind, namespace, name });
  book.set({ sealing: undefined });
  context.event("Normal", "SecretsSealed", "a field became secret: its earlier values were erased");
}

/** Secret fields of the spec that the definition does not seal. */
function uncovered({ compiled, resource }: Session, { secretRules }: SealPorts): readonly string[] {
  const rules = secretRules(compiled.kind).map((rule) => parsePointer(rule));
  return compiled.binding.fields.flatMap(({ path, isSecret }) => {
    const tokens = ["spec", ...parsePointer(path)];
    const hasValue = isSecret === true && getAt(resource, tokens) !== undefined;
    const isCovered = rules.some((rule) => {
      return rule.every((token, at) => token === "*" || token === tokens[at]);
    });
    return hasValue && !isCovered ? [path] : [];
  });
}

type Sealed = { -readonly [K in keyof BookPages]?: BookPages[K] };

/** The pages that have a plain value of a secret field, without it. */
function sealedPages(session: Session): Sealed {
  const { book } = session;
  const { lastApplied, creating, renaming, operation, lastWrite, knownDifferences } = book.pages;
  const sealed: Sealed = {};
  const applied = lastApplied === undefined ? undefined : digested(session, lastApplied);
  if (applied !== undefined && !equalJson(applied, lastApplied)) sealed.lastApplied = applied;
  for (const [page, key, note] of [
    ["creating", "sent", creating],
    ["renaming", "sent", renaming],
    ["operation", "applied", operation],
  ] as const) {
    const sent = note?.[key];
    if (note === undefined || sent === undefined || !isJsonObject(sent)) continue;
    const next = digested(session, sent);
    if (!equalJson(next, sent)) sealed[page] = { ...note, [key]: next };
  }
  const fields = lastWrite?.["fields"];
  const changes = (Array.isArray(fields) ? fields : []) as readonly JsonObject[];
  const hidden = changes.map((change) => withoutValues(session, change));
  if (lastWrite !== undefined && !equalJson(hidden, changes)) {
    sealed.lastWrite = { ...lastWrite, fields: hidden };
  }
  const plain = (knownDifferences ?? []).filter((known) => {
    return equalJson(withoutValues(session, known), known);
  });
  if (plain.length !== (knownDifferences ?? []).length) sealed.knownDifferences = plain;
  return sealed;
}

const digest = /^hmac-sha256:[0-9a-f]{64}$/;

function digested(session: Session, document: JsonObject): JsonObject {
  const masked = maskSecrets(document, session.fields, (value) => {
    return typeof value === "string" && digest.test(value) ? value : session.digest(value);
  });
  return isJsonObject(masked) ? masked : {};
}

/** A change of one field, as it is noted: its values may have been noted before it was secret. */
function withoutValues({ fields, compiled }: Session, change: JsonObject): JsonObject {
  const path = textAt(change, "path");
  const below = parsePointer(path).reduce((at, key) => at.child(key), fields);
  const isAbove = compiled.binding.fields.some((field) => {
    return field.isSecret === true && field.path.startsWith(`${path}/`);
  });
  const values = ["before", "after", "sent", "shown"].flatMap((key) => {
    const value = change[key];
    if (value === undefined) return [];
    // The text of a large object, which may have been cut anywhere.
    const isText = isAbove && typeof value === "string";
    return [[key, isText ? hiddenText : maskSecrets(value, below, () => hiddenText)] as const];
  });
  return { ...change, ...Object.fromEntries(values) };
}

/** Whether a document of the service was stored with a plain value; seals it. */
function sealParts({ book, fields }: Session): boolean {
  const observed = book.part("observed");
  const masked = maskSecrets(observed, fields, () => hiddenText);
  if (equalJson(masked, observed) || !isJsonObject(masked)) return false;
  book.setPart("observed", masked);
  return true;
}

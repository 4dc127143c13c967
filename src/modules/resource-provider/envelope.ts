// The part of a resource that only the Resource Manager knows (id in the case of the last write,
// location, tags, who wrote it, the running operation), kept in one annotation. What is not what it
// should be counts as absent, and so does what was made for another subscription.

import { isIdIn } from "./faces/arm-face.ts";
import { parseExact } from "../../kernel/int64.ts";
import { getOwn, isJsonObject } from "../../kernel/json.ts";
import type { Json, JsonObject } from "../../kernel/json.ts";
import { isTrueAt, objectAt, textAt } from "../../kernel/json-read.ts";
import type { Resource } from "../../kernel/resource.ts";
import { withoutKey } from "../../kernel/without-key.ts";
import { envelopeAnnotation } from "./face.ts";
import type { ArmEnvelope, ArmOperationMark } from "./face.ts";
import { RecentMap } from "./recent-map.ts";
import { storedSystemData, wholeSystemData } from "./stored-system-data.ts";

/** Who creates a resource and waits for it has its envelope looked into several times. */
const known = new RecentMap<ArmEnvelope>(500);
const mostKnownChars = 2_000;

export function envelopeOf({ metadata }: Pick<Resource, "metadata">): ArmEnvelope | undefined {
  const text = getOwn(metadata.annotations ?? {}, envelopeAnnotation);
  if (typeof text !== "string") return undefined;
  const envelope = known.get(text) ?? remembered(text, envelopeIn(text));
  if (envelope === undefined) return undefined;
  return isIdIn(metadata.namespace, envelope.id) ? envelope : undefined;
}

function remembered<T extends ArmEnvelope | undefined>(text: string, envelope: T): T {
  if (envelope !== undefined && text.length <= mostKnownChars) known.set(text, envelope);
  return envelope;
}

function envelopeIn(text: string): ArmEnvelope | undefined {
  const value = parsed(text);
  if (!isJsonObject(value)) return undefined;
  const id = textAt(value, "id");
  const name = textAt(value, "name");
  if (id === "" || name === "") return undefined;
  const systemData = getOwn(value, "systemData");
  const moved = textAt(value, "moved");
  return {
    id,
    name,
    location: textAt(value, "location"),
    tags: tagsOf(objectAt(value, "tags")),
    ...(isJsonObject(systemData) ? { systemData: wholeSystemData(systemData) } : {}),
    operation: markOf(objectAt(value, "operation")),
    ...(moved === "" ? {} : { moved }),
  };
}

/** What can be told from the rest is left out: it is stored with every state of the resource. */
export function envelopeText(envelope: ArmEnvelope): string {
  const { tags, systemData } = envelope;
  const text = JSON.stringify({
    ...envelope,
    tags: Object.keys(tags).length === 0 ? undefined : tags,
    systemData: systemData && storedSystemData(systemData),
  });
  remembered(text, envelope);
  return text;
}

function markOf(value: JsonObject): ArmOperationMark {
  const action = textAt(value, "action");
  const endedAt = textAt(value, "endedAt");
  const failure = objectAt(value, "failure");
  const [code, message] = [textAt(failure, "code"), textAt(failure, "message")];
  return {
    id: textAt(value, "id"),
    verb: verbOf(textAt(value, "verb")),
    ...(action === "" ? {} : { action }),
    startedAt: textAt(value, "startedAt"),
    ...(isTrueAt(value, "isAsync") ? { isAsync: true } : {}),
    ...(endedAt === "" ? {} : { endedAt }),
    ...(code === "" ? {} : { failure: { code, message, at: textAt(failure, "at") } }),
  };
}

/** The text of an envelope with the end of its operation, or without; otherwise as it was. */
export function endedText(text: string, endedAt: string | undefined): string {
  const value = parsed(text);
  if (!isJsonObject(value)) return text;
  const operation = withoutKey(objectAt(value, "operation"), "endedAt");
  const ended = endedAt === undefined ? operation : { ...operation, endedAt };
  return JSON.stringify({ ...value, operation: ended });
}

/** What is not known counts as the one that lets the least pass. */
export function verbOf(text: string): ArmOperationMark["verb"] {
  return text === "update" || text === "delete" || text === "action" ? text : "create";
}

function tagsOf(value: JsonObject): Readonly<Record<string, string>> {
  const entries = Object.entries(value).filter(([, text]) => typeof text === "string");
  return Object.fromEntries(entries) as Readonly<Record<string, string>>;
}

function parsed(text: string): Json | undefined {
  try {
    return parseExact(text) as Json;
  } catch {
    return undefined;
  }
}

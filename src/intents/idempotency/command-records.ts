// What a command did, stored under its sender and message id, so that a repeated delivery has one
// effect and the same outcome, in any process and after a restart. The record is committed with the
// first write of the command: there is no record without the write, and no write without the
// record. A command that writes nothing is recorded afterwards.

import { hash } from "node:crypto";
import type { Cause } from "../../kernel/cause.ts";
import { timeText } from "../../kernel/clock.ts";
import { decodeDocument, encodeDocument } from "../../kernel/document.ts";
import { SetpointError } from "../../kernel/errors.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { presentObjectAt, textAt } from "../../kernel/json-read.ts";
import type { ResourceKey } from "../../kernel/resource.ts";
import type { Precondition, Put } from "../../store/port.ts";
import type { Beside, Intents } from "../request.ts";

/** Not a served kind: no surface shows these records. */
export const commandKind = "commands.internal";

export type CommandPorts = Pick<Intents, "store" | "clock" | "ids">;

export interface CommandId {
  /** Who sent it, as the broker knows the sender. */
  readonly producer: string;
  readonly messageId: string;
  /** Of the command and its content: the same for the same message. */
  readonly digest: string;
}

/** The stored outcome; undefined for a command that has not been carried out. */
export async function commandOutcome(
  { store }: Pick<CommandPorts, "store">,
  id: CommandId,
): Promise<JsonObject | undefined> {
  const found = await store.get(keyOf(id));
  if (found === undefined) return undefined;
  const document = decodeDocument(found.body, found.revision);
  if (textAt(document, "digest") !== id.digest) throw otherContent(id.messageId);
  return presentObjectAt(document, "outcome") ?? {};
}

export interface CommandRecord {
  /** For the caller of the write path. */
  readonly beside: Beside;
  /** Whether this delivery has stored the record. */
  readonly isStored: boolean;
  /** Stores the outcome. Does nothing when another delivery has stored one. */
  finish(outcome: JsonObject): Promise<void>;
}

/** `begun` is the outcome that is known before the command has ended. */
export function commandRecord(
  ports: CommandPorts,
  id: CommandId,
  { cause, begun }: { readonly cause: Cause; readonly begun: JsonObject },
): CommandRecord {
  const key = keyOf(id);
  const uid = ports.ids.uid();
  let isStored = false;
  const put = (outcome: JsonObject, when: Precondition): Put => {
    const nowMs = ports.clock.nowMs();
    const metadata = { name: key.name, uid, generation: 1, creationTimestamp: timeText(nowMs) };
    const type = { apiVersion: "internal/v1", kind: "Command" };
    const content = { writtenMs: nowMs, digest: id.digest, outcome };
    const body = encodeDocument({ ...type, metadata, ...content });
    return { kind: "put", key, uid, draft: { body, terms: [], secrets: [] }, when, cause };
  };
  return {
    get isStored() {
      return isStored;
    },
    beside: {
      writes: () => (isStored ? [] : [put(begun, { kind: "absent" })]),
      stored: () => (isStored = true),
    },
    finish: async (outcome) => {
      const when: Precondition = isStored ? { kind: "exists", uid } : { kind: "absent" };
      const [answer] = await ports.store.commit([put(outcome, when)]);
      if (answer?.kind !== "refused") isStored = true;
    },
  };
}

function keyOf({ producer, messageId }: CommandId): ResourceKey {
  const name = hash("sha256", `${producer}\n${messageId}`, "hex");
  return { kind: commandKind, namespace: "", name };
}

function otherContent(messageId: string): SetpointError {
  const shown = JSON.stringify(messageId.slice(0, 128));
  const message = `the message id ${shown} was used for a command with another content`;
  return new SetpointError("idempotency.mismatch", message, {
    details: { field: "message-id" },
    suggestion: "send each new command with a new message id",
  });
}

// The record of an operation: what the server stores about an accepted request, and how the record
// is read. See draft.ts for how it is written.

import { getOwn } from "../../../kernel/json.ts";
import type { Json, JsonObject } from "../../../kernel/json.ts";
import { numberAt, objectAt, textAt } from "../../../kernel/json-read.ts";
import type { Resource, ResourceKey } from "../../../kernel/resource.ts";
import type { StoredRecord } from "../../../store/port.ts";
import { verbOf } from "../envelope.ts";
import { operationKind } from "../face.ts";
import type { ArmOperationMark } from "../face.ts";
import type { ProvisioningError } from "./provisioning.ts";

export interface OperationRecord {
  readonly id: string;
  readonly record: StoredRecord;
  /** What it is about, where that was read with it. */
  readonly resource?: StoredRecord | undefined;
  readonly spec: OperationSpec;
  readonly end: OperationEnd | undefined;
}

export interface OperationSpec {
  readonly verb: ArmOperationMark["verb"];
  readonly startedAt: string;
  /** The retention of the record, counted from its start; it starts again with the end. */
  readonly expiresAt: string;
  readonly resourceId: string;
  readonly provider: string;
  readonly location: string;
  readonly apiVersion: string;
  readonly resource: ResourceKey;
  readonly uid: string;
  /** Of an action: which, and what it was given. */
  readonly action: string;
  readonly input: Json | undefined;
  /** It was answered at once, so there is nothing left to be shown. */
  readonly isAnswered: boolean;
  /** Of the resource, when it was accepted. */
  readonly generation: number;
  /** The digest of the request, see replay.ts; empty without a client request id. */
  readonly replay: string;
}

export interface OperationEnd {
  readonly state: "Succeeded" | "Failed" | "Canceled";
  readonly endedAt: string | undefined;
  readonly error?: ProvisioningError | undefined;
}

export interface OperationProgress {
  /** Undefined while it goes on. */
  readonly end: OperationEnd | undefined;
  readonly percent: number | undefined;
  /** Of one that goes on: why the last try failed. */
  readonly lastError?: ProvisioningError | undefined;
}

/** Where the record of an operation is. */
export function operationKey(namespace: string, id: string): ResourceKey {
  return { kind: operationKind, namespace, name: id.toLowerCase() };
}

export function operationOf(record: StoredRecord, document: Resource): OperationRecord {
  const spec = objectAt(document, "spec");
  const resource = objectAt(spec, "resource");
  return {
    id: record.key.name,
    record,
    spec: {
      verb: verbOf(textAt(spec, "verb")),
      startedAt: textAt(spec, "startedAt"),
      expiresAt: textAt(spec, "expiresAt"),
      resourceId: textAt(spec, "resourceId"),
      provider: textAt(spec, "provider"),
      location: textAt(spec, "location"),
      apiVersion: textAt(spec, "apiVersion"),
      resource: {
        kind: textAt(resource, "kind"),
        // Nothing that is stored leads into another subscription.
        namespace: record.key.namespace,
        name: textAt(resource, "name"),
      },
      uid: textAt(resource, "uid"),
      action: textAt(spec, "action"),
      input: getOwn(spec, "input"),
      isAnswered: getOwn(spec, "isAnswered") === true,
      generation: numberAt(resource, "generation") ?? 0,
      replay: textAt(spec, "replay"),
    },
    end: storedEnd(objectAt(document, "status")),
  };
}

function storedEnd(status: JsonObject): OperationEnd | undefined {
  const state = textAt(status, "state");
  if (state !== "Succeeded" && state !== "Failed" && state !== "Canceled") return undefined;
  const code = textAt(status, "error", "code");
  const message = textAt(status, "error", "message");
  const endedAt = textAt(status, "endedAt");
  return {
    state,
    endedAt: endedAt === "" ? undefined : endedAt,
    ...(code === "" ? {} : { error: { code, message } }),
  };
}

export function endJson({ state, endedAt, error }: OperationEnd): JsonObject {
  return {
    state,
    ...(endedAt === undefined ? {} : { endedAt }),
    ...(error === undefined ? {} : { error: { ...error } }),
  };
}

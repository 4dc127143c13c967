// How a kind shows itself to the Azure Resource Manager: its provider and type, and one body per
// api-version over the one stored form. Written by the author of a kind beside it, or made from an
// ArmFace resource; whatever reads it need not ask which. It stands in the kernel because authors
// write it and the surface reads it, and neither knows the other.

import type { Clock } from "../../../kernel/clock.ts";
import { parseExact } from "../../../kernel/int64.ts";
import { getOwn } from "../../../kernel/json.ts";
import type { Json, JsonObject } from "../../../kernel/json.ts";
import { textAt } from "../../../kernel/json-read.ts";
import type { FieldRule } from "../../../kernel/kind.ts";
import type { Resource } from "../../../kernel/resource.ts";

export interface ArmFace {
  /** The id of the kind behind it, such as "clusters.example.com". */
  readonly kind: string;
  /** Such as "Example.Platform". */
  readonly provider: string;
  /** Such as "clusters", or "clusters/pools" for a type inside another. */
  readonly type: string;
  /** As shown; compared without case and spaces. */
  readonly locations: readonly string[];
  readonly versions: readonly ArmVersion[];
  readonly actions?: readonly ArmAction[];
  /** False: resources stay in their resource group. */
  readonly isMovable?: boolean;
  /**
   * What `properties` show when a change has failed: what is wanted still ("keep", the default), or
   * what was carried out last ("revert"), where a failed change leaves that in place.
   */
  readonly afterFailedUpdate?: "keep" | "revert";
  /**
   * A PUT or PATCH is kept so long for its end, and answered with that where it succeeds: without
   * an operation to ask for. Defaults to 100; 0 for never.
   */
  readonly awaitEndMs?: number;
  /** An operation that has not ended by itself counts as failed after this; 24 hours by default. */
  readonly operationTimeoutMs?: number;
  /** Defaults to 7 days. */
  readonly operationRetentionMs?: number;
}

/** A face as it stands beside its kind, which need not be named again. */
export interface ArmFaceOfKind extends Omit<ArmFace, "kind" | "versions"> {
  readonly versions: readonly ArmVersionOfKind[];
}

/**
 * Without a schema, `properties` are the spec of the kind, and the fields of its status, which can
 * only be read.
 */
export type ArmVersionOfKind = Omit<ArmVersion, "schema" | "hidden"> &
  Partial<Pick<ArmVersion, "schema">>;

export interface ArmVersion {
  /** Such as "2026-01-01" or "2026-01-01-preview". */
  readonly apiVersion: string;
  /** Of `properties`: a structural schema, with x-setpoint-field-rule where fields are special. */
  readonly schema: JsonObject;
  /** `properties` as clients of this version see them, from the stored spec and status. */
  readonly fromStored?: (stored: StoredParts) => Promise<JsonObject> | JsonObject;
  /** The spec to store; `before` is the stored one, whose unknown fields survive. */
  readonly toStored?: (
    properties: JsonObject,
    before: JsonObject | undefined,
  ) => Promise<JsonObject> | JsonObject;
  /** What is hidden besides by the kind or another version; found out when the face is served. */
  readonly hidden?: readonly FieldRule[];
  /** For the operators of the service, never for its customers. */
  readonly isAdmin?: boolean;
  readonly examples?: Readonly<Record<string, JsonObject>>;
}

export interface StoredParts {
  readonly spec: JsonObject;
  readonly status: JsonObject;
}

/** POST on a resource. */
export interface ArmAction {
  readonly name: string;
  readonly description?: string;
  /**
   * Makes it a long-running action: gives the spec that is wanted from now on, which the reconciler
   * of the kind brings about. Called again with a newer resource when another writer was faster.
   */
  change?(
    resource: Resource,
    input: Json | undefined,
    context: ArmChangeContext,
  ): Promise<JsonObject> | JsonObject;
  /**
   * The answer: at once, or of a long-running action to whoever asks once it has succeeded. It may
   * be called often and changes nothing. Secrets may be in it: listCredentials is for that. With
   * nothing to say it is answered with 204.
   */
  perform(
    resource: Resource,
    input: Json | undefined,
    context: ArmActionContext,
  ): Promise<JsonObject | undefined> | JsonObject | undefined;
  /** Of the body; what does not fit is refused before the action is called. */
  readonly inputSchema?: JsonObject;
  readonly outputSchema?: JsonObject;
}

/** What a long-running action may use to say what is wanted. */
export interface ArmChangeContext {
  readonly clock: Clock;
  /** The id of the operation: of no other request, so it tells one wish from the next. */
  readonly operation: string;
}

/** What an action may use. */
export interface ArmActionContext {
  readonly clock: Clock;
  /** A child of the resource, with its secrets; undefined for what the resource does not own. */
  child(reference: ChildReference): Promise<Resource | undefined>;
}

/** The namespace is that of the resource when left out. */
export interface ChildReference {
  /** The kind id, such as "secrets". */
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
}

/** What only the Resource Manager knows of a resource is kept in it, as JSON. */
export const envelopeAnnotation = "arm.setpoint.dev/envelope";

/**
 * The id that clients of the Resource Manager know the resource by, for the tags of what is made
 * because of it (resourceCreatedFor). Undefined for one that was made by other means.
 */
export function armIdOf({ metadata }: Resource): string | undefined {
  const text = getOwn(metadata.annotations ?? {}, envelopeAnnotation);
  if (typeof text !== "string") return undefined;
  try {
    const id = textAt(parseExact(text) as Json, "id");
    return isIdIn(metadata.namespace, id) ? id : undefined;
  } catch {
    return undefined;
  }
}

/** Whether an id is of the subscription whose namespace this is. */
export function isIdIn(namespace: string | undefined, id: string): boolean {
  const [, root = "", subscription = ""] = id.toLowerCase().split("/", 3);
  return root === "subscriptions" && `sub-${subscription}` === namespace;
}

/** Thrown by an action that cannot be performed now, or not with what it was given. */
export class ArmActionRefused extends Error {
  /** One word for programs, such as "ClusterNotReady". */
  readonly code: string;
  readonly status: number;

  /** Throws for what no client could be answered with. */
  constructor(code: string, message: string, status = 409) {
    super(message);
    if (!Number.isInteger(status) || status < 400 || status > 599) {
      throw new RangeError(`the status of a refusal must be from 400 to 599, not ${status}`);
    }
    if (!/^[A-Za-z][\w.-]{0,99}$/.test(code)) {
      throw new TypeError(`the code of a refusal must be one word, not ${JSON.stringify(code)}`);
    }
    this.name = "ArmActionRefused";
    this.code = code;
    this.status = status;
  }
}

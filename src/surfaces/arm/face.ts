// How a kind shows itself to the Azure Resource Manager: its provider and type, and one body per
// api-version over the one stored form. Written by the author of a kind, or made from an ArmFace
// resource; whatever reads it need not ask which.

import type { Json, JsonObject } from "../../kernel/json.ts";
import type { Resource } from "../../kernel/resource.ts";

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
  /** An operation that has not ended by itself counts as failed after this. */
  readonly operationTimeoutMs?: number;
  /** Defaults to 7 days. */
  readonly operationRetentionMs?: number;
}

export interface ArmVersion {
  /** Such as "2026-01-01" or "2026-01-01-preview". */
  readonly apiVersion: string;
  /** Of `properties`: a structural schema, with x-setpoint-field-rule where fields are special. */
  readonly schema: JsonObject;
  /** `properties` as clients of this version see them, from the stored spec and status. */
  readonly fromStored?: (stored: StoredParts) => JsonObject;
  /** The spec to store; `before` is the stored one, whose unknown fields survive. */
  readonly toStored?: (properties: JsonObject, before: JsonObject | undefined) => JsonObject;
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
  /** The answer at once. Secrets may be in it: actions such as listCredentials are for that. */
  perform(resource: Resource, input: Json | undefined): Promise<JsonObject> | JsonObject;
  readonly inputSchema?: JsonObject;
  readonly outputSchema?: JsonObject;
}

/** The part of the envelope that is kept beside spec and status. */
export interface ArmEnvelope {
  /** In the case of the last write. */
  readonly id: string;
  readonly name: string;
  readonly location: string;
  readonly tags: Readonly<Record<string, string>>;
  readonly systemData?: JsonObject;
  /** The last accepted intent. */
  readonly operation: ArmOperationMark;
}

export interface ArmOperationMark {
  readonly id: string;
  readonly verb: "create" | "update" | "delete";
  readonly startedAt: string;
}

export const envelopeAnnotation = "arm.setpoint.dev/envelope";
export const groupLabel = "arm.setpoint.dev/resource-group";
export const subscriptionKind = "subscriptions.arm.setpoint.dev";
export const operationKind = "operations.arm.setpoint.dev";
export const faceKind = "armfaces.arm.setpoint.dev";

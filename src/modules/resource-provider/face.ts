// What the surface keeps beside a resource, and the names of what it stores. The face of a kind
// itself is in faces/arm-face.ts.

import type { JsonObject } from "../../kernel/json.ts";

export type {
  ArmAction,
  ArmActionContext,
  ArmFace,
  ArmVersion,
  StoredParts,
} from "./faces/arm-face.ts";

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
  /** Of the move that brought it here, until the next PUT or PATCH; see move.ts. */
  readonly moved?: string;
}

export interface ArmOperationMark {
  readonly id: string;
  readonly verb: "create" | "update" | "delete" | "action";
  /** Which, as its face calls it. */
  readonly action?: string;
  readonly startedAt: string;
  /** Whether its answer told where to ask how far it is. */
  readonly isAsync?: boolean;
  /** When it succeeded, once a change by other means has hidden that; see lasting-success.ts. */
  readonly endedAt?: string;
  /** Of a deletion: why it cannot go on, where that is not its own; see failure-inside.ts. */
  readonly failure?: ArmFailure;
}

export interface ArmFailure {
  readonly code: string;
  readonly message: string;
  readonly at: string;
}

export { envelopeAnnotation } from "./faces/arm-face.ts";
/** On what others may be inside of, while it is moved; see moving-mark.ts. */
export const movingAnnotation = "arm.setpoint.dev/moving";
export const groupLabel = "arm.setpoint.dev/resource-group";
export const subscriptionKind = "subscriptions.arm.setpoint.dev";
export const operationKind = "operations.arm.setpoint.dev";
export const appliedKind = "appliedspecs.arm.setpoint.dev";
export const faceKind = "armfaces.arm.setpoint.dev";

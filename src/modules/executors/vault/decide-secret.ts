// What to do about a secret in Vault: a decision without effects. Every write names the version
// that it replaces. The custom metadata has the mark of the owner; a version that another client
// wrote is drift, and is never overwritten by a change of the spec unless the drift may be
// corrected.

import type { DriftItem } from "../target/drift.ts";
import type { VaultMetadata, VaultVersion } from "./client.ts";

export const ownerKey = "setpoint-owner";
export const ownerNameKey = "setpoint-owner-name";

export interface SecretInput {
  /** Undefined when there is no secret at the path. */
  readonly metadata: VaultMetadata | undefined;
  readonly owner: { readonly uid: string; readonly name: string };
  /** The version that this resource wrote last; 0 for none. */
  readonly recordedVersion: number;
  /** The current version is the one that an interrupted run wrote. */
  readonly isInterrupted: boolean;
  /** The wanted values are those of the last successful write. */
  readonly isApplied: boolean;
  readonly isCorrected: boolean;
  readonly mayTakeOver: boolean;
  readonly nowMs: number;
}

export type SecretStep =
  | { readonly kind: "settled" }
  | { readonly kind: "drifted"; readonly item: DriftItem }
  /** Writes a version. */
  | { readonly kind: "write"; readonly cas: number; readonly corrected: DriftItem | undefined }
  /** The version was written, and the mark was not. */
  | { readonly kind: "mark" }
  | { readonly kind: "refuse"; readonly reason: string; readonly message: string };

export function decideSecret(input: SecretInput): SecretStep {
  const { metadata, isInterrupted, isApplied, recordedVersion } = input;
  const ownership = ownershipOf(input);
  if (metadata === undefined || (metadata.currentVersion === 0 && ownership !== "other")) {
    return written(input, 0, "missing", "the secret was deleted with its metadata");
  }
  const { currentVersion: current } = metadata;
  if (ownership !== "own") {
    if (ownership === "none" && isInterrupted) return { kind: "mark" };
    if (isReusable(input, metadata)) return { kind: "write", cas: current, corrected: undefined };
    if (input.mayTakeOver && ownership === "none") {
      return { kind: "write", cas: current, corrected: undefined };
    }
    if (isApplied && ownership === "none") {
      return written(input, current, "changed", "the mark of the owner was removed");
    }
    return refuseForeign(input, metadata);
  }
  if (isDeleted(latest(metadata), input.nowMs)) {
    return written(input, current, "missing", `the version ${current} was deleted`);
  }
  if (current !== recordedVersion && !isInterrupted) {
    return written(input, current, "changed", `another client wrote the version ${current}`, true);
  }
  return isApplied ? { kind: "settled" } : { kind: "write", cas: current, corrected: undefined };
}

export type RemovalStep =
  | { readonly kind: "nothing" }
  | { readonly kind: "foreign" }
  | { readonly kind: "remove"; readonly versions: readonly number[]; readonly current: number };

/** Only a secret with the own mark is deleted. */
export function decideRemoval(input: SecretInput): RemovalStep {
  const { metadata } = input;
  if (metadata === undefined) return { kind: "nothing" };
  const isOwn = ownershipOf(input) === "own" || input.isInterrupted;
  if (!isOwn) return { kind: "foreign" };
  const versions = metadata.versions.flatMap((each) => (each.isDestroyed ? [] : each.version));
  return { kind: "remove", versions, current: metadata.currentVersion };
}

type Ownership = "own" | "other" | "none";

function ownershipOf({ metadata, owner }: SecretInput): Ownership {
  const uid = metadata?.custom[ownerKey];
  if (uid === undefined) return "none";
  return uid === owner.uid ? "own" : "other";
}

/** Deleted by an earlier resource of the same name: the path is free for its successor. */
function isReusable({ owner, nowMs }: SecretInput, metadata: VaultMetadata): boolean {
  return metadata.custom[ownerNameKey] === owner.name && isDeleted(latest(metadata), nowMs);
}

function latest({ versions, currentVersion }: VaultMetadata): VaultVersion | undefined {
  return versions.find(({ version }) => version === currentVersion);
}

export function isDeleted(version: VaultVersion | undefined, nowMs: number): boolean {
  if (version === undefined || version.isDestroyed) return true;
  return version.deletionTime !== "" && Date.parse(version.deletionTime) <= nowMs;
}

/** A write, unless it would hide or overwrite a change of another client. */
function written(
  { isApplied, isCorrected }: SecretInput,
  cas: number,
  kind: DriftItem["kind"],
  message: string,
  isForeignChange = false,
): SecretStep {
  const item = { path: "secret", kind, message };
  if (isCorrected) {
    return { kind: "write", cas, corrected: isApplied || isForeignChange ? item : undefined };
  }
  if (isApplied) return { kind: "drifted", item };
  if (!isForeignChange) return { kind: "write", cas, corrected: undefined };
  const how =
    "set driftPolicy to Correct or the annotation environments.setpoint.dev/reconcile-drift to " +
    "overwrite it";
  return { kind: "refuse", reason: "Conflict", message: `${message}: ${how}` };
}

function refuseForeign({ owner }: SecretInput, { custom }: VaultMetadata): SecretStep {
  const holder = custom[ownerNameKey];
  const whose =
    holder === undefined
      ? "exists and was not created by Setpoint"
      : holder === owner.name
        ? "was created by an earlier VaultSecret of the same name"
        : `belongs to the VaultSecret ${holder}`;
  const message = `the secret ${whose}: delete it in Vault, or set spec.takeOver to replace it`;
  return { kind: "refuse", reason: "SecretNotOwned", message };
}

// What to do about a record set, from what is wanted and what the server has. A set that does not
// have the mark of the DnsRecord belongs to a person or to another DnsRecord.

import { equalJson } from "../../kernel/json.ts";
import { ownershipOf } from "./owner-mark.ts";
import type { OwnerMark } from "./owner-mark.ts";
import type { RecordSet, WantedRecords } from "./server/record-set.ts";

export type Step =
  | { readonly kind: "settled" }
  | { readonly kind: "write"; readonly why: "absent" | "changed" | "takenOver" }
  | { readonly kind: "refuse"; readonly message: string };

export interface DecideInput {
  readonly wanted: WantedRecords;
  /** Undefined when the server has none. */
  readonly observed: RecordSet | undefined;
  readonly mark: OwnerMark;
  readonly mayTakeOver: boolean;
}

export function decideStep({ wanted, observed, mark, mayTakeOver }: DecideInput): Step {
  if (!isPresent(observed)) return { kind: "write", why: "absent" };
  const ownership = ownershipOf(observed, mark);
  if (ownership.kind === "own") {
    return isAsWanted(wanted, observed) ? { kind: "settled" } : { kind: "write", why: "changed" };
  }
  if (ownership.kind === "other" && !ownership.hasSameName) {
    const message = `belongs to the DnsRecord ${ownership.owner}`;
    return { kind: "refuse", message };
  }
  if (mayTakeOver) return { kind: "write", why: "takenOver" };
  const who =
    ownership.kind === "other"
      ? "was created by an earlier DnsRecord of the same name"
      : "was not created by Setpoint";
  const message = `${who}: delete it at the server, or set spec.takeOver to replace it`;
  return { kind: "refuse", message };
}

/** What the removal of a DnsRecord does: only its own set is deleted. */
export function decideRemoval(
  observed: RecordSet | undefined,
  mark: OwnerMark,
): "delete" | "absent" | "foreign" {
  if (observed === undefined) return "absent";
  if (ownershipOf(observed, mark).kind === "own") return "delete";
  return isPresent(observed) ? "foreign" : "absent";
}

function isPresent(observed: RecordSet | undefined): observed is RecordSet {
  return observed !== undefined && (observed.values.length > 0 || observed.hasDisabled);
}

function isAsWanted({ ttl, values }: WantedRecords, observed: RecordSet): boolean {
  return (
    !observed.hasDisabled &&
    observed.ttl === ttl &&
    equalJson(observed.values.toSorted(), [...values])
  );
}

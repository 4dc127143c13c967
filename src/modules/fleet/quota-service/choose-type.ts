// Which type a caller gets where a quota service decides. Pure.

import { SetpointError } from "../../../kernel/errors.ts";
import type { InstanceType, Offering } from "../offering.ts";
import type { QuotaRefusal, TypeAnswer } from "./protocol.ts";

export type QuotaChecked =
  | { readonly kind: "answered"; readonly types: ReadonlyMap<string, TypeAnswer> }
  /** The service did not answer in time, or not in the form of the protocol. */
  | { readonly kind: "unavailable" };

export interface TypeChoiceInput {
  readonly offering: Pick<Offering, "displayName" | "types">;
  readonly checked: QuotaChecked;
  readonly onOutage: "refuse" | "withoutQuota";
}

/** The type, or the error that refuses the creation. The first type of the Offering wins. */
export function chooseType(input: TypeChoiceInput): InstanceType | SetpointError {
  const { offering, checked, onOutage } = input;
  if (checked.kind === "unavailable" && onOutage === "refuse") {
    return unavailable(offering.displayName);
  }
  const answers = checked.kind === "answered" ? checked.types : new Map<string, TypeAnswer>();
  const isAllowed = ({ name, quota }: InstanceType): boolean =>
    quota === "none" || answers.get(name)?.kind === "allowed";
  const found = offering.types.find(isAllowed);
  if (found !== undefined) return found;
  if (checked.kind === "unavailable") return unavailable(offering.displayName);
  const refusals = [...answers.values()].filter((answer) => answer.kind === "refused");
  const refusal = refusals.find(({ code }) => code === "exceeded") ?? refusals[0];
  return quotaError(refusal ?? { code: "insufficient", message: "" });
}

export function quotaError({ code, message }: Omit<QuotaRefusal, "kind">): SetpointError {
  const said = message === "" ? "" : `: ${message}`;
  return code === "exceeded"
    ? new SetpointError("fleet.quota_exceeded", `the quota is used up${said}`)
    : new SetpointError("fleet.quota_insufficient", `there is no quota for the instance${said}`);
}

function unavailable(service: string): SetpointError {
  const message = `the quota service of ${service} cannot be asked: repeat the request later`;
  return new SetpointError("fleet.quota_unavailable", message);
}

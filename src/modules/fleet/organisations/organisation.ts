// An Organisation as the module reads it. Pure.

import { isTrueAt, numberAt, objectsAt, textAt } from "../../../kernel/json-read.ts";
import { textsAt, valueAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";

export interface Organisation {
  /** The name of the Organisation. */
  readonly id: string;
  readonly uid: string;
  readonly generation: number;
  readonly isDeleting: boolean;
  readonly displayName: string;
  readonly accountNumber: string;
  readonly isDenied: boolean;
  readonly members: ReadonlyMap<string, OrganisationMember>;
  readonly quotas: readonly OrganisationQuota[];
  readonly termsAccepted: readonly TermsAcceptance[];
}

export interface OrganisationMember {
  readonly account: string;
  readonly isAdmin: boolean;
  readonly isDenied: boolean;
}

export interface OrganisationQuota {
  readonly offering: string;
  readonly type: string;
  readonly max: number;
  /** The quota of one member, counted for the member. */
  readonly user: string | undefined;
  /** The members who use the quota of the organisation; undefined: every member. */
  readonly users: readonly string[] | undefined;
}

export interface TermsAcceptance {
  readonly user: string;
  readonly offering: string;
  readonly version: string;
  /** Empty where it is not known. */
  readonly at: string;
}

export function readOrganisation({ metadata, spec }: Resource): Organisation {
  return {
    id: metadata.name,
    uid: metadata.uid,
    generation: metadata.generation,
    isDeleting: metadata.deletionTimestamp !== undefined,
    displayName: textAt(spec, "displayName") || metadata.name,
    accountNumber: textAt(spec, "accountNumber"),
    isDenied: isTrueAt(spec, "isDenied"),
    members: new Map(
      objectsAt(spec, "members").map((member) => [
        textAt(member, "user"),
        {
          account: textAt(member, "account"),
          isAdmin: isTrueAt(member, "isAdmin"),
          isDenied: isTrueAt(member, "isDenied"),
        },
      ]),
    ),
    quotas: objectsAt(spec, "quotas").map((quota) => ({
      offering: textAt(quota, "offering"),
      type: textAt(quota, "type"),
      max: numberAt(quota, "max") ?? 0,
      user: textAt(quota, "user") || undefined,
      users: valueAt(quota, "users") === undefined ? undefined : textsAt(quota, "users"),
    })),
    termsAccepted: objectsAt(spec, "termsAccepted").map((acceptance) => ({
      user: textAt(acceptance, "user"),
      offering: textAt(acceptance, "offering"),
      version: textAt(acceptance, "version"),
      at: textAt(acceptance, "at"),
    })),
  };
}

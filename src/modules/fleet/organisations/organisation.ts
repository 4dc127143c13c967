// An Organisation as the module reads it. Pure.

import type { JsonObject } from "../../../kernel/json.ts";
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
  /** By the name under which they own instances. */
  readonly members: ReadonlyMap<string, OrganisationMember>;
  /** Whose tokens may name the organisation; empty: not known yet. */
  readonly issuers: readonly string[];
  readonly quotas: readonly OrganisationQuota[];
  readonly termsAccepted: readonly TermsAcceptance[];
}

export interface OrganisationMember {
  /** The name that RBAC knows; empty where it is not known. */
  readonly login: string;
  /** The issuer and the claims that named the organisation; empty for one that is listed. */
  readonly claimedFrom: string;
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
          login: loginOf(member),
          claimedFrom: textAt(member, "claimedFrom"),
          account: textAt(member, "account"),
          isAdmin: isTrueAt(member, "isAdmin"),
          isDenied: isTrueAt(member, "isDenied"),
        },
      ]),
    ),
    issuers: textsAt(spec, "issuers"),
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

/** A member without `rbacUser` has one name. */
function loginOf(member: JsonObject): string {
  const given = valueAt(member, "rbacUser");
  return typeof given === "string" ? given : textAt(member, "user");
}

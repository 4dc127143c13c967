// What is wrong with an Organisation, what is suspicious about it, and the bounds that it sets.
// Pure.

import type { FieldError } from "../../../kernel/field-error.ts";
import { duplicateField, forbiddenField, invalidField } from "../../../kernel/field-error.ts";
import { objectsAt, textAt } from "../../../kernel/json-read.ts";
import { dnsLabelProblems } from "../../../kernel/names.ts";
import type { Resource } from "../../../kernel/resource.ts";
import type { CounterBound } from "../../../store/port.ts";
import { organisationCounter, organisationNamespace, userCounter } from "../names.ts";
import type { Offering } from "../offering.ts";
import { readOrganisation } from "./organisation.ts";
import type { Organisation, OrganisationQuota } from "./organisation.ts";

export function organisationErrors(resource: Resource): readonly FieldError[] {
  const { name } = resource.metadata;
  const errors = dnsLabelProblems(organisationNamespace(name)).map((problem) =>
    invalidField("metadata.name", name, `its namespace org-NAME: ${problem}`),
  );
  return [...errors, ...memberErrors(resource), ...quotaErrors(readOrganisation(resource))];
}

function memberErrors({ spec }: Resource): readonly FieldError[] {
  const seen = new Set<string>();
  return objectsAt(spec, "members").flatMap((member, at) => {
    const user = textAt(member, "user");
    if (!seen.has(user)) {
      seen.add(user);
      return [];
    }
    return [duplicateField(`spec.members[${at}].user`, user)];
  });
}

/** Two quotas for the same counter would have two bounds. */
function quotaErrors({ id, quotas }: Organisation): readonly FieldError[] {
  const seen = new Set<string>();
  return quotas.flatMap((quota, at) => {
    const path = `spec.quotas[${at}]`;
    if (quota.user !== undefined && quota.users !== undefined) {
      const why = "cannot be set together with user: the quota is of one member alone";
      return [forbiddenField(`${path}.users`, why)];
    }
    const counter = quotaCounter(id, quota);
    if (seen.has(counter)) return [duplicateField(path, `${quota.offering} ${quota.type}`)];
    seen.add(counter);
    return [];
  });
}

/** Quotas that no instance can use: the Offering or the type may follow later. */
export function quotaWarnings(
  { quotas }: Organisation,
  offeringOf: (name: string) => Offering | undefined,
): readonly string[] {
  return quotas.flatMap(({ offering: name, type: typeName }, at) => {
    const offering = offeringOf(name);
    const path = `spec.quotas[${at}]`;
    if (offering === undefined) return [`${path}.offering: there is no Offering ${name}`];
    const type = offering.types.find((each) => each.name === typeName);
    if (type === undefined) return [`${path}.type: the Offering ${name} has no type ${typeName}`];
    if (type.quota === "required") return [];
    return [`${path}.type: instances of the type ${typeName} need no quota`];
  });
}

export function organisationBounds({ id, quotas }: Organisation): readonly CounterBound[] {
  return quotas.map((quota) => ({ counter: quotaCounter(id, quota), max: quota.max }));
}

export function quotaCounter(
  organisation: string,
  { offering, type, user }: Pick<OrganisationQuota, "offering" | "type" | "user">,
): string {
  return user === undefined
    ? organisationCounter(offering, organisation, type)
    : userCounter({ offering, organisation, type, owner: user });
}

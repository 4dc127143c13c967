// An instance as administrators see it: the public view, and what the public view hides. Pure.

import type { JsonObject } from "../../../kernel/json.ts";
import { isTrueAt, numberAt, objectAt, objectsAt, textAt } from "../../../kernel/json-read.ts";
import { presentObjectAt, textsAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { wantedVersions, readInstance } from "../lifecycle/instance.ts";
import { organisationOf } from "../names.ts";
import type { Offering } from "../offering.ts";
import type { OrganisationIndex } from "../organisations/organisation-index.ts";
import { classRoot } from "./hrefs.ts";
import { presentInstance } from "./presenter.ts";
import { described, instanceSchema, objectSchema } from "./schemas.ts";

/** The word for one instance in names of fields, such as "dinosaur". */
export function singularOf({ instances }: Pick<Offering, "instances">): string {
  return instances.singular ?? instances.kind.toLowerCase();
}

/** Names of the fields of versions, by component. */
export function versionFields(offering: Offering): Readonly<Record<string, string>> {
  const singular = singularOf(offering);
  return { product: `${singular}_version`, operator: `${singular}_operator_version` };
}

export function presentForAdmin(
  offering: Offering,
  organisations: OrganisationIndex,
  resource: Resource,
): JsonObject {
  const { spec, status, metadata } = resource;
  const organisation = organisationOf(metadata.namespace ?? "") ?? "";
  const publicView = presentInstance(offering, resource);
  const suspension = presentObjectAt(spec, "suspension");
  return {
    ...publicView,
    href: `${classRoot(offering, "admin")}/${offering.instances.plural}/${textAt(spec, "id")}`,
    ...filled("host", textAt(status, "host")),
    ...versionView(offering, resource),
    organisation_id: organisation,
    owner_account_id: textAt(spec, "account"),
    // An Organisation that does not exist any more must not fail a list.
    account_number: organisations.get(organisation)?.accountNumber ?? "",
    subscription_id: textAt(spec, "subscription"),
    quota_type: textAt(spec, "quotaBackend"),
    cluster_id: textAt(status, "placement", "cluster"),
    namespace: textAt(status, "namespace"),
    routes: objectsAt(status, "routes").map((route) => ({
      domain: textAt(route, "domain"),
      router: textAt(route, "router"),
    })),
    routes_created: isTrueAt(status, "routesCreated"),
    placement: placementView(resource),
    traits: textsAt(spec, "traits"),
    ...filled("expiry_reason", textAt(spec, "expiryReason")),
    ...(suspension === undefined ? {} : { suspension: { ...suspension } }),
    rotation: numberAt(spec, "rotation") ?? 0,
    is_internal: isTrueAt(spec, "isInternal"),
  };
}

function versionView(offering: Offering, resource: Resource): JsonObject {
  const { status } = resource;
  const singular = singularOf(offering);
  const desired = wantedVersions(readInstance(resource));
  const actual = objectAt(status, "actualVersions");
  const upgrading = objectAt(status, "upgrading");
  return {
    [`desired_${singular}_version`]: textAt(desired, "product"),
    [`actual_${singular}_version`]: textAt(actual, "product"),
    [`desired_${singular}_operator_version`]: textAt(desired, "operator"),
    [`actual_${singular}_operator_version`]: textAt(actual, "operator"),
    [`${singular}_upgrading`]: isTrueAt(upgrading, "product"),
    [`${singular}_operator_upgrading`]: isTrueAt(upgrading, "operator"),
  };
}

/** Which cluster was chosen or asked for, and why each other cluster was not. */
function placementView({ spec, status }: Resource): JsonObject {
  const placement = objectAt(status, "placement");
  return {
    ...filled("assigned_cluster_id", textAt(spec, "cluster")),
    attempts: numberAt(placement, "attempts") ?? 0,
    why: objectsAt(placement, "why").map((each) => ({
      cluster_id: textAt(each, "cluster"),
      reason: textAt(each, "reason"),
    })),
  };
}

function filled(key: string, text: string): JsonObject {
  return text === "" ? {} : { [key]: text };
}

const text: JsonObject = { type: "string" };
const flag: JsonObject = { type: "boolean" };

export function adminSchema(offering: Offering): JsonObject {
  const singular = singularOf(offering);
  const shared = instanceSchema(offering);
  const why = objectSchema({ cluster_id: text, reason: text });
  return objectSchema({
    ...objectAt(shared, "properties"),
    [`desired_${singular}_version`]: text,
    [`actual_${singular}_version`]: described(text, "As the agent reports it."),
    [`desired_${singular}_operator_version`]: text,
    [`actual_${singular}_operator_version`]: described(text, "As the agent reports it."),
    [`${singular}_upgrading`]: flag,
    [`${singular}_operator_upgrading`]: flag,
    organisation_id: text,
    owner_account_id: text,
    account_number: described(text, "Of the Organisation; empty when it does not exist."),
    subscription_id: text,
    quota_type: text,
    cluster_id: text,
    namespace: described(text, "On the cluster."),
    routes: { type: "array", items: objectSchema({ domain: text, router: text }) },
    routes_created: flag,
    placement: objectSchema({
      assigned_cluster_id: text,
      attempts: { type: "integer" },
      why: described({ type: "array", items: why }, "Why each cluster was or was not chosen."),
    }),
    traits: { type: "array", items: text },
    expiry_reason: text,
    suspension: objectSchema({ reason: text, at: { type: "string", format: "date-time" } }),
    rotation: described({ type: "integer" }, "How often the secrets were rotated."),
    is_internal: flag,
  });
}

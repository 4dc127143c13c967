// The errors of the module. The surface maps each to a number of the catalogue of fleet managers
// (surfaces/fleet/fleet-error.ts). kubectl shows them as they are.

import { defineErrors } from "../../kernel/errors.ts";
import type { CatalogueEntry } from "../../kernel/error-catalogue.ts";

function refused(status: number, summary: string, action: string): CatalogueEntry {
  return { status, retry: "never", summary, action };
}

export const fleetModuleErrors = defineErrors({
  "fleet.terms_not_accepted": refused(
    403,
    "The user has not accepted the terms of the service.",
    "Accept the terms with POST /terms, then repeat the request.",
  ),
  "fleet.denied": refused(
    403,
    "The user or the organisation may not use the service.",
    "Ask the provider of the service.",
  ),
  "fleet.maintenance": refused(
    403,
    "The service is in maintenance.",
    "Repeat the request after the maintenance.",
  ),
  "fleet.quota_exceeded": refused(
    403,
    "The organisation or the user has as many instances as its quota allows.",
    "Delete an instance, or ask for a larger quota.",
  ),
  "fleet.quota_insufficient": refused(
    403,
    "The quota service refuses the instance.",
    "Ask for a larger quota.",
  ),
  "fleet.quota_unavailable": {
    status: 500,
    retry: "backoff",
    summary: "The quota service cannot be asked.",
    action: "Repeat the request later.",
  },
  "fleet.capacity_reached": refused(
    403,
    "The region, the service or the owner has as many instances as possible.",
    "Choose another region, or delete an instance.",
  ),
  "fleet.type_disabled": refused(
    403,
    "The caller would get a type of instance that is disabled.",
    "Ask for a quota of another type.",
  ),
  "fleet.namespace_taken": refused(
    409,
    "The namespace of the organisation belongs to another owner.",
    "Delete the namespace, or set spec.adoptsNamespace of the Organisation.",
  ),
  "fleet.name_taken": refused(
    409,
    "The organisation has an instance with this name.",
    "Choose another name.",
  ),
  "fleet.name_invalid": refused(
    400,
    "The name of the instance has another form than names must have.",
    "Use lower-case letters, digits and dashes. Begin with a letter, end with no dash.",
  ),
  "fleet.name_too_long": refused(
    400,
    "The name of the instance is too long.",
    "Choose a name of at most 32 characters.",
  ),
  "fleet.provider_unknown": refused(
    400,
    "The Offering does not have the cloud provider, or it is disabled.",
    "Choose one of GET /cloud_providers.",
  ),
  "fleet.region_unknown": refused(
    400,
    "The cloud provider does not have the region, or it is disabled.",
    "Choose one of GET /cloud_providers/{id}/regions.",
  ),
  "fleet.type_unavailable": refused(
    400,
    "The region does not offer the type of instance.",
    "Choose another region.",
  ),
  "fleet.multi_az_required": refused(
    400,
    "The Offering has only instances in several availability zones.",
    "Set multi_az to true.",
  ),
  "fleet.owner_invalid": refused(
    400,
    "The new owner is not a member of the organisation who may use the service.",
    "Name a member of the organisation.",
  ),
  "fleet.async_required": refused(
    400,
    "The operation is asynchronous, and the request does not say so.",
    "Add ?async=true.",
  ),
  "fleet.search_invalid": refused(
    400,
    "The search cannot be read.",
    "Correct the search at the position that the message names.",
  ),
  "fleet.body_invalid": refused(
    400,
    "A part of the request cannot be read.",
    "Correct the part that the message names.",
  ),
  "fleet.validation": refused(
    400,
    "The request breaks a rule of the service.",
    "Correct what the message names.",
  ),
  "fleet.field": refused(
    400,
    "A field has a value that is not allowed.",
    "Correct the field that the message names.",
  ),
  "fleet.not_found": refused(
    404,
    "There is no such resource, or the caller may not see it.",
    "Check the id.",
  ),
  "fleet.not_owner": refused(
    403,
    "Only the owner and administrators of the organisation may do this.",
    "Ask the owner of the instance.",
  ),
  "fleet.removals_held": {
    status: 409,
    retry: "backoff",
    summary: "Too many instances were removed without a request within an hour.",
    action: "Check spec.access of the Offering and the Organisations, or raise spec.suspension.",
  },
  "fleet.restore_conflict": refused(
    409,
    "The name of the deleted instance is used by another instance.",
    "Delete or rename the other instance.",
  ),
  "fleet.refused": refused(
    400,
    "A route that a user module adds refuses the request.",
    "The message of the module states the reason.",
  ),
  "fleet.gone": refused(
    410,
    "The record of the deleted instance is not kept any longer.",
    "Create another instance. The retention of the Offering states how long records are kept.",
  ),
  "fleet.metrics_unavailable": {
    status: 503,
    retry: "backoff",
    summary: "The metrics of instances cannot be read.",
    action: "Repeat the request later. Without a back end, set spec.metrics of the Offering.",
  },
  "fleet.rate_limited": {
    status: 429,
    retry: "backoff",
    summary: "The organisation sends more requests than it may.",
    action: "Repeat the request after the time in Retry-After.",
  },
});

type Codes = { readonly [Code in keyof typeof fleetModuleErrors]: CatalogueEntry };

declare module "../../kernel/error-catalogue.ts" {
  // oxlint-disable-next-line typescript/no-empty-object-type -- the codes above
  interface ErrorCodes extends Codes {}
}

// What a token says about membership, for each request of a member: the issuer that first names an
// Organisation is recorded, and a member whom the same claims name in another organisation leaves
// the earlier one. Costs nothing when nothing has changed.

import { systemOptions } from "../../../intents/bootstrap.ts";
import type { Caller, Intents } from "../../../intents/request.ts";
import { updateResource } from "../../../intents/write/update.ts";
import { isSetpointError } from "../../../kernel/errors.ts";
import { objectAt, objectsAt, textAt, textsAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import type { FleetCaller } from "../identity.ts";
import { organisationsKind } from "../names.ts";
import type { OrganisationIndex } from "./organisation-index.ts";
import { checkIssuer, onBehalfOf } from "./ensure-member.ts";

export interface ClaimedMembershipPorts {
  /** Without policies. */
  readonly intents: Intents;
  readonly organisations: OrganisationIndex;
}

export async function followClaims(
  { intents, organisations }: ClaimedMembershipPorts,
  member: FleetCaller,
  caller: Caller,
): Promise<void> {
  const { issuer, organisation, login, claimedFrom } = member;
  if (issuer === undefined) return;
  const known = organisation === undefined ? undefined : organisations.get(organisation);
  if (known?.issuers.length === 0) {
    await change(intents, known.id, caller, (old) => withIssuer(old, issuer));
  }
  for (const former of member.former) {
    await change(intents, former, caller, (old) => withoutMember(old, login, claimedFrom ?? ""));
  }
}

function withIssuer(old: Resource, issuer: string): Resource {
  checkIssuer(old, issuer);
  if (textsAt(old.spec, "issuers").length > 0) return old;
  return { ...old, spec: { ...objectAt(old.spec), issuers: [issuer] } };
}

function withoutMember(old: Resource, login: string, claimedFrom: string): Resource {
  const members = objectsAt(old.spec, "members").filter(
    (member) =>
      textAt(member, "claimedFrom") !== claimedFrom ||
      (textAt(member, "rbacUser") || textAt(member, "user")) !== login,
  );
  return { ...old, spec: { ...objectAt(old.spec), members } };
}

async function change(
  intents: Intents,
  name: string,
  caller: Caller,
  edit: (old: Resource) => Resource,
): Promise<void> {
  const served = intents.kinds.byId(organisationsKind);
  if (served === undefined) throw new Error("Organisations are always served");
  try {
    await updateResource(intents, {
      caller: onBehalfOf(caller),
      target: { served, version: served.storage, namespace: "", name, subresource: "" },
      options: systemOptions,
      optionsKind: "PatchOptions",
      change: (old) => ({ wanted: edit(old) }),
      allowsBlind: true,
    });
  } catch (error) {
    if (!isSetpointError(error, "resource.not_found")) throw error;
  }
}

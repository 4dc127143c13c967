// Who may use which API. Customers learn why they are refused. Administrators and agents do not: to
// everyone else their APIs do not exist. The true cause is in the details of the error, which the
// surface logs.

import { checkServiceAccess } from "../../modules/fleet/access.ts";
import { agentRefusal } from "../../modules/fleet/api/agent-access.ts";
import type { ApiClass, FleetAccess } from "../../modules/fleet/api/fleet-route.ts";
import { fleetCaller } from "../../modules/fleet/identity.ts";
import type { FleetCaller } from "../../modules/fleet/identity.ts";
import type { FleetState } from "../../modules/fleet/fleet-state.ts";
import { clusterNamespace, organisationNamespace } from "../../modules/fleet/names.ts";
import type { Offering } from "../../modules/fleet/offering.ts";
import { unauthenticated } from "../../intents/auth/refusal.ts";
import type { UserInfo } from "../../intents/auth/user.ts";
import { SetpointError } from "../../kernel/errors.ts";

export interface Asking {
  readonly offering: Offering;
  readonly state: Pick<FleetState, "directory" | "organisations">;
  readonly user: UserInfo;
  readonly method: string;
  /** What the route needs in addition to a role for the method. */
  readonly role?: "full" | undefined;
  /** The path parameter `cluster`, of agent routes. */
  readonly cluster: string | undefined;
}

/** Throws what the caller is answered with. */
export function authorise(access: FleetAccess, asking: Asking): FleetCaller {
  const { offering, state, user } = asking;
  const caller = fleetCaller(user, offering, state.directory);
  switch (access) {
    case "public":
    case "any-token":
      return caller;
    case "token":
      checkIssuer(offering, caller);
      return caller;
    case "member":
      checkIssuer(offering, caller);
      checkOrganisation(offering, caller);
      checkServiceAccess(offering, state.organisations.get(caller.organisation ?? ""), caller);
      return caller;
    case "admin":
      checkHidden(adminRefusal(asking, caller));
      return caller;
    case "agent":
      checkHidden(agentRefusal({ ...asking, caller }));
      return caller;
    default:
      return access satisfies never;
  }
}

/** For a path that no route has: whether the caller may learn so. */
export function authoriseClass(access: "admin" | "agent", asking: Asking): void {
  const caller = fleetCaller(asking.user, asking.offering, asking.state.directory);
  checkHidden(
    access === "admin" ? adminRefusal(asking, caller) : agentRefusal({ ...asking, caller }),
  );
}

/**
 * The namespace that a request counts for: that of the organisation of a customer, or of the
 * cluster of an agent. Undefined for callers of other issuers, whose claims say nothing here.
 */
export function namespaceOfCaller(apiClass: ApiClass, asking: Asking): string | undefined {
  const { offering, state, user } = asking;
  const caller = fleetCaller(user, offering, state.directory);
  if (apiClass === "agent") {
    const { clusterId } = caller;
    const isAgent = agentRefusal({ ...asking, caller }) === undefined;
    return isAgent && clusterId !== undefined ? clusterNamespace(clusterId) : undefined;
  }
  const { organisation } = caller;
  if (apiClass === "admin" || organisation === undefined) return undefined;
  return hasPublicIssuer(offering, caller) ? organisationNamespace(organisation) : undefined;
}

function hasPublicIssuer({ api }: Offering, { issuer }: FleetCaller): boolean {
  return api.publicIssuers === undefined || api.publicIssuers.includes(issuer ?? "");
}

function checkIssuer(offering: Offering, caller: FleetCaller): void {
  if (hasPublicIssuer(offering, caller)) return;
  const { issuer } = caller;
  const which = issuer === undefined ? "credentials without an issuer" : `the issuer ${issuer}`;
  const reason = `this API does not accept ${which}`;
  throw unauthenticated({ fault: "unknown-issuer", reason });
}

function checkOrganisation({ api }: Offering, caller: FleetCaller): void {
  const { organisation, organisationRefusal } = caller;
  if (organisation !== undefined) return;
  if (organisationRefusal !== undefined) {
    throw unauthenticated({ fault: "unknown-issuer", reason: organisationRefusal });
  }
  const claims = api.claims.organisation.join(" or ");
  const reason = `the user has no organisation: missing claim ${claims}`;
  throw unauthenticated({ fault: "missing-claim", reason, claim: claims });
}

const rolesFor: Readonly<Record<string, readonly ("read" | "write" | "full")[]>> = {
  GET: ["read", "write", "full"],
  HEAD: ["read", "write", "full"],
  PATCH: ["write", "full"],
  POST: ["write", "full"],
  PUT: ["write", "full"],
  DELETE: ["full"],
};

function adminRefusal({ offering, method, role }: Asking, caller: FleetCaller): string | undefined {
  const { adminIssuers, adminRoles } = offering.api;
  if (caller.isServerAdmin) return undefined;
  if (adminIssuers?.includes(caller.issuer ?? "") === false) {
    return `the admin API does not accept the issuer ${caller.issuer ?? "(none)"}`;
  }
  const levels = role === undefined ? (rolesFor[method] ?? []) : [role];
  const wanted = levels.flatMap((level) => adminRoles[level]);
  const isHeld = wanted.some((name) => caller.roles.includes(name.toLowerCase()));
  return isHeld ? undefined : `${method} needs one of the roles ${wanted.join(", ")}`;
}

/** The key in the details of an error that the surface logs and does not show. */
export const hiddenCause = "hiddenCause";

function checkHidden(refusal: string | undefined): void {
  if (refusal === undefined) return;
  throw new SetpointError("fleet.not_found", "Resource not found", {
    details: { [hiddenCause]: refusal },
  });
}

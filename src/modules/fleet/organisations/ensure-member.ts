// The first request of a user: creates the Organisation and its namespace, and adds the user to the
// members. Every step is idempotent, so that requests of one organisation can run at the same time
// on several servers. What is known already costs no write.

import { systemCaller, systemOptions, targetFor } from "../../../intents/bootstrap.ts";
import type { Caller, Intents, Target } from "../../../intents/request.ts";
import { createResource } from "../../../intents/write/create.ts";
import { updateResource } from "../../../intents/write/update.ts";
import { decodeDocument } from "../../../kernel/document.ts";
import { SetpointError, isSetpointError } from "../../../kernel/errors.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { objectAt, objectsAt, textAt, textsAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import type { FleetCaller } from "../identity.ts";
import { fleetVersion, organisationKey } from "../names.ts";
import { checkNamespace, ensureNamespace, namespaceKey } from "./organisation-namespace.ts";

export interface NewMember extends Pick<
  FleetCaller,
  "user" | "organisation" | "organisationName" | "account"
> {
  /** Of a member who uses an API. Undefined for one whom an administrator names. */
  readonly claims?: Pick<FleetCaller, "login" | "issuer" | "claimedFrom">;
  /** Whether `user` need not be the name that RBAC knows. */
  readonly hasOtherLogin?: boolean;
}

/** The caller as a member. */
export function memberOfCaller(caller: FleetCaller): NewMember {
  return { ...caller, claims: caller };
}

/** `intents` are those without policies. `caller` is recorded as the cause. */
export async function ensureMember(
  intents: Intents,
  member: NewMember,
  caller: Caller,
): Promise<void> {
  const { organisation: id } = member;
  if (id === undefined) throw new Error("a member has an organisation");
  const known = intents.live.get(organisationKey(id))?.resource;
  const isKnown = known !== undefined && isComplete(known, member);
  const namespace = intents.live.get(namespaceKey(id))?.resource;
  if (isKnown && namespace !== undefined) {
    checkNamespace(namespace, known);
    return;
  }
  const system = onBehalfOf(caller);
  const organisation = isKnown ? known : await withMember(intents, id, member, system);
  await ensureNamespace(intents, { organisation, caller: system });
}

export function onBehalfOf({ user, surface, traceId, correlationId }: Caller): Caller {
  return { ...systemCaller, actor: user.name, surface, traceId, correlationId };
}

/** Whether the Organisation lists the member with what is known about it. */
function isComplete(organisation: Resource, member: NewMember): boolean {
  return withEntry(organisation, member) === organisation;
}

/** Two issuers cannot claim the same organisation, unless an administrator allows it. */
export function checkIssuer({ metadata, spec }: Resource, issuer: string): void {
  const issuers = textsAt(spec, "issuers");
  if (issuers.length === 0 || issuers.includes(issuer)) return;
  const message = `the organisation ${metadata.name} belongs to another issuer than ${issuer}`;
  throw new SetpointError("fleet.denied", message);
}

/** The same document when nothing changes. */
function withEntry(old: Resource, member: NewMember): Resource {
  const issuer = member.claims?.issuer;
  if (issuer !== undefined) checkIssuer(old, issuer);
  const spec = objectAt(old.spec);
  const members = objectsAt(spec, "members");
  const known = members.find((each) => textAt(each, "user") === member.user);
  const isNamed = issuer === undefined || textsAt(spec, "issuers").length > 0;
  const isListed = known !== undefined && !needsLogin(known, member);
  if (isNamed && isListed) return old;
  const entry = known === undefined ? entryOf(member) : withLogin(known, member);
  const others = members.filter((each) => each !== known);
  const issuers = isNamed ? {} : { issuers: [issuer] };
  return { ...old, spec: { ...spec, ...issuers, members: [...others, entry] } };
}

function withLogin(known: JsonObject, member: NewMember): JsonObject {
  if (!needsLogin(known, member)) return known;
  return { ...known, rbacUser: member.claims?.login ?? "" };
}

/** An administrator may have listed the member before the name for RBAC was known. */
function needsLogin(known: JsonObject, { user, claims }: NewMember): boolean {
  if (claims === undefined || textAt(known, "rbacUser") !== "") return false;
  return claims.login !== user || known["rbacUser"] !== undefined;
}

function entryOf({ user, account, claims, hasOtherLogin = false }: NewMember): JsonObject {
  const login = claims?.login ?? (hasOtherLogin ? "" : user);
  const claimedFrom = claims?.claimedFrom;
  return {
    user,
    ...(login === user ? {} : { rbacUser: login }),
    ...(claimedFrom === undefined ? {} : { claimedFrom }),
    ...(account === "" ? {} : { account }),
  };
}

async function withMember(
  intents: Intents,
  id: string,
  member: NewMember,
  caller: Caller,
): Promise<Resource> {
  const { organisationName, claims } = member;
  const body = {
    apiVersion: fleetVersion,
    kind: "Organisation",
    metadata: { name: id },
    spec: {
      ...(organisationName === undefined ? {} : { displayName: organisationName }),
      ...(claims?.issuer === undefined ? {} : { issuers: [claims.issuer] }),
      members: [entryOf(member)],
    },
  };
  const { target } = targetFor(intents, body);
  const { body: bytes, revision } = await createOr(intents, { target, body, caller }, () =>
    updateResource(intents, {
      caller,
      target: { ...target, name: id },
      options: systemOptions,
      optionsKind: "PatchOptions",
      change: (old) => ({ wanted: withEntry(old, member) }),
      allowsBlind: true,
    }),
  );
  return decodeDocument(bytes, revision);
}

interface CreateOrInput {
  readonly target: Target;
  readonly body: Parameters<typeof createResource>[1]["body"];
  readonly caller: Caller;
}

async function createOr(
  intents: Intents,
  { target, body, caller }: CreateOrInput,
  update: () => ReturnType<typeof updateResource>,
): ReturnType<typeof updateResource> {
  try {
    return await update();
  } catch (error) {
    if (!isSetpointError(error, "resource.not_found")) throw error;
  }
  try {
    const input = { caller, target, body, options: systemOptions, decodeProblems: [] };
    return await createResource(intents, input);
  } catch (error) {
    if (!isSetpointError(error, "resource.already_exists")) throw error;
    return await update();
  }
}

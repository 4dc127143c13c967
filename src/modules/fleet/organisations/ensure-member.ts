// The first request of a user: creates the Organisation and its namespace, and adds the user to the
// members. Every step is idempotent, so that requests of one organisation can run at the same time
// on several servers. What is known already costs no write.

import { systemCaller, systemOptions, targetFor } from "../../../intents/bootstrap.ts";
import type { Caller, Intents, Target } from "../../../intents/request.ts";
import { createResource } from "../../../intents/write/create.ts";
import { updateResource } from "../../../intents/write/update.ts";
import { decodeDocument } from "../../../kernel/document.ts";
import { isSetpointError } from "../../../kernel/errors.ts";
import { objectAt, objectsAt, textAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import type { FleetCaller } from "../identity.ts";
import { fleetVersion, organisationKey } from "../names.ts";
import { ensureNamespace, namespaceKey } from "./organisation-namespace.ts";

export type NewMember = Pick<FleetCaller, "user" | "organisation" | "organisationName" | "account">;

/** `intents` are those without policies. `caller` is recorded as the cause. */
export async function ensureMember(
  intents: Intents,
  member: NewMember,
  caller: Caller,
): Promise<void> {
  const { organisation: id, user } = member;
  if (id === undefined) throw new Error("a member has an organisation");
  const known = intents.live.get(organisationKey(id))?.resource;
  const isKnown = known !== undefined && hasMember(known, user);
  if (isKnown && intents.live.get(namespaceKey(id)) !== undefined) return;
  const system = onBehalfOf(caller);
  const organisation = isKnown ? known : await withMember(intents, id, member, system);
  await ensureNamespace(intents, { organisation, caller: system });
}

function onBehalfOf({ user, surface, traceId, correlationId }: Caller): Caller {
  return { ...systemCaller, actor: user.name, surface, traceId, correlationId };
}

function hasMember({ spec }: Resource, user: string): boolean {
  return objectsAt(spec, "members").some((member) => textAt(member, "user") === user);
}

async function withMember(
  intents: Intents,
  id: string,
  member: NewMember,
  caller: Caller,
): Promise<Resource> {
  const entry = {
    user: member.user,
    ...(member.account === "" ? {} : { account: member.account }),
  };
  const { organisationName } = member;
  const body = {
    apiVersion: fleetVersion,
    kind: "Organisation",
    metadata: { name: id },
    spec: {
      ...(organisationName === undefined ? {} : { displayName: organisationName }),
      members: [entry],
    },
  };
  const { target } = targetFor(intents, body);
  const edit = (old: Resource): Resource => {
    if (hasMember(old, member.user)) return old;
    const spec = objectAt(old.spec);
    return { ...old, spec: { ...spec, members: [...objectsAt(spec, "members"), entry] } };
  };
  const { body: bytes, revision } = await createOr(intents, { target, body, caller }, () =>
    updateResource(intents, {
      caller,
      target: { ...target, name: id },
      options: systemOptions,
      optionsKind: "PatchOptions",
      change: (old) => ({ wanted: edit(old) }),
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

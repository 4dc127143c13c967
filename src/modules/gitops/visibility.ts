// Which objects of a target a caller may see: those that the caller may read.

import type { RoutePorts } from "../../contract/route.ts";
import type { Context } from "../../engine/reconciler.ts";
import type { Caller } from "../../intents/request.ts";
import { textAt } from "../../kernel/json-read.ts";
import type { Resource } from "../../kernel/resource.ts";
import { managedEnvironmentsKind } from "./names.ts";
import type { ObjectReference } from "./object-reference.ts";

export type MayGet = (at: {
  readonly group: string;
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
}) => boolean;

export function mayGetOf(
  { authorizer }: Pick<RoutePorts, "authorizer">,
  { user }: Pick<Caller, "user">,
): MayGet {
  return (at) =>
    authorizer.authorize(user, { kind: "resource", verb: "get", subresource: "", ...at }).allowed;
}

export async function environmentOf(
  deployment: Resource,
  { references }: Pick<Context, "references">,
): Promise<Resource | undefined> {
  const name = textAt(deployment, "spec", "destination", "environment");
  return name === "" ? undefined : await references.get({ kind: managedEnvironmentsKind, name });
}

/** Objects of a managed environment: by callers who may read its kubeconfig. */
export function mayReadEnvironment(mayGet: MayGet, { metadata, spec }: Resource): boolean {
  const name = textAt(spec, "credentialsSecret");
  return mayGet({ group: "", resource: "secrets", namespace: metadata.namespace ?? "", name });
}

/** An object of this server. */
export function mayReadObject(
  mayGet: MayGet,
  { kinds }: Pick<RoutePorts, "kinds">,
  { group, version, kind, namespace, name }: ObjectReference,
): boolean {
  const served = kinds.findKind(group, version, kind)?.served.kind;
  return served !== undefined && mayGet({ group, resource: served.names.plural, namespace, name });
}

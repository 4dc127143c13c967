// What an empty store begins with: the namespaces that always exist and the default roles. Made by
// the ordinary write path, so that it is checked like anything else; what is there already is left
// as it is, since an administrator may have changed it. Processes that start at once do no harm to
// each other.

import { isSetpointError } from "../kernel/errors.ts";
import type { JsonObject } from "../kernel/json.ts";
import type { Cause } from "../kernel/cause.ts";
import { systemCause } from "../kernel/cause.ts";
import { bootstrapPolicy } from "./auth/bootstrap-policy.ts";
import type { AddedRules } from "./auth/bootstrap-policy.ts";
import { mastersGroup } from "./auth/user.ts";
import type { Caller, Intents, Target } from "./request.ts";
import { createResource } from "./write/create.ts";

export const systemCaller: Caller = {
  surface: systemCause.surface,
  user: { name: systemCause.actor, groups: [mastersGroup], extra: {} },
  // Nobody reads warnings of the server to itself.
  warn: () => undefined,
};

/** The server itself, whose changes record this cause. */
export function systemCallerFor({ actor, surface, traceId, correlationId }: Cause): Caller {
  return { ...systemCaller, actor, surface, traceId, correlationId };
}

/**
 * Whether the server writes for itself. A surface is not enough: the server also writes as a
 * ServiceAccount, and such a write is checked as a write of that ServiceAccount.
 */
export function isServerItself({ surface, user }: Pick<Caller, "surface" | "user">): boolean {
  const isInner = surface === "engine" || surface === systemCaller.surface;
  return isInner && user.name === systemCaller.user.name;
}

export const systemOptions = {
  isDryRun: false,
  fieldManager: "setpoint",
  fieldValidation: "Strict",
} as const;

const namespaces = ["default", "kube-system", "kube-public"];

export async function bootstrap(
  intents: Intents,
  added: readonly AddedRules[] = [],
): Promise<void> {
  for (const name of namespaces) {
    await ensure(intents, { apiVersion: "v1", kind: "Namespace", metadata: { name } });
  }
  await Promise.all(bootstrapPolicy(added).map((object) => ensure(intents, object)));
}

/** Creates the object unless there is one of its name. */
export async function ensure(intents: Intents, object: JsonObject): Promise<void> {
  const { target, name } = targetFor(intents, object);
  const key = { kind: target.served.id, namespace: target.namespace, name };
  if (intents.live.get(key) !== undefined) return;
  try {
    await createResource(intents, {
      caller: systemCaller,
      target,
      body: object,
      options: systemOptions,
      decodeProblems: [],
    });
  } catch (error) {
    if (!isSetpointError(error, "resource.already_exists")) throw error;
  }
}

export function targetFor(
  { kinds }: Pick<Intents, "kinds">,
  object: JsonObject,
): { readonly target: Target; readonly name: string } {
  const { apiVersion, kind, metadata } = object as {
    readonly apiVersion: string;
    readonly kind: string;
    readonly metadata: { readonly name: string; readonly namespace?: string };
  };
  const slash = apiVersion.indexOf("/");
  const group = slash < 0 ? "" : apiVersion.slice(0, slash);
  const found = kinds.findKind(group, apiVersion.slice(slash + 1), kind);
  if (found === undefined) throw new Error(`the kind ${kind} of ${apiVersion} is not served`);
  const { namespace = "", name } = metadata;
  return { target: { ...found, namespace, name: "", subresource: "" }, name };
}

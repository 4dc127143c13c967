// Writes the EnvironmentResources of a deployment: all that are new or changed at once, and then
// deletes those that are not wanted any more. Each waits for its own dependencies or dependants.

import { newSecret } from "./generated-secrets.ts";
import type { Context } from "../../../engine/reconciler.ts";
import { annotations as engineAnnotations } from "../../../kernel/annotations.ts";
import type { FieldError } from "../../../kernel/field-error.ts";
import { formatFieldErrors } from "../../../kernel/field-error-text.ts";
import { equalJson } from "../../../kernel/json.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { objectAt, objectsAt, textAt, textsAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { environmentLimits } from "../limits.ts";
import { environmentsVersion, resourcesKind } from "../names.ts";
import { environmentFacts, expand } from "../templates/expand.ts";
import type { Deployment, Expansion, Instance, NamedTemplate } from "../templates/expand.ts";
import { checkParameters, joinedDeclarations } from "../templates/parameters.ts";
import type { TemplateCache } from "../templates/template-cache.ts";
import { inTurnsOf } from "../templates/turns.ts";
import { serviceAccountOf } from "./environment.ts";
import type { Member } from "./members.ts";

export interface Changes {
  readonly added: number;
  readonly changed: number;
  readonly removed: number;
}

export interface Applied {
  readonly changes: Changes;
  /** Wanted, and still being deleted: they are created when their removal has ended. */
  readonly returning: readonly Member[];
}

/** Throws nothing for a deployment that cannot be expanded: its errors are the answer. */
export async function instancesOf(
  environment: Resource,
  deployment: JsonObject,
  templates: TemplateCache,
  secretOf: (name: string, declared: JsonObject) => Promise<string>,
): Promise<Expansion & { readonly templates: readonly NamedTemplate[] }> {
  const namespace = environment.metadata.namespace ?? "";
  const found: NamedTemplate[] = [];
  for (const name of textsAt(deployment, "templates")) {
    const template = await templates.get(namespace, name);
    if (template === undefined) return { instances: [], errors: [missing(name)], templates: [] };
    found.push(template);
  }
  const declared = joinedDeclarations(found.map(({ compiled }) => compiled.spec));
  const given = {
    plain: objectAt(deployment, "parameters"),
    secret: objectAt(deployment, "secretParameters"),
  };
  const parameters = await inTurnsOf(namespace, checkParameters(declared, given, "spec"));
  if (parameters.errors.length > 0) {
    return { instances: [], errors: parameters.errors, templates: found };
  }
  const secrets: { [name: string]: string } = {};
  for (const { compiled } of found) {
    for (const each of objectsAt(compiled.spec, "secrets")) {
      const name = textAt(each, "name");
      secrets[name] = await secretOf(name, each);
    }
  }
  const input: Deployment = {
    environment: environmentFacts({ ...environment.metadata }, deployment),
    templates: found,
    parameters,
    secrets,
    serviceAccountName: serviceAccountOf(deployment),
  };
  return { ...(await inTurnsOf(namespace, expand(input))), templates: found };
}

/** A generated secret is made once for each Environment, and is stored sealed. */
export function secretsFrom(
  context: Context,
): (name: string, declared: JsonObject) => Promise<string> {
  return async (name, declared) =>
    await context.remember(`secret:${name}`, () => newSecret(context.random, declared));
}

function missing(name: string): FieldError {
  const detail = "there is no Template of this name";
  return { kind: "not-found", path: "spec.templates", value: name, detail };
}

export function errorText(errors: readonly FieldError[]): string {
  return formatFieldErrors(errors);
}

export async function applyInstances(
  context: Context,
  instances: readonly Instance[],
  members: readonly Member[],
): Promise<Applied> {
  const existing = new Map(members.map((member) => [member.name, member]));
  const changed = instances.filter((each) => !isAsWanted(each, existing.get(each.name)));
  const returning = instances.flatMap(({ name }) => {
    const member = existing.get(name);
    return member?.isDeleting === true ? [member] : [];
  });
  await inTurns(changed, async (instance) => {
    await context.children.apply(childOf(instance, {}));
  });
  const wanted = new Set(instances.map(({ name }) => name));
  const surplus = members.filter(({ name, isDeleting }) => !wanted.has(name) && !isDeleting);
  await removeMembers(context, surplus);
  const added = changed.filter(({ name }) => !existing.has(name)).length;
  const changes = { added, changed: changed.length - added, removed: surplus.length };
  return { changes, returning };
}

function isAsWanted(instance: Instance, member: Member | undefined): boolean {
  if (member?.isDeleting === true) return true;
  if (member === undefined || member.isCancelled) return false;
  return equalJson(instance.spec, objectAt(member.resource, "spec"));
}

export function childOf(
  { name, labels, spec }: Instance,
  annotations: Readonly<Record<string, string>>,
): Parameters<Context["children"]["apply"]>[0] {
  return {
    apiVersion: environmentsVersion,
    kind: "EnvironmentResource",
    metadata: { name, labels, annotations },
    spec,
  };
}

/**
 * The same resource with a request of an Operation: its spec stays as it is. The request of the
 * engine makes a resource run now that failed and waits for its next attempt.
 */
export async function requestOfMembers(
  context: Context,
  members: readonly Member[],
  annotation: string,
  operation: string,
): Promise<void> {
  const annotations = { [annotation]: operation, [engineAnnotations.request]: operation };
  await inTurns(members, async ({ name, resource }) => {
    const { labels = {} } = resource.metadata;
    const instance = { name, labels, spec: objectAt(resource, "spec") };
    await context.children.apply(childOf(instance, annotations));
  });
}

export async function removeMembers(
  context: Context,
  members: readonly Pick<Member, "name">[],
): Promise<void> {
  await inTurns(members, async ({ name }) => {
    await context.children.delete({ kind: resourcesKind, name });
  });
}

/** Writes that are started together share a commit. */
async function inTurns<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const atOnce = environmentLimits.writesAtOnce;
  for (let at = 0; at < items.length; at += atOnce) {
    const results = await Promise.allSettled(items.slice(at, at + atOnce).map(work));
    const refused = results.find((result) => result.status === "rejected");
    if (refused !== undefined) throw refused.reason;
  }
}

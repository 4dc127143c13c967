// TemplateRollouts: the server writes to Environments on behalf of the creator, so everything that
// a change by the creator would be checked for is checked here: the Template, the right to deploy
// it, and the ServiceAccount of each Environment. The list of Environments is fixed at creation.

import type { AdmissionPlugin, AdmissionRequest } from "../../../intents/admission/admission.ts";
import { accountUseProblem } from "../../../intents/auth/account-use.ts";
import type { AccountUse } from "../../../intents/auth/account-use.ts";
import { namespaceTenant } from "../../../intents/auth/tenant-name.ts";
import { allPages } from "../../../intents/read/all-pages.ts";
import { recordsInTurns } from "../../../intents/read/records-in-turns.ts";
import { forbidden } from "../../../intents/refusals.ts";
import { decodeDocument } from "../../../kernel/document.ts";
import type { FieldError } from "../../../kernel/field-error.ts";
import { invalidField } from "../../../kernel/field-error.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { isTrueAt, objectAt, objectsAt, textAt, textsAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import type { Store } from "../../../store/port.ts";
import { serviceAccountOf } from "../environment/environment.ts";
import { environmentLimits } from "../limits.ts";
import { environmentKey, environmentsKind, rolloutsKind } from "../names.ts";
import { usesOtherVersion } from "../rollouts/versions.ts";
import type { TemplateCache } from "../templates/template-cache.ts";
import { mayApprove } from "./approve-right.ts";
import { checkApproverOf, pendingRequesterOf } from "./approvers.ts";
import { isPermitted } from "./environment-check.ts";
import { hasChanged, isServer, isWriteOf, refuse } from "./writes.ts";

export interface RolloutGuardPorts extends AccountUse {
  readonly store: Pick<Store, "getMany" | "list">;
  readonly templates: TemplateCache;
}

export function rolloutGuard(ports: RolloutGuardPorts): AdmissionPlugin {
  return {
    name: "TemplateRollouts",
    mutate: async (request) => {
      const { object, operation } = request;
      const isNew = isWriteOf(request, rolloutsKind) && operation === "CREATE";
      if (object === undefined || !isNew) return object;
      const environments = await chosen(object, request.target.namespace, ports);
      const requestedBy = request.caller.user.name;
      return { ...object, spec: { ...objectAt(object, "spec"), environments, requestedBy } };
    },
    validate: async (request) => {
      const { object, operation } = request;
      if (object === undefined || !isWriteOf(request, rolloutsKind) || isServer(request)) return;
      if (operation === "CREATE") await checkCreation(request, object, ports);
      await checkApproval(request, object, ports);
    },
  };
}

/** Environments of the namespace that use another version, in the order of their names. */
async function chosen(
  { spec }: Resource,
  namespace: string,
  { store }: RolloutGuardPorts,
): Promise<readonly JsonObject[]> {
  const found: JsonObject[] = [];
  const query = { kind: environmentsKind, namespace };
  for await (const page of allPages(store, query, namespaceTenant(namespace))) {
    for (const { body, revision } of page.records) {
      const environment = decodeDocument(body, revision);
      if (!isWanted(environment, spec)) continue;
      const { name } = environment.metadata;
      found.push({ name, serviceAccountName: serviceAccountOf(objectAt(environment, "spec")) });
    }
  }
  return found;
}

function isWanted({ metadata, spec }: Resource, wanted: Resource["spec"]): boolean {
  if (metadata.deletionTimestamp !== undefined) return false;
  if (textAt(spec, "desired") === "Destroyed") return false;
  const tags = objectAt(wanted, "tags");
  const hasTags = Object.keys(tags).every((tag) => textAt(spec, "tags", tag) === tags[tag]);
  return hasTags && usesOtherVersion(textsAt(spec, "templates"), textAt(wanted, "template"));
}

async function checkCreation(
  request: AdmissionRequest,
  { spec }: Resource,
  ports: RolloutGuardPorts,
): Promise<void> {
  const { target, caller } = request;
  const { namespace } = target;
  const name = textAt(spec, "template");
  const template = await ports.templates.get(namespace, name);
  const environments = objectsAt(spec, "environments");
  refuse(request, [
    ...(template === undefined ? [missing(name, ports.templates.missing(namespace, name))] : []),
    ...(template !== undefined && environments.length === 0 ? [unused(name)] : []),
    ...(environments.length > environmentLimits.maxRolloutEnvironments ? [tooMany(name)] : []),
  ]);
  const who = `User ${JSON.stringify(caller.user.name)}`;
  if (template !== undefined && !isPermitted(template.compiled.spec, "deploy", caller.user)) {
    throw forbidden(target.served.kind, target.name, `${who} may not deploy the Template ${name}`);
  }
  for (const [each, permitted] of await templatesIn(namespace, spec, ports)) {
    if (isPermitted(permitted, "deploy", caller.user)) continue;
    throw forbidden(target.served.kind, target.name, `${who} may not deploy the Template ${each}`);
  }
  for (const account of new Set(environments.map((each) => textAt(each, "serviceAccountName")))) {
    const problem = accountUseProblem(ports, caller.user, { namespace, name: account });
    if (problem !== undefined) throw forbidden(target.served.kind, target.name, problem);
  }
}

/** The Plans of all Environments are approved at once. */
async function checkApproval(
  request: AdmissionRequest,
  { spec }: Resource,
  ports: RolloutGuardPorts,
): Promise<void> {
  if (!isTrueAt(spec, "approved") || !hasChanged(request, ["approved"])) return;
  const { target, caller } = request;
  const { namespace } = target;
  if (!mayApprove(ports.authorizer, caller.user, { namespace })) {
    const who = `User ${JSON.stringify(caller.user.name)}`;
    const why = `${who} cannot approve plans in the namespace ${namespace}`;
    throw forbidden(target.served.kind, target.name, why);
  }
  const requesters = new Set([textAt(spec, "requestedBy")]);
  for await (const environment of environmentsIn(namespace, spec, ports)) {
    requesters.add(pendingRequesterOf(environment));
  }
  const wanted = textAt(spec, "template");
  const template = await ports.templates.get(namespace, wanted);
  const templates = await templatesIn(namespace, spec, ports);
  if (template !== undefined) templates.set(wanted, template.compiled.spec);
  for (const [name, permitted] of templates) {
    checkApproverOf(request, { name, spec: permitted, requesters });
  }
}

/** The Environments of the rollout that exist. */
async function* environmentsIn(
  namespace: string,
  spec: Resource["spec"],
  { store }: RolloutGuardPorts,
): AsyncGenerator<Resource> {
  const names = objectsAt(spec, "environments").map((each) => textAt(each, "name"));
  const keys = names.map((name) => environmentKey(namespace, name));
  for await (const record of recordsInTurns(store, keys, namespaceTenant(namespace))) {
    if (record !== undefined) yield decodeDocument(record.body, record.revision);
  }
}

/** The specs of the Templates that the Environments use now, by name. */
async function templatesIn(
  namespace: string,
  spec: Resource["spec"],
  ports: RolloutGuardPorts,
): Promise<Map<string, JsonObject>> {
  const names = new Set<string>();
  for await (const { spec: own } of environmentsIn(namespace, spec, ports)) {
    for (const name of textsAt(own, "templates")) names.add(name);
  }
  const found = new Map<string, JsonObject>();
  for (const name of names) {
    const template = await ports.templates.get(namespace, name);
    if (template !== undefined) found.set(name, template.compiled.spec);
  }
  return found;
}

function missing(name: string, detail: string): FieldError {
  return invalidField("spec.template", name, detail);
}

function unused(name: string): FieldError {
  return invalidField("spec.template", name, "no Environment uses another version of it");
}

function tooMany(name: string): FieldError {
  const most = environmentLimits.maxRolloutEnvironments;
  return invalidField("spec.template", name, `more than ${most} Environments: select by spec.tags`);
}

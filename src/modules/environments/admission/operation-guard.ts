// Operations: users request some types, and cancel. The server creates and carries out all of them.

import type { AdmissionPlugin, AdmissionRequest } from "../../../intents/admission/admission.ts";
import { accountUseProblem } from "../../../intents/auth/account-use.ts";
import type { AccountUse } from "../../../intents/auth/account-use.ts";
import { forbidden } from "../../../intents/refusals.ts";
import { decodeDocument } from "../../../kernel/document.ts";
import type { FieldError } from "../../../kernel/field-error.ts";
import { forbiddenField, invalidField, requiredField } from "../../../kernel/field-error.ts";
import { hasObject, objectAt, textAt, textsAt } from "../../../kernel/json-read.ts";
import { suggester } from "../../../kernel/nearest-name.ts";
import type { Resource } from "../../../kernel/resource.ts";
import type { Store } from "../../../store/port.ts";
import { isDestructionWanted, serviceAccountOf } from "../environment/environment.ts";
import { environmentLimits } from "../limits.ts";
import { environmentKey, environmentLabel, operationsKind } from "../names.ts";
import { environmentsVersion, resourcesKind } from "../names.ts";
import { hasEnded } from "../operations/operation.ts";
import type { TemplateCache } from "../templates/template-cache.ts";
import { isPermitted } from "./environment-check.ts";
import { isServer, isWriteOf, refuse } from "./writes.ts";

export interface OperationGuardPorts extends AccountUse {
  readonly store: Pick<Store, "get">;
  readonly templates: TemplateCache;
}

export function operationGuard(ports: OperationGuardPorts): AdmissionPlugin {
  return {
    name: "EnvironmentOperations",
    mutate: async (request) => {
      const { object, operation } = request;
      const isOurs = isWriteOf(request, operationsKind) && operation === "CREATE";
      if (object === undefined || !isOurs || isServer(request)) return object;
      const environment = await environmentOf(request, object, ports);
      return environment === undefined ? object : owned(request, object, environment);
    },
    validate: async (request) => {
      const { object, operation } = request;
      if (object === undefined || !isWriteOf(request, operationsKind)) return;
      if (isServer(request)) return;
      if (operation === "UPDATE") {
        refuse(request, cancelErrors(request, object));
        return;
      }
      const environment = await environmentOf(request, object, ports);
      refuse(request, await requestErrors(object, environment, ports));
      if (environment !== undefined) await checkRights(request, object, environment, ports);
    },
  };
}

async function environmentOf(
  { target }: AdmissionRequest,
  { spec }: Resource,
  { store }: OperationGuardPorts,
): Promise<Resource | undefined> {
  const name = textAt(spec, "environment");
  if (name === "") return undefined;
  const record = await store.get(environmentKey(target.namespace, name));
  return record === undefined ? undefined : decodeDocument(record.body, record.revision);
}

/** A part of the Environment: it wakes the Environment, and is deleted with it. */
function owned({ caller }: AdmissionRequest, object: Resource, { metadata }: Resource): Resource {
  const { name, uid } = metadata;
  const owner = {
    apiVersion: environmentsVersion,
    kind: "Environment",
    name,
    uid,
    controller: true,
  };
  const labels = { ...object.metadata.labels, [environmentLabel]: name };
  return {
    ...object,
    metadata: { ...object.metadata, labels, ownerReferences: [owner] },
    spec: { ...objectAt(object, "spec"), requestedBy: caller.user.name },
  };
}

function cancelErrors({ old }: AdmissionRequest, object: Resource): readonly FieldError[] {
  const wanted = textAt(object.spec, "cancel");
  const before = textAt(old?.spec, "cancel");
  if (wanted === before) return [];
  if (textAt(old?.spec, "type") === "Destroy") {
    const detail =
      "a destruction is not cancelled: set spec.desired of the Environment to Deployed";
    return [forbiddenField("spec.cancel", detail)];
  }
  const phase = textAt(old?.status, "phase");
  if (hasEnded(phase)) {
    return [forbiddenField("spec.cancel", `the Operation has ended: it is ${phase}`)];
  }
  const isLess = before === "Force" || wanted === "";
  return isLess ? [forbiddenField("spec.cancel", "a cancellation cannot be taken back")] : [];
}

async function requestErrors(
  { spec, metadata }: Resource,
  environment: Resource | undefined,
  ports: OperationGuardPorts,
): Promise<readonly FieldError[]> {
  const type = textAt(spec, "type");
  if (metadata.name.includes(".")) {
    const detail = "must not contain a dot: such names are those of Operations of the server";
    return [invalidField("metadata.name", metadata.name, detail)];
  }
  if (type === "Deploy" || type === "Destroy") {
    const detail = "is created by the server: change the spec of the Environment";
    return [forbiddenField("spec.type", `${type} ${detail}`)];
  }
  if (hasObject(spec, "deployment")) {
    return [forbiddenField("spec.deployment", "is set by the server")];
  }
  const name = textAt(spec, "environment");
  if (environment === undefined) {
    return [invalidField("spec.environment", name, "there is no Environment of this name")];
  }
  const isDeleting = environment.metadata.deletionTimestamp !== undefined;
  if (isDeleting || isDestructionWanted(environment)) {
    const detail = isDeleting
      ? "the Environment is being deleted"
      : `the Environment is destroyed, or will be: deploy it first (setpoint env deploy ${name})`;
    return [forbiddenField("spec.environment", detail)];
  }
  const namespace = metadata.namespace ?? environment.metadata.namespace ?? "";
  if (type === "Rollback") return await rollbackErrors(spec, namespace, name, ports);
  if (type === "Action") return await actionErrors(spec, environment, ports);
  return await resourceErrors(spec, environment, ports);
}

/** A key of the Templates, or the name of an EnvironmentResource. */
async function resourceErrors(
  spec: Resource["spec"],
  environment: Resource,
  { store, templates }: OperationGuardPorts,
): Promise<readonly FieldError[]> {
  const name = textAt(spec, "resource");
  if (name === "") return [];
  const { namespace = "" } = environment.metadata;
  const keys: string[] = [];
  for (const template of textsAt(environment.spec, "templates")) {
    const found = await templates.get(namespace, template);
    if (found?.compiled.entries.has(name) === true) return [];
    keys.push(...(found?.compiled.entries.keys() ?? []));
  }
  const record = await store.get({ kind: resourcesKind, namespace, name });
  const owner = record && decodeDocument(record.body, record.revision);
  if (textAt(owner?.spec, "environment") === environment.metadata.name) return [];
  const near = suggester()(name, keys) || `; it has ${namedText(keys)}`;
  const detail = `the Environment has no resource of this key or name${near}`;
  return [invalidField("spec.resource", name, detail)];
}

async function rollbackErrors(
  spec: Resource["spec"],
  namespace: string,
  environment: string,
  { store, templates }: OperationGuardPorts,
): Promise<readonly FieldError[]> {
  const to = textAt(spec, "to");
  if (to === "") return [requiredField("spec.to", "a Rollback names an earlier Operation")];
  const record = await store.get({ kind: operationsKind, namespace, name: to });
  const found = record && decodeDocument(record.body, record.revision);
  const isOurs = textAt(found?.spec, "environment") === environment;
  if (!isOurs || !hasObject(found?.spec, "deployment")) {
    const detail =
      `the Environment has no deployment of this Operation: name one of the type Deploy ` +
      `(setpoint env operations ${environment})`;
    return [invalidField("spec.to", to, detail)];
  }
  for (const name of textsAt(found?.spec, "deployment", "templates")) {
    if ((await templates.get(namespace, name)) !== undefined) continue;
    const detail = `its Template ${name} was deleted: create it again, or choose another Operation`;
    return [invalidField("spec.to", to, detail)];
  }
  return [];
}

function namedText(names: readonly string[]): string {
  const { maxNamed } = environmentLimits;
  const more = names.length > maxNamed ? ` and ${names.length - maxNamed} more` : "";
  return `${names.slice(0, maxNamed).join(", ")}${more}`;
}

/** The Templates of the deployment that a Rollback restores. */
async function restoredBy(
  { spec }: Resource,
  namespace: string,
  { store }: OperationGuardPorts,
): Promise<readonly string[]> {
  const name = textAt(spec, "to");
  if (name === "") return [];
  const record = await store.get({ kind: operationsKind, namespace, name });
  const found = record && decodeDocument(record.body, record.revision);
  return textsAt(found?.spec, "deployment", "templates");
}

async function actionErrors(
  spec: Resource["spec"],
  environment: Resource,
  { templates }: OperationGuardPorts,
): Promise<readonly FieldError[]> {
  const action = textAt(spec, "action");
  const names: string[] = [];
  for (const name of textsAt(environment.spec, "templates")) {
    const found = await templates.get(environment.metadata.namespace ?? "", name);
    names.push(...(found?.compiled.actions.keys() ?? []));
  }
  if (names.includes(action)) return [];
  const known = names.length === 0 ? "; it has none" : `; it has ${names.join(", ")}`;
  const near = suggester()(action, names) || known;
  const detail = `no Template of the Environment has the action ${action}${near}`;
  return [invalidField("spec.action", action, detail)];
}

/** A user who makes resources run again acts as the ServiceAccount of the Environment. */
async function checkRights(
  { caller, target }: AdmissionRequest,
  object: Resource,
  environment: Resource,
  ports: OperationGuardPorts,
): Promise<void> {
  const { namespace } = target;
  const spec = objectAt(environment, "spec");
  const problem = accountUseProblem(ports, caller.user, {
    namespace,
    name: serviceAccountOf(spec),
  });
  if (problem !== undefined) throw forbidden(target.served.kind, target.name, problem);
  const restored = await restoredBy(object, namespace, ports);
  for (const name of new Set([...textsAt(spec, "templates"), ...restored])) {
    const template = await ports.templates.get(namespace, name);
    const permitted = template?.compiled.spec ?? {};
    if (isPermitted(permitted, "deploy", caller.user)) continue;
    const who = `User ${JSON.stringify(caller.user.name)}`;
    throw forbidden(target.served.kind, target.name, `${who} may not deploy the Template ${name}`);
  }
}

// Plans: created by users, approved by naming them in the Environment. Approving needs the verb
// `approve`, and a Plan that still describes what would happen. The write that names a Plan gets
// the deployment of the Plan: its templates and parameters, or the destruction.

import type { AdmissionPlugin, AdmissionRequest } from "../../../intents/admission/admission.ts";
import type { AccountUse } from "../../../intents/auth/account-use.ts";
import { accountUseProblem } from "../../../intents/auth/account-use.ts";
import { namespaceTenant } from "../../../intents/auth/tenant-name.ts";
import { allPages } from "../../../intents/read/all-pages.ts";
import { conflict, forbidden } from "../../../intents/refusals.ts";
import { decodeDocument } from "../../../kernel/document.ts";
import { SetpointError } from "../../../kernel/errors.ts";
import { invalidField } from "../../../kernel/field-error.ts";
import { equalJson } from "../../../kernel/json.ts";
import { isTrueAt, objectAt, textAt, textsAt, valueAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import type { Store } from "../../../store/port.ts";
import { deploymentOf, serviceAccountOf } from "../environment/environment.ts";
import { environmentKey, environmentLabel, environmentsKind } from "../names.ts";
import { environmentsVersion, plansKind, requestedByAnnotation, resourcesKind } from "../names.ts";
import { givenDeployment, plannedDeployment } from "../plans/planned-deployment.ts";
import { changesSince } from "../plans/staleness.ts";
import type { TemplateCache } from "../templates/template-cache.ts";
import { inTurnsOf } from "../templates/turns.ts";
import { mayApprove } from "./approve-right.ts";
import { checkApproverOf, pendingRequesterOf, requesterOf } from "./approvers.ts";
import { deploymentErrors } from "./environment-check.ts";
import { hasChanged, isServer, isWriteOf, refuse, withAnnotation } from "./writes.ts";

export interface PlanGuardPorts extends AccountUse {
  readonly store: Pick<Store, "get" | "list">;
  readonly templates: TemplateCache;
}

export interface PlanGuard {
  readonly plugin: AdmissionPlugin;
  /** For a write of an Environment that names another approved Plan. */
  readonly check: (request: AdmissionRequest) => Promise<void>;
}

export function planGuard(ports: PlanGuardPorts): PlanGuard {
  return {
    plugin: {
      name: "EnvironmentPlans",
      mutate: async (request) => {
        const { object, operation } = request;
        if (object === undefined || isServer(request)) return object;
        if (isApproval(request)) return await withPlan(request, object, ports);
        const isOurs = isWriteOf(request, plansKind) && operation === "CREATE";
        if (!isOurs) return object;
        const environment = await read(ports, request, textAt(object.spec, "environment"));
        return environment === undefined ? object : owned(request, object, environment);
      },
      validate: async (request) => {
        const { object, operation } = request;
        const isOurs = isWriteOf(request, plansKind) && operation === "CREATE";
        if (object !== undefined && isOurs) await checkPlan(request, object, ports);
      },
    },
    check: async (request) => await checkApproval(request, ports),
  };
}

function isApproval(request: AdmissionRequest): boolean {
  const isUpdate = isWriteOf(request, environmentsKind) && request.operation === "UPDATE";
  return isUpdate && hasChanged(request, ["approvedPlan"]);
}

/** The requester of the Plan is the requester of the deployment. */
async function withPlan(
  request: AdmissionRequest,
  object: Resource,
  { store }: PlanGuardPorts,
): Promise<Resource> {
  const name = textAt(object.spec, "approvedPlan");
  const { namespace } = request.target;
  const record = name === "" ? undefined : await store.get({ kind: plansKind, namespace, name });
  if (record === undefined) return object;
  const plan = decodeDocument(record.body, record.revision);
  if (textAt(plan.spec, "environment") !== object.metadata.name) return object;
  const spec = objectAt(object, "spec");
  const isDestruction = isTrueAt(plan.spec, "destroy");
  // Of the stored Environment: the request may contain other values than the Plan.
  const stored = request.old;
  const planned = isDestruction ? { desired: "Destroyed" } : givenDeployment(plan, stored);
  if (Object.keys(planned).length === 0) return object;
  const requester = textAt(plan.spec, "requestedBy");
  return withAnnotation(
    { ...object, spec: { ...spec, ...planned } },
    requestedByAnnotation,
    requester,
  );
}

async function read(
  { store }: PlanGuardPorts,
  { target }: AdmissionRequest,
  name: string,
): Promise<Resource | undefined> {
  const record = name === "" ? undefined : await store.get(environmentKey(target.namespace, name));
  return record === undefined ? undefined : decodeDocument(record.body, record.revision);
}

function owned({ caller }: AdmissionRequest, object: Resource, { metadata }: Resource): Resource {
  const { name, uid } = metadata;
  const owner = { apiVersion: environmentsVersion, kind: "Environment", name, uid };
  const labels = { ...object.metadata.labels, [environmentLabel]: name };
  return {
    ...object,
    metadata: { ...object.metadata, labels, ownerReferences: [owner] },
    spec: { ...objectAt(object, "spec"), requestedBy: caller.user.name },
  };
}

async function checkPlan(
  request: AdmissionRequest,
  object: Resource,
  ports: PlanGuardPorts,
): Promise<void> {
  const name = textAt(object.spec, "environment");
  const environment = await read(ports, request, name);
  if (environment === undefined) {
    const detail = "there is no Environment of this name";
    refuse(request, [invalidField("spec.environment", name, detail)]);
    return;
  }
  const { caller, target } = request;
  const account = {
    namespace: target.namespace,
    name: serviceAccountOf(objectAt(environment, "spec")),
  };
  // Kinds that plan themselves run as the ServiceAccount.
  const problem = accountUseProblem(ports, caller.user, account);
  if (problem !== undefined) throw forbidden(target.served.kind, target.name, problem);
  if (valueAt(object.spec, "destroy") === true) return;
  const spec = plannedDeployment(object, environment);
  const names = textsAt(spec, "templates");
  const found = await Promise.all(
    names.map(async (each) => await ports.templates.get(target.namespace, each)),
  );
  const missing = (each: string): string => ports.templates.missing(target.namespace, each);
  const steps = deploymentErrors({ ...environment.metadata }, spec, { found, missing });
  refuse(request, await inTurnsOf(target.namespace, steps));
}

async function checkApproval(request: AdmissionRequest, ports: PlanGuardPorts): Promise<void> {
  const { object, old, target, caller } = request;
  const plan = textAt(object?.spec, "approvedPlan");
  if (plan === "" || object === undefined) return;
  const { namespace } = target;
  const who = `User ${JSON.stringify(caller.user.name)}`;
  if (!mayApprove(ports.authorizer, caller.user, { namespace, name: plan })) {
    throw forbidden(target.served.kind, target.name, `${who} cannot approve the Plan ${plan}`);
  }
  const record = await ports.store.get({ kind: plansKind, namespace, name: plan });
  const found = record && decodeDocument(record.body, record.revision);
  const isOurs = textAt(found?.spec, "environment") === object.metadata.name;
  if (found === undefined || old === undefined || !isOurs) {
    const detail = "there is no Plan of this name for the Environment";
    refuse(request, [invalidField("spec.approvedPlan", plan, detail)]);
    return;
  }
  const members = await membersOf(ports, old);
  await checkApprover(request, found, members, ports);
  if (textAt(found.status, "phase") !== "Ready") {
    throw conflict(target.served.kind, target.name, `the Plan ${plan} is not ready: wait for it`);
  }
  // Also the parts that the digest does not have, such as the values of secret parameters.
  const isPlanned = equalJson(
    deploymentOf(objectAt(object, "spec")),
    plannedDeployment(found, old),
  );
  const changes = [
    ...(isPlanned ? [] : ["this request has another deployment than the Plan"]),
    ...changesSince(found, old, members),
  ];
  if (changes.length === 0) return;
  const why = `the Plan ${plan} is stale: ${changes.join("; ")}`;
  const { code, message, details } = conflict(target.served.kind, target.name, why);
  const suggestion = `create another Plan: setpoint env plan ${target.name}`;
  throw new SetpointError(code, message, { details, suggestion });
}

/** The user of a change of the Environment that is not deployed yet, and that the Plan includes. */
function changerOf(plan: Resource, environment: Resource | undefined): string {
  if (environment === undefined) return "";
  const isAll = Object.keys(givenDeployment(plan, environment)).length === 0;
  return isAll ? requesterOf(environment) : pendingRequesterOf(environment);
}

/** The Templates of the Plan, and those that its change may leave. */
async function checkApprover(
  request: AdmissionRequest,
  plan: Resource,
  members: readonly Resource[],
  { templates }: PlanGuardPorts,
): Promise<void> {
  const { object, old, target } = request;
  const names = new Set([
    ...textsAt(object?.spec, "templates"),
    ...textsAt(old?.spec, "templates"),
    ...members.map(({ spec }) => textAt(spec, "template")),
  ]);
  const requesters = new Set([textAt(plan.spec, "requestedBy"), changerOf(plan, old)]);
  for (const name of names) {
    const spec = (await templates.get(target.namespace, name))?.compiled.spec ?? {};
    checkApproverOf(request, { name, spec, requesters });
  }
}

async function membersOf(
  { store }: PlanGuardPorts,
  { metadata }: Resource,
): Promise<readonly Resource[]> {
  const { namespace = "", uid } = metadata;
  const found: Resource[] = [];
  const query = { kind: resourcesKind, namespace, owner: uid };
  for await (const page of allPages(store, query, namespaceTenant(namespace))) {
    for (const { body, revision } of page.records) found.push(decodeDocument(body, revision));
  }
  return found;
}

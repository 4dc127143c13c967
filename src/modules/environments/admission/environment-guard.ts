// Environments: what is refused, what is filled in, and the unique display name. It reads the
// Templates, so that wrong parameters are refused before any work.

import type { AdmissionPlugin, AdmissionRequest } from "../../../intents/admission/admission.ts";
import { accountUseProblem } from "../../../intents/auth/account-use.ts";
import type { AccountUse } from "../../../intents/auth/account-use.ts";
import { mastersGroup } from "../../../intents/auth/user.ts";
import { conflict, forbidden } from "../../../intents/refusals.ts";
import type { Clock } from "../../../kernel/clock.ts";
import { timeText } from "../../../kernel/clock.ts";
import { SetpointError } from "../../../kernel/errors.ts";
import type { FieldError } from "../../../kernel/field-error.ts";
import { forbiddenField } from "../../../kernel/field-error.ts";
import type { HeldFault } from "../../../kernel/held-fault.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { isTrueAt, objectAt, textAt, textsAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import type { EnvironmentsConfiguration } from "../configuration.ts";
import {
  deploymentFields,
  isMarkedDestroyed,
  serviceAccountOf,
} from "../environment/environment.ts";
import { destroyedAnnotation, displayNameOf, environmentsKind } from "../names.ts";
import { redeployedAnnotation, requestedByAnnotation } from "../names.ts";
import type { NamedTemplate } from "../templates/expand.ts";
import type { TemplateCache } from "../templates/template-cache.ts";
import { inTurnsOf } from "../templates/turns.ts";
import { mayApprove } from "./approve-right.ts";
import { deploymentErrors, driftErrors, isPermitted } from "./environment-check.ts";
import { nameErrors, ownLinkErrors } from "./environment-check.ts";
import { beganMs, dateErrors, lifetimeErrors, lifetimeOf, withDefaultDate } from "./lifetime.ts";
import type { Lifetime } from "./lifetime.ts";
import { hasChanged, isDeletionOf, isServer, isWriteOf, refuse } from "./writes.ts";
import { withAnnotation } from "./writes.ts";

export interface EnvironmentGuardPorts extends AccountUse {
  readonly templates: TemplateCache;
  readonly configuration: EnvironmentsConfiguration;
  readonly clock: Clock;
  /** Refuses a Plan that may not be approved. */
  readonly checkApproval: (request: AdmissionRequest) => Promise<void>;
}

export function environmentGuard(ports: EnvironmentGuardPorts): AdmissionPlugin {
  return {
    name: "Environments",
    mutate: async (request) => {
      const { object } = request;
      if (object === undefined || !isWriteOf(request, environmentsKind)) return object;
      return await completed(request, object, ports);
    },
    validate: async (request) => {
      if (isDeletionOf(request, environmentsKind)) await checkDeletion(request, ports);
      else if (isWriteOf(request, environmentsKind)) await checkWrite(request, ports);
    },
    names: (request) => {
      const { object, target } = request;
      if (object === undefined || !isWriteOf(request, environmentsKind)) return undefined;
      if (isMarkedDestroyed(object)) return [];
      return [displayNameOf(target.namespace, shownName(object))];
    },
    refusal: (request, fault) => nameTaken(request, fault),
  };
}

function shownName({ metadata, spec }: Resource): string {
  return textAt(spec, "displayName") || metadata.name;
}

/** Fills in the display name and the planned destruction, and records the user. */
async function completed(
  request: AdmissionRequest,
  object: Resource,
  ports: EnvironmentGuardPorts,
): Promise<Resource> {
  const { operation, caller, target } = request;
  const isDeployment = hasChanged(request, [...deploymentFields, "desired"]);
  const before = request.old?.metadata.annotations?.[requestedByAnnotation];
  const requester = isDeployment ? caller.user.name : before;
  // Only the server sets it: approval by another user depends on it.
  if (isServer(request)) return object;
  const since = request.old?.metadata.annotations?.[redeployedAnnotation];
  const noted = withAnnotation(
    withAnnotation(object, requestedByAnnotation, requester),
    redeployedAnnotation,
    since,
  );
  if (operation !== "CREATE") return await revived(noted, ports);
  let spec = objectAt(noted, "spec");
  if (textAt(spec, "displayName") === "" && object.metadata.name !== "") {
    spec = { ...spec, displayName: object.metadata.name };
  }
  if (textAt(spec, "plannedDestruction", "at") === "") {
    const lifetime = await lifetimeFor(target.namespace, spec, ports);
    if (lifetime.defaultSeconds > 0) spec = withDefaultDate(spec, lifetime, ports.clock.nowMs());
  }
  return { ...noted, spec };
}

async function lifetimeFor(
  namespace: string,
  spec: JsonObject,
  ports: EnvironmentGuardPorts,
): Promise<Lifetime> {
  const found = await templatesOf(namespace, spec, ports);
  const specs = found.flatMap((each) => (each === undefined ? [] : [each.compiled.spec]));
  return lifetimeOf(specs, ports.configuration);
}

/**
 * An Environment that is deployed again after its destruction holds its display name again, and
 * its lifetime begins again. A date that has passed would destroy it at once.
 */
async function revived(object: Resource, ports: EnvironmentGuardPorts): Promise<Resource> {
  if (!isMarkedDestroyed(object) || textAt(object.spec, "desired") === "Destroyed") return object;
  const nowMs = ports.clock.nowMs();
  const unmarked = withAnnotation(object, destroyedAnnotation, undefined);
  const marked = withAnnotation(unmarked, redeployedAnnotation, timeText(nowMs));
  const spec = objectAt(object, "spec");
  const at = textAt(spec, "plannedDestruction", "at");
  if (at !== "" && Date.parse(at) > nowMs) return marked;
  const lifetime = await lifetimeFor(object.metadata.namespace ?? "", spec, ports);
  return { ...marked, spec: withDefaultDate(spec, lifetime, nowMs) };
}

async function templatesOf(
  namespace: string,
  spec: JsonObject,
  { templates }: Pick<EnvironmentGuardPorts, "templates">,
): Promise<readonly (NamedTemplate | undefined)[]> {
  const names = textsAt(spec, "templates");
  return await Promise.all(names.map(async (name) => await templates.get(namespace, name)));
}

async function checkWrite(request: AdmissionRequest, ports: EnvironmentGuardPorts): Promise<void> {
  const { object, old, target, operation } = request;
  if (object === undefined || isServer(request)) return;
  const spec = objectAt(object, "spec");
  refuse(request, [
    ...(operation === "CREATE" ? nameErrors(object) : []),
    ...destroyedErrors(object, old),
    ...protectionErrors(request),
    ...(hasChanged(request, ["drift"]) ? driftErrors(spec) : []),
  ]);
  checkApprovalMode(request, ports);
  const isRevived = old !== undefined && isMarkedDestroyed(old) && !isMarkedDestroyed(object);
  const isDeployed = isRevived || hasChanged(request, deploymentFields);
  const isDated = hasChanged(request, ["plannedDestruction"]);
  const isDestroyed = hasChanged(request, ["desired"]) && textAt(spec, "desired") === "Destroyed";
  const isLinked = hasChanged(request, ["entryPoints", "statusEndpoints"]);
  const isApproved = hasChanged(request, ["approvedPlan"]);
  if (!isDeployed && !isDated && !isDestroyed && !isLinked && !isApproved) return;
  const found = await templatesOf(target.namespace, spec, ports);
  if (isDeployed) {
    const missing = (name: string): string => ports.templates.missing(target.namespace, name);
    const steps = deploymentErrors({ ...object.metadata }, spec, { found, missing });
    refuse(request, await inTurnsOf(target.namespace, steps));
    checkPermission(request, found, "deploy");
    checkAccount(request, ports);
  } else if (isLinked) {
    refuse(
      request,
      ownLinkErrors(
        spec,
        found.filter((each) => each !== undefined),
      ),
    );
  }
  if (isDeployed || isDestroyed) await checkFormer(request, found, ports);
  const specs = found.flatMap((each) => (each === undefined ? [] : [each.compiled.spec]));
  if (isDeployed || isDated) {
    const nowMs = ports.clock.nowMs();
    const sinceMs = beganMs(old, object, nowMs);
    refuse(request, [
      ...dateErrors(spec, old, nowMs),
      ...lifetimeErrors(spec, lifetimeOf(specs, ports.configuration), sinceMs),
    ]);
  }
  if (isDestroyed) checkPermission(request, found, "destroy");
  if (isApproved) await ports.checkApproval(request);
}

/** Approval that everyone could switch off would protect nothing. */
function checkApprovalMode(
  { object, old, target, caller }: AdmissionRequest,
  { authorizer }: EnvironmentGuardPorts,
): void {
  const wasRequired = textAt(old?.spec, "approval") === "Required";
  if (!wasRequired || textAt(object?.spec, "approval") === "Required") return;
  if (mayApprove(authorizer, caller.user, { namespace: target.namespace })) return;
  const who = `User ${JSON.stringify(caller.user.name)}`;
  const why = `${who} cannot approve plans, so spec.approval must stay Required`;
  throw forbidden(target.served.kind, target.name, why);
}

/** The mark frees the display name, so that only the server sets it. */
function destroyedErrors(object: Resource, old: Resource | undefined): readonly FieldError[] {
  const path = `metadata.annotations[${destroyedAnnotation}]`;
  const before = old?.metadata.annotations?.[destroyedAnnotation];
  const now = object.metadata.annotations?.[destroyedAnnotation];
  const isRevived = now === undefined && textAt(object.spec, "desired") !== "Destroyed";
  if (now === before || isRevived) return [];
  return [forbiddenField(path, "is set by the server when the Environment is Destroyed")];
}

function unprotect(object: Resource | undefined): string {
  return `setpoint env update ${object?.metadata.name ?? "ID"} --no-protect`;
}

function protectionErrors({ object, old }: AdmissionRequest): readonly FieldError[] {
  const isWanted = textAt(object?.spec, "desired") === "Destroyed";
  const wasWanted = textAt(old?.spec, "desired") === "Destroyed";
  if (!isWanted || wasWanted || !isTrueAt(object?.spec, "protected")) return [];
  return [
    forbiddenField(
      "spec.desired",
      `the Environment is protected: set spec.protected to false (${unprotect(object)})`,
    ),
  ];
}

/**
 * The Templates that are deployed now keep their restrictions: a change of Templates removes their
 * resources. Administrators may pass, because a Template cannot be changed.
 */
async function checkFormer(
  request: AdmissionRequest,
  found: readonly (NamedTemplate | undefined)[],
  ports: EnvironmentGuardPorts,
): Promise<void> {
  const { old, object, target, caller } = request;
  if (old === undefined || isMarkedDestroyed(old)) return;
  if (caller.user.groups.includes(mastersGroup)) return;
  const former = await templatesOf(target.namespace, objectAt(old, "spec"), ports);
  const idOf = (each: NamedTemplate | undefined): string => textAt(each?.compiled.spec, "id");
  const kept = new Set(found.map(idOf));
  const isWhole = textAt(object?.spec, "desired") === "Destroyed";
  const isRemoved = (each: NamedTemplate | undefined): boolean => isWhole || !kept.has(idOf(each));
  if (hasChanged(request, deploymentFields)) checkPermission(request, former, "deploy");
  checkPermission(request, former.filter(isRemoved), "destroy");
}

function checkPermission(
  { caller, target }: AdmissionRequest,
  found: readonly (NamedTemplate | undefined)[],
  verb: "deploy" | "destroy",
): void {
  for (const template of found) {
    if (template === undefined || isPermitted(template.compiled.spec, verb, caller.user)) continue;
    const who = `User ${JSON.stringify(caller.user.name)}`;
    const why = `${who} may not ${verb} the Template ${template.name}: see its spec.permissions`;
    throw forbidden(target.served.kind, target.name, why);
  }
}

function checkAccount(request: AdmissionRequest, ports: EnvironmentGuardPorts): void {
  const { object, target, caller } = request;
  const name = serviceAccountOf(objectAt(object, "spec"));
  const account = { namespace: target.namespace, name };
  const problem = accountUseProblem(ports, caller.user, account);
  if (problem === undefined) return;
  throw forbidden(target.served.kind, target.name, `spec.serviceAccountName: ${problem}`);
}

async function checkDeletion(
  request: AdmissionRequest,
  ports: EnvironmentGuardPorts,
): Promise<void> {
  const { old, target } = request;
  if (old === undefined || old.metadata.deletionTimestamp !== undefined) return;
  const isMarked = isMarkedDestroyed(old);
  if (isTrueAt(old.spec, "protected") && !isMarked) {
    const message = `the Environment ${target.name} is protected`;
    throw new SetpointError("resource.protected", message, {
      details: { name: target.name },
      suggestion: `run setpoint env update ${target.name} --no-protect, then repeat the deletion`,
    });
  }
  if (isServer(request) || isMarked) return;
  const found = await templatesOf(target.namespace, objectAt(old, "spec"), ports);
  checkPermission(request, found, "destroy");
}

function nameTaken(request: AdmissionRequest, fault: HeldFault): SetpointError | undefined {
  const { object, target } = request;
  if (object === undefined || !isWriteOf(request, environmentsKind)) return undefined;
  const own = displayNameOf(target.namespace, shownName(object));
  if (!("scope" in fault) || fault.scope !== own.scope) return undefined;
  const holder = fault.holder === null ? "another Environment" : fault.holder.name;
  const why =
    `spec.displayName: ${JSON.stringify(shownName(object))} is used by ${holder}: ` +
    "choose another display name, or destroy that Environment";
  const { code, message, details } = conflict(target.served.kind, object.metadata.name, why);
  const suggestion = "Choose another display name, or destroy that Environment.";
  return new SetpointError(code, message, { details, suggestion });
}

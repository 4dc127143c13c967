// An action of a template as an Operation: its document is applied as a resource of the Operation,
// as the ServiceAccount of the environment, and its end is the end of the Operation.

import { hash } from "node:crypto";
import { isSetpointError } from "../../../kernel/errors.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { objectAt, objectsAt, textAt, textsAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { TemplateProblem } from "../../../kernel/template/template.ts";
import { serviceAccountOf } from "../environment/environment.ts";
import { secretsFrom } from "../environment/apply-deployment.ts";
import { readableOutputs } from "../environment/members.ts";
import { membersOf } from "../environment/run.ts";
import type { EnvironmentRun } from "../environment/run.ts";
import {
  actionLabel,
  cancelAnnotation,
  environmentLabel,
  forceCancelAnnotation,
} from "../names.ts";
import { operationLabel } from "../names.ts";
import { applyTarget } from "../resource/apply-target.ts";
import { readExternals, secretOutputsOf } from "../resource/dependencies.ts";
import { outputsOf } from "../resource/outputs.ts";
import { kindFound, readTarget } from "../resource/run.ts";
import { progressOf, targetState } from "../resource/target-state.ts";
import type { Action } from "../templates/actions.ts";
import type { CompiledTemplate } from "../templates/compile.ts";
import { environmentFacts } from "../templates/expand.ts";
import type { NamedTemplate } from "../templates/expand.ts";
import { checkParameters, joinedDeclarations } from "../templates/parameters.ts";
import { renderTarget } from "../templates/render.ts";
import type { Outputs } from "../templates/render.ts";
import { endOperation, patchOperation } from "./records.ts";
import type { OperationRecord } from "./records.ts";
import { shownDocument } from "../templates/secret-flow.ts";
import { inTurnsOf } from "../templates/turns.ts";

export async function performAction(
  run: EnvironmentRun,
  operation: OperationRecord,
  fail: FailAction = failAction,
): Promise<OperationRecord> {
  const name = textAt(operation.spec, "action");
  const found = await findAction(run, name);
  if (found === undefined) {
    const message = `no Template of the Environment has the action ${name}`;
    return await fail(run, operation, { reason: "NotFound", message });
  }
  try {
    return await carryOn(run, operation, { ...found, fail });
  } catch (error) {
    const isRefused = isSetpointError(error) && error.code !== "claim.lost";
    if (!isRefused && !(error instanceof TemplateProblem)) throw error;
    return await fail(run, operation, { reason: "ActionRefused", message: error.message });
  }
}

/** What follows when the action cannot be carried out. */
export type FailAction = (
  run: EnvironmentRun,
  operation: OperationRecord,
  fields: JsonObject,
) => Promise<OperationRecord>;

export async function failAction(
  run: EnvironmentRun,
  operation: OperationRecord,
  fields: JsonObject,
): Promise<OperationRecord> {
  return await endOperation(run, operation, "Failed", fields);
}

/** The Operation goes on until the action succeeds, or is cancelled. */
export async function holdAction(
  run: EnvironmentRun,
  operation: OperationRecord,
  fields: JsonObject,
): Promise<OperationRecord> {
  const isCancelled = textAt(operation.spec, "cancel") !== "";
  if (isCancelled) return await endOperation(run, operation, "Cancelled", fields);
  return await patchOperation(run, operation, fields);
}

interface CarriedAction extends FoundAction {
  readonly fail: FailAction;
}

interface FoundAction {
  readonly action: Action;
  readonly compiled: CompiledTemplate;
  readonly templates: readonly NamedTemplate[];
}

export async function templatesOf({
  resource,
  ports,
}: EnvironmentRun): Promise<readonly NamedTemplate[]> {
  const namespace = resource.metadata.namespace ?? "";
  const names = textsAt(resource.spec, "templates");
  const found = await Promise.all(
    names.map(async (name) => await ports.templates.get(namespace, name)),
  );
  return found.filter((each) => each !== undefined);
}

async function findAction(run: EnvironmentRun, name: string): Promise<FoundAction | undefined> {
  const templates = await templatesOf(run);
  for (const { compiled } of templates) {
    const action = compiled.actions.get(name);
    if (action !== undefined) return { action, compiled, templates };
  }
  return undefined;
}

async function carryOn(
  run: EnvironmentRun,
  operation: OperationRecord,
  { action, compiled, templates, fail }: CarriedAction,
): Promise<OperationRecord> {
  const { resource, context, ports } = run;
  const found = kindFound(ports, action.apiVersion, action.kind);
  if (found === undefined) {
    const message = `no kind ${action.kind} is served in ${action.apiVersion}`;
    return await fail(run, operation, { reason: "UnknownKind", message });
  }
  const namespace = resource.metadata.namespace ?? "";
  const key = { kind: found.served.id, namespace, name: operation.name };
  const existing = await readTarget(ports, key);
  const cancel = textAt(operation.spec, "cancel");
  const { kind } = found.served;
  const { store } = ports;
  const externals = await readExternals(action.referred.externals, {
    context,
    store,
    compiled,
    namespace,
  });
  if (externals.blockers.length > 0) {
    const message = `the action ${externals.message}, which is not ready`;
    return await fail(run, operation, { reason: "ActionRefused", message });
  }
  const rendered = renderTarget({
    document: action.document,
    spec: { input: await inputOf(run, templates, action) },
    resources: await outputsRead(run, action),
    externals: externals.externals,
    kind,
    more: { action: { name: action.name, ...action.app } },
  });
  const target = await applyTarget(ports, {
    context,
    owner: operation.resource,
    found,
    document: withIdentity(rendered, { operation, action, environment: resource, cancel }),
    isThere: existing !== undefined,
    serviceAccountName: serviceAccountOf(objectAt(resource, "spec")),
  });
  // The Environment is not the owner of the target: a reference wakes it.
  await context.references.get({ kind: key.kind, name: key.name });
  const shown = shownDocument(kind, target);
  const hasStatus = found.served.isReconciled || found.version.definition.subresources.status;
  const state = targetState({ target: shown, readyWhen: action.readyWhen, hasStatus });
  const progress = progressOf(shown) ?? null;
  switch (state.kind) {
    case "ready": {
      const result = outputsOf({ outputs: undefined, path: "" }, shown);
      const outputs = result.kind === "outputs" ? result.outputs : {};
      return await endOperation(run, operation, "Succeeded", { outputs, progress });
    }
    case "failed": {
      const { reason, message } = state;
      return await fail(run, operation, { reason, message, progress });
    }
    case "cancelled":
      return await endOperation(run, operation, "Cancelled", { message: state.message });
    default:
      if (cancel === "Force") return await endOperation(run, operation, "Cancelled");
      return await patchOperation(run, operation, { progress, reason: null, message: null });
  }
}

async function inputOf(
  run: EnvironmentRun,
  templates: readonly NamedTemplate[],
  { referred }: Action,
): Promise<JsonObject> {
  const { resource, context } = run;
  const spec = objectAt(resource, "spec");
  const declared = joinedDeclarations(templates.map(({ compiled }) => compiled.spec));
  const given = {
    plain: objectAt(spec, "parameters"),
    secret: objectAt(spec, "secretParameters"),
  };
  const checked = checkParameters(declared, given, "spec");
  const { plain, secret } = await inTurnsOf(resource.metadata.namespace ?? "", checked);
  const secrets: { [name: string]: string } = {};
  const secretOf = secretsFrom(context);
  const generated = templates.flatMap(({ compiled }) => objectsAt(compiled.spec, "secrets"));
  for (const each of generated) {
    const name = textAt(each, "name");
    if (referred.secrets.has(name)) secrets[name] = await secretOf(name, each);
  }
  return {
    parameters: plain,
    environment: environmentFacts({ ...resource.metadata }, spec),
    secrets: { parameters: secret, secrets },
  };
}

/** The outputs of the resources that the action reads, with the secret ones. */
async function outputsRead(
  run: EnvironmentRun,
  { referred }: Action,
): Promise<ReadonlyMap<string, Outputs>> {
  const read = (await membersOf(run)).filter(({ key }) => referred.keys.has(key));
  const secrets = new Map<string, JsonObject>();
  for (const { name, resource } of read) {
    const secret = await secretOutputsOf(resource, run.ports.store);
    if (secret !== undefined) secrets.set(name, secret.data);
  }
  return new Map(Object.entries(readableOutputs(read, secrets)));
}

/** A label has at most 63 characters, and a letter or a digit at its end. */
export function labelOf(name: string): string {
  if (name.length <= 63) return name;
  return `${name.slice(0, 46)}-${hash("sha256", name, "hex").slice(0, 16)}`;
}

interface ActionIdentity {
  readonly operation: OperationRecord;
  readonly action: Action;
  readonly environment: Resource;
  readonly cancel: string;
}

function withIdentity(
  rendered: JsonObject,
  { operation: { name }, action, environment, cancel }: ActionIdentity,
): JsonObject {
  const metadata = objectAt(rendered, "metadata");
  const cancels = {
    ...(cancel === "" ? {} : { [cancelAnnotation]: name }),
    ...(cancel === "Force" ? { [forceCancelAnnotation]: name } : {}),
  };
  return {
    ...rendered,
    metadata: {
      name,
      namespace: environment.metadata.namespace ?? "",
      labels: {
        ...objectAt(metadata, "labels"),
        [environmentLabel]: environment.metadata.name,
        [operationLabel]: labelOf(name),
        [actionLabel]: labelOf(action.name),
      },
      annotations: { ...objectAt(metadata, "annotations"), ...cancels },
    },
  };
}

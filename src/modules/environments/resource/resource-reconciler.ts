// Reconciles EnvironmentResources: waits for dependencies, applies the target, reports state and
// outputs. It is woken by its dependencies and by its target; between changes it costs nothing.

import { done, failed, waiting } from "../../../engine/outcome.ts";
import type { Outcome } from "../../../engine/outcome.ts";
import type { Reconciler } from "../../../engine/reconciler.ts";
import type { Found } from "../../../intents/kinds/registry.ts";
import { namespaceTenant } from "../../../intents/auth/tenant-name.ts";
import { entryOf, isSetpointError } from "../../../kernel/errors.ts";
import type { ErrorCode } from "../../../kernel/errors.ts";
import { numberAt, objectAt, textAt } from "../../../kernel/json-read.ts";
import { heavyTurns } from "../../../kernel/pauses.ts";
import type { Resource, ResourceKey } from "../../../kernel/resource.ts";
import { TemplateProblem } from "../../../kernel/template/template.ts";
import { defaultServiceAccount } from "../environment/environment.ts";
import { resourcesKind } from "../names.ts";
import type { CompiledResource, CompiledTemplate } from "../templates/compile.ts";
import { renderTarget } from "../templates/render.ts";
import { applyTarget, isOwned } from "./apply-target.ts";
import { passCancel } from "./cancel.ts";
import { dependenciesOf } from "./dependencies.ts";
import type { Dependencies } from "./dependencies.ts";
import { removeResource, removeTarget } from "./remove.ts";
import { memberHealth } from "./health.ts";
import { blockedStatus, failedStatus, reportOf, versionOf } from "./report.ts";
import { kindFound, readTarget, targetKey } from "./run.ts";
import type { ResourcePorts, ResourceRun } from "./run.ts";
import { documentDigest, targetDocument } from "./target-document.ts";
import { shownDocument } from "../templates/secret-flow.ts";

export function resourceReconciler(ports: ResourcePorts): Reconciler {
  return {
    kind: resourcesKind,
    resyncMs: 0,
    reconcile: async (resource, context) => {
      try {
        return await reconcile({ resource, context, ports });
      } catch (error) {
        const outcome = refusedOutcome(error, resource);
        if (outcome === undefined) throw error;
        return outcome;
      }
    },
    remove: async (resource, context) => await removeResource({ resource, context, ports }),
  };
}

async function reconcile(run: ResourceRun): Promise<Outcome> {
  const { resource, ports } = run;
  const namespace = resource.metadata.namespace ?? "";
  const template = textAt(resource.spec, "template");
  const named = await ports.templates.get(namespace, template);
  const own = named?.compiled.entries.get(textAt(resource.spec, "key"));
  if (named === undefined || own === undefined) {
    const message = `the Template ${template} does not have this resource`;
    return failure(resource, "TemplateNotFound", message);
  }
  const { apiVersion, kind } = own.entry;
  const found = kindFound(ports, apiVersion, kind);
  if (found === undefined) {
    return failure(
      resource,
      "UnknownKind",
      `no kind ${kind} is served in ${apiVersion}: install it`,
    );
  }
  const cancelled = await passCancel(run, found);
  if (cancelled !== undefined) return cancelled;
  const {
    context,
    ports: { store },
  } = run;
  const input = { resource, context, store, compiled: named.compiled, own };
  const dependencies = await dependenciesOf(input);
  if (dependencies.blockers.length > 0) {
    const { blockers, message } = dependencies;
    return waiting(blockers, { message, status: blockedStatus(dependencies) });
  }
  return await deploy(run, { found, own, compiled: named.compiled, dependencies });
}

/** The expressions of an entry that take long let other requests run between its resources. */
const evaluated = heavyTurns();

interface Deploying {
  readonly found: Found;
  readonly own: CompiledResource;
  readonly compiled: CompiledTemplate;
  readonly dependencies: Dependencies;
}

async function deploy(run: ResourceRun, given: Deploying): Promise<Outcome> {
  const { resource, ports, context } = run;
  const { found, own, dependencies } = given;
  const { kind } = found.served;
  const tenant = namespaceTenant(resource.metadata.namespace ?? "");
  const input = {
    document: own.entry.document,
    spec: resource.spec,
    resources: dependencies.resources,
    externals: dependencies.externals,
    kind,
  };
  const rendered = await evaluated(own, tenant, () => renderTarget(input));
  const document = targetDocument(rendered, resource);
  const key = targetKey(resource, found, document);
  const former = await formerTarget(run, key);
  if (former !== undefined) return former;
  const existing = await readTarget(ports, key);
  const digest = documentDigest(shownDocument(kind, document), dependencies.versions);
  const target = isApplied(resource, existing, digest)
    ? existing
    : await applyTarget(ports, {
        context,
        owner: resource,
        found,
        document,
        isThere: existing !== undefined,
        serviceAccountName: textAt(resource.spec, "serviceAccountName"),
      });
  const shown = shownDocument(kind, target);
  const hasStatus = found.served.isReconciled || found.version.definition.subresources.status;
  const facts = { resource, entry: own.entry, target: shown, digest, hasStatus, key };
  const report = await evaluated(own, tenant, () => reportOf(facts));
  const health = await memberHealth(run, own.entry, report);
  const status = { ...report.status, statusEndpoints: health.endpoints };
  return done({ status, ready: report.ready, resyncMs: health.againMs });
}

/** Nothing has changed since the document was applied, in it or in the target. */
function isApplied(
  { metadata, status }: Resource,
  existing: Resource | undefined,
  digest: string,
): existing is Resource {
  if (existing === undefined || textAt(status, "digest") !== digest) return false;
  if (numberAt(status, "deployedGeneration") !== metadata.generation) return false;
  const target = objectAt(status, "target");
  const isSame = textAt(target, "uid") === existing.metadata.uid;
  return isSame && numberAt(target, "generation") === versionOf({ ...existing });
}

/** Another version of the template may have another kind or name for the same key. */
async function formerTarget(run: ResourceRun, key: ResourceKey): Promise<Outcome | undefined> {
  const { resource, ports } = run;
  const status = objectAt(resource.status, "target");
  const former = { ...key, kind: textAt(status, "resource"), name: textAt(status, "name") };
  const isSame = former.kind === key.kind && former.name === key.name;
  if (former.kind === "" || isSame) return undefined;
  const target = await readTarget(ports, former);
  if (target === undefined || !isOwned(target, resource)) return undefined;
  const outcome = await removeTarget(run, former, target);
  return outcome.kind === "done" ? undefined : outcome;
}

function failure(resource: Resource, reason: string, message: string): Outcome {
  const ready = { status: "False", reason, message } as const;
  const status = failedStatus(resource, reason, message);
  return failed(reason, message, { retry: "slow", ready, status });
}

/** What the write path or the template refuses is a state of the resource, and is tried again. */
function refusedOutcome(error: unknown, resource: Resource): Outcome | undefined {
  if (error instanceof TemplateProblem) return failure(resource, "TemplateFailed", error.message);
  if (!isSetpointError(error)) return undefined;
  const reason = reasons[error.code] ?? otherReason(error.code);
  if (reason === undefined) return undefined;
  const hint = error.code === "request.forbidden" ? forbiddenHint(resource) : "";
  return failure(resource, reason, `${error.message}${hint}`);
}

/** The ServiceAccount of the environment has only the rights that it is given. */
function forbiddenHint({ metadata, spec }: Resource): string {
  const account = textAt(spec, "serviceAccountName") || defaultServiceAccount;
  const { namespace = "" } = metadata;
  const command = `kubectl create rolebinding ${account} -n ${namespace} --clusterrole=edit`;
  return `; to allow it: ${command} --serviceaccount=${namespace}:${account}`;
}

/** Modules and policies refuse with codes of their own: executors.policy_denied is PolicyDenied. */
function otherReason(code: ErrorCode): string | undefined {
  const { status, retry } = entryOf(code);
  const isRefusal = retry === "never" && status >= 400 && status < 500;
  if (!isRefusal || code === "claim.lost") return undefined;
  const words = (code.split(".").at(-1) ?? "").split("_");
  return words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join("");
}

const reasons: Readonly<Record<string, string>> = {
  "request.forbidden": "Forbidden",
  "request.invalid": "Invalid",
  "resource.invalid": "Invalid",
  "resource.not_owned": "TargetNotOwned",
  "resource.protected": "Protected",
  "counter.exceeded": "QuotaExceeded",
  "apply.conflict": "Conflict",
  "webhook.failed": "WebhookFailed",
};

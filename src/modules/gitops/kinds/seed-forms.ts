// The kinds of managed-gitops.redhat.com/v1alpha1: a second form of the resources of this module,
// for manifests and clients of managed-gitops. See decision 27.

import type { DeclaredForm } from "../../../contract/module.ts";
import { getOwn } from "../../../kernel/json.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { objectAt, objectsAt, textAt, valueAt } from "../../../kernel/json-read.ts";
import type { KindInput } from "../../../kernel/kind.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { gitopsConfiguration } from "../configuration.ts";
import { gitopsGroup, seedGroup } from "../names.ts";
import { textColumn } from "./kind-parts.ts";
import { seedCredential, seedDeployment, seedEnvironment } from "./seed-schemas.ts";
import { seedOperation, seedSyncRun } from "./seed-schemas.ts";

export const seedForms: readonly DeclaredForm[] = [
  form("GitOpsDeployment", "gitopsdeployments", seedDeployment, {
    columns: [
      textColumn("Sync Status", ".status.sync.status"),
      textColumn("Health Status", ".status.health.status"),
    ],
    shown: shownDeployment,
    created: createdDeployment,
  }),
  form("GitOpsDeploymentSyncRun", "gitopsdeploymentsyncruns", seedSyncRun),
  form(
    "GitOpsDeploymentRepositoryCredential",
    "gitopsdeploymentrepositorycredentials",
    seedCredential,
  ),
  form(
    "GitOpsDeploymentManagedEnvironment",
    "gitopsdeploymentmanagedenvironments",
    seedEnvironment,
    { shown: shownEnvironment },
  ),
  form("Operation", "operations", seedOperation),
];

interface FormOptions extends Pick<DeclaredForm, "shown" | "created"> {
  readonly columns?: KindInput["versions"][number]["printerColumns"];
}

function form(
  kind: string,
  plural: string,
  schema: JsonObject,
  { columns = [], ...conversions }: FormOptions = {},
): DeclaredForm {
  return {
    kind: {
      group: seedGroup,
      names: { plural, kind },
      scope: "Namespaced",
      subresources: { status: true },
      versions: [
        { name: "v1alpha1", served: true, storage: true, schema, printerColumns: columns },
      ],
    },
    of: `${plural}.${gitopsGroup}`,
    isInstalled: (configuration) => gitopsConfiguration(configuration).seedGroup,
    ...conversions,
  };
}

/** In managed-gitops, an automated deployment may delete its last object. */
function createdDeployment(document: Resource): Resource {
  if (textAt(document.spec, "type") !== "automated") return document;
  const spec = objectAt(document, "spec");
  const syncPolicy = { ...objectAt(spec, "syncPolicy"), allowEmpty: true };
  return { ...document, spec: { ...spec, syncPolicy } };
}

function shownDeployment(document: Resource): Resource {
  const status = objectAt(document, "status");
  if (Object.keys(status).length === 0) return document;
  const conditions = objectsAt(status, "conditions").map(withProbeTime);
  const state = objectAt(status, "operationState");
  const operationState =
    textAt(state, "phase") === ""
      ? {}
      : { operationState: { ...state, operation: operationOf(objectAt(state, "operation")) } };
  return { ...document, status: { ...status, conditions, ...operationState } };
}

function withProbeTime(condition: JsonObject): JsonObject {
  const at = getOwn(condition, "lastTransitionTime");
  return at === undefined ? condition : { ...condition, lastProbeTime: at };
}

/** As Argo CD records it. */
function operationOf(operation: JsonObject): JsonObject {
  const trigger = textAt(operation, "trigger");
  const prune = valueAt(operation, "prune");
  const limit = valueAt(operation, "retryLimit");
  return {
    initiatedBy: { automated: trigger === "Automated" || trigger === "SelfHeal" },
    ...(typeof limit === "number" ? { retry: { limit } } : {}),
    sync: {
      revision: textAt(operation, "revision"),
      ...(typeof prune === "boolean" ? { prune } : {}),
    },
  };
}

/** The form demands the field. */
function shownEnvironment(document: Resource): Resource {
  const spec = objectAt(document, "spec");
  if (getOwn(spec, "allowInsecureSkipTLSVerify") !== undefined) return document;
  return { ...document, spec: { ...spec, allowInsecureSkipTLSVerify: false } };
}

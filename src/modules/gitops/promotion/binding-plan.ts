/** The deployments of a SnapshotEnvironmentBinding. Pure. */
import type { JsonObject } from "../../../kernel/json.ts";
import { objectAt, objectsAt, textAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { TemplateProblem, compileTemplate } from "../../../kernel/template/template.ts";
import { generatedDocument, generatedName } from "../generated-deployment.ts";
import type { ChildDocument } from "../../../engine/reconciler.ts";
import { applicationLabel, componentLabel, environmentLabel, gitopsGroup } from "../names.ts";
import type { PromotionProblem } from "./problem-conditions.ts";

export interface BindingFacts {
  readonly binding: Resource;
  readonly environment: Resource;
  readonly snapshot: Resource;
}

export interface BindingDeployment {
  readonly component: string;
  readonly document: ChildDocument;
}

export type BindingPlan =
  | { readonly kind: "plan"; readonly deployments: readonly BindingDeployment[] }
  | { readonly kind: "problem"; readonly problem: PromotionProblem };

export function planBinding(facts: BindingFacts): BindingPlan {
  const { binding, snapshot } = facts;
  const application = textAt(binding.spec, "application");
  if (textAt(snapshot.spec, "application") !== application) {
    const other = textAt(snapshot.spec, "application");
    const message = `the Snapshot ${snapshot.metadata.name} is of the application ${other}`;
    return problem("SnapshotOfOtherApplication", message);
  }
  const names = objectsAt(binding.spec, "components").map((each) => textAt(each, "name"));
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  if (repeated !== undefined) {
    return problem("DuplicateComponents", `spec.components has ${repeated} twice`);
  }
  const deployments: BindingDeployment[] = [];
  for (const component of names) {
    const planned = planComponent(facts, component);
    if ("reason" in planned) return { kind: "problem", problem: planned };
    deployments.push(planned);
  }
  return { kind: "plan", deployments };
}

function planComponent(
  { binding, environment, snapshot }: BindingFacts,
  component: string,
): BindingDeployment | PromotionProblem {
  const { name, namespace = "", labels: own = {} } = binding.metadata;
  const application = textAt(binding.spec, "application");
  const labels = {
    // Labels of the group on the binding are those of its deployments.
    ...Object.fromEntries(Object.entries(own).filter(([key]) => key.startsWith(`${gitopsGroup}/`))),
    [applicationLabel]: application,
    [componentLabel]: component,
    [environmentLabel]: environment.metadata.name,
  };
  const long = Object.values(labels).find((value) => value.length > 63);
  if (long !== undefined) {
    const message = `${JSON.stringify(long)} has more than 63 characters, and has to be a label`;
    return { reason: "ErrorGeneratingGitOpsDeployment", message };
  }
  const source = sourceOf(binding, environment, snapshot, component);
  if ("reason" in source) return source as unknown as PromotionProblem;
  const managed = textAt(environment.status, "managedEnvironment");
  const inside = textAt(environment.status, "targetNamespace");
  const destination =
    managed === ""
      ? {}
      : {
          destination: {
            environment: managed,
            ...(inside === "" ? {} : { namespace: inside }),
          },
        };
  const spec = { source, type: "automated", ...destination };
  const parts = [name, application, environment.metadata.name, component];
  return {
    component,
    document: generatedDocument({ name: generatedName(...parts), namespace, labels, spec }),
  };
}

function sourceOf(
  binding: Resource,
  environment: Resource,
  snapshot: Resource,
  component: string,
): JsonObject | PromotionProblem {
  const named = (list: readonly JsonObject[]): JsonObject | undefined =>
    list.find((each) => textAt(each, "name") === component);
  const found = named(objectsAt(snapshot.spec, "components"));
  if (found === undefined) {
    const message = `the Snapshot ${snapshot.metadata.name} has no component ${component}`;
    return { reason: "ErrorGeneratingGitOpsDeployment", message };
  }
  const image = textAt(found, "containerImage");
  const kustomize = image === "" ? {} : { kustomize: { images: [`${component}=${image}`] } };
  const created = objectAt(
    named(objectsAt(binding.status, "components")) ?? {},
    "gitOpsRepository",
  );
  if (textAt(created, "url") !== "") {
    const path = textAt(created, "path");
    if (path === "") {
      const message = `status.components of ${component} has no gitOpsRepository.path yet`;
      return { reason: "GitOpsRepoNotReady", message, isWaiting: true };
    }
    const targetRevision = textAt(created, "commitID") || textAt(created, "branch");
    return { repoURL: textAt(created, "url"), path, targetRevision, ...kustomize };
  }
  const git = objectAt(found, "source", "git");
  if (textAt(git, "url") === "") {
    const message =
      `the component ${component} has no source.git.url in the Snapshot, ` +
      "and no service has written status.components of the binding yet";
    return { reason: "WaitingForComponentStatus", message, isWaiting: true };
  }
  const path = renderedPath(textAt(git, "context") || ".", environment, component);
  if (typeof path !== "string") return path;
  const targetRevision = textAt(git, "revision");
  return { repoURL: textAt(git, "url"), path, targetRevision, ...kustomize };
}

function renderedPath(
  context: string,
  environment: Resource,
  component: string,
): string | PromotionProblem {
  const where = `source.git.context of ${component}`;
  const invalid = (message: string): PromotionProblem => ({
    reason: "ErrorGeneratingGitOpsDeployment",
    message,
  });
  const compiled = compileTemplate(context, ["environment", "component"], where);
  if (compiled.kind === "failed") return invalid(`${where}: ${compiled.errors[0]?.detail}`);
  try {
    const { name } = environment.metadata;
    const type = textAt(environment.spec, "type");
    const path = compiled.template.render({
      environment: { name, type },
      component: { name: component },
    });
    return typeof path === "string" ? path : invalid(`${where} must be a text`);
  } catch (error) {
    if (!(error instanceof TemplateProblem)) throw error;
    return invalid(error.message);
  }
}

export interface DeployedComponent {
  readonly component: string;
  readonly name: string;
  readonly sync: string;
  readonly health: string;
  readonly healthMessage: string;
  readonly revision: string;
  readonly isDeployed: boolean;
  readonly resources: readonly JsonObject[];
}

/** Deployed: the deployment shows that its present spec is synced and healthy. */
export function deployedComponent(
  { component, document }: BindingDeployment,
  live: Resource | undefined,
): DeployedComponent {
  const status = objectAt(live ?? {}, "status");
  const source = objectAt(document, "spec", "source");
  const seen = objectAt(status, "reconciledState", "source");
  const isSeen =
    live !== undefined &&
    status["observedGeneration"] === live.metadata.generation &&
    textAt(seen, "repoURL") === textAt(source, "repoURL") &&
    textAt(seen, "path") === textAt(source, "path") &&
    textAt(seen, "branch") === textAt(source, "targetRevision");
  const sync = textAt(status, "sync", "status");
  const health = textAt(status, "health", "status");
  return {
    component,
    name: document.metadata.name,
    sync,
    health,
    healthMessage: textAt(status, "health", "message"),
    revision: textAt(status, "sync", "revision"),
    isDeployed: isSeen && sync === "Synced" && health === "Healthy",
    resources: objectsAt(status, "resources"),
  };
}

function problem(reason: string, message: string): BindingPlan {
  return { kind: "problem", problem: { reason, message } };
}

// What the routes about a deployment have in common.

import { requestContext } from "../../../acting/request-context.ts";
import type { OpenPorts } from "../../../contract/ports.ts";
import type { RouteAccess, RoutePorts, RouteRequest } from "../../../contract/route.ts";
import type { Context } from "../../../engine/reconciler.ts";
import { causeOf } from "../../../intents/write/cause-of.ts";
import { decodeDocument } from "../../../kernel/document.ts";
import { SetpointError } from "../../../kernel/errors.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { gitopsLimits } from "../limits.ts";
import { deploymentKey, gitopsGroup } from "../names.ts";
import type { RenderRefused } from "../render/renderer.ts";
import type { SourceProblem } from "../source/source-trees.ts";
import type { TargetProblem } from "../targets/target.ts";

export const deploymentPath = "/api/v1/gitops/deployments/{namespace}/{name}";
export const parameters = {
  namespace: "The namespace.",
  name: "The name of the GitOpsDeployment.",
};

export function deploymentAccess(verb: string): RouteAccess {
  const resource = "gitopsdeployments";
  const place = { namespace: "{namespace}", name: "{name}" };
  return { kind: "resource", verb, group: gitopsGroup, resource, ...place };
}

export async function deploymentOf(
  { store }: Pick<RoutePorts, "store">,
  { path: { namespace = "", name = "" } }: Pick<RouteRequest, "path">,
): Promise<Resource> {
  const record = await store.get(deploymentKey(namespace, name));
  if (record !== undefined) return decodeDocument(record.body, record.revision);
  const message = `gitopsdeployments.${gitopsGroup} "${name}" not found`;
  throw new SetpointError("resource.not_found", message);
}

export function contextOf(
  { clock, random }: Pick<OpenPorts, "clock" | "random">,
  { store }: Pick<RoutePorts, "store">,
  { caller, signal }: Pick<RouteRequest, "caller" | "signal">,
  { metadata: { namespace = "" } }: Resource,
): Context {
  const cause = causeOf(caller);
  const callTimeoutMs = gitopsLimits.gitTimeoutMs;
  return requestContext({ store, clock, random, signal, cause, namespace, callTimeoutMs });
}

type Problem = SourceProblem | TargetProblem | RenderRefused;

/** Throws what is wrong. */
export function found<T extends { readonly kind: string }>(
  result: T | Problem,
): Exclude<T, Problem> {
  if (result.kind !== "problem" && result.kind !== "refused") return result as Exclude<T, Problem>;
  const { reason, message } = result as Problem;
  throw failed(`${reason}: ${message}`);
}

export function failed(message: string): SetpointError {
  return new SetpointError("gitops.source_failed", message);
}

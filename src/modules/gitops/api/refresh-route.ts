// Compares the repository of a deployment now, as a webhook does, for a caller who may change it,
// and finds the commit behind a name.

import type { Route, RoutePorts, RouteRequest } from "../../../contract/route.ts";
import { commitWakes, wake } from "../../../engine/wakes/wakes.ts";
import { textAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { gitopsLimits } from "../limits.ts";
import { deploymentKey, sourceKey } from "../names.ts";
import type { SyncInput } from "../sync/sync-input.ts";
import { contextOf, deploymentAccess, deploymentOf, deploymentPath, found } from "./request.ts";
import { parameters } from "./request.ts";

/** The answer comes after the repository was read: the caller knows what will be applied. */
export function refreshRoute(input: SyncInput, ports: RoutePorts): Route {
  return {
    method: "POST",
    path: `${deploymentPath}/refresh`,
    parameters,
    summary: "Compare the repository and the target of a deployment now.",
    tag: "GitOps",
    access: deploymentAccess("update"),
    answers: {
      202: {
        description: "The commit that the deployment should have, which is compared now.",
        schema: { type: "object", properties: { revision: { type: "string" } } },
      },
    },
    errors: [403, 404, 502],
    handle: async (request) => {
      const deployment = await deploymentOf(ports, request);
      const head = await commitOf(input, ports, request, deployment, targetOf(deployment));
      const { namespace = "", name, uid } = deployment.metadata;
      const source = textAt(deployment, "status", "source", "name");
      const wakes = [
        wake(deploymentKey(namespace, name), uid),
        ...(source === "" ? [] : [wake(sourceKey(namespace, source), undefined)]),
      ];
      await commitWakes(ports.intents.store, wakes, request.signal);
      const document = { revision: pinnedAt(deployment, head) ?? head };
      return { kind: "document", status: 202, document };
    },
  };
}

export function revisionRoute(input: SyncInput, ports: RoutePorts): Route {
  return {
    method: "GET",
    path: `${deploymentPath}/revision`,
    parameters,
    summary: "Find the commit of a branch, tag or commit in the repository of a deployment.",
    tag: "GitOps",
    access: deploymentAccess("update"),
    query: {
      type: "object",
      required: ["revision"],
      properties: {
        revision: {
          type: "string",
          minLength: 1,
          maxLength: gitopsLimits.maxRefChars,
          description: "A branch, tag or commit.",
        },
      },
    },
    answers: {
      200: {
        description: "The commit, and that of spec.source.targetRevision.",
        schema: {
          type: "object",
          properties: { commit: { type: "string" }, head: { type: "string" } },
        },
      },
    },
    errors: [403, 404, 502],
    handle: async (request) => {
      const deployment = await deploymentOf(ports, request);
      const wanted = textAt(request.query, "revision");
      const commit = await commitOf(input, ports, request, deployment, wanted);
      const head = await commitOf(input, ports, request, deployment, targetOf(deployment));
      return { kind: "document", status: 200, document: { commit, head } };
    },
  };
}

async function commitOf(
  { ports: own, trees }: SyncInput,
  ports: RoutePorts,
  request: RouteRequest,
  deployment: Resource,
  ref: string,
): Promise<string> {
  const context = contextOf(own, ports, request, deployment);
  return found(await trees.resolve(deployment, ref, context)).commit;
}

export function targetOf(deployment: Resource): string {
  const ref = textAt(deployment, "spec", "source", "targetRevision");
  return ref === "HEAD" ? "" : ref;
}

/** The pinned commit, while the pin is in force. */
function pinnedAt({ spec }: Resource, head: string): string | undefined {
  const revision = textAt(spec, "pin", "revision");
  const until = textAt(spec, "pin", "head");
  return revision !== "" && (until === "" || until === head) ? revision : undefined;
}

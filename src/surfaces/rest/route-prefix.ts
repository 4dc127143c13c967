// Which URLs belong to the REST surface. "/api/v1/WORD" belongs to Kubernetes unless the word is
// the first word of a route. The list is closed when the server starts, and no word may be the
// name of a resource that Kubernetes has, or had, at "/api/v1".

import { assert } from "../../kernel/assert.ts";
import type { RouteAddress } from "./router.ts";

/** Resources and special words of the Kubernetes core API. */
export const kubernetesWords: ReadonlySet<string> = new Set([
  "bindings",
  "componentstatuses",
  "configmaps",
  "endpoints",
  "events",
  "limitranges",
  "minions",
  "namespaces",
  "nodes",
  "persistentvolumeclaims",
  "persistentvolumes",
  "pods",
  "podtemplates",
  "proxy",
  "redirect",
  "replicationcontrollers",
  "resourcequotas",
  "secrets",
  "serviceaccounts",
  "services",
  "watch",
]);

/** "/api/v1/WORD"; undefined for a path that a route may not have. */
export function prefixOfRoute(path: string): string | undefined {
  const [root, api, version, word = ""] = path.split("/");
  if (root !== "" || api !== "api" || version !== "v1") return undefined;
  const isWord = /^[a-z][a-z.-]*$/.test(word) && !kubernetesWords.has(word);
  return isWord ? `/api/v1/${word}` : undefined;
}

/** Throws for a route that is not in the REST API. */
export function prefixesOf(routes: readonly RouteAddress[]): readonly string[] {
  const prefixes = routes.map(({ method, path }) => {
    const prefix = prefixOfRoute(path);
    assert(prefix !== undefined, `the route ${method} ${path} is not in the REST API`);
    return prefix;
  });
  return [...new Set(prefixes)].sort();
}

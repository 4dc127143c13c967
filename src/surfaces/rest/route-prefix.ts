// Which URLs belong to the REST surface. "/api/v1/WORD" belongs to Kubernetes unless the word is
// the first word of a route. The list is closed when the server starts, and no word may be the
// name of a resource that Kubernetes has, or had, at "/api/v1".

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

/**
 * "/api/v1/WORD" or "/api/NAME_mgmt/v1", of which the first three segments are literals; undefined
 * for a path that a route may not have.
 */
export function prefixOfRoute(path: string): string | undefined {
  const [root, api, second = "", third = ""] = path.split("/");
  if (root !== "" || api !== "api") return undefined;
  if (second === "v1") {
    const isWord = /^[a-z][a-z.-]*$/.test(third) && !kubernetesWords.has(third);
    return isWord ? `/api/v1/${third}` : undefined;
  }
  const isManagement = /^[a-z]+_mgmt$/.test(second) && third === "v1";
  return isManagement ? `/api/${second}/v1` : undefined;
}

export function prefixesOf(routes: readonly { readonly path: string }[]): readonly string[] {
  const prefixes = routes.map(({ path }) => prefixOfRoute(path));
  return [...new Set(prefixes)].filter((prefix) => prefix !== undefined).sort();
}

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

/** "/api/v1/WORD"; undefined for a path that a route may not have. */
export function prefixOfRoute(path: string): string | undefined {
  const [root, api, version, word = ""] = path.split("/");
  if (root !== "" || api !== "api" || version !== "v1") return undefined;
  const isWord = /^[a-z][a-z.-]*$/.test(word) && !kubernetesWords.has(word);
  return isWord ? `/api/v1/${word}` : undefined;
}

export function prefixesOf(routes: readonly { readonly path: string }[]): readonly string[] {
  const prefixes = routes.map(({ path }) => prefixOfRoute(path));
  return [...new Set(prefixes)].filter((prefix) => prefix !== undefined).sort();
}

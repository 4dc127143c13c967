// What a URL asks for, read the way kube-apiserver reads it: a resource request has a group, a
// version, perhaps a namespace, a resource, a name and a subresource; everything else is a plain
// path. The verb follows from the method and from whether one object or a collection is meant.

export interface RequestInfo {
  readonly isResource: boolean;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly verb: string;
  readonly group: string;
  readonly version: string;
  readonly namespace: string;
  readonly resource: string;
  readonly name: string;
  readonly subresource: string;
  /** Segments behind the subresource, which no kind of ours has. */
  readonly rest: readonly string[];
}

const methodVerbs: Readonly<Record<string, string>> = {
  GET: "get",
  HEAD: "get",
  POST: "create",
  PUT: "update",
  PATCH: "patch",
  DELETE: "delete",
};

const noQuery = new URLSearchParams();

/** Undefined when the URL is not a URL at all, such as one with a broken escape. */
export function parseRequest(method: string, url: string): RequestInfo | undefined {
  const mark = url.indexOf("?");
  const rawPath = mark < 0 ? url : url.slice(0, mark);
  const query = mark < 0 ? noQuery : new URLSearchParams(readable(url.slice(mark + 1)));
  const parts = segments(rawPath);
  if (parts === undefined) return undefined;
  return resourceRequest(method, rawPath, query, parts) ?? plainRequest(method, rawPath, query);
}

function resourceRequest(
  method: string,
  path: string,
  query: URLSearchParams,
  parts: readonly string[],
): RequestInfo | undefined {
  // An empty segment is no name, and a path with one is not that without it.
  if (path.includes("//")) return undefined;
  const isCore = parts[0] === "api";
  if (!isCore && parts[0] !== "apis") return undefined;
  const groupAt = isCore ? 0 : 1;
  if (parts.length < groupAt + 3) return undefined;
  const group = isCore ? "" : (parts[1] ?? "");
  const version = parts[groupAt + 1] ?? "";
  let rest = parts.slice(groupAt + 2);
  // The old form of a watch: /api/v1/watch/namespaces/x/pods.
  const isWatchPath = rest[0] === "watch" && rest.length > 1;
  if (isWatchPath) rest = rest.slice(1);
  let namespace = "";
  if (rest[0] === "namespaces" && rest.length > 1) {
    const isWhy = isCore && rest.length === 3 && rest[2] === "why";
    const isOwnPart = rest[2] === "status" || rest[2] === "finalize" || isWhy;
    const isNamespaceItself = rest.length === 2 || isOwnPart;
    namespace = rest[1] ?? "";
    if (!isNamespaceItself) rest = rest.slice(2);
  }
  const [resource = "", name = "", subresource = "", ...more] = rest;
  const verb = verbOf(method, name, query, isWatchPath);
  const parsed = { isResource: true, path, query, verb, group, version, namespace, resource };
  return { ...parsed, name, subresource, rest: more };
}

function plainRequest(method: string, path: string, query: URLSearchParams): RequestInfo {
  return {
    isResource: false,
    path,
    query,
    verb: method.toLowerCase(),
    group: "",
    version: "",
    namespace: "",
    resource: "",
    name: "",
    subresource: "",
    rest: [],
  };
}

function verbOf(method: string, name: string, query: URLSearchParams, isWatch: boolean): string {
  const verb = methodVerbs[method] ?? "";
  if (verb === "get") {
    const watch = query.get("watch");
    const wantsWatch = isWatch || (watch !== null && isTrue(watch));
    // One object is watched by the old form only; otherwise the parameter means nothing for it.
    if (wantsWatch && (name === "" || isWatch)) return "watch";
    return name === "" ? "list" : "get";
  }
  if (verb === "delete" && name === "") return "deletecollection";
  return verb;
}

/** Anything but these two is true for Kubernetes, even the empty value of "?watch". */
export function isTrue(text: string): boolean {
  return text !== "0" && text.toLowerCase() !== "false";
}

/** Go leaves out the pairs that it cannot read, and reads the others. */
function readable(query: string): string {
  if (!/[;%]/.test(query)) return query;
  const pairs = query.split("&");
  return pairs.filter((pair) => !pair.includes(";") && !brokenEscape.test(pair)).join("&");
}

const brokenEscape = /%(?![0-9a-fA-F]{2})/;

/** As in Go, an escaped slash separates like any other. */
function segments(path: string): readonly string[] | undefined {
  try {
    const decoded = path.includes("%") ? decodeURIComponent(path) : path;
    return decoded.split("/").filter((part) => part !== "");
  } catch {
    // A broken escape: there can be nothing at such a path.
    return undefined;
  }
}

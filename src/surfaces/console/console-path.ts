// What a path below /console/ means.

export const consoleRoot = "/console";

export type ConsoleTarget =
  /** "/console" without its slash, from which relative links would miss. */
  | { readonly kind: "root" }
  /** A path of the API of the console, below /console/api/. */
  | { readonly kind: "api"; readonly path: string }
  /** A path that a browser opens to sign in. */
  | { readonly kind: "sign-in"; readonly step: "link" | "oidc/start" | "oidc/callback" }
  /** A file of the build, or a page, which the script of the console shows. */
  | { readonly kind: "page"; readonly path: string };

export function consoleTarget(url: string): ConsoleTarget {
  const [whole = ""] = url.replace(/^\/+/, "/").split("?", 1);
  if (whole === consoleRoot) return { kind: "root" };
  const path = whole.slice(consoleRoot.length + 1);
  if (path === "api" || path.startsWith("api/")) return { kind: "api", path: path.slice(4) };
  if (path === "link" || path === "oidc/start" || path === "oidc/callback") {
    return { kind: "sign-in", step: path };
  }
  return { kind: "page", path };
}

/** Whether a path names a file of the build, which has no page in its place. */
export function isAssetPath(path: string): boolean {
  return path.startsWith("assets/");
}

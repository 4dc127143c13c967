// Where a sign-in continues: a page of the console. The parameter `next` may have been written by
// another site, so everything else is replaced by the first page.

const first = "/console/";

export function localTarget(next: string | null): string {
  if (next === null || !isPath(next)) return first;
  const base = "http://console.invalid";
  const url = URL.canParse(next, base) ? new URL(next, base) : undefined;
  // The parser resolves ".." and converts "\" to "/".
  if (url?.origin !== base || !url.pathname.startsWith(first)) return first;
  const { pathname, search, hash } = url;
  return isSignInStep(pathname) ? first : `${pathname}${search}${hash}`;
}

/** One slash, so that no host follows, and printable characters without spaces. */
function isPath(text: string): boolean {
  return /^\/(?![/\\])[\x21-\x7e]*$/.test(text) && !text.includes("\\");
}

/** A page that would sign in again. */
function isSignInStep(path: string): boolean {
  return /^\/console\/(?:api|link|oidc|sign-in)(?:\/|$)/.test(path);
}

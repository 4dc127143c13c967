// Addresses to which secrets may be sent, and from which keys may be read: with TLS, or without it
// on this machine, where no network is between.

/** Only the two usual names: others may resolve elsewhere. */
export function isLoopbackHttp(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname } = new URL(url);
  return protocol === "http:" && ["127.0.0.1", "localhost"].includes(hostname);
}

export function isHttps(url: string): boolean {
  return URL.canParse(url) && new URL(url).protocol === "https:";
}

/** What is wrong with a URL below which requests are sent; undefined: nothing. */
export function baseUrlProblem(text: string): string | undefined {
  if (!URL.canParse(text)) return "is not a valid URL";
  const { username, password, search, hash } = new URL(text);
  if (username !== "" || password !== "") return "must not contain a user name or a password";
  return search === "" && hash === "" ? undefined : "must not have a query or a fragment";
}

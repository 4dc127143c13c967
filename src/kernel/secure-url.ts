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

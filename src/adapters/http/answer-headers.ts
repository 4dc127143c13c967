// Headers of an answer as undici gives them, name and value in turn, as one text for each name. The
// rules for headers that come several times are those of Node's own client.

/** Of these only the first counts. */
const single = new Set([
  "age",
  "authorization",
  "content-length",
  "content-type",
  "etag",
  "expires",
  "from",
  "host",
  "if-modified-since",
  "if-unmodified-since",
  "last-modified",
  "location",
  "max-forwards",
  "proxy-authorization",
  "referer",
  "retry-after",
  "server",
  "user-agent",
]);

export function answerHeaders(raw: readonly unknown[]): Readonly<Record<string, string>> {
  const headers = new Map<string, string>();
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = textOf(raw[at]).toLowerCase();
    const value = textOf(raw[at + 1]);
    const known = headers.get(name);
    if (known === undefined) headers.set(name, value);
    else if (!single.has(name)) headers.set(name, `${known}, ${value}`);
  }
  return Object.fromEntries(headers);
}

function textOf(value: unknown): string {
  return Buffer.isBuffer(value) ? value.toString("latin1") : String(value);
}

// The summary of the server begins with the name, which is the title of the page already.

interface Named {
  readonly kind: { readonly kind: string };
  readonly name: string;
}

/** "Database/orders is not ready: waiting for …" becomes "Not ready: waiting for …". */
export function causeTitle(summary: string, { kind, name }: Named): string {
  const start = `${kind.kind}/${name} is `;
  const own = summary.startsWith(start) ? summary.slice(start.length) : summary;
  // Without a known cause, the summary says it twice.
  const rest = own.replace(/^not ready: (?=not ready)/, "");
  return rest.charAt(0).toUpperCase() + rest.slice(1);
}

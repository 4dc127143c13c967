// The summary of the server begins with the name, which is the title of the page already.

interface Named {
  readonly kind: { readonly kind: string };
  readonly name: string;
}

/** "Database/orders is not ready: waiting for …" becomes "Not ready: waiting for …". */
export function causeTitle(summary: string, { kind, name }: Named): string {
  const start = `${kind.kind}/${name} is `;
  const rest = summary.startsWith(start) ? summary.slice(start.length) : summary;
  return rest.charAt(0).toUpperCase() + rest.slice(1);
}

// Why a broker refused something, as one line without addresses and credentials.

/** Errors of the network have a code; those of the broker have a text such as "ACCESS_REFUSED". */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown";
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0]);
  const { code, message } = error as Error & { readonly code?: unknown };
  const text = /"([^"]*)"/.exec(message)?.[1] ?? message;
  const line = typeof code === "string" && !text.includes(code) ? `${code} ${text}` : text;
  return (line === "" ? "unknown" : line).replaceAll(/\s+/g, " ").slice(0, maxReasonChars);
}

const maxReasonChars = 300;

/** The code of AMQP, such as 406 for arguments that differ. */
export function replyCodeOf(error: unknown): number | undefined {
  const { code } = error as { readonly code?: unknown };
  return typeof code === "number" ? code : undefined;
}

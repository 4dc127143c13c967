// The last net below every surface: whatever one forgot to catch ends the request with an answer
// and a line in the log, and never the process.

import type { Exchange } from "./exchange.ts";

export interface Handling {
  readonly handle: (exchange: Exchange) => Promise<void>;
  readonly onError: (error: unknown, exchange: Exchange) => void;
}

/** Never rejects. */
export async function handled({ handle, onError }: Handling, exchange: Exchange): Promise<void> {
  try {
    await handle(exchange);
  } catch (error) {
    onError(error, exchange);
    refuse(exchange);
  }
}

/** In no form of any surface, since it is not known how far the request came. */
function refuse(exchange: Exchange): void {
  if (exchange.isAnswered) return;
  try {
    exchange.send(500, { "content-type": "text/plain; charset=utf-8" }, "internal error\n");
  } catch {
    // The connection is broken, and nobody is left to be told.
  }
}

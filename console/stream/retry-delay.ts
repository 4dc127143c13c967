// How long to wait before the stream is opened again: soon after a restart of the server, and never
// more than five seconds, because a person is looking at the page.

const firstMs = 250;
const mostMs = 5_000;

export function retryDelayMs(failures: number): number {
  return Math.min(mostMs, firstMs * 2 ** Math.min(failures, 10));
}

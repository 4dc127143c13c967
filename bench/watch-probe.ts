/**
 * The watch of a tenant that behaves: the tenant changes an object of its own at fixed times, and
 * the time counts from each request until its event has arrived.
 */
import { connect } from "node:http2";
import { setTimeout as sleep } from "node:timers/promises";
import type { Account } from "./attack.ts";
import { LoadConnection, requestBytes } from "./http-load.ts";
import type { LoadTarget } from "./http-load.ts";

export interface WatchProbed {
  /** Until each event arrived. */
  readonly timesMs: readonly number[];
  /** Events that did not arrive. */
  readonly missed: number;
}

const everyMs = 100;
const lateMs = 5_000;
const numberIn = /"n":"(\d+)"/;

/** `name` is an object that exists. */
export async function probeWatch(
  target: LoadTarget,
  { token }: Account,
  { namespace, name }: { readonly namespace: string; readonly name: string },
  signal: AbortSignal,
): Promise<WatchProbed> {
  const collection = `/api/v1/namespaces/${namespace}/configmaps`;
  const session = connect(`https://${target.host}:${target.port}`, { ca: target.ca });
  session.on("error", () => undefined); // Events that do not arrive are counted.
  const stream = session.request({
    ":path": `${collection}?watch=1&fieldSelector=metadata.name%3D${name}`,
    authorization: `Bearer ${token}`,
  });
  stream.on("error", () => undefined);
  const sentAt = new Map<number, number>();
  const timesMs: number[] = [];
  let unread = "";
  stream.setEncoding("utf8").on("data", (text: string) => {
    const lines = `${unread}${text}`.split("\n");
    unread = lines.pop() ?? "";
    for (const line of lines) {
      const number = Number(numberIn.exec(line)?.[1]);
      const sent = sentAt.get(number);
      if (sent !== undefined) timesMs.push(performance.now() - sent);
      sentAt.delete(number);
    }
  });
  using writer = await LoadConnection.open(target);
  for (let number = 1; !signal.aborted; number++) {
    const text = JSON.stringify({ data: { n: String(number) } });
    const body = { type: "application/merge-patch+json", text };
    const request = requestBytes("PATCH", `${collection}/${name}`, token, body);
    sentAt.set(number, performance.now());
    const { status } = await new Promise<{ readonly status: number }>((resolve, reject) => {
      writer.ask(request, resolve, reject);
    });
    // A change that was refused has no event; the probe of requests counts it.
    if (status !== 200) sentAt.delete(number);
    await sleep(everyMs);
  }
  for (let waited = 0; sentAt.size > 0 && waited < lateMs; waited += everyMs) await sleep(everyMs);
  session.destroy();
  return { timesMs, missed: sentAt.size };
}

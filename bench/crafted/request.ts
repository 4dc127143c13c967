/**
 * A crafted request: a single request that costs the server much more than the client. The bench
 * (stretches.ts) sends each of them and measures the longest stretch of the event loop without a
 * turn. Refusals by the server are as good as answers: what counts is the time until then.
 */
import type { Answer, Ask } from "../../tests/peers/setpoint.ts";

export interface Crafted {
  /** Unique among all requests, such as `configmap-many-keys`. */
  readonly name: string;
  /** Creates the data that the request needs. It is not measured. */
  readonly prepare?: (target: CraftTarget) => Promise<unknown>;
  /** Sends the request. It is called several times, with the number of the call. */
  readonly send: (target: CraftTarget, round: number) => Promise<Answer>;
}

export interface CraftTarget {
  ask(path: string, ask?: Ask): Promise<Answer>;
  /** The namespace for objects of the requests. */
  readonly namespace: string;
}

export type JsonValue = unknown;

export const jsonType = "application/json";
export const yamlType = "application/yaml";

export function post(path: string, body: JsonValue, type = jsonType): Crafted["send"] {
  return (target) => send(target, "POST", path, body, type);
}

export function send(
  target: CraftTarget,
  method: string,
  path: string,
  body?: JsonValue,
  type = jsonType,
): Promise<Answer> {
  const sent = typeof body === "string" ? Buffer.from(body) : body;
  const place = path.replaceAll("{ns}", target.namespace);
  return target.ask(place, { method, body: sent, headers: { "content-type": type } });
}

export function get(path: string, accept = jsonType): Crafted["send"] {
  return (target) => target.ask(path.replaceAll("{ns}", target.namespace), { headers: { accept } });
}

/** Fails when the data that a request needs cannot be created. */
export async function make(target: CraftTarget, path: string, body: JsonValue): Promise<void> {
  const { status, body: answer } = await send(target, "POST", path, body);
  if (status !== 201 && status !== 409) {
    throw new Error(`${path}: ${status} ${answer.toString().slice(0, 500)}`);
  }
}

export function times<T>(count: number, each: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => each(index));
}

/** An object of numbered fields. */
export function numbered<T>(
  count: number,
  prefix: string,
  each: (index: number) => T,
): Record<string, T> {
  return Object.fromEntries(times(count, (index) => [`${prefix}${index}`, each(index)]));
}

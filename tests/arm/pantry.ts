// Jars and what is inside of them, as the tests of moves, replays and failed changes use them.
import assert from "node:assert/strict";
import { pick } from "../kube/server.ts";
import type { Reply } from "../kube/server.ts";
import { waitUntil } from "../peers/wait.ts";
import { subscription, version } from "./arm-server.ts";
import type { ArmServer } from "./arm-server.ts";

export const patience = { limitMs: 120_000 };

export function inGroup(group: string, path: string): string {
  return `/subscriptions/${subscription}/resourceGroups/${group}/providers/Example.Pantry/${path}`;
}

export function jarIn(group: string, name: string): string {
  return inGroup(group, `jars/${name}`);
}

export async function read(server: ArmServer, id: string): Promise<Reply> {
  return await server.request("GET", `${id}?${version}`);
}

/** Created or changed; jars are at the location that all of them have. */
export async function write(
  server: ArmServer,
  id: string,
  properties: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<Reply> {
  const body = { location: "westeurope", properties };
  return await server.request("PUT", `${id}?${version}`, body, headers);
}

export async function settledAt(
  server: ArmServer,
  id: string,
  state = "Succeeded",
): Promise<Reply> {
  let last = await read(server, id);
  await waitUntil(
    `${id} to be ${state}`,
    async () => {
      last = await read(server, id);
      return pick(last.json, "properties.provisioningState") === state;
    },
    patience,
  );
  return last;
}

/** Created, and in the end Succeeded. */
export async function madeAt(server: ArmServer, id: string, properties = {}): Promise<Reply> {
  const made = await write(server, id, properties);
  assert.equal(made.status, 201, made.text);
  return await settledAt(server, id);
}

/** What stands behind it in the store, as kubectl shows it; `plural` such as "jars". */
export async function storedOf(server: ArmServer, plural: string, id: string): Promise<unknown> {
  const path = `/apis/pantry.tests.dev/v1/namespaces/sub-${subscription}/${plural}`;
  const { json } = await server.request("GET", path);
  const { items } = json as { readonly items: readonly unknown[] };
  return items.find((item) => {
    const notes = pick(item, "metadata.annotations") as Readonly<Record<string, string>>;
    return notes["arm.setpoint.dev/envelope"]?.includes(`"id":"${id}"`) === true;
  });
}

export async function goneAt(server: ArmServer, id: string): Promise<void> {
  const isGone = async (): Promise<boolean> => (await read(server, id)).status === 404;
  await waitUntil(`${id} to be gone`, isGone, patience);
}

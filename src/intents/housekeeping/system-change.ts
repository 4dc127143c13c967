// Changes one of the server's own resources by the ordinary write path, on behalf of the server.
// Every process keeps house, so what is no longer there was dealt with by a faster one.

import { isSetpointError } from "../../kernel/errors.ts";
import type { Resource } from "../../kernel/resource.ts";
import { systemCaller, systemOptions } from "../bootstrap.ts";
import type { Intents, WriteOptions } from "../request.ts";
import { updateResource } from "../write/update.ts";

export interface SystemChange {
  /** Of a kind that is outside of namespaces, and always served. */
  readonly group: string;
  readonly plural: string;
  readonly name: string;
  readonly subresource?: string;
  /** Called again with the newer document when another writer was faster. */
  readonly edit: (old: Resource) => Resource;
  readonly options?: WriteOptions;
}

export async function changeAsSystem(intents: Intents, change: SystemChange): Promise<void> {
  const { group, plural, name, subresource = "", edit, options = systemOptions } = change;
  const found = intents.kinds.find(group, "v1", plural);
  if (found === undefined) throw new Error(`${plural} are always served`);
  try {
    await updateResource(intents, {
      caller: systemCaller,
      target: { ...found, namespace: "", name, subresource },
      options,
      optionsKind: "UpdateOptions",
      change: (old) => ({ wanted: edit(old) }),
      allowsBlind: true,
    });
  } catch (error) {
    if (!isSetpointError(error, "resource.not_found")) throw error;
  }
}

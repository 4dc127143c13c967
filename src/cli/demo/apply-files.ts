/** Applies files through the API of the running server, as its administrator. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { textAt } from "../../kernel/json-read.ts";
import type { JsonObject } from "../../kernel/json.ts";
import type { Timers } from "../../kernel/timers.ts";
import type { ApiClient } from "../client/api-client.ts";
import { findKind, pathTo } from "../client/find-kind.ts";
import { documentsOf } from "../document-file.ts";
import { examplesFolder } from "./demo-plan.ts";

const pauseMs = 100;
/** A resource may need a kind that another one creates. */
const maxAttempts = 300;
const query = "?fieldManager=setpoint-demo&force=true";

export interface FileApplier {
  readonly client: ApiClient;
  readonly timers: Timers;
  /** Of resources that name none. */
  readonly namespace: string;
  /** Ports of services in the files, with those that are used. */
  readonly ports: ReadonlyMap<number, number>;
  readonly stopping: AbortSignal;
}

export async function applyFiles(applier: FileApplier, files: readonly string[]): Promise<void> {
  for (const file of files) {
    const text = readFileSync(join(examplesFolder, file), "utf8");
    const documents = documentsOf(withPorts(text, applier.ports), file);
    for (const document of documents) await applyWhenPossible(applier, document);
  }
}

function withPorts(text: string, ports: FileApplier["ports"]): string {
  return text.replaceAll(/\b127\.0\.0\.1:(\d+)\b/g, (address, port: string) => {
    const used = ports.get(Number(port));
    return used === undefined ? address : `127.0.0.1:${used}`;
  });
}

async function applyWhenPossible(applier: FileApplier, document: JsonObject): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await apply(applier, document);
    } catch (error) {
      if (attempt === maxAttempts || applier.stopping.aborted) throw error;
      await applier.timers.sleep(pauseMs, applier.stopping);
    }
  }
}

async function apply({ client, namespace }: FileApplier, document: JsonObject): Promise<void> {
  const [group = ""] = textAt(document, "apiVersion").split("/").slice(0, -1);
  const kind = textAt(document, "kind");
  const address = await findKind(client, group === "" ? kind : `${kind}.${group}`);
  const place = textAt(document, "metadata", "namespace") || namespace;
  const path = pathTo(address, place, textAt(document, "metadata", "name"));
  await client.patch(`${path}${query}`, document, "application/apply-patch+yaml");
}

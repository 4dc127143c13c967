/** What `setpoint doctor --module FILE` finds in the modules of users, without a server. */
import { definitionsKind } from "../intents/kinds/definition-kinds.ts";
import { schemaChange } from "../intents/kinds/schema-change.ts";
import { checkStored } from "../intents/kinds/stored-check.ts";
import { decodeDocument } from "../kernel/document.ts";
import type { Store } from "../store/port.ts";
import { failure } from "./finding.ts";
import type { Finding } from "../contract/finding.ts";
import { loadModules } from "./load-modules.ts";
import type { LoadedKind, LoadedModule } from "./load-modules.ts";

const subject = "module";

/** With a store, the kinds of the modules are compared with the stored resources. */
export async function diagnoseModules(
  files: readonly string[],
  store: Pick<Store, "get" | "list"> | undefined,
): Promise<readonly Finding[]> {
  const { modules, broken } = await loadModules(files);
  const findings: Finding[] = [];
  for (const module of modules) {
    const kinds: Finding[] = [];
    for (const each of module.kinds) {
      if (store !== undefined) kinds.push(...(await kindFindings(store, each)));
    }
    // The server would not use a module with one bad kind.
    if (kinds.every(({ level }) => level !== "bad")) findings.push(usable(module));
    findings.push(...kinds);
  }
  return [...findings, ...broken.map(({ file, error }) => failure(subject, file, error))];
}

function usable({ file, name, kinds }: LoadedModule): Finding {
  const ids = kinds.map(({ id }) => id).join(", ");
  const message = `${file} is usable: module ${name}${ids === "" ? "" : ` with ${ids}`}`;
  return { level: "ok", subject, message };
}

async function kindFindings(
  store: Pick<Store, "get" | "list">,
  { id, kind, migrate }: LoadedKind,
): Promise<readonly Finding[]> {
  const record = await store.get({ kind: definitionsKind, namespace: "", name: id });
  if (record === undefined || kind === undefined) return [];
  const definition = decodeDocument(record.body, record.revision);
  const change = schemaChange(definition, kind, migrate);
  if (change === undefined) return [];
  try {
    const { checked, migrated } = await checkStored(store, change);
    const what = `${checked} stored resources, of which ${migrated.length} would be migrated`;
    return [{ level: "ok", subject, message: `the new schema of ${id} accepts ${what}` }];
  } catch (error) {
    return [failure(subject, id, error)];
  }
}

// What executions need, from the ports of the module.

import { tmpdir } from "node:os";
import { join } from "node:path";
import type { OpenPorts } from "../../../contract/ports.ts";
import type { Intents } from "../../../intents/request.ts";
import { decodeDocument } from "../../../kernel/document.ts";
import { textAt } from "../../../kernel/json-read.ts";
import type { Json } from "../../../kernel/json.ts";
import { executorsGroup } from "../group.ts";
import type { ExecutionPorts } from "./execution.ts";

export function executionPorts(ports: OpenPorts, ownIntents: Intents): ExecutionPorts {
  const { ids, timers, meter, openSupervisors, stopping, store } = ports;
  return {
    ownIntents,
    ids,
    timers,
    meter,
    supervisors: openSupervisors,
    root: runRoot(ports),
    stopping,
    newest: async ({ kind, metadata: { namespace = "", name } }) => {
      const served = ownIntents.kinds.findKind(executorsGroup, "v1", kind);
      if (served === undefined) return undefined;
      const record = await store.get({ kind: served.served.id, namespace, name });
      return record === undefined ? undefined : decodeDocument(record.body, record.revision);
    },
  };
}

/** The same for all servers of one store on a machine, so that each finds the runs of another. */
function runRoot({ configuration, live }: OpenPorts): string {
  const configured = textAt(configuration as Json, "runFolder");
  if (configured !== "") return configured;
  const system = live.get({ kind: "namespaces", namespace: "", name: "kube-system" })?.resource;
  return join(tmpdir(), `setpoint-runs-${system?.metadata.uid ?? "unknown"}`);
}

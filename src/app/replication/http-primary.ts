/** The store of a primary, through the routes of its server (ship-routes.ts). */
import { SetpointError } from "../../kernel/errors.ts";
import type { Json, JsonObject } from "../../kernel/json.ts";
import type { DumpRow } from "../../store/port.ts";
import type { Replication, Standing } from "../../store/replication.ts";
import { decodeRow, decodeShipment } from "../../store/row-text.ts";

/** Calls of a server, as the user of a kubeconfig: with a client certificate, or a token. */
export interface PrimaryCalls {
  get(path: string): Promise<Json>;
  post(path: string, body: Json): Promise<Json>;
  /** The items of a stream. */
  lines(path: string): AsyncIterable<JsonObject>;
}

/** What a secondary, and a planned switch, need of a primary. */
export interface PrimaryStore {
  readonly replication: Pick<Replication, "standing" | "ship" | "demote">;
  dump(): AsyncIterable<DumpRow>;
}

export const replicationPath = "/api/v1/replication";

export function httpPrimary(calls: PrimaryCalls): PrimaryStore {
  return {
    replication: {
      standing: async () => standingOf(await calls.get(replicationPath)),
      ship: async ({ revision, held }) => {
        const path = `${replicationPath}/shipment?revision=${revision}&held=${held}`;
        return decodeShipment((await calls.get(path)) as Record<string, unknown>);
      },
      demote: async (primary, epoch) => {
        const body = { primary, ...(epoch !== undefined && { epoch }) };
        return standingOf(await calls.post(`${replicationPath}/demotion`, body));
      },
    },
    dump: () => dumpRows(calls),
  };
}

function standingOf(document: Json): Standing {
  return document as unknown as Standing;
}

/** A load is all or nothing, so a dump that is not complete must fail. */
async function* dumpRows(calls: PrimaryCalls): AsyncIterable<DumpRow> {
  for await (const line of calls.lines(`${replicationPath}/dump`)) {
    if (line["row"] === "end") return;
    yield decodeRow(line);
  }
  throw new SetpointError("store.unavailable", "the dump of the primary is not complete");
}

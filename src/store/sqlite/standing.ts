/** The role, the epoch and the place of a store, as one row of its file says. */
import type { DatabaseSync } from "node:sqlite";
import type { Role, Standing } from "../replication.ts";
import { rows } from "./sql.ts";

type StandingRow = [
  ...[role: Role, epoch: number, primary: string, revision: number, held: number],
  ...[compacted: number, shipsFrom: number, lastToken: number],
];

interface Standpoint {
  readonly standing: Standing;
  /** Changes after this can be shipped. */
  readonly mark: number;
}

export function readStanding(db: DatabaseSync): Standpoint {
  const row = rows<StandingRow>(
    db,
    `SELECT role, epoch, primary_name, revision,
       max(held, ifnull((SELECT max(id) FROM held), 0)), compacted, ships_from, last_token
     FROM head`,
  ).get();
  const [role = "primary", epoch = 1, primary = "", revision = 0, held = 0] = row ?? [];
  const [, , , , , compacted = 0, shipsFrom = 0, lastToken = 0] = row ?? [];
  const mark = Math.max(compacted, shipsFrom);
  return { standing: { role, epoch, primary, at: { revision, held }, lastToken }, mark };
}

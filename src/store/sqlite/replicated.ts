/** Replication of an embedded store: it reads on the caller's thread and stores in the writer's. */
import type { RecentLog } from "../recent-log.ts";
import type { Replication } from "../replication.ts";
import { checkShip, checkShipment } from "../shipment.ts";
import type { OpenedFiles } from "./open.ts";
import { readShipment } from "./shipping.ts";
import { readStanding } from "./standing.ts";
import { storeError } from "./sql.ts";

export interface ReplicatedParts {
  readonly files: OpenedFiles;
  readonly recent: RecentLog;
  readonly checkOpen: () => void;
  /** All history before this revision is forgotten. */
  readonly onHead: (revision: number) => void;
  readonly load: (rows: Parameters<Replication["seed"]>[0], primary: string) => Promise<void>;
}

export function replicationOf(parts: ReplicatedParts): Replication {
  const { files, recent, checkOpen, onHead, load } = parts;
  const { path, clock, ring, reader, engine } = files;
  const read = <T>(run: () => T): T => {
    checkOpen();
    try {
      return run();
    } catch (error) {
      throw storeError(error, path);
    }
  };
  const standing = () => read(() => readStanding(reader.db).standing);
  return {
    standing: async () => standing(),
    ship: async (after, options = {}) => {
      const limit = checkShip(after, options);
      return read(() => readShipment(reader.db, ring, after, { limit, nowMs: clock.nowMs() }));
    },
    follow: async (shipment) => {
      checkOpen();
      checkShipment(ring, shipment);
      const place = await engine.writer.follow(shipment);
      recent.skipTo(place.revision);
      return place;
    },
    seed: async (rows, primary) => {
      checkOpen();
      await load(rows, primary);
      return standing().at;
    },
    demote: async (primary, epoch) => {
      checkOpen();
      return await engine.writer.demote(primary, epoch);
    },
    promote: async (promotion) => {
      checkOpen();
      const promoted = await engine.writer.promote(promotion);
      if (promotion.from === undefined) onHead(promoted.at.revision);
      recent.workSignal.advance();
      return promoted;
    },
  };
}

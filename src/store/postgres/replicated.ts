/** Replication of a store on PostgreSQL. A secondary has one process that follows. */
import { SetpointError } from "../../kernel/errors.ts";
import type { DumpRow } from "../port.ts";
import type { Place, Replication } from "../replication.ts";
import { checkShip, checkShipment } from "../shipment.ts";
import type { KeyRing } from "../key-ring.ts";
import { typedFailure } from "./failures.ts";
import { followOn } from "./following.ts";
import { endOwnSession, openOwnSession } from "./own-session.ts";
import type { Pool } from "./pool.ts";
import type { Session, SessionConfig } from "./session.ts";
import { readShipment, readStanding } from "./shipping.ts";

export interface ReplicatedParts {
  readonly pool: Pool;
  readonly ring: KeyRing;
  readonly session: SessionConfig;
  readonly clockSkewMs: () => number;
  readonly checkOpen: () => void;
  /** Waits until this process can read the head. */
  readonly reached: (head: number) => Promise<void>;
  readonly load: (rows: AsyncIterable<DumpRow>, primary: string) => Promise<void>;
}

export class PostgresReplication implements Replication {
  readonly #parts: ReplicatedParts;
  #following: Session | undefined;

  constructor(parts: ReplicatedParts) {
    this.#parts = parts;
  }

  async standing() {
    this.#parts.checkOpen();
    return await readStanding(this.#parts.pool);
  }

  async ship(...[after, options = {}]: Parameters<Replication["ship"]>) {
    const { checkOpen, clockSkewMs } = this.#parts;
    checkOpen();
    const limit = checkShip(after, options);
    return await readShipment(this.#parts, after, { limit, clockSkewMs: clockSkewMs() });
  }

  async follow(shipment: Parameters<Replication["follow"]>[0]): Promise<Place> {
    const { checkOpen, ring, session: config, reached } = this.#parts;
    checkOpen();
    checkShipment(ring, shipment);
    let session = this.#following;
    if (session === undefined || session.isBroken) session = await openOwnSession(config);
    this.#following = session;
    try {
      const place = await followOn(session, shipment);
      await reached(place.revision);
      return place;
    } catch (error) {
      if (!(error instanceof SetpointError)) await endOwnSession(config, session);
      throw typedFailure(error, "store.outcome_unknown");
    }
  }

  async seed(rows: AsyncIterable<DumpRow>, primary: string): Promise<Place> {
    this.#parts.checkOpen();
    await this.#parts.load(rows, primary);
    return (await this.standing()).at;
  }

  async demote(primary: string) {
    this.#parts.checkOpen();
    await this.#parts.pool.rows({ text: "SELECT demote_v1($1)" }, [primary]);
    return await this.standing();
  }

  async close(): Promise<void> {
    await this.#following?.close();
  }
}

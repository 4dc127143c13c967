/** Replication of a store on PostgreSQL. A secondary has one process that follows. */
import { SetpointError } from "../../kernel/errors.ts";
import type { DumpRow } from "../port.ts";
import type { Place, Promotion, Replication, Standing } from "../replication.ts";
import { checkShip, checkShipment } from "../shipment.ts";
import type { KeyRing } from "../key-ring.ts";
import { typedFailure } from "./failures.ts";
import { demoteOn, followOn, promoteOn } from "./following.ts";
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
  /** All history before this revision is forgotten. */
  readonly raiseMark: (revision: number) => void;
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
    checkShipment(this.#parts.ring, shipment);
    const place = await this.#change(async (session) => await followOn(session, shipment));
    await this.#parts.reached(place.revision);
    return place;
  }

  /** One at a time, on a connection that is kept. */
  async #change<T>(run: (session: Session) => Promise<T>): Promise<T> {
    const { checkOpen, session: config } = this.#parts;
    checkOpen();
    let session = this.#following;
    if (session === undefined || session.isBroken) session = await openOwnSession(config);
    this.#following = session;
    try {
      return await run(session);
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

  async demote(primary: string, epoch?: number): Promise<Standing> {
    return await this.#change(async (session) => await demoteOn(session, primary, epoch));
  }

  async promote(promotion: Promotion): Promise<Standing> {
    const skewMs = this.#parts.clockSkewMs();
    const standing = await this.#change((session) => promoteOn(session, promotion, skewMs));
    if (promotion.from === undefined) this.#parts.raiseMark(standing.at.revision);
    await this.#parts.reached(standing.at.revision);
    return standing;
  }

  async close(): Promise<void> {
    await this.#following?.close();
  }
}

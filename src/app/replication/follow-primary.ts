/**
 * Keeps a secondary up to date: fills an empty store from the primary, then stores what the primary
 * ships, until the signal aborts. Whatever ends by itself, such as a database that restarts, is
 * waited for; what people have to decide ends the task with its error.
 */
import { SetpointError, isSetpointError } from "../../kernel/errors.ts";
import type { Timers } from "../../kernel/timers.ts";
import type { ReplicatedStore, Replication, Shipment, Standing } from "../../store/replication.ts";
import type { PrimaryStore } from "./http-primary.ts";
import type { Logger } from "../../telemetry/log.ts";

export interface FollowInput {
  readonly primary: Pick<PrimaryStore, "dump"> & {
    readonly replication: Pick<Replication, "ship">;
  };
  readonly secondary: Pick<ReplicatedStore, "replication">;
  /** The address of the primary that clients of the secondary receive. */
  readonly primaryName: string;
  readonly timers: Timers;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

/** How long a change waits at most until it is asked for. */
const askEveryMs = 500;
const pauseMs = 2_000;

export async function followPrimary(input: FollowInput): Promise<void> {
  const { timers, log, signal } = input;
  const progress = new Progress(log);
  while (!signal.aborted) {
    try {
      await becomeSecondary(input);
      await followWhileHeard(input, progress);
    } catch (error) {
      if (signal.aborted) return;
      if (!isPassing(error)) throw advised(error);
      progress.interrupted(error);
      await timers.sleep(pauseMs, signal).catch(() => undefined);
    }
  }
}

/** The store is a secondary, or becomes one if it is empty. */
async function becomeSecondary(input: FollowInput): Promise<void> {
  const { primary, secondary, primaryName, log } = input;
  const { role, at } = await secondary.replication.standing();
  if (role === "secondary" && at.revision > 0) return;
  if (at.revision > 0) {
    throw new SetpointError("store.not_secondary", "this store is a primary that holds data", {
      suggestion: "name an empty store, or make this one a secondary: setpoint replication demote",
    });
  }
  const place = await secondary.replication.seed(primary.dump(), primaryName);
  log.info({ revision: place.revision, primary: primaryName }, "secondary seeded");
}

async function followWhileHeard(input: FollowInput, progress: Progress): Promise<void> {
  const { timers, signal } = input;
  let own: Followed = await input.secondary.replication.standing();
  while (!signal.aborted) {
    const shipment = await input.primary.replication.ship(own.at);
    if (isNews(shipment, own)) {
      await input.secondary.replication.follow(shipment);
      own = { at: shipment.to, epoch: shipment.epoch, lastToken: shipment.lastToken };
    }
    progress.followed(shipment);
    if (shipment.to.revision < shipment.head) continue;
    await timers.sleep(askEveryMs, signal).catch(() => undefined);
  }
}

type Followed = Pick<Standing, "at" | "epoch" | "lastToken">;

function isNews({ rows, epoch, lastToken }: Shipment, own: Followed): boolean {
  return rows.length > 0 || epoch > own.epoch || lastToken > own.lastToken;
}

const passing = new Set<string>([
  "store.unavailable",
  "store.outcome_unknown",
  "store.full",
  "store.closed",
  "server.unreachable",
  "request.overloaded",
  "request.timeout",
]);

function isPassing(error: unknown): boolean {
  return isSetpointError(error) && passing.has(error.code);
}

/** What there is to do depends on who meets the error. */
function advised(error: unknown): unknown {
  const isBehind = isSetpointError(error, "history.gone");
  if (!isBehind && !isSetpointError(error, "replication.diverged")) return error;
  const why = isBehind ? "the primary has forgotten what this store needs" : error.message;
  return new SetpointError(error.code, why, {
    cause: error,
    details: error.details,
    suggestion: "move this store away, and follow with an empty one: it is filled from the primary",
  });
}

/** One line when the secondary is up to date, one for each loss of the primary or of the store. */
class Progress {
  readonly #log: Logger;
  #isCurrent = false;
  #isLost = false;

  constructor(log: Logger) {
    this.#log = log;
  }

  followed({ to, head, epoch }: Shipment): void {
    const isCurrent = to.revision >= head;
    if (this.#isLost || (isCurrent && !this.#isCurrent)) {
      this.#log.info({ revision: to.revision, head, epoch }, "secondary follows");
    }
    this.#isCurrent ||= isCurrent;
    this.#isLost = false;
  }

  interrupted(error: unknown): void {
    if (!this.#isLost) this.#log.warn({ error }, "replication interrupted");
    this.#isLost = true;
  }
}

/**
 * Waiting without falling asleep, on both sides of the writer's thread. To wake a thread that
 * sleeps takes some fifty microseconds each way, together nearly as long as a flush of a good disk.
 * So while one caller writes one thing right after the other, both threads keep looking for the
 * next message, for a fraction of a millisecond. The event loop goes on meanwhile: what is burnt is
 * time in which it would have been idle.
 *
 * Where the processors are busy, looking takes the time of those who have something to do. So both
 * ways are measured, again and again, and the quicker one is taken.
 */
import { availableParallelism } from "node:os";
import { receiveMessageOnPort } from "node:worker_threads";
import type { MessagePort } from "node:worker_threads";

/** Whose next call comes within this time after an answer does one thing after the other. */
const soonMs = 0.1;
/** What takes longer than this is not waited for. */
const mostMs = 1;
/** So many calls are made one way before they are compared with those made the other way. */
const roundCalls = 16;
/** Every so many rounds the slower way is tried again. */
const trialRounds = 32;
/** Staying awake has to be worth it. */
const worth = 0.95;

interface Surroundings {
  readonly nowMs?: () => number;
  readonly processors?: number;
}

/** Of the thread that calls: decides, and keeps its event loop turning. */
export class AwakeCaller {
  readonly #isWaiting: () => boolean;
  readonly #nowMs: () => number;
  readonly #isAllowed: boolean;
  #askedMs = 0;
  #answeredMs = -Infinity;
  /** Whether the call under way is one of a row of calls. */
  #isInRow = false;
  #isLooking = false;
  #isAwake = false;
  #rounds = 0;
  /** How long the calls of this round took. */
  #roundMs: number[] = [];
  /** How long a call took of late, each way; the first of each is tried at once. */
  readonly #tookMs = { awake: 0, asleep: 0 };

  /**
   * @param isWaiting Whether a call is under way.
   * @param surroundings For tests.
   */
  constructor(isWaiting: () => boolean, surroundings: Surroundings = {}) {
    this.#isWaiting = isWaiting;
    this.#nowMs = surroundings.nowMs ?? (() => performance.now());
    // Another processor has to do the work meanwhile.
    this.#isAllowed = (surroundings.processors ?? availableParallelism()) > 1;
  }

  /** Called before each call; tells whether the other side should stay awake after it. */
  asks(): boolean {
    this.#askedMs = this.#nowMs();
    this.#isInRow = !this.#isWaiting() && this.#askedMs - this.#answeredMs < soonMs;
    if (!this.#isInRow || !this.#isAwake) return false;
    if (!this.#isLooking) setImmediate(this.#look);
    this.#isLooking = true;
    return true;
  }

  isAnswered(): void {
    this.#answeredMs = this.#nowMs();
    if (!this.#isInRow) return;
    this.#isInRow = false;
    this.#roundMs.push(this.#answeredMs - this.#askedMs);
    if (this.#roundMs.length === roundCalls) this.#endRound();
  }

  /** The median is compared: a few flushes that took very long would decide by themselves. */
  #endRound(): void {
    const sorted = this.#roundMs.toSorted((a, b) => a - b);
    this.#tookMs[this.#isAwake ? "awake" : "asleep"] = sorted[roundCalls / 2] ?? 0;
    this.#roundMs = [];
    this.#rounds += 1;
    const isBetter = this.#tookMs.awake < this.#tookMs.asleep * worth;
    const isTrial = this.#rounds % trialRounds === 0;
    this.#isAwake = this.#isAllowed && isBetter !== isTrial;
  }

  /** Each look is a turn of the event loop, which takes the answer in when it is there. */
  readonly #look = (): void => {
    this.#isLooking = this.#isWaiting() && this.#nowMs() - this.#askedMs < mostMs;
    if (this.#isLooking) setImmediate(this.#look);
  };
}

/** Of the thread that answers: the next message, if it comes soon. */
export function nextMessage(port: MessagePort): unknown {
  const answeredMs = performance.now();
  do {
    const received = receiveMessageOnPort(port);
    if (received !== undefined) return received.message as unknown;
  } while (performance.now() - answeredMs < soonMs);
  return undefined;
}

// One turn of the event loop in three parts: the requests of all connections are read, then they
// are handled, then their answers go out. The way of a request is much code; running each part of
// it for many requests in a row keeps that code in the processor's caches, which takes a quarter
// of the time off a request of a busy server. And waking a client that sleeps costs more than
// making its answer, while one that was just woken takes the others as well.
//
// Very many are handled in portions: what the first of them write is on its way to the disk while
// the next are handled, and those who were answered together do not all wait together.

interface Turn {
  number: number;
  /** Those that were read and are not begun; what comes later is for the next turn. */
  requests: (() => void)[];
  /** Those that are being handled, until all were answered. */
  begun: (() => void)[] | undefined;
  answers: (() => void)[];
}

const turn: Turn = { number: 0, requests: [], begun: undefined, answers: [] };

const mostAtOnce = 16;

export function currentTurn(): number {
  return turn.number;
}

/** After the requests that have arrived by then. */
export function inLaterTurn(run: () => void): void {
  setImmediate(run);
}

/** Handles a request once all that came with it are read. */
export function handleTogether(handle: () => void): void {
  // A step for each portion, and one for the answers. What is handled settles between two of them,
  // as far as it waits for nothing outside.
  if (turn.requests.length % mostAtOnce === 0) setImmediate(step);
  if (turn.requests.length === 0) setImmediate(step);
  turn.requests.push(handle);
}

/**
 * Sends an answer with the others of its turn. Later ones, as those of commits, come in batches
 * anyway and go at once.
 */
export function sendTogether(requestTurn: number, send: () => void): void {
  if (requestTurn === turn.number) turn.answers.push(send);
  else send();
}

function step(): void {
  if (turn.begun === undefined) {
    turn.begun = turn.requests;
    turn.requests = [];
  }
  const portion = turn.begun.splice(0, mostAtOnce);
  if (portion.length === 0) answerAll();
  else for (const handle of portion) handle();
}

function answerAll(): void {
  const { answers } = turn;
  turn.number += 1;
  turn.begun = undefined;
  turn.answers = [];
  for (const send of answers) send();
}

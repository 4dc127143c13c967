// One turn of the event loop in three parts: the requests of all connections are read, then they
// are handled, then their answers go out. The way of a request is much code; running each part of
// it for many requests in a row keeps that code in the processor's caches, which takes a quarter
// of the time off a request of a busy server. And waking a client that sleeps costs more than
// making its answer, while one that was just woken takes the others as well.

interface Turn {
  number: number;
  isOpen: boolean;
  requests: (() => void)[];
  answers: (() => void)[];
}

const turn: Turn = { number: 0, isOpen: false, requests: [], answers: [] };

export function currentTurn(): number {
  return turn.number;
}

/** Handles a request once all that came with it are read. */
export function handleTogether(handle: () => void): void {
  if (turn.requests.length === 0) setImmediate(handleAll);
  // What is handled settles between the two, as far as it waits for nothing outside.
  if (!turn.isOpen) setImmediate(answerAll);
  turn.isOpen = true;
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

function handleAll(): void {
  const { requests } = turn;
  turn.requests = [];
  for (const handle of requests) handle();
}

function answerAll(): void {
  const { answers } = turn;
  turn.number += 1;
  turn.isOpen = false;
  turn.answers = [];
  for (const send of answers) send();
}

import assert from "node:assert/strict";
import { it } from "node:test";
import { systemTimers } from "../../kernel/timers.ts";
import { RequestTurns } from "./request-turns.ts";
import { inLaterTurn } from "./turn.ts";

function take(turns: RequestTurns, group: string, connection: object, handle: () => void): boolean {
  return turns.handle(group, { connection, bytes: 1, most, handle });
}

const most = 10_000;

/** Turns of the real event loop, in which no time passes unless the test says so. */
function turnsOf(): { readonly turns: RequestTurns; readonly pass: (ms: number) => void } {
  let nowMs = 0;
  const turns = new RequestTurns({ later: inLaterTurn, nowMs: () => nowMs });
  return { turns, pass: (ms) => void (nowMs += ms) };
}

it("requests that come together are handled together, and then answered together", async () => {
  const { turns } = turnsOf();
  const seen: string[] = [];
  const arrive = (name: string): void => {
    seen.push(`read ${name}`);
    const turn = turns.number;
    const handle = async (of: string): Promise<void> => {
      seen.push(`handle ${of}`);
      await Promise.resolve();
      seen.push(`decide ${of}`);
      turns.send(turn, () => seen.push(`answer ${of}`));
    };
    take(turns, "a", {}, () => void handle(name));
  };
  arrive("a");
  arrive("b");
  await systemTimers.sleep(5);
  await systemTimers.sleep(5);
  const parts = ["read", "handle", "decide", "answer"];
  assert.deepEqual(
    seen,
    parts.flatMap((part) => [`${part} a`, `${part} b`]),
  );
});

it("very many are handled in portions, each as far as it goes, and answered together", async () => {
  const { turns } = turnsOf();
  const seen: string[] = [];
  const turn = turns.number;
  for (let index = 0; index < 40; index += 1) {
    const handle = async (): Promise<void> => {
      seen.push("handle");
      await Promise.resolve();
      seen.push("decide");
      turns.send(turn, () => seen.push("answer"));
    };
    take(turns, "a", {}, () => void handle());
  }
  await systemTimers.sleep(5);
  await systemTimers.sleep(5);
  const portion = (size: number): readonly string[] =>
    ["handle", "decide"].flatMap((part) => Array.from({ length: size }, () => part));
  const answers = Array.from({ length: 40 }, () => "answer");
  assert.deepEqual(seen, [...portion(16), ...portion(16), ...portion(8), ...answers]);
});

it("an answer that comes in a later turn goes at once", async () => {
  const { turns } = turnsOf();
  let isSent = false;
  const turn = turns.number;
  take(turns, "a", {}, () => undefined);
  await systemTimers.sleep(5);
  await systemTimers.sleep(5);
  turns.send(turn, () => {
    isSent = true;
  });
  assert.ok(isSent);
});

it("requests that keep coming do not hold up the answers to those before them", async () => {
  const { turns } = turnsOf();
  let [isOver, isSent] = [false, false];
  const turn = turns.number;
  const more = (): void => {
    if (!isOver) take(turns, "a", {}, () => process.nextTick(more));
  };
  take(turns, "a", {}, () => {
    more();
    turns.send(turn, () => {
      isSent = true;
    });
  });
  try {
    await waitFor(() => isSent);
  } finally {
    // Otherwise the requests would keep the process running after a failure.
    isOver = true;
  }
});

it("a request that comes while others are handled is handled after them", async () => {
  const { turns } = turnsOf();
  const seen: string[] = [];
  take(turns, "a", {}, () => {
    take(turns, "a", {}, () => {
      seen.push("second");
      take(turns, "a", {}, () => seen.push("third"));
    });
    seen.push("first");
  });
  await waitFor(() => seen.length === 3);
  assert.deepEqual(seen, ["first", "second", "third"]);
});

it("a connection with very many requests delays another connection by one turn", async () => {
  const { turns } = turnsOf();
  const seen: string[] = [];
  const many = {};
  const turn = turns.number;
  for (let index = 0; index < 1_000; index += 1) {
    take(turns, "a", many, () => seen.push("many"));
  }
  let answeredAfter = 0;
  take(turns, "a", {}, () => {
    seen.push("one");
    turns.send(turn, () => (answeredAfter = seen.length));
  });
  await waitFor(() => seen.length === 1_001);
  assert.deepEqual(seen.slice(0, 3), ["many", "one", "many"]);
  // Its answer does not wait for all that was read.
  assert.equal(answeredAfter, 64);
});

it("very many requests are handled in several turns, with other events between", async () => {
  const { turns } = turnsOf();
  let handled = 0;
  for (let index = 0; index < 1_000; index += 1) take(turns, "a", {}, () => (handled += 1));
  const counts: number[] = [];
  const look = (): void => {
    counts.push(handled);
    if (handled < 1_000) inLaterTurn(look);
  };
  inLaterTurn(look);
  await waitFor(() => counts.at(-1) === 1_000);
  const steps = counts.map((count, at) => count - (counts[at - 1] ?? 0));
  assert.ok(Math.max(...steps) <= 64, `at most 64 in a turn: ${steps.join(", ")}`);
});

it("a turn ends when its time is over, and is answered then", async () => {
  const { turns, pass } = turnsOf();
  const turn = turns.number;
  let handled = 0;
  let answeredAfter = 0;
  for (let index = 0; index < 40; index += 1) {
    take(turns, "a", {}, () => {
      handled += 1;
      if (index === 0) pass(10);
      if (index === 0) turns.send(turn, () => (answeredAfter = handled));
    });
  }
  await waitFor(() => handled === 40);
  assert.equal(answeredAfter, 1);
});

it("hundreds of connections of one group delay another group by one turn", async () => {
  const { turns } = turnsOf();
  const seen: string[] = [];
  for (let index = 0; index < 500; index += 1) take(turns, "new", {}, () => seen.push("new"));
  for (let index = 0; index < 2; index += 1) take(turns, "b", {}, () => seen.push("b"));
  await waitFor(() => seen.length === 502);
  assert.deepEqual(seen.slice(0, 5), ["new", "b", "new", "b", "new"]);
});

async function waitFor(isDone: () => boolean): Promise<void> {
  for (let looks = 0; looks < 1_000 && !isDone(); looks++) await systemTimers.sleep(1);
  assert.ok(isDone());
}

/** Requests of one connection until one is refused. */
function fill(turns: RequestTurns, group: string, connection: object, bytes: number): number {
  let taken = 0;
  while (turns.handle(group, { connection, bytes, most, handle: () => undefined })) taken += 1;
  return taken;
}

const room = { maxWaitingBytes: 9_000, leastWaitingBytes: 20 };

it("a connection that sends more than is begun holds a part of the room, and is refused", () => {
  const turns = new RequestTurns({ later: () => undefined, nowMs: () => 0, ...room });
  // A third: as much as half of what it leaves free.
  assert.equal(fill(turns, "a", {}, 10), 300);
});

it("a connection whose requests may not wait for each other is refused at its own limit", () => {
  const turns = new RequestTurns({ later: () => undefined, nowMs: () => 0 });
  const request = { connection: {}, bytes: 1, most: 2, handle: () => undefined };
  assert.deepEqual(
    [1, 2, 3].map(() => turns.handle("a", request)),
    [true, true, false],
  );
});

it("many connections of one group leave room for another group and for new connections", () => {
  const turns = new RequestTurns({ later: () => undefined, nowMs: () => 0, ...room });
  fill(turns, "a", {}, 10);
  for (let number = 0; number < 100; number += 1) assert.equal(fill(turns, "a", {}, 10), 2);
  assert.equal(fill(turns, "b", {}, 10), 133, "a third of the 4,000 that are free");
});

it("what was begun makes room again", async () => {
  const turns = new RequestTurns({ later: inLaterTurn, nowMs: () => 0, ...room });
  const connection = {};
  const taken = fill(turns, "a", connection, 10);
  await waitFor(() => turns.waiting === 0);
  assert.equal(fill(turns, "a", connection, 10), taken);
  await waitFor(() => turns.waiting === 0);
});

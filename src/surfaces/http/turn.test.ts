import assert from "node:assert/strict";
import { it } from "node:test";
import { systemTimers } from "../../kernel/timers.ts";
import { currentTurn, handleTogether, sendTogether } from "./turn.ts";

it("requests that come together are handled together, and then answered together", async () => {
  const seen: string[] = [];
  const arrive = (name: string): void => {
    seen.push(`read ${name}`);
    const turn = currentTurn();
    const handle = async (of: string): Promise<void> => {
      seen.push(`handle ${of}`);
      await Promise.resolve();
      seen.push(`decide ${of}`);
      sendTogether(turn, () => seen.push(`answer ${of}`));
    };
    handleTogether(() => void handle(name));
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
  const seen: string[] = [];
  const turn = currentTurn();
  for (let index = 0; index < 40; index += 1) {
    const handle = async (): Promise<void> => {
      seen.push("handle");
      await Promise.resolve();
      seen.push("decide");
      sendTogether(turn, () => seen.push("answer"));
    };
    handleTogether(() => void handle());
  }
  await systemTimers.sleep(5);
  await systemTimers.sleep(5);
  const portion = (size: number): readonly string[] =>
    ["handle", "decide"].flatMap((part) => Array.from({ length: size }, () => part));
  const answers = Array.from({ length: 40 }, () => "answer");
  assert.deepEqual(seen, [...portion(16), ...portion(16), ...portion(8), ...answers]);
});

it("an answer that comes in a later turn goes at once", async () => {
  let isSent = false;
  const turn = currentTurn();
  handleTogether(() => undefined);
  await systemTimers.sleep(5);
  await systemTimers.sleep(5);
  sendTogether(turn, () => {
    isSent = true;
  });
  assert.ok(isSent);
});

it("requests that keep coming do not hold up the answers to those before them", async () => {
  let [isOver, isSent] = [false, false];
  const turn = currentTurn();
  const more = (): void => {
    if (!isOver) handleTogether(() => process.nextTick(more));
  };
  handleTogether(() => {
    more();
    sendTogether(turn, () => {
      isSent = true;
    });
  });
  await systemTimers.sleep(5);
  await systemTimers.sleep(5);
  assert.ok(isSent);
  isOver = true;
});

it("a request that comes while others are handled is handled after them", async () => {
  const seen: string[] = [];
  handleTogether(() => {
    handleTogether(() => {
      seen.push("second");
      handleTogether(() => seen.push("third"));
    });
    seen.push("first");
  });
  for (let turns = 0; turns < 5; turns++) await systemTimers.sleep(5);
  assert.deepEqual(seen, ["first", "second", "third"]);
});

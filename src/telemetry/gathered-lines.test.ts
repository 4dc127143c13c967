import assert from "node:assert/strict";
import { it } from "node:test";
import { gatheredLines } from "./gathered-lines.ts";

function surroundings() {
  const written: string[] = [];
  const turns: (() => void)[] = [];
  const lines = gatheredLines(
    (text) => written.push(text),
    (run) => turns.push(run),
  );
  const endTurn = (): void => turns.splice(0).forEach((run) => run());
  return { ...lines, written, endTurn };
}

it("lines that come together go out together, in their order", () => {
  const { write, written, endTurn } = surroundings();
  write("a\n", "info");
  write("b\n", "debug");
  assert.deepEqual(written, []);
  endTurn();
  write("c\n", "info");
  endTurn();
  assert.deepEqual(written, ["a\nb\n", "c\n"]);
});

it("what a person may look at goes at once, after what came before", () => {
  const { write, written, endTurn } = surroundings();
  write("a\n", "info");
  write("b\n", "warn");
  write("c\n", "error");
  write("d\n", "info");
  endTurn();
  assert.deepEqual(written, ["a\nb\n", "c\n", "d\n"]);
});

it("nothing is held back for the sake of others without end, nor at the end", () => {
  const { write, flush, written } = surroundings();
  const long = "x".repeat(70_000);
  write(long, "info");
  assert.deepEqual(written, [long]);
  write("last\n", "info");
  flush();
  flush();
  assert.deepEqual(written, [long, "last\n"]);
});

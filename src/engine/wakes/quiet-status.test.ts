// What concerns those who refer to a resource of which only the spec counts.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Change } from "../../store/port.ts";
import {
  gadgets,
  keyTo,
  newWorld,
  remove,
  widgets,
  write,
} from "../../../tests/engine/sample-run.ts";
import { loadQuietStatus } from "./quiet-status.ts";

const { signal } = new AbortController();
const quietOne = keyTo("quiet", gadgets);
const other = keyTo("other", widgets);

test("a change of the status alone is no news, of the kinds that are quiet", async () => {
  const { store } = newWorld();
  await write(store, quietOne, { status: { at: 0 } });
  await write(store, other, { status: { at: 0 } });
  const quiet = await loadQuietStatus(store, [gadgets], signal);
  const after = async (act: () => Promise<unknown>): Promise<readonly boolean[]> => {
    const { revision } = await store.head();
    await act();
    const { changes } = await store.changes(revision, 100);
    return changes.map((change) => quiet.isNews(change));
  };
  const steps: readonly (readonly [boolean, () => Promise<unknown>])[] = [
    [false, () => write(store, quietOne, { status: { at: 1 } })],
    [true, () => write(store, other, { status: { at: 1 } })],
    [true, () => write(store, quietOne, { generation: 2, status: { at: 1 } })],
    [false, () => write(store, quietOne, { generation: 2, status: { at: 2 } })],
    [true, () => remove(store, quietOne)],
    [true, () => write(store, quietOne, { generation: 2, status: { at: 2 } })],
    [false, () => write(store, quietOne, { generation: 2, status: { at: 3 } })],
  ];
  for (const [index, [isNews, act]] of steps.entries()) {
    assert.deepEqual(await after(act), [isNews], `step ${index}`);
  }
});

test("what is read again is news, as nobody knows whether it was dealt with", async () => {
  const { store } = newWorld();
  await write(store, quietOne, { generation: 1 });
  await write(store, quietOne, { generation: 2 });
  await write(store, quietOne, { generation: 2, status: { at: 1 } });
  const quiet = await loadQuietStatus(store, [gadgets], signal);
  const { changes } = await store.changes(0, 100);
  assert.equal(changes.length, 3);
  for (let round = 0; round < 2; round++) {
    assert.deepEqual(
      changes.map((change: Change) => quiet.isNews(change)),
      [true, true, true],
    );
  }
  const { revision } = await store.head();
  await write(store, quietOne, { generation: 2, status: { at: 2 } });
  const [last] = (await store.changes(revision, 100)).changes;
  assert.ok(last !== undefined && !quiet.isNews(last));
  assert.ok(quiet.isNews(last), "a second time");
});
